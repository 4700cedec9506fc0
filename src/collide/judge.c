// judge.c -- is a direction normal to two shapes? The answer there; flat caps and faces, whose
// normals are known.
//
// With n given, the farthest patches of both shapes must lie above one another (`miss` = 0), and
// then n is normal, whatever came before: these are the optimality conditions of the distance as a
// convex programme. An n that passes the test is the answer, however it was found; so the flats of
// both are tried before any search, for most things lie on a cap or a face, and what polish.c finds
// by Newton's method is judged here, too.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

// of a polytope that are all looked at
enum { FEW_FACES = 16 };
// of the size: what points may lie below the farthest ones where none of those match
#define FORGIVEN 0x1p-41

// --- the judge -----------------------------------------------------------------------------------
void convex_measure(Judged *j) {
    impVec3 r = sub(j->on_a, j->on_b);
    j->d = dot(j->n, r);
    j->miss = norm(madd(r, -j->d, j->n));
}

// and rounding
double convex_forgiven(const Couple *k) { return FORGIVEN * k->size + 0x1p-50 * k->far; }
static double one_height(const Couple *k) { return 2 * FLAT * k->size + 0x1p-50 * k->far; }

static Judged judge_to(const Couple *k, impVec3 n, double grain) {
    Judged j = { .n = n };
    Patch a = convex_patch(&k->side[0], neg(n), grain);
    Patch b = convex_patch(&k->side[1], n, grain);
    convex_common_point(&a, &b, n, grain, &j.on_a, &j.on_b);
    Corner c = convex_corner_toward(k, n, (Corner){ .a = 0 });
    convex_measure(&j);
    j.low = dot(n, c.w);
    // on a rim that may be rounding of n
    if (j.miss > GOOD * k->far) {
        if (a.kind == PATCH_POINT) {
            j.on_a = convex_slide(&a, neg(n), j.on_b);
        }
        if (b.kind == PATCH_POINT) {
            j.on_b = convex_slide(&b, n, j.on_a);
        }
        convex_measure(&j);
    }
    j.a = a.feature;
    j.b = b.feature;
    j.good = j.miss <= GOOD * k->far;
    return j;
}

// Patches that are parallel to a little more than FLAT share a region all of whose points are as
// good; farther ones have a place of their own, which Newton's method finds.
Judged convex_judge(const Couple *k, impVec3 n) {
    Judged j = judge_to(k, n, FLAT * k->size);
    if (j.good) return j;
    Judged coarse = judge_to(k, n, 0.5 * FORGIVEN * k->size);
    return coarse.good && coarse.d - coarse.low <= convex_forgiven(k) ? coarse : j;
}

static double slack(const Judged *j) { return j->miss + fabs(j->d - j->low); }

// The answer is the greatest d over all n: what lies lower belongs to another overlap.
bool convex_better(const Couple *k, const Judged *j, const Judged *than) {
    return slack(j) < slack(than) && j->low >= than->low - one_height(k);
}

// --- flat caps and faces -------------------------------------------------------------------------
#define NEAR_FLAT 0.9  // cosine: farther ones are not the face that was meant

static void try_normal(const Couple *k, int side, impVec3 m, impVec3 n, Judged *best) {
    impVec3 own = side ? m : neg(m);
    if (dot(own, n) < NEAR_FLAT) return;
    Judged j = convex_judge(k, own);
    if (j.good && (!best->good || j.miss < best->miss)) {
        *best = j;
    }
}

static void try_faces(const Couple *k, int side, impVec3 n, Judged *best) {
    const Convex *c = &k->side[side];
    int v = 0;
    convex_support(c, side ? n : neg(n), &v);
    for (int i = c->p.ring_first[v]; i < c->p.ring_first[v + 1]; i++) {
        const Edge *e = &c->p.edge[c->p.ring[i]];
        int f = e->tail == v ? e->left : e->right;
        if (f >= 0) {
            try_normal(k, side, mul(c->rotation, c->p.face[f].normal), n, best);
        }
    }
}

bool convex_try_flats(const Couple *k, impVec3 n, Judged *best) {
    Judged flat = { .good = false };
    for (int side = 1; side >= 0; side--) {
        const Convex *c = &k->side[side];
        impVec3 axis = mul(c->rotation, vec(0, 0, 1));
        if (c->kind == CONVEX_POLYTOPE) {
            try_faces(k, side, n, &flat);
        }
        if (c->kind == CONVEX_CYLINDER || c->kind == CONVEX_CONE) {
            try_normal(k, side, neg(axis), n, &flat);
        }
        if (c->kind == CONVEX_CYLINDER) {
            try_normal(k, side, axis, n, &flat);
        }
    }
    if (!flat.good || flat.low < best->low - one_height(k)) return false;
    *best = flat;
    return true;
}

// The flat of either that the other is farthest above, if that is so: most things lie on a cap or
// face, and there the answer needs no search. It is the same that a search would find, for it is
// judged alike.
static void test_flat(const Couple *k, int side, impVec3 m, double offset, impVec3 *n,
                      double *most) {
    int piece = 0;
    impVec3 own = side ? m : neg(m);
    double low = side ? dot(own, convex_support(&k->side[0], neg(own), &piece)) - offset
                      : -dot(own, convex_support(&k->side[1], own, &piece)) - offset;
    if (low > *most) {
        *most = low;
        *n = own;
    }
}

static void test_all_flats(const Couple *k, int side, impVec3 *n, double *most) {
    const Convex *c = &k->side[side];
    if (c->kind == CONVEX_POLYTOPE && c->p.face_count <= FEW_FACES) {
        for (int f = 0; f < c->p.face_count; f++) {
            impVec3 m = mul(c->rotation, c->p.face[f].normal);
            test_flat(k, side, m, c->p.face[f].offset + dot(m, c->at), n, most);
        }
    }
    if (c->kind != CONVEX_CYLINDER && c->kind != CONVEX_CONE) return;
    impVec3 axis = mul(c->rotation, vec(0, 0, 1));
    double half = 0.5 * c->size[1];
    double at = dot(axis, c->at);
    if (c->kind == CONVEX_CYLINDER) {
        test_flat(k, side, axis, at + half, n, most);
    }
    test_flat(k, side, neg(axis), c->kind == CONVEX_CYLINDER ? half - at : -at, n, most);
}

bool convex_on_flat(const Couple *k, double least, Judged *out) {
    impVec3 n = vec(0, 0, 1);
    double most = least;
    for (int side = 1; side >= 0; side--) {
        test_all_flats(k, side, &n, &most);
    }
    Judged best = { .low = least };
    if (!(most > least) || !convex_try_flats(k, n, &best) || !(best.low > least)) return false;
    *out = best;
    return true;
}
