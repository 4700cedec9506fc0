// build.c -- from scene to model: every check, once; then flat lists that do not change.
//
// The itinerary of a build is impModel_Build below. Each part goes on after a mistake, so that all
// of them are reported together; the model is handed out only if there was none.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

// a state of 27 doubles each is counted in an int
enum { MOST_BODIES = 50000000 };

bool model_warn(impModel *model, Where at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *kept = pool_line(&model->pool, at, format, args);
    va_end(args);
    if (!kept ||
        !POOL_GROW(&model->pool, model->warnings, model->warning_room, model->warning_count)) {
        model->warning_lost = true;
        return false;
    }
    model->warnings[model->warning_count++] = kept;
    return true;
}

// Flushed denormals or another rounding direction would change bits (docs/concepts/determinism.md);
// a product and two sums at run time detect them. Upward rounding shows in the first sum, downward
// and toward zero in the second.
const char *model_arithmetic(void) {
    volatile double tiny = DBL_MIN;
    volatile double one = 1;
    volatile double dust = DBL_EPSILON / 8;
    if (tiny * 0.5 != 0 && one + dust == one && one - dust == one) return NULL;
    return "the processor flushes denormals or does not round to nearest; impel needs denormals "
           "and rounding to nearest";
}

static Shown show_vec(impVec3 a, char *out, size_t size) {
    Shown x = show(a.x);
    Shown y = show(a.y);
    Shown z = show(a.z);
    print_text(out, size, "[%s, %s, %s]", x.text, y.text, z.text);
    return x;
}

// --- poses and velocities ------------------------------------------------------------------------
static bool check_position(const SceneBody *b, impError *err) {
    impVec3 at = b->def.pose.at;
    char text[100];
    if (finite3(at) && largest(at) <= FARTHEST) return true;
    show_vec(at, text, sizeof text);
    return fail(err, b->at[BODY_POSITION],
                "body '%s': position %s m; each coordinate must lie within +-1e9", b->def.name,
                text);
}

static bool check_orientation(impModel *m, const SceneBody *b, impQuat *rotation, impError *err) {
    impQuat q = b->def.pose.rotation;
    double n = qnorm(q);
    bool all_zero = q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0;
    *rotation = quat(1, 0, 0, 0);
    // the reader refuses it where it was said
    if (all_zero) return true;
    if (!isfinite(n) || !(n > 1e-150))
        return fail(err, b->at[BODY_ORIENTATION],
                    "body '%s': orientation of length %s; it must be a unit quaternion",
                    b->def.name, show(n).text);
    *rotation = unit(q);
    if (fabs(n - 1) > 1e-6) {
        model_warn(m, b->at[BODY_ORIENTATION],
                   "body '%s': orientation of length %s; it was normalised", b->def.name,
                   show(n).text);
    }
    return true;
}

static bool check_twist(const SceneBody *b, impError *err) {
    char text[100];
    impVec3 v = b->def.twist.linear;
    impVec3 w = b->def.twist.angular;
    bool ok = true;
    if (!finite3(v) || norm(v) > FASTEST) {
        show_vec(v, text, sizeof text);
        ok = fail(err, b->at[BODY_VELOCITY],
                  "body '%s': velocity %s m/s; its size must be at most 1e8", b->def.name, text);
    }
    if (!finite3(w) || norm(w) > FASTEST) {
        show_vec(w, text, sizeof text);
        ok = fail(err, b->at[BODY_SPIN],
                  "body '%s': angular velocity %s rad/s; its size must be at most 1e8", b->def.name,
                  text);
    }
    return ok;
}

static bool check_role(const SceneBody *b, impRole *role, impError *err) {
    bool moves = b->def.motion_count > 0;
    bool thrown = !zero3(b->def.twist.linear) || !zero3(b->def.twist.angular);
    *role = b->def.fixed ? IMP_FIXED : moves ? IMP_KINEMATIC : IMP_DYNAMIC;
    if (b->def.fixed && moves)
        return fail(err, b->at[BODY_MOTION],
                    "body '%s': fixed and with a motion; it can only be one of them", b->def.name);
    if (*role != IMP_DYNAMIC && thrown)
        return fail(err, b->at[BODY_VELOCITY],
                    "body '%s': a velocity for a body that is %s; only dynamic bodies have one",
                    b->def.name, b->def.fixed ? "fixed" : "moved by a motion");
    return true;
}

// Of length 1, or zero if it was; scaled first, so that no square overflows or vanishes.
static impVec3 direction(impVec3 axis) {
    double most = largest(axis);
    if (!(most > 0) || isinf(most)) return axis;
    if (most < 1e-100 || most > 1e100) {
        axis = vec(axis.x / most, axis.y / most, axis.z / most);
    }
    return scale(1 / norm(axis), axis);
}

static bool build_motions(impModel *m, const SceneBody *b, Body *body, impError *err) {
    char who[200];
    bool ok = true;
    print_text(who, sizeof who, "body '%s'", b->def.name);
    body->first_motion = m->motion_count;
    for (int i = 0; i < b->def.motion_count; i++) {
        const impMotionDef *d = &b->def.motions[i];
        int kind = motion_find(d->kind);
        if (kind < 0) {
            ok = fail(err, b->at[BODY_MOTION],
                      "%s: motion \"%s\" is unknown; it must be spin, vibrate or translate", who,
                      d->kind ? d->kind : "");
            continue;
        }
        if (!motion_kinds[kind].check(d, b->at[BODY_MOTION], who, err)) {
            ok = false;
        }
        if (!POOL_GROW(&m->pool, m->motion, m->motion_room, m->motion_count))
            return fail_memory(err);
        Motion *c = &m->motion[m->motion_count++];
        bool same = d->rotation_frequency == 0;
        *c = (Motion){ .kind = kind,
                       .axis = direction(d->axis),
                       .amplitude = d->amplitude,
                       .velocity = d->velocity,
                       .rate = d->rate,
                       .angle = d->angle,
                       .frequency = d->frequency,
                       .phase = d->phase,
                       .rotation_frequency = same ? d->frequency : d->rotation_frequency,
                       .rotation_phase = same ? d->phase + d->rotation_phase : d->rotation_phase };
        body->motion_count++;
    }
    return ok;
}

// Rows and names come first and whole: all later parts of the build go on after a mistake, and look
// at them.
static bool take_bodies(impModel *m, const impScene *scene, impError *err) {
    if (scene->body_count > MOST_BODIES)
        return fail_as(err, IMP_AT_LIMIT, (Where){ scene->file, 0, 0 },
                       "scene: %d bodies; at most %d are possible", scene->body_count, MOST_BODIES);
    m->body_count = scene->body_count + 1;
    m->body = pool_take_lines(&m->pool, (size_t)m->body_count, sizeof(Body));
    if (!m->body) return fail_memory(err);
    for (int i = 1; i < m->body_count; i++) {
        if (!(m->body[i].name = pool_text(&m->pool, scene->bodies[i - 1].def.name)))
            return fail_memory(err);
    }
    return true;
}

static bool build_bodies(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    m->body[0] = (Body){ .name = "world",
                         .role = IMP_FIXED,
                         .free = -1,
                         .pose0 = pose_identity(),
                         .in_parent = pose_identity(),
                         .in_child = pose_identity(),
                         .axes = quat(1, 0, 0, 0) };
    for (int i = 1; i < m->body_count; i++) {
        const SceneBody *b = &scene->bodies[i - 1];
        Body *body = &m->body[i];
        body->free = -1;
        body->axes = quat(1, 0, 0, 0);
        body->in_parent = body->in_child = pose_identity();
        ok = check_position(b, err) && ok;
        ok = check_orientation(m, b, &body->pose0.rotation, err) && ok;
        ok = check_twist(b, err) && ok;
        ok = check_role(b, &body->role, err) && ok;
        body->pose0.at = b->def.pose.at;
        body->twist0 = b->def.twist;
        ok = build_motions(m, b, body, err) && ok;
    }
    return ok;
}

// --- names ---------------------------------------------------------------------------------------
static bool name_before(const void *context, int32_t i, int32_t j) {
    const impModel *m = context;
    return strcmp(m->body[i].name, m->body[j].name) < 0;
}

static bool build_names(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    int n = m->body_count;
    m->by_name = POOL_TAKE(&m->pool, int32_t, 2 * n);
    if (!m->by_name) return fail_memory(err);
    for (int i = 0; i < n; i++) {
        m->by_name[i] = i;
    }
    sort_stable(m->by_name, m->by_name + n, n, name_before, m);
    for (int i = 1; i < n; i++) {
        int a = m->by_name[i - 1];
        int b = m->by_name[i];
        if (strcmp(m->body[a].name, m->body[b].name)) continue;
        Where at = scene->bodies[b - 1].at[BODY_ITSELF];
        if (a == 0) {
            ok = fail(err, at,
                      "body 'world': the name belongs to the world itself; choose another");
        } else if (scene->bodies[a - 1].at[BODY_ITSELF].line) {
            ok = fail(err, at,
                      "body '%s': the name is taken by the body at line %d; names must be unique",
                      m->body[b].name, scene->bodies[a - 1].at[BODY_ITSELF].line);
        } else {
            ok = fail(err, at, "body '%s': the name is taken; names must be unique",
                      m->body[b].name);
        }
    }
    for (int i = 1; i < n; i++) {
        if (!m->body[i].name[0]) {
            ok = fail(err, scene->bodies[i - 1].at[BODY_ITSELF],
                      "body %d: its name is empty; it must have one", i);
        }
    }
    return ok;
}

// --- the scene as a whole ------------------------------------------------------------------------
static bool check_scene(const impScene *scene, impError *err) {
    char text[100];
    bool ok = true;
    const impRunDef *r = &scene->run;
    if (!finite3(scene->gravity) || norm(scene->gravity) > 1e6) {
        show_vec(scene->gravity, text, sizeof text);
        ok = fail(err, scene->gravity_at, "scene: gravity %s m/s^2; its size must be at most 1e6",
                  text);
    }
    if (!(r->duration >= 0 && isfinite(r->duration))) {
        ok = fail(err, scene->run_at, "run: duration %s s; it must be 0 or more",
                  show(r->duration).text);
    }
    if (!(r->dt >= 0 && isfinite(r->dt))) {
        ok = fail(err, scene->run_at, "run: dt %s s; it must be positive", show(r->dt).text);
    }
    if (!(r->contact_band >= 0 && isfinite(r->contact_band))) {
        ok = fail(err, scene->run_at, "run: contact_band %s m; it must be positive",
                  show(r->contact_band).text);
    }
    if (r->contact_capacity < 0 || r->contact_capacity > MOST_CONTACTS) {
        ok = fail(err, scene->run_at, "run: contact_capacity %d; it must lie between 1 and %d",
                  r->contact_capacity, MOST_CONTACTS);
    }
    if (r->directions != 0 && (r->directions < 2 || r->directions > 64 || r->directions % 2)) {
        ok = fail(err, scene->run_at,
                  "run: %d directions of friction; their number must be even, from 2 to 64",
                  r->directions);
    }
    if (r->shock_propagation < 0 || r->shock_propagation > MOST_SWEEPS) {
        ok = fail(err, scene->run_at, "run: shock_propagation %d; it must lie between 0 and %d",
                  r->shock_propagation, MOST_SWEEPS);
    }
    for (int i = 0; i < run_choice_count; i++) {
        const RunChoice *choice = &run_choices[i];
        int value = run_choice_get(choice, r);
        if (value >= 0 && value < choice->count) continue;
        char known[200] = "";
        for (int k = 0; k < choice->count; k++) {
            size_t used = strlen(known);
            const char *before = k == 0 ? "" : k + 1 < choice->count ? ", " : " or ";
            print_text(known + used, sizeof known - used, "%s%s", before, choice->names[k]);
        }
        ok = fail(err, scene->run_at, "run: %s %d is unknown; it must be %s", choice->key, value,
                  known);
    }
    return ok;
}

// Things that are allowed and that people regret: units off by a thousand, masses that span too
// much, lost digits.
static void warn_sizes(impModel *m, const impScene *scene) {
    double lightest = HUGE_VAL;
    double heaviest = 0;
    int light = 0, heavy = 0;
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        const SceneBody *said = &scene->bodies[i - 1];
        double size = b->bounded ? largest(sub(b->high, b->low)) : 0;
        if (said->like < 0 && size > 1e3) {
            model_warn(m, said->at[BODY_SHAPE], "body '%s': %s m long; lengths are in metres",
                       b->name, show(size).text);
        }
        if (said->like < 0 && b->bounded && size < 1e-4) {
            model_warn(m, said->at[BODY_SHAPE], "body '%s': only %s m long; lengths are in metres",
                       b->name, show(size).text);
        }
        if (b->bounded && largest(b->pose0.at) * DBL_EPSILON > 1e-6 * size) {
            model_warn(m, said->at[BODY_POSITION],
                       "body '%s': so far out that positions are rounded to %s m, more than a "
                       "millionth of its size",
                       b->name, show(largest(b->pose0.at) * DBL_EPSILON).text);
        }
        if (b->role != IMP_DYNAMIC) continue;
        if (b->mass < lightest) {
            lightest = b->mass;
            light = i;
        }
        if (b->mass > heaviest) {
            heaviest = b->mass;
            heavy = i;
        }
    }
    if (light && heaviest > 1e12 * lightest) {
        model_warn(m, scene->bodies[heavy - 1].at[BODY_MASS],
                   "body '%s' is %s times as heavy as '%s'; digits will be lost",
                   m->body[heavy].name, show(heaviest / lightest).text, m->body[light].name);
    }
}

// --- the contact band ----------------------------------------------------------------------------
#define BAND 1e-4  // eps_c: of the smallest Body.extent
// Body.extent of several pieces that move: at least this of their smallest extent together,
#define PART_OF_BODY  0.1
#define MOST_OF_PIECE 100.0  //   nor more than this of the smallest piece's

// Smallest extent of the box with the same mass and moments, and no more than that of its own box;
// 0: unknown. Of moments I1 <= I2 <= I3 of a box with sides a >= b >= c is m c^2 / 6 = I1 + I2 -
// I3.
static double smallest_extent(const Body *b) {
    const double *i = b->moments;
    double least = i[0] + i[1] + i[2] - 2 * max2(i[0], max2(i[1], i[2]));
    impVec3 box = sub(b->high, b->low);
    if (!b->bounded || !(least > 0)) return 0;
    return min2(sqrt(6 * least / b->mass), min2(box.x, min2(box.y, box.z)));
}

// How often a body touches the ground while it settles goes with the root of the band's inverse,
// and what it does then is a matter of its own size: a thin plate on a large block makes neither
// finer than a part in 1e5 of the block.
static double extent_of(const Body *b) {
    if (b->role != IMP_DYNAMIC || b->shape_count < 2) return b->smallest_extent;
    return max2(b->smallest_extent,
                min2(PART_OF_BODY * smallest_extent(b), MOST_OF_PIECE * b->smallest_extent));
}

static void set_extents(impModel *m) {
    for (int i = 0; i < m->body_count; i++) {
        m->body[i].extent = extent_of(&m->body[i]);
    }
}

static double default_band(const impModel *m) {
    double least = HUGE_VAL;
    for (int i = 1; i < m->body_count; i++) {
        if (m->body[i].extent > 0) {
            least = min2(least, m->body[i].extent);
        }
    }
    return least < HUGE_VAL ? BAND * least : BAND;
}

// Entries of the contact memory. A body in a heap has 3 (balls) to 8 (boxes) points; many bodies
// have fewer each.
static int default_contact_capacity(int bodies) {
    enum { LEAST = 64, POINTS_OF_FEW = 24, FEW = 1000, POINTS_OF_MANY = 8 };
    if (bodies == 0) return 0;
    return bodies <= FEW ? LEAST + POINTS_OF_FEW * bodies
                         : LEAST + POINTS_OF_FEW * FEW + POINTS_OF_MANY * (bodies - FEW);
}

static bool build_start(impModel *m, const impScene *scene, impError *err) {
    if (m->run.contact_capacity == 0) {
        int dynamic = 0;
        for (int i = 1; i < m->body_count; i++) {
            dynamic += m->body[i].role == IMP_DYNAMIC;
        }
        m->run.contact_capacity = default_contact_capacity(dynamic);
    }
    m->sizes.ncontacts = m->run.contact_capacity;
    m->layout = model_layout(&m->sizes);
    m->start = POOL_TAKE(&m->pool, double, m->layout.total);
    if (!m->start) return fail_memory(err);
    double *q = m->start + m->layout.q;
    double *v = m->start + m->layout.v;
    double *anchor = m->start + m->layout.anchor;
    for (int i = 0; i < m->sizes.nfree; i++, anchor += ANCHOR) {
        const Body *b = &m->body[m->free_body[i]];
        impVec3 x = place(b->pose0, b->center);
        impQuat rotation = b->pose0.rotation;
        impTwist t = b->twist0;
        double values[13] = { x.x,         x.y,         x.z,        rotation.w, rotation.x,
                              rotation.y,  rotation.z,  t.linear.x, t.linear.y, t.linear.z,
                              t.angular.x, t.angular.y, t.angular.z };
        memcpy(q + b->q, values, 7 * sizeof(double));
        memcpy(v + b->v, values + 7, 6 * sizeof(double));
        memcpy(anchor + 1, values, 13 * sizeof(double));
    }
    return model_start_tree(m, scene, q, v, err);
}

static uint64_t hash_pose(uint64_t h, impPose p) {
    double values[7] = { p.at.x,       p.at.y,       p.at.z,      p.rotation.w,
                         p.rotation.x, p.rotation.y, p.rotation.z };
    return hash_doubles(h, values, 7);
}

static uint64_t hash_body(uint64_t h, const Body *b) {
    double values[] = { b->role,     b->parent,   b->joint,      b->mass,       b->center.x,
                        b->center.y, b->center.z, b->moments[0], b->moments[1], b->moments[2],
                        b->axes.w,   b->axes.x,   b->axes.y,     b->axes.z };
    h = hash_bytes(h, b->name, strlen(b->name) + 1);
    h = hash_doubles(h, values, (size_t)COUNT(values));
    if (!zero3(b->plane)) {
        double normal[3] = { b->plane.x, b->plane.y, b->plane.z };
        h = hash_doubles(h, normal, 3);
    }
    return hash_pose(hash_pose(hash_pose(h, b->pose0), b->in_parent), b->in_child);
}

static uint64_t hash_motion(uint64_t h, const Motion *c) {
    double values[] = { c->kind,          c->axis.x,      c->axis.y,      c->axis.z,
                        c->amplitude.x,   c->amplitude.y, c->amplitude.z, c->rate,
                        c->angle,         c->frequency,   c->phase,       c->rotation_frequency,
                        c->rotation_phase };
    h = hash_doubles(h, values, (size_t)COUNT(values));
    // spin and vibrate have none
    if (zero3(c->velocity)) return h;
    double velocity[3] = { c->velocity.x, c->velocity.y, c->velocity.z };
    return hash_doubles(h, velocity, 3);
}

// All that gives the numbers of a state their meaning. Shapes and materials may differ: a state
// says nothing of them.
static uint64_t identify(const impModel *m) {
    uint64_t h = hash_doubles(HASH_START, m->start, (size_t)m->layout.total);
    double g[3] = { m->gravity.x, m->gravity.y, m->gravity.z };
    h = hash_doubles(h, g, 3);
    for (int i = 0; i < m->body_count; i++) {
        h = hash_body(h, &m->body[i]);
    }
    for (int i = 0; i < m->motion_count; i++) {
        h = hash_motion(h, &m->motion[i]);
    }
    return h;
}

#define BAND_PART      0.1    // of the half length of the smallest body that moves
#define PLACE_ROUNDING 1e-11  // of that of the largest: rounding of places is seen
static bool check_band(impModel *m, const impScene *scene, impError *err) {
    double least = HUGE_VAL;
    double most = 0;
    for (int i = 0; i < m->sizes.nfree; i++) {
        double bounding_radius = m->body[m->free_body[i]].bounding_radius;
        if (bounding_radius > 0) {
            least = min2(least, bounding_radius);
            most = max2(most, bounding_radius);
        }
    }
    if (m->run.contact_band > least && m->run.micro == IMP_MICROSTEP)
        return fail(err, scene->run_at,
                    "run: contact_band %s m; it must be less than half of the smallest body that "
                    "moves, %s m",
                    show(m->run.contact_band).text, show(least).text);
    if (m->run.contact_band < PLACE_ROUNDING * most) {
        model_warn(m, scene->run_at, "run: contact_band %s m is finer than places are known, %s m",
                   show(m->run.contact_band).text, show(PLACE_ROUNDING * most).text);
    }
    if (m->run.contact_band > BAND_PART * least) {
        model_warn(m, scene->run_at,
                   "run: contact_band %s m is more than a twentieth of the smallest body; bodies "
                   "rise by a quarter of it in each micro-step",
                   show(m->run.contact_band).text);
    }
    return true;
}

static bool finish(impModel *m, const impScene *scene, impError *err) {
    warn_sizes(m, scene);
    m->run = scene->run;
    if (m->run.method && !(m->run.method = pool_text(&m->pool, m->run.method)))
        return fail_memory(err);
    set_extents(m);
    if (m->run.contact_band == 0) {
        m->run.contact_band = default_band(m);
    }
    if (!check_band(m, scene, err)) return false;
    if (m->run.shock_propagation > 0) {
        model_warn(m, scene->run_at,
                   "run: shock_propagation does not conserve momentum; no step of method iterated "
                   "has a certificate");
    }
    m->about = pool_text(&m->pool, scene->about ? scene->about : "");
    m->source = pool_text(&m->pool, scene->source ? scene->source : "");
    if (!m->about || !m->source) return fail_memory(err);
    if (!build_start(m, scene, err)) return false;
    m->id = identify(m);
    if (m->warning_lost || scene->about_lost) return fail_memory(err);
    if (!scene->strict) return true;
    for (int i = 0; i < m->warning_count; i++) {
        fail(err, (Where){ NULL, 0, 0 }, "%s (strict)", m->warnings[i]);
    }
    return m->warning_count == 0;
}

// Bodies of many pieces are searched by a tree; those of one "repeat" share it as they share their
// shapes.
static bool build_pieces(impModel *m, const impScene *scene, impError *err) {
    enum { MANY = 8 };
    for (int i = 1; i < m->body_count; i++) {
        Body *b = &m->body[i];
        int like = scene->bodies[i - 1].like;
        if (like >= 0) {
            b->pieces = m->body[like + 1].pieces;
        } else if (b->shape_count >= MANY && b->bounded && !b->flawed) {
            const Shape *first = &m->shape[b->first_shape];
            if (!shape_build_pieces(first, b->shape_count, &m->geometry, &m->pool, &b->pieces, err))
                return false;
        }
    }
    return true;
}

static bool build(impModel *m, const impScene *scene, impError *err) {
    const char *trouble = model_arithmetic();
    if (trouble)
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 }, "impModel_Build: %s", trouble);
    bool ok = check_scene(scene, err);
    m->gravity = scene->gravity;
    for (int i = 0; i < scene->warning_count; i++) {
        if (!model_warn(m, (Where){ NULL, 0, 0 }, "%s", scene->warnings[i]))
            return fail_memory(err);
    }
    // materials.c  laws of every pair
    ok = model_build_materials(m, scene, err) && ok;
    if (!take_bodies(m, scene, err)) return false;
    // roles, poses, velocities, motions
    ok = build_bodies(m, scene, err) && ok;
    // unique, sorted
    ok = build_names(m, scene, err) && ok;
    // solids.c     kinds, measures, hulls, boxes
    ok = model_build_shapes(m, scene, err) && ok;
    // trees over the shapes of large compounds
    ok = ok && build_pieces(m, scene, err);
    // solids.c     mass, centre, inertia, principal axes
    if (m->pair) {
        ok = model_build_mass(m, scene, err) && ok;
    }
    // tree.c       joints, coordinates, parents
    ok = model_build_tree(m, scene, err) && ok;
    // planes.c     bodies that move in a plane
    ok = ok && model_build_planes(m, scene, err);
    // start state, defaults, warnings
    return ok && finish(m, scene, err);
}

impModel *impModel_Build(const impScene *scene, impError *err) {
    // a caller without an impError still needs a verdict
    impError own;
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    impModel *m = scene ? calloc(1, sizeof *m) : NULL;
    if (!scene) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 }, "impModel_Build: argument scene is NULL");
    } else if (!m) {
        fail_memory(err);
    } else if (build(m, scene, err) && err->count == 0) {
        return m;
    } else if (err->count == 0) {
        fail_memory(err);
    }
    impModel_Free(m);
    return NULL;
}

void impModel_Free(impModel *model) {
    if (!model) return;
    pool_free(&model->pool);
    free(model);
}
