// impact_time_chance.c -- the bound on the time of impact is never too late, and how much too early
// it is: pairs thrown by chance.
//
// The truth is found by flying the two bodies exactly and measuring their distance often enough:
// steps are what the gap allows at the greatest speed any of their points can have, but never less
// than a small part of the horizon. A time at which the distance is below the target proves a bound
// wrong that lies after it. Prints how tight the bound is.
//
// SPDX-License-Identifier: MIT
#include "impact_time_support.h"

typedef struct Tally {
    long pairs, contacts, never, late;
    double sum;
    double *share;
} Tally;

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

// Who asks for less gets no less than that, or what is to be had; and never a time that is late. Of
// prescribed bodies a search says what that is, and it may end elsewhere; of others one that ends
// within 1e-3.
static void judge_until(Tally *tally, const Actor *a, const Actor *b, double target, double bound,
                        double t) {
    static const double parts_of[] = { 0.01, 0.3, 0.9, 0.9999, 1, 1.0001, 1.1, 1.5, 4 };
    double base = bound < HUGE_VAL ? bound : 1;
    double enough = base * parts_of[tally->pairs % COUNT(parts_of)];
    double until = bound_until(a, b, target, enough);
    bool early = until < enough && until < (b->kind < FIXED_END ? 0.999 : 0.5) * bound;
    bool late = until > t;
    if (early || late) {
        print_error("%d against %d: %.9g until %.9g; bound %.9g, true %.9g\n", a->kind, b->kind,
                    until, enough, bound, t);
    }
    tally->late += early || late;
}

// No point gets farther than that.
static void judge_way(Tally *tally, const Actor *a, const Actor *b, double horizon) {
    Mover ma = actor_mover(a, 0);
    Mover mb = actor_mover(b, 0);
    double T = horizon * spread(1e-3, 1);
    double way = collide_travel_by_speed(&ma, &mb, T);
    bool short_of = closest_at(a, b, T).distance < closest_at(a, b, 0).distance - way - 1e-9;
    bool at_odds = collide_time_by_speed(&ma, &mb, way) < T;
    if (short_of || at_odds) {
        print_error("%d against %d: way %.9g in %.9g\n", a->kind, b->kind, way, T);
    }
    tally->late += short_of || at_odds;
}

static void judge(Tally *tally, const Actor *a, const Actor *b, double gap, double horizon) {
    double target = uniform(0, 1) < 0.5 ? 0.5 * gap : 0;
    double bound = bound_at(a, b, 0, target);
    tally->pairs++;
    assert_true(bound >= 0);
    double at = bound < horizon ? bound : horizon;
    double there = closest_at(a, b, at).distance;
    bool late = there < target - 1e-9;
    double t = late ? at : true_time(a, b, target, horizon);
    late = late || t < bound;
    if (late) {
        print_error("%d against %d: bound %.9g, gap %.9g (target %.9g) at %.9g\n", a->kind, b->kind,
                    bound, there, target, t);
    }
    tally->late += late;
    judge_until(tally, a, b, target, bound, t);
    judge_way(tally, a, b, horizon);
    tally->never += bound == HUGE_VAL;
    if (t < HUGE_VAL) {
        tally->share[tally->contacts++] = bound / t;
        tally->sum += bound / t;
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static long runs(long few, long many) { return getenv("IMPEL_SOAK") ? many : few; }

static void sum_up(const char *what, Tally *t) {
    qsort(t->share, (size_t)t->contacts, sizeof(double), by_value);
    assert_true(t->contacts > 0);
    print_message("    %-22s %6ld pairs, %5ld contacts, %5ld never, %ld late; bound/true median "
                  "%.3f mean %.3f\n",
                  what, t->pairs, t->contacts, t->never, t->late, t->share[t->contacts / 2],
                  t->sum / (double)t->contacts);
    assert_int_equal(t->late, 0);
    free(t->share);
}

static Tally new_tally(long n) { return (Tally){ .share = malloc((size_t)n * sizeof(double)) }; }

static void never_late(const char *what, int from, int to, long n, double gravity) {
    impVec3 g = model->gravity;
    Tally tally = new_tally(n);
    for (long i = 0; i < n; i++) {
        model->gravity = scale(gravity * (i % 3 == 0 ? -1 : 1), vec(0, 0, -1));
        double gap = spread(1e-4, 0.3);
        double speed = spread(0.1, 10);
        int kind_a = pick(0, FREE_END);
        int kind_b = pick(from, to);
        double spin_a = spread(0.1, 20);
        double spin_b = spread(0.1, 20);
        Actor b = random_actor(kind_b, speed, spin_b);
        Actor a = random_actor(kind_a, speed, spin_a);
        // moving nearly together
        if (i % 4 == 0 && b.kind < FREE_END) {
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

// Two that slide and roll on each other, neither coming nor going. The normal turns with neither of
// them, or with one; a bound that does not follow it is as short as the far end of a side comes
// fast, some 1e-8 s here.
static const int smooth[] = { CAPSULE, TUBE, COIN, CONE, ELLIPSOID, CIGAR },
                 any_part[] = { CAPSULE, TUBE, COIN, CONE, ELLIPSOID, CIGAR, BOX, WEDGE, DIE };

static impVec3 speed_at(const Actor *a, impVec3 at) {
    Flying f = a->flight.front.start;
    return add(f.v, cross(f.w, sub(at, f.x)));
}

static void smooth_ones_that_slide_on_each_other(void **state) {
    (void)state;
    const double gap = 1e-5;
    long n = runs(400, 20000);
    Tally tally = new_tally(n);
    Tally times = new_tally(n);
    for (long i = 0; i < n; i++) {
        int kind_a = smooth[pick(0, COUNT(smooth))];
        int kind_b = any_part[pick(0, COUNT(any_part))];
        Actor a = random_actor(kind_a, 1, 50);
        Actor b = random_actor(kind_b, 1, 50);
        // out of each other, the shortest way
        set_gap_from(&a, &b, gap, add(b.flight.front.start.x, scale(0.1, direction())));
        Closest c = closest_at(&a, &b, 0);
        Flying f = a.flight.front.start;
        f.v = madd(f.v, -dot(c.normal, sub(speed_at(&a, c.on_a), speed_at(&b, c.on_b))), c.normal);
        a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
        times.share[times.contacts++] = bound_at(&a, &b, 0, gap - 1e-9);
        judge(&tally, &a, &b, gap, 0.01);
    }
    qsort(times.share, (size_t)n, sizeof(double), by_value);
    print_message("    smooth, sliding: one tenth lasts less than %.2g s, half of them %.2g s\n",
                  times.share[n / 10], times.share[n / 2]);
    assert_true(times.share[n / 10] > 5e-7 && times.share[n / 2] > 2e-6);
    free(times.share);
    sum_up("smooth, sliding", &tally);
}

// --- parts on supports that move -----------------------------------------------------------------
static const int parts[] = { PART, NUT, SHOT, COIN, BOX, CAPSULE, CLOUD, PART };

static void set_motion(int kind, impVec3 amplitude, double frequency, double rate, double phase) {
    Motion *m = &model->motion[model->body[kind + 1].first_motion];
    m->amplitude = amplitude;
    m->frequency = m->rotation_frequency = frequency;
    m->rate = rate;
    m->phase = m->rotation_phase = phase;
}

static impQuat flat_or_not(impQuat any) {
    return pick(0, 2) ? any : quat_rotation(vec(0, 0, 1), uniform(0, TAU));
}

// A part that hops, slides or tumbles over a support whose motion is drawn for it; `beside`: at its
// rim.
static void parts_near(const char *what, int kind, bool beside, double speed, double spin,
                       double horizon) {
    long n = runs(300, 10000);
    Tally tally = new_tally(n);
    Motion *motion = &model->motion[model->body[kind + 1].first_motion];
    Motion kept = *motion;
    for (long i = 0; i < n; i++) {
        double gap = spread(1e-5, 1e-2);
        double size = spread(1e-4, 1e-3);
        double slope = uniform(-1, 1);
        double frequency = uniform(50, 100);
        double rate = spread(1, 30);
        double phase = uniform(0, TAU);
        set_motion(kind, scale(size, vec(slope, 0, 1)), frequency, rate, phase);
        Actor b = { .kind = kind, .t0 = uniform(0, 3), .fixed = pose_identity() };
        Actor a = random_actor(parts[i % COUNT(parts)], speed, spin);
        Flying f = a.flight.front.start;
        f.q = flat_or_not(f.q);
        // slides and hops: hardly any spin
        if (i % 3 == 0) {
            f.w = scale(1e-2, f.w);
        }
        a.flight = motion_flight(body_of(&a), model->gravity, 0, f);
        double rotation = uniform(0, TAU);
        double far = beside ? 3 : uniform(0, 0.2);
        set_gap_from(&a, &b, gap,
                     vec(far * num_cos(rotation), far * num_sin(rotation),
                         beside ? uniform(-0.05, 0.05) : 2));
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

// Long bodies that tumble about their middle axis near a wall: |w| now is not the largest that will
// be.
static void tumbling_near_a_wall(void **state) {
    (void)state;
    long n = runs(400, 10000);
    Tally tally = new_tally(n);
    impVec3 g = model->gravity;
    model->gravity = vec(0, 0, 0);
    for (long i = 0; i < n; i++) {
        int tumblers[] = { TOP, EGG, TOP, ELLIPSOID, TOP, NEEDLE, TOP, WEDGE };
        Actor b = random_actor(pick(PLANE, WALL + 1), 0, 0);
        Actor a = random_actor(tumblers[i % COUNT(tumblers)], 1e-3, 1);
        Flying f = a.flight.front.start;
        const Body *body = body_of(&a);
        double I[3] = { body->moments[0], body->moments[1], body->moments[2] };
        double w[3];
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_against_free),
        cmocka_unit_test(free_against_fixed),
        cmocka_unit_test(free_against_led),
        cmocka_unit_test(smooth_ones_that_slide_on_each_other),
        cmocka_unit_test(parts_on_moving_supports),
        cmocka_unit_test(tumbling_near_a_wall),
    };
    return cmocka_run_group_tests(tests, make_model, drop_model);
}
