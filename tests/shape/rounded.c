// rounded.c -- boxes and hulls with round edges: mass properties, extents, and what is refused.
//
// Two truths beside the library's sums: closed forms of spheres, capsules and boxes, which a core
// becomes or is; and a quadrature over the solid that knows only the distance from the core.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"
#include "shape/solids.h"

static impError err;

typedef struct Round {
    Shape s;
    Geometry g;
    Pool pool;
} Round;

static Round round_hull(const impVec3 *points, int count, double radius) {
    Round r = { .s = { .kind = shape_find("hull"), .pose = pose_identity(), .radius = radius } };
    err = (impError){ 0 };
    if (!shape_build_points(&r.s, &r.g, &r.pool, points, count, NULL, 0, (Where){ 0 }, "hull",
                            &err) ||
        !shape_build_core(&r.s, &r.g, &r.pool, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    return r;
}

static Round round_box(double a, double b, double c, double radius) {
    Round r = { .s = { .kind = shape_find("box"),
                       .size = { a, b, c },
                       .pose = pose_identity(),
                       .radius = radius } };
    assert_true(shape_build_core(&r.s, &r.g, &r.pool, &err));
    return r;
}

static Solid solid_of(const Round *r) { return shape_kinds[r->s.kind].solid(&r->s, &r->g); }
static impVec3 support_of(const Round *r, impVec3 d) {
    return shape_kinds[r->s.kind].support(&r->s, &r->g, d);
}

static void brick_points(impVec3 *p, impVec3 half, impVec3 at) {
    for (int i = 0; i < 8; i++) {
        p[i] = add(
            at, vec(i & 4 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 1 ? half.z : -half.z));
    }
}

// --- Closed forms --------------------------------------------------------------------------------

// A rounded cube of side a: core c = a - 2 r. Its moment by hand: see along_one in box.c, with b =
// c = a.
static void the_rounded_cube(void **state) {
    (void)state;
    double c = 0.6;
    double r = 0.2;
    Round cube = round_box(1, 1, 1, r);
    Solid s = solid_of(&cube);
    NEAR(s.volume, c * c * c + 6 * c * c * r + 3 * PI * c * r * r + 4 * PI / 3 * r * r * r, 1e-15);
    double x2 = c * c * c * c * c / 12 + r * (c * c * c * c / 2 + c * c * c * c / 3) +
                r * r * c * c * c + 10 * r * r * r * c * c / 3;
    x2 += PI * r * r * (7 * c * c * c / 12 + r * c * c / 3 + r * r * c + 4 * r * r * r / 15);
    NEAR(s.inertia.x.x, 2 * x2, 1e-15);
    NEAR(s.inertia.y.y, 2 * x2, 1e-15);
    pool_free(&cube.pool);
}

static void a_rounded_box_is_the_hull_of_its_core_rounded(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        double u[4];
        for (int k = 0; k < 4; k++) {
            u[k] = 0.05 + num_uniform(3, 1, (uint64_t)(4 * i + k));
        }
        impVec3 p[8];
        impVec3 half = scale(0.5, vec(u[0], u[1], u[2]));
        impVec3 at = i % 2 ? vec(3, -7, 11) : vec(0, 0, 0);
        double r = 0.5 * u[3];
        brick_points(p, half, at);
        Round hull = round_hull(p, 8, r);
        Round box = round_box(u[0] + 2 * r, u[1] + 2 * r, u[2] + 2 * r, r);
        Solid b = solid_of(&box);
        b.center = at;
        near_solid(solid_of(&hull), b, 2e-14);
        pool_free(&hull.pool);
        pool_free(&box.pool);
    }
}

// A core of no size is a ball, a thin one a capsule.
static void small_cores_are_balls_and_capsules(void **state) {
    (void)state;
    double e = 1e-5;
    Shape ball = { .kind = shape_find("sphere"), .size = { 0.3 } };
    Shape pill = { .kind = shape_find("capsule"), .size = { 0.3, 0.8 } };
    impVec3 tetra[4] = { { e, e, e }, { -e, -e, e }, { -e, e, -e }, { e, -e, -e } };
    impVec3 needle[8];
    brick_points(needle, vec(e, e, 0.4), vec(0, 0, 0));
    Round grain = round_hull(tetra, 4, 0.3);
    Round rod = round_hull(needle, 8, 0.3);
    Round box = round_box(0.6 + e, 0.6 + e, 1.4, 0.3);
    Solid sphere = shape_kinds[ball.kind].solid(&ball, NULL);
    Solid capsule = shape_kinds[pill.kind].solid(&pill, NULL);
    near_solid(solid_of(&grain), sphere, 20 * e);
    near_solid(solid_of(&rod), capsule, 20 * e);
    near_solid(solid_of(&box), capsule, 20 * e);
    pool_free(&grain.pool);
    pool_free(&rod.pool);
    pool_free(&box.pool);
}

static void no_radius_changes_no_bit(void **state) {
    (void)state;
    impVec3 p[8];
    brick_points(p, vec(0.1, 0.2, 0.35), vec(1, 0.3, -2));
    Round hull = round_hull(p, 8, 0);
    Round box = round_box(0.3, 0.5, 1.1, 0);
    Solid core = shape_integrate_faces(hull.g.vertex, hull.g.loop, hull.g.face, hull.s.face_count);
    Solid s = solid_of(&hull);
    assert_memory_equal(&s, &core, sizeof s);
    SAME_BITS(solid_of(&box).volume, 0.3 * 0.5 * 1.1);
    for (uint64_t i = 0; i < 100; i++) {
        impVec3 d = random_direction(1, i);
        impVec3 a = support_of(&hull, d);
        impVec3 b = shape_farthest_vertex(&hull.s, &hull.g, d);
        assert_memory_equal(&a, &b, sizeof a);
    }
    pool_free(&hull.pool);
    pool_free(&box.pool);
}

// --- Quadrature ----------------------------------------------------------------------------------

static double to_segment(impVec3 x, impVec3 a, impVec3 b) {
    impVec3 d = sub(b, a);
    impVec3 r = sub(x, a);
    double t = dot(r, d) / dot(d, d);
    return norm(madd(r, -(t < 0 ? 0 : t > 1 ? 1 : t), d));
}

static bool over_face(const Round *r, const Face *f, impVec3 x) {
    const int32_t *loop = r->g.loop + f->first;
    for (int k = 0; k < f->count; k++) {
        impVec3 a = r->g.vertex[loop[k]];
        impVec3 b = r->g.vertex[loop[(k + 1) % f->count]];
        if (dot(cross(f->normal, sub(b, a)), sub(x, a)) < 0) return false;
    }
    return true;
}

// 0 inside; by every face and edge
static double from_core(const Round *r, impVec3 x) {
    double least = HUGE_VAL;
    bool inside = true;
    for (int k = 0; k < r->s.face_count; k++) {
        const Face *f = &r->g.face[k];
        double above = dot(f->normal, x) - f->offset;
        inside = inside && above <= 0;
        if (above > 0 && over_face(r, f, x)) {
            least = min2(least, above);
        }
    }
    for (int e = 0; e < r->s.edge_count && !inside; e++) {
        least = min2(least,
                     to_segment(x, r->g.vertex[r->g.edge[e].tail], r->g.vertex[r->g.edge[e].head]));
    }
    return inside ? 0 : least;
}

// How far from `from` along d the surface is. The distance from the core is convex along the ray:
// false position, the Illinois way.
static double way_out(const Round *r, impVec3 from, impVec3 d) {
    double low = 0;
    double high = 4;
    double f_low = -r->s.radius;
    double f_high = from_core(r, madd(from, high, d)) - r->s.radius;
    for (int i = 0; i < 100 && high - low > 1e-13; i++) {
        double t = (low * f_high - high * f_low) / (f_high - f_low);
        double f = from_core(r, madd(from, t, d)) - r->s.radius;
        if (fabs(f) < 1e-14) return t;
        if (f <= 0) {
            low = t;
            f_low = f;
            f_high *= 0.5;
        } else {
            high = t;
            f_high = f;
            f_low *= 0.5;
        }
    }
    return 0.5 * (low + high);
}

// volume; x y z; xx yy zz xy yz zx
enum { MOMENTS = 10 };
typedef struct Moments {
    double of[MOMENTS];
} Moments;
// of the sphere of directions: its middle and sides
typedef struct Patch {
    double z, turns, height, width;
} Patch;

// Seen from a point inside, the solid is a star: along a ray its moments are closed forms, over a
// patch of directions they come from nine rays (Gauss).
static Moments nine_rays(const Round *r, impVec3 from, Patch p) {
    static const double node[3] = { -0.7745966692414834, 0, 0.7745966692414834 };
    static const double weight[3] = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };
    Moments m = { { 0 } };
    for (int i = 0; i < 9; i++) {
        double z = p.z + 0.5 * p.height * node[i / 3];
        double flat = sqrt(1 - z * z);
        SinCos rotation = num_sincos_turns(p.turns + 0.5 * p.width * node[i % 3]);
        impVec3 d = vec(flat * rotation.cos, flat * rotation.sin, z);
        double w = weight[i / 3] * weight[i % 3] * p.height * p.width * TAU;
        double t = way_out(r, from, d);
        double t3 = t * t * t;
        const double first[3] = { d.x, d.y, d.z };
        const double second[6] = {
            d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x
        };
        m.of[0] += w * t3 / 3;
        for (int k = 0; k < 3; k++) {
            m.of[1 + k] += w * t3 * t / 4 * first[k];
        }
        for (int k = 0; k < 6; k++) {
            m.of[4 + k] += w * t3 * t * t / 5 * second[k];
        }
    }
    return m;
}

// Cut in four where that makes a difference: along the seams.
static Moments quadrature(const Round *r, impVec3 from, Patch p, Moments whole, int depth) {
    Moments quarter[4];
    Moments sum = { { 0 } };
    Patch part[4];
    double off = 0;
    for (int k = 0; k < 4; k++) {
        part[k] = (Patch){ p.z + (k & 1 ? 0.25 : -0.25) * p.height,
                           p.turns + (k & 2 ? 0.25 : -0.25) * p.width, p.height / 2, p.width / 2 };
        quarter[k] = nine_rays(r, from, part[k]);
        for (int i = 0; i < MOMENTS; i++) {
            sum.of[i] += quarter[k].of[i];
        }
    }
    for (int i = 0; i < MOMENTS; i++) {
        off = max2(off, fabs(sum.of[i] - whole.of[i]));
    }
    if (off < 4e-9 || depth == 0) return sum;
    sum = (Moments){ { 0 } };
    for (int k = 0; k < 4; k++) {
        Moments m = quadrature(r, from, part[k], quarter[k], depth - 1);
        for (int i = 0; i < MOMENTS; i++) {
            sum.of[i] += m.of[i];
        }
    }
    return sum;
}

static Solid by_quadrature(const Round *r, impVec3 from) {
    Patch all = { 0, 0, 2, 1 };
    Moments m = quadrature(r, from, all, nine_rays(r, from, all), 8);
    const double *q = m.of;
    impVec3 c = scale(1 / q[0], vec(q[1], q[2], q[3]));
    Mat3 second = mat3(vec(q[4], q[7], q[9]), vec(q[7], q[5], q[8]), vec(q[9], q[8], q[6]));
    second = mat3_add(second, mat3_scale(-q[0], outer(c, c)));
    double t = trace(second);
    return (Solid){ q[0], add(from, c), mat3_add(mat3_diagonal(t, t, t), mat3_scale(-1, second)) };
}

static void sums_agree_with_quadrature(void **state) {
    (void)state;
    const impVec3 tetra[4] = {
        { 0.4, 0.1, 0 }, { -0.3, 0.5, 0.1 }, { -0.2, -0.4, 0.05 }, { 0, 0.1, 0.6 }
    };
    impVec3 cloud[8];
    for (uint64_t i = 0; i < 8; i++) {
        cloud[i] = scale(0.3 + 0.2 * num_uniform(5, 2, i), random_direction(8, i));
    }
    Round round[3] = { round_hull(tetra, 4, 0.05), round_hull(tetra, 4, 0.3),
                       round_hull(cloud, 8, 0.3) };
    for (int i = 0; i < 3; i++) {
        Solid s = solid_of(&round[i]);
        near_solid(by_quadrature(&round[i], s.center), s, 1e-6);
        pool_free(&round[i].pool);
    }
}

// --- Extents -------------------------------------------------------------------------------------

static void supports_lie_on_the_surface_and_none_is_beyond(void **state) {
    (void)state;
    const impVec3 tetra[4] = {
        { 0.4, 0.1, 0 }, { -0.3, 0.5, 0.1 }, { -0.2, -0.4, 0.05 }, { 0, 0.1, 0.6 }
    };
    Round both[2] = { round_hull(tetra, 4, 0.15), round_box(1, 0.6, 0.3, 0.1) };
    for (int k = 0; k < 2; k++) {
        const Round *r = &both[k];
        double least = HUGE_VAL;
        double thin = shape_kinds[r->s.kind].smallest_extent(&r->s, &r->g);
        for (uint64_t i = 0; i < 20000; i++) {
            impVec3 d = random_direction(3, i);
            impVec3 p = support_of(r, d);
            impVec3 q = support_of(r, random_direction(4, i));
            NEAR(from_core(r, p), r->s.radius, 1e-15);
            assert_true(dot(d, q) <= dot(d, p) + 1e-15);
            assert_true(norm(sub(p, vec(1, 2, 3))) <=
                        shape_bounding_radius(&r->s, &r->g, vec(1, 2, 3)) + 1e-14);
            least = min2(least, dot(d, sub(p, support_of(r, neg(d)))));
        }
        assert_true(least >= thin - 1e-14);
        NEAR(least, thin, 0.05 * thin);
        assert_true(finite3(support_of(r, vec(0, 0, 0))));
        pool_free(&both[k].pool);
    }
}

static void a_box_keeps_its_lengths_and_a_hull_grows(void **state) {
    (void)state;
    impVec3 p[8], low, high;
    brick_points(p, vec(0.1, 0.2, 0.3), vec(0, 0, 0));
    Round box = round_box(1, 0.6, 0.3, 0.1);
    Round hull = round_hull(p, 8, 0.1);
    shape_box(&box.s, &box.g, &low, &high);
    NEAR(high.x - low.x, 1, 1e-15);
    NEAR(high.y - low.y, 0.6, 1e-15);
    NEAR(high.z - low.z, 0.3, 1e-15);
    NEAR(box.g.vertex[7].x, 0.4, 1e-16);
    NEAR(box.g.vertex[7].z, 0.05, 1e-16);
    shape_box(&hull.s, &hull.g, &low, &high);
    NEAR(high.x, 0.2, 1e-15);
    NEAR(high.y, 0.3, 1e-15);
    NEAR(low.z, -0.4, 1e-15);
    pool_free(&box.pool);
    pool_free(&hull.pool);
}

// --- Measures: G2 --------------------------------------------------------------------------------

static void refuses(const char *kind, const double *size, double radius, const char *text) {
    Shape s = { .kind = shape_find(kind) };
    for (int i = 0; i < 4; i++) {
        s.size[i] = size[i];
    }
    err = (impError){ 0 };
    assert_false(shape_check_radius(&s, radius, (Where){ 0 }, "body 'x'", &err));
    SAME_TEXT(err.message[0].text, text);
}

static void g2_roundings_that_no_shape_has(void **state) {
    (void)state;
    const double size[4] = { 1, 0.5, 2 };
    refuses("box", size, -0.1, "body 'x': radius -0.1 m; it must be positive");
    refuses("box", size, (double)NAN, "body 'x': radius nan m; it must be finite");
    refuses("box", size, 0.25,
            "body 'x': radius 0.25 m; it must be less than half of size[1], 0.5 m, and leave 1e-7 "
            "m between");
    refuses("hull", size, 1e8, "body 'x': radius 100000000 m; it must lie between 1e-7 and 1e7 m");
    refuses("cone", size, 0.1,
            "body 'x': rounded by a radius of 0.1 m; only a box or a hull can be");
    refuses("sphere", size, 0.1,
            "body 'x': rounded by a radius of 0.1 m; only a box or a hull can be");
    Shape box = { .kind = shape_find("box"), .size = { 1, 0.5, 2 } };
    assert_true(shape_check_radius(&box, 0.2499, (Where){ 0 }, "", &err));
    assert_true(shape_check_radius(&box, 0, (Where){ 0 }, "", &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rounded_cube),
        cmocka_unit_test(a_rounded_box_is_the_hull_of_its_core_rounded),
        cmocka_unit_test(small_cores_are_balls_and_capsules),
        cmocka_unit_test(no_radius_changes_no_bit),
        cmocka_unit_test(sums_agree_with_quadrature),
        cmocka_unit_test(supports_lie_on_the_surface_and_none_is_beyond),
        cmocka_unit_test(a_box_keeps_its_lengths_and_a_hull_grows),
        cmocka_unit_test(g2_roundings_that_no_shape_has),
    };
    return RUN(tests);
}
