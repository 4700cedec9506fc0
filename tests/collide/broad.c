// broad.c -- the broad phase: exactly the pairs that comparing every box with every other finds, at
// a cost that grows with the number of bodies; and swept boxes that do hold their bodies.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "collide/collide.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(31, 41, draws++);
}
static double spread(double low, double high) {
    return low * num_exp(uniform(0, 1) * num_log(high / low));
}
static int pick(int count) { return (int)uniform(0, count); }
// One draw a declarator: arguments and initializers are evaluated in any order.
static impVec3 within(double low, double high) {
    double x = uniform(low, high);
    double y = uniform(low, high);
    double z = uniform(low, high);
    return vec(x, y, z);
}
static impVec3 somewhere(double size) { return within(-size, size); }
static impVec3 pick_steps(double unit, int count) {
    int x = pick(count);
    int y = pick(count);
    int z = pick(count);
    return vec(unit * x, unit * y, unit * z);
}
static const impVec3 far_up = { HUGE_VAL, HUGE_VAL, HUGE_VAL },
                     far_down = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };

// --- a scene of boxes, and the truth about it ----------------------------------------------------
typedef struct Thing {
    Box box;
    MotionType still;
    bool half, gone;
    impVec3 normal;
    double offset;
    impVec3 at, size, speed;
} Thing;
typedef struct Rig {
    int n, room;
    Thing *thing;
    Broad broad;
    void *memory;
    bool *before, *now;
} Rig;

static void *lines(size_t size) {
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    // garbage must not matter
    memset(memory, 0xa5, size);
    return memory;
}

static Rig rig_new(int n, int room) {
    Rig r = { .n = n, .room = room, .thing = calloc((size_t)n, sizeof(Thing)) };
    r.memory = lines(collide_broad_size(n, room));
    r.broad = collide_broad_init(r.memory, n, room);
    r.before = calloc((size_t)n * (size_t)n, sizeof(bool));
    r.now = calloc((size_t)n * (size_t)n, sizeof(bool));
    for (int i = 0; i < n; i++) {
        r.thing[i].gone = true;
    }
    return r;
}

static void rig_free(Rig *r) {
    free(r->thing);
    free(r->memory);
    free(r->before);
    free(r->now);
}

static void tell(Rig *r, int i) {
    Thing *t = &r->thing[i];
    if (t->half) {
        collide_broad_set_half_space(&r->broad, i, t->normal, t->offset, t->still);
    } else {
        collide_broad_set(&r->broad, i, t->box, t->still);
    }
    impVec3 low = t->box.low;
    impVec3 high = t->box.high;
    t->gone = !t->half && (low.x > high.x || low.y > high.y || low.z > high.z);
}

// no corner is in the half space
static bool above(const Thing *h, const Box *b) {
    double least = HUGE_VAL;
    for (int k = 0; k < 8; k++) {
        impVec3 c = vec(k & 1 ? b->high.x : b->low.x, k & 2 ? b->high.y : b->low.y,
                        k & 4 ? b->high.z : b->low.z);
        double depth = 0;
        for (int i = 0; i < 3; i++) {
            depth += component(h->normal, i) == 0 ? 0 : component(h->normal, i) * component(c, i);
        }
        least = fmin(least, depth);
    }
    return least > h->offset;
}

static bool truth(const Thing *a, const Thing *b) {
    bool comes = (a->still == MOTION_KINEMATIC && b->still == MOTION_ASLEEP) ||
                 (a->still == MOTION_ASLEEP && b->still == MOTION_KINEMATIC);
    if (a->gone || b->gone || (a->still && b->still && !comes)) return false;
    if (a->half) return !above(a, &b->box);
    if (b->half) return !above(b, &a->box);
    for (int k = 0; k < 3; k++) {
        if (component(a->box.low, k) > component(b->box.high, k)) return false;
        if (component(b->box.low, k) > component(a->box.high, k)) return false;
    }
    return true;
}

static int find_truth(Rig *r) {
    int count = 0;
    for (int i = 0; i < r->n; i++) {
        for (int j = i + 1; j < r->n; j++) {
            count += r->now[i * r->n + j] = truth(&r->thing[i], &r->thing[j]);
        }
    }
    return count;
}

// in order, true, each once
static void check_list(const Rig *r, const BroadPair *list, int count) {
    for (int k = 0; k < count; k++) {
        assert_true(list[k].i < list[k].j && list[k].slot >= 0 && list[k].slot < r->room);
        assert_true(r->now[list[k].i * r->n + list[k].j]);
        if (k) {
            assert_true(list[k - 1].i < list[k].i ||
                        (list[k - 1].i == list[k].i && list[k - 1].j < list[k].j));
        }
    }
}

// The reported changes, and nothing else, lead from `before` to `now`.
static void check_changes(Rig *r) {
    const Broad *b = &r->broad;
    for (int k = 0; k < b->removed_count; k++) {
        bool *was = &r->before[b->removed[k].i * r->n + b->removed[k].j];
        assert_true(*was);
        *was = false;
    }
    for (int k = 0; k < b->added_count; k++) {
        bool *was = &r->before[b->added[k].i * r->n + b->added[k].j];
        assert_false(*was);
        *was = true;
    }
    assert_memory_equal(r->before, r->now, (size_t)r->n * (size_t)r->n);
}

static void check_update(Rig *r) {
    int count = find_truth(r);
    assert_true(collide_broad_update(&r->broad));
    assert_int_equal(r->broad.count, count);
    check_list(r, r->broad.pair, count);
    check_list(r, r->broad.added, r->broad.added_count);
    check_changes(r);
}

static void check_partners(Rig *r, int body) {
    const BroadPair *list;
    int count = collide_broad_partners(&r->broad, body, &list);
    int expected = 0;
    for (int c = 0; c < r->n; c++) {
        expected += c != body && r->now[c < body ? c * r->n + body : body * r->n + c];
    }
    assert_int_equal(count, expected);
    check_list(r, list, count);
}

static void check_refresh(Rig *r, int a, int b) {
    int count = find_truth(r);
    assert_true(collide_broad_refresh(&r->broad, a, b));
    assert_int_equal(r->broad.count, count);
    check_changes(r);
    check_partners(r, a);
    check_partners(r, pick(r->n));
}

// --- against brute force -------------------------------------------------------------------------
static void renew(Thing *t, double space, double smallest, double largest_side) {
    double side = spread(smallest, largest_side);
    t->size = scale(0.5 * side, within(0.1, 1));
    t->at = somewhere(space);
    t->speed = somewhere(0.02 * space);
    t->still = uniform(0, 1) < 0.4 ? (MotionType)pick(4) : MOTION_DYNAMIC;
    t->half = false;
}

static void place_thing(Thing *t) { t->box = (Box){ sub(t->at, t->size), add(t->at, t->size) }; }

static void move(Thing *t, double space) {
    if (t->half) return;
    if (!t->still) {
        t->at = add(t->at, t->speed);
    }
    if (largest(t->at) > space) {
        t->speed = neg(t->speed);
    }
    place_thing(t);
}

static void make_plane(Thing *t, int way) {
    impVec3 n = way == 0 ? vec(0, 0, 1) : somewhere(1);
    *t = (Thing){ .still = (MotionType)(MOTION_STATIC + 2 * pick(2)),
                  .half = true,
                  .normal = scale(1 / norm(n), n),
                  .offset = -0.2 };
}

static void same_as_brute_force(void **state) {
    (void)state;
    long pairs = 0, changes = 0;
    for (int scene = 0; scene < 12; scene++) {
        int n = 20 + pick(230);
        double space = scene % 3 ? 1 : 3e8;
        double smallest = scene % 2 ? 1e-4 : 0.02;
        Rig r = rig_new(n, n * n / 2);
        for (int i = 0; i < n; i++) {
            renew(&r.thing[i], space, smallest * space, space);
            if (i % 50 == 7) {
                make_plane(&r.thing[i], scene % 2);
            }
            // unbounded
            if (i % 60 == 8) {
                r.thing[i].size = far_up;
            }
            move(&r.thing[i], space);
            tell(&r, i);
        }
        for (int frame = 0; frame < 40; frame++) {
            for (int i = 0; i < n; i++) {
                move(&r.thing[i], space);
                tell(&r, i);
            }
            // some leave, some come back as others
            if (frame % 10 == 3) {
                Thing *t = &r.thing[pick(n)];
                renew(t, space, smallest * space, space);
                place_thing(t);
                if (frame % 20 == 3) {
                    t->box = (Box){ far_up, far_down };
                }
                tell(&r, (int)(t - r.thing));
            }
            check_update(&r);
            pairs += r.broad.count;
            changes += r.broad.added_count + r.broad.removed_count;
            for (int k = 0; k < 4; k++) {
                int a = pick(n);
                int b = pick(n);
                r.thing[a].speed = somewhere(0.1 * space);
                r.thing[b].speed = somewhere(0.1 * space);
                move(&r.thing[a], space);
                tell(&r, a);
                if (b != a && k % 2) {
                    move(&r.thing[b], space);
                    tell(&r, b);
                }
                check_refresh(&r, a, b != a && k % 2 ? b : -1);
            }
        }
        rig_free(&r);
    }
    print_message("    %ld pairs, %ld changes\n", pairs, changes);
}

// Walls are asked of many neighbours at once (apart.c), and of one alone when that is refreshed: to
// the last bit the same pairs, also of boxes that touch a wall to rounding, and far from the
// origin, where rounding is coarse.
static impVec3 made_unit(impVec3 a) { return scale(1 / norm(a), a); }

static void stand_between(Rig *r, impVec3 middle, impVec3 tilt, int walls) {
    impVec3 across = made_unit(cross(tilt, vec(0.3, 1, 0)));
    const impVec3 axes[3] = { tilt, across, cross(tilt, across) };
    for (int i = 0; i < r->n; i++) {
        Thing *t = &r->thing[i];
        impVec3 n = scale(i % 2 ? 1 : -1, axes[i / 2 % 3]);
        renew(t, 1, 0.02, 0.05);
        t->still = MOTION_DYNAMIC;
        t->at = add(t->at, middle);
        t->speed = vec(0, 0, 0);
        double high = fabs(n.x) * t->size.x + fabs(n.y) * t->size.y + fabs(n.z) * t->size.z;
        // against a wall
        if (i % 4 == 3) {
            t->at = madd(t->at, high - 0.8 - dot(n, sub(t->at, middle)), n);
        }
        if (i < walls) {
            *t = (Thing){
                .still = MOTION_STATIC, .half = true, .normal = n, .offset = dot(n, middle) - 0.8
            };
        }
    }
}

static void walls_of_many_and_of_one(void **state) {
    (void)state;
    enum { N = 500, WALLS = 6 };
    long pairs = 0;
    for (int scene = 0; scene < 8; scene++) {
        Rig r = rig_new(N, 50 * N);
        stand_between(&r, scene % 2 ? vec(1e5, -3e4, 7e3) : vec(0, 0, 0),
                      scene / 2 ? made_unit(somewhere(1)) : vec(0, 0, 1), WALLS);
        for (int frame = 0; frame < 3; frame++) {
            for (int i = 0; i < N; i++) {
                move(&r.thing[i], HUGE_VAL);
                tell(&r, i);
            }
            assert_true(collide_broad_update(&r.broad));
            pairs += r.broad.count;
            for (int i = 0; i < N; i++) {
                assert_true(collide_broad_refresh(&r.broad, i, -1));
                assert_true(r.broad.added_count == 0 && r.broad.removed_count == 0);
            }
            // at first they stay where they are put
            for (int i = 0; i < N; i++) {
                r.thing[i].speed = somewhere(0.02);
            }
        }
        rig_free(&r);
    }
    print_message("    %ld pairs\n", pairs);
}

// The pairs of a table with a long history and of a fresh one are the same, in the same order.
static void history_does_not_show(void **state) {
    (void)state;
    enum { N = 150 };
    Rig old = rig_new(N, N * N / 2);
    Rig fresh = rig_new(N, N * N / 2);
    for (int i = 0; i < N; i++) {
        renew(&old.thing[i], 1, 0.01, 1);
    }
    for (int frame = 0; frame < 20; frame++) {
        for (int i = 0; i < N; i++) {
            move(&old.thing[i], 1);
            tell(&old, i);
        }
        check_update(&old);
        check_refresh(&old, frame, frame + 1);
    }
    check_update(&old);
    for (int i = N - 1; i >= 0; i--) {
        fresh.thing[i] = old.thing[i];
        tell(&fresh, i);
    }
    check_update(&fresh);
    assert_int_equal(old.broad.count, fresh.broad.count);
    for (int k = 0; k < old.broad.count; k++) {
        assert_int_equal(old.broad.pair[k].i, fresh.broad.pair[k].i);
        assert_int_equal(old.broad.pair[k].j, fresh.broad.pair[k].j);
    }
    rig_free(&old);
    rig_free(&fresh);
}

// Many small ones and few large ones, which look into the cells of the small; by turns all fly, so
// that the table is made anew, and few, so that each is moved within it.
static void few_large_ones_and_times_of_rest(void **state) {
    (void)state;
    enum { N = 200, LARGE = 6 };
    Rig r = rig_new(N, N * N / 2);
    for (int i = 0; i < N; i++) {
        renew(&r.thing[i], 1, i < LARGE ? 0.2 : 0.02, i < LARGE ? 0.6 : 0.03);
        r.thing[i].still = MOTION_DYNAMIC;
    }
    for (int frame = 0; frame < 60; frame++) {
        for (int i = 0; i < N; i++) {
            if (frame / 6 % 2 == 0 || i % 20 == frame % 20) {
                move(&r.thing[i], 1);
            }
            tell(&r, i);
        }
        check_update(&r);
        for (int k = 0; k < 3; k++) {
            int a = pick(N);
            move(&r.thing[a], 1);
            tell(&r, a);
            check_refresh(&r, a, -1);
        }
    }
    rig_free(&r);
}

// --- far, large, small, flat, absurd -------------------------------------------------------------
static impVec3 grid_point(double unit) {
    impVec3 p = pick_steps(unit, 5);
    return vec(p.x, p.y - 2 * unit, -p.z);
}

// everything lies on borders of cells, and touches
static void edges_of_cells(void **state) {
    (void)state;
    Rig r = rig_new(120, 120 * 60);
    for (int frame = 0; frame < 30; frame++) {
        for (int i = 0; i < r.n; i++) {
            impVec3 a = grid_point(0.25);
            impVec3 b = add(a, pick_steps(0.25, 4));
            // a side that is rounded down to a power of two
            if (i % 7 == 0) {
                a.x -= 1e-18;
                b.z += 1e-18;
            }
            r.thing[i].box = (Box){ a, b };
            tell(&r, i);
        }
        check_update(&r);
        check_refresh(&r, pick(r.n), -1);
    }
    rig_free(&r);
}

// A table so small that the cells of one body share its chains.
static void few_bodies_share_chains(void **state) {
    (void)state;
    for (int scene = 0; scene < 250; scene++) {
        Rig r = rig_new(2 + pick(6), 28);
        for (int frame = 0; frame < 4; frame++) {
            for (int i = 0; i < r.n; i++) {
                renew(&r.thing[i], 1, 0.8, 1.2);
                place_thing(&r.thing[i]);
                tell(&r, i);
            }
            check_update(&r);
            for (int i = 0; i < r.n; i++) {
                check_refresh(&r, i, -1);
            }
        }
        rig_free(&r);
    }
}

static void extremes(void **state) {
    (void)state;
    static const double at[] = { 0,       -0.0,  1e9,    -1e9, 1e9 - 1e-6, 5e-324,
                                 -5e-324, 1e300, -1e300, 1e18, -4e18,      3 };
    static const double size[] = { 0,    1e-7,  2e-7,    1,        1e7,    3e9,
                                   1e12, 1e299, DBL_MAX, HUGE_VAL, 5e-324, 0.5 };
    Rig r = rig_new(200, 200 * 100);
    for (int frame = 0; frame < 30; frame++) {
        for (int i = 0; i < r.n; i++) {
            int ax = pick(COUNT(at));
            int ay = pick(COUNT(at));
            int az = pick(COUNT(at));
            int sx = pick(COUNT(size));
            int sy = pick(i % 2 ? 5 : COUNT(size));
            int sz = pick(COUNT(size));
            impVec3 a = vec(at[ax], at[ay], at[az]);
            impVec3 s = vec(size[sx], size[sy], size[sz]);
            r.thing[i].box = (Box){ a, add(a, s) };
            r.thing[i].still = (MotionType)(pick(3) == 0 ? 1 + pick(3) : 0);
            tell(&r, i);
        }
        check_update(&r);
        for (int k = 0; k < 5; k++) {
            check_refresh(&r, pick(r.n), -1);
        }
    }
    rig_free(&r);
}

static void no_number_meets_everyone(void **state) {
    (void)state;
    Rig r = rig_new(10, 45);
    for (int i = 0; i < r.n; i++) {
        renew(&r.thing[i], 1e6, 1, 2);
        r.thing[i].still = MOTION_DYNAMIC;
        place_thing(&r.thing[i]);
        tell(&r, i);
    }
    double none = HUGE_VAL - HUGE_VAL;
    collide_broad_set(&r.broad, 4, (Box){ vec(none, none, none), vec(none, none, none) },
                      MOTION_DYNAMIC);
    assert_true(collide_broad_update(&r.broad));
    const BroadPair *list;
    // safe: never dropped where it may touch
    assert_true(collide_broad_partners(&r.broad, 4, &list) == 9);
    rig_free(&r);
}

static void nobody_and_one(void **state) {
    (void)state;
    for (int n = 0; n < 3; n++) {
        void *memory = lines(collide_broad_size(n, 0));
        Broad b = collide_broad_init(memory, n, 0);
        assert_true(collide_broad_update(&b));
        for (int i = 0; i < n; i++) {
            collide_broad_set(&b, i, (Box){ vec(i, 0, 0), vec(i + 0.5, 1, 1) }, MOTION_DYNAMIC);
        }
        assert_true(collide_broad_update(&b));
        assert_int_equal(b.count + b.added_count + b.removed_count, 0);
        free(memory);
    }
}

static void all_at_one_point(void **state) {
    (void)state;
    enum { N = 100 };
    Rig r = rig_new(N, N * (N - 1) / 2);
    for (int i = 0; i < N; i++) {
        r.thing[i].box = (Box){ vec(1, 2, 3), vec(1, 2, 3) };
        tell(&r, i);
    }
    check_update(&r);
    assert_int_equal(r.broad.count, N * (N - 1) / 2);
    check_refresh(&r, 50, 51);
    for (int i = 0; i < N; i++) {
        r.thing[i].box = (Box){ vec(i, 0, 0), vec(i, 0, 0) };
        tell(&r, i);
    }
    check_update(&r);
    assert_int_equal(r.broad.count, 0);
    rig_free(&r);
}

// Too many pairs: said with the number, and nothing lost.
static void full_is_said(void **state) {
    (void)state;
    enum { N = 12 };
    for (int room = 0; room <= N * (N - 1) / 2; room++) {
        void *memory = lines(collide_broad_size(N, room));
        Broad b = collide_broad_init(memory, N, room);
        Box point = { vec(0, 0, 0), vec(0, 0, 0) };
        for (int i = 0; i < N; i++) {
            collide_broad_set(&b, i, point, MOTION_DYNAMIC);
        }
        assert_int_equal(collide_broad_update(&b), room == N * (N - 1) / 2);
        assert_int_equal(b.needed, N * (N - 1) / 2);
        for (int i = 0; i < N; i++) {
            collide_broad_set(&b, i, (Box){ vec(2 * i, 0, 0), vec(2 * i + 1, 0, 0) },
                              MOTION_DYNAMIC);
        }
        assert_true(collide_broad_update(&b));
        assert_int_equal(b.count, 0);
        collide_broad_set(&b, 0, (Box){ vec(-9, -9, -9), vec(99, 9, 9) }, MOTION_DYNAMIC);
        assert_int_equal(collide_broad_refresh(&b, 0, -1), room >= N - 1);
        assert_int_equal(b.needed, N - 1);
        free(memory);
    }
}

// --- swept boxes ---------------------------------------------------------------------------------
static impModel *sweep_model(void) {
    static impError err;
    static const impShapeDef shape[] = {
        { .kind = "sphere", .size = { 0.3 } },
        { .kind = "box", .size = { 1, 0.2, 0.1 } },
        { .kind = "cone", .size = { 0.2, 0.7 } },
        { .kind = "capsule", .size = { 0.1, 1 }, .pose = { { 0.5, 0, 0 }, { 0.6, 0.8, 0, 0 } } }
    };
    static const impMotionDef motion[] = { { .kind = "spin", .axis = { 1, 2, 3 }, .rate = 3 },
                                           { .kind = "vibrate",
                                             .amplitude = { 0.1, 0, 0.2 },
                                             .frequency = 2,
                                             .axis = { 0, 1, 0 },
                                             .angle = 0.5 },
                                           { .kind = "translate", .velocity = { 0.5, -3, 1 } } };
    static const impShapeDef plane = { .kind = "plane", .size = { 1, 2, 2, 0.5 } };
    impScene *scene = impScene_New(vec(1, -2, -9.81));
    // 1 to 4 free, 5 to 8 prescribed, the last on its way for ever; a shape, or all
    for (int i = 0; i < 8; i++) {
        bool all = i % 4 == 3;
        impBodyDef d = { .shapes = all ? shape : &shape[i % 4],
                         .shape_count = all ? 4 : 1,
                         .motions = motion,
                         .motion_count = i < 4   ? 0
                                         : i < 6 ? 1
                                         : i < 7 ? 2
                                                 : 3,
                         .pose.at = { 1, 2, 3 } };
        impScene_Body(scene, &d, &err);
    }
    impBodyDef tilting = {
        .shapes = &plane, .shape_count = 1, .motions = motion + 1, .motion_count = 1
    };
    impBodyDef slope = { .shapes = &plane, .shape_count = 1, .fixed = true };
    slope.pose = (impPose){ { 3, 0, 0 }, { 0.6, 0, 0.8, 0 } };
    impScene_Body(scene, &tilting, &err);
    impScene_Body(scene, &slope, &err);
    impBodyDef piston = {
        .shapes = &plane, .shape_count = 1, .motions = motion + 2, .motion_count = 1
    };
    impScene_Body(scene, &piston, &err);
    impModel *m = impModel_Build(scene, &err);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    return m;
}

// The farthest points of the body along the axes are in the box, less margin; returns how much room
// is left at most.
static double room_left(const impModel *m, int body, impPose p, const Box *box, double margin) {
    double left = HUGE_VAL;
    for (int s = 0; s < m->body[body].shape_count; s++) {
        const Shape *shape = &m->shape[m->body[body].first_shape + s];
        impPose at = pose_mul(p, shape->pose);
        for (int k = 0; k < 6; k++) {
            impVec3 n = scale(k & 1 ? -1 : 1, vec(k / 2 == 0, k / 2 == 1, k / 2 == 2));
            impVec3 x = place(at, shape_kinds[shape->kind].support(shape, &m->geometry,
                                                                   unrotate(at.rotation, n)));
            double room = (k & 1 ? dot(n, box->low) : dot(n, box->high)) - dot(n, x) - margin;
            if (room < 0) {
                fail_msg("body %d is %g outside", body, -room);
            }
            left = fmin(left, room);
        }
    }
    return left;
}

static void boxes_hold_what_flies(void **state) {
    (void)state;
    impModel *m = sweep_model();
    for (int i = 0; i < 400; i++) {
        const Body *b = &m->body[1 + i % 4];
        double T = spread(1e-3, 2);
        double margin = 1e-3;
        impVec3 u = within(0, 1);
        impVec3 x = somewhere(i % 5 ? 3 : 1e8);
        impVec3 v = somewhere(10);
        impVec3 w = somewhere(10);
        Flying f = { x, num_random_rotation(u.x, u.y, u.z), v, scale(i % 3 ? 1 : 1e-3, w) };
        Flight flight = motion_flight(b, m->gravity, 0, f);
        Box box = collide_box_free(b, &f, m->gravity, T, margin);
        for (int k = 0; k <= 40; k++) {
            Flying now = motion_fly(&flight, T * k / 40);
            impPose p = pose(sub(now.x, rotate(now.q, b->center)), now.q);
            room_left(m, 1 + i % 4, p, &box, i % 5 ? margin * (1 - 1e-9) : 0);
        }
    }
    // a ball: exact, with its apex
    Flying up = { vec(0, 0, 0), { 1, 0, 0, 0 }, vec(0, 0, 4), vec(9, 9, 9) };
    Box box = collide_box_free(&m->body[1], &up, vec(0, 0, -10), 1, 0);
    NEAR(box.high.z, 0.3 + 0.8, 1e-13);
    NEAR(box.low.z, -1.3, 1e-13);
    NEAR(box.high.x, 0.3, 1e-14);
    impModel_Free(m);
}

static void boxes_hold_what_is_led(void **state) {
    (void)state;
    impModel *m = sweep_model();
    double *data = calloc((size_t)m->layout.total, sizeof(double));
    for (int i = 0; i < 200; i++) {
        int body = 5 + i % 4;
        double t = uniform(0, 5);
        double T = spread(1e-3, 1);
        data[m->layout.time] = t;
        Box box = collide_box_kinematic(m, body, motion_pose(m, data, body), T, 0);
        for (int k = 0; k <= 40; k++) {
            data[m->layout.time] = t + T * k / 40;
            room_left(m, body, motion_pose(m, data, body), &box, 0);
        }
    }
    // the world has no shape
    Box none = collide_box_kinematic(m, 0, pose_identity(), 0, 1);
    assert_true(none.low.x > none.high.x);
    Box all = collide_box_kinematic(m, 9, pose_identity(), 0, 1);
    assert_true(all.low.x == -HUGE_VAL && all.high.z == HUGE_VAL);
    free(data);
    impModel_Free(m);
}

static void planes_are_half_spaces(void **state) {
    (void)state;
    impModel *m = sweep_model();
    impVec3 n;
    double offset;
    // it tilts: no bound
    assert_false(collide_half_space(m, 9, pose_identity(), 0.1, 0, &n, &offset));
    // a ball is none
    assert_false(collide_half_space(m, 5, pose_identity(), 0.1, 0, &n, &offset));
    assert_true(collide_half_space(m, 10, m->body[10].pose0, 0.1, 0.25, &n, &offset));
    impVec3 on = place(m->body[10].pose0, scale(0.5 / 9, vec(1, 2, 2)));
    NEAR(norm(n), 1, 1e-15);
    NEAR(dot(n, on) + 0.25, offset, 2e-14);
    // a piston, at 3.5 / 3 m/s against n
    assert_true(collide_half_space(m, 11, pose_identity(), 0.1, 0, &n, &offset));
    NEAR(offset, 0.5 / 3 + 0.35 / 3, 1e-14);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute_force),
        cmocka_unit_test(walls_of_many_and_of_one),
        cmocka_unit_test(history_does_not_show),
        cmocka_unit_test(few_large_ones_and_times_of_rest),
        cmocka_unit_test(edges_of_cells),
        cmocka_unit_test(few_bodies_share_chains),
        cmocka_unit_test(extremes),
        cmocka_unit_test(no_number_meets_everyone),
        cmocka_unit_test(nobody_and_one),
        cmocka_unit_test(all_at_one_point),
        cmocka_unit_test(full_is_said),
        cmocka_unit_test(boxes_hold_what_flies),
        cmocka_unit_test(boxes_hold_what_is_led),
        cmocka_unit_test(planes_are_half_spaces),
    };
    return RUN(tests);
}
