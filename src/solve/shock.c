// shock.c -- shock propagation: some sweeps, and then one pass upwards through a pile, level by
// level, in which bodies of lower levels are as if they were fixed.
//
// Guendelman, Bridson & Fedkiw 2003; Bender & Schmitt 2006, section 4.
// docs/theory/many-contacts.md, section 10. Bodies above get what they need from those below, and
// these do not get it back: the velocities are not those of (1), and momentum is not conserved. The
// judge measures by how much.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

// Bodies and rows of one level.
typedef struct Shock {
    const Problem *problem;
    int32_t *level;  // by body: least number of loaded contacts down to what is fixed; 0: none
    int32_t *row;    // by row of the level: its place in the problem
    Problem part;
} Shock;

static bool take(Shock *s, int bodies, int contacts, Arena *scratch) {
    s->level = TAKE(scratch, int32_t, bodies);
    s->row = TAKE(scratch, int32_t, contacts);
    s->part.body = TAKE(scratch, ProblemBody, bodies);
    s->part.contact = TAKE(scratch, ContactRow, contacts);
    return !*scratch->full;
}

// --- levels --------------------------------------------------------------------------------------

// Gives the bodies of a level to those that loaded contacts join to the level below. Returns how
// many there are.
static int find_level(const Shock *s, int level) {
    int found = 0;
    for (int i = 0; i < s->problem->contact_count; i++) {
        const ContactRow *row = &s->problem->contact[i];
        if (row->p.z <= 0) continue;
        int32_t *of_a = &s->level[row->a];
        int32_t *of_b = row->b >= 0 ? &s->level[row->b] : NULL;
        bool carries_a = of_b ? *of_b == level - 1 && level > 1 : level == 1;
        bool carries_b = of_b && *of_a == level - 1 && level > 1;
        if (carries_a && *of_a == 0) {
            *of_a = level;
            found++;
        } else if (carries_b && *of_b == 0) {
            *of_b = level;
            found++;
        }
    }
    return found;
}

static int level_of_row(const Shock *s, const ContactRow *row) {
    int a = s->level[row->a];
    int b = row->b >= 0 ? s->level[row->b] : 0;
    // what nothing carries takes no part
    if (a == 0 || (row->b >= 0 && b == 0)) return 0;
    return a > b ? a : b;
}

// --- the pass ------------------------------------------------------------------------------------

// The problem of one level: its rows, its bodies with the velocities that all other rows give them,
// and bodies of lower levels as they move, but too heavy to be moved.
static void set_part(Shock *s, int level) {
    const Problem *problem = s->problem;
    Problem *part = &s->part;
    part->body_count = problem->body_count;
    part->contact_count = part->bilateral_count = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        if (level_of_row(s, &problem->contact[i]) != level) continue;
        s->row[part->contact_count] = i;
        part->contact[part->contact_count++] = problem->contact[i];
    }
    for (int i = 0; i < problem->body_count; i++) {
        ProblemBody *body = &part->body[i];
        *body = problem->body[i];
        body->free_v = body->v;
        body->free_w = body->w;
        if (s->level[i] == level) continue;
        body->mass_inverse = 0;
        body->inertia_inverse = mat3_diagonal(0, 0, 0);
    }
    // less what the rows of the level give already
    problem_set_velocities(part);
    for (int i = 0; i < problem->body_count; i++) {
        ProblemBody *body = &part->body[i];
        body->free_v = sub(scale(2, problem->body[i].v), body->v);
        body->free_w = sub(scale(2, problem->body[i].w), body->w);
    }
}

static void take_over(const Shock *s, int level) {
    const Problem *problem = s->problem;
    for (int i = 0; i < s->part.contact_count; i++) {
        problem->contact[s->row[i]].p = s->part.contact[i].p;
    }
    for (int i = 0; i < problem->body_count; i++) {
        if (s->level[i] != level) continue;
        problem->body[i].v = s->part.body[i].v;
        problem->body[i].w = s->part.body[i].w;
    }
}

void solver_shock(const Problem *problem, int sweeps, double tolerance, Arena scratch) {
    Shock s = { .problem = problem };
    SolverOptions first = { .tolerance = tolerance, .iterations = sweeps };
    SolverOptions of_level = { .tolerance = tolerance };
    solver_sweeps(problem, &first, scratch);
    if (!take(&s, problem->body_count, problem->contact_count, &scratch)) return;
    for (int i = 0; i < problem->body_count; i++) {
        s.level[i] = 0;
    }
    int levels = 0;
    while (find_level(&s, levels + 1) > 0) {
        levels++;
    }
    for (int level = 1; level <= levels; level++) {
        set_part(&s, level);
        solver_sweeps(&s.part, &of_level, scratch);
        take_over(&s, level);
    }
    problem_set_modes(problem);
}

size_t solver_shock_scratch(int bodies, int contacts) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Shock s = { 0 };
    take(&s, bodies, contacts, &counting);
    return counting.used + 4 * CACHE_LINE + solver_scratch(bodies, contacts, 0);
}
