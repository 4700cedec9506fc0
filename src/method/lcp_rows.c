// lcp_rows.c -- printed schemes of the method `lcp`: the contact points of a pose, those that are
// active, and their rows.
//
// Stewart & Trinkle 2000, sections 3.1 to 3.4; docs/theory/time-stepping.md, sections 2 to 4;
// numbers in brackets are equations of that page. A pose is what twists v~ lead to, q~ = q + h v~.
// The gap of a point there, f(q~), is continued linearly to the pose that other velocities lead to.
//
// SPDX-License-Identifier: MIT
#include "method/lcp.h"

// Tolerances: docs/theory/time-stepping.md, section 8.
// 1: part of an overlap that one step of the velocity scheme undoes
#define OVERLAP_PART 0.2
// 1, of the smaller body's smallest extent: points that are nearer are found
#define NEAR 0.005

// --- points of a pose ----------------------------------------------------------------------------

void stepping_launch(Stepping *s, const impTwist *twist) {
    Iterated *it = &s->it;
    const impModel *m = it->settings.model;
    for (int i = 0; i < m->body_count; i++) {
        Actor *a = &it->bodies.actor[i];
        a->tumble = &it->bodies.tumble[i];
        contact_set_actor(a, m, i, s->state);
        if (!a->free) continue;
        a->acceleration = vec(0, 0, 0);
        contact_launch(a, twist[i].linear, twist[i].angular);
    }
}

static double extent_of(const Actor *a) { return a->free ? a->body->smallest_extent : HUGE_VAL; }

// How fast (m/s) two bodies can approach each other anywhere, with these twists.
static double fastest_approach(const Actor *a, const Actor *b, const impTwist *twist) {
    const impTwist *of_a = &twist[a->index];
    const impTwist *of_b = &twist[b->index];
    double speed = norm(sub(of_a->linear, of_b->linear));
    if (norm(of_a->angular) > 0) {
        speed += a->body->bounding_radius * norm(of_a->angular);
    }
    if (norm(of_b->angular) > 0) {
        speed += b->body->bounding_radius * norm(of_b->angular);
    }
    return speed;
}

// How near (m) points have to be: the way that the bodies can go in the step, with the velocities
// at its beginning, those without contact and those that are tried, so that active points are
// found again.
static double reach_of(const Stepping *s, const Actor *a, const Actor *b, const impTwist *twist) {
    double speed = fastest_approach(a, b, twist);
    speed = max2(speed, fastest_approach(a, b, s->it.bodies.start));
    speed = max2(speed, fastest_approach(a, b, s->free_twist));
    return NEAR * min2(extent_of(a), extent_of(b)) + s->it.settings.h * speed;
}

// Normal velocity (m/s) of a against b at a point, with these twists.
static double normal_velocity(const Stepping *s, const IteratedPoint *p, const impTwist *twist) {
    const impTwist *a = &twist[p->set.a];
    const impTwist *b = &twist[p->set.b];
    impVec3 u = add(a->linear, cross(a->angular, p->arm_a));
    if (s->it.bodies.actor[p->set.b].free) {
        u = sub(u, add(b->linear, cross(b->angular, p->arm_b)));
    }
    return dot(u, p->set.n);
}

static int compare(const SteppingKey *k, const SetPoint *p) {
    if (k->a != p->a) return k->a < p->a ? -1 : 1;
    if (k->b != p->b) return k->b < p->b ? -1 : 1;
    return k->feature < p->feature ? -1 : k->feature > p->feature;
}

static bool was_active(const Stepping *s, const SetPoint *p) {
    if (iterated_find(&s->it.memory, p->a, p->b, p->feature)) return true;
    int low = 0;
    int high = s->active_count;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = compare(&s->active[middle], p);
        if (order == 0) return true;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static bool is_wanted(const Stepping *s, const SetPoint *p, SteppingWanted wanted) {
    switch (wanted) {
    case WANT_ACTIVE: return p->gap < 0 || was_active(s, p);
    case WANT_NEW: return p->gap < -s->violated && !was_active(s, p);
    case WANT_NEAR: break;
    }
    return true;
}

// What the row adds to the normal velocity, (5) and (7): the gap by the step, less the velocity
// that has led to it. The pose of the velocity scheme is that of the beginning.
static double gap_rate(const Stepping *s, const IteratedPoint *p, const impTwist *twist) {
    double rate = p->set.gap / s->it.settings.h;
    if (s->scheme == IMP_VELOCITY)
        return (p->set.gap > 0 ? rate : OVERLAP_PART * rate) - p->support.z;
    return rate - normal_velocity(s, p, twist);
}

// Adds the wanted points of a pair. Returns how many; negative: stopped.
static int add_pair(Stepping *s, int slot, const impTwist *twist, double t, SteppingWanted wanted) {
    Iterated *it = &s->it;
    IteratedSet *set = &it->set;
    Actor *a = &it->bodies.actor[set->pair[slot].i];
    Actor *b = &it->bodies.actor[set->pair[slot].j];
    contact_move(it->settings.model, a, t);
    contact_move(it->settings.model, b, t);
    double within = reach_of(s, a, b, twist);
    if ((!a->free && !b->free) || contact_far_apart(a, b, within)) return 0;
    int count = iterated_query(it, a, b, within);
    if (count < 0) return -1;
    int added = 0;
    for (int i = 0; i < count; i++) {
        const SetPoint *found = &set->found[i];
        if (!is_wanted(s, found, wanted)) continue;
        IteratedPoint p = iterated_make_point(it, found, slot);
        // c is the bias of the row here; on the page c is the normal impulse, row->p.z
        p.c = vec(-p.support.x, -p.support.y, gap_rate(s, &p, twist));
        set->point[set->point_count++] = p;
        added++;
    }
    return added;
}

// How far (m) the fastest body goes in the step, with the velocities that reach_of asks for.
static double farthest_way(const Stepping *s, const impTwist *twist) {
    const impModel *m = s->it.settings.model;
    double most = 0;
    for (int i = 0; i < m->sizes.nfree; i++) {
        int body = m->free_body[i];
        const double radius = m->body[body].bounding_radius;
        const impTwist *of[3] = { &twist[body], &s->it.bodies.start[body], &s->free_twist[body] };
        for (int k = 0; k < 3; k++) {
            most = max2(most, norm(of[k]->linear) + radius * norm(of[k]->angular));
        }
    }
    return most * s->it.settings.h;
}

int stepping_add_points(Stepping *s, const impTwist *twist, double t, SteppingWanted wanted) {
    Iterated *it = &s->it;
    int added = 0;
    it->settings.margin = farthest_way(s, twist);
    if (!iterated_find_pairs(it)) return -1;
    for (int i = 0; i < it->set.broad.count; i++) {
        int of_pair = add_pair(s, it->set.broad.pair[i].slot, twist, t, wanted);
        if (of_pair < 0) return -1;
        added += of_pair;
    }
    return added;
}

static bool comes_before(const void *context, int32_t i, int32_t j) {
    const IteratedPoint *points = context;
    const SetPoint *p = &points[i].set;
    SteppingKey key = { p->a, p->b, p->feature };
    return compare(&key, &points[j].set) < 0;
}

void stepping_note_active(Stepping *s) {
    const IteratedSet *set = &s->it.set;
    int32_t *order = s->it.late_point;
    for (int i = 0; i < set->point_count; i++) {
        order[i] = i;
    }
    sort_stable(order, s->it.row_point, set->point_count, comes_before, set->point);
    for (int i = 0; i < set->point_count; i++) {
        const SetPoint *p = &set->point[order[i]].set;
        s->active[i] = (SteppingKey){ p->a, p->b, p->feature };
    }
    s->active_count = set->point_count;
}

// --- rows ----------------------------------------------------------------------------------------

// A point bounces if it would overlap by the velocities at the beginning of the step, and
// approaches fast enough. By Newton's law it leaves with e times that speed, (9); else the first
// problem ends its approach, and a second one restores e times the impulse, (10), without the share
// that gravity and forces add to the approach within the step.
static void set_normal_bias(const Stepping *s, IteratedPoint *p, ContactRow *row) {
    const double h = s->it.settings.h;
    double u = normal_velocity(s, p, s->it.bodies.start);
    double approach = p->support.z - u;
    double e = p->set.law->restitution;
    bool newton = p->set.law->law == IMP_NEWTON;
    bool bounces = e > 0 && h * (u + p->c.z) < 0 && approach >= s->it.settings.threshold;
    p->is_impact = bounces && !newton;
    row->bias = p->c;
    // the part of the impulse that ends the approach; the rest of it carries the weight
    double approach_of_free = p->support.z - normal_velocity(s, p, s->free_twist);
    p->rebound = approach_of_free > approach ? e * approach / approach_of_free : e;
    if (bounces) {
        row->bias.z = -p->support.z - (newton ? e * approach : 0);
    }
}

// Adds the row of a point; its number is its place in the node's list, on which iterated_restore
// and apply_island rely.
static void add_row(Stepping *s, const IteratedNode *node, int place) {
    Iterated *it = &s->it;
    IteratedPoint *p = iterated_point(it, node, place);
    Problem *problem = &it->problem;
    p->row = problem->contact_count++;
    ContactRow *row = &problem->contact[p->row];
    *row = iterated_row(it, p);
    set_normal_bias(s, p, row);
    if (p->last) {
        impVec3 force = scale(it->settings.h, p->last->force);
        impVec3 guess = vec(dot(force, p->t1), dot(force, p->t2), dot(force, p->set.n));
        row->p = problem_project(guess, row->friction);
        row->mode = (ContactMode)p->last->mode;
    }
}

void stepping_set_rows(Stepping *s, const IteratedNode *node) {
    Iterated *it = &s->it;
    iterated_set_bodies(it, node);
    for (int i = 0; i < node->body_count; i++) {
        ProblemBody *body = &it->problem.body[i];
        const impTwist *twist = &s->free_twist[node->body[i]];
        body->v = body->free_v = twist->linear;
        body->w = body->free_w = twist->angular;
    }
    iterated_add_planes(it, node);
    for (int i = 0; i < node->point_count; i++) {
        add_row(s, node, i);
    }
}
