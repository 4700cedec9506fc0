// impulse_reversal.c -- a microcollision by paper 1's own rule, for comparison: "micro":
// "reversal".
//
// Mirtich & Canny 1994, section 4.5. One point at a time: the impulse p = -2 K^-1 u turns the
// velocity of the point round, u -> -u, and does no work. Where Coulomb's cone has room for it, it
// is taken; else the point collides like any other (solve/impact.c). By itself this stalls:
// collisions shrink the hops, down to nothing (microcollisions.md sec. 4, rules 0 and 1). So every
// microcollision leaves at no less than half of the speed below which it is one, as a hop does
// (physics.md F.3): a reversal that is too slow is stretched, u -> -s u, which has the direction of
// p and so the cone of it; a collision that is too slow goes on with Coulomb's friction until it is
// fast enough (rule 2b: a push along the normal alone would be friction taken away). What that
// gives is of the order of m g eps, and is booked.
//
// What is wrong with it (docs/reference/methods.md): corners that strike one after the other are no
// closed orbit, and a block creeps down a slope that should hold it. Nothing ever lies still, so
// nothing sleeps.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// speed after, of the one below which a collision is micro
#define LEAST 0.5

static bool in_cone(impVec3 p, double mu) {
    return p.z > 0 && p.x * p.x + p.y * p.y <= mu * mu * p.z * p.z;
}

// u -> -u, or -s u where that is too slow. False: the cone has no room, or the point slides too
// fast to be stretched (a rod that jams has room for any speed).
static bool turn_round(const ContactPoint *t, const Mat3 *k, impVec3 u, impVec3 *p) {
    impVec3 q = neg(mul(inverse(*k), u));
    double mu = max2(t->law->friction_static, t->law->friction_dynamic);
    if (!(u.z < 0) || !in_cone(q, mu)) return false;
    double s = max2(1, LEAST * t->micro.threshold / -u.z);
    if (s > 1 && s * sqrt(u.x * u.x + u.y * u.y) > t->micro.threshold) return false;
    *p = scale(1 + s, q);
    return true;
}

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

// Like any other; or, where that is too slow or the point was only let go of, on to the least
// speed: a collision without bounce of a point that arrives faster by as much.
static bool collide(const ContactPoint *t, const Mat3 *k, impVec3 u, impVec3 *p) {
    const double least = LEAST * t->micro.threshold;
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

static void launch(Loop *l, int body, const MicrostepBody *after, impVec3 impulse, impVec3 arm) {
    journal_launch(&l->journal, &l->flights.actor[body], after->v, after->w);
    journal_book(&l->journal, body, impulse, cross(arm, impulse), 0);
    l->flights.sleep_counter[l->settings.model->body[body].free] = 0;
}

bool impulse_reversal(Loop *l, const ContactPoint *t) {
    const int moved[2] = { t->a, t->b };
    bool two = l->flights.actor[t->b].free;
    MicrostepBody body[2] = { contact_microstep_body(&l->flights.actor[t->a]) };
    if (two) {
        body[1] = contact_microstep_body(&l->flights.actor[t->b]);
    }
    MicrostepPoint q = contact_microstep_point(l->flights.actor, t, 0, two ? 1 : -1);
    Mat3 k = solve_point_matrix(body, &q);
    impVec3 before = solve_point_velocity(body, &q);
    impVec3 p;
    bool rotated = turn_round(t, &k, before, &p);
    if (!rotated && !collide(t, &k, before, &p))
        return journal_stop(&l->journal, IMP_STALLED,
                            "bodies '%s' and '%s': their microcollision could not be resolved",
                            l->settings.model->body[t->a].name, l->settings.model->body[t->b].name);
    solve_apply_impulse(body, &q, p);
    impVec3 push = contact_world(t, p);
    impVec3 after = solve_point_velocity(body, &q);
    launch(l, t->a, &body[0], push, q.arm_a);
    if (two) {
        launch(l, t->b, &body[1], neg(push), q.arm_b);
    }
    impContact record = journal_record(
        t, l->clock.now,
        &(PointImpulse){
            .p = p, .u_before = before, .u_after = after, .support_velocity = q.support_velocity });
    record.mode = rotated ? IMP_STICKS : IMP_SLIDES;
    record.micro = true;
    l->journal.events++;
    return impulse_log(&l->journal, &record) && impulse_refresh(l, moved, two ? 2 : 1);
}
