// impact_time.c -- the bound on the time of impact is never too late, and how much too early it is.
//
// The truth is found by flying the two bodies exactly and measuring their distance often enough: steps are what the gap
// allows at the greatest speed any of their points can have, but never less than a small part of the horizon. A time at
// which the distance is below the target proves a bound wrong that lies after it. Prints how tight the bound is.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "collide/collide.h"

static uint64_t draws;
static double uniform(double low, double high) { return low + (high - low) * num_uniform(27, 18, draws++); }
static double spread(double low, double high) { return low * num_exp(uniform(0, 1) * num_log(high / low)); }
static int pick(int from, int to) { return from + (int)uniform(0, to - from); }
static impQuat random_turn(void) {   // one draw a declarator: arguments and initializers are evaluated in any order
    double u = uniform(0, 1), v = uniform(0, 1), w = uniform(0, 1);
    return num_random_turn(u, v, w);
}
static impVec3 direction(void) { return rotate(random_turn(), vec(0, 0, 1)); }

// --- a model with bodies of every kind -------------------------------------------------------------------------------
enum { BALL, EGG, BOX, PLATE, NEEDLE, BAR, CAPSULE, TUBE, COIN, CONE, ELLIPSOID, CIGAR, WEDGE, CLOUD, TOP, PART, NUT,
       SHOT, DIE, PEBBLE, FREE_END,
       PLANE = FREE_END, WALL, ROCK, POST, FIXED_END, PLATTER = FIXED_END, PADDLE, TRAY, SHAKER, BOWL, TABLE, CAM, RAM,
       ARM, MIXER, BELL, EGG_WHISK, BOULDER, SIEVE, DECK, SEESAW, PISTON, PRESS, DRILL, LED_END };

static const impVec3 wedge_points[] = { { 0, 0, 0 }, { 0.4, 0, 0 }, { 0, 0.3, 0 }, { 0, 0, 0.2 }, { 0.4, 0.3, 0 } };
static const impMotionDef spin_z = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 6 };
static const impMotionDef spin_y = { .kind = "spin", .axis = { 0, 1, 0 }, .rate = 9 };
static const impMotionDef shake = {
    .kind = "vibrate", .amplitude = { 0.002, 0, 0.004 }, .frequency = 30, .phase = 0.4 };
static const impMotionDef twist[2] = {
    { .kind = "vibrate", .amplitude = { 0, 0.01, 0 }, .frequency = 7, .axis = { 1, 0, 0 }, .angle = 0.2 },
    { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 2 } };
static const impMotionDef rock = {
    .kind = "vibrate", .amplitude = { 0, 0, 0.0005 }, .frequency = 50, .axis = { 0, 0, 1 }, .angle = 0.004 };
static const impMotionDef tilt = { .kind = "vibrate", .amplitude = { 0.001, 0, 0 }, .frequency = 11, .phase = 1,
                                   .axis = { 0.6, 0.8, 0 }, .angle = 0.1, .turn_frequency = 17, .turn_phase = 2 };
static const impMotionDef tumble[3] = { { .kind = "spin", .axis = { 0.6, 0, 0.8 }, .rate = 5 },
                                        { .kind = "spin", .axis = { 0, 1, 0 }, .rate = -3 },
                                        { .kind = "vibrate", .amplitude = { 0.02, 0, 0.01 }, .frequency = 4 } };
static const impMotionDef push = { .kind = "translate", .velocity = { 1.2, -0.5, 2 } };
static const impMotionDef bore[2] = { { .kind = "translate", .velocity = { 0, 0, 0.7 } }, { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 6 } };
static const struct { int kind, count; const impMotionDef *motions; } led[] = {
    { PLATTER, 1, &spin_z }, { PADDLE, 1, &spin_y }, { TRAY, 1, &shake }, { SHAKER, 2, twist }, { BOWL, 1, &rock },
    { TABLE, 1, &shake }, { CAM, 1, &spin_z }, { RAM, 1, &tilt }, { ARM, 1, &spin_y }, { MIXER, 1, &tilt },
    { BELL, 3, tumble }, { EGG_WHISK, 2, twist }, { BOULDER, 3, tumble }, { SIEVE, 1, &tilt },
    { DECK, 3, tumble }, { SEESAW, 1, &tilt }, { PISTON, 1, &push }, { PRESS, 1, &push }, { DRILL, 2, bore } };
#define SHAPE(name, ...) { .kind = name, .size = { __VA_ARGS__ } }
static const impShapeDef kinds[LED_END] = {
    [BALL] = SHAPE("sphere", 0.1), [EGG] = SHAPE("sphere", 0.15), [BOX] = SHAPE("box", 0.2, 0.15, 0.1),
    [PLATE] = SHAPE("box", 0.3, 0.3, 0.01), [NEEDLE] = SHAPE("box", 1, 0.01, 0.02), [BAR] = SHAPE("box", 0.1, 0.1, 0.5),
    [CAPSULE] = SHAPE("capsule", 0.05, 0.3), [TUBE] = SHAPE("cylinder", 0.05, 0.4),
    [COIN] = SHAPE("cylinder", 0.2, 0.02), [CONE] = SHAPE("cone", 0.1, 0.3),
    [ELLIPSOID] = SHAPE("ellipsoid", 0.1, 0.15, 0.2), [CIGAR] = SHAPE("ellipsoid", 0.02, 0.03, 0.4),
    [WEDGE] = { .kind = "hull", .points = wedge_points, .point_count = 5 },
    [DIE] = { .kind = "box", .size = { 0.2, 0.15, 0.1 }, .radius = 0.03 },
    [PEBBLE] = { .kind = "hull", .points = wedge_points, .point_count = 5, .radius = 0.1 },
    [CLOUD] = { .kind = "hull", .point_count = 60 }, [TOP] = SHAPE("box", 0.02, 1, 0.03),
    [PLANE] = SHAPE("plane", 0, 0, 1, 0), [WALL] = SHAPE("box", 2, 2, 0.001),
    [ROCK] = SHAPE("ellipsoid", 0.3, 0.5, 0.4),
    [POST] = SHAPE("capsule", 0.1, 2), [PLATTER] = SHAPE("cylinder", 0.8, 0.05), [PADDLE] = SHAPE("box", 1, 0.2, 0.1),
    [PART] = SHAPE("box", 0.02, 0.015, 0.01), [NUT] = SHAPE("cylinder", 0.01, 0.008), [SHOT] = SHAPE("sphere", 0.005),
    [BOWL] = SHAPE("cylinder", 0.3, 0.1), [TABLE] = SHAPE("plane", 0, 0, 1, 0), [CAM] = SHAPE("sphere", 0.3),
    [RAM] = SHAPE("capsule", 0.1, 0.5), [ARM] = SHAPE("cylinder", 0.1, 0.8), [MIXER] = SHAPE("cone", 0.3, 0.6),
    [BELL] = SHAPE("cone", 0.4, 0.4), [EGG_WHISK] = SHAPE("ellipsoid", 0.1, 0.2, 0.4),
    [BOULDER] = { .kind = "hull", .point_count = 60 }, [SIEVE] = SHAPE("box", 1, 0.6, 0.02),
    [DECK] = SHAPE("plane", 0, 0, 1, 0), [SEESAW] = SHAPE("plane", 0, 0, 1, 0),
    [PISTON] = SHAPE("box", 0.6, 0.4, 0.1), [PRESS] = SHAPE("plane", 0, 0, 1, 0), [DRILL] = SHAPE("box", 0.05, 0.08, 0.6),
    [TRAY] = SHAPE("box", 1, 1, 0.05), [SHAKER] = { .kind = "hull", .points = wedge_points, .point_count = 5 },
};

static impModel *model;
static double *clock_data;                               // a state, for the time of prescribed motions
static Extent extent[LED_END];

static impBodyDef body_def(int i, const impShapeDef *shape) {
    impBodyDef d = { .shapes = shape, .shape_count = 1, .fixed = i >= PLANE && i < FIXED_END };
    if (i == EGG) d.center_given = true, d.center = vec(0.05, 0, 0.02);          // a ball out of balance
    if (i == EGG) d.mass = 1, d.inertia[0][0] = 0.01, d.inertia[1][1] = 0.009, d.inertia[2][2] = 0.008;
    if (i == TOP) d.mass = 1, d.inertia[0][0] = 0.01, d.inertia[1][1] = 0.1, d.inertia[2][2] = 0.11;
    for (int k = 0; k < COUNT(led); k++)
        if (led[k].kind == i) d.motions = led[k].motions, d.motion_count = led[k].count;
    if (i == ARM || i == SIEVE) d.pose = pose(vec(0.3, -0.2, 0.1), quat_turn(vec(0.6, 0, 0.8), 0.7));
    return d;
}

static int make_model(void **state) {
    (void)state;
    static impError err;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    for (int i = 0; i < LED_END; i++) {
        impVec3 cloud[60];
        impShapeDef shape = kinds[i];
        for (int k = 0; k < 60; k++) cloud[k] = scale(0.15, direction());
        if (i == CLOUD || i == BOULDER) shape.points = cloud;
        if (i == SHAKER || i == CAM || i == RAM) shape.pose = (impPose){ vec(0.1, 0, 0), { 1, 0, 0, 0 } };
        impBodyDef d = body_def(i, &shape);
        if (impScene_Body(scene, &d, &err).i < 0) fail_msg("%s", err.message[0].text);
    }
    model = impModel_Build(scene, &err);
    if (!model) fail_msg("%s", err.message[0].text);
    impScene_Free(scene);
    clock_data = calloc((size_t)model->layout.total, sizeof(double));
    for (int i = 0; i < LED_END; i++) extent[i] = collide_extent(model, i + 1, model->body[i + 1].first_shape);
    return 0;
}

static int drop_model(void **state) {
    (void)state;
    free(clock_data);
    impModel_Free(model);
    return 0;
}

// --- one body on its way ---------------------------------------------------------------------------------------------
typedef struct Actor { int kind; double t0; Flight flight; impPose fixed; } Actor;   // fixed: pose of the body's frame

static const Body *body_of(const Actor *a) { return &model->body[a->kind + 1]; }

static Placed actor_at(const Actor *a, double t) {
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

static Mover actor_mover(const Actor *a, double t) {
    Flying now = { .q = { 1, 0, 0, 0 } };
    if (a->kind < FREE_END) now = motion_fly(&a->flight, t);
    return collide_mover(model, a->kind + 1, &extent[a->kind], &now, a->t0 + t);
}

static double actor_speed(const Actor *a, double horizon) {   // of any of its points, until then
    if (a->kind < FREE_END) {
        Mover m = actor_mover(a, 0);
        return norm(m.v) + norm(m.a) * horizon + m.w_most * body_of(a)->reach;
    }
    if (a->kind < FIXED_END) return 0;
    impVec3 s = vec(motion_speed(model, a->kind + 1, vec(1, 0, 0)), motion_speed(model, a->kind + 1, vec(0, 1, 0)),
                    motion_speed(model, a->kind + 1, vec(0, 0, 1)));
    return norm(s);
}

static Flying thrown(double speed, double spin) {
    impQuat q = random_turn();
    double fast = spread(1e-2, 1) * speed, turning = spread(1e-2, 1) * spin;
    impVec3 along = direction(), about = direction();
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

static Actor random_actor(int kind, double speed, double spin) {
    double t0 = uniform(0, 3);
    Actor a = { .kind = kind, .t0 = t0, .fixed = pose(vec(0, 0, 0), random_turn()) };
    if (kind >= FREE_END) return a;
    Flying f = thrown(speed, spin);
    if (pick(0, 4) == 0) lean_on_axis(body_of(&a), &f);
    a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
    return a;
}

static Closest closest_at(const Actor *a, const Actor *b, double t) {
    Placed pa = actor_at(a, t), pb = actor_at(b, t);
    return collide_closest(&pa, &pb, NULL);
}

static double bound_at(const Actor *a, const Actor *b, double t, double target) {
    Placed pa = actor_at(a, t), pb = actor_at(b, t);
    Mover ma = actor_mover(a, t), mb = actor_mover(b, t);
    Closest c = collide_closest(&pa, &pb, NULL);
    return collide_time_bound(&ma, &mb, &pa, &pb, &c, target);
}

static double bound_until(const Actor *a, const Actor *b, double target, double enough) {
    Placed pa = actor_at(a, 0), pb = actor_at(b, 0);
    Mover ma = actor_mover(a, 0), mb = actor_mover(b, 0);
    Closest c = collide_closest(&pa, &pb, NULL);
    return collide_time_until(&ma, &mb, &pa, &pb, &c, target, enough);
}

// a is free: shifted along the normal from a place away from b, until the gap is that one.
static void set_gap_from(Actor *a, const Actor *b, double gap, impVec3 from) {
    Flying f = a->flight.front.start;
    f.x = from;
    a->flight = motion_flight(body_of(a), model->gravity, 0, f);
    Closest c = closest_at(a, b, 0);
    f.x = madd(f.x, gap - c.distance, c.normal);
    a->flight = motion_flight(body_of(a), model->gravity, 0, f);
}

static void set_gap(Actor *a, const Actor *b, double gap) {
    impVec3 from = scale(4, direction());
    if (b->kind == PLANE) from = scale(4, rotate(b->fixed.turn, vec(0, 0, 1)));
    if (b->kind == TABLE || b->kind == DECK || b->kind == SEESAW || b->kind == PRESS) from.z = fabs(from.z);
    if (b->kind >= PISTON) from = add(from, actor_at(b, 0).pose.at);
    if (b->kind < FREE_END) from = add(from, b->flight.front.start.x);
    set_gap_from(a, b, gap, from);
}

// --- Monte Carlo -----------------------------------------------------------------------------------------------------
typedef struct Tally { long pairs, contacts, never, late; double sum; double *share; } Tally;

// First time at which the gap is found below the target, or HUGE_VAL.
static double true_time(const Actor *a, const Actor *b, double target, double horizon) {
    double speed = actor_speed(a, horizon) + actor_speed(b, horizon);
    double least = horizon / (getenv("IMPEL_SOAK") ? 3000 : 1000);
    for (double t = 0; t < horizon;) {
        double gap = closest_at(a, b, t).distance;
        if (gap < target - 1e-9) return t;
        double step = (gap - target) / speed;
        t += step > least ? step : least;
    }
    return HUGE_VAL;
}

// Who asks for less gets no less than that, or what is to be had; and never a time that is late. Of prescribed bodies a
// search says what that is, and it may end elsewhere; of others one that ends within 1e-3.
static void judge_until(Tally *tally, const Actor *a, const Actor *b, double target, double bound, double t) {
    static const double parts_of[] = { 0.01, 0.3, 0.9, 0.9999, 1, 1.0001, 1.1, 1.5, 4 };
    double base = bound < HUGE_VAL ? bound : 1, enough = base * parts_of[tally->pairs % COUNT(parts_of)];
    double until = bound_until(a, b, target, enough);
    bool early = until < enough && until < (b->kind < FIXED_END ? 0.999 : 0.5) * bound, late = until > t;
    if (early || late)
        print_error("%d against %d: %.9g until %.9g; bound %.9g, true %.9g\n", a->kind, b->kind, until, enough, bound, t);
    tally->late += early || late;
}

// No point gets farther than that.
static void judge_way(Tally *tally, const Actor *a, const Actor *b, double horizon) {
    Mover ma = actor_mover(a, 0), mb = actor_mover(b, 0);
    double T = horizon * spread(1e-3, 1), way = collide_way_by_speed(&ma, &mb, T);
    bool short_of = closest_at(a, b, T).distance < closest_at(a, b, 0).distance - way - 1e-9;
    bool at_odds = collide_time_by_speed(&ma, &mb, way) < T;
    if (short_of || at_odds) print_error("%d against %d: way %.9g in %.9g\n", a->kind, b->kind, way, T);
    tally->late += short_of || at_odds;
}

static void judge(Tally *tally, const Actor *a, const Actor *b, double gap, double horizon) {
    double target = uniform(0, 1) < 0.5 ? 0.5 * gap : 0, bound = bound_at(a, b, 0, target);
    tally->pairs++;
    assert_true(bound >= 0);
    double at = bound < horizon ? bound : horizon, there = closest_at(a, b, at).distance;
    bool late = there < target - 1e-9;
    double t = late ? at : true_time(a, b, target, horizon);
    late = late || t < bound;
    if (late)
        print_error("%d against %d: bound %.9g, gap %.9g (target %.9g) at %.9g\n", a->kind, b->kind, bound, there,
                    target, t);
    tally->late += late;
    judge_until(tally, a, b, target, bound, t);
    judge_way(tally, a, b, horizon);
    tally->never += bound == HUGE_VAL;
    if (t < HUGE_VAL) tally->share[tally->contacts++] = bound / t, tally->sum += bound / t;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static long runs(long few, long many) { return getenv("IMPEL_SOAK") ? many : few; }

static void sum_up(const char *what, Tally *t) {
    qsort(t->share, (size_t)t->contacts, sizeof(double), by_value);
    assert_true(t->contacts > 0);
    print_message("    %-22s %6ld pairs, %5ld contacts, %5ld never, %ld late; bound/true median %.3f mean %.3f\n", what,
                  t->pairs, t->contacts, t->never, t->late, t->share[t->contacts / 2], t->sum / (double)t->contacts);
    assert_int_equal(t->late, 0);
    free(t->share);
}

static Tally new_tally(long n) { return (Tally){ .share = malloc((size_t)n * sizeof(double)) }; }

static void never_late(const char *what, int from, int to, long n, double gravity) {
    impVec3 g = model->gravity;
    Tally tally = new_tally(n);
    for (long i = 0; i < n; i++) {
        model->gravity = scale(gravity * (i % 3 == 0 ? -1 : 1), vec(0, 0, -1));
        double gap = spread(1e-4, 0.3), speed = spread(0.1, 10);
        int kind_a = pick(0, FREE_END), kind_b = pick(from, to);
        double spin_a = spread(0.1, 20), spin_b = spread(0.1, 20);
        Actor b = random_actor(kind_b, speed, spin_b), a = random_actor(kind_a, speed, spin_a);
        if (i % 4 == 0 && b.kind < FREE_END) {                           // moving nearly together
            Flying f = a.flight.front.start;
            f.v = madd(b.flight.front.start.v, 1e-3, f.v);
            a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
        }
        set_gap(&a, &b, gap);
        judge(&tally, &a, &b, gap, 0.5);
    }
    model->gravity = g;
    sum_up(what, &tally);
}

static void free_against_free(void **state) {
    (void)state;
    never_late("free, free", 0, FREE_END, runs(1000, 40000), 9.81);
}

static void free_against_fixed(void **state) {
    (void)state;
    never_late("free, fixed", PLANE, FIXED_END, runs(1200, 40000), 9.81);
}

static void free_against_led(void **state) {
    (void)state;
    never_late("free, prescribed", FIXED_END, LED_END, runs(1200, 20000), 9.81);
    for (int i = FIXED_END; i < LED_END && getenv("IMPEL_SOAK"); i++) {
        char what[32];
        snprintf(what, sizeof what, "free, prescribed %d", i - FIXED_END);
        never_late(what, i, i + 1, 3000, 9.81);
    }
}

// Two that slide and roll on each other, neither coming nor going. The normal turns with neither of them, or with one; a
// bound that does not follow it is as short as the far end of a side comes fast, some 1e-8 s here.
static const int smooth[] = { CAPSULE, TUBE, COIN, CONE, ELLIPSOID, CIGAR }, any_part[] = { CAPSULE, TUBE, COIN, CONE, ELLIPSOID, CIGAR, BOX, WEDGE, DIE };

static impVec3 speed_at(const Actor *a, impVec3 at) {
    Flying f = a->flight.front.start;
    return add(f.v, cross(f.w, sub(at, f.x)));
}

static void smooth_ones_that_slide_on_each_other(void **state) {
    (void)state;
    const double gap = 1e-5;
    long n = runs(400, 20000);
    Tally tally = new_tally(n), times = new_tally(n);
    for (long i = 0; i < n; i++) {
        int kind_a = smooth[pick(0, COUNT(smooth))], kind_b = any_part[pick(0, COUNT(any_part))];
        Actor a = random_actor(kind_a, 1, 50), b = random_actor(kind_b, 1, 50);
        set_gap_from(&a, &b, gap, add(b.flight.front.start.x, scale(0.1, direction())));   // out of each other, the shortest way
        Closest c = closest_at(&a, &b, 0);
        Flying f = a.flight.front.start;
        f.v = madd(f.v, -dot(c.normal, sub(speed_at(&a, c.on_a), speed_at(&b, c.on_b))), c.normal);
        a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
        times.share[times.contacts++] = bound_at(&a, &b, 0, gap - 1e-9);
        judge(&tally, &a, &b, gap, 0.01);
    }
    qsort(times.share, (size_t)n, sizeof(double), by_value);
    print_message("    smooth, sliding: one tenth lasts less than %.2g s, half of them %.2g s\n", times.share[n / 10], times.share[n / 2]);
    assert_true(times.share[n / 10] > 5e-7 && times.share[n / 2] > 2e-6);
    free(times.share);
    sum_up("smooth, sliding", &tally);
}

// --- parts on supports that move -------------------------------------------------------------------------------------
static const int parts[] = { PART, NUT, SHOT, COIN, BOX, CAPSULE, CLOUD, PART };

static void set_motion(int kind, impVec3 amplitude, double frequency, double rate, double phase) {
    Motion *m = &model->motion[model->body[kind + 1].first_motion];
    m->amplitude = amplitude, m->frequency = m->turn_frequency = frequency, m->rate = rate;
    m->phase = m->turn_phase = phase;
}

static impQuat flat_or_not(impQuat any) { return pick(0, 2) ? any : quat_turn(vec(0, 0, 1), uniform(0, TAU)); }

// A part that hops, slides or tumbles over a support whose motion is drawn for it; `beside`: at its rim.
static void parts_near(const char *what, int kind, bool beside, double speed, double spin, double horizon) {
    long n = runs(300, 10000);
    Tally tally = new_tally(n);
    Motion *motion = &model->motion[model->body[kind + 1].first_motion], kept = *motion;
    for (long i = 0; i < n; i++) {
        double gap = spread(1e-5, 1e-2), size = spread(1e-4, 1e-3);
        double slope = uniform(-1, 1), frequency = uniform(50, 100), rate = spread(1, 30), phase = uniform(0, TAU);
        set_motion(kind, scale(size, vec(slope, 0, 1)), frequency, rate, phase);
        Actor b = { .kind = kind, .t0 = uniform(0, 3), .fixed = pose_identity() };
        Actor a = random_actor(parts[i % COUNT(parts)], speed, spin);
        Flying f = a.flight.front.start;
        f.q = flat_or_not(f.q);
        if (i % 3 == 0) f.w = scale(1e-2, f.w);                          // slides and hops: hardly any spin
        a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
        double turn = uniform(0, TAU), far = beside ? 3 : uniform(0, 0.2);
        set_gap_from(&a, &b, gap, vec(far * num_cos(turn), far * num_sin(turn), beside ? uniform(-0.05, 0.05) : 2));
        judge(&tally, &a, &b, gap, horizon);
    }
    *motion = kept;
    sum_up(what, &tally);
}

static void parts_on_moving_supports(void **state) {
    (void)state;
    parts_near("tray, hopping", TRAY, false, 0.3, 5, 0.1);
    parts_near("tray, tumbling", TRAY, false, 1, 50, 0.1);
    parts_near("bowl, hopping", BOWL, false, 0.3, 5, 0.1);
    parts_near("vibrating plane", TABLE, false, 0.3, 5, 0.1);
    parts_near("rocking sieve", SIEVE, false, 0.3, 5, 0.1);
    parts_near("platter, resting", PLATTER, false, 0.1, 2, 0.3);
    parts_near("platter, tumbling", PLATTER, false, 1, 50, 0.3);
    parts_near("platter, at its rim", PLATTER, true, 0.5, 5, 0.3);
    parts_near("paddle", PADDLE, false, 0.3, 5, 0.3);
    parts_near("cam", CAM, true, 0.3, 5, 0.3);
}

// Long bodies that tumble about their middle axis near a wall: |w| now is not the largest that will be.
static void tumbling_near_a_wall(void **state) {
    (void)state;
    long n = runs(400, 10000);
    Tally tally = new_tally(n);
    impVec3 g = model->gravity;
    model->gravity = vec(0, 0, 0);
    for (long i = 0; i < n; i++) {
        int tumblers[] = { TOP, EGG, TOP, ELLIPSOID, TOP, NEEDLE, TOP, WEDGE };
        Actor b = random_actor(pick(PLANE, WALL + 1), 0, 0), a = random_actor(tumblers[i % COUNT(tumblers)], 1e-3, 1);
        Flying f = a.flight.front.start;
        const Body *body = body_of(&a);
        double I[3] = { body->moments[0], body->moments[1], body->moments[2] }, w[3];
        for (int k = 0; k < 3; k++) {
            bool middle = (I[k] - I[(k + 1) % 3]) * (I[k] - I[(k + 2) % 3]) < 0;
            w[k] = middle ? uniform(-10, 10) : uniform(-10, 10) * (I[k] < 0.02 ? 0.5 : 0.2);
        }
        f.w = rotate(qmul(f.q, body->axes), vec(w[0], w[1], w[2]));
        a.flight = motion_flight(body, model->gravity, 0, f);
        double gap = spread(1e-3, 0.2);
        set_gap(&a, &b, gap);
        judge(&tally, &a, &b, gap, 1);
    }
    model->gravity = g;
    sum_up("tumbling near a wall", &tally);
}

// --- cases with names ------------------------------------------------------------------------------------------------
static Actor still(int kind) { return (Actor){ .kind = kind, .fixed = pose_identity() }; }

static Actor flying(int kind, impVec3 x, impQuat q, impVec3 v, impVec3 w) {
    Actor a = { .kind = kind, .fixed = pose_identity() };
    a.flight = motion_flight(body_of(&a), model->gravity, 0, (Flying){ x, q, v, w });
    return a;
}

static const impQuat upright = { 1, 0, 0, 0 };
static const impVec3 rest = { 0, 0, 0 };

// Goes on by its bounds until within twice the target of b; returns that time. The gap never falls below the target.
static double advance(const Actor *a, const Actor *b, double target, int most, int *steps) {
    double t = 0;
    for (*steps = 0; *steps < most; ++*steps) {
        double gap = closest_at(a, b, t).distance;
        assert_true(gap >= target * (1 - 1e-6));
        if (gap < 2 * target) return t;
        double step = bound_at(a, b, t, target), next = collide_time_after(t, step);
        assert_true(step > 0);
        if (step == HUGE_VAL) return HUGE_VAL;
        assert_true(next > t && (next - t <= step || next - t <= 5 * DBL_EPSILON * t));
        t = next;
    }
    fail_msg("no end after %d steps, at %.9g", most, t);
    return t;
}

static void bullet_and_thin_plate(void **state) {
    (void)state;
    int steps;
    Actor wall = still(WALL);                                             // 1 mm
    Actor bullet = flying(CONE, vec(0.1, 0.2, 50), random_turn(), vec(0, 0, -1e4), vec(3000, 200, 100));
    double t = advance(&bullet, &wall, 1e-6, 500, &steps), z = motion_fly(&bullet.flight, t).x.z;
    print_message("    bullet: %d steps\n", steps);
    assert_true(z > 0 && z < 0.4);
}

static void cube_and_thin_plate(void **state) {                            // catalogue P20, with a box
    (void)state;
    int steps;
    Actor wall = still(WALL), cube = flying(BOX, vec(0.1, 0.2, 1), random_turn(), vec(0, 0, -200), vec(5, 70, 9));
    double t = advance(&cube, &wall, 1e-6, 300, &steps), z = motion_fly(&cube.flight, t).x.z;
    print_message("    cube at 200 m/s: %d steps\n", steps);
    assert_true(z > 0 && z < 0.2);
}

static void rod_turning_near_a_wall(void **state) {
    (void)state;
    int steps;
    impVec3 g = model->gravity;
    model->gravity = rest;
    Actor plane = still(PLANE), rod = flying(NEEDLE, vec(0, 0, 0.4), upright, rest, vec(1e-3, 8, 1e-4));
    double t = advance(&rod, &plane, 1e-6, 300, &steps);
    NEAR(num_sin(8 * t), 0.8, 0.02);                                      // half of 1 m, 0.4 m up
    print_message("    rod: %d steps\n", steps);
    model->gravity = g;
}

static void shot_at_the_ceiling(void **state) {
    (void)state;
    impVec3 down = vec(0, 0, -9.81);
    int steps;
    Actor roof = still(WALL);
    for (int spinning = 0; spinning < 2; spinning++) {
        impVec3 w = spinning ? vec(1, 2, 3) : rest;
        // A ball 1 m below the roof reaches 0.1 + v^2 / 2g above its centre: 3.9 m/s is too little, 5 enough
        Actor slow = flying(BALL, vec(0, 0, -1), upright, vec(0, 0, 3.9), w);
        Actor fast = flying(BALL, vec(0, 0, -1), upright, vec(0, 0, 5), w);
        assert_true(bound_at(&slow, &roof, 0, 0) == HUGE_VAL);
        double t = advance(&fast, &roof, 1e-6, 20, &steps), rise = 1 - 0.1 - 0.0005;
        NEAR(5 * t + 0.5 * down.z * t * t, rise, 1e-5);
        assert_true(steps <= 4);
    }
}

static void platter_does_not_matter_along_its_axis(void **state) {
    (void)state;
    Actor platter = still(PLATTER), ball = flying(BALL, vec(0.3, 0.1, 0.5), upright, rest, vec(1, 2, 3));
    double drop = 0.5 - 0.1 - 0.025;
    NEAR(bound_at(&ball, &platter, 0, 0), sqrt(2 * drop / 9.81), 1e-6);
    Actor aside = flying(BALL, vec(1.5, 0, 0), upright, rest, rest);     // a round platter turns in its own shape
    assert_true(bound_at(&aside, &platter, 0, 0) == HUGE_VAL);
    Actor paddle = still(PADDLE), over = flying(BALL, vec(0.45, 0, 0.3), upright, vec(-1, 0, 3), rest);
    assert_true(bound_at(&over, &paddle, 0, 0) > 0.02);                  // its end goes down: only (3) knows
}

static void feeder(void **state) {
    (void)state;
    int steps;
    Actor tray = still(TRAY), ball = flying(BALL, vec(0.1, 0.1, 0.5), upright, rest, rest);
    double bound = bound_at(&ball, &tray, 0, 0), drop = 0.5 - 0.1 - 0.025;
    assert_true(bound > sqrt(2 * (drop - 0.012) / 9.81) * 0.97);         // 4 mm up and down cannot cost more
    advance(&ball, &tray, 1e-6, 60, &steps);
    print_message("    onto a feeder: %d steps\n", steps);
}

// A wall that goes straight on is exact: the bound is the time at which it is there, or never.
static void a_wall_that_comes(void **state) {
    (void)state;
    int steps;
    impVec3 g = model->gravity;
    Actor press = still(PRESS);                                           // up, at 2 m/s, and aside, which nobody sees
    for (press.t0 = 0; press.t0 < 1e4; press.t0 = 10 * press.t0 + 1) {
        double floor = 2 * press.t0;
        Actor falls = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, rest, vec(1, 2, 3));
        NEAR(bound_at(&falls, &press, 0, 0), (sqrt(4 + 2 * 9.81) - 2) / 9.81, 1e-8);
        model->gravity = rest;
        Actor waits = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, rest, vec(1, 2, 3));
        Actor flees = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, vec(0, 0, 2), rest);
        NEAR(bound_at(&waits, &press, 0, 0), 0.5, 1e-8);
        assert_true(bound_at(&flees, &press, 0, 0) > 1e9 * (1 - 1e-6));
        Actor box = flying(BOX, vec(0.3, 0.1, floor + 1.1), random_turn(), rest, vec(5, 7, 9));
        double t = advance(&box, &press, 1e-6, 60, &steps);
        assert_true(t > 0.4 && t < 0.55);
        model->gravity = g;
    }
}

static void together_in_one_step(void **state) {                           // reliability.md G7
    (void)state;
    impVec3 v = vec(12345.678, -9.1, 7.3);
    Actor a = flying(BOX, vec(0, 0, 0.300001), upright, v, rest), b = flying(BOX, rest, upright, v, rest);
    assert_true(bound_at(&a, &b, 0, 1e-7) == HUGE_VAL);
    Actor c = flying(BALL, vec(0, 0, 0.3), upright, v, vec(1, 2, 3)), d = flying(BALL, rest, upright, v, vec(3, 2, 1));
    assert_true(bound_at(&c, &d, 0, 1e-7) == HUGE_VAL);                   // a ball's spin is nobody's business
}

static void receding_from_a_tiny_gap(void **state) {
    (void)state;
    Actor plane = still(PLANE), ball = flying(BALL, vec(0, 0, 0.1 + 1e-12), upright, vec(0, 0, 0.01), vec(50, 0, 0));
    NEAR(bound_at(&ball, &plane, 0, 0), 2 * 0.01 / 9.81, 1e-7);
    Placed pa = actor_at(&ball, 0), pb = actor_at(&plane, 0);
    Mover ma = actor_mover(&ball, 0), mb = actor_mover(&plane, 0);
    Closest c = collide_closest(&pa, &pb, NULL);
    NEAR(collide_time_bound(&ma, &mb, &pa, &pb, &c, c.distance), 2 * 0.01 / 9.81, 1e-9);   // at the target: still not 0
    assert_true(collide_time_bound(&ma, &mb, &pa, &pb, &c, c.distance + 1e-9) == 0);
    // a box that turns slowly while it rises: only the second order knows (C.5)
    Actor box = flying(BOX, vec(0, 0, 0.05 + 1e-12), upright, vec(0, 0, 0.1), vec(0.01, 0.02, 0));
    assert_true(bound_at(&box, &plane, 0, 0) > 0.015);
}

static void spinning_about_its_own_axis(void **state) {                    // (2): the rod's length does not enter
    (void)state;
    impVec3 g = model->gravity;
    model->gravity = rest;
    impQuat lying = quat_turn(vec(0, 1, 0), PI / 2);
    Actor plane = still(PLANE), rod = flying(TUBE, vec(0, 0, 0.06), lying, rest, vec(100, 0, 0));
    double plain = 0.01 / (100 * norm(vec(0.05, 0, 0.2)));
    assert_true(bound_at(&rod, &plane, 0, 0) > 2.5 * plain);
    Actor coin = flying(COIN, vec(0, 0, 0.02), upright, rest, vec(0, 0, 100));
    assert_true(bound_at(&coin, &plane, 0, 0) > 1e6);   // n along the spin: for ever, but for rounding
    model->gravity = g;
}

// What a mover says of the rest of its flight is true of all of it: |w|, |dw/dt|, the axis and how far w and it stray.
static void movers_keep_their_promises(void **state) {
    (void)state;
    double nearest_w = 0, nearest_change = 0, nearest_wobble = 0, nearest_lean = 0;
    for (int i = 0; i < 400; i++) {
        Actor a = random_actor(i % FREE_END, 1, 10);
        Mover m = actor_mover(&a, 0);
        Flying start = a.flight.front.start;
        for (int k = 0; k < 200; k++) {
            double t = 30 * k / (200 * m.w_most), h = 1e-4 / m.w_most;
            Flying now = motion_fly(&a.flight, t), soon = motion_fly(&a.flight, t + h);
            impVec3 axis = rotate(now.q, unrotate(start.q, m.axis)), along = scale(dot(now.w, axis), axis);
            double change = norm(sub(soon.w, now.w)) / h, stray = norm(sub(now.w, along));
            double off = fmin(norm(sub(axis, m.steady)), norm(add(axis, m.steady)));
            assert_true(norm(now.w) <= m.w_most);
            assert_true(change <= m.w_change + 1e-3 * m.w_most * m.w_most);
            assert_true(stray <= m.wobble + 1e-9 * m.w_most);
            assert_true(off <= m.lean + 1e-9 || m.lean >= 1);
            nearest_w = fmax(nearest_w, norm(now.w) / norm(start.w));
            if (m.w_change > 0) nearest_change = fmax(nearest_change, change / m.w_change);
            if (m.wobble > 1e-6 * m.w_most) nearest_wobble = fmax(nearest_wobble, stray / m.wobble);
            if (m.lean < 1 && m.lean > 1e-6) nearest_lean = fmax(nearest_lean, off / m.lean);
        }
    }
    print_message("    |w| grows up to %.3f times; shares reached: change %.2f, wobble %.3f, lean %.3f\n", nearest_w,
                  nearest_change, nearest_wobble, nearest_lean);
    assert_true(nearest_w > 1.1 && nearest_change > 0.2 && nearest_wobble > 0.8 && nearest_lean > 0.5);
}

// Of two balls, and of a ball over what stands, no spin enters: left out, the times are the same bit for bit.
static void the_spin_of_balls_is_left_out(void **state) {
    (void)state;
    int met = 0;
    for (int i = 0; i < 200 * FREE_END * FIXED_END; i++) {
        Actor a = random_actor(i % FREE_END, 1, 10), b = random_actor(i / FREE_END % FIXED_END, 1, 10);
        if (extent[a.kind].reach > 0 || (b.kind < FREE_END && extent[b.kind].reach > 0)) continue;
        set_gap(&a, &b, 0.01);
        Placed p = actor_at(&a, 0), q = actor_at(&b, 0);
        Closest c = closest_at(&a, &b, 0);
        Mover full_a = actor_mover(&a, 0), full_b = actor_mover(&b, 0), lean_a, lean_b;
        Flying now_b = { .q = { 1, 0, 0, 0 } };
        if (b.kind < FREE_END) now_b = b.flight.front.start;
        collide_set_mover(&lean_a, model, a.kind + 1, &extent[a.kind], &a.flight.front.start, a.t0, false);
        collide_set_mover(&lean_b, model, b.kind + 1, &extent[b.kind], &now_b, b.t0, false);
        double full = collide_time_until(&full_a, &full_b, &p, &q, &c, 0, 1);
        double lean = collide_time_until(&lean_a, &lean_b, &p, &q, &c, 0, 1);
        assert_memory_equal(&full, &lean, sizeof full);
        full = collide_time_by_speed(&full_a, &full_b, 0.1), lean = collide_time_by_speed(&lean_a, &lean_b, 0.1);
        assert_memory_equal(&full, &lean, sizeof full);
        met++;
    }
    assert_true(met > 20);
}

static void times_add_up_downwards(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double t = spread(1e-3, 1e6), step = spread(1e-18, 1e3), sum = collide_time_after(t, step);
        assert_true(sum > t);
        assert_true((long double)sum <= (long double)t + (long double)step || sum - t <= 8 * DBL_EPSILON * t);
        assert_true(sum >= t + step - 2 * DBL_EPSILON * (t + step));
    }
    assert_true(collide_time_after(1, HUGE_VAL) == HUGE_VAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bullet_and_thin_plate),
        cmocka_unit_test(cube_and_thin_plate),
        cmocka_unit_test(rod_turning_near_a_wall),
        cmocka_unit_test(shot_at_the_ceiling),
        cmocka_unit_test(platter_does_not_matter_along_its_axis),
        cmocka_unit_test(feeder),
        cmocka_unit_test(a_wall_that_comes),
        cmocka_unit_test(together_in_one_step),
        cmocka_unit_test(receding_from_a_tiny_gap),
        cmocka_unit_test(spinning_about_its_own_axis),
        cmocka_unit_test(movers_keep_their_promises),
        cmocka_unit_test(the_spin_of_balls_is_left_out),
        cmocka_unit_test(times_add_up_downwards),
        cmocka_unit_test(free_against_free),
        cmocka_unit_test(free_against_fixed),
        cmocka_unit_test(free_against_led),
        cmocka_unit_test(smooth_ones_that_slide_on_each_other),
        cmocka_unit_test(parts_on_moving_supports),
        cmocka_unit_test(tumbling_near_a_wall),
    };
    return cmocka_run_group_tests(tests, make_model, drop_model);
}
