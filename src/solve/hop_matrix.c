// hop_matrix.c -- the matrix of a step of hop_newton.c: masses and springs, and who moves with whom.
//
// Six rows a body, and nothing but zeros where two do not touch: kept and eliminated within its envelope, row by row. The
// bodies are lined up so that neighbours stand together (Cuthill & McKee 1969), from the last of them, which is far from
// the first where an island was gathered outwards. Not symmetric where something slides; no pivots are sought, for masses
// and springs make the diagonal strong.
//
// A spring pushes along `by` as much as the point moves along `of`, and J^T (by of^T) J is one column times one row of
// twelve: a point's velocity is that of a, v + w x r, less that of b.
//
// SPDX-License-Identifier: MIT
#include "solve/hop_inside.h"

enum { SIX = 6 };

// --- who stands where --------------------------------------------------------------------------------------------------
_Static_assert(HOP_BODIES <= 64, "a neighbour is a bit");

static void line_up(HopMatrix *m, const uint64_t *beside) {
    int line[HOP_BODIES], count = 0;
    for (int i = 0; i < m->bodies; i++) m->place[i] = -1;
    for (int start = m->bodies - 1; start >= 0; start--) {
        if (m->place[start] >= 0) continue;
        m->place[start] = count, line[count++] = start;
        for (int k = m->place[start]; k < count; k++)
            for (int i = 0; i < m->bodies; i++)
                if (m->place[i] < 0 && beside[line[k]] >> i & 1) m->place[i] = count, line[count++] = i;
    }
}

static void set_envelope(HopMatrix *m, const uint64_t *beside) {
    for (int i = 0; i < m->bodies; i++) m->first[i] = i;
    for (int i = 0; i < m->bodies; i++)
        for (int k = 0; k < m->bodies; k++) {
            int row = m->place[i], column = m->place[k];
            if (beside[i] >> k & 1 && column < m->first[row]) m->first[row] = column;
        }
    for (int i = 0; i < m->bodies; i++)
        for (int k = m->first[i]; k <= i; k++) m->last[k] = i;     // those before know less
    m->size = 0;
    for (int i = 0; i < m->bodies; i++) {
        m->width[i] = SIX * (m->last[i] - m->first[i] + 1);
        m->origin[i] = m->size - SIX * m->first[i];
        m->size += SIX * m->width[i];
    }
}

void hop_matrix_shape(HopMatrix *m, int bodies, const HopPoint *points, int count) {
    uint64_t beside[HOP_BODIES] = { 0 };
    m->bodies = bodies;
    for (int i = 0; i < count; i++) {
        int a = points[i].a, b = points[i].b;
        if (b < 0) continue;
        beside[a] |= (uint64_t)1 << b, beside[b] |= (uint64_t)1 << a;
    }
    line_up(m, beside);
    set_envelope(m, beside);
}

// --- what is in it -------------------------------------------------------------------------------------------------------
static double *block(const HopMatrix *m, int row, int column) { return m->room + m->origin[row] + SIX * column; }

void hop_matrix_start(HopMatrix *m, const HopBody *bodies) {       // the masses
    for (int i = 0; i < m->size; i++) m->room[i] = 0;
    for (int i = 0; i < m->bodies; i++) {
        int at = m->place[i], width = m->width[at];
        double *to = block(m, at, at), *turn = to + 3 * width + 3;
        const Mat3 *J = &bodies[i].inertia;
        to[0] = to[width + 1] = to[2 * width + 2] = bodies[i].mass;
        turn[0] = J->x.x, turn[1] = J->x.y, turn[2] = J->x.z, turn += width;
        turn[0] = J->y.x, turn[1] = J->y.y, turn[2] = J->y.z, turn += width;
        turn[0] = J->z.x, turn[1] = J->z.y, turn[2] = J->z.z;
    }
}

static void set_six(double *six, impVec3 d, impVec3 arm, double sign) {
    impVec3 turn = cross(arm, d);
    six[0] = sign * d.x, six[1] = sign * d.y, six[2] = sign * d.z;
    six[3] = sign * turn.x, six[4] = sign * turn.y, six[5] = sign * turn.z;
}

typedef struct Terms { double six[3][SIX]; } Terms;                // along which a body is pushed, or moves

ALWAYS_IN_LINE void add_terms(const HopMatrix *m, int row, int column, const Terms *by, const Terms *restrict of, int terms) {
    int width = m->width[row];
    double *restrict to = block(m, row, column);
    for (int r = 0; r < SIX; r++, to += width) {
        double x = by->six[0][r], y = by->six[1][r], z = terms == 3 ? by->six[2][r] : 0;
        for (int c = 0; c < SIX; c++) {
            double sum = x * of->six[0][c] + y * of->six[1][c];
            to[c] += terms == 3 ? sum + z * of->six[2][c] : sum;
        }
    }
}

ALWAYS_IN_LINE void add_springs(HopMatrix *m, const HopPoint *q, const HopSpring *spring, int terms) {
    int a = m->place[q->a], b = q->b < 0 ? -1 : m->place[q->b];
    Terms by_a, of_a, by_b, of_b;
    for (int t = 0; t < terms; t++) {
        set_six(by_a.six[t], spring[t].by, q->arm_a, 1), set_six(of_a.six[t], spring[t].of, q->arm_a, 1);
        if (b >= 0) set_six(by_b.six[t], spring[t].by, q->arm_b, -1), set_six(of_b.six[t], spring[t].of, q->arm_b, -1);
    }
    add_terms(m, a, a, &by_a, &of_a, terms);
    if (b < 0) return;
    add_terms(m, a, b, &by_a, &of_b, terms), add_terms(m, b, a, &by_b, &of_a, terms);
    add_terms(m, b, b, &by_b, &of_b, terms);
}

void hop_matrix_add(HopMatrix *m, const HopPoint *q, const HopSpring *spring, int terms) {
    if (terms == 2) add_springs(m, q, spring, 2);
    else add_springs(m, q, spring, 3);
}

// --- solved ----------------------------------------------------------------------------------------------------------------
// From three rows, as many times another one.
static void take_off_three(double *restrict r0, double *restrict r1, double *restrict r2, const double *restrict other,
                           const double *times, int count) {
    double x = times[0], y = times[1], z = times[2];
    for (int c = 0; c < count; c++) r0[c] -= x * other[c], r1[c] -= y * other[c], r2[c] -= z * other[c];
}

static void take_off(double *restrict row, const double *restrict other, double times, int count) {
    for (int c = 0; c < count; c++) row[c] -= times * other[c];
}

// The rows of body i less what those of an earlier one, b, say of them; of the right side x, too.
static void eliminate_earlier(HopMatrix *m, int i, int b, double *x) {
    int width = m->width[i], end = SIX * m->last[b] + SIX;
    double *rows = m->room + m->origin[i], times[SIX];
    for (int k = SIX * b; k < SIX * b + SIX; k++) {
        const double *other = m->room + m->origin[b] + (k - SIX * b) * m->width[b];
        bool any = false;
        for (int r = 0; r < SIX; r++) {
            times[r] = rows[r * width + k] * m->pivot_inverse[k];
            any = any || times[r] != 0;
            x[SIX * i + r] -= times[r] * x[k];
        }
        if (!any) continue;
        double *to = rows + k + 1, *below = to + 3 * width;
        take_off_three(to, to + width, to + 2 * width, other + k + 1, times, end - k - 1);
        take_off_three(below, below + width, below + 2 * width, other + k + 1, times + 3, end - k - 1);
    }
}

static bool eliminate_own(HopMatrix *m, int i, double *x) {
    int width = m->width[i], end = SIX * m->last[i] + SIX;
    double *rows = m->room + m->origin[i];
    for (int r = 0; r < SIX; r++) {
        int k = SIX * i + r;
        const double *other = rows + r * width;
        if (!(fabs(other[k]) > 0)) return false;
        m->pivot_inverse[k] = 1 / other[k];
        for (int s = r + 1; s < SIX; s++) {
            double times = rows[s * width + k] * m->pivot_inverse[k];
            x[SIX * i + s] -= times * x[k];
            take_off(rows + s * width + k + 1, other + k + 1, times, end - k - 1);
        }
    }
    return true;
}

static void substitute_back(const HopMatrix *m, int i, double *x) {
    int width = m->width[i];
    const double *rows = m->room + m->origin[i];
    double *own = x + SIX * i;
    for (int k = SIX * i + SIX; k < SIX * m->last[i] + SIX; k++)
        for (int r = 0; r < SIX; r++) own[r] -= rows[r * width + k] * x[k];
    for (int r = SIX - 1; r >= 0; r--) {
        own[r] *= m->pivot_inverse[SIX * i + r];
        for (int s = 0; s < r; s++) own[s] -= rows[s * width + SIX * i + r] * own[r];
    }
}

bool hop_matrix_solve(HopMatrix *m, double *x) {
    for (int i = 0; i < m->bodies; i++) {
        for (int b = m->first[i]; b < i; b++) eliminate_earlier(m, i, b, x);
        if (!eliminate_own(m, i, x)) return false;
    }
    for (int i = m->bodies - 1; i >= 0; i--) substitute_back(m, i, x);
    return true;
}
