// drops.c -- the table of a drop test, and its trials handed to the kernel in blocks.
//
// Numbers of the method, by default and `fine`; docs/reference/drop-tests.md says what they cost.
// Speeds in units of sqrt(2 g rho), lengths of rho, the part's reach. D: height of the lowest pass
// out of a family above its lowest pose.
//     hop_part   0.005 + 0.075 e, at most 0.02; 0.3 of it
//         the least speed after an impact, of that of all motion: a landing slower than this
//         is not told from a hop, and loses nothing. Where a part rolls over facets that meet
//         at an angle, at most 0.1 of that angle; 0.03
//     hop_least  3e-3; 6e-4
//         and by itself. Near a family it is 0.2 sqrt(D), but not below 1e-3; 3e-4: hops must
//         not carry the part over the pass. Where a part rolls over facets, at most hop_part
//         sqrt(D): what is slower is certain
//     hop_landed 0.4; 0.12
//         of the speed with which a part that had turned about one corner or two landed on the
//         next: that is a real impact, and hops until the next one are slower
//     hop_slowest 1e-3, or with facets hop_landed angle^2 / 2, but not below 2.5e-5; 1.5e-5
//         in units of sqrt(g rho), for those: a part that just passes an edge lands so fast
//     hop_most   0.1 sqrt(D)
//         and at most this near a family, or hops would keep a part rocking that rolls
//     hop_band   2 hop heights
//         corners so near to the plane touch it
//     rolled     2 turns
//         a part that has rolled so far, confined to a family, counts as certain
//     touching   1e-5; 1e-6
//         a gap that is none; with facets at most 0.05 of the height of their edges above them,
//         but not below 1e-6
//     term, straight, small
//         how fine the series of an impact are: rms error of impulses 0.2 % for real ones and
//         1.2 % for hops; 0.05 % for both (tests/solve/impact_kernel.c)
//     most       20,000; 60,000 iterations
//         then a drop is left unresolved
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#include <stdlib.h>
#include <string.h>

// trials handed out at once; fewer where there are few, so that all hands have some
enum { CHUNK = 16384, LEAST_CHUNK = 8 };

struct impDrops {
    Pool pool;
    const impPart *part;
    impDropDef def;
    DropTable table;
    DropKernel kernel;
    void *cuda;  // NULL: on this processor
};

// --- the method ----------------------------------------------------------------------------------
static const double ROOT_2 = 1.41421356237309504880;
static const double PART_MOST = 0.02, PART_LEAST = 0.005, PART_OF_E = 0.075, FINE_PART = 0.3;
static const double NARROW_ANGLE = 0.016, LEAST_ANGLE = 0.012, PART_OF_ANGLE = 0.1,
                    PART_LANDED = 0.4;
static const double SLOWEST_HOP = 2.5e-5, FINE_SLOWEST = 1.5e-5;
static const double LEAST = 3e-3, LEAST_NEAR = 1e-3, FINE_LEAST = 6e-4, FINE_NEAR = 3e-4;
static const double OF_PASS = 0.2, MOST_OF_PASS = 0.1;
static const double GAP = 1e-5, FINE_GAP = 1e-6, GAP_OF_EDGE = 0.05;
static const double BAND = 2, TURNS = 2;

void drop_fineness(DropTable *t, bool fine) {
    for (int micro = 0; micro < 2; micro++) {
        // work needs more terms than impulse
        t->term[micro] = fine ? 1e-3 : (micro ? 0.4 : 0.05) * (t->stronge ? 0.1 : 1);
        t->straight[micro] = fine ? 3e-3 : micro ? 0.08 : 0.02;
        t->small[micro] = fine ? 1e-5 : micro ? 0.05 : 2e-3;
    }
    t->looks = fine ? 3 : 1;
}

static double clamp(double x, double low, double high) { return max2(low, min2(x, high)); }

// The angle between neighbouring facets of a part that rolls: a facet at height h lies below its
// edge by c = h (1 - cos(angle / 2)), so that the angle is sqrt(8 c / h). A family is one to roll
// over if its angles add up to half a turn at least. Facets of a smooth shape are no poses; how far
// they lie inside the shape says how wide they are. Narrower facets than LEAST_ANGLE count as ones
// of it: together they take a twentieth of the energy of motion in a turn, 2 pi angle /
// (1 + kappa). HUGE_VAL: no facets.
static double facet_angle(const impPart *part, bool planar) {
    if (planar) return HUGE_VAL;
    double chord = part->report.chord;
    double least = chord > 0 ? sqrt(8 * chord / part->report.bounding_radius) : HUGE_VAL;
    for (int i = 0; i < part->families; i++) {
        const impFamily *f = &part->family[i];
        double angle = sqrt(8 * f->inner / part->rest[f->lowest].height);
        if (f->members * angle > PI) {
            least = min2(least, angle);
        }
    }
    return max2(least, LEAST_ANGLE);
}

// A facet lands with about `angle` of the speed at which the part rolls. That is a real impact,
// which costs energy; a hop as fast would cost none. On a rim that lies almost flat it lands more
// slowly by the sine of the tilt, so that hops after a landing are slow beside that. A part that
// only just passes an edge, c above the facet, rolls at sqrt(2 g c) and lands at angle^2 / 2 of
// sqrt(g h): slower landings keep it where it is.
static void choose_landings(DropTable *t, const impDropDef *def, double angle) {
    double fine = def->fine ? FINE_PART : 1;
    double of_motion = min2(PART_MOST, PART_LEAST + PART_OF_E * def->restitution);
    t->hop_part = min2(of_motion, PART_OF_ANGLE * angle) * fine;
    t->hop_landed = PART_LANDED * fine;
    t->hop_slowest = clamp(0.5 * t->hop_landed * angle * angle,
                           def->fine ? FINE_SLOWEST : SLOWEST_HOP,
                           def->fine ? FINE_NEAR : LEAST_NEAR);
}

// Hops near a family are slow beside what it takes to leave it. A part that rolls more slowly than
// that is certain of its family, so that the facets that matter land faster than `hop_part` of it.
static bool choose_hops(DropTable *t, Pool *pool, const impPart *part, const impDropDef *def,
                        impError *err) {
    double least = def->fine ? FINE_LEAST : LEAST;
    double near = def->fine ? FINE_NEAR : LEAST_NEAR;
    double angle = facet_angle(part, t->planar);
    DropFamily *exit = POOL_TAKE(pool, DropFamily, t->families);
    if (!exit) return fail_memory(err);
    choose_landings(t, def, angle);
    t->narrow = angle < NARROW_ANGLE;
    t->hop_least = ROOT_2 * least;
    for (int i = 0; i < t->families; i++) {
        double speed = sqrt(part->family[i].barrier / t->length);
        double own = clamp(OF_PASS * speed, near, least);
        exit[i] = t->exit[i];
        if (angle < HUGE_VAL) {
            own = min2(own, max2(t->hop_slowest, t->hop_part * speed));
            t->hop_least = min2(t->hop_least, ROOT_2 * own);
        }
        exit[i].hop_least = ROOT_2 * own;
        exit[i].hop_most = max2(exit[i].hop_least, ROOT_2 * MOST_OF_PASS * speed);
    }
    t->exit = exit;
    return true;
}

static bool choose(DropTable *t, Pool *pool, const impPart *part, const impDropDef *def,
                   impError *err) {
    double angle = facet_angle(part, t->planar);
    double edge = angle < HUGE_VAL ? angle * angle / 8 : 1;
    t->touching = def->fine ? FINE_GAP : clamp(GAP_OF_EDGE * edge, FINE_GAP, GAP);
    t->slack = t->touching + part->report.noise / t->length;
    t->hop_band = BAND;
    t->rolled = TURNS * 2 * PI;
    drop_fineness(t, def->fine);
    t->most = def->fine ? 60000 : 20000;
    if (t->drag > 0) {
        t->most *= 20;
    }
    return choose_hops(t, pool, part, def, err);
}

static void set_law(DropTable *t, const impDropDef *def) {
    t->friction = def->friction_dynamic;
    t->restitution = def->restitution;
    t->stronge = def->law == IMP_STRONGE;
    t->hold = max2(def->friction_static, def->friction_dynamic);
    t->drag = def->drag * t->time;
    double k2 = (t->moment[0] + t->moment[1] + t->moment[2]) / 3;
    t->stiffest = t->drag;
    for (int i = 0; i < 3; i++) {
        t->spin_drag[i] = t->drag * k2 * t->inverse[i];
        t->stiffest = max2(t->stiffest, t->spin_drag[i]);
    }
}

static bool set_start(DropTable *t, Pool *pool, const impDropDef *def, impError *err) {
    t->seed = def->seed;
    t->height = def->height;
    t->velocity[0] = def->velocity.x;
    t->velocity[1] = def->velocity.y;
    t->velocity[2] = def->velocity.z;
    t->spin[0] = def->spin.x;
    t->spin[1] = def->spin.y;
    t->spin[2] = def->spin.z;
    t->velocity_random = def->velocity_random;
    t->spin_random = def->spin_random;
    if (!def->orientations) return true;
    double *orientations = POOL_TAKE(pool, double, 4 * (size_t)def->orientation_count);
    if (!orientations) return fail_memory(err);
    for (int64_t i = 0; i < def->orientation_count; i++) {
        impQuat q = def->orientations[i];
        double length = qnorm(q);
        if (!(length > 1e-100 && length < 1e100))
            return fail(
                err, (Where){ 0 },
                "orientation %lld: (%s, %s, %s, %s); a rotation is a quaternion that is not zero",
                (long long)i, show(q.w).text, show(q.x).text, show(q.y).text, show(q.z).text);
        q = unit(q);
        orientations[4 * i] = q.w;
        orientations[4 * i + 1] = q.x;
        orientations[4 * i + 2] = q.y;
        orientations[4 * i + 3] = q.z;
    }
    t->orientations = orientations;
    t->orientation_count = def->orientation_count;
    return true;
}

// --- the call ------------------------------------------------------------------------------------
static bool in(double x, double low, double high) { return x >= low && x <= high; }

static bool check(const impPart *part, const impDropDef *d, impError *err) {
    int before = err ? err->count : 0;
    Where at = { 0 };
    if (!in(d->friction_dynamic, 0, 1e6) || !in(d->friction_static, 0, 1e6)) {
        fail(err, at, "friction %s, static %s; neither is negative, nor above 1e6",
             show(d->friction_dynamic).text, show(d->friction_static).text);
    } else if (d->friction_static > 0 && d->friction_static < d->friction_dynamic) {
        fail(err, at, "static friction %s; it is not less than the dynamic %s",
             show(d->friction_static).text, show(d->friction_dynamic).text);
    }
    if (!in(d->restitution, 0, 1)) {
        fail(err, at, "restitution %s; it is from 0 to 1", show(d->restitution).text);
    }
    if (d->law != IMP_POISSON && d->law != IMP_STRONGE) {
        fail(err, at,
             "Newton's law of restitution; it can create energy, so that no end of a drop is "
             "certain");
    }
    if (!in(d->gravity, 1e-12, 1e12)) {
        fail(err, at, "gravity %s m/s^2; it must be positive", show(d->gravity).text);
    }
    if (!in(d->drag, 0, 1e9)) {
        fail(err, at, "drag %s 1/s; it is not negative", show(d->drag).text);
    }
    if (!finite3(d->velocity) || largest(d->velocity) > FASTEST ||
        !in(d->velocity_random, 0, FASTEST)) {
        fail(err, at, "velocity beyond %s m/s, or none", show(FASTEST).text);
    }
    if (!finite3(d->spin) || largest(d->spin) > FASTEST || !in(d->spin_random, 0, FASTEST)) {
        fail(err, at, "spin beyond %s rad/s, or none", show(FASTEST).text);
    }
    if (!in(d->height, part->report.bounding_radius, FARTHEST)) {
        fail(err, at,
             "drop height %s m; the part reaches %s m from its centre of mass and must begin above "
             "the plane, below 1e9 m",
             show(d->height).text, show(part->report.bounding_radius).text);
    }
    if (d->orientations && d->orientation_count < 1) {
        fail(err, at, "no orientation in the list; there must be one at least");
    }
    return err ? err->count == before : true;
}

// In the plane of the vertical and any one line of the part.
static bool starts_in_plane(const impDropDef *d) {
    return d->velocity.x == 0 && d->velocity.y == 0 && d->velocity_random == 0 && d->spin.x == 0 &&
           d->spin.y == 0 && d->spin.z == 0 && d->spin_random == 0;
}

// that is asked for; 0: of all
static DropKernel widest(int asked) {
    const DropKernel four = drop_kernel_4();
    const DropKernel eight = drop_kernel_8();
    if (eight.run && (asked == 0 || asked >= 8)) return eight;
    return four.run && (asked == 0 || asked >= 4) ? four : drop_kernel_1();
}

impDrops *impDrops_New(const impPart *part, const impDropDef *def, impError *err) {
    if (!part || !def || def->lanes < 0) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                "impDrops_New: no part, no definition, or fewer lanes than none");
        return NULL;
    }
    impError own = { 0 };
    impDropDef d = *def;
    if (d.height == 0) {
        d.height = max2(0.3, 1.5 * part->report.bounding_radius);
    }
    if (d.gravity == 0) {
        d.gravity = 9.81;
    }
    if (d.friction_static == 0) {
        d.friction_static = d.friction_dynamic;
    }
    impDrops *drops = calloc(1, sizeof *drops);
    if (!drops) {
        fail_memory(err);
    }
    if (!drops || !check(part, &d, err ? err : &own)) {
        free(drops);
        return NULL;
    }
    DropTable *t = &drops->table;
    drops->part = part;
    drops->def = d;
    drops->kernel = widest(d.lanes);
    drops->def.lanes = drops->kernel.lanes;
    *t = part->has_profile && starts_in_plane(&d) ? part->profile : part->table;
    t->time = sqrt(t->length / d.gravity);
    set_law(t, &d);
    if (!set_start(t, &drops->pool, &d, err) || !choose(t, &drops->pool, part, &d, err)) {
        impDrops_Free(drops);
        return NULL;
    }
    char why[200];
    if (!d.cuda || (drops->cuda = drop_cuda_open(t, why, sizeof why))) return drops;
    fail_as(err, IMP_AT_LIMIT, (Where){ 0 }, "%s", why);
    impDrops_Free(drops);
    return NULL;
}

void impDrops_Free(impDrops *drops) {
    if (drops) {
        drop_cuda_close(drops->cuda);
        pool_free(&drops->pool);
    }
    free(drops);
}

impDropDef impDrops_Def(const impDrops *drops) { return drops->def; }
DropTable drop_table(const impDrops *drops) { return drops->table; }

// --- trials --------------------------------------------------------------------------------------
// bytes of a cache line
enum { LINE = 64 };
typedef struct Batch {
    const impDrops *drops;
    int64_t first, count, chunk;
    impDropOutcome *out;
    char *memory;  // for each worker the kernel's scratch, then `chunk` ends
    size_t each;   // bytes of it
} Batch;

static impDropOutcome outcome_of(const impDrops *drops, const DropEnd *e) {
    impDropOutcome o = {
        e->family, e->rest, e->impacts, e->rolled, e->time * drops->table.time, 0
    };
    if (e->family != IMP_FAILED) {
        o.hash = hash_doubles(HASH_START, e->state, 10);
    }
    return o;
}

static void run_chunks(void *context, int first, int last, int worker) {
    const Batch *b = context;
    const DropKernel *kernel = &b->drops->kernel;
    char *mine = b->memory + (size_t)worker * b->each;
    DropEnd *ends = (void *)(mine + kernel->room);
    for (int chunk = first; chunk < last; chunk++) {
        int64_t from = chunk * b->chunk;
        int64_t count = b->count - from < b->chunk ? b->count - from : b->chunk;
        kernel->run(&b->drops->table, b->first + from, count, ends, mine);
        for (int64_t i = 0; i < count; i++) {
            b->out[from + i] = outcome_of(b->drops, &ends[i]);
        }
    }
}

bool impDrops_Run(const impDrops *drops, int64_t first, int64_t count, int threads,
                  impDropOutcome *outcomes) {
    if (!drops || !outcomes || first < 0 || count < 0 || count > INT64_MAX / 2 - first ||
        count / LEAST_CHUNK > INT32_MAX - 1)
        return false;
    if (drops->cuda) return drop_cuda_run(drops->cuda, first, count, outcomes);
    ThreadPool *thread_pool = threads > 1 ? thread_pool_new(threads) : NULL;
    int workers = thread_pool ? thread_pool_size(thread_pool) : 1;
    int64_t share = workers > 1 ? count / (2 * workers) : count;
    int64_t chunk = share < LEAST_CHUNK ? LEAST_CHUNK : share < CHUNK ? share : CHUNK;
    size_t each = (drops->kernel.room + (size_t)chunk * sizeof(DropEnd) + LINE - 1) / LINE * LINE;
    char *memory = calloc((size_t)workers, each + LINE);
    bool ok = memory != NULL;
    if (ok) {
        Batch b = { drops, first,    count,
                    chunk, outcomes, memory + (LINE - (uintptr_t)memory % LINE),
                    each };
        thread_pool_run(thread_pool, (int)((count + chunk - 1) / chunk), 1, run_chunks, &b);
    }
    free(memory);
    thread_pool_free(thread_pool);
    return ok;
}

void impDrops_Start(const impDrops *drops, int64_t trial, impPose *pose_out, impTwist *twist) {
    DropStart s = drop_begin(&drops->table, trial);
    impQuat q = quat(s.rotation[0], s.rotation[1], s.rotation[2], s.rotation[3]);
    impVec3 middle = vec(0, 0, drops->table.height);
    *pose_out = pose(sub(middle, rotate(q, drops->part->report.center)), q);
    twist->linear = vec(s.velocity[0], s.velocity[1], s.velocity[2]);
    twist->angular = vec(s.spin[0], s.spin[1], s.spin[2]);
}
