// actor.c -- bodies with clocks of their own, advanced when their position is needed.
//
// A free body is evaluated from the start of its flight and never in increments, so that a query
// changes nothing; only an impulse starts a new flight. Fixed and prescribed bodies are functions
// of time.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// Pose of a free body from its centre of mass and principal axes.
static void set_pose(Actor *a) {
    impVec3 center = a->body->center;
    a->pose = pose(zero3(center) ? a->x : sub(a->x, rotate(a->q, center)), a->q);
}

static void set_kinematic(const impModel *m, Actor *a, double t) {
    impTwist twist;
    motion_kinematic(m, a->index, t, &a->pose, &twist);
    a->x = a->pose.at;
    a->q = a->pose.rotation;
    a->v = twist.linear;
    a->w = twist.angular;
}

void contact_set_actor(Actor *a, const impModel *m, int body, const double *state) {
    const Body *b = &m->body[body];
    a->body = b;
    a->index = body;
    a->free = b->role == IMP_DYNAMIC;
    a->asleep = false;
    a->t = state[m->layout.time];
    a->acceleration = m->gravity;
    if (!a->free) {
        set_kinematic(m, a, a->t);
        return;
    }
    a->now = motion_get(state + m->layout.q + b->q, state + m->layout.v + b->v);
    set_pose(a);
}

Actor contact_actor(const impModel *m, int body, const double *state) {
    Actor a = { .index = body };
    contact_set_actor(&a, m, body, state);
    return a;
}

void contact_move(const impModel *m, Actor *a, double t) {
    if (a->t == t) return;
    a->t = t;
    if (a->asleep || a->body->role == IMP_FIXED) return;
    if (!a->free) {
        set_kinematic(m, a, t);
        return;
    }
    motion_fly_to(&a->flight, a->tumble, t, &a->now);
    set_pose(a);
}

void contact_launch(Actor *a, impVec3 v, impVec3 w) {
    a->v = v;
    a->w = w;
    a->asleep = false;
    motion_set_flight(&a->flight, a->tumble, a->body, a->acceleration, a->t, &a->now);
}

void contact_freeze(Actor *a) {
    a->v = a->w = vec(0, 0, 0);
    a->asleep = true;
    a->flight.t0 = a->t;
}

MicrostepBody contact_microstep_body(const Actor *a) {
    MicrostepBody h = { .mass_inverse = 1 / a->body->mass,
                        .v = a->v,
                        .w = a->w,
                        .bounding_radius = a->body->bounding_radius };
    h.inertia_inverse = rotated(rotation(a->q), a->body->inertia_inverse);
    return h;
}

bool contact_far_apart(const Actor *a, const Actor *b, double by) {
    return a->body->bounded && b->body->bounded &&
           norm(sub(place(a->pose, a->body->center), place(b->pose, b->body->center))) >
               a->body->bounding_radius + b->body->bounding_radius + by;
}

bool contact_is_forced(const impModel *m, const Actor *a) {
    return a->free && !zero3(sub(a->acceleration, m->gravity));
}

double contact_kinetic_energy_at(const Actor *a, impVec3 v, impVec3 spin) {
    impVec3 w = unrotate(a->q, spin);
    return 0.5 * (a->body->mass * dot(v, v) + dot(w, mul(a->body->inertia, w)));
}

double contact_kinetic_energy(const Actor *a) { return contact_kinetic_energy_at(a, a->v, a->w); }
