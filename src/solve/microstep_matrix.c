// microstep_matrix.c -- the matrix of a step of microstep_newton.c: masses and springs, and who
// moves with whom.
//
// Six rows a body, in blocks of six by six, and none where two bodies do not touch and never will:
// bodies are eliminated in an order in which each leaves the fewest neighbours to join (minimum
// degree; Tinney & Walker 1967), so that a chain costs what it is long and a heap of a hundred not
// much more than its contacts. Not symmetric where something slides, but who touches whom is; no
// pivots are sought, for masses and springs make the diagonal strong.
//
// A spring pushes along `by` as much as the point moves along `of`, and J^T (by of^T) J is one
// column times one row of twelve: a point's velocity is that of a, v + w x r, less that of b.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

enum { SIX = 6, BLOCK = SIX * SIX, WORD = 64 };
// neighbours at its elimination, a body, on the average: more are left to sweeps
enum { BESIDE = 24 };

// --- room ----------------------------------------------------------------------------------------
static int joins_of(int bodies) {
    return bodies - 1 < 2 * BESIDE ? bodies * (bodies - 1) / 2 : BESIDE * bodies;
}
static int words_of(int bodies) { return (bodies + WORD - 1) / WORD; }
static int numbers_of(int bodies) {
    return BLOCK * (bodies + 2 * joins_of(bodies)) + 3 * SIX * bodies;
}
static int names_of(int bodies) { return 3 * bodies + 1 + joins_of(bodies); }

size_t solve_microstep_workspace_size(int bodies) {
    size_t n = (size_t)numbers_of(bodies);
    size_t bits = (size_t)bodies * (size_t)words_of(bodies);
    size_t names = (size_t)names_of(bodies);
    return n * sizeof(double) + bits * sizeof(uint64_t) + names * sizeof(int32_t) + sizeof(double);
}

MicrostepWorkspace solve_microstep_workspace(void *memory, int bodies) {
    MicrostepWorkspace r = { .body_capacity = bodies,
                             .pair_capacity = joins_of(bodies),
                             .accepted_residual = HUGE_VAL };
    double *number = memory;
    r.vector[0] = number;
    r.vector[1] = number + SIX * bodies;
    r.vector[2] = number + 2 * SIX * bodies;
    r.block = number + 3 * SIX * bodies;
    r.neighbours = (uint64_t *)(number + numbers_of(bodies));
    r.place = (int32_t *)(r.neighbours + bodies * words_of(bodies));
    r.degree = r.place + bodies;
    r.first_pair = r.degree + bodies;
    r.later = r.first_pair + bodies + 1;
    return r;
}

// --- who stands where ----------------------------------------------------------------------------
static uint64_t *row_of(const MicrostepWorkspace *m, int body) {
    return m->neighbours + body * words_of(m->bodies);
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
    for (int w = 0; w < words_of(m->bodies); w++) {
        for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
            sum++;
        }
    }
    return sum;
}

// the one with the fewest neighbours
static int next_out(const MicrostepWorkspace *m) {
    int best = -1;
    for (int i = 0; i < m->bodies; i++) {
        if (m->place[i] < 0 && (best < 0 || m->degree[i] < m->degree[best])) {
            best = i;
        }
    }
    return best;
}

// Its neighbours become neighbours of each other. False: no room.
static bool take_out(MicrostepWorkspace *m, int body, int place) {
    int words = words_of(m->bodies);
    int from = m->first_pair[place];
    int to = from;
    const uint64_t *own = row_of(m, body);
    if (from + m->degree[body] > m->pair_capacity) return false;
    m->place[body] = place;
    for (int w = 0; w < words; w++) {
        for (uint64_t bits = own[w]; bits; bits &= bits - 1) {
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
            row_of(m, i)[w] |= own[w];
        }
        unmark(m, i, i);
        unmark(m, i, body);
        m->degree[i] = count_bits(m, i);
    }
    m->first_pair[place + 1] = to;
    return true;
}

// a few, from bodies to places
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
    for (int i = 0; i < bodies * words_of(bodies); i++) {
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
        if (!take_out(m, next_out(m), k)) return false;
    }
    for (int k = 0; k < bodies; k++) {
        sort_by_place(m, m->first_pair[k], m->first_pair[k + 1]);
    }
    return m->has_pattern = true;
}

// --- what is in it -------------------------------------------------------------------------------
// The block of a place with itself; and of a join, the row of the earlier place, and the column
// below, lying on its side.
static double *own(const MicrostepWorkspace *m, int place) { return m->block + BLOCK * place; }
static double *beyond(const MicrostepWorkspace *m, int join) {
    return m->block + BLOCK * (m->bodies + 2 * join);
}
static double *below(const MicrostepWorkspace *m, int join) {
    return m->block + BLOCK * (m->bodies + 2 * join + 1);
}

// the masses
void microstep_matrix_start(MicrostepWorkspace *m, const MicrostepBody *bodies) {
    int blocks = m->bodies + 2 * m->first_pair[m->bodies];
    for (int i = 0; i < BLOCK * blocks; i++) {
        m->block[i] = 0;
    }
    for (int i = 0; i < m->bodies; i++) {
        double *to = own(m, m->place[i]);
        double *turn = to + 3 * SIX + 3;
        const Mat3 *J = &bodies[i].work.inertia;
        to[0] = to[SIX + 1] = to[2 * SIX + 2] = bodies[i].work.mass;
        turn[0] = J->x.x;
        turn[1] = J->x.y;
        turn[2] = J->x.z;
        turn += SIX;
        turn[0] = J->y.x;
        turn[1] = J->y.y;
        turn[2] = J->y.z;
        turn += SIX;
        turn[0] = J->z.x;
        turn[1] = J->z.y;
        turn[2] = J->z.z;
    }
}

static int join_of(const MicrostepWorkspace *m, int early, int late) {
    int e = m->first_pair[early];
    while (m->later[e] != late) {
        e++;
    }
    return e;
}

static void set_six(double *six, impVec3 d, impVec3 arm, double sign) {
    impVec3 turn = cross(arm, d);
    six[0] = sign * d.x;
    six[1] = sign * d.y;
    six[2] = sign * d.z;
    six[3] = sign * turn.x;
    six[4] = sign * turn.y;
    six[5] = sign * turn.z;
}

// along which a body is pushed, or moves
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

ALWAYS_IN_LINE void add_springs(MicrostepWorkspace *m, const MicrostepPoint *q,
                                const MicrostepStiffness *spring, int terms) {
    int a = m->place[q->a];
    int b = q->b < 0 ? -1 : m->place[q->b];
    Terms by_a, of_a, by_b, of_b;
    for (int t = 0; t < terms; t++) {
        set_six(by_a.six[t], spring[t].push, q->arm_a, 1);
        set_six(of_a.six[t], spring[t].along, q->arm_a, 1);
        if (b >= 0) {
            set_six(by_b.six[t], spring[t].push, q->arm_b, -1);
            set_six(of_b.six[t], spring[t].along, q->arm_b, -1);
        }
    }
    add_terms(own(m, a), &by_a, &of_a, terms);
    if (b < 0) return;
    add_terms(own(m, b), &by_b, &of_b, terms);
    int join = a < b ? join_of(m, a, b) : join_of(m, b, a);
    const Terms *by_early = a < b ? &by_a : &by_b;
    const Terms *of_early = a < b ? &of_a : &of_b;
    const Terms *by_late = a < b ? &by_b : &by_a;
    const Terms *of_late = a < b ? &of_b : &of_a;
    add_terms(beyond(m, join), by_early, of_late, terms);
    add_terms(below(m, join), of_early, by_late, terms);
}

void microstep_matrix_add(MicrostepWorkspace *m, const MicrostepPoint *q,
                          const MicrostepStiffness *spring, int terms) {
    if (terms == 2) {
        add_springs(m, q, spring, 2);
    } else {
        add_springs(m, q, spring, 3);
    }
}

// --- solved --------------------------------------------------------------------------------------
// to -= left^T right
static void take_off(double *restrict to, const double *restrict left,
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

static void take_off_row(double *restrict row, const double *restrict other, double times) {
    for (int c = 0; c < SIX; c++) {
        row[c] -= times * other[c];
    }
}

// into a lower and an upper triangle
static bool factor_own(double *d, double *pivot_inverse) {
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

// by the lower triangle
static void finish_beyond(double *u, const double *d) {
    for (int r = 1; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            take_off_row(u + SIX * r, u + SIX * s, d[SIX * r + s]);
        }
    }
}

// by the upper one
static void finish_below(double *l, const double *d, const double *pivot_inverse) {
    for (int r = 0; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            take_off_row(l + SIX * r, l + SIX * s, d[SIX * s + r]);
        }
        for (int c = 0; c < SIX; c++) {
            l[SIX * r + c] *= pivot_inverse[r];
        }
    }
}

// What this place leaves to those that touch it.
static void pass_on(MicrostepWorkspace *m, int place) {
    int from = m->first_pair[place];
    int to = m->first_pair[place + 1];
    for (int e = from; e < to; e++) {
        int early = m->later[e];
        int join = m->first_pair[early];
        take_off(own(m, early), below(m, e), beyond(m, e));
        for (int f = e + 1; f < to; f++) {
            while (m->later[join] != m->later[f]) {
                join++;
            }
            take_off(beyond(m, join), below(m, e), beyond(m, f));
            take_off(below(m, join), beyond(m, e), below(m, f));
        }
    }
}

static bool eliminate(MicrostepWorkspace *m, int place, double *x) {
    double *d = own(m, place);
    double *inverse = m->vector[MICROSTEP_PIVOT] + SIX * place;
    double *mine = x + SIX * place;
    if (!factor_own(d, inverse)) return false;
    for (int r = 1; r < SIX; r++) {
        for (int s = 0; s < r; s++) {
            mine[r] -= d[SIX * r + s] * mine[s];
        }
    }
    for (int e = m->first_pair[place]; e < m->first_pair[place + 1]; e++) {
        finish_beyond(beyond(m, e), d);
        finish_below(below(m, e), d, inverse);
        double *theirs = x + SIX * m->later[e];
        for (int k = 0; k < SIX; k++) {
            take_off_row(theirs, below(m, e) + SIX * k, mine[k]);
        }
    }
    pass_on(m, place);
    return true;
}

static void substitute_back(const MicrostepWorkspace *m, int place, double *x) {
    const double *d = own(m, place);
    const double *inverse = m->vector[MICROSTEP_PIVOT] + SIX * place;
    double *mine = x + SIX * place;
    for (int e = m->first_pair[place]; e < m->first_pair[place + 1]; e++) {
        const double *u = beyond(m, e);
        const double *theirs = x + SIX * m->later[e];
        for (int r = 0; r < SIX; r++) {
            for (int c = 0; c < SIX; c++) {
                mine[r] -= u[SIX * r + c] * theirs[c];
            }
        }
    }
    for (int r = SIX - 1; r >= 0; r--) {
        for (int c = r + 1; c < SIX; c++) {
            mine[r] -= d[SIX * r + c] * mine[c];
        }
        mine[r] *= inverse[r];
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
