// violation.c -- a step that gets a verdict: the run stops, goes on with a warning, or takes it in
// halves.
//
// docs/concepts/certificate.md, "When it fails". --on-violation says which: `stop` is what a
// verdict does by itself; `warn` lets a step count whose certificate is off by more than its
// tolerance, and says so; `retry` halves what could not be stepped, up to twenty times, and goes
// back to the whole step as soon as it can. A step that only has more impulses than it has room for
// is taken in halves by any rule: nothing is wrong with it. What is in several parts is told as one
// step, with the contacts of all.
//
// Parts end where whole numbers of 2^-20 of the step do, and the last one where the step does, to
// the last bit: the sum t + (end - t) is exact. A step depends on its state and on nothing else, so
// a replay halves the same ones.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 20, WHOLE = 1 << HALVINGS };

static const char *const names[] = { [ON_STOP] = "stop", [ON_WARN] = "warn", [ON_RETRY] = "retry" };
enum { RULES = (int)(sizeof names / sizeof names[0]) };

bool cli_rule_of(const char *name, OnViolation *rule) {
    for (int i = 0; i < RULES; i++) {
        if (strcmp(names[i], name) == 0) {
            *rule = (OnViolation)i;
            return true;
        }
    }
    return false;
}

const char *cli_rule_name(OnViolation rule) { return names[rule]; }

int cli_insist_open(Insist *in, Cli *cli, const impModel *model, const impStepperDef *def,
                    OnViolation rule) {
    impStepperDef any = *def;
    // of all there is: nothing is judged
    any.tolerance = 1;
    *in =
        (Insist){ .model = model, .rule = rule, .stepper = impStepper_New(model, def, &cli->err) };
    if (in->stepper && rule == ON_WARN) {
        in->lenient = impStepper_New(model, &any, &cli->err);
    }
    if (!in->stepper || (rule == ON_WARN && !in->lenient)) {
        cli_insist_close(in);
        return cli_input_fault(&cli->err);
    }
    in->before = impState_New(model);
    return in->before ? EXIT_OK : (cli_insist_close(in), cli_fail(EXIT_LIMIT, "out of memory"));
}

void cli_insist_close(Insist *in) {
    impState_Free(in->before);
    impStepper_Free(in->lenient);
    impStepper_Free(in->stepper);
    free(in->contact);
    free(in->velocity_change);
    *in = (Insist){ 0 };
}

// --- one try -------------------------------------------------------------------------------------
// its text is gone with the next step
static void remember(Insist *in, const impOutcome *outcome) {
    if (in->why[0]) return;
    snprintf(in->why, sizeof in->why, "%s", outcome->text);
    if (outcome->verdict == IMP_UNTRUE) {
        snprintf(in->off, sizeof in->off, "%s", outcome->failed ? outcome->failed : "");
    }
}

static impOutcome step_once(Insist *in, impState *state, double h) {
    impOutcome first = impStep(in->stepper, state, NULL, h);
    if (first.verdict != IMP_UNTRUE || !in->lenient) return first;
    impOutcome then = impStep(in->lenient, state, NULL, h);
    // the method itself could not go on
    if (then.verdict != IMP_SOLVED) return first;
    remember(in, &first);
    in->excused = true;
    // what it was excused from
    then.limit = first.limit;
    return then;
}

static bool is_halved(const Insist *in, impVerdict verdict) {
    if (verdict == IMP_REFUSED || verdict == IMP_SOLVED) return false;
    return verdict == IMP_FULL || in->rule == ON_RETRY;
}

// --- what parts add up to ------------------------------------------------------------------------
static bool fits(void **list, int *room, int64_t count, size_t size) {
    if (count <= *room) return true;
    int64_t more = count + count / 2;
    void *larger = more > INT32_MAX ? NULL : realloc(*list, (size_t)more * size);
    if (!larger) return false;
    *list = larger;
    *room = (int)more;
    return true;
}

static bool absorb(Insist *in, impOutcome *sum, const impOutcome *part) {
    int contacts = sum->contact_count;
    int velocity_changes = sum->velocity_change_count;
    if (!fits((void **)&in->contact, &in->contact_room, (int64_t)contacts + part->contact_count,
              sizeof *in->contact))
        return false;
    if (!fits((void **)&in->velocity_change, &in->velocity_change_room,
              (int64_t)velocity_changes + part->velocity_change_count, sizeof *in->velocity_change))
        return false;
    if (part->contact_count) {
        memcpy(in->contact + contacts, part->contacts,
               sizeof *in->contact * (size_t)part->contact_count);
    }
    if (part->velocity_change_count) {
        memcpy(in->velocity_change + velocity_changes, part->velocity_changes,
               sizeof *in->velocity_change * (size_t)part->velocity_change_count);
    }
    cli_outcome_add(sum, part);
    sum->sleep_energy += part->sleep_energy;
    sum->scheme_energy += part->scheme_energy;
    sum->gap = fmin(sum->gap, part->gap);
    sum->iterations += part->iterations;
    sum->events += part->events;
    sum->energy_gains += part->energy_gains;
    sum->unconverged += part->unconverged;
    sum->contact_count += part->contact_count;
    sum->velocity_change_count += part->velocity_change_count;
    sum->contacts = in->contact;
    sum->velocity_changes = in->velocity_change;
    in->parts++;
    return true;
}

// --- in parts ------------------------------------------------------------------------------------
static double end_of(double from, double h, int done) {
    return done == WHOLE ? from + h : from + h * ((double)done / WHOLE);
}

static impOutcome give_up(const Insist *in, impState *state, impOutcome why) {
    impState_Copy(in->model, state, in->before);
    return why;
}

static impOutcome in_parts(Insist *in, impState *state, double h) {
    double from = impState_Time(state);
    impOutcome sum = { .verdict = IMP_SOLVED, .text = "", .gap = HUGE_VAL };
    impState_Copy(in->model, in->before, state);
    for (int done = 0, size = WHOLE / 2; done < WHOLE;) {
        impOutcome part = step_once(in, state, end_of(from, h, done + size) - impState_Time(state));
        bool solved = part.verdict == IMP_SOLVED;
        if (!solved && (size == 1 || !is_halved(in, part.verdict))) return give_up(in, state, part);
        if (solved && !absorb(in, &sum, &part))
            return give_up(in, state,
                           (impOutcome){ .verdict = IMP_FULL,
                                         .text = "out of memory for a step in parts",
                                         .gap = HUGE_VAL });
        if (!solved) {
            size /= 2;
        } else {
            for (done += size; done < WHOLE && done % (2 * size) == 0; size *= 2) {}
        }
    }
    return sum;
}

impOutcome cli_insist(Insist *in, impState *state, double h) {
    in->parts = 0;
    in->excused = false;
    in->why[0] = in->off[0] = 0;
    impOutcome outcome = step_once(in, state, h);
    if (!is_halved(in, outcome.verdict)) return outcome;
    remember(in, &outcome);
    return in_parts(in, state, h);
}
