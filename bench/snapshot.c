// snapshot.c -- copying a state costs what memcpy costs, and the hash beside it.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

typedef struct Pair {
    impModel *model;
    impState *a, *b;
    double *from, *to;
    size_t bytes;
    uint64_t sum;
} Pair;

enum { REPEATS = 20 };

static void snapshot(void *context) {
    Pair *p = context;
    for (int i = 0; i < REPEATS; i++) {
        impState_Copy(p->model, i % 2 ? p->a : p->b, i % 2 ? p->b : p->a);
    }
}
static void plain(void *context) {
    Pair *p = context;
    for (int i = 0; i < REPEATS; i++) {
        memcpy(i % 2 ? p->from : p->to, i % 2 ? p->to : p->from, p->bytes);
        // the compiler must not see that it is not read
        __asm__ volatile("" ::: "memory");
    }
}
static void hash(void *context) {
    Pair *p = context;
    p->sum += impState_Hash(p->model, p->a);
}

int main(void) {
    static impError err;
    Pair p = { 0 };
    impScene *scene = impScene_New((impVec3){ 0, 0, 0 });
    for (int i = 0; i < 20000; i++) {
        impScene_Body(
            scene, &(impBodyDef){ .mass = 1, .inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
            &err);
    }
    p.model = impModel_Build(scene, &err);
    if (!p.model) {
        stop("snapshot", &err);
    }
    p.a = impState_New(p.model);
    p.b = impState_New(p.model);
    p.bytes = impModel_StateSize(p.model);
    p.from = calloc(1, p.bytes);
    p.to = calloc(1, p.bytes);
    double mine = best_of(15, snapshot, &p) / REPEATS;
    double theirs = best_of(15, plain, &p) / REPEATS;
    double sum = best_of(5, hash, &p);
    printf("20000 bodies, %.1f MB a state\n", 1e-6 * (double)p.bytes);
    int missed = row("snapshot", 1e6 * mine, "us", 0);
    row("memcpy of as many bytes", 1e6 * theirs, "us", 0);
    missed |= row("snapshot against memcpy", mine / theirs, "x", 1.25);
    row("hash", 1e6 * sum, "us", 0);
    free(p.from);
    free(p.to);
    impState_Free(p.a);
    impState_Free(p.b);
    impModel_Free(p.model);
    impScene_Free(scene);
    return missed;
}
