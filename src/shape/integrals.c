// integrals.c -- volume, centre of volume and inertia of a closed surface, by exact surface
// integrals.
//
// Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996, in the form of
// tetrahedra from one point to every triangle a, b, c, with det = a . (b x c) and s
// = a + b + c:
//     volume = sum det / 6,  first moment = sum det s / 24,  C = sum det / 120 (aa' + bb' + cc' +
//     ss')            (1) J = tr(C) Id - C, about the centre after C -= volume c c' (2)
// The middle of the box is subtracted first, and sums are compensated (Neumaier 1974; by Knuth's
// branchless sum): a part far from its origin, or of a million triangles, keeps all but its last
// digits. The surface is taken to be closed; of an open one the result means nothing.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

// volume; x y z; xx yy zz xy yz zx
enum { SUMS = 10 };
typedef struct Sums {
    double sum[SUMS], rest[SUMS];
} Sums;

// rest gathers what rounding took from sum, exactly
static inline void put(Sums *sums, int i, double term) {
    double old = sums->sum[i];
    double now = old + term;
    double part = now - old;
    sums->rest[i] += (old - (now - part)) + (term - part);
    sums->sum[i] = now;
}

// (1), without the constant factors
static void put_triangle(Sums *sums, impVec3 a, impVec3 b, impVec3 c) {
    double det = dot(a, cross(b, c));
    impVec3 s = add(add(a, b), c);
    put(sums, 0, det);
    put(sums, 1, det * s.x);
    put(sums, 2, det * s.y);
    put(sums, 3, det * s.z);
    put(sums, 4, det * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x));
    put(sums, 5, det * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y));
    put(sums, 6, det * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z));
    put(sums, 7, det * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y));
    put(sums, 8, det * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z));
    put(sums, 9, det * (a.z * a.x + b.z * b.x + c.z * c.x + s.z * s.x));
}

static Solid solid_of(const Sums *sums, impVec3 origin) {
    double total[SUMS];
    for (int i = 0; i < SUMS; i++) {
        total[i] = sums->sum[i] + sums->rest[i];
    }
    double volume = total[0] / 6;
    if (volume == 0) return (Solid){ .center = origin };
    impVec3 c = scale(1 / (24 * volume), vec(total[1], total[2], total[3]));
    double xx = total[4] / 120 - volume * c.x * c.x;
    double xy = total[7] / 120 - volume * c.x * c.y;
    double yy = total[5] / 120 - volume * c.y * c.y;
    double yz = total[8] / 120 - volume * c.y * c.z;
    double zz = total[6] / 120 - volume * c.z * c.z;
    double zx = total[9] / 120 - volume * c.z * c.x;
    Mat3 j = mat3(vec(yy + zz, -xy, -zx), vec(-xy, zz + xx, -yz), vec(-zx, -yz, xx + yy));  // (2)
    return (Solid){ .volume = volume, .center = add(origin, c), .inertia = j };
}

// The middle of the box of the corners listed; with none, the origin.
static impVec3 middle(const impVec3 *vertex, const int32_t *corner, int count) {
    if (count == 0) return vec(0, 0, 0);
    impVec3 low = vertex[corner[0]];
    impVec3 high = low;
    for (int i = 1; i < count; i++) {
        low = lower(low, vertex[corner[i]]);
        high = upper(high, vertex[corner[i]]);
    }
    return add(low, scale(0.5, sub(high, low)));
}

Solid shape_integrate(const impVec3 *vertex, const int32_t *triangle, int triangle_count) {
    Sums sums = { 0 };
    impVec3 origin = middle(vertex, triangle, 3 * triangle_count);
    for (int i = 0; i < triangle_count; i++) {
        const int32_t *t = triangle + 3 * (size_t)i;
        put_triangle(&sums, sub(vertex[t[0]], origin), sub(vertex[t[1]], origin),
                     sub(vertex[t[2]], origin));
    }
    return solid_of(&sums, origin);
}

Solid shape_integrate_faces(const impVec3 *vertex, const int32_t *loop, const Face *face,
                            int face_count) {
    if (face_count == 0) return (Solid){ .volume = 0 };
    const Face *last = face + face_count - 1;
    Sums sums = { 0 };
    impVec3 origin = middle(vertex, loop + face->first, last->first + last->count - face->first);
    for (const Face *f = face; f <= last; f++) {
        const int32_t *l = loop + f->first;
        impVec3 a = sub(vertex[l[0]], origin);
        for (int k = 2; k < f->count; k++) {
            put_triangle(&sums, a, sub(vertex[l[k - 1]], origin), sub(vertex[l[k]], origin));
        }
    }
    return solid_of(&sums, origin);
}
