// microstep.c -- many points at once: every answer obeys Signorini's and Coulomb's laws, by the
// laws themselves.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/microstep_inside.h"

// bodies
enum { MOST = 200 };
static MicrostepWorkspace at_hand;
static MicrostepWorkspace *const room = &at_hand;

typedef struct Draws {
    uint64_t seed, next;
} Draws;
static double draw(Draws *d, double low, double high) {
    return low + (high - low) * num_uniform(d->seed, 7, d->next++);
}
static impVec3 draw_vec(Draws *d, double s) {
    double x = draw(d, -s, s);
    double y = draw(d, -s, s);
    double z = draw(d, -s, s);
    return vec(x, y, z);
}

static MicrostepBody brick(Draws *d) {
    double m = draw(d, 0.5, 2);
    double a = draw(d, 0.1, 0.4);
    double b = draw(d, 0.1, 0.4);
    double c = draw(d, 0.1, 0.4);
    return (MicrostepBody){ .mass_inverse = 1 / m,
                            .v = draw_vec(d, 1),
                            .w = draw_vec(d, 3),
                            .bounding_radius = 0.5,
                            .inertia_inverse = mat3_diagonal(12 / (m * (b * b + c * c)),
                                                             12 / (m * (a * a + c * c)),
                                                             12 / (m * (a * a + b * b))) };
}

static MicrostepPoint point_on(Draws *d, int a, int b, impVec3 n, double mu) {
    MicrostepPoint q = { .a = a,
                         .b = b,
                         .arm_a = draw_vec(d, 0.3),
                         .arm_b = draw_vec(d, 0.3),
                         .n = n,
                         .friction = mu,
                         .c = draw_vec(d, 0.1),
                         .support_velocity = draw_vec(d, 0.2) };
    q.t1 = perpendicular(n);
    q.t2 = cross(n, q.t1);
    return q;
}

// How far an answer is from the laws, in m/s; impulses are weighed by the point's own matrix.
static double off(const MicrostepBody *bodies, const MicrostepPoint *q) {
    impVec3 u = add(solve_point_velocity(bodies, q), q->c);
    double pt = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double k = q->k.z.z;
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double worst = fmax(-u.z, -q->p.z * k);
    // one of them is 0
    worst = fmax(worst, fmin(q->p.z * k, fabs(u.z)));
    worst = fmax(worst, (pt - q->friction * q->p.z) * k);
    // it slides: p_t is full, and against it
    if (q->p.z * k > 1e-9 && slip > 1e-9) {
        worst = fmax(worst, fabs(pt - q->friction * q->p.z) * k);
        worst = fmax(worst,
                     norm(vec(q->p.x * slip + u.x * pt, q->p.y * slip + u.y * pt, 0)) * k / slip);
    }
    return worst;
}

static void a_single_point_is_exact(void **state) {
    (void)state;
    Draws d = { 1, 0 };
    int modes[3] = { 0 };
    for (int i = 0; i < 20000; i++) {
        MicrostepBody b[2] = { brick(&d), brick(&d) };
        MicrostepPoint q = point_on(&d, 0, i % 2 ? 1 : -1, vec(0, 0, 1), draw(&d, 0, 1));
        MicrostepResult r = solve_microstep(b, 2, &q, 1, 1e-13, false, NULL);
        if (r.painleve_point >= 0) continue;
        modes[q.mode]++;
        if (off(b, &q) > 1e-11) {
            fail_msg("problem %d: off by %.1e, mode %d", i, off(b, &q), q.mode);
        }
    }
    assert_true(modes[CONTACT_OPEN] > 1000 && modes[CONTACT_STICK] > 1000 &&
                modes[CONTACT_SLIDE] > 1000);
}

static void four_points_under_one_body(void **state) {
    (void)state;
    Draws d = { 2, 0 };
    int inconsistent = 0;
    for (int i = 0; i < 2000; i++) {
        MicrostepBody b = brick(&d);
        MicrostepPoint q[4];
        double mu = draw(&d, 0, 0.8);
        for (int k = 0; k < 4; k++) {
            q[k] = point_on(&d, 0, -1, vec(0, 0, 1), mu);
            q[k].arm_a = vec(k & 1 ? 0.15 : -0.15, k & 2 ? 0.1 : -0.1, -0.05);
            q[k].support_velocity = vec(0, 0, 0);
            q[k].c = vec(0, 0, -0.01);
        }
        b.w = scale(0.05, b.w);
        b.v.z = -fabs(b.v.z);
        if (i % 2) {
            solve_microstep_guess(&b, 1, q, 4);
        }
        MicrostepResult r = solve_microstep(&b, 1, q, 4, 1e-13, false, i % 3 ? room : NULL);
        if (r.painleve_point >= 0) {
            inconsistent++;
            continue;
        }
        for (int k = 0; k < 4; k++) {
            if (off(&b, &q[k]) > 1e-8) {
                fail_msg("problem %d, point %d: off by %.1e after %d sweeps", i, k, off(&b, &q[k]),
                         r.sweeps);
            }
        }
    }
    assert_true(inconsistent < 20);
}

// A tower of five, each on four points, gravity's micro-step: the lowest carries all.
static void a_tower(void **state) {
    (void)state;
    enum { HIGH = 5 };
    MicrostepBody b[HIGH];
    MicrostepPoint q[4 * HIGH];
    for (int i = 0; i < HIGH; i++) {
        b[i] = (MicrostepBody){ .mass_inverse = 1,
                                .v = vec(0, 0, -0.01),
                                .w = vec(0, 0, 0),
                                .bounding_radius = 0.1,
                                .inertia_inverse = mat3_diagonal(600, 600, 600) };
        for (int k = 0; k < 4; k++) {
            impVec3 arm = vec(k & 1 ? 0.05 : -0.05, k & 2 ? 0.05 : -0.05, -0.05);
            q[4 * i + k] = (MicrostepPoint){ .a = i,
                                             .b = i - 1,
                                             .arm_a = arm,
                                             .arm_b = vec(arm.x, arm.y, 0.05),
                                             .n = vec(0, 0, 1),
                                             .t1 = vec(1, 0, 0),
                                             .t2 = vec(0, 1, 0),
                                             .friction = 0.5,
                                             .c = vec(0, 0, i ? -0.001 : -0.01) };
        }
    }
    MicrostepResult r = solve_microstep(b, HIGH, q, 4 * HIGH, 1e-13, false, room);
    print_message("tower: %d sweeps, change %.1e\n", r.sweeps, r.change);
    assert_int_equal(r.painleve_point, -1);
    double lowest = 0;
    for (int k = 0; k < 4; k++) {
        lowest += q[k].p.z;
    }
    NEAR(lowest, HIGH * 0.02 + 0.001 * (1 + 2 + 3 + 4), 1e-9);
    for (int k = 0; k < 4 * HIGH; k++) {
        NEAR(off(b, &q[k]), 0, 1e-9);
    }
}

// The same in velocities alone: slow slip has few digits of direction, and give under load belongs
// to the law.
static double off_in_speed(const MicrostepBody *bodies, const MicrostepPoint *q) {
    impVec3 u = add(add(solve_point_velocity(bodies, q), q->c),
                    vec(q->work.compliance_t * q->p.x, q->work.compliance_t * q->p.y,
                        q->work.compliance_n * q->p.z));
    double pt = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double most = q->friction * q->p.z;
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double worst = fmax(-u.z, fmax(-q->p.z * q->k.z.z, (pt - most) * q->k.z.z));
    worst = fmax(worst, fmin(q->p.z * q->k.z.z, fabs(u.z)));
    if (q->p.z > 0 && pt > 0) {
        worst = fmax(worst,
                     fmax(fabs(u.x * q->p.y - u.y * q->p.x), u.x * q->p.x + u.y * q->p.y) / pt);
    }
    return q->p.z > 0 ? fmax(worst, fmin(slip, (most - pt) * q->k.z.z)) : worst;
}

// A row of bodies that stand on three or four points each and lean on the next.
enum { LONG = 8, PROBLEMS = 400 };
typedef struct Row {
    MicrostepBody body[LONG];
    MicrostepPoint point[5 * LONG];
    int bodies, points;
} Row;

static Row row_that_leans(Draws *d, int n) {
    Row r = { .bodies = n };
    double mu = draw(d, 0, 0.6);
    for (int k = 0; k < n; k++) {
        MicrostepBody *b = &r.body[k];
        *b = brick(d);
        b->v = vec(draw(d, -0.1, 0.1), draw(d, -0.1, 0.1), -0.05);
        b->w = draw_vec(d, 0.2);
        for (int c = 0; c < 3 + k % 2; c++) {
            MicrostepPoint p = point_on(d, k, -1, vec(0, 0, 1), mu);
            p.arm_a = vec(c & 1 ? 0.15 : -0.15, c & 2 ? 0.1 : -0.1, -0.2);
            p.support_velocity = vec(0, 0, 0);
            p.c = vec(0, 0, draw(d, -0.0101, -0.01));
            p.compliance = 1e-6;
            p.compliance_tangential = 1e-7;
            r.point[r.points++] = p;
        }
        if (k == 0) continue;
        impVec3 way = vec(-1, draw(d, -0.3, 0.3), draw(d, -0.5, 0.5));
        MicrostepPoint p = point_on(d, k - 1, k, scale(1 / norm(way), way), mu);
        p.c = vec(0, 0, -0.001);
        p.compliance = 1e-6;
        p.compliance_tangential = 1e-7;
        r.point[r.points++] = p;
    }
    return r;
}

static MicrostepResult solve_row(Row *r) {
    return solve_microstep(r->body, r->bodies, r->point, r->points, 1e-13, false, room);
}

// Newton's method finds nearly all of them, and what it finds obeys the laws. Sweeps alone take
// hundreds, or never end.
static void rows_that_lean(void **state) {
    (void)state;
    Draws d = { 3, 0 };
    int solved = 0, quick = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        Row row = row_that_leans(&d, 2 + i % (LONG - 1));
        MicrostepResult r = solve_row(&row);
        solved += r.solved;
        quick += r.sweeps <= 20;
        if (!r.solved) continue;
        for (int k = 0; k < row.points; k++) {
            if (off_in_speed(row.body, &row.point[k]) > 2e-10) {
                fail_msg("problem %d, point %d: off by %.1e m/s after %d sweeps", i, k,
                         off_in_speed(row.body, &row.point[k]), r.sweeps);
            }
        }
    }
    print_message("rows that lean: %d of %d solved, %d of them within 20 sweeps\n", solved,
                  PROBLEMS, quick);
    assert_true(solved >= PROBLEMS * 98 / 100 && quick >= PROBLEMS * 95 / 100);
}

// From impulses that are nearly right, as those of the last micro-step are, the answer obeys the
// laws as well: and is the same one, where friction leaves but one. From the answer itself nothing
// moves.
static void where_it_starts_says_little(void **state) {
    (void)state;
    Draws d = { 4, 0 };
    int same = 0, solved = 0, still = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        Row start = row_that_leans(&d, 2 + i % (LONG - 1));
        Row cold = start;
        Row warm = start;
        Row hot = start;
        if (!solve_row(&cold).solved) continue;
        for (int k = 0; k < start.points; k++) {
            warm.point[k].p = scale(draw(&d, 0.9, 1.1), cold.point[k].p);
            hot.point[k].p = cold.point[k].p;
            if (!(warm.point[k].p.z > 0)) {
                warm.point[k].p = vec(0, 0, 0);
            }
        }
        MicrostepResult r = solve_row(&warm);
        if (!r.solved || r.sweeps > 20 || !solve_row(&hot).solved) continue;
        double apart = 0, moved = 0;
        for (int k = 0; k < start.points; k++) {
            if (off_in_speed(warm.body, &warm.point[k]) > 1e-9) {
                fail_msg("problem %d, point %d: off by %.1e m/s", i, k,
                         off_in_speed(warm.body, &warm.point[k]));
            }
        }
        for (int k = 0; k < start.bodies; k++) {
            apart = fmax(apart, norm(sub(cold.body[k].v, warm.body[k].v)));
            moved = fmax(moved, norm(sub(cold.body[k].v, hot.body[k].v)));
        }
        solved++;
        same += apart <= 1e-7;
        still += moved <= 1e-7;
    }
    print_message("rows started warm: %d solved, %d with the same answer, %d stay in theirs\n",
                  solved, same, still);
    assert_true(solved >= PROBLEMS * 95 / 100 && same >= solved * 95 / 100 &&
                still >= solved * 99 / 100);
}

// Four points of a plate whose gaps contradict each other by a hair: they share the load all the
// same.
static void a_plate_shares_its_load(void **state) {
    (void)state;
    MicrostepBody b = { .mass_inverse = 1,
                        .v = vec(0, 0, -0.01),
                        .w = vec(0, 0, 0),
                        .bounding_radius = 0.2,
                        .inertia_inverse = mat3_diagonal(100, 100, 60) };
    MicrostepPoint q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = (MicrostepPoint){ .a = 0,
                                 .b = -1,
                                 .arm_a = vec(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.01),
                                 .n = vec(0, 0, 1),
                                 .t1 = vec(1, 0, 0),
                                 .t2 = vec(0, 1, 0),
                                 .friction = 0.5,
                                 .compliance = 1e-6,
                                 .compliance_tangential = 1e-7,
                                 .c = vec(0, 0, -0.01 - (k == 0 ? 1e-12 : 0)) };
    }
    MicrostepResult r = solve_microstep(&b, 1, q, 4, 1e-13, false, room);
    assert_true(r.solved);
    for (int k = 0; k < 4; k++) {
        NEAR(q[k].p.z, 0.005, 1e-4 * 0.005);
    }
}

// What slid with a coefficient of 0.5 and is asked for again with 0.3, where nothing else has
// changed: it has the friction of 0.3.
static void friction_that_changes_is_seen(void **state) {
    (void)state;
    const MicrostepBody start = { .mass_inverse = 1,
                                  .v = vec(0.02, 0, -0.01),
                                  .w = vec(0, 0, 0),
                                  .bounding_radius = 0.2,
                                  .inertia_inverse = mat3_diagonal(100, 100, 60) };
    MicrostepBody b = start;
    MicrostepPoint q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = (MicrostepPoint){ .a = 0,
                                 .b = -1,
                                 .arm_a = vec(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.01),
                                 .n = vec(0, 0, 1),
                                 .t1 = vec(1, 0, 0),
                                 .t2 = vec(0, 1, 0),
                                 .friction = 0.5,
                                 .compliance = 1e-6,
                                 .compliance_tangential = 1e-7,
                                 .c = vec(0, 0, -0.01) };
    }
    assert_true(solve_microstep(&b, 1, q, 4, 1e-6, false, room).solved);
    b = start;
    for (int k = 0; k < 4; k++) {
        q[k].friction = 0.3;
    }
    assert_true(solve_microstep(&b, 1, q, 4, 1e-6, true, room).solved);
    // all slide: mu times the 0.02 that stops the fall
    NEAR(b.v.x, 0.02 - 0.3 * 0.02, 1e-7);
}

// A wall of bricks, each on the halves of two: a hundred and forty-four bodies at once. What is
// above presses on what is below.
static void a_wall(void **state) {
    (void)state;
    enum { WIDE = 12, HIGH = 12, ALL = WIDE * HIGH };
    static MicrostepBody b[ALL];
    static MicrostepPoint q[4 * ALL];
    int count = 0;
    for (int i = 0; i < ALL; i++) {
        int row = i / WIDE;
        int column = i % WIDE;
        b[i] = (MicrostepBody){ .mass_inverse = 1,
                                .v = vec(0, 0, -0.01),
                                .w = vec(0, 0, 0),
                                .bounding_radius = 0.1,
                                .inertia_inverse = mat3_diagonal(600, 600, 600) };
        // the left and the right half, front and back
        for (int k = 0; k < 4; k++) {
            // every second row stands half a brick to the right
            int half = k & 1;
            int below = column + (row % 2 ? half : half - 1);
            if (row > 0 && (below < 0 || below >= WIDE)) continue;
            impVec3 arm = vec(half ? 0.05 : -0.05, k & 2 ? 0.03 : -0.03, -0.03);
            q[count++] = (MicrostepPoint){ .a = i,
                                           .b = row ? (row - 1) * WIDE + below : -1,
                                           .arm_a = arm,
                                           .arm_b = vec(half ? -0.05 : 0.05, arm.y, 0.03),
                                           .n = vec(0, 0, 1),
                                           .t1 = vec(1, 0, 0),
                                           .t2 = vec(0, 1, 0),
                                           .friction = 0.6,
                                           .c = vec(0, 0, row ? -0.001 : -0.01),
                                           .compliance = 1e-5,
                                           .compliance_tangential = 1e-5 };
        }
    }
    MicrostepResult r = solve_microstep(b, ALL, q, count, 1e-9, false, room);
    double lowest = 0, worst = 0;
    for (int i = 0; i < count; i++) {
        lowest += q[i].b < 0 ? q[i].p.z : 0;
        worst = fmax(worst, off_in_speed(b, &q[i]));
    }
    double change = 0;
    for (int i = 0; i < ALL; i++) {
        change += b[i].v.z + 0.01;
    }
    print_message("wall: %d points, %d sweeps, off by %.1e m/s\n", count, r.sweeps, worst);
    assert_true(r.solved && r.sweeps <= 20);
    NEAR(lowest, change, 1e-12);
    assert_true(worst <= 1e-8 && lowest > ALL * 0.01);
}

// The matrix itself: random bodies, random springs between any two, against all of it written out.
static void the_matrix_is_solved(void **state) {
    (void)state;
    enum { ALL = 40, SIX = 6, N = SIX * ALL };
    static double full[N][N + 1];
    Draws d = { 9, 0 };
    for (int problem = 0; problem < 20; problem++) {
        MicrostepBody b[ALL];
        MicrostepPoint q[3 * ALL];
        int bodies = 2 + problem * 2 < ALL ? 2 + problem * 2 : ALL;
        int count = bodies + problem * 4;
        if (count > 3 * ALL) {
            count = 3 * ALL;
        }
        memset(full, 0, sizeof full);
        for (int i = 0; i < bodies; i++) {
            b[i] = brick(&d);
            b[i].work.mass = 1 / b[i].mass_inverse;
            b[i].work.inertia = inverse(b[i].inertia_inverse);
            for (int k = 0; k < 3; k++) {
                impVec3 row = k == 0   ? b[i].work.inertia.x
                              : k == 1 ? b[i].work.inertia.y
                                       : b[i].work.inertia.z;
                full[SIX * i + k][SIX * i + k] = b[i].work.mass;
                for (int c = 0; c < 3; c++) {
                    full[SIX * i + 3 + k][SIX * i + 3 + c] = component(row, c);
                }
            }
        }
        for (int i = 0; i < count; i++) {
            int one = (int)draw(&d, 0, bodies);
            int other = (int)draw(&d, -1, bodies);
            q[i] = (MicrostepPoint){ .a = one,
                                     .b = other == one ? -1 : other,
                                     .arm_a = draw_vec(&d, 0.1),
                                     .arm_b = draw_vec(&d, 0.1) };
        }
        assert_true(microstep_matrix_shape(room, bodies, q, count));
        microstep_matrix_start(room, b);
        for (int i = 0; i < count; i++) {
            MicrostepStiffness s[3];
            int terms = 2 + i % 2;
            for (int t = 0; t < terms; t++) {
                s[t].along = draw_vec(&d, 1);
                s[t].push = add(scale(3, s[t].along), draw_vec(&d, 1));
            }
            microstep_matrix_add(room, &q[i], s, terms);
            for (int t = 0; t < terms; t++) {
                double by[N] = { 0 };
                double of[N] = { 0 };
                for (int side = 0; side < (q[i].b < 0 ? 1 : 2); side++) {
                    int at = SIX * (side ? q[i].b : q[i].a);
                    impVec3 arm = side ? q[i].arm_b : q[i].arm_a;
                    impVec3 turn_by = cross(arm, s[t].push);
                    impVec3 turn_of = cross(arm, s[t].along);
                    for (int c = 0; c < 3; c++) {
                        by[at + c] = (side ? -1 : 1) * component(s[t].push, c);
                        by[at + 3 + c] = (side ? -1 : 1) * component(turn_by, c);
                        of[at + c] = (side ? -1 : 1) * component(s[t].along, c);
                        of[at + 3 + c] = (side ? -1 : 1) * component(turn_of, c);
                    }
                }
                for (int r = 0; r < SIX * bodies; r++) {
                    for (int c = 0; c < SIX * bodies; c++) {
                        full[r][c] += by[r] * of[c];
                    }
                }
            }
        }
        double x[N], right[N];
        for (int i = 0; i < SIX * bodies; i++) {
            right[i] = draw(&d, -1, 1);
        }
        for (int i = 0; i < bodies; i++) {
            for (int c = 0; c < SIX; c++) {
                x[SIX * room->place[i] + c] = right[SIX * i + c];
            }
        }
        assert_true(microstep_matrix_solve(room, x));
        for (int r = 0; r < SIX * bodies; r++) {
            double sum = 0;
            for (int i = 0; i < bodies; i++) {
                for (int c = 0; c < SIX; c++) {
                    sum += full[r][SIX * i + c] * x[SIX * room->place[i] + c];
                }
            }
            NEAR(sum, right[r], 1e-9);
        }
    }
}

static void more_than_there_is_room_for(void **state) {
    (void)state;
    MicrostepPoint q = { .a = 0, .b = -1 };
    assert_false(microstep_matrix_shape(room, MOST + 1, &q, 1));
    // everybody with everybody: as dense as it gets
    static MicrostepPoint all[MOST * MOST];
    int count = 0;
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < i; k++) {
            all[count++] = (MicrostepPoint){ .a = i, .b = k };
        }
    }
    assert_false(microstep_matrix_shape(room, MOST, all, count));
    assert_true(microstep_matrix_shape(room, 48, all, 48 * 47 / 2));
}

// --- who is held ---------------------------------------------------------------------------------
static MicrostepBody slab(void) {
    return (MicrostepBody){ .mass_inverse = 1,
                            .bounding_radius = 0.2,
                            .inertia_inverse = mat3_diagonal(100, 100, 60) };
}

static MicrostepPoint loaded(MicrostepBody *bodies, int a, int b, impVec3 arm_a, impVec3 arm_b,
                             impVec3 n, ContactMode mode) {
    MicrostepPoint q = { .a = a,
                         .b = b,
                         .arm_a = arm_a,
                         .arm_b = arm_b,
                         .n = n,
                         .p = vec(0, 0, 1),
                         .mode = mode,
                         .friction = mode == CONTACT_STICK };
    q.t1 = perpendicular(n);
    q.t2 = cross(n, q.t1);
    q.k = solve_point_matrix(bodies, &q);
    return q;
}

static void who_is_held(void **state) {
    (void)state;
    const impVec3 up = vec(0, 0, 1);
    const impVec3 none = vec(0, 0, 0);
    MicrostepBody one[1] = { slab() };
    MicrostepPoint q[8];
    for (int k = 0; k < 4; k++) {
        q[k] = loaded(one, 0, -1, vec(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.01), none, up,
                      CONTACT_STICK);
    }
    // on a point,
    assert_false(solve_microstep_is_rigid(one, 1, q, 1, NULL, 0, room));
    // on a line,
    assert_false(solve_microstep_is_rigid(one, 1, q, 2, NULL, 0, room));
    // on three points
    assert_true(solve_microstep_is_rigid(one, 1, q, 3, NULL, 0, room));
    // of which one bears nothing to speak of,
    q[2].p.z = 1e-4;
    assert_false(solve_microstep_is_rigid(one, 1, q, 3, NULL, 1e-3, room));
    // or they do not stick
    q[2].p.z = 1;
    q[0].mode = q[1].mode = q[2].mode = CONTACT_SLIDE;
    assert_false(solve_microstep_is_rigid(one, 1, q, 3, NULL, 0, room));

    // Two cards on their lower edges, each leaning on the other: held if they stick to each other,
    // else they fall together.
    for (int k = 0; k < 2; k++) {
        ContactMode mode = k ? CONTACT_STICK : CONTACT_SLIDE;
        MicrostepBody two[2] = { slab(), slab() };
        for (int i = 0; i < 4; i++) {
            q[i] = loaded(two, i / 2, -1, vec(i < 2 ? -0.05 : 0.05, i % 2 ? 0.1 : -0.1, -0.1), none,
                          up, CONTACT_STICK);
        }
        for (int i = 0; i < 2; i++) {
            double y = i ? 0.1 : -0.1;
            q[4 + i] = loaded(two, 0, 1, vec(0.05, y, 0.1), vec(-0.05, y, 0.1), vec(-1, 0, 0),
                              mode);
        }
        assert_int_equal(solve_microstep_is_rigid(two, 2, q, 6, NULL, 0, room),
                         mode == CONTACT_STICK);
        // one stands anyhow: the other is held
        assert_true(solve_microstep_is_rigid(two, 2, q, 6, (const bool[]){ false, true }, 0, room));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_single_point_is_exact),
                                        cmocka_unit_test(four_points_under_one_body),
                                        cmocka_unit_test(a_tower),
                                        cmocka_unit_test(rows_that_lean),
                                        cmocka_unit_test(where_it_starts_says_little),
                                        cmocka_unit_test(a_plate_shares_its_load),
                                        cmocka_unit_test(friction_that_changes_is_seen),
                                        cmocka_unit_test(friction_that_changes_is_seen),
                                        cmocka_unit_test(who_is_held),
                                        cmocka_unit_test(a_wall),
                                        cmocka_unit_test(the_matrix_is_solved),
                                        cmocka_unit_test(more_than_there_is_room_for) };
    void *memory = malloc(solve_microstep_workspace_size(MOST));
    at_hand = solve_microstep_workspace(memory, MOST);
    int failed = RUN(tests);
    free(memory);
    return failed;
}
