// flight.c -- the method without contacts: every free body flies, exactly.
//
// Bodies are independent, so a step is one loop, shared out to any number of threads with the same
// result. Each body is evaluated from the anchor of its flight, which the state carries: a thousand
// steps of 1 ms and one of 1 s end in the same bits. A constant force and torque over the step
// (input) are applied as half a kick, exact drift, half a kick: second order, and the angular
// momentum changes by h times the torque to rounding; the flight then starts anew.
//
// SPDX-License-Identifier: MIT
#include "method/flight.h"

#include <string.h>

bool method_flight_accepts(const impModel *m, impError *err) {
    return method_accepts(m, "flight", false, err);
}

size_t method_flight_scratch(const impModel *m) {
    (void)m;
    return 0;
}

// The flight that the state is on: from its anchor if that leads to q and v bit for bit, else from
// here.
static Flight flight_of(const impModel *m, const Body *b, double *anchor, double t, Flying now) {
    Flying start = motion_get(anchor + 1, anchor + 8);
    Flight flight = motion_flight(b, m->gravity, anchor[0], start);
    Flying check = motion_fly(&flight, t);
    if (!memcmp(&check, &now, sizeof now)) return flight;
    anchor[0] = t;
    motion_put(now, anchor + 1, anchor + 8);
    return motion_flight(b, m->gravity, t, now);
}

// Half a kick, drift, half a kick; gravity is part of the drift. Returns the state after.
static Flying push(const impModel *m, const Body *b, Flying f, const double *input, double t,
                   double h) {
    impVec3 force = vec(input[0], input[1], input[2]);
    impVec3 torque = vec(input[3], input[4], input[5]);
    f = motion_kick(b, f, vec(0, 0, 0), scale(0.5 * h, torque));
    Flight drift = motion_flight(b, madd(m->gravity, 1 / b->mass, force), t, f);
    f = motion_fly(&drift, t + h);
    return motion_kick(b, f, vec(0, 0, 0), scale(0.5 * h, torque));
}

static bool pushed(const double *input) {
    for (int i = 0; i < 6; i++) {
        if (input[i] != 0) return true;
    }
    return false;
}

typedef struct Job {
    const impModel *m;
    double *next;
    const double *input;
    double t, h;
} Job;

static void fly_bodies(void *context, int first, int last, int worker) {
    const Job *job = context;
    const impModel *m = job->m;
    (void)worker;
    for (int i = first; i < last; i++) {
        const Body *b = &m->body[m->free_body[i]];
        double *q = job->next + m->layout.q + b->q;
        double *v = job->next + m->layout.v + b->v;
        double *anchor = job->next + m->layout.anchor + ANCHOR * i;
        Flying now = motion_get(q, v);
        if (job->input && pushed(job->input + b->v)) {
            now = push(m, b, now, job->input + b->v, job->t, job->h);
            anchor[0] = job->t + job->h;
            motion_put(now, anchor + 1, anchor + 8);
        } else {
            Flight flight = flight_of(m, b, anchor, job->t, now);
            now = motion_fly(&flight, job->t + job->h);
        }
        motion_put(now, q, v);
    }
}

Progress method_flight_step(const impModel *m, double *next, const double *input, double h,
                            Arena scratch, const MethodOptions *options) {
    Job job = { m, next, input, next[m->layout.time], h };
    (void)scratch;
    thread_pool_run(options->thread_pool, m->sizes.nfree, 64, fly_bodies, &job);
    next[m->layout.time] = job.t + h;
    return (Progress){ .verdict = IMP_SOLVED,
                       .text = "",
                       .iterations = 1,
                       .gap = HUGE_VAL,
                       .limit = method_no_limit };
}
