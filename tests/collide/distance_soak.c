// distance_soak.c -- closest points of every pair of kinds, by the ten thousand; by the million in
// ./dev soak.
//
// A row of the table is two kinds of shape, in all proportions of the zoo (thin, flat, small), or a
// kind over a plane or over a triangle. Its pairs are far, near, touching, shallow, deep, aligned
// on a lattice, and with a corner or rim on the border between two regions of the other (a vertex
// on a Voronoi plane), in turn. Every answer must carry its certificate: points on both surfaces
// that far apart, and a normal that separates by the distance. Some are compared with a brute force
// that knows nothing of the library: all pairs of features for the distance of polytopes, all axes
// for their depth, a search over all directions for the rest; each with a chance inverse to what
// the brute force costs, so that it takes about as long as the certificates. libccd says of some
// whether they intersect; where it contradicts, the brute force decides who is right.
//
// A pair is a function of its row and number, so any of them can be drawn again. IMPEL_SOAK=N: N
// pairs a row.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

#include <unistd.h>

#if defined(IMPEL_CCD)
#include <ccd/ccd.h>
#endif

#if defined(NDEBUG)
enum { USUAL = 10000 };
#else
// asserts and sanitizers: several times slower
enum { USUAL = 500 };
#endif

// --- rows ----------------------------------------------------------------------------------------
enum { KINDS = 8, PLANE = KINDS, TRIANGLE, PARTNERS, SLICES = 16 };
static const struct {
    const char *name;
    int first, count;  // in the zoo
} kinds[PARTNERS] = {
    { "sphere", ZOO_SPHERE, 2 },
    { "capsule", ZOO_CAPSULE, 1 },
    { "box", ZOO_BOX, 3 },
    { "hull", ZOO_HULL, 4 },
    { "cylinder", ZOO_CYLINDER, 3 },
    { "cone", ZOO_CONE, 2 },
    { "ellipsoid", ZOO_ELLIPSOID, 3 },
    { "rounded", ZOO_DIE, 4 },
    { "plane", 0, 1 },
    { "triangle", 0, 4 },
};

typedef enum Way {
    WAY_FAR,
    WAY_NEAR,
    WAY_TOUCH,
    WAY_SHALLOW,
    WAY_DEEP,
    WAY_LATTICE,
    WAY_BORDER,
    WAYS
} Way;
static const char *const way_names[WAYS] = { "far",  "near",         "touching",   "shallow",
                                             "deep", "on a lattice", "on a border" };

typedef struct Row {
    int a, b;
    long pairs, touching, overlapping, searched, ccd, ccd_wrong;
    long wrong, gave_up, first_wrong, first_gave_up;  // gave up: it says so itself
    double distance, apart, on, normal;               // worst errors, in units of the size
} Row;

typedef struct Case {
    Placed a, b;
    Way way;
    Facet facet;  // what b points to when it is a triangle
} Case;

static impModel *zoo, *others;  // others: a plane, and a mesh of single triangles
static Row slices[SLICES];      // of the row at hand: the threads share it
static long pairs_a_row;

static void build_others(void) {
    static impError err;
    // a half square
    // a splinter
    const impVec3 corner[12] = { { 0, 0, 0 },        { 1, 0, 0 },         { 0, 1, 0 },
                                 { 0.5, 0, 0 },      { -0.25, 0.4, 0.1 }, { -0.25, -0.4, -0.1 },
                                 { -0.5, -0.01, 0 }, { 0.5, 0, 0 },       { 0.1, 0.01, 0 },
                                 { 0, 0, 0 },        { 0.01, 0, 0 },      { 0, 0.01, 0 } };
    const int32_t faces[16] = { 3, 0, 1, 2, 3, 3, 4, 5, 3, 6, 7, 8, 3, 9, 10, 11 };
    const impShapeDef defs[2] = {
        { .kind = "plane", .size = { 0.36, 0.48, 0.8, 0.25 } },
        { .kind = "mesh", .points = corner, .point_count = 12, .faces = faces, .face_ints = 16 },
    };
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &defs[i], .shape_count = 1 },
                      &err);
    }
    others = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!others) {
        fail_msg("%s", err.message[0].text);
    }
}

// --- draws ---------------------------------------------------------------------------------------
static int pick(Draws *d, int count) { return (int)draw(d, 0, count); }

static impQuat quarter_turn(Draws *d) {
    const double h = sqrt(0.5);
    const impQuat turns[] = { { 1, 0, 0, 0 },          { 0, 1, 0, 0 }, { 0, 0, 1, 0 },
                              { h, h, 0, 0 },          { h, 0, h, 0 }, { 0.5, 0.5, 0.5, 0.5 },
                              { 0.5, -0.5, 0.5, 0.5 }, { h, 0, 0, h } };
    return turns[pick(d, COUNT(turns))];
}

// a product of two is a rounding farther from unit length
static impQuat product(impQuat a, impQuat b) {
    impQuat q = qmul(a, b);
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return quat(s * q.w, s * q.x, s * q.y, s * q.z);
}

// exactly upright, or anywhere
static impPose common_frame(Draws *d) {
    impPose any = draw_pose(d, 1);
    return pick(d, 2) ? any : pose_identity();
}

static double gap_of_any_sort(Draws *d, double size) {
    Apart apart = (Apart)pick(d, APART_DEEP);
    return draw_gap(d, apart, size);
}

// Parallel faces and edges; half of them then brought to a gap along an axis.
static void draw_lattice(Draws *d, Placed *a, Placed *b) {
    const double steps[] = { -1.25, -1,    -0.75, -0.5, -0.25, -0.125, 0,   0,
                             0,     0.125, 0.25,  0.5,  0.75,  1,      1.25 };
    impPose frame = common_frame(d);
    double x = steps[pick(d, COUNT(steps))];
    double y = steps[pick(d, COUNT(steps))];
    double z = steps[pick(d, COUNT(steps))];
    int axis = pick(d, 6);
    impQuat turn_a = quarter_turn(d);
    impQuat turn_b = quarter_turn(d);
    a->pose = pose(place(frame, vec(x, y, z)), product(frame.rotation, turn_a));
    b->pose = pose(frame.at, product(frame.rotation, turn_b));
    if (axis >= 3) return;
    impVec3 n = rotate(frame.rotation, vec(axis == 0, axis == 1, axis == 2));
    double gap = gap_of_any_sort(d, zoo_size(a, b));
    a->pose.at = madd(a->pose.at, gap - oracle_separation(a, b, n), n);
}

// 0, 1/2, 1 or between
static double share(Draws *d) {
    double u = draw(d, 0, 1);
    int sort = pick(d, 5);
    return sort < 2 ? 0 : sort == 2 ? 0.5 : sort == 3 ? 1 : u;
}

static impVec3 unit_of(impVec3 a) { return scale(1 / norm(a), a); }

// A point of the surface where regions meet, and one of the normals there that belong to more than
// one: shape's frame.
static impVec3 border_of_core(Draws *d, const Placed *p, impVec3 *n) {
    const Shape *s = p->shape;
    double t = share(d);
    double w = share(d);
    impVec3 any = unit_of(draw_vec(d, 1));
    impVec3 x = p->g->vertex[s->first_vertex];
    if (s->edge_count > 0) {
        const Edge *e = &p->g->edge[s->first_edge + pick(d, s->edge_count)];
        impVec3 tail = p->g->vertex[s->first_vertex + e->tail];
        impVec3 head = p->g->vertex[s->first_vertex + e->head];
        x = add(scale(1 - t, tail), scale(t, head));
        any = unit_of(madd(any, -dot(any, e->direction), e->direction));
        if (s->face_count > 0) {
            impVec3 left = p->g->face[s->first_face + e->left].normal;
            impVec3 right = p->g->face[s->first_face + e->right].normal;
            any = add(scale(w, left), scale(1 - w, right));
            any = norm(any) > 1e-6 ? unit_of(any) : e->out_left;
        }
    }
    *n = any;
    return madd(x, s->radius, any);
}

static impVec3 border_of(Draws *d, const Placed *p, impVec3 *n) {
    const char *kind = shape_kinds[p->shape->kind].name;
    const double *s = p->shape->size;
    if (p->shape->core) return border_of_core(d, p, n);
    double quarters = 0.25 * pick(d, 4);
    double more = pick(d, 2) ? draw(d, 0, 0.25) : 0;
    SinCos rotation = num_sincos_turns(quarters + more);
    double w = share(d);
    double side = pick(d, 2) ? 1 : -1;
    impVec3 out = vec(rotation.cos, rotation.sin, 0);
    impVec3 slope = unit_of(vec(s[1] * rotation.cos, s[1] * rotation.sin, s[0]));
    if (!strcmp(kind, "cylinder")) {
        *n = unit_of(vec(w * out.x, w * out.y, (1 - w) * side));
        return vec(s[0] * out.x, s[0] * out.y, 0.5 * s[1] * side);
    }
    // at the apex or on the rim
    if (!strcmp(kind, "cone")) {
        *n = unit_of(add(scale(w, slope), vec(0, 0, (1 - w) * side)));
        return side > 0 ? vec(0, 0, s[1]) : scale(s[0], out);
    }
    *n = w < 0.5 ? out : vec(0, 0, side);
    return shape_kinds[p->shape->kind].support(p->shape, p->g, *n);
}

// a's farthest point comes to lie above a border of b, along a normal there: exactly, but for
// rounding.
static void draw_border(Draws *d, Placed *a, Placed *b) {
    impVec3 n, x;
    b->pose = common_frame(d);
    int alike = pick(d, 3);
    impQuat any = draw_turn(d);
    impQuat quarter = quarter_turn(d);
    a->pose.rotation = alike == 0   ? any
                       : alike == 1 ? b->pose.rotation
                                    : product(b->pose.rotation, quarter);
    x = place(b->pose, border_of(d, b, &n));
    n = rotate(b->pose.rotation, n);
    impVec3 s = shape_kinds[a->shape->kind].support(a->shape, a->g,
                                                    unrotate(a->pose.rotation, neg(n)));
    double gap = gap_of_any_sort(d, zoo_size(a, b));
    a->pose.at = sub(madd(x, gap, n), rotate(a->pose.rotation, s));
}

static void draw_over_plane(Draws *d, Way way, Placed *a, Placed *b) {
    const double *s = b->shape->size;
    *b = (Placed){ b->shape, b->g, common_frame(d) };
    impVec3 n = rotate(b->pose.rotation, vec(s[0], s[1], s[2]));
    impVec3 at = draw_vec(d, 3);
    impQuat any = draw_turn(d);
    impQuat quarter = quarter_turn(d);
    a->pose = pose(at, way == WAY_LATTICE ? product(b->pose.rotation, quarter) : any);
    if (way == WAY_FAR) return;
    Closest c = collide_closest(a, b, NULL);
    double gap = way < WAY_LATTICE ? draw_gap(d, (Apart)way, zoo_size(a, a))
                                   : gap_of_any_sort(d, zoo_size(a, a));
    a->pose.at = madd(a->pose.at, gap - c.distance, n);
}

static void draw_case(const Row *row, long i, Draws *d, Case *c) {
    *d = (Draws){ (uint64_t)(100 * row->a + row->b), (uint64_t)i * 100 };
    c->way = (Way)(i % WAYS);
    c->a = zoo_at(zoo, kinds[row->a].first + pick(d, kinds[row->a].count), pose_identity());
    int other = pick(d, kinds[row->b].count);
    Placed plane = { &others->shape[0], &others->geometry, pose_identity() };
    Placed mesh = { &others->shape[1], &others->geometry, pose_identity() };
    if (row->b < KINDS) {
        c->b = zoo_at(zoo, kinds[row->b].first + other, pose_identity());
    } else {
        c->b = row->b == PLANE ? plane : collide_facet(&mesh, other, &c->facet);
    }
    bool swap = row->b < KINDS && pick(d, 2);
    if (swap) {
        Placed first = c->a;
        c->a = c->b;
        c->b = first;
    }
    if (row->b == PLANE) {
        draw_over_plane(d, c->way, &c->a, &c->b);
    } else if (c->way == WAY_LATTICE) {
        draw_lattice(d, &c->a, &c->b);
    } else if (c->way == WAY_BORDER) {
        draw_border(d, &c->a, &c->b);
    } else {
        draw_poses(d, (Apart)c->way, &c->a, &c->b);
    }
}

// --- the brute force, and what it costs ----------------------------------------------------------
static bool curved(const Placed *p) { return !p->shape->core; }
// else by depth; the certificate proves the sign
static bool by_distance(const Case *c, const Closest *found) {
    return c->a.shape->face_count + c->b.shape->face_count == 0 ||
           found->distance + c->a.shape->radius + c->b.shape->radius > 0;
}

static double microseconds(const Case *c, const Closest *found) {
    const Shape *a = c->a.shape;
    const Shape *b = c->b.shape;
    double look = 0.1 + 0.003 * (a->vertex_count + b->vertex_count);
    double edges = (double)a->edge_count * b->edge_count;
    if (curved(&c->a) || curved(&c->b)) return look * (found->distance > 0 ? 10000 : 38000);
    if (!by_distance(c, found)) return 2 * look * (edges + a->face_count + b->face_count);
    return 0.15 * (a->vertex_count * b->face_count + b->vertex_count * a->face_count) +
           0.2 * (edges + a->edge_count + b->edge_count);
}

static double brute_error(const Case *c, const Closest *found) {
    double size = zoo_size(&c->a, &c->b);
    if (curved(&c->a) || curved(&c->b))
        return fmax(0, oracle_search(&c->a, &c->b) - found->distance) / size;
    double truth = by_distance(c, found) ? oracle_distance(&c->a, &c->b)
                                         : oracle_depth(&c->a, &c->b);
    return fabs(truth - found->distance) / size;
}

#if defined(IMPEL_CCD)
static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
    const Placed *p = object;
    impVec3 u = unrotate(p->pose.rotation, vec(ccdVec3X(dir), ccdVec3Y(dir), ccdVec3Z(dir)));
    impVec3 x = place(p->pose, shape_kinds[p->shape->kind].support(p->shape, p->g, u));
    ccdVec3Set(out, x.x, x.y, x.z);
}

static bool ccd_contradicts(const Case *c, const Closest *found) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd_support;
    ccd.support2 = ccd_support;
    ccd.max_iterations = 1000;
    return (ccdGJKIntersect(&c->a, &c->b, &ccd) != 0) != (found->distance < 0);
}
#endif

// --- one pair ------------------------------------------------------------------------------------
#define EACH 8.0  // microseconds of brute force that a pair may cost on the average
enum { CCD_EVERY = 8 };

typedef struct Verdict {
    Closest found;
    Check check;
    double error;  // by brute force; -1: not asked
    bool ccd, ccd_wrong, good;
} Verdict;

static double limit_of(const Case *c) { return curved(&c->a) || curved(&c->b) ? 1e-10 : 1e-12; }

static Verdict judge(const Row *row, long i, Case *c) {
    Draws d;
    draw_case(row, i, &d, c);
    Closest found = collide_closest(&c->a, &c->b, NULL);
    Verdict v = { .found = found, .error = -1 };
    bool plane = row->b == PLANE;
    v.check = plane ? oracle_check_plane(&c->a, &c->b, &found) : oracle_check(&c->a, &c->b, &found);
    if (!plane && draw(&d, 0, 1) < EACH / microseconds(c, &found)) {
        v.error = brute_error(c, &found);
    }
#if defined(IMPEL_CCD)
    // its own grain
    v.ccd = !plane && pick(&d, CCD_EVERY) == 0 &&
            fabs(found.distance) > 1e-4 * zoo_size(&c->a, &c->b);
    v.ccd_wrong = v.ccd && ccd_contradicts(c, &found);
    if (v.ccd_wrong) {
        v.error = brute_error(c, &found);
    }
#endif
    Check k = v.check;
    double limit = limit_of(c);
    v.good = k.apart <= limit && k.on <= limit && k.normal <= 1e-12 && k.unit <= 2e-15 &&
             v.error <= limit && !found.fallback;
    return v;
}

// no number is the worst
static double worse(double a, double b) { return a >= b ? a : b; }

static void count(Row *r, long i, const Case *c, const Verdict *v) {
    double size = zoo_size(&c->a, &c->a);
    r->pairs++;
    r->touching += fabs(v->found.distance) <= 1e-8 * size;
    r->overlapping += v->found.distance < 0;
    r->searched += v->error >= 0;
    r->ccd += v->ccd;
    r->ccd_wrong += v->ccd_wrong;
    r->distance = worse(r->distance, v->error);
    r->apart = worse(r->apart, v->check.apart);
    r->on = worse(r->on, v->check.on);
    r->normal = worse(r->normal, v->check.normal);
    if (v->found.fallback && r->gave_up++ == 0) {
        r->first_gave_up = i;
    }
    if (!v->good && !v->found.fallback && r->wrong++ == 0) {
        r->first_wrong = i;
    }
}

static void work(void *context, int first, int last, int worker) {
    (void)context;
    (void)worker;
    for (int s = first; s < last; s++) {
        for (long i = s; i < pairs_a_row; i += SLICES) {
            Case c;
            Verdict v = judge(&slices[s], i, &c);
            count(&slices[s], i, &c, &v);
        }
    }
}

// --- the table -----------------------------------------------------------------------------------
static void first_of(long *count, long *first, long more, long at) {
    if (more && (!*count || at < *first)) {
        *first = at;
    }
    *count += more;
}

static Row sum_of_slices(void) {
    Row sum = slices[0];
    for (int s = 1; s < SLICES; s++) {
        const Row *r = &slices[s];
        first_of(&sum.wrong, &sum.first_wrong, r->wrong, r->first_wrong);
        first_of(&sum.gave_up, &sum.first_gave_up, r->gave_up, r->first_gave_up);
        sum.pairs += r->pairs;
        sum.touching += r->touching;
        sum.overlapping += r->overlapping;
        sum.searched += r->searched;
        sum.ccd += r->ccd;
        sum.ccd_wrong += r->ccd_wrong;
        sum.distance = worse(r->distance, sum.distance);
        sum.apart = worse(r->apart, sum.apart);
        sum.on = worse(r->on, sum.on);
        sum.normal = worse(r->normal, sum.normal);
    }
    return sum;
}

static void print_placed(const char *name, const Placed *p) {
    impVec3 x = p->pose.at;
    impQuat q = p->pose.rotation;
    const char *shape = p->g == &zoo->geometry ? zoo_names[p->shape - zoo->shape]
                                               : "plane or triangle";
    print_error("    %s: %s at %a %a %a, turned %a %a %a %a\n", name, shape, x.x, x.y, x.z, q.w,
                q.x, q.y, q.z);
}

static void print_bad(const Row *r, const char *what, long count, long i) {
    Case c;
    Verdict v = judge(r, i, &c);
    print_error("%s, %s: %ld %s, the first is pair %ld (%s): distance %.17g, limit %.0e of the "
                "size; brute force %.1e "
                "off, points %.1e, surfaces %.1e, normal %.1e, its length %.1e\n",
                kinds[r->a].name, kinds[r->b].name, count, what, i, way_names[c.way],
                v.found.distance, limit_of(&c), v.error, v.check.apart, v.check.on, v.check.normal,
                v.check.unit);
    print_placed("a", &c.a);
    print_placed("b", &c.b);
}

static long print_row(const Row *r) {
    print_message("%-10s %-10s %8ld %9ld %9ld %9.1e %9.1e %9.1e %9.1e %9ld %8ld %8ld %7ld %8ld\n",
                  kinds[r->a].name, kinds[r->b].name, r->pairs, r->touching, r->overlapping,
                  r->apart, r->on, r->normal, r->distance, r->searched, r->ccd, r->ccd_wrong,
                  r->wrong, r->gave_up);
    if (r->wrong) {
        print_bad(r, "wrong", r->wrong, r->first_wrong);
    }
    if (r->gave_up) {
        print_bad(r, "given up", r->gave_up, r->first_gave_up);
    }
    return r->wrong + r->gave_up;
}

static void every_answer_is_certified(void **state) {
    (void)state;
    long bad = 0;
    pairs_a_row = soak_count(USUAL);
    ThreadPool *thread_pool = thread_pool_new((int)sysconf(_SC_NPROCESSORS_ONLN));
    print_message("%-21s %8s %9s %9s %9s %9s %9s %9s %9s %8s %8s %7s %8s\n", "worst, of the size",
                  "pairs", "touching", "overlap", "points", "surfaces", "normal", "distance",
                  "by force", "libccd", "it errs", "wrong", "gave up");
    for (int a = 0; a < KINDS; a++) {
        for (int b = a; b < PARTNERS; b++) {
            for (int s = 0; s < SLICES; s++) {
                slices[s] = (Row){ .a = a, .b = b };
            }
            thread_pool_run(thread_pool, SLICES, 1, work, NULL);
            Row r = sum_of_slices();
            bad += print_row(&r);
            // a row may take a minute
            fflush(stdout);
        }
    }
    thread_pool_free(thread_pool);
    if (bad) {
        fail_msg("%ld answers wrong or given up", bad);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_answer_is_certified) };
    zoo = zoo_build(1);
    build_others();
    int failed = RUN(tests);
    impModel_Free(zoo);
    impModel_Free(others);
    return failed;
}
