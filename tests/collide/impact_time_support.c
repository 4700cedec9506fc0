// impact_time_support.c -- bodies of every kind on their way, for the tests of impact_time.c: a
// model of them, and where each is then.
//
// SPDX-License-Identifier: MIT
#include "impact_time_support.h"

static uint64_t draws;
double uniform(double low, double high) {
    return low + (high - low) * num_uniform(27, 18, draws++);
}
double spread(double low, double high) {
    return low * num_exp(uniform(0, 1) * num_log(high / low));
}
int pick(int from, int to) { return from + (int)uniform(0, to - from); }
// one draw a declarator: arguments and initializers are evaluated in any order
impQuat random_turn(void) {
    double u = uniform(0, 1);
    double v = uniform(0, 1);
    double w = uniform(0, 1);
    return num_random_rotation(u, v, w);
}
impVec3 direction(void) { return rotate(random_turn(), vec(0, 0, 1)); }

// --- a model with bodies of every kind -----------------------------------------------------------
static const impVec3 wedge_points[] = {
    { 0, 0, 0 }, { 0.4, 0, 0 }, { 0, 0.3, 0 }, { 0, 0, 0.2 }, { 0.4, 0.3, 0 }
};
static const impMotionDef spin_z = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 6 };
static const impMotionDef spin_y = { .kind = "spin", .axis = { 0, 1, 0 }, .rate = 9 };
static const impMotionDef shake = {
    .kind = "vibrate", .amplitude = { 0.002, 0, 0.004 }, .frequency = 30, .phase = 0.4
};
static const impMotionDef twist[2] = { { .kind = "vibrate",
                                         .amplitude = { 0, 0.01, 0 },
                                         .frequency = 7,
                                         .axis = { 1, 0, 0 },
                                         .angle = 0.2 },
                                       { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 2 } };
static const impMotionDef rock = { .kind = "vibrate",
                                   .amplitude = { 0, 0, 0.0005 },
                                   .frequency = 50,
                                   .axis = { 0, 0, 1 },
                                   .angle = 0.004 };
static const impMotionDef tilt = { .kind = "vibrate",
                                   .amplitude = { 0.001, 0, 0 },
                                   .frequency = 11,
                                   .phase = 1,
                                   .axis = { 0.6, 0.8, 0 },
                                   .angle = 0.1,
                                   .rotation_frequency = 17,
                                   .rotation_phase = 2 };
static const impMotionDef tumble[3] = {
    { .kind = "spin", .axis = { 0.6, 0, 0.8 }, .rate = 5 },
    { .kind = "spin", .axis = { 0, 1, 0 }, .rate = -3 },
    { .kind = "vibrate", .amplitude = { 0.02, 0, 0.01 }, .frequency = 4 }
};
static const impMotionDef push = { .kind = "translate", .velocity = { 1.2, -0.5, 2 } };
static const impMotionDef bore[2] = { { .kind = "translate", .velocity = { 0, 0, 0.7 } },
                                      { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 6 } };
static const struct {
    int kind, count;
    const impMotionDef *motions;
} kinematic[] = { { PLATTER, 1, &spin_z }, { PADDLE, 1, &spin_y }, { TRAY, 1, &shake },
                  { SHAKER, 2, twist },    { BOWL, 1, &rock },     { TABLE, 1, &shake },
                  { CAM, 1, &spin_z },     { RAM, 1, &tilt },      { ARM, 1, &spin_y },
                  { MIXER, 1, &tilt },     { BELL, 3, tumble },    { EGG_WHISK, 2, twist },
                  { BOULDER, 3, tumble },  { SIEVE, 1, &tilt },    { DECK, 3, tumble },
                  { SEESAW, 1, &tilt },    { PISTON, 1, &push },   { PRESS, 1, &push },
                  { DRILL, 2, bore } };
#define SHAPE(name, ...)                                                                           \
    {                                                                                              \
        .kind = name, .size = { __VA_ARGS__ }                                                      \
    }
static const impShapeDef kinds[LED_END] = {
    [BALL] = SHAPE("sphere", 0.1),
    [EGG] = SHAPE("sphere", 0.15),
    [BOX] = SHAPE("box", 0.2, 0.15, 0.1),
    [PLATE] = SHAPE("box", 0.3, 0.3, 0.01),
    [NEEDLE] = SHAPE("box", 1, 0.01, 0.02),
    [BAR] = SHAPE("box", 0.1, 0.1, 0.5),
    [CAPSULE] = SHAPE("capsule", 0.05, 0.3),
    [TUBE] = SHAPE("cylinder", 0.05, 0.4),
    [COIN] = SHAPE("cylinder", 0.2, 0.02),
    [CONE] = SHAPE("cone", 0.1, 0.3),
    [ELLIPSOID] = SHAPE("ellipsoid", 0.1, 0.15, 0.2),
    [CIGAR] = SHAPE("ellipsoid", 0.02, 0.03, 0.4),
    [WEDGE] = { .kind = "hull", .points = wedge_points, .point_count = 5 },
    [DIE] = { .kind = "box", .size = { 0.2, 0.15, 0.1 }, .radius = 0.03 },
    [PEBBLE] = { .kind = "hull", .points = wedge_points, .point_count = 5, .radius = 0.1 },
    [CLOUD] = { .kind = "hull", .point_count = 60 },
    [TOP] = SHAPE("box", 0.02, 1, 0.03),
    [PLANE] = SHAPE("plane", 0, 0, 1, 0),
    [WALL] = SHAPE("box", 2, 2, 0.001),
    [ROCK] = SHAPE("ellipsoid", 0.3, 0.5, 0.4),
    [POST] = SHAPE("capsule", 0.1, 2),
    [PLATTER] = SHAPE("cylinder", 0.8, 0.05),
    [PADDLE] = SHAPE("box", 1, 0.2, 0.1),
    [PART] = SHAPE("box", 0.02, 0.015, 0.01),
    [NUT] = SHAPE("cylinder", 0.01, 0.008),
    [SHOT] = SHAPE("sphere", 0.005),
    [BOWL] = SHAPE("cylinder", 0.3, 0.1),
    [TABLE] = SHAPE("plane", 0, 0, 1, 0),
    [CAM] = SHAPE("sphere", 0.3),
    [RAM] = SHAPE("capsule", 0.1, 0.5),
    [ARM] = SHAPE("cylinder", 0.1, 0.8),
    [MIXER] = SHAPE("cone", 0.3, 0.6),
    [BELL] = SHAPE("cone", 0.4, 0.4),
    [EGG_WHISK] = SHAPE("ellipsoid", 0.1, 0.2, 0.4),
    [BOULDER] = { .kind = "hull", .point_count = 60 },
    [SIEVE] = SHAPE("box", 1, 0.6, 0.02),
    [DECK] = SHAPE("plane", 0, 0, 1, 0),
    [SEESAW] = SHAPE("plane", 0, 0, 1, 0),
    [PISTON] = SHAPE("box", 0.6, 0.4, 0.1),
    [PRESS] = SHAPE("plane", 0, 0, 1, 0),
    [DRILL] = SHAPE("box", 0.05, 0.08, 0.6),
    [TRAY] = SHAPE("box", 1, 1, 0.05),
    [SHAKER] = { .kind = "hull", .points = wedge_points, .point_count = 5 },
};

impModel *model;
// a state, for the time of prescribed motions
static double *clock_data;
Extent extent[LED_END];

static impBodyDef body_def(int i, const impShapeDef *shape) {
    impBodyDef d = { .shapes = shape, .shape_count = 1, .fixed = i >= PLANE && i < FIXED_END };
    // a ball out of balance
    if (i == EGG) {
        d.center_given = true;
        d.center = vec(0.05, 0, 0.02);
    }
    if (i == EGG) {
        d.mass = 1;
        d.inertia[0][0] = 0.01;
        d.inertia[1][1] = 0.009;
        d.inertia[2][2] = 0.008;
    }
    if (i == TOP) {
        d.mass = 1;
        d.inertia[0][0] = 0.01;
        d.inertia[1][1] = 0.1;
        d.inertia[2][2] = 0.11;
    }
    for (int k = 0; k < COUNT(kinematic); k++) {
        if (kinematic[k].kind == i) {
            d.motions = kinematic[k].motions;
            d.motion_count = kinematic[k].count;
        }
    }
    if (i == ARM || i == SIEVE) {
        d.pose = pose(vec(0.3, -0.2, 0.1), quat_rotation(vec(0.6, 0, 0.8), 0.7));
    }
    return d;
}

int make_model(void **state) {
    (void)state;
    static impError err;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    for (int i = 0; i < LED_END; i++) {
        impVec3 cloud[60];
        impShapeDef shape = kinds[i];
        for (int k = 0; k < 60; k++) {
            cloud[k] = scale(0.15, direction());
        }
        if (i == CLOUD || i == BOULDER) {
            shape.points = cloud;
        }
        if (i == SHAKER || i == CAM || i == RAM) {
            shape.pose = (impPose){ vec(0.1, 0, 0), { 1, 0, 0, 0 } };
        }
        impBodyDef d = body_def(i, &shape);
        if (impScene_Body(scene, &d, &err).i < 0) {
            fail_msg("%s", err.message[0].text);
        }
    }
    model = impModel_Build(scene, &err);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    clock_data = calloc((size_t)model->layout.total, sizeof(double));
    for (int i = 0; i < LED_END; i++) {
        extent[i] = collide_extent(model, i + 1, model->body[i + 1].first_shape);
    }
    return 0;
}

int drop_model(void **state) {
    (void)state;
    free(clock_data);
    impModel_Free(model);
    return 0;
}

// --- one body on its way -------------------------------------------------------------------------
const Body *body_of(const Actor *a) { return &model->body[a->kind + 1]; }

Placed actor_at(const Actor *a, double t) {
    const Body *b = body_of(a);
    const Shape *s = &model->shape[b->first_shape];
    impPose p = a->fixed;
    if (a->kind < FREE_END) {
        Flying f = motion_fly(&a->flight, t);
        p = pose(sub(f.x, rotate(f.q, b->center)), f.q);
    } else if (a->kind >= FIXED_END) {
        clock_data[model->layout.time] = a->t0 + t;
        p = motion_pose(model, clock_data, a->kind + 1);
    }
    return (Placed){ s, &model->geometry, pose_mul(p, s->pose) };
}

Mover actor_mover(const Actor *a, double t) {
    Flying now = { .q = { 1, 0, 0, 0 } };
    if (a->kind < FREE_END) {
        now = motion_fly(&a->flight, t);
    }
    return collide_mover(model, a->kind + 1, &extent[a->kind], &now, a->t0 + t);
}

// of any of its points, until then
double actor_speed(const Actor *a, double horizon) {
    if (a->kind < FREE_END) {
        Mover m = actor_mover(a, 0);
        return norm(m.v) + norm(m.a) * horizon + m.w_max * body_of(a)->bounding_radius;
    }
    if (a->kind < FIXED_END) return 0;
    impVec3 s = vec(motion_speed(model, a->kind + 1, vec(1, 0, 0)),
                    motion_speed(model, a->kind + 1, vec(0, 1, 0)),
                    motion_speed(model, a->kind + 1, vec(0, 0, 1)));
    return norm(s);
}

static Flying thrown(double speed, double spin) {
    impQuat q = random_turn();
    double fast = spread(1e-2, 1) * speed;
    double turning = spread(1e-2, 1) * spin;
    impVec3 along = direction();
    impVec3 about = direction();
    return (Flying){ vec(0, 0, 0), q, scale(fast, along), scale(turning, about) };
}

// Now and then about a principal axis, or nearly.
static void lean_on_axis(const Body *b, Flying *f) {
    int axis = pick(0, 3);
    impVec3 w = vec(axis == 0, axis == 1, axis == 2);
    int off = pick(0, 2);
    double by = spread(1e-12, 1e-2);
    w = add(w, scale(off * by, direction()));
    f->w = scale(norm(f->w), rotate(qmul(f->q, b->axes), w));
}

Actor random_actor(int kind, double speed, double spin) {
    double t0 = uniform(0, 3);
    Actor a = { .kind = kind, .t0 = t0, .fixed = pose(vec(0, 0, 0), random_turn()) };
    if (kind >= FREE_END) return a;
    Flying f = thrown(speed, spin);
    if (pick(0, 4) == 0) {
        lean_on_axis(body_of(&a), &f);
    }
    a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
    return a;
}

Closest closest_at(const Actor *a, const Actor *b, double t) {
    Placed pa = actor_at(a, t);
    Placed pb = actor_at(b, t);
    return collide_closest(&pa, &pb, NULL);
}

double bound_at(const Actor *a, const Actor *b, double t, double target) {
    Placed pa = actor_at(a, t);
    Placed pb = actor_at(b, t);
    Mover ma = actor_mover(a, t);
    Mover mb = actor_mover(b, t);
    Closest c = collide_closest(&pa, &pb, NULL);
    return collide_time_bound(&ma, &mb, &pa, &pb, &c, target);
}

double bound_until(const Actor *a, const Actor *b, double target, double enough) {
    Placed pa = actor_at(a, 0);
    Placed pb = actor_at(b, 0);
    Mover ma = actor_mover(a, 0);
    Mover mb = actor_mover(b, 0);
    Closest c = collide_closest(&pa, &pb, NULL);
    return collide_time_until(&ma, &mb, &pa, &pb, &c, target, enough);
}

// a is free: shifted along the normal from a place away from b, until the gap is that one.
void set_gap_from(Actor *a, const Actor *b, double gap, impVec3 from) {
    Flying f = a->flight.front.start;
    f.x = from;
    a->flight = motion_flight(body_of(a), model->gravity, 0, f);
    Closest c = closest_at(a, b, 0);
    f.x = madd(f.x, gap - c.distance, c.normal);
    a->flight = motion_flight(body_of(a), model->gravity, 0, f);
}

void set_gap(Actor *a, const Actor *b, double gap) {
    impVec3 from = scale(4, direction());
    if (b->kind == PLANE) {
        from = scale(4, rotate(b->fixed.rotation, vec(0, 0, 1)));
    }
    if (b->kind == TABLE || b->kind == DECK || b->kind == SEESAW || b->kind == PRESS) {
        from.z = fabs(from.z);
    }
    if (b->kind >= PISTON) {
        from = add(from, actor_at(b, 0).pose.at);
    }
    if (b->kind < FREE_END) {
        from = add(from, b->flight.front.start.x);
    }
    set_gap_from(a, b, gap, from);
}
