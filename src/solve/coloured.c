// coloured.c -- sweeps over the rows of a contact problem in the order of colours, side by side in
// lanes and threads.
//
// The projected Gauss-Seidel method of gauss_seidel.c, (5) of docs/theory/many-contacts.md, in
// another order of rows: section 11 there. Rows of one pair of bodies are groups; groups get
// colours so that no two of one colour share a body that moves (greedy colouring in the order of
// rows, with a bit mask for each body). What cannot be told apart by the order of solution may be
// solved at once: the bits do not depend on the number of lanes and threads.
//
// Left out: bilateral rows have no colours; they are swept one by one before the contact rows.
//
// SPDX-License-Identifier: MIT
#include "solve/coloured.h"
#include "solve/solvers.h"

#include <string.h>

enum {
    SWEEPS = 200,       // where the caller names no number
    IDLE_EVERY = 4,     // sweeps: bundles that carry nothing have a turn in every fourth one
    MASK_COLOURS = 64,  // colours of a bit mask; groups without one wait for the next mask
    MASKS = 4,          // at most; a problem that needs more is left to plain sweeps
    COLOURS = MASK_COLOURS * MASKS,
    KEYS = 2 * GROUP_ROWS,  // of a group within its colour: busy or not, by its number of rows
    CHUNK = 8               // bundles that a thread takes at once
};
// 1, of the tolerance: the sweeps end when one changes no velocity by more
#define ENDING_CHANGE 0.1

typedef struct Group {
    int32_t first_row, row_count;
    int32_t key;  // colour, and place within it
} Group;

// Work of the threads on the bundles of one colour.
typedef struct Pass {
    const Coloured *c;
    const ColourKernel *kernel;
    double (*run)(const struct Pass *pass, int first, int last);
    int first, last;  // bundles
    bool all;
    double *most;  // by chunk
} Pass;

typedef struct Run {
    const Problem *problem;
    const ColourKernel *kernel;
    ThreadPool *thread_pool;
    Coloured c;
    Group *group;
    int32_t *order;      // places of groups, by key
    uint64_t *mask;      // by body: colours of its groups
    int32_t *row;        // by block and lane: the row; -1: none
    int32_t *start;      // by key: for counting
    double *chunk_most;  // by chunk
    int group_count, bundle_count, block_count;
    int bundle_room, block_room;
} Run;

// --- memory --------------------------------------------------------------------------------------

// Room for bundles that are half full, and one more for the last of each colour.
static bool take(Run *r, int bodies, int contacts, Arena *scratch) {
    int colours = contacts < COLOURS ? contacts : COLOURS;
    r->bundle_room = r->block_room = contacts / 4 + colours;
    r->c.body = TAKE(scratch, ColourBody, bodies);
    r->c.bundle = TAKE(scratch, ColourBundle, r->bundle_room);
    r->c.block = TAKE(scratch, ColourBlock, r->block_room);
    r->c.first_bundle = TAKE(scratch, int32_t, COLOURS + 1);
    r->group = TAKE(scratch, Group, contacts);
    r->order = TAKE(scratch, int32_t, contacts);
    r->mask = TAKE(scratch, uint64_t, bodies);
    r->row = TAKE(scratch, int32_t, BUNDLE * r->block_room);
    r->start = TAKE(scratch, int32_t, COLOURS * KEYS + 1);
    r->chunk_most = TAKE(scratch, double, r->bundle_room);
    return !*scratch->full;
}

size_t solver_coloured_scratch(int bodies, int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Run r = { 0 };
    take(&r, bodies, contacts, &counting);
    size_t plain = solver_conjugate_scratch(bodies, contacts, bilaterals);
    return counting.used > plain ? counting.used : plain;
}

// --- colours -------------------------------------------------------------------------------------

// True if a row carries something now, or approaches by the velocities in the bodies: it will need
// its turns.
static bool is_busy(const Problem *problem, const ContactRow *row) {
    return row->p.z > 0 || problem_contact_velocity(problem, row).z + row->bias.z < 0;
}

static void find_groups(Run *r) {
    const ContactRow *row = r->problem->contact;
    r->group_count = 0;
    for (int i = 0; i < r->problem->contact_count;) {
        Group *group = &r->group[r->group_count++];
        *group = (Group){ .first_row = i };
        bool busy = false;
        int b = row[i].b;
        for (int a = row[i].a; i < r->problem->contact_count && group->row_count < GROUP_ROWS &&
                               row[i].a == a && row[i].b == b;
             i++) {
            busy = busy || is_busy(r->problem, &row[i]);
            group->row_count++;
        }
        group->key = (busy ? 0 : GROUP_ROWS) + GROUP_ROWS - group->row_count;
    }
}

// The lowest colour of this mask that no group of the two bodies has; -1: all are taken.
static int take_colour(Run *r, const ContactRow *row) {
    uint64_t taken = r->mask[row->a] | (row->b < 0 ? 0 : r->mask[row->b]);
    if (taken == UINT64_MAX) return -1;
    uint64_t free_bit = ~taken & (taken + 1);
    r->mask[row->a] |= free_bit;
    if (row->b >= 0) {
        r->mask[row->b] |= free_bit;
    }
    int colour = 0;
    while (free_bit >>= 1) {
        colour++;
    }
    return colour;
}

// Colours of all groups, in the order of rows. False: too many.
static bool colour_groups(Run *r) {
    int left = r->group_count;
    for (int i = 0; i < left; i++) {
        r->order[i] = i;
    }
    for (int k = 0; k < MASKS && left > 0; k++) {
        int waiting = 0;
        memset(r->mask, 0, (size_t)r->problem->body_count * sizeof *r->mask);
        for (int i = 0; i < left; i++) {
            Group *group = &r->group[r->order[i]];
            int colour = take_colour(r, &r->problem->contact[group->first_row]);
            if (colour < 0) {
                r->order[waiting++] = r->order[i];
            } else {
                group->key += (MASK_COLOURS * k + colour) * KEYS;
            }
        }
        left = waiting;
    }
    return left == 0;
}

// Puts the groups in the order of colours, and in a colour busy ones and those with many rows
// first: by counting.
static void sort_groups(Run *r) {
    memset(r->start, 0, (COLOURS * KEYS + 1) * sizeof *r->start);
    for (int i = 0; i < r->group_count; i++) {
        r->start[r->group[i].key + 1]++;
    }
    for (int k = 0; k < COLOURS * KEYS; k++) {
        r->start[k + 1] += r->start[k];
    }
    for (int i = 0; i < r->group_count; i++) {
        r->order[r->start[r->group[i].key]++] = i;
    }
}

// --- bundles -------------------------------------------------------------------------------------

static void put3(ColourVec *to, int lane, impVec3 a) {
    to->x[lane] = a.x;
    to->y[lane] = a.y;
    to->z[lane] = a.z;
}

static void put_inertia(ColourInertia *to, int lane, const Mat3 *m) {
    to->xx[lane] = m->x.x;
    to->yy[lane] = m->y.y;
    to->zz[lane] = m->z.z;
    to->xy[lane] = m->x.y;
    to->xz[lane] = m->x.z;
    to->yz[lane] = m->y.z;
}

static void put_row(ColourBlock *block, int lane, const ContactRow *row) {
    put3(&block->t1, lane, row->t1);
    put3(&block->t2, lane, row->t2);
    put3(&block->n, lane, row->n);
    put3(&block->arm_a, lane, row->arm_a);
    put3(&block->arm_b, lane, row->arm_b);
    put3(&block->bias, lane, row->bias);
    put3(&block->p, lane, row->p);
    block->friction[lane] = row->friction;
    block->rho[lane] = 1;
}

// The groups of `order` from `first` on as one bundle. False: there is no room for its rows.
static bool put_bundle(Run *r, int first, int count) {
    const Problem *problem = r->problem;
    ColourBundle *bundle = &r->c.bundle[r->bundle_count++];
    memset(bundle, 0, sizeof *bundle);
    bundle->first_block = r->block_count;
    for (int lane = 0; lane < BUNDLE; lane++) {
        bundle->a[lane] = bundle->b[lane] = -1;
        if (lane >= count) continue;
        const Group *group = &r->group[r->order[first + lane]];
        const ContactRow *row = &problem->contact[group->first_row];
        bundle->a[lane] = row->a;
        bundle->b[lane] = row->b;
        put_inertia(&bundle->inertia_a, lane, &problem->body[row->a].inertia_inverse);
        if (row->b >= 0) {
            put_inertia(&bundle->inertia_b, lane, &problem->body[row->b].inertia_inverse);
        }
        if (group->row_count > bundle->block_count) {
            bundle->block_count = group->row_count;
        }
    }
    if (r->block_count + bundle->block_count > r->block_room) return false;
    for (int k = 0; k < bundle->block_count; k++) {
        ColourBlock *block = &r->c.block[r->block_count];
        int32_t *row = &r->row[BUNDLE * r->block_count++];
        memset(block, 0, sizeof *block);
        for (int lane = 0; lane < BUNDLE; lane++) {
            const Group *group = lane < count ? &r->group[r->order[first + lane]] : NULL;
            row[lane] = group && k < group->row_count ? group->first_row + k : -1;
            if (row[lane] >= 0) {
                put_row(block, lane, &problem->contact[row[lane]]);
            }
        }
    }
    return true;
}

// After sort_groups(), start[] has the end of each key. False: there is no room.
static bool lay_out(Run *r) {
    r->c.colour_count = 0;
    for (int first = 0; first < r->group_count;) {
        int last = r->start[(r->c.colour_count + 1) * KEYS - 1];
        r->c.first_bundle[r->c.colour_count++] = r->bundle_count;
        for (; first < last; first += BUNDLE) {
            int count = last - first < BUNDLE ? last - first : BUNDLE;
            if (r->bundle_count == r->bundle_room || !put_bundle(r, first, count)) return false;
        }
        first = last;
    }
    r->c.first_bundle[r->c.colour_count] = r->bundle_count;
    return true;
}

static void set_free_velocities(Run *r) {
    for (int i = 0; i < r->problem->body_count; i++) {
        const ProblemBody *body = &r->problem->body[i];
        r->c.body[i] = (ColourBody){ .v = { body->free_v.x, body->free_v.y, body->free_v.z },
                                     .w = { body->free_w.x, body->free_w.y, body->free_w.z },
                                     .mass_inverse = body->mass_inverse };
    }
}

// --- passes --------------------------------------------------------------------------------------

static double run_prepare(const Pass *pass, int first, int last) {
    pass->kernel->prepare(pass->c, first, last);
    return 0;
}
static double run_apply(const Pass *pass, int first, int last) {
    pass->kernel->apply(pass->c, first, last);
    return 0;
}
static double run_sweep(const Pass *pass, int first, int last) {
    return pass->kernel->sweep(pass->c, first, last, pass->all);
}
static double run_natural_map(const Pass *pass, int first, int last) {
    return pass->kernel->natural_map(pass->c, first, last);
}

static void run_chunks(void *context, int first, int last, int worker) {
    const Pass *pass = context;
    (void)worker;
    pass->most[first / CHUNK] = pass->run(pass, pass->first + first, pass->first + last);
}

// One pass over all bundles, colour by colour. Returns the largest number that a chunk gave.
static double run_pass(const Run *r, double (*run)(const Pass *pass, int first, int last),
                       bool all) {
    Pass pass = { &r->c, r->kernel, run, 0, r->bundle_count, all, r->chunk_most };
    if (thread_pool_size(r->thread_pool) == 1) return run(&pass, 0, r->bundle_count);
    double most = 0;
    for (int k = 0; k < r->c.colour_count; k++) {
        pass.first = r->c.first_bundle[k];
        pass.last = r->c.first_bundle[k + 1];
        int count = pass.last - pass.first;
        thread_pool_run(count > 2 * CHUNK ? r->thread_pool : NULL, count, CHUNK, run_chunks, &pass);
        for (int i = 0; i * CHUNK < count; i++) {
            most = max2(most, r->chunk_most[i]);
        }
    }
    return most;
}

// --- bilateral rows ------------------------------------------------------------------------------

static impVec3 linear_of(const ColourBody *body) { return vec(body->v[0], body->v[1], body->v[2]); }
static impVec3 angular_of(const ColourBody *body) {
    return vec(body->w[0], body->w[1], body->w[2]);
}

static void kick(Run *r, int place, double p, impVec3 linear, impVec3 angular) {
    if (place < 0) return;
    ColourBody *body = &r->c.body[place];
    impVec3 v = madd(linear_of(body), body->mass_inverse, scale(p, linear));
    impVec3 w = add(angular_of(body),
                    mul(r->problem->body[place].inertia_inverse, scale(p, angular)));
    memcpy(body->v, &v, sizeof v);
    memcpy(body->w, &w, sizeof w);
}

static double bilateral_velocity(const Run *r, const BilateralRow *row) {
    double u = row->bias;
    if (row->a >= 0) {
        const ColourBody *a = &r->c.body[row->a];
        u += dot(row->linear_a, linear_of(a)) + dot(row->angular_a, angular_of(a));
    }
    if (row->b >= 0) {
        const ColourBody *b = &r->c.body[row->b];
        u += dot(row->linear_b, linear_of(b)) + dot(row->angular_b, angular_of(b));
    }
    return u;
}

static void apply_bilateral(Run *r, const BilateralRow *row, double p) {
    kick(r, row->a, p, row->linear_a, row->angular_a);
    kick(r, row->b, p, row->linear_b, row->angular_b);
}

static double sweep_bilaterals(Run *r) {
    double most = 0;
    for (int i = 0; i < r->problem->bilateral_count; i++) {
        BilateralRow *row = &r->problem->bilateral[i];
        double u = bilateral_velocity(r, row);
        double change = -u / problem_bilateral_matrix(r->problem, row);
        row->p += change;
        apply_bilateral(r, row, change);
        most = max2(most, fabs(u));
    }
    return most;
}

// --- the solver ----------------------------------------------------------------------------------

// Velocities by (1) from the impulses as they are.
static void set_velocities(Run *r) {
    set_free_velocities(r);
    run_pass(r, run_apply, true);
    for (int i = 0; i < r->problem->bilateral_count; i++) {
        const BilateralRow *row = &r->problem->bilateral[i];
        apply_bilateral(r, row, row->p);
    }
}

static double natural_map(Run *r) {
    double most = run_pass(r, run_natural_map, true);
    for (int i = 0; i < r->problem->bilateral_count; i++) {
        double u = fabs(bilateral_velocity(r, &r->problem->bilateral[i]));
        most = u <= most ? most : u;
    }
    return most == most ? most : HUGE_VAL;
}

// Returns the number of sweeps. They end only after one in which idle bundles had a turn, too.
static int sweep_all(Run *r, const SolverOptions *options) {
    int most = options->iterations > 0 ? options->iterations : SWEEPS;
    double enough = ENDING_CHANGE * options->tolerance;
    bool all = true;
    for (int k = 1; k < most; k++) {
        double bilateral = sweep_bilaterals(r);
        double change = max2(bilateral, run_pass(r, run_sweep, all));
        if (k == 1) {
            enough = max2(enough, options->reduction * change);
        }
        if (change <= enough && all) return k;
        all = change <= enough || k + 1 == most || k % IDLE_EVERY == 0;
    }
    sweep_bilaterals(r);
    run_pass(r, run_sweep, true);
    return most;
}

static void copy_out(const Run *r) {
    const Problem *problem = r->problem;
    for (int i = 0; i < problem->body_count; i++) {
        problem->body[i].v = linear_of(&r->c.body[i]);
        problem->body[i].w = angular_of(&r->c.body[i]);
    }
    for (int i = 0; i < BUNDLE * r->block_count; i++) {
        const ColourBlock *block = &r->c.block[i / BUNDLE];
        int lane = i % BUNDLE;
        if (r->row[i] < 0) continue;
        problem->contact[r->row[i]].p = vec(block->p.x[lane], block->p.y[lane], block->p.z[lane]);
    }
    problem_set_modes(problem);
}

static bool begin(Run *r, Arena *scratch) {
    const Problem *problem = r->problem;
    if (!take(r, problem->body_count, problem->contact_count, scratch)) return false;
    find_groups(r);
    if (!colour_groups(r)) return false;
    sort_groups(r);
    if (!lay_out(r)) return false;
    set_free_velocities(r);
    run_pass(r, run_prepare, true);
    set_velocities(r);
    return true;
}

SolverReport solver_coloured_in(const Problem *problem, const SolverOptions *options, Arena scratch,
                                const ColourKernel *kernel) {
    Run r = { .problem = problem, .kernel = kernel, .thread_pool = options->thread_pool };
    Arena left = scratch;
    int sweeps = 0;
    if (!begin(&r, &left)) return solver_sweeps(problem, options, scratch);
    double residual = natural_map(&r);
    if (!(residual <= options->tolerance)) {
        sweeps = sweep_all(&r, options);
        set_velocities(&r);
        residual = natural_map(&r);
    }
    copy_out(&r);
    return (SolverReport){ "coloured", residual, sweeps, residual <= options->tolerance };
}

static ColourKernel widest_kernel(void) {
    ColourKernel kernel = colour_kernel_8();
    if (!kernel.sweep) {
        kernel = colour_kernel_4();
    }
    return kernel.sweep ? kernel : colour_kernel_1();
}

SolverReport solver_coloured(const Problem *problem, const SolverOptions *options, Arena scratch) {
    const ColourKernel kernel = widest_kernel();
    return solver_coloured_in(problem, options, scratch, &kernel);
}
