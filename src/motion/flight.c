// flight.c -- ballistic flight of a free body: a parabola and an exact rotation, from its start to
// any time.
//
// x = x0 + v0 t + g t^2 / 2 (docs/theory/free-flight.md), attitude by spin.c. Always evaluated from
// the start of the flight, never added up: the result does not depend on how often it was looked
// at.
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

#include <string.h>

void motion_set_flight(FlightFront *f, Tumble *u, const Body *body, impVec3 g, double t0,
                       const Flying *start) {
    f->t0 = t0;
    f->start = *start;
    f->g = g;
    motion_set_spin(&f->spin, u, body->moments, body->axes, start->q, start->w);
}

void motion_fly_to(const FlightFront *f, const Tumble *u, double t, Flying *now) {
    double s = t - f->t0;
    if (s == 0) {
        *now = f->start;
        return;
    }
    now->x = add(f->start.x, scale(s, madd(f->start.v, 0.5 * s, f->g)));
    now->v = madd(f->start.v, s, f->g);
    motion_spin_to(&f->spin, u, s, &now->q, &now->w);
}

Flight motion_flight(const Body *body, impVec3 g, double t0, Flying start) {
    Flight f;
    motion_set_flight(&f.front, &f.tumble, body, g, t0, &start);
    return f;
}

Flying motion_fly(const Flight *f, double t) {
    Flying now;
    motion_fly_to(&f->front, &f->tumble, t, &now);
    return now;
}

Flying motion_get(const double *q, const double *v) {
    Flying f;
    f.x = vec(q[0], q[1], q[2]);
    f.q = quat(q[3], q[4], q[5], q[6]);
    f.v = vec(v[0], v[1], v[2]);
    f.w = vec(v[3], v[4], v[5]);
    return f;
}

void motion_put(Flying f, double *q, double *v) {
    double qs[7] = { f.x.x, f.x.y, f.x.z, f.q.w, f.q.x, f.q.y, f.q.z };
    double vs[6] = { f.v.x, f.v.y, f.v.z, f.w.x, f.w.y, f.w.z };
    memcpy(q, qs, sizeof qs);
    memcpy(v, vs, sizeof vs);
}

Flying motion_kick(const Body *body, Flying f, impVec3 impulse, impVec3 angular_impulse) {
    f.v = madd(f.v, 1 / body->mass, impulse);
    f.w = add(f.w, rotate(f.q, mul(body->inertia_inverse, unrotate(f.q, angular_impulse))));
    return f;
}
