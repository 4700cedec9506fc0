// state.c -- everything that changes, listed once.
//
// The list below is the layout, the copy, the hash, the difference and the recording. Everything is
// a double, so a state is a row of doubles and a batch is a matrix. Row by row: q of a free body is
// the position of its centre of mass and the quaternion of its axes; v is its twist. An anchor is
// the start of a free body's flight: the method that flies it uses it only if flight from there
// gives q and v bit for bit, so that a state edited from outside is believed. A fixed-step method
// keeps in v the velocity before the impulses at this time, which are not known yet; half_kick is
// what it takes them to add, so that v + half_kick is the velocity at this time. The contact memory
// comes last, and only its used part is copied by a step, hashed and recorded.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

//    field   how many               what
#define STATE_FIELDS(X)                                                                            \
    X(time, 1, "s")                                                                                \
    X(q, n->nq, "coordinates, quaternions w first")                                                \
    X(v, n->nv, "velocities")                                                                      \
    X(anchor, ANCHOR * n->nfree, "t0, x, q, v, w at the start of each free body's flight")         \
    X(sleep_counter, n->nfree,                                                                     \
      "microcollisions in a row that looked like rest, of each free body")                         \
    X(half_kick, n->nv,                                                                            \
      "what the velocities at this time have beyond v: half the contact "                          \
      "impulses of the last fixed step by the inertia")                                            \
    X(contact_count, 1, "entries of the contact memory")                                           \
    X(contacts, CONTACT_MEMORY * n->ncontacts, "contact memory: see ContactMemory")

Layout model_layout(const Sizes *n) {
    Layout l = { 0 };
#define X(name, count, about) l.name = l.total, l.total += (count);
    STATE_FIELDS(X)
#undef X
    return l;
}

static const char *field_at(const Sizes *n, int index, int *within) {
    int start = 0;
#define X(name, count, about)                                                                      \
    if (index < start + (count)) {                                                                 \
        *within = index - start;                                                                   \
        return #name;                                                                              \
    }                                                                                              \
    start += (count);
    STATE_FIELDS(X)
#undef X
    *within = 0;
    return "nothing";
}

int model_body_of(const impModel *m, int index) {
    const Layout *l = &m->layout;
    if (index >= l->contact_count) return -1;
    if (index >= l->half_kick) {
        index += l->v - l->half_kick;
    }
    if (index >= l->sleep_counter) return m->free_body[index - l->sleep_counter];
    if (index >= l->anchor) return m->free_body[(index - l->anchor) / ANCHOR];
    for (int i = m->body_count - 1; i > 0 && index >= l->q; i--) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        int first = index >= l->v ? l->v + b->v : l->q + b->q;
        int count = index >= l->v ? joint_kinds[b->joint].nv : joint_kinds[b->joint].nq;
        if (index >= first && index < first + count) return i;
    }
    return -1;
}

void model_field_at(const impModel *m, int index, char *out, size_t size) {
    int within;
    int body = model_body_of(m, index);
    const char *field = field_at(&m->sizes, index, &within);
    if (body < 0) {
        print_text(out, size, "%s[%d]", field, within);
    } else {
        print_text(out, size, "%s[%d], body '%s'", field, within, m->body[body].name);
    }
}

static bool fits(const impModel *m, const impState *s) {
    return m && s && s->model_id == m->id && s->count == (size_t)m->layout.total;
}

impState *impState_New(const impModel *model) {
    if (!model) return NULL;
    size_t bytes = (size_t)model->layout.total * sizeof(double);
    impState *state = calloc(1, sizeof *state + bytes);
    if (!state) return NULL;
    state->model_id = model->id;
    state->count = (size_t)model->layout.total;
    atomic_flag_clear(&state->busy);
    memcpy(state->data, model->start, bytes);
    return state;
}

void impState_Free(impState *state) { free(state); }

bool impState_Copy(const impModel *model, impState *to, const impState *from) {
    if (!fits(model, to) || !fits(model, from)) return false;
    memcpy(to->data, from->data, to->count * sizeof(double));
    return true;
}

size_t model_state_used(const impModel *m, const double *data) {
    double count = data[m->layout.contact_count];
    return (size_t)m->layout.contacts + CONTACT_MEMORY * (size_t)count;
}

void model_state_forget(const impModel *m, double *data) {
    double *half_kick = data + m->layout.half_kick;
    double *v = data + m->layout.v;
    for (int i = 0; i < m->sizes.nv; i++) {
        if (half_kick[i] == 0) continue;
        v[i] += half_kick[i];
        half_kick[i] = 0;
    }
    data[m->layout.contact_count] = 0;
}

static bool any_nonzero(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (x[i] != 0) return true;
    }
    return false;
}

// What only fixed-step methods use is hashed where something is there: states of other methods keep
// their hashes.
uint64_t impState_Hash(const impModel *model, const impState *state) {
    if (!fits(model, state)) return 0;
    size_t front = (size_t)model->layout.half_kick;
    size_t used = model_state_used(model, state->data);
    uint64_t hash = hash_doubles(HASH_START, state->data, front);
    if (!any_nonzero(state->data + front, used - front)) return hash;
    return hash_doubles(hash, state->data + front, used - front);
}

double impState_Time(const impState *state) { return state ? state->data[0] : 0; }

const double *impState_Data(const impState *state) { return state ? state->data : NULL; }

static bool wrong_state(impError *err, const char *function) {
    return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                   "%s: the state does not belong to the model, or one of them is NULL", function);
}

// Each joint turns its body by a rotation: a quaternion that has lost its length would scale the
// world.
static bool check_turns(const impModel *m, const double *data, impError *err) {
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        double n = qnorm(joint_kinds[b->joint].pose(data + m->layout.q + b->q).rotation);
        if (fabs(n - 1) <= 1e-6) continue;
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impState_SetData: body '%s': orientation of length %s; "
                       "it must be a unit quaternion",
                       b->name, show(n).text);
    }
    return true;
}

static bool check_contact_memory(const impModel *m, const double *data, impError *err) {
    double count = data[m->layout.contact_count];
    if (count >= 0 && count <= m->sizes.ncontacts && count == floor(count)) return true;
    return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                   "impState_SetData: contact_count is %s; it must be a whole number from 0 to %d",
                   show(count).text, m->sizes.ncontacts);
}

bool impState_SetData(const impModel *model, impState *state, const double *data, size_t bytes,
                      impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!fits(model, state) || !data) return wrong_state(err, "impState_SetData");
    if (bytes != state->count * sizeof(double))
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impState_SetData: %zu bytes; a state of this model has %zu", bytes,
                       state->count * sizeof(double));
    for (size_t i = 0; i < state->count; i++) {
        if (isfinite(data[i])) continue;
        char field[200];
        model_field_at(model, (int)i, field, sizeof field);
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impState_SetData: %s is %s; it must be finite", field, show(data[i]).text);
    }
    if (!check_turns(model, data, err) || !check_contact_memory(model, data, err)) return false;
    memcpy(state->data, data, bytes);
    return true;
}

static bool check_set(const impModel *m, impBody body, impPose p, impTwist t, impError *err) {
    Where at = { NULL, 0, 0 };
    if (body.i <= 0 || body.i >= m->body_count)
        return fail_as(err, IMP_BAD_CALL, at,
                       "impState_Set: body %d; it must be one of the model's", (int)body.i);
    const Body *b = &m->body[body.i];
    if (b->free < 0)
        return fail_as(err, IMP_BAD_CALL, at, "impState_Set: body '%s' does not fly freely",
                       b->name);
    double n = qnorm(p.rotation);
    bool identity = p.rotation.w == 0 && p.rotation.x == 0 && p.rotation.y == 0 &&
                    p.rotation.z == 0;
    if (!finite3(p.at) || !finite3(t.linear) || !finite3(t.angular) ||
        (!identity && !(n > 1e-150 && isfinite(n))))
        return fail_as(err, IMP_BAD_CALL, at,
                       "impState_Set: body '%s': a pose or twist that is not finite", b->name);
    if (largest(p.at) > FARTHEST)
        return fail_as(
            err, IMP_BAD_CALL, at,
            "impState_Set: body '%s': position %s m out; each coordinate must lie within "
            "+-1e9",
            b->name, show(largest(p.at)).text);
    if (norm(t.linear) > FASTEST || norm(t.angular) > FASTEST)
        return fail_as(err, IMP_BAD_CALL, at,
                       "impState_Set: body '%s': %s m/s and %s rad/s; each must be at most 1e8",
                       b->name, show(norm(t.linear)).text, show(norm(t.angular)).text);
    return true;
}

bool impState_Set(const impModel *model, impState *state, impBody body, impPose p, impTwist t,
                  impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!fits(model, state)) return wrong_state(err, "impState_Set");
    if (!check_set(model, body, p, t, err)) return false;
    const Body *b = &model->body[body.i];
    bool identity = p.rotation.w == 0 && p.rotation.x == 0 && p.rotation.y == 0 &&
                    p.rotation.z == 0;
    impQuat rotation = identity ? quat(1, 0, 0, 0) : unit(p.rotation);
    impVec3 x = place(pose(p.at, rotation), b->center);
    double q[7] = { x.x, x.y, x.z, rotation.w, rotation.x, rotation.y, rotation.z };
    double v[6] = { t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z };
    memcpy(state->data + model->layout.q + b->q, q, sizeof q);
    memcpy(state->data + model->layout.v + b->v, v, sizeof v);
    memset(state->data + model->layout.half_kick + b->v, 0, sizeof v);
    return true;
}

size_t impState_Difference(const impModel *model, const impState *a, const impState *b, char *out,
                           size_t size) {
    char field[200], text[320];
    if (!out) {
        size = 0;
    }
    if (size) {
        out[0] = 0;
    }
    if (!fits(model, a) || !fits(model, b))
        return print_text(out, size, "not two states of this model");
    for (size_t i = 0; i < a->count; i++) {
        if (!memcmp(&a->data[i], &b->data[i], sizeof(double))) continue;
        model_field_at(model, (int)i, field, sizeof field);
        print_text(text, sizeof text, "first difference: %s: %s, %s", field, show(a->data[i]).text,
                   show(b->data[i]).text);
        return print_text(out, size, "%s", text);
    }
    return 0;
}
