// impulse_reversal.c -- a microcollision by velocity reversal, for comparison: "micro":
// "reversal".
//
// Mirtich & Canny 1994, section 4.5; docs/theory/microcollisions.md, section 4, rules 1 and 2b.
// One point at a time: the impulse p = -2 K^-1 u reverses the velocity of the point, u -> -u, and
// does no work. It is taken if it lies in the friction cone; else the point has an ordinary impact
// (src/solve/impact.c). A departure slower than half of the micro threshold is made as fast: a
// reversal by a factor s, which keeps the direction of p, an impact by going on under friction.
// The energy of this is of the order of m g eps, and in the ledger.
//
// Limits (docs/reference/methods.md): the impacts of several corners are no closed orbit, so a
// block creeps down a slope that should hold it, and nothing falls asleep.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// 1, of the micro threshold: least departure (rule 2b). Test: tests/method/impulse_reversal.c
#define LEAST_DEPARTURE 0.5

static bool in_cone(impVec3 p, double mu) {
    return p.z > 0 && p.x * p.x + p.y * p.y <= mu * mu * p.z * p.z;
}

// The impulse of u -> -u, or -s u where that is too slow. False: it is not in the cone, or the
// point slides too fast to be scaled; the cone of a Painleve inconsistent rod contains any speed.
static bool reverse_velocity(const ContactPoint *t, const Mat3 *k, impVec3 u, impVec3 *p) {
    impVec3 q = neg(mul(inverse(*k), u));
    double mu = max2(t->law->friction_static, t->law->friction_dynamic);
    if (!(u.z < 0) || !in_cone(q, mu)) return false;
    double s = max2(1, LEAST_DEPARTURE * t->micro.threshold / -u.z);
    if (s > 1 && s * sqrt(u.x * u.x + u.y * u.y) > t->micro.threshold) return false;
    *p = scale(1 + s, q);
    return true;
}

// The impact of a point with velocity u and restitution e.
static impImpactDef impact_of(const ContactPoint *t, const Mat3 *k, impVec3 u, double e) {
    return (impImpactDef){
        .k = { { k->x.x, k->x.y, k->x.z }, { k->y.x, k->y.y, k->y.z }, { k->z.x, k->z.y, k->z.z } },
        .u = u,
        .friction_static = t->law->friction_static,
        .friction_dynamic = t->law->friction_dynamic,
        .restitution = e,
        .law = t->law->law
    };
}

// The impulse of an ordinary impact or, if its departure is too slow, of an impact without
// restitution of a point that approaches faster by the least departure. False: not solved.
static bool collide(const ContactPoint *t, const Mat3 *k, impVec3 u, impVec3 *p) {
    const double least = LEAST_DEPARTURE * t->micro.threshold;
    impImpact hit = { 0 };
    if (u.z < 0) {
        impImpactDef plain = impact_of(t, k, u, t->law->restitution);
        if (solve_impact(&plain, &hit, NULL) != IMP_SOLVED) return false;
    }
    if (hit.u.z < least) {
        impImpactDef more = impact_of(t, k, vec(u.x, u.y, u.z - least), 0);
        if (solve_impact(&more, &hit, NULL) != IMP_SOLVED) return false;
    }
    *p = hit.p;
    return true;
}

// Starts a new flight of a body after an impulse at `arm` from its centre of mass.
static void launch(Flights *flights, Journal *journal, int body, const MicrostepBody *after,
                   impVec3 impulse, impVec3 arm) {
    Actor *a = &flights->actor[body];
    journal_launch(journal, a, after->v, after->w);
    journal_book(journal, body, impulse, cross(arm, impulse), 0);
    flights->sleep_counter[a->body->free] = 0;
}

bool impulse_reversal(World *world, Pairs *pairs, Journal *journal, const ContactPoint *t) {
    const int moved[2] = { t->a, t->b };
    bool two = world->flights.actor[t->b].free;
    MicrostepBody body[2] = { contact_microstep_body(&world->flights.actor[t->a]) };
    if (two) {
        body[1] = contact_microstep_body(&world->flights.actor[t->b]);
    }
    MicrostepPoint q = contact_microstep_point(world->flights.actor, t, 0, two ? 1 : -1);
    Mat3 k = solve_point_matrix(body, &q);
    impVec3 before = solve_point_velocity(body, &q);
    impVec3 p;
    bool rotated = reverse_velocity(t, &k, before, &p);
    if (!rotated && !collide(t, &k, before, &p))
        return journal_stop(journal, IMP_STALLED,
                            "bodies '%s' and '%s': their microcollision could not be resolved",
                            world->settings.model->body[t->a].name,
                            world->settings.model->body[t->b].name);
    solve_apply_impulse(body, &q, p);
    impVec3 push = contact_world(t, p);
    impVec3 after = solve_point_velocity(body, &q);
    launch(&world->flights, journal, t->a, &body[0], push, q.arm_a);
    if (two) {
        launch(&world->flights, journal, t->b, &body[1], neg(push), q.arm_b);
    }
    impContact record = journal_record(
        t, world->clock.now,
        &(PointImpulse){
            .p = p, .u_before = before, .u_after = after, .support_velocity = q.support_velocity });
    record.mode = rotated ? IMP_STICKS : IMP_SLIDES;
    record.micro = true;
    journal->events++;
    return impulse_log(journal, &record) &&
           impulse_refresh(pairs, world, journal, moved, two ? 2 : 1);
}
