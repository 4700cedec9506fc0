// solve.c -- how fast contact problems are solved: with the true cone, and by Lemke's method.
//
// An island of 100 contacts is a tower of 25 cubes, cold, to 1e-8 m/s; seven contacts in eight
// directions are 70 rows, the size of the largest problem of Stewart & Trinkle 1996. Files named on
// the command line are contact problems, solved to a residual of 1e-10.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "solve/solve.h"

enum { MOST_BODIES = 25, MOST_ROWS = 100 };
#define GRAVITY 9.81
#define STEP    (1. / 60)

static ProblemBody bodies[MOST_BODIES];
static ContactRow contacts[MOST_ROWS];
static Problem problem = { .body = bodies, .contact = contacts };

// --- islands -------------------------------------------------------------------------------------

static void add_cube(double slip) {
    double i = 1. / 6;
    bodies[problem.body_count++] =
        (ProblemBody){ .mass = 1,
                       .mass_inverse = 1,
                       .inertia = mat3_diagonal(i, i, i),
                       .inertia_inverse = mat3_diagonal(1 / i, 1 / i, 1 / i),
                       .free_v = vec(slip, 0.3 * slip, -GRAVITY * STEP) };
}

static void add_corner(int a, int b, double x, double y) {
    contacts[problem.contact_count++] = (ContactRow){ .a = a,
                                                      .b = b,
                                                      .arm_a = vec(x, y, -0.5),
                                                      .arm_b = vec(x, y, 0.5),
                                                      .t1 = vec(1, 0, 0),
                                                      .t2 = vec(0, 1, 0),
                                                      .n = vec(0, 0, 1),
                                                      .friction = 0.6 };
}

// Cubes on each other, the uppermost pushed; of its corners so many touch.
static void build_tower(int count, int last_corners, double slip) {
    problem.body_count = problem.contact_count = 0;
    for (int i = 0; i < count; i++) {
        bool last = i + 1 == count;
        add_cube(last ? slip : 0);
        for (int k = 0; k < (last ? last_corners : 4); k++) {
            add_corner(i, i - 1, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5);
        }
    }
}

typedef struct Island {
    const Solver *solver;
    SolverOptions options;
    void *memory;
    size_t bytes;
    SolverReport report;
} Island;

static void solve_island(void *context) {
    Island *island = context;
    bool full = false;
    for (int i = 0; i < problem.contact_count; i++) {
        contacts[i].p = vec(0, 0, 0);
        contacts[i].mode = CONTACT_OPEN;
    }
    Arena scratch = { island->memory, 0, island->bytes, &full };
    island->report = island->solver->solve(&problem, &island->options, scratch);
}

// Milliseconds; the report tells whether it was solved.
static double time_island(const char *name, Island *island) {
    size_t bytes = solver_scratch(problem.body_count, problem.contact_count, 0);
    island->solver = &solvers[solver_find(name)];
    island->options = (SolverOptions){ .tolerance = 1e-8 };
    island->bytes = (bytes / CACHE_LINE + 1) * CACHE_LINE;
    island->memory = aligned_alloc(CACHE_LINE, island->bytes);
    if (!island->memory) {
        stop("solve", NULL);
    }
    double best = best_of(20, solve_island, island);
    free(island->memory);
    return 1e3 * best;
}

static int island_row(const char *what, const char *name, double goal, bool must_solve) {
    char text[80];
    Island island;
    double ms = time_island(name, &island);
    snprintf(text, sizeof text, "%s, %s", what, name);
    int missed = row(text, ms, "ms", goal);
    if (must_solve && !island.report.solved) {
        printf("  not solved: natural map %g m/s\n", island.report.residual);
        missed = 1;
    }
    return missed;
}

// --- files ---------------------------------------------------------------------------------------

typedef struct File {
    impProblem *problem;
    impProblemReport report;
    impError err;
} File;

static void solve_file(void *context) {
    File *file = context;
    impProblemDef def = { .tolerance = 1e-10 };
    if (!impProblem_Solve(file->problem, &def, &file->report, &file->err)) {
        stop("solve", &file->err);
    }
}

// Returns milliseconds; HUGE_VAL: not solved.
static double file_row(const char *path) {
    static File file;
    const char *slash = strrchr(path, '/');
    file.problem = impProblem_Load(path, NULL, &file.err);
    if (!file.problem) {
        stop(path, &file.err);
    }
    double ms = 1e3 * best_of(9, solve_file, &file);
    row(slash ? slash + 1 : path, ms, "ms", 0);
    impProblem_Free(file.problem);
    return file.report.solved ? ms : HUGE_VAL;
}

int main(int argc, char **argv) {
    build_tower(25, 4, 0);
    int missed = island_row("100 contacts at rest, cold, to 1e-8 m/s", "newton", 2, true);
    missed |= island_row("100 contacts at rest, cold, to 1e-8 m/s", "exact", 2, true);
    build_tower(25, 4, 0.5);
    missed |= island_row("100 contacts, the upper cube slides", "exact", 2, true);
    build_tower(2, 3, 0);
    missed |= island_row("7 contacts in 8 directions (70 x 70), at rest", "lemke", 0.3, true);
    build_tower(2, 3, 0.5);
    missed |= island_row("7 contacts in 8 directions (70 x 70), sliding", "lemke", 0.3, false);
    double sum = 0;
    for (int i = 1; i < argc; i++) {
        sum += file_row(argv[i]);
    }
    if (argc > 1) {
        missed |= row("all files, to a residual of 1e-10", sum, "ms", argc == 6 ? 15 : 0);
    }
    return missed;
}
