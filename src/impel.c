// impel.c -- the step: find the method, call it, let the judge speak.
//
// next state = step(model, state, input, h). The method works on a copy in the stepper's scratch,
// so that a step which fails leaves the state as it was; the scratch may be filled with garbage
// between any two calls.
//
// SPDX-License-Identifier: MIT
#include "method/method.h"

#include <stdlib.h>
#include <string.h>

struct impStepper {
    const impModel *model;
    const Method *method;
    MethodOptions options;
    atomic_flag busy;
    char *block;       // one block of scratch, taken once
    char *line;        // its first whole cache line
    size_t size;       // from there
    double tolerance;  // of the certificate, relative
    char text[560];    // of the last verdict
};

const char *impVersion(void) { return IMPEL_VERSION; }

// --- making one ----------------------------------------------------------------------------------
static const char default_method[] = "impulse";  // bodies touch unless it is said otherwise

// The method that the caller names, else the scene; NULL: neither names one.
static const char *named_method(const impModel *m, const impStepperDef *def) {
    return def && def->method ? def->method : m->run.method;
}

static void list_methods(char *out, size_t size) {
    out[0] = 0;
    for (int i = 0; i < method_count; i++) {
        size_t used = strlen(out);
        print_text(out + used, size - used, "%s%s", i ? ", " : "", methods[i].name);
    }
}

static const Method *choose(const impModel *m, const impStepperDef *def, impError *err) {
    const char *named = named_method(m, def);
    const char *name = named ? named : default_method;
    char known[200];
    list_methods(known, sizeof known);

    // a name that no method has
    int i = method_find(name);
    if (i < 0) {
        fail(err, (Where){ NULL, 0, 0 }, "method \"%s\" is unknown; this build knows %s", name,
             known);
        return NULL;
    }

    // a scene that the method cannot move: where nothing named it, the second line says why it was
    // taken
    if (methods[i].accepts(m, err)) return &methods[i];
    if (!named) {
        fail(err, (Where){ NULL, 0, 0 }, "no method is named, so %s was taken; this build knows %s",
             name, known);
    }
    return NULL;
}

// Row of the solver that the caller names; negative: it is unknown.
static int choose_solver(const impStepperDef *def, impError *err) {
    if (!def || !def->solver) return 0;
    int i = solver_find(def->solver);
    if (i < 0) {
        char known[200] = "";
        for (int k = 0; k < solver_count; k++) {
            size_t used = strlen(known);
            print_text(known + used, sizeof known - used, "%s%s", k ? ", " : "", solvers[k].name);
        }
        fail(err, (Where){ NULL, 0, 0 }, "solver \"%s\" is unknown; this build knows %s",
             def->solver, known);
    }
    return i;
}

// True if the scene has asked for shock propagation, and the method has it.
static bool gives_up_momentum(const impModel *m, const Method *method) {
    return m->run.shock_propagation > 0 && strcmp(method->name, "iterated") == 0;
}

impStepper *impStepper_New(const impModel *model, const impStepperDef *def, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!model) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 }, "impStepper_New: argument model is NULL");
        return NULL;
    }
    if (def && (!(def->tolerance >= 0 && def->tolerance <= 1) || def->iterations < 0 ||
                def->threads < 0)) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                "impStepper_New: tolerance %s, %d iterations, %d threads; a tolerance "
                "lies between 0 and 1, and none may be negative",
                show(def->tolerance).text, def->iterations, def->threads);
        return NULL;
    }
    const Method *method = choose(model, def, err);
    bool certified = def && def->tolerance > 0 && def->tolerance < 1;
    if (method && certified && gives_up_momentum(model, method)) {
        fail(err, (Where){ NULL, 0, 0 },
             "a certificate to %s is asked for, and shock_propagation does not conserve momentum",
             show(def->tolerance).text);
        return NULL;
    }
    int solver = method ? choose_solver(def, err) : -1;
    if (solver < 0) return NULL;
    impStepper *s = calloc(1, sizeof *s);
    if (!s) {
        fail_memory(err);
        return NULL;
    }
    s->model = model;
    s->method = method;
    s->tolerance = def && def->tolerance > 0 ? def->tolerance : MOTION_TOLERANCE;
    s->size = 2 * impModel_StateSize(model) + 256 + method->scratch(model);
    s->block = malloc(s->size + CACHE_LINE);
    s->line = s->block ? s->block + (CACHE_LINE - (uintptr_t)s->block % CACHE_LINE) % CACHE_LINE
                       : NULL;
    s->options.solver = solver;
    s->options.iterations = def ? def->iterations : 0;
    s->options.thread_pool = thread_pool_new(def && def->threads > 1 ? def->threads : 1);
    if (s->block && s->options.thread_pool) {
        atomic_flag_clear(&s->busy);
        // nothing is written yet: a step does
        return s;
    }
    fail_memory(err);
    impStepper_Free(s);
    return NULL;
}

void impStepper_Free(impStepper *stepper) {
    if (!stepper) return;
    thread_pool_free(stepper->options.thread_pool);
    free(stepper->block);
    free(stepper);
}

const char *impStepper_Method(const impStepper *stepper) {
    return stepper ? stepper->method->name : "";
}
int impStepper_Threads(const impStepper *stepper) {
    return stepper ? thread_pool_size(stepper->options.thread_pool) : 0;
}
void impStepper_Poison(impStepper *stepper, unsigned char byte) {
    if (stepper) {
        memset(stepper->line, byte, stepper->size);
    }
}

// --- refusing ------------------------------------------------------------------------------------
static impOutcome nothing_done(impVerdict verdict, const char *text) {
    return (impOutcome){ .verdict = verdict, .text = text, .gap = HUGE_VAL };
}
static impOutcome refused(const char *text) { return nothing_done(IMP_REFUSED, text); }

static const char *check_input(impStepper *s, const double *input) {
    const impModel *m = s->model;
    for (int i = 0; input && i < m->sizes.nv; i++) {
        if (isfinite(input[i])) continue;
        int body = model_body_of(m, m->layout.v + i);
        print_text(s->text, sizeof s->text, "input[%d] (body '%s') is %s; a force must be finite",
                   i, body > 0 ? m->body[body].name : "", show(input[i]).text);
        return s->text;
    }
    return NULL;
}

static const char *check_call(impStepper *s, const impState *state, double h) {
    if (state->model_id != s->model->id || state->count != (size_t)s->model->layout.total)
        return "the state belongs to another model";
    if (!(h >= 0 && h <= 1e9)) {
        print_text(s->text, sizeof s->text, "step of %s s; it must lie between 0 and 1e9",
                   show(h).text);
        return s->text;
    }
    double t = state->data[0];
    if (h > 0 && t + h == t) {
        print_text(s->text, sizeof s->text, "step of %s s at t = %s s: time would stand still",
                   show(h).text, show(t).text);
        return s->text;
    }
    // model/build.c
    return model_arithmetic();
}

// --- stepping ------------------------------------------------------------------------------------
static impOutcome outcome_of(Progress p, const impCertificate *c) {
    return (impOutcome){ .verdict = p.verdict,
                         .text = p.text,
                         .failed = p.failed,
                         .certificate = *c,
                         .limit = p.limit,
                         .sleep_energy = p.sleep_energy,
                         .scheme_energy = p.scheme_energy,
                         .gap = p.gap,
                         .iterations = p.iterations,
                         .events = p.events,
                         .energy_gains = p.energy_gains,
                         .unconverged = p.unconverged,
                         .contact_count = p.contact_count,
                         .contacts = p.contacts,
                         .velocity_change_count = p.velocity_change_count,
                         .velocity_changes = p.velocity_changes };
}

// The largest impulse that a body got in the step: where it went wrong, most likely. -1: it got
// none.
static int hardest_of(const Progress *p, int body) {
    int best = -1;
    for (int i = 0; i < p->contact_count; i++) {
        const impContact *c = &p->contacts[i];
        if (c->a.i != body && c->b.i != body) continue;
        if (best < 0 || norm(c->impulse) > norm(p->contacts[best].impulse)) {
            best = i;
        }
    }
    return best;
}

// four digits are enough to find it by
static Shown brief(double x) {
    double up = 1, down = 1;
    if (x == 0 || !isfinite(x)) return show(x);
    while (fabs(x) >= 1e4 * down) {
        down *= 10;
    }
    while (down == 1 && fabs(x) * up < 1e3 && up < 1e22) {
        up *= 10;
    }
    return show(floor(x / down * up + 0.5) * down / up);
}

static void tell_contact(char *text, size_t room, const impModel *m, const Progress *p, int body) {
    int i = hardest_of(p, body);
    if (i < 0) {
        print_text(text, room, "; nothing touched it");
        return;
    }
    const impContact *c = &p->contacts[i];
    bool first = c->a.i == body;
    impVec3 j = scale(first ? 1 : -1, c->impulse);
    impVec3 x = c->point;
    print_text(text, room,
               "; contact %d of %d, with body '%s' at (%s, %s, %s) m: impulse (%s, %s, %s) N s",
               i + 1, p->contact_count, m->body[first ? c->b.i : c->a.i].name, brief(x.x).text,
               brief(x.y).text, brief(x.z).text, brief(j.x).text, brief(j.y).text, brief(j.z).text);
}

// docs/concepts/certificate.md: what is off, by how much, its limit, which body, and what it
// touched.
static void tell_fault(impStepper *s, const Fault *f, const Progress *p, bool finite) {
    const char *name = s->model->body[f->body].name;
    if (!finite) {
        print_text(
            s->text, sizeof s->text,
            "body '%s': its energy or momentum is no longer finite; the numbers are too large",
            name);
        return;
    }
    print_text(s->text, sizeof s->text,
               "body '%s': the certificate failed: %s is off by %s%s (limit %s%s)", name, f->of,
               show(f->off).text, f->unit, show(f->limit).text, f->unit);
    size_t used = strlen(s->text);
    tell_contact(s->text + used, sizeof s->text - used, s->model, p, f->body);
}

// The state at t + h takes the place of the one at t; unused entries of the contact memory are
// zero.
static void commit(const impModel *m, impState *state, const double *next) {
    size_t before = model_state_used(m, state->data);
    size_t used = model_state_used(m, next);
    memcpy(state->data, next, used * sizeof(double));
    if (before > used) {
        memset(state->data + used, 0, (before - used) * sizeof(double));
    }
}

static impOutcome step(impStepper *s, impState *state, const double *input, double h) {
    const impModel *m = s->model;
    bool full = false;
    int where = 0;
    impCertificate certificate = { 0 };
    Arena arena = { s->line, 0, s->size, &full };

    // the state as the method takes it, and the same once more to be changed
    double *before = TAKE(&arena, double, state->count);
    double *next = TAKE(&arena, double, state->count);
    if (full) return nothing_done(IMP_FULL, "the scratch memory is too small for the state");
    memcpy(before, state->data, model_state_used(m, state->data) * sizeof(double));
    if (!s->method->contact_memory) {
        model_state_forget(m, before);
    }
    memcpy(next, before, model_state_used(m, before) * sizeof(double));
    // method/
    Progress p = s->method->step(m, next, input, h, arena, &s->options);
    if (full) {
        p.verdict = IMP_FULL;
        p.text = "a capacity of the model was reached";
    }
    // motion/audit.c
    if (p.verdict == IMP_SOLVED && !motion_finite(m, next, &where)) {
        char field[200];
        model_field_at(m, where, field, sizeof field);
        print_text(s->text, sizeof s->text, "%s is no longer finite", field);
        p.verdict = IMP_NOT_FINITE;
        p.text = s->text;
    }
    certificate = p.found;
    if (p.verdict != IMP_SOLVED) return outcome_of(p, &certificate);
    Fault fault;
    // motion/audit.c
    bool kept = motion_judge(m, before, next, input, p.ledger, s->tolerance, &certificate, &p.limit,
                             &fault);
    if (p.uncertified) {
        p.limit.energy = p.limit.momentum = p.limit.spin = HUGE_VAL;
        kept = isfinite(certificate.energy + certificate.momentum + certificate.spin);
    }
    if (!kept) {
        bool finite = isfinite(certificate.energy) && isfinite(certificate.momentum) &&
                      isfinite(certificate.spin);
        tell_fault(s, &fault, &p, finite);
        p.verdict = finite ? IMP_UNTRUE : IMP_NOT_FINITE;
        p.text = s->text;
        p.failed = finite ? fault.of : NULL;
        return outcome_of(p, finite ? &certificate : &(impCertificate){ 0 });
    }
    commit(m, state, next);
    return outcome_of(p, &certificate);
}

impOutcome impStep(impStepper *stepper, impState *state, const double *input, double h) {
    if (!stepper || !state) return refused("impStep: the stepper or the state is NULL");
    if (atomic_flag_test_and_set(&stepper->busy))
        return refused("another thread is using this stepper");
    impOutcome out = refused("another thread is stepping this state");
    if (!atomic_flag_test_and_set(&state->busy)) {
        const char *why = check_call(stepper, state, h);
        if (!why) {
            why = check_input(stepper, input);
        }
        // nothing happens in no time
        if (why) {
            out = refused(why);
        } else if (h == 0) {
            out = nothing_done(IMP_SOLVED, "");
        } else {
            out = step(stepper, state, input, h);
        }
        atomic_flag_clear(&state->busy);
    }
    atomic_flag_clear(&stepper->busy);
    return out;
}

void impStepMany(impStepper *stepper, impState *const *states, const double *const *inputs,
                 int count, double h, impOutcome *outcomes) {
    for (int i = 0; states && i < count; i++) {
        impOutcome out = impStep(stepper, states[i], inputs ? inputs[i] : NULL, h);
        out.contacts = NULL;
        out.velocity_changes = NULL;
        if (out.verdict != IMP_SOLVED && stepper && out.text == stepper->text) {
            out.text = "see this state's own step";
        }
        if (outcomes) {
            outcomes[i] = out;
        }
    }
}
