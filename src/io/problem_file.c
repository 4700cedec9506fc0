// problem_file.c -- contact problems from files: read, checked, solved.
//
// The format is that of docs/reference/contact-problems.md: W in compressed rows, q and mu, as the
// Frictional Contact Library (Acary et al. 2014) stores them, in JSON. There the normal comes first
// of the three components of a contact; solve/ has it last.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-8
// 1: larger ones are refused: mu^2 times an impulse must stay a number
#define MOST_FRICTION 1e6
// m/s: a q with a smaller largest entry has not all digits
#define LEAST_VELOCITY 2.2250738585072014e-308

// of solver lemke
enum { MOST_DIRECTIONS = 64 };

struct impProblem {
    Pool pool;
    MatrixProblem matrix;
    impVec3 *velocity, *scaled;  // scaled: q in units of its largest entry
    double size;                 // that entry; 1 where all are zero
    double asymmetry;
};

// W by scalar rows, as it is written.
typedef struct Rows {
    int64_t *first;  // by row, and one more
    int32_t *column;
    double *value;
    int count;  // rows
} Rows;

typedef struct Reader {
    Pool pool;  // of the reading
    const Json *doc;
    impProblem *problem;
    Rows rows;
    impError *err;
} Reader;

// --- lists of numbers ----------------------------------------------------------------------------

static const JsonNode *need_list(const Reader *r, const char *key) {
    const JsonNode *list = json_need(r->doc, r->doc->root, "", key, r->err);
    bool good = list && json_check_kind(r->doc, list, "", key, JSON_ARRAY, r->err);
    return good ? list : NULL;
}

// A list of a length that follows from another one.
static const JsonNode *need_numbers(const Reader *r, const char *key, int64_t count,
                                    const char *because) {
    const JsonNode *list = need_list(r, key);
    if (!list || list->count == count) return list;
    fail(r->err, json_where(r->doc, list), "%s has %d numbers; it must have %lld, %s", key,
         (int)list->count, (long long)count, because);
    return NULL;
}

static bool read_numbers(const Reader *r, const JsonNode *list, const char *key, double *out) {
    return json_get_numbers(r->doc, list, "", key, list->count, out, r->err);
}

// Whole numbers within [low, high].
static bool read_whole(const Reader *r, const JsonNode *list, const char *key, int64_t high,
                       int64_t *out) {
    bool good = true;
    for (const JsonNode *n = json_first(list); n && good; n = json_next(n)) {
        good = json_get_int(r->doc, n, "", key, 0, high, out++, r->err);
    }
    return good;
}

// --- friction and q ------------------------------------------------------------------------------

static bool read_friction(Reader *r) {
    const JsonNode *list = need_list(r, "mu");
    if (!list) return false;
    if (list->count == 0 || list->count > INT32_MAX / 3)
        return fail(r->err, json_where(r->doc, list), "mu has %d numbers; there is one a contact",
                    (int)list->count);
    MatrixProblem *m = &r->problem->matrix;
    double *friction = POOL_TAKE(&r->problem->pool, double, list->count);
    if (!friction) return fail_memory(r->err);
    m->count = list->count;
    m->friction = friction;
    if (!read_numbers(r, list, "mu", friction)) return false;
    for (const JsonNode *n = json_first(list); n; n = json_next(n)) {
        if (n->number >= 0 && n->number <= MOST_FRICTION) continue;
        const char *rule = n->number < 0 ? "not be negative" : "be at most 1e6";
        return fail(r->err, json_where(r->doc, n), "mu; got %s; it must %s",
                    json_show(r->doc, n).text, rule);
    }
    return true;
}

// q in units of its largest entry, so that squares of velocities neither vanish nor overflow.
static bool scale_q(Reader *r, const JsonNode *list) {
    impProblem *problem = r->problem;
    const MatrixProblem *m = &problem->matrix;
    double most = 0;
    for (int i = 0; i < m->count; i++) {
        most = max2(largest(m->q[i]), most);
    }
    if (most > 0 && most < LEAST_VELOCITY)
        return fail(r->err, json_where(r->doc, list),
                    "q; its largest entry is below 2.3e-308; that is too small to compute with");
    problem->size = most > 0 ? most : 1;
    for (int i = 0; i < m->count; i++) {
        impVec3 q = m->q[i];
        problem->scaled[i] = vec(q.x / problem->size, q.y / problem->size, q.z / problem->size);
    }
    return true;
}

static bool read_q(Reader *r) {
    MatrixProblem *m = &r->problem->matrix;
    const JsonNode *list = need_numbers(r, "q", 3 * (int64_t)m->count, "three a contact");
    if (!list) return false;
    double *q = POOL_TAKE(&r->pool, double, 3 * (size_t)m->count);
    impVec3 *out = POOL_TAKE(&r->problem->pool, impVec3, m->count);
    r->problem->scaled = POOL_TAKE(&r->problem->pool, impVec3, m->count);
    if (!q || !out || !r->problem->scaled) return fail_memory(r->err);
    if (!read_numbers(r, list, "q", q)) return false;
    for (int i = 0; i < m->count; i++) {
        out[i] = vec(q[3 * i + 1], q[3 * i + 2], q[3 * i]);
    }
    m->q = out;
    return scale_q(r, list);
}

// --- W by rows -----------------------------------------------------------------------------------

static bool read_row_starts(Reader *r) {
    Rows *rows = &r->rows;
    rows->count = 3 * r->problem->matrix.count;
    const JsonNode *list = need_numbers(r, "W_indptr", (int64_t)rows->count + 1,
                                        "three a contact and one more");
    if (!list) return false;
    rows->first = POOL_TAKE(&r->pool, int64_t, rows->count + 1);
    if (!rows->first) return fail_memory(r->err);
    if (!read_whole(r, list, "W_indptr", INT32_MAX, rows->first)) return false;
    int64_t last = 0;
    int i = 0;
    for (const JsonNode *n = json_first(list); n; n = json_next(n), i++) {
        bool good = i == 0 ? rows->first[i] == 0 : rows->first[i] >= last;
        last = rows->first[i];
        if (good) continue;
        return fail(r->err, json_where(r->doc, n),
                    "W_indptr; got %s; it must begin with 0 and not fall",
                    json_show(r->doc, n).text);
    }
    return true;
}

// A column twice in one row.
static bool check_columns(Reader *r, const JsonNode *list) {
    const Rows *rows = &r->rows;
    int32_t *seen = POOL_TAKE(&r->pool, int32_t, rows->count);
    if (!seen) return fail_memory(r->err);
    const JsonNode *n = json_first(list);
    for (int i = 0; i < rows->count; i++) {
        for (int64_t k = rows->first[i]; k < rows->first[i + 1]; k++, n = json_next(n)) {
            if (seen[rows->column[k]] == i + 1)
                return fail(r->err, json_where(r->doc, n),
                            "W_indices; row %d has column %d twice; it must be there once", i,
                            (int)rows->column[k]);
            seen[rows->column[k]] = i + 1;
        }
    }
    return true;
}

static bool read_entries(Reader *r) {
    Rows *rows = &r->rows;
    int64_t count = rows->first[rows->count];
    const JsonNode *columns = need_numbers(r, "W_indices", count, "as W_indptr ends with");
    const JsonNode *values = need_numbers(r, "W_data", count, "as W_indptr ends with");
    if (!columns || !values) return false;
    int64_t *whole = POOL_TAKE(&r->pool, int64_t, count + 1);
    rows->column = POOL_TAKE(&r->pool, int32_t, count + 1);
    rows->value = POOL_TAKE(&r->pool, double, count + 1);
    if (!whole || !rows->column || !rows->value) return fail_memory(r->err);
    if (!read_whole(r, columns, "W_indices", rows->count - 1, whole)) return false;
    for (int64_t k = 0; k < count; k++) {
        rows->column[k] = (int32_t)whole[k];
    }
    return read_numbers(r, values, "W_data", rows->value) && check_columns(r, columns);
}

// --- W by blocks ---------------------------------------------------------------------------------

// Which blocks a row of blocks has, ascending. `seen` marks contacts by the number of the row,
// from 1.
typedef struct Pattern {
    int32_t *seen, *list, *sorted, *spare;
    int count;
} Pattern;

static bool by_contact(const void *context, int32_t i, int32_t j) {
    const Pattern *pattern = context;
    return pattern->list[i] < pattern->list[j];
}

static void find_blocks(const Rows *rows, int contact, Pattern *out) {
    out->count = 0;
    for (int64_t k = rows->first[3 * contact]; k < rows->first[3 * contact + 3]; k++) {
        int32_t other = rows->column[k] / 3;
        if (out->seen[other] == contact + 1) continue;
        out->seen[other] = contact + 1;
        out->sorted[out->count] = out->count;
        out->list[out->count++] = other;
    }
    sort_stable(out->sorted, out->spare, out->count, by_contact, out);
}

// The component of a contact in solve/ by that in the file: normal, t1, t2.
static double *component_of(impVec3 *v, int axis) {
    return axis == 0 ? &v->z : axis == 1 ? &v->x : &v->y;
}

static void set_entry(Mat3 *block, int row, int column, double value) {
    impVec3 *of = row == 0 ? &block->z : row == 1 ? &block->x : &block->y;
    *component_of(of, column) = value;
}

static void fill_blocks(const Rows *rows, int contact, const int32_t *column, int count,
                        int32_t *place, Mat3 *block) {
    for (int k = 0; k < count; k++) {
        place[column[k]] = k;
        block[k] = mat3_diagonal(0, 0, 0);
    }
    for (int axis = 0; axis < 3; axis++) {
        int row = 3 * contact + axis;
        for (int64_t k = rows->first[row]; k < rows->first[row + 1]; k++) {
            int32_t at = rows->column[k];
            set_entry(&block[place[at / 3]], axis, at % 3, rows->value[k]);
        }
    }
}

static bool positive_diagonal(const Reader *r, int contact, Mat3 w) {
    if (w.x.x > 0 && w.y.y > 0 && w.z.z > 0) return true;
    return fail(r->err, json_where(r->doc, r->doc->root),
                "W; contact %d has no three positive entries on the diagonal; every contact needs "
                "them",
                contact);
}

// Rows of blocks one after the other: first how many there are, then what they hold.
static bool set_blocks(Reader *r) {
    MatrixProblem *m = &r->problem->matrix;
    Pool *pool = &r->problem->pool;
    size_t count = (size_t)m->count;
    Pattern pattern = { POOL_TAKE(&r->pool, int32_t, count), POOL_TAKE(&r->pool, int32_t, count),
                        POOL_TAKE(&r->pool, int32_t, count), POOL_TAKE(&r->pool, int32_t, count),
                        0 };
    int32_t *place = POOL_TAKE(&r->pool, int32_t, count);
    int32_t *first = POOL_TAKE(pool, int32_t, count + 1);
    if (!pattern.seen || !pattern.list || !pattern.sorted || !pattern.spare || !place || !first)
        return fail_memory(r->err);
    for (int i = 0; i < m->count; i++) {
        find_blocks(&r->rows, i, &pattern);
        first[i + 1] = first[i] + pattern.count;
    }
    int32_t *column = POOL_TAKE(pool, int32_t, first[m->count] + 1);
    Mat3 *block = POOL_TAKE(pool, Mat3, first[m->count] + 1);
    if (!column || !block) return fail_memory(r->err);
    memset(pattern.seen, 0, count * sizeof *pattern.seen);
    m->first = first;
    m->column = column;
    m->block = block;
    for (int i = 0; i < m->count; i++) {
        find_blocks(&r->rows, i, &pattern);
        for (int k = 0; k < pattern.count; k++) {
            column[first[i] + k] = pattern.list[pattern.sorted[k]];
        }
        fill_blocks(&r->rows, i, column + first[i], pattern.count, place, block + first[i]);
        bool there = pattern.seen[i] == i + 1;
        Mat3 own = there ? matrix_diagonal(m, i) : mat3_diagonal(0, 0, 0);
        if (!positive_diagonal(r, i, own)) return false;
    }
    return true;
}

// --- asymmetry -----------------------------------------------------------------------------------

// The block (i, j), or zeros.
static Mat3 block_at(const MatrixProblem *m, int i, int j) {
    int low = m->first[i];
    int high = m->first[i + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->column[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool there = low < m->first[i + 1] && m->column[low] == j;
    return there ? m->block[low] : mat3_diagonal(0, 0, 0);
}

static double largest_entry(Mat3 w) { return max2(largest(w.x), max2(largest(w.y), largest(w.z))); }

static double asymmetry_of(const MatrixProblem *m) {
    double most = 0;
    double size = 0;
    for (int i = 0; i < m->count; i++) {
        for (int k = m->first[i]; k < m->first[i + 1]; k++) {
            Mat3 other = transpose(block_at(m, m->column[k], i));
            Mat3 difference = mat3_add(m->block[k], mat3_scale(-1, other));
            most = max2(largest_entry(difference), most);
            size = max2(largest_entry(m->block[k]), size);
        }
    }
    return most / size;
}

// --- the whole file ------------------------------------------------------------------------------

static bool read_problem(Reader *r) {
    // the last two: an answer that others found, which is not read
    static const char *const keys[] = { "about",  "source",     "mu",
                                        "q",      "W_indptr",   "W_indices",
                                        "W_data", "r_solution", "u_solution" };
    const JsonNode *root = r->doc->root;
    if (!json_check_kind(r->doc, root, "", "a contact problem", JSON_OBJECT, r->err)) return false;
    if (!json_check_keys(r->doc, root, "", keys, COUNT(keys), r->err)) return false;
    if (!read_friction(r) || !read_q(r) || !read_row_starts(r)) return false;
    if (!read_entries(r) || !set_blocks(r)) return false;
    impProblem *problem = r->problem;
    problem->matrix.p = POOL_TAKE(&problem->pool, impVec3, problem->matrix.count);
    problem->velocity = POOL_TAKE(&problem->pool, impVec3, problem->matrix.count);
    if (!problem->matrix.p || !problem->velocity) return fail_memory(r->err);
    matrix_velocity(&problem->matrix, problem->matrix.p, problem->velocity);
    problem->asymmetry = asymmetry_of(&problem->matrix);
    return true;
}

static bool bad_call(impError *err, const char *function, const char *argument) {
    return fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "%s: argument %s is NULL; it must be given",
                   function, argument);
}

impProblem *impProblem_Parse(const char *text, size_t length, const char *name,
                             const impLoadDef *def, impError *err) {
    impError own;
    Reader r = { .err = err ? err : &own };
    memset(r.err, 0, sizeof *r.err);
    if (!text || !name) {
        bad_call(r.err, "impProblem_Parse", text ? "name" : "text");
        return NULL;
    }
    r.problem = calloc(1, sizeof *r.problem);
    bool good = r.problem != NULL || fail_memory(r.err);
    if (good) {
        r.doc = json_parse(&r.pool, text, length, name, impLimits(def).max_nesting, r.err);
        good = r.doc && read_problem(&r);
    }
    pool_free(&r.pool);
    if (good) return r.problem;
    impProblem_Free(r.problem);
    return NULL;
}

impProblem *impProblem_Load(const char *path, const impLoadDef *def, impError *err) {
    impError own;
    char *text = NULL;
    size_t size = 0;
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    if (!path) {
        bad_call(err, "impProblem_Load", "path");
        return NULL;
    }
    if (!file_read(path, impLimits(def).max_file_bytes, &text, &size, err)) return NULL;
    impProblem *problem = impProblem_Parse(text, size, path, def, err);
    free(text);
    return problem;
}

void impProblem_Free(impProblem *problem) {
    if (!problem) return;
    pool_free(&problem->pool);
    free(problem);
}

int impProblem_ContactCount(const impProblem *problem) {
    return problem ? problem->matrix.count : 0;
}

const MatrixProblem *io_problem_matrix(const impProblem *problem) { return &problem->matrix; }

double impProblem_Asymmetry(const impProblem *problem) { return problem ? problem->asymmetry : 0; }

// --- solving -------------------------------------------------------------------------------------

// Solves with q in units of its largest entry; impulses are in these units, too. The velocities and
// the residual of the true cone are computed anew from the impulses.
static impProblemReport solve_scaled(impProblem *problem, const MatrixSolver *solver,
                                     const SolverOptions *options, Arena scratch) {
    MatrixProblem m = problem->matrix;
    m.q = problem->scaled;
    memset(m.p, 0, sizeof(impVec3) * (size_t)m.count);
    SolverReport found = solver->solve(&m, options, scratch);
    matrix_velocity(&m, m.p, problem->velocity);
    double cone = matrix_residual(&m, m.p, problem->velocity);
    for (int i = 0; i < m.count; i++) {
        m.p[i] = scale(problem->size, m.p[i]);
        problem->velocity[i] = scale(problem->size, problem->velocity[i]);
    }
    return (impProblemReport){ .solver = found.solver,
                               .residual = found.residual,
                               .iterations = found.iterations,
                               .solved = found.solved,
                               .cone_residual = cone };
}

static const MatrixSolver *find_solver(const char *name, impError *err) {
    int i = matrix_solver_find(name ? name : "automatic");
    if (i >= 0) return &matrix_solvers[i];
    char known[200] = "";
    for (int k = 0; k < matrix_solver_count; k++) {
        size_t used = strlen(known);
        print_text(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                   matrix_solvers[k].name);
    }
    fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "unknown solver '%s'; it can be %s", name, known);
    return NULL;
}

static bool solve_with(impProblem *problem, const MatrixSolver *solver,
                       const SolverOptions *options, impProblemReport *report, impError *err) {
    const MatrixProblem *m = &problem->matrix;
    Pool pool = { 0 };
    bool full = false;
    size_t bytes = solver->scratch(m->count, options->directions);
    if (bytes == 0)
        return fail_as(err, IMP_AT_LIMIT, (Where){ 0 }, "%s: %d contacts; that is too many for it",
                       solver->name, m->count);
    size_t size = (bytes / CACHE_LINE + 1) * CACHE_LINE;
    char *memory = pool_take_lines(&pool, size, 1);
    if (!memory) return fail_memory(err);
    *report = solve_scaled(problem, solver, options, (Arena){ memory, 0, size, &full });
    pool_free(&pool);
    return !full || fail_memory(err);
}

bool impProblem_Solve(impProblem *problem, const impProblemDef *def, impProblemReport *report,
                      impError *err) {
    impError own;
    impProblemDef defaults = { 0 };
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    if (!problem || !report)
        return bad_call(err, "impProblem_Solve", problem ? "report" : "problem");
    if (!def) {
        def = &defaults;
    }
    if (!(def->tolerance >= 0) || def->iterations < 0 || def->directions < 0)
        return fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                       "impProblem_Solve: tolerance, iterations and directions must not be "
                       "negative");
    if (def->directions % 2 != 0 || def->directions > MOST_DIRECTIONS)
        return fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                       "%d directions of friction; their number must be even, from 2 to %d",
                       def->directions, MOST_DIRECTIONS);
    const MatrixSolver *solver = find_solver(def->solver, err);
    SolverOptions options = { .tolerance = def->tolerance > 0 ? def->tolerance : TOLERANCE,
                              .iterations = def->iterations,
                              .directions = def->directions };
    return solver && solve_with(problem, solver, &options, report, err);
}

static void write_three(double *out, impVec3 v) {
    out[0] = v.z;
    out[1] = v.x;
    out[2] = v.y;
}

void impProblem_Answer(const impProblem *problem, double *impulses, double *velocities) {
    if (!problem) return;
    for (int i = 0; i < problem->matrix.count; i++) {
        if (impulses) {
            write_three(impulses + 3 * i, problem->matrix.p[i]);
        }
        if (velocities) {
            write_three(velocities + 3 * i, problem->velocity[i]);
        }
    }
}
