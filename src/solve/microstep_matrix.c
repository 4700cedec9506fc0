// microstep_matrix.c -- the matrix of (17), docs/theory/contact-solver.md: masses and stiffnesses,
// its pattern and its elimination.
//
// A block of 6 x 6 for each body and for each pair of bodies that touch or that elimination joins.
// Bodies are eliminated in the order of minimum degree (Tinney & Walker 1967), so the cost of a
// chain is proportional to its length. The matrix is not symmetric where points slide, but its
// pattern is. There are no pivots: masses and springs make the diagonal blocks positive definite.
//
// A spring pushes along `push` by the motion of its point along `along`; J^T (push along^T) J is a
// column times a row of twelve numbers, as the velocity of a point is v + w x r of a less that of
// b.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

// numbers of a twist; of a block; bits of a word of the pattern
enum { SIX = 6, BLOCK = SIX * SIX, WORD = 64 };
// neighbours of a body at its elimination, on the average: there is no room for more. Test:
// tests/solve/microstep.c
enum { MEAN_NEIGHBOURS = 24 };

// --- memory --------------------------------------------------------------------------------------

static int pair_capacity(int bodies) {
    return bodies - 1 < 2 * MEAN_NEIGHBOURS ? bodies * (bodies - 1) / 2 : MEAN_NEIGHBOURS * bodies;
}
static int word_count(int bodies) { return (bodies + WORD - 1) / WORD; }
static int double_count(int bodies) {
    return BLOCK * (bodies + 2 * pair_capacity(bodies)) + 3 * SIX * bodies;
}
static int int_count(int bodies) { return 3 * bodies + 1 + pair_capacity(bodies); }

size_t solve_microstep_workspace_size(int bodies) {
    size_t n = (size_t)double_count(bodies);
    size_t bits = (size_t)bodies * (size_t)word_count(bodies);
    size_t ints = (size_t)int_count(bodies);
    return n * sizeof(double) + bits * sizeof(uint64_t) + ints * sizeof(int32_t) + sizeof(double);
}

MicrostepWorkspace solve_microstep_workspace(void *memory, int bodies) {
    MicrostepWorkspace r = { .body_capacity = bodies,
                             .pair_capacity = pair_capacity(bodies),
                             .accepted_residual = HUGE_VAL };
    double *number = memory;
    r.vector[0] = number;
    r.vector[1] = number + SIX * bodies;
    r.vector[2] = number + 2 * SIX * bodies;
    r.block = number + 3 * SIX * bodies;
    r.neighbours = (uint64_t *)(number + double_count(bodies));
    r.place = (int32_t *)(r.neighbours + bodies * word_count(bodies));
    r.degree = r.place + bodies;
    r.first_pair = r.degree + bodies;
    r.later = r.first_pair + bodies + 1;
    return r;
}

// --- pattern -------------------------------------------------------------------------------------

static uint64_t *row_of(const MicrostepWorkspace *m, int body) {
    return m->neighbours + body * word_count(m->bodies);
}
static void mark(const MicrostepWorkspace *m, int a, int b) {
    row_of(m, a)[b / WORD] |= (uint64_t)1 << b % WORD;
}
static void unmark(const MicrostepWorkspace *m, int a, int b) {
    row_of(m, a)[b / WORD] &= ~((uint64_t)1 << b % WORD);
}

static int count_bits(const MicrostepWorkspace *m, int body) {
    const uint64_t *row = row_of(m, body);
    int sum = 0;
    for (int w = 0; w < word_count(m->bodies); w++) {
        for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
            sum++;
        }
    }
    return sum;
}

// The body with the fewest neighbours among those that are left.
static int next_eliminated(const MicrostepWorkspace *m) {
    int best = -1;
    for (int i = 0; i < m->bodies; i++) {
        if (m->place[i] < 0 && (best < 0 || m->degree[i] < m->degree[best])) {
            best = i;
        }
    }
    return best;
}

// Eliminates a body from the pattern: its neighbours become neighbours of each other. False: no
// room.
static bool eliminate_pattern(MicrostepWorkspace *m, int body, int place) {
    int words = word_count(m->bodies);
    int from = m->first_pair[place];
    int to = from;
    const uint64_t *own_row = row_of(m, body);
    if (from + m->degree[body] > m->pair_capacity) return false;
    m->place[body] = place;
    for (int w = 0; w < words; w++) {
        for (uint64_t bits = own_row[w]; bits; bits &= bits - 1) {
            uint64_t lowest = bits & (~bits + 1);
            int k = 0;
            while (lowest >> k != 1) {
                k++;
            }
            m->later[to++] = WORD * w + k;
        }
    }
    for (int e = from; e < to; e++) {
        int i = m->later[e];
        for (int w = 0; w < words; w++) {
            row_of(m, i)[w] |= own_row[w];
        }
        unmark(m, i, i);
        unmark(m, i, body);
        m->degree[i] = count_bits(m, i);
    }
    m->first_pair[place + 1] = to;
    return true;
}

// Replaces bodies by their places, in ascending order.
static void sort_by_place(MicrostepWorkspace *m, int from, int to) {
    for (int e = from; e < to; e++) {
        int at = m->place[m->later[e]];
        int k = e;
        for (; k > from && m->later[k - 1] > at; k--) {
            m->later[k] = m->later[k - 1];
        }
        m->later[k] = at;
    }
}

bool microstep_matrix_shape(MicrostepWorkspace *m, int bodies, const MicrostepPoint *points,
                            int count) {
    m->has_pattern = false;
    if (bodies > m->body_capacity) return false;
    m->bodies = bodies;
    for (int i = 0; i < bodies * word_count(bodies); i++) {
        m->neighbours[i] = 0;
    }
    for (int i = 0; i < count; i++) {
        if (points[i].b >= 0) {
            mark(m, points[i].a, points[i].b);
            mark(m, points[i].b, points[i].a);
        }
    }
    for (int i = 0; i < bodies; i++) {
        m->place[i] = -1;
        m->degree[i] = count_bits(m, i);
    }
    m->first_pair[0] = 0;
    for (int k = 0; k < bodies; k++) {
        if (!eliminate_pattern(m, next_eliminated(m), k)) return false;
    }
    for (int k = 0; k < bodies; k++) {
        sort_by_place(m, m->first_pair[k], m->first_pair[k + 1]);
    }
    return m->has_pattern = true;
}

// --- blocks --------------------------------------------------------------------------------------

// The diagonal block of a place; of a pair, the block in the row of the earlier place, and the one
// in its column, transposed.
static double *diagonal_block(const MicrostepWorkspace *m, int place) {
    return m->block + BLOCK * place;
}
static double *row_block(const MicrostepWorkspace *m, int pair) {
    return m->block + BLOCK * (m->bodies + 2 * pair);
}
static double *column_block(const MicrostepWorkspace *m, int pair) {
    return m->block + BLOCK * (m->bodies + 2 * pair + 1);
}

// Masses and inertia tensors.
void microstep_matrix_start(MicrostepWorkspace *m, const MicrostepBody *bodies) {
    int blocks = m->bodies + 2 * m->first_pair[m->bodies];
    for (int i = 0; i < BLOCK * blocks; i++) {
        m->block[i] = 0;
    }
    for (int i = 0; i < m->bodies; i++) {
        double *to = diagonal_block(m, m->place[i]);
        double *inertia_block = to + 3 * SIX + 3;
        const Mat3 *J = &bodies[i].work.inertia;
        to[0] = to[SIX + 1] = to[2 * SIX + 2] = bodies[i].work.mass;
        inertia_block[0] = J->x.x;
        inertia_block[1] = J->x.y;
        inertia_block[2] = J->x.z;
        inertia_block += SIX;
        inertia_block[0] = J->y.x;
        inertia_block[1] = J->y.y;
        inertia_block[2] = J->y.z;
        inertia_block += SIX;
        inertia_block[0] = J->z.x;
        inertia_block[1] = J->z.y;
        inertia_block[2] = J->z.z;
    }
}

static int pair_of(const MicrostepWorkspace *m, int early, int late) {
    int e = m->first_pair[early];
    while (m->later[e] != late) {
        e++;
    }
    return e;
}

// A direction of a point as a row over the twist of a body.
static void set_six(double *six, impVec3 d, impVec3 arm, double sign) {
    impVec3 moment = cross(arm, d);
    six[0] = sign * d.x;
    six[1] = sign * d.y;
    six[2] = sign * d.z;
    six[3] = sign * moment.x;
    six[4] = sign * moment.y;
    six[5] = sign * moment.z;
}

// Directions along which a point pushes a body or moves with it, as rows of six numbers.
typedef struct Terms {
    double six[3][SIX];
} Terms;

ALWAYS_IN_LINE void add_terms(double *restrict to, const Terms *rows, const Terms *restrict columns,
                              int terms) {
    for (int r = 0; r < SIX; r++, to += SIX) {
        double x = rows->six[0][r];
        double y = rows->six[1][r];
        double z = terms == 3 ? rows->six[2][r] : 0;
        for (int c = 0; c < SIX; c++) {
            double sum = x * columns->six[0][c] + y * columns->six[1][c];
            to[c] += terms == 3 ? sum + z * columns->six[2][c] : sum;
        }
    }
}

ALWAYS_IN_LINE void add_stiffness(MicrostepWorkspace *m, const MicrostepPoint *q,
                                  const MicrostepStiffness *term, int terms) {
    int a = m->place[q->a];
    int b = q->b < 0 ? -1 : m->place[q->b];
    Terms by_a, of_a, by_b, of_b;
    for (int t = 0; t < terms; t++) {
        set_six(by_a.six[t], term[t].push, q->arm_a, 1);
        set_six(of_a.six[t], term[t].along, q->arm_a, 1);
        if (b >= 0) {
            set_six(by_b.six[t], term[t].push, q->arm_b, -1);
            set_six(of_b.six[t], term[t].along, q->arm_b, -1);
        }
    }
    add_terms(diagonal_block(m, a), &by_a, &of_a, terms);
    if (b < 0) return;
    add_terms(diagonal_block(m, b), &by_b, &of_b, terms);
    int pair = a < b ? pair_of(m, a, b) : pair_of(m, b, a);
    const Terms *by_early = a < b ? &by_a : &by_b;
    const Terms *of_early = a < b ? &of_a : &of_b;
    const Terms *by_late = a < b ? &by_b : &by_a;
    const Terms *of_late = a < b ? &of_b : &of_a;
    add_terms(row_block(m, pair), by_early, of_late, terms);
    add_terms(column_block(m, pair), of_early, by_late, terms);
}

void microstep_matrix_add(MicrostepWorkspace *m, const MicrostepPoint *q,
                          const MicrostepStiffness *term, int terms) {
    if (terms == 2) {
        add_stiffness(m, q, term, 2);
    } else {
        add_stiffness(m, q, term, 3);
    }
}

// --- elimination ---------------------------------------------------------------------------------

// Block LU, in the order of elimination: D = L U is the diagonal block of a place (L with ones on
// its diagonal), `row` the blocks to the right of it, which become L^-1 row, and `column` the
// blocks below it, kept transposed, which become U^-T column.

// to -= left^T right
static void subtract_product(double *restrict to, const double *restrict left,
                             const double *restrict right) {
    for (int r = 0; r < SIX; r++, to += SIX) {
        double sum[SIX] = { 0 };
        for (int k = 0; k < SIX; k++) {
            for (int c = 0; c < SIX; c++) {
                sum[c] += left[SIX * k + r] * right[SIX * k + c];
            }
        }
        for (int c = 0; c < SIX; c++) {
            to[c] -= sum[c];
        }
    }
}

static void subtract_row(double *restrict row, const double *restrict other, double times) {
    for (int c = 0; c < SIX; c++) {
        row[c] -= times * other[c];
    }
}

// LU factors of a diagonal block, in place.
static bool factor_diagonal(double *d, double *pivot_inverse) {
    for (int r = 0; r < SIX; r++) {
        if (!(fabs(d[SIX * r + r]) > 0)) return false;
        pivot_inverse[r] = 1 / d[SIX * r + r];
        for (int s = r + 1; s < SIX; s++) {
            double times = d[SIX * s + r] * pivot_inverse[r];
            d[SIX * s + r] = times;
            for (int c = r + 1; c < SIX; c++) {
                d[SIX * s + c] -= times * d[SIX * r + c];
            }
        }
    }
    return true;
}

// row = L^-1 row: divides by the lower factor.
static void finish_row(double *row, const double *d) {
    for (int r = 1; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            subtract_row(row + SIX * r, row + SIX * s, d[SIX * r + s]);
        }
    }
}

// column = U^-T column: divides by the upper factor.
static void finish_column(double *column, const double *d, const double *pivot_inverse) {
    for (int r = 0; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            subtract_row(column + SIX * r, column + SIX * s, d[SIX * s + r]);
        }
        for (int c = 0; c < SIX; c++) {
            column[SIX * r + c] *= pivot_inverse[r];
        }
    }
}

// Subtracts the products of the pairs of this place from the blocks of its neighbours.
static void update_neighbours(MicrostepWorkspace *m, int place) {
    int from = m->first_pair[place];
    int to = m->first_pair[place + 1];
    for (int e = from; e < to; e++) {
        int early = m->later[e];
        int pair = m->first_pair[early];
        subtract_product(diagonal_block(m, early), column_block(m, e), row_block(m, e));
        for (int f = e + 1; f < to; f++) {
            while (m->later[pair] != m->later[f]) {
                pair++;
            }
            subtract_product(row_block(m, pair), column_block(m, e), row_block(m, f));
            subtract_product(column_block(m, pair), row_block(m, e), column_block(m, f));
        }
    }
}

// Eliminates a place: factors its blocks, and takes its part from the right sides x of later
// places. False: a pivot is 0.
static bool eliminate(MicrostepWorkspace *m, int place, double *x) {
    double *d = diagonal_block(m, place);
    double *inverse = m->vector[MICROSTEP_PIVOT] + SIX * place;
    double *own_right = x + SIX * place;
    if (!factor_diagonal(d, inverse)) return false;
    for (int r = 1; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            own_right[r] -= d[SIX * r + s] * own_right[s];
        }
    }
    for (int e = m->first_pair[place]; e < m->first_pair[place + 1]; e++) {
        finish_row(row_block(m, e), d);
        finish_column(column_block(m, e), d, inverse);
        double *later_right = x + SIX * m->later[e];
        for (int k = 0; k < SIX; k++) {
            subtract_row(later_right, column_block(m, e) + SIX * k, own_right[k]);
        }
    }
    update_neighbours(m, place);
    return true;
}

// x_place = U^-1 (x_place - sum over later places of row x_later), where x is L^-1 times the right
// side before, and the solution after.
static void substitute_back(const MicrostepWorkspace *m, int place, double *x) {
    const double *d = diagonal_block(m, place);
    const double *inverse = m->vector[MICROSTEP_PIVOT] + SIX * place;
    double *own = x + SIX * place;
    for (int e = m->first_pair[place]; e < m->first_pair[place + 1]; e++) {
        const double *row = row_block(m, e);
        const double *solved = x + SIX * m->later[e];
        for (int r = 0; r < SIX; r++) {
            for (int c = 0; c < SIX; c++) {
                own[r] -= row[SIX * r + c] * solved[c];
            }
        }
    }
    for (int r = SIX - 1; r >= 0; r--) {
        for (int c = r + 1; c < SIX; c++) {
            own[r] -= d[SIX * r + c] * own[c];
        }
        own[r] *= inverse[r];
    }
}

bool microstep_matrix_solve(MicrostepWorkspace *m, double *x) {
    for (int i = 0; i < m->bodies; i++) {
        if (!eliminate(m, i, x)) return false;
    }
    for (int i = m->bodies - 1; i >= 0; i--) {
        substitute_back(m, i, x);
    }
    return true;
}
