// kernel.cu -- the drops on a GPU: the same kernel, some drops for each thread, compiled by nvcc.
//
// Only in builds with IMPEL_CUDA. Products and sums are not fused (--fmad=false), division and square root are IEEE's: so a
// trial has the bits that it has on a CPU. Threads live as long as there are trials: who is done takes the next number. What a
// GPU waits for is threads of a warp that do different things, and code that is not in its cache. So
//   - collisions that need a series are queued by each warp, and a thread that has done with one takes the next, as the lanes
//     of kernel_crowd.h do; they lie in shared memory, and every thread has EACH drops, so that the queue is longer than it;
//   - all warps of a multiprocessor are one block and begin every iteration together, so that they want the same code;
//   - few loops are unrolled (IN_TURN), and the ordinary case, `plain`, has a kernel without the others.
//
// SPDX-License-Identifier: MIT
#define LANES 1
#include "drop/kernel.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum : int { THREADS = 384, WARP = 32, EACH = 2, ITEMS = EACH * WARP, BATCH = 2560 * 4096 };

typedef struct CudaDrops {
    DropTable table;                          // its lists are on the device
    void *list[16];
    int lists, blocks;
    impDropOutcome *outcome;                  // BATCH of them, on the device
    unsigned long long *next;
} CudaDrops;

// --- collisions of a warp --------------------------------------------------------------------------------------------
enum : int { OF_BLOW = 18 };                  // numbers of a Blow, up to passes

typedef struct Bench {                        // of a warp: item i is of thread i % 32
    double number[OF_BLOW][ITEMS];
    unsigned char masks[ITEMS], queue[ITEMS];
} Bench;

static __device__ inline unsigned char masks_of(const Blow *b) { return (unsigned char)(b->holds | b->micro << 1 | b->back << 2 | b->going << 3); }
static __device__ inline bool goes_on(const Bench *s, int item) { return s->masks[item] >> 3 & 1u; }

static __device__ inline void lay(Bench *s, int item, const Blow *b) {
    const double *number = &b->axx;
#pragma unroll
    for (int i = 0; i < OF_BLOW; i++) s->number[i][item] = number[i];
    s->masks[item] = masks_of(b);
}
static __device__ inline void lay_moved(Bench *s, int item, const Blow *b) {   // what a collision changes
    const double *number = &b->axx;
#pragma unroll
    for (int i = OF_BLOW - 6; i < OF_BLOW; i++) s->number[i][item] = number[i];
    s->masks[item] = masks_of(b);
}
static __device__ inline void pick_up(const Bench *s, int item, Blow *b) {
    double *number = &b->axx;
    unsigned m = s->masks[item];
#pragma unroll
    for (int i = 0; i < OF_BLOW; i++) number[i] = s->number[i][item];
    b->holds = m & 1u, b->micro = m >> 1 & 1u, b->back = m >> 2 & 1u, b->going = m >> 3 & 1u;
}

// The queue: real impacts from its beginning, since they take longest, and hops from its end.
typedef struct Waiting { int real, hops; } Waiting;
static __device__ inline int before(unsigned who, int lane) { return __popc(who & ((1u << lane) - 1u)); }
static __device__ inline void enqueue(Bench *s, Waiting *w, int lane, int item, bool bends, bool micro) {
    unsigned real = __ballot_sync(~0u, bends && !micro), hops = __ballot_sync(~0u, bends && micro);
    if (bends) s->queue[micro ? ITEMS - 1 - w->hops - before(hops, lane) : w->real + before(real, lane)] = (unsigned char)item;
    w->real += __popc(real), w->hops += __popc(hops);
}

static __device__ inline void slide_all(const DropTable *t, Bench *s, Waiting w, int lane) {
    Blow b;
    Course c;
    int item = -1;
    for (int next = 0;;) {
        unsigned idle = __ballot_sync(~0u, item < 0);
        int place = next + before(idle, lane);
        next += __popc(idle);
        if (item < 0 && place < w.real + w.hops) {
            item = s->queue[place < w.real ? place : ITEMS - 1 - (place - w.real)];
            pick_up(s, item, &b);
            head_for(&b, &c), c.bends = true;
        }
        if (!__any_sync(~0u, item >= 0)) return;
        if (item >= 0) {
            slide(t, &b, &c);
            c = course_of(t, &b);
            if (!unfinished(&b, c.bends)) lay_moved(s, item, &b), item = -1;
        }
        __syncwarp();
    }
}

// collide_all of kernel_crowd.h, by the threads of a warp.
static __device__ inline void collide_warp(const DropTable *t, Bench *s, int lane) {
    for (bool more = true; more;) {
        Waiting w = {0, 0};
        more = false;
        IN_TURN for (int go = 0; go < 2 * EACH; go++) {          // first who waits; then, after the series, the end
            if (go == EACH) {
                __syncwarp();
                slide_all(t, s, w, lane);
                __syncwarp();
            }
            int item = go % EACH * WARP + lane;
            Blow b;
            b.micro = false;
            bool bends = false;
            if (goes_on(s, item)) {
                pick_up(s, item, &b);
                Course c = course_of(t, &b);
                if (go < EACH) bends = unfinished(&b, c.bends);
                else finish(t, &b, &c), more = more || unfinished(&b, b.going);
                lay_moved(s, item, &b);
            }
            if (go < EACH) enqueue(s, &w, lane, item, bends, b.micro);
        }
        more = __any_sync(~0u, more);
    }
}

// --- drops -----------------------------------------------------------------------------------------------------------
typedef struct Drop { DropFlight f; DropContact c; int64_t trial; } Drop;   // trial -1: none
typedef struct Job { int64_t first, count; impDropOutcome *out; unsigned long long *next; } Job;

static __device__ uint64_t state_hash(const double s[10]) {      // hash_doubles of base/hash.c
    uint64_t h = 0xcbf29ce484222325u;
    IN_TURN for (int i = 0; i < 80; i++) h = (h ^ ((uint64_t)__double_as_longlong(s[i / 8]) >> i % 8 * 8 & 255u)) * 0x100000001b3u;
    return h;
}

static __device__ inline void take_next(const DropTable *t, Drop *d, const Job *job) {
    d->trial = (int64_t)atomicAdd(job->next, 1ull);
    if (d->trial >= job->count) d->trial = -1;
    else put_trial(t, &d->f, 0, job->first + d->trial);
}

static __device__ inline bool ended(const DropTable *t, Drop *d, M asked, const Heights *heights, impDropOutcome *out) {
    bool late = !(d->f.steps < (double)t->most);
    if (!asked && !late && !d->c.wrong) return false;
    Sure sure = nothing_sure(d->c.wrong ? -2 : -1);
    if (asked && !d->c.wrong) sure = certainty(t, &d->f, 0, heights);
    if (sure.family == -1 && !late) return false;
    DropEnd end = end_of(&d->f, 0, sure);
    impDropOutcome o;
    o.family = end.family;
    o.rest = end.rest;
    o.impacts = end.impacts;
    o.rolled = end.rolled;
    o.time = end.time * t->time;
    o.hash = end.family == -2 ? 0 : state_hash(end.state);
    out[d->trial] = o;
    return true;
}

template <bool plain> static __global__ void __launch_bounds__(THREADS, 1) drop_threads(const __grid_constant__ DropTable given, const Job job) {
    extern __shared__ Bench benches[];
    __shared__ double corner[3][FEW_CORNERS];
    DropTable t = given;
    if (plain) {
        t.stronge = false, t.drag = 0, t.many = false;
        for (int i = threadIdx.x; i < t.corners; i += THREADS) corner[0][i] = given.x[i], corner[1][i] = given.y[i], corner[2][i] = given.z[i];
        __syncthreads();
        t.x = corner[0], t.y = corner[1], t.z = corner[2];
    }
    Bench *s = &benches[threadIdx.x / WARP];
    int lane = threadIdx.x % WARP;
    Drop drop[EACH];
    for (bool fresh = true;; fresh = false) {
        bool busy = false;
        IN_TURN for (int k = 0; k < EACH; k++) {                 // what the last iteration left; then on to the next contact
            Drop *d = &drop[k];
            int item = k * WARP + lane;
            bool over = fresh;
            Blow b;
            if (!fresh && d->trial >= 0) {
                Heights heights;
                pick_up(s, item, &b);
                M asked = depart(&t, &d->f, &d->c, &b, &heights);
                over = ended(&t, d, asked, &heights, job.out);
            }
            if (over) take_next(&t, d, &job);
            s->masks[item] = 0;
            if (d->trial < 0) continue;
            approach(&t, &d->f, &d->c, &b);
            lay(s, item, &b);
            busy = true;
        }
        if (!__syncthreads_or(busy)) return;
        collide_warp(&t, s, lane);
    }
}

// --- what drops.c calls ----------------------------------------------------------------------------------------------
enum : int { BENCHES = THREADS / WARP * (int)sizeof(Bench) };
template <typename Kernel> static bool make_room(Kernel *kernel) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BENCHES) == cudaSuccess;
}

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

extern "C" void *drop_cuda_open(const DropTable *t, char *why, size_t room) {
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
        UPLOAD(blocks, int32_t, t->corners + 1), UPLOAD(block, double, 3 * RING * t->blocks[t->corners]);
        UPLOAD(sink, int32_t, t->faces), UPLOAD(barrier, double, t->rests), UPLOAD(family, int32_t, t->rests);
        UPLOAD(exit, DropFamily, t->families), UPLOAD(orientations, double, 4 * t->orientation_count);
        ok = ok && cudaMalloc(&c->outcome, BATCH * sizeof *c->outcome) == cudaSuccess && cudaMalloc(&c->next, sizeof *c->next) == cudaSuccess;
        ok = ok && cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
        c->blocks = units;
        ok = ok && make_room(drop_threads<true>) && make_room(drop_threads<false>);
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
        Job job = { first + done, n, c->outcome, c->next };
        auto *kernel = c->table.stronge || c->table.drag > 0 || c->table.many ? drop_threads<false> : drop_threads<true>;
        kernel<<<c->blocks, THREADS, BENCHES>>>(c->table, job);
        for (int64_t i = 0; i < n; i += 128) out[done + i].rest = 0;     // meanwhile: memory that is new takes time to be given
        if (cudaMemcpy(out + done, c->outcome, (size_t)n * sizeof *out, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    }
    return true;
}
