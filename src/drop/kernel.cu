// kernel.cu -- the drops on a GPU: the same kernel, one drop in each thread, compiled by nvcc.
//
// Only in builds with IMPEL_CUDA. Products and sums are not fused (--fmad=false), division and square root are IEEE's: so a
// trial has the bits that it has on a CPU. Threads live as long as there are trials: who is done takes the next number. Trials
// differ in length by a factor of a hundred, and a warp waits for none of its own.
//
// SPDX-License-Identifier: MIT
#define LANES 1
#include "drop/kernel.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(BLOCKS_EACH)
#define BLOCKS_EACH 6                         // of a multiprocessor: 80 registers a thread, and some spilled
#endif
enum { THREADS = 128, BATCH = 1 << 22 };

typedef struct CudaDrops {
    DropTable table;                          // its lists are on the device
    void *list[16];
    int lists, blocks;
    impDropOutcome *outcome;                  // BATCH of them, on the device
    unsigned long long *next;
} CudaDrops;

static __device__ uint64_t state_hash(const double s[10]) {   // hash_doubles of base/hash.c
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < 10; i++) {
        uint64_t b = (uint64_t)__double_as_longlong(s[i]);
        for (int k = 0; k < 64; k += 8) h = (h ^ (b >> k & 255u)) * 0x100000001b3u;
    }
    return h;
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_EACH)
drop_threads(const __grid_constant__ DropTable t, int64_t first, int64_t count, impDropOutcome *out, unsigned long long *next) {
    int64_t trial = (int64_t)atomicAdd(next, 1ull);
    if (trial >= count) return;
    Flock f;
    put_trial(&t, &f, 0, first + trial);
    for (;;) {
        V energy = 0;
        M wrong, tried = iterate(&t, &f, &energy, &wrong), late = !(f.steps < (double)t.most);
        if (!(tried || late || wrong)) continue;
        double s[10];
        int rest = -1;
        take_state(&f, 0, s);
        if (wrong) rest = -2;
        else if (tried) rest = decide(&t, (int)f.index, s, energy);
        if (rest == -1 && !late) continue;
        impDropOutcome o;
        o.rest = rest, o.impacts = (int32_t)f.impacts, o.time = f.time * t.time, o.hash = rest == -2 ? 0 : state_hash(s);
        out[trial] = o;
        trial = (int64_t)atomicAdd(next, 1ull);
        if (trial >= count) return;
        put_trial(&t, &f, 0, first + trial);
    }
}

// --- what drops.c calls ----------------------------------------------------------------------------------------------
static const void *upload(CudaDrops *c, const void *from, size_t bytes, bool *ok) {
    void *to = NULL;
    if (!from || !bytes || !*ok) return NULL;
    *ok = cudaMalloc(&to, bytes) == cudaSuccess;
    if (*ok) c->list[c->lists++] = to;
    *ok = *ok && cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    return to;
}
#define UPLOAD(member, type, n) c->table.member = (const type *)upload(c, t->member, (size_t)(n) * sizeof(type), &ok)

extern "C" void drop_cuda_close(void *cuda) {
    CudaDrops *c = (CudaDrops *)cuda;
    if (!c) return;
    for (int i = 0; i < c->lists; i++) cudaFree(c->list[i]);
    cudaFree(c->outcome), cudaFree(c->next);
    free(c);
}

extern "C" void *drop_cuda_open(const DropTable *t, int faces, char *why, size_t room) {
    int devices = 0, units = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e != cudaSuccess || devices < 1) {
        snprintf(why, room, "no GPU: %s", e == cudaSuccess ? "none is there" : cudaGetErrorString(e));
        return NULL;
    }
    CudaDrops *c = (CudaDrops *)calloc(1, sizeof *c);
    bool ok = c != NULL;
    if (ok) {
        c->table = *t;
        UPLOAD(x, double, t->corners), UPLOAD(y, double, t->corners), UPLOAD(z, double, t->corners), UPLOAD(gate, double, t->corners);
        UPLOAD(spokes, int32_t, t->corners + 1), UPLOAD(spoke, DropSpoke, t->spokes[t->corners]);
        UPLOAD(sink, int32_t, faces), UPLOAD(barrier, double, t->rests), UPLOAD(turns, double, 4 * t->turn_count);
        ok = ok && cudaMalloc(&c->outcome, BATCH * sizeof *c->outcome) == cudaSuccess && cudaMalloc(&c->next, sizeof *c->next) == cudaSuccess;
        ok = ok && cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
        c->blocks = units * BLOCKS_EACH;
    }
    if (ok) return c;
    snprintf(why, room, "the GPU refused: %s", cudaGetErrorString(cudaGetLastError()));
    drop_cuda_close(c);
    return NULL;
}

extern "C" bool drop_cuda_run(void *cuda, int64_t first, int64_t count, impDropOutcome *out) {
    CudaDrops *c = (CudaDrops *)cuda;
    for (int64_t done = 0; done < count; done += BATCH) {
        int64_t n = count - done < BATCH ? count - done : BATCH;
        if (cudaMemset(c->next, 0, sizeof *c->next) != cudaSuccess) return false;
        drop_threads<<<c->blocks, THREADS>>>(c->table, first + done, n, c->outcome, c->next);
        if (cudaMemcpy(out + done, c->outcome, (size_t)n * sizeof *out, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    }
    return true;
}
