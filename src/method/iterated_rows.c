// iterated_rows.c -- a contact point as a row of the contact problem: what it does until the end of
// the step, and what is asked of it.
//
// docs/theory/iterated.md, sections 2 to 4; Bender & Schmitt 2006, section 4: a contact is resolved
// by the gap that it would have at the end of the step. Numbers in brackets are equations of that
// page.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

// Tolerances: docs/theory/iterated.md, section 8.
// 1, of a gap that is smaller than the contact band: the part that one step closes, (6)
#define GAP_PART 0.2
// tolerances of the contact problem: a slower slip is none, and friction at its limit holds
#define SLIP_TOLERANCES 100.0
// 1, of the step: gaps close over no less time, however late the node
#define LEAST_SPAN 0.1
// rad: how far bodies may rotate until a point that does not touch yet is predicted anew
#define PREDICTED_TURN 0.3
// thresholds: most of the speed at which an overlap is undone
#define PUSH 5.0
// 1: a slip so many times larger than what friction takes from it in a step goes on sliding
#define SLIDES_ON 2.0

// parabolas through the gap of an arrival
enum { REFINEMENTS = 8 };

// --- bodies --------------------------------------------------------------------------------------

void iterated_set_bodies(Iterated *it, const IteratedNode *node) {
    Problem *problem = &it->problem;
    for (int i = 0; i < node->body_count; i++) {
        const Actor *a = &it->bodies.actor[node->body[i]];
        Mat3 axes = rotation(a->q);
        problem->body[i] =
            (ProblemBody){ .mass = a->body->mass,
                           .mass_inverse = 1 / a->body->mass,
                           .inertia = rotated(axes, a->body->inertia),
                           .inertia_inverse = rotated(axes, a->body->inertia_inverse),
                           .free_v = a->v,
                           .free_w = a->w,
                           .v = a->v,
                           .w = a->w,
                           .plane = a->body->plane };
    }
    problem->body_count = node->body_count;
    problem->contact_count = problem->bilateral_count = 0;
}

// Three rows: along the normal of its plane a body has no velocity, across it no rotation.
void iterated_add_planes(Iterated *it, const IteratedNode *node) {
    if (it->settings.model->plane_count == 0) return;
    Problem *problem = &it->problem;
    const impVec3 none = vec(0, 0, 0);
    for (int i = 0; i < node->body_count; i++) {
        impVec3 n = it->bodies.actor[node->body[i]].body->plane;
        if (zero3(n)) continue;
        problem->body[i].plane = vec(0, 0, 0);
        impVec3 t1 = perpendicular(n);
        impVec3 t2 = cross(n, t1);
        BilateralRow *row = &problem->bilateral[problem->bilateral_count];
        row[0] = (BilateralRow){ .a = i, .b = -1, .linear_a = n, .angular_a = none };
        row[1] = (BilateralRow){ .a = i, .b = -1, .linear_a = none, .angular_a = t1 };
        row[2] = (BilateralRow){ .a = i, .b = -1, .linear_a = none, .angular_a = t2 };
        problem->bilateral_count += 3;
    }
}

static bool is_same(impVec3 a, impVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void set_motions(void *context, int first, int last, int worker) {
    const IteratedWork *w = context;
    const IteratedNode *node = w->node;
    Iterated *it = w->it;
    (void)worker;
    for (int i = first; i < last; i++) {
        int body = node->body[i];
        const ProblemBody *b = &it->problem.body[i];
        IteratedFlight *known = &it->bodies.flight[body];
        if (known->time == node->time && known->ahead == node->ahead && is_same(known->v, b->v) &&
            is_same(known->w, b->w))
            continue;
        *known = (IteratedFlight){ node->time, node->ahead, b->v, b->w };
        it->bodies.motion[body] = contact_set_motion(it->settings.model, &it->bodies.actor[body],
                                                     &b->inertia_inverse, b->v, b->w, node->ahead);
    }
}

void iterated_set_motions(Iterated *it, const IteratedNode *node) {
    IteratedWork work = { it, node };
    iterated_each(it, node->body_count, set_motions, &work);
}

bool iterated_has_input(const Iterated *it, const Body *body) {
    const double *input = it->settings.input;
    for (int i = 0; input && i < 6; i++) {
        if (input[body->v + i] != 0) return true;
    }
    return false;
}

// --- points --------------------------------------------------------------------------------------

static impVec3 in_frame(const IteratedPoint *p, impVec3 v) {
    return vec(dot(v, p->t1), dot(v, p->t2), dot(v, p->set.n));
}

ContactRow iterated_row(const Iterated *it, const IteratedPoint *p) {
    const int32_t *index = it->islands.index;
    return (ContactRow){ .a = index[p->set.a],
                         .b = it->bodies.actor[p->set.b].free ? index[p->set.b] : -1,
                         .arm_a = p->arm_a,
                         .arm_b = p->arm_b,
                         .t1 = p->t1,
                         .t2 = p->t2,
                         .n = p->set.n,
                         .friction = p->set.law->friction_dynamic };
}

ContactPoint iterated_contact(const Iterated *it, const IteratedPoint *p, const ContactRow *row) {
    return (ContactPoint){ .a = p->set.a,
                           .b = p->set.b,
                           .at = add(it->bodies.actor[p->set.a].x, row->arm_a),
                           .n = row->n,
                           .t1 = row->t1,
                           .t2 = row->t2,
                           .gap = p->set.gap,
                           .law = p->set.law,
                           .feature = p->set.feature };
}

impVec3 iterated_velocity(const Iterated *it, const IteratedPoint *p) {
    const ProblemBody *body = it->problem.body;
    const Actor *b = &it->bodies.actor[p->set.b];
    const ProblemBody *of_a = &body[it->islands.index[p->set.a]];
    impVec3 u = add(of_a->v, cross(of_a->w, p->arm_a));
    if (b->free) {
        const ProblemBody *of_b = &body[it->islands.index[p->set.b]];
        u = sub(u, add(of_b->v, cross(of_b->w, p->arm_b)));
    }
    return sub(in_frame(p, u), p->support);
}

bool iterated_touches(const Iterated *it, const IteratedPoint *p) {
    return p->gap <= it->settings.touching;
}

static impTwist twist_of(const Iterated *it, int body) {
    const Actor *a = &it->bodies.actor[body];
    if (!a->free) return (impTwist){ a->v, a->w };
    const ProblemBody *b = &it->problem.body[it->islands.index[body]];
    return (impTwist){ b->v, b->w };
}

// A body of a point on a smooth surface as contact/prediction.c needs it.
static MicrostepBody smooth_body(const Iterated *it, int body) {
    MicrostepBody out = contact_microstep_body(&it->bodies.actor[body]);
    impTwist twist = twist_of(it, body);
    out.v = twist.linear;
    out.w = twist.angular;
    return out;
}

static impVec3 smooth_change(Iterated *it, const IteratedPoint *p, double h) {
    const impModel *m = it->settings.model;
    ContactPoint *contact = &it->set.smooth[p->set.smooth];
    const Actor *a = &it->bodies.actor[p->set.a];
    const Actor *b = &it->bodies.actor[p->set.b];
    MicrostepBody body_a = smooth_body(it, p->set.a);
    MicrostepBody body_b = { 0 };
    if (b->free) {
        body_b = smooth_body(it, p->set.b);
    }
    const MicrostepBody *of_b = b->free ? &body_b : NULL;
    PredictedMotion motion_a = contact_predict_motion(m, a, &body_a, h);
    PredictedMotion motion_b = contact_predict_motion(m, b, of_b, h);
    double fall;
    contact->motion.has_prediction[0] = contact->motion.has_prediction[1] = false;
    impVec3 c = contact_predicted_change(a, b, &body_a, of_b, &motion_a, &motion_b, contact, h,
                                         &fall);
    impVec3 world = contact_world(contact, c);
    return in_frame(p, world);
}

// (1) and (2): along the normal the mean over h, across it the velocity in its middle. a, b:
// motions of the two bodies over h.
static void set_change_over(Iterated *it, IteratedPoint *p, impVec3 u, double h, const SetMotion *a,
                            const SetMotion *b) {
    if (p->set.kind == SET_SMOOTH) {
        p->c = smooth_change(it, p, h);
        return;
    }
    double gap = contact_set_gap(&p->set, a, b);
    impVec3 change = contact_set_velocity_change(&p->set, a, b, twist_of(it, p->set.a),
                                                 twist_of(it, p->set.b));
    p->c = in_frame(p, change);
    p->c.z = (gap - p->set.gap) / h - u.z;
}

// The motion of a body as the solvers have it.
static SetMotion motion_over(const Iterated *it, int body, double h) {
    const Actor *a = &it->bodies.actor[body];
    const Mat3 *inverse = NULL;
    if (a->free) {
        inverse = &it->problem.body[it->islands.index[body]].inertia_inverse;
    }
    impTwist twist = twist_of(it, body);
    return contact_set_motion(it->settings.model, a, inverse, twist.linear, twist.angular, h);
}

// Until the end of the step, for which the motions of all free bodies are known.
static void set_change(Iterated *it, IteratedPoint *p, impVec3 u, double h) {
    const SetMotion *b = &it->bodies.motion[p->set.b];
    SetMotion prescribed;
    if (it->bodies.actor[p->set.b].body->role == IMP_KINEMATIC) {
        prescribed = motion_over(it, p->set.b, h);
        b = &prescribed;
    }
    set_change_over(it, p, u, h, &it->bodies.motion[p->set.a], b);
}

void iterated_predict(Iterated *it, const IteratedNode *node, IteratedPoint *p) {
    set_change(it, p, iterated_velocity(it, p), node->ahead);
}

double iterated_gap_at_end(Iterated *it, const IteratedNode *node, const IteratedPoint *p) {
    if (p->set.kind == SET_SMOOTH || it->bodies.actor[p->set.b].body->role == IMP_KINEMATIC) {
        IteratedPoint then = *p;
        impVec3 u = iterated_velocity(it, p);
        set_change(it, &then, u, node->ahead);
        return p->gap + node->ahead * (u.z + then.c.z);
    }
    double gap = contact_set_gap(&p->set, &it->bodies.motion[p->set.a],
                                 &it->bodies.motion[p->set.b]);
    return p->gap + (gap - p->set.gap);
}

static void predict_gaps(void *context, int first, int last, int worker) {
    const IteratedWork *w = context;
    (void)worker;
    for (int i = first; i < last; i++) {
        IteratedPoint *p = iterated_point(w->it, w->node, w->it->row_point[i]);
        p->gap_at_end = iterated_gap_at_end(w->it, w->node, p);
    }
}

void iterated_predict_gaps(Iterated *it, const IteratedNode *node) {
    IteratedWork work = { it, node };
    iterated_each(it, it->problem.contact_count, predict_gaps, &work);
}

bool iterated_slips(const Iterated *it, impVec3 slip) {
    double across = sqrt(slip.x * slip.x + slip.y * slip.y + slip.z * slip.z);
    return across > SLIP_TOLERANCES * it->settings.tolerance;
}

// (4): the gap as a quadratic function of time, with acceleration 2 c_n / ahead. HUGE_VAL: it does
// not come to the contact level fast enough to bounce.
static double time_to_level(const Iterated *it, const IteratedPoint *p, impVec3 u, double ahead) {
    // without a bounce a contact that lasts is held by its row, and so is one that may slide along
    // a surface, or is within a crowd
    bool held = p->last || p->set.slides || iterated_within_crowd(it, p->set.a, p->set.b);
    if (p->set.law->restitution == 0 && held) return HUGE_VAL;
    if (p->gap + ahead * (u.z + p->c.z) >= 0) return HUGE_VAL;
    double acceleration = 2 * p->c.z / ahead;
    double speed = sqrt(max2(u.z * u.z - 2 * acceleration * p->gap, 0));
    if (speed < it->settings.threshold || speed - u.z <= 0) return HUGE_VAL;
    return 2 * p->gap / (speed - u.z);
}

// Angular velocity that changes what a body touches with, rad/s: a ball has none.
static impVec3 spin_of(const Iterated *it, int body) {
    return it->bodies.actor[body].body->round ? vec(0, 0, 0) : twist_of(it, body).angular;
}

// How far (m) a body comes beyond its place at the point by rotation alone, until the end of the
// step: no part of it is farther from its centre than the bounding radius.
static double protrusion_of(const Iterated *it, const IteratedNode *node, int body,
                            double support) {
    const Body *b = it->bodies.actor[body].body;
    double spin = norm(spin_of(it, body));
    if (spin == 0) return 0;
    return min2(max2(b->bounding_radius - support, 0), b->bounding_radius * spin * node->ahead);
}

// No sooner (s) than this do the two bodies of a point touch, however they rotate.
static double time_apart(const Iterated *it, const IteratedNode *node, const IteratedPoint *p) {
    const Actor *a = &it->bodies.actor[p->set.a];
    const Actor *b = &it->bodies.actor[p->set.b];
    impVec3 pull = b->free ? sub(a->acceleration, b->acceleration) : a->acceleration;
    double clear = p->gap - protrusion_of(it, node, p->set.a, -dot(p->set.n, p->arm_a)) -
                   protrusion_of(it, node, p->set.b, dot(p->set.n, p->arm_b));
    if (!(clear > 0)) return 0;
    double u = dot(p->set.n, sub(twist_of(it, p->set.a).linear, twist_of(it, p->set.b).linear));
    double rate = min2(dot(p->set.n, pull), 0);
    double speed = sqrt(u * u - 2 * rate * clear);
    return speed > u ? 2 * clear / (speed - u) : HUGE_VAL;
}

// For how long (s) a point may be predicted: until the bodies have rotated by PREDICTED_TURN, if
// they can touch then.
static double horizon_of(const Iterated *it, const IteratedNode *node, const IteratedPoint *p) {
    double spin = norm(sub(spin_of(it, p->set.a), spin_of(it, p->set.b)));
    if (!(spin > 0 && p->gap > 2 * it->settings.level)) return HUGE_VAL;
    return max2(PREDICTED_TURN / spin, time_apart(it, node, p));
}

// Sets what a point does for a time that is shorter than the rest of the step. Returns its gap
// then.
static double predict_over(Iterated *it, IteratedPoint *p, impVec3 u, double time) {
    SetMotion a = motion_over(it, p->set.a, time);
    SetMotion b = motion_over(it, p->set.b, time);
    set_change_over(it, p, u, time, &a, &b);
    return p->gap + time * (u.z + p->c.z);
}

double iterated_arrival(Iterated *it, const IteratedNode *node, const IteratedPoint *p, impVec3 u) {
    if (iterated_touches(it, p)) return HUGE_VAL;
    IteratedPoint near = *p;
    double horizon = horizon_of(it, node, p);
    double span = node->ahead;
    if (horizon < span) {
        span = horizon;
        predict_over(it, &near, u, span);
    }
    double time = time_to_level(it, &near, u, span);

    // the parabola of a longer time may be late: another one until it is not. The gap of a smooth
    // surface is searched anew for each time, and jumps where features change
    int refinements = p->set.kind == SET_SMOOTH ? 0 : REFINEMENTS;
    for (int k = 0; k < refinements && time < span; k++) {
        if (predict_over(it, &near, u, time) >= -it->settings.touching) break;
        span = time;
        time = time_to_level(it, &near, u, span);
    }
    return horizon < node->ahead ? min2(time, horizon) : time;
}

// (8): an impact as a row: the gap at the end that a bounce at its own time leads to, and the
// normal velocity then.
static void set_impact(const Iterated *it, const IteratedNode *node, IteratedPoint *p, impVec3 u) {
    p->is_impact = false;
    if (!node->is_crowd || iterated_touches(it, p)) return;
    double time = time_to_level(it, p, u, node->ahead);
    if (time >= node->ahead) return;
    double acceleration = 2 * p->c.z / node->ahead;
    double speed = sqrt(max2(u.z * u.z - 2 * acceleration * p->gap, 0));
    p->rest = node->ahead - time;
    p->rebound = p->set.law->restitution * speed + acceleration * p->rest;
    p->is_impact = p->rebound >= 0 && p->rebound - 0.5 * acceleration * p->rest >= 0;
}

// The gap of an impact at the end of the step, (8).
static double height_after(const IteratedNode *node, const IteratedPoint *p) {
    double acceleration = 2 * p->c.z / node->ahead;
    return p->rest * (p->rebound - 0.5 * acceleration * p->rest);
}

// --- rows ----------------------------------------------------------------------------------------

double iterated_span(const Iterated *it, const IteratedNode *node) {
    return max2(node->ahead, LEAST_SPAN * it->settings.h);
}

// What a row adds to the normal velocity for its gap, (6), times the time ahead: the gap, but of
// one within the contact band only a part. Four corners of a face then do not ask for gaps that no
// plane has.
static double gap_term(const Iterated *it, double gap, double ahead) {
    double band = 2 * it->settings.level;
    if (gap > band) return gap - (1 - GAP_PART) * band;
    return max2(GAP_PART * gap, -PUSH * it->settings.threshold * ahead);
}

// A contact that slid in the last step and cannot stop in this one: friction acts against the mean
// of the slips of both steps, (7).
static bool slides_on(const Iterated *it, const IteratedPoint *p, const ContactRow *row) {
    if (!p->last || (ContactMode)p->last->mode != CONTACT_SLIDE) return false;
    double most = row->friction * it->settings.h * norm(p->last->force);
    double k = trace(problem_contact_matrix(&it->problem, row));
    return norm(p->last->slip) > SLIDES_ON * most * k;
}

void iterated_add_row(Iterated *it, const IteratedNode *node, int place, impVec3 u) {
    IteratedPoint *p = iterated_point(it, node, place);
    Problem *problem = &it->problem;
    ContactMode last = p->last ? (ContactMode)p->last->mode : CONTACT_OPEN;
    p->row = problem->contact_count++;
    ContactRow *row = &problem->contact[p->row];
    it->row_point[p->row] = place;
    *row = iterated_row(it, p);

    // static friction where it stuck, or where a new contact is slow
    double slip = sqrt(u.x * u.x + u.y * u.y);
    bool holds = last == CONTACT_STICK || (last == CONTACT_OPEN && slip < it->settings.threshold) ||
                 (last == CONTACT_SLIDE && !iterated_slips(it, p->last->slip));
    row->friction = holds ? p->set.law->friction_static : p->set.law->friction_dynamic;
    row->mode = last;

    // the force of the last step, at the first node of this one
    if (p->last && !p->is_impact && node->is_first) {
        impVec3 world = scale(it->settings.h, p->last->force);
        row->p = problem_project(in_frame(p, world), row->friction);
    }

    row->bias = sub(p->c, p->support);
    if (slides_on(it, p, row)) {
        impVec3 slip_before = in_frame(p, p->last->slip);
        row->bias.x += slip_before.x;
        row->bias.y += slip_before.y;
    }
    // an overlap is closed over no short time; a gap may close in the time that there is
    double span = p->gap > 0 ? node->ahead : iterated_span(it, node);
    // what comes fast is not held before it arrives
    bool comes = p->gap > 0 && -(u.z + p->c.z) >= it->settings.threshold;
    double gap = p->is_impact ? p->gap - height_after(node, p)
                 : comes      ? p->gap
                              : gap_term(it, p->gap, span);
    row->bias.z += gap / span;
}

static void predict_points(void *context, int first, int last, int worker) {
    const IteratedWork *w = context;
    (void)worker;
    for (int i = first; i < last; i++) {
        iterated_predict(w->it, w->node, iterated_point(w->it, w->node, i));
    }
}

void iterated_predict_all(Iterated *it, const IteratedNode *node) {
    IteratedWork work = { it, node };
    for (int i = 0; i < node->body_count; i++) {
        ProblemBody *body = &it->problem.body[i];
        const impTwist *kick = &it->bodies.last_kick[node->body[i]];
        body->free_v = body->v;
        body->free_w = body->w;
        if (!node->is_first) continue;
        body->v = add(body->v, kick->linear);
        body->w = add(body->w, kick->angular);
    }
    iterated_set_motions(it, node);
    iterated_each(it, node->point_count, predict_points, &work);
    for (int i = 0; i < node->body_count; i++) {
        ProblemBody *body = &it->problem.body[i];
        body->v = body->free_v;
        body->w = body->free_w;
    }
}

void iterated_set_rows(Iterated *it, const IteratedNode *node) {
    iterated_add_planes(it, node);
    for (int i = 0; i < node->point_count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        impVec3 u = iterated_velocity(it, p);
        p->row = -1;
        set_impact(it, node, p, u);
        if (!node->is_crowd && iterated_arrival(it, node, p, u) < node->ahead) continue;
        iterated_add_row(it, node, i, u);
    }
}
