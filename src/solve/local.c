// local.c -- the contact problem of one contact, solved exactly.
//
// Bonnefon & Daviet 2011 (the quartic), here as one equation in the ratio of slip to friction;
// docs/theory/complementarity-solvers.md, (13) and (14). With u = w p + q there are three cases:
//
//   open    q_n >= 0:                  p = 0
//   stick   -w^-1 q is in the cone:    p = -w^-1 q
//   slide   else: u_n = 0, u_t = -l p_t with l > 0, and |p_t| = mu p_n
//
// Eliminating p_n, (S + l) p_t = -b, where S and b are those of friction alone. The last equation
// then is one for l, with a sign change between 0 and infinity: Newton's method, kept inside its
// bracket.
//
// Assumed: w_nn > 0. w need not be symmetric.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

enum { STEPS = 60, DOUBLINGS = 200 };
// 1: rounding of mu p_n / |p_t|, where the iteration ends
#define ENOUGH 4e-16

// The problem of friction alone, and what it leaves of the normal row.
typedef struct Slide {
    double xx, xy, yx, yy;  // S
    double bx, by;
    double nx, ny, n;  // p_n = n - nx p_x - ny p_y
    double friction;
} Slide;
typedef struct Slip {
    double x, y;   // p_t
    double n;      // p_n
    double value;  // mu p_n / |p_t| - 1
    double slope;  // of the value, by l
} Slip;

static Slide eliminate_normal(Mat3 w, impVec3 q, double friction) {
    double part_x = w.x.z / w.z.z;
    double part_y = w.y.z / w.z.z;
    return (Slide){ .xx = w.x.x - part_x * w.z.x,
                    .xy = w.x.y - part_x * w.z.y,
                    .yx = w.y.x - part_y * w.z.x,
                    .yy = w.y.y - part_y * w.z.y,
                    .bx = q.x - part_x * q.z,
                    .by = q.y - part_y * q.z,
                    .nx = w.z.x / w.z.z,
                    .ny = w.z.y / w.z.z,
                    .n = -q.z / w.z.z,
                    .friction = friction };
}

static Slip slip_at(const Slide *s, double l) {
    double xx = s->xx + l;
    double yy = s->yy + l;
    double part = 1 / (xx * yy - s->xy * s->yx);
    Slip out;
    out.x = -part * (yy * s->bx - s->xy * s->by);
    out.y = -part * (xx * s->by - s->yx * s->bx);
    out.n = s->n - s->nx * out.x - s->ny * out.y;
    double size = sqrt(out.x * out.x + out.y * out.y);
    out.value = s->friction * out.n / size - 1;

    // d p_t / d l = -(S + l)^-1 p_t
    double dx = -part * (yy * out.x - s->xy * out.y);
    double dy = -part * (xx * out.y - s->yx * out.x);
    double dn = -s->nx * dx - s->ny * dy;
    double growth = (out.x * dx + out.y * dy) / (size * size);
    out.slope = s->friction * (dn - out.n * growth) / size;
    return out;
}

// The first l, from a positive one by doubling, where friction is below its limit.
static double upper_end(const Slide *s) {
    double l = fabs(s->xx) + fabs(s->yy);
    for (int i = 0; i < DOUBLINGS && !(slip_at(s, l).value > 0); i++) {
        l *= 2;
    }
    return l;
}

static impVec3 slide(const Slide *s) {
    double low = 0;
    double high = upper_end(s);
    double l = high;
    Slip now = slip_at(s, l);
    for (int i = 0; i < STEPS && fabs(now.value) > ENOUGH; i++) {
        if (now.value > 0) {
            high = l;
        } else {
            low = l;
        }
        double next = l - now.value / now.slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (next == l) break;
        l = next;
        now = slip_at(s, l);
    }
    double size = sqrt(now.x * now.x + now.y * now.y);
    double limit = s->friction * max2(now.n, 0);
    return vec(now.x * limit / size, now.y * limit / size, max2(now.n, 0));
}

impVec3 local_impulse(Mat3 w, impVec3 q, double friction) {
    if (q.z >= 0) return vec(0, 0, 0);
    if (friction <= 0) return vec(0, 0, -q.z / w.z.z);
    Slide s = eliminate_normal(w, q, friction);
    double part = s.xx * s.yy - s.xy * s.yx;
    double x = -(s.yy * s.bx - s.xy * s.by) / part;
    double y = -(s.xx * s.by - s.yx * s.bx) / part;
    double n = s.n - s.nx * x - s.ny * y;
    if (n > 0 && x * x + y * y <= friction * friction * n * n) return vec(x, y, n);
    return slide(&s);
}
