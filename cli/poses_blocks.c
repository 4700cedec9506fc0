// poses_blocks.c -- trials in blocks: run, or taken from a journal, and added up in the order of the trials.
//
// A result covers whole blocks of 4096 consecutive trials from the first on, and --ci is asked at their ends, so that it
// depends neither on threads nor on what else the machine did. Only the general engine, which may need minutes for a block,
// answers Ctrl-C with a last block that is shorter; it is the result of a smaller -n, bit for bit.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AHEAD = 16, AHEAD_CUDA = 2560, FIRST_PIECE = 16, LEAST_PIECE = 4, SAMPLES = 20000 };   // blocks at a time; trials between two looks at the clock

// --- intervals -------------------------------------------------------------------------------------------------------
void cli_poses_interval(int64_t count, int64_t of, double *low, double *high) {
    const double z = 1.959963984540054;       // 95 %
    double n = (double)of, p = n > 0 ? (double)count / n : 0;
    if (of <= 0) {
        *low = 0, *high = 1;
        return;
    }
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = count == 0 || middle - half < 0 ? 0 : middle - half;
    *high = count == of || middle + half > 1 ? 1 : middle + half;
}

static double widest(const PosesResult *r) {  // half width
    double most = 0;
    for (int i = 0; i < r->rests; i++) {
        double low, high;
        cli_poses_interval(r->count[i], r->drops, &low, &high);
        if ((high - low) / 2 > most) most = (high - low) / 2;
    }
    return most;
}

bool cli_poses_sharp(const PosesResult *r) { return r->plan.ci > 0 && r->drops > 0 && widest(r) <= r->plan.ci; }

// --- adding up -------------------------------------------------------------------------------------------------------
static int64_t owned_trials(const PosesResult *r) {
    if (r->shards <= 1) return r->plan.drops;
    int64_t blocks = (r->plan.drops + POSES_BLOCK - 1) / POSES_BLOCK, own = (blocks - r->shard + r->shards - 1) / r->shards;
    bool last = own > 0 && (blocks - 1 - r->shard) % r->shards == 0;
    return own <= 0 ? 0 : own * POSES_BLOCK - (last ? blocks * POSES_BLOCK - r->plan.drops : 0);
}

static bool add_mark(PosesResult *r, int64_t number, uint64_t hash) {
    if ((r->marks & (r->marks - 1)) == 0) {   // full at every power of two
        PosesMark *mark = realloc(r->mark, (size_t)(r->marks ? 2 * r->marks : 1) * sizeof *mark);
        if (!mark) return false;
        r->mark = mark;
    }
    r->mark[r->marks++] = (PosesMark){number, hash};
    return true;
}

bool cli_poses_add(PosesResult *r, bool fine, int64_t number, const PosesBlock *b) {
    int64_t *count = fine ? r->check.count : r->count;
    for (int i = 0; i < r->rests; i++) count[i] += b->rest[i];
    if (fine) return r->check.drops += b->count, true;
    r->drops += b->count, r->unresolved += b->unresolved, r->failed += b->failed, r->impacts += b->impacts;
    r->hash = cli_fnv_number(r->hash, b->hash, 8);
    return r->shards == 0 || add_mark(r, number, b->hash);
}

static uint64_t hash_of(uint64_t hash, const impDropOutcome *o) { return cli_fnv_number(cli_fnv_number(hash, (uint32_t)o->rest, 4), o->hash, 8); }

// The hashes of `blocks` blocks of `count` trials: four side by side, since each by itself is a chain, and a GPU would wait for it.
static void hash_blocks(uint64_t *hash, const impDropOutcome *o, int64_t blocks, int64_t count) {
    int64_t k = 0;
    for (int64_t b = 0; b < blocks; b++) hash[b] = FNV_START;
    for (; k + 4 <= blocks; k += 4) {
        const impDropOutcome *at = o + k * count;
        uint64_t h[4] = {FNV_START, FNV_START, FNV_START, FNV_START};
        for (int64_t i = 0; i < count; i++)
            h[0] = hash_of(h[0], at + i), h[1] = hash_of(h[1], at + count + i), h[2] = hash_of(h[2], at + 2 * count + i), h[3] = hash_of(h[3], at + 3 * count + i);
        memcpy(hash + k, h, sizeof h);
    }
    for (; k < blocks; k++)
        for (int64_t i = 0; i < count; i++) hash[k] = hash_of(hash[k], o + k * count + i);
}

static void tally(PosesBlock *b, int rests, const impDropOutcome *o) {   // but for the hash
    memset(b->rest, 0, (size_t)rests * sizeof *b->rest);
    b->unresolved = b->failed = b->impacts = 0;
    for (int64_t i = 0; i < b->count; i++) {
        if (o[i].rest >= 0 && o[i].rest < rests) b->rest[o[i].rest]++;
        else if (o[i].rest == IMP_UNRESOLVED) b->unresolved++;
        else b->failed++;
        b->impacts += o[i].impacts;
    }
}

// --- progress --------------------------------------------------------------------------------------------------------
static void show_progress(PosesRun *run, int64_t fresh) {
    double now = cli_wall(), spent = now - run->began;
    const PosesResult *r = run->result;
    if (!run->bar || spent < 0.5 || now - run->shown < 0.1) return;
    int64_t done = run->before + fresh, of = owned_trials(r);
    if (r->plan.ci > 0 && r->drops > 0) {     // the width goes down with the root of the number
        double ratio = widest(r) / r->plan.ci, guess = (double)r->drops * ratio * ratio;
        if (guess < (double)of) of = (int64_t)guess + 1;
        if (of < done) of = done;
    }
    double share = of > 0 ? (double)done / (double)of : 1, rate = spent > 0 ? (double)fresh / spent : 0;
    int full = (int)(30 * (share < 1 ? share : 1));
    if (run->checking) fprintf(stderr, "\r%-88s", "the check: some of them again, more finely");
    else fprintf(stderr, "\r[%.*s%*s] %lld drops  %.3g a second  %.0f s left   ", full, "##############################", 30 - full, "",
                 (long long)done, rate, rate > 0 ? (double)(of - done) / rate : 0);
    run->shown = now;
}

static void hide_progress(const PosesRun *run) {
    if (run->shown > 0) fprintf(stderr, "\r%90s\r", "");
}

// --- running ---------------------------------------------------------------------------------------------------------
typedef struct Window {                       // consecutive blocks that are run together
    int64_t number, first, count, done;       // first block; trials
    int64_t piece, ahead;                     // trials between two looks; blocks at most
    impDropOutcome *outcome;
    uint64_t *hash;                           // of each block
    PosesRest *rest;                          // by the general engine
    PosesBlock block;                         // scratch
} Window;

static bool open_window(Window *w, const PosesRun *run) {
    int64_t ahead = run->stage ? 1 : run->result->def.cuda ? AHEAD_CUDA : AHEAD;
    size_t room = (size_t)ahead * POSES_BLOCK;
    *w = (Window){.piece = run->result->def.cuda ? ahead * POSES_BLOCK : FIRST_PIECE, .ahead = ahead, .outcome = malloc(room * sizeof *w->outcome),
                  .hash = malloc((size_t)ahead * sizeof *w->hash)};
    w->rest = run->stage ? malloc(room * sizeof *w->rest) : NULL;
    w->block.rest = malloc(((size_t)run->result->rests + 1) * sizeof *w->block.rest);
    return w->outcome && w->hash && w->block.rest && (w->rest || !run->stage);
}

static void close_window(Window *w) {
    free(w->outcome), free(w->hash), free(w->rest), free(w->block.rest);
    *w = (Window){0};
}

static int64_t length_of(const PosesResult *r, int64_t number) {
    int64_t left = r->plan.drops - number * POSES_BLOCK;
    return left < POSES_BLOCK ? left : POSES_BLOCK;
}

// As many blocks as may be run together: neighbours that are ours and not in the journal.
static void place_window(Window *w, const PosesRun *run, bool fine, int64_t number, int64_t end) {
    const PosesResult *r = run->result;
    int64_t most = w->piece / POSES_BLOCK;
    PosesBlock unused = {.rest = w->block.rest};
    w->number = number, w->first = number * POSES_BLOCK, w->count = length_of(r, number), w->done = 0;
    for (int64_t k = 1; k < most && k < w->ahead && r->shards <= 1 && number + k < end; k++) {
        if (run->journal && cli_journal_find(run->journal, fine, number + k, &unused)) break;
        w->count += length_of(r, number + k);
    }
}

static int64_t run_piece(Window *w, const PosesRun *run, bool fine, int64_t count) {
    int64_t first = w->first + w->done;
    if (!run->stage) return impDrops_Run(fine ? run->fine : run->drops, first, count, run->threads, w->outcome + w->done) ? count : -1;
    int64_t done = cli_poses_settle(run->stage, first, count, run->threads, w->rest + w->done);
    for (int64_t i = 0; i < done; i++) w->outcome[w->done + i] = w->rest[w->done + i].outcome;
    return done;
}

static int run_window(Window *w, PosesRun *run, bool fine) {
    while (w->done < w->count && !cli_caught()) {
        int64_t count = w->count - w->done < w->piece ? w->count - w->done : w->piece;
        double from = cli_wall();
        int64_t done = run_piece(w, run, fine, count);
        double spent = cli_wall() - from;
        if (done < 0) return hide_progress(run), cli_fail(EXIT_LIMIT, "out of memory");
        w->done += done;
        show_progress(run, run->fresh + (fine ? 0 : w->done));
        if (run->result->def.cuda) continue;                   // a GPU waits for its slowest drop, however few there are
        if (spent < 0.05 && w->piece < w->ahead * POSES_BLOCK) w->piece *= 2;
        if (spent > 0.2) w->piece = (int64_t)(0.1 / spent * (double)w->piece);
        if (w->piece < LEAST_PIECE) w->piece = LEAST_PIECE;
    }
    return EXIT_OK;
}

// --- what becomes of a block -----------------------------------------------------------------------------------------
static void keep_rows(PosesRun *run, const Window *w, int64_t from) {
    for (int64_t i = from; i < from + w->block.count; i++) {
        const impDropOutcome *o = &w->outcome[i];
        int64_t trial = w->first + i;
        if (o->rest == IMP_FAILED && run->result->first_failed < 0) run->result->first_failed = trial;
        if (w->rest && trial < SAMPLES && run->early) run->early[trial] = o->rest, run->earlies = (int)trial + 1;
        if (!run->csv) continue;
        fprintf(run->csv, "%lld,%d,%d,%s", (long long)trial, (int)o->rest, (int)o->impacts, cli_exact_17(o->time).text);
        if (w->rest) {
            PosesPlace at = w->rest[i].place;
            fprintf(run->csv, ",%s,%s,%s", cli_exact_17(at.x).text, cli_exact_17(at.y).text, cli_exact_17(at.yaw).text);
        }
        fputc('\n', run->csv);
    }
}

static int finish_block(Window *w, PosesRun *run, bool fine, int64_t number, int64_t from, int64_t count) {
    PosesResult *r = run->result;
    bool whole = count == length_of(r, number);
    w->block.first = number * POSES_BLOCK, w->block.count = count;
    w->block.hash = w->hash[number - w->number];
    tally(&w->block, r->rests, w->outcome + from);
    if (!fine) keep_rows(run, w, from);
    if (run->csv && ferror(run->csv)) return hide_progress(run), cli_fail(EXIT_IO, "%s: could not be written", run->csv_path);
    int code = run->journal && whole ? cli_journal_add(run->journal, fine, number, &w->block) : EXIT_OK;
    if (code) return code;
    return cli_poses_add(r, fine, number, &w->block) ? EXIT_OK : (hide_progress(run), cli_fail(EXIT_LIMIT, "out of memory"));
}

// Blocks of a window that are done, up to the one that --ci ends with.
static int finish_window(Window *w, PosesRun *run, bool fine, int64_t *next, bool *over) {
    int code = EXIT_OK;
    int64_t from = 0, whole = w->done / POSES_BLOCK;
    *next = w->number;
    hash_blocks(w->hash, w->outcome, whole, POSES_BLOCK);
    if (w->done > whole * POSES_BLOCK) hash_blocks(w->hash + whole, w->outcome + whole * POSES_BLOCK, 1, w->done - whole * POSES_BLOCK);
    while (code == EXIT_OK && from < w->done && !*over) {
        int64_t length = length_of(run->result, *next), count = w->done - from < length ? w->done - from : length;
        if (count < length && !run->stage) break;
        code = finish_block(w, run, fine, *next, from, count);
        if (!fine) run->fresh += count;
        from += count, ++*next;
        if (!fine && cli_poses_sharp(run->result)) *over = true;
    }
    return code;
}

// --- all of them -----------------------------------------------------------------------------------------------------
static int each_block(PosesRun *run, Window *w, bool fine, int64_t end) {
    PosesResult *r = run->result;
    int64_t stride = r->shards > 1 ? r->shards : 1, next = r->shards > 1 ? r->shard : 0;
    bool over = false;
    int code = EXIT_OK;
    while (code == EXIT_OK && next < end && !over && !cli_caught()) {
        if (run->journal && cli_journal_find(run->journal, fine, next, &w->block)) {
            if (!cli_poses_add(r, fine, next, &w->block)) return cli_fail(EXIT_LIMIT, "out of memory");
            if (!fine) run->before += w->block.count;
            over = !fine && cli_poses_sharp(r);
            next += stride;
            continue;
        }
        place_window(w, run, fine, next, end);
        code = run_window(w, run, fine);
        if (code == EXIT_OK) code = finish_window(w, run, fine, &next, &over);
        if (stride > 1) next += stride - 1;
    }
    if (code == EXIT_OK && cli_caught()) r->interrupted = true;
    return code;
}

static int check_too(PosesRun *run, Window *w) {
    PosesResult *r = run->result;
    if (!run->fine || r->interrupted || r->drops == 0) return EXIT_OK;
    // where drops go on to the bound on work, finer ones take minutes and tell nothing; blocks that are kept must not depend on it
    if (2 * r->unresolved > r->drops && !run->journal && r->shards <= 1) return EXIT_OK;
    run->checking = true;
    if (!run->result->def.cuda) w->piece = FIRST_PIECE;   // they are slower
    int code = each_block(run, w, true, cli_poses_check_blocks(r->shards > 1 ? r->plan.drops : r->drops));
    if (r->interrupted) r->check.drops = 0;   // half a check is none
    cli_poses_check(r);
    return code;
}

static double processor_time(void) {
    struct timespec cpu = {0};
#if !defined(__wasi__)
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
#endif
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

int cli_poses_run(PosesRun *run) {
    PosesResult *r = run->result;
    Window w;
    r->rests = r->part->rests, r->hash = FNV_START, r->first_failed = -1, r->check.pose = -1, r->threads = run->threads;
    r->count = calloc((size_t)r->rests + 1, sizeof *r->count);
    r->check.count = calloc((size_t)r->rests + 1, sizeof *r->check.count);
    run->began = cli_wall();
    bool ready = open_window(&w, run) && r->count && r->check.count;
    int code = ready ? each_block(run, &w, false, (r->plan.drops + POSES_BLOCK - 1) / POSES_BLOCK) : cli_fail(EXIT_LIMIT, "out of memory");
    r->wall = cli_wall() - run->began;
    r->rate = run->fresh && r->wall > 0 ? (double)run->fresh / r->wall : 0;
    if (code == EXIT_OK) code = check_too(run, &w);
    hide_progress(run);
    r->cpu = processor_time();
    close_window(&w);
    return code == EXIT_OK && r->interrupted ? EXIT_SIGNAL + cli_caught() : code;
}

// Starts and ends of the first trials; made again where they came from a journal.
bool cli_poses_samples(PosesRun *run) {
    PosesResult *r = run->result;
    int count = (int)(r->drops < SAMPLES ? r->drops : SAMPLES);
    if (run->stage && run->earlies < count) count = run->earlies;
    if (r->shards > 1 || count == 0) return true;
    impDropOutcome *o = calloc((size_t)count, sizeof *o);
    r->sample = calloc((size_t)count, sizeof *r->sample);
    bool good = o && r->sample && (run->stage || impDrops_Run(run->drops, 0, count, run->threads, o));
    for (int i = 0; good && i < count; i++) {
        impPose pose;
        impTwist twist;
        impDrops_Start(run->drops, i, &pose, &twist);
        impQuat q = pose.turn;                // less the third row of its rotation
        r->sample[i].down = (impVec3){-2 * (q.x * q.z - q.w * q.y), -2 * (q.y * q.z + q.w * q.x), -(1 - 2 * (q.x * q.x + q.y * q.y))};
        r->sample[i].rest = run->stage ? run->early[i] : o[i].rest;
    }
    r->samples = good ? count : 0;
    free(o);
    return good;
}
