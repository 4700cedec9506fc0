// run.c -- a drop test: trials in blocks, run or taken from a journal, and added up in the order of
// the trials.
//
// A result covers whole blocks of IMP_BLOCK consecutive trials from the first on, and `ci` is asked
// at their ends, so that it depends neither on threads nor on what else the machine did. Only
// trials that something else runs, which may need minutes for a block, end with a block that is
// shorter where they are interrupted: the result of fewer drops, bit for bit.
//
// The check drops the first trials once more, more finely: so many of them that it costs at most
// CHECK_COST of what the drops do. That is decided by the impacts which both need in the first
// trials, a number that is the same on every machine.
//
// SPDX-License-Identifier: MIT
#include "droptest/droptest.h"

#include <stdlib.h>

// blocks that are run together at most
enum { AHEAD = 16, AHEAD_CUDA = 2560 };
// trials between two looks at the clock
enum { FIRST_PIECE = 16, LEAST_PIECE = 4 };
// a fine drop takes about so many times as long
enum { FINE_SLOWER = 8 };
// trials, at most one of so many, whose impacts say what the check costs
enum { PROBED = 64, LEAST_PROBED = 4, PROBED_OF = 100 };
// of the time of the drops; a quarter less what the probe takes
static const double CHECK_COST = 0.15;
// what an impact of a fine drop costs, beside a usual one
static const double FINE_IMPACT = 1.5;
// what a fine drop costs at least, beside a usual one, of a part that rolls over narrow facets: the
// few that roll on are seldom among those probed (a scene's cup of 720 sides: 12.6)
static const double NARROW_COST = 9;
static const double SYNCED_EVERY = 1;  // s: blocks of a journal are on disk so soon
// s: how long a piece takes
static const double PIECE_SHORT = 0.05, PIECE_LONG = 0.2, PIECE_GOAL = 0.1;

typedef struct Window {                  // consecutive blocks that are run together
    int64_t number, first, count, done;  // first block; trials
    int64_t piece, ahead;                // trials between two looks; blocks at most
    impDropOutcome *outcome;
    uint64_t *hash;      // of each block
    impDropTally block;  // scratch
} Window;

struct impDropTest {
    const impPart *part;
    impDropTestDef def;
    impDrops *drops, *fine;  // fine NULL: no check
    double check_part;
    uint64_t identity;
    impJournal *journal;  // NULL: none
    impDropTestReport report;
    int64_t mark_room;
    impDropMark *mark;
    int *same_as;          // by family
    bool ran, refused;     // refused: outcomes said stop
    double began, synced;  // s
    int64_t before;        // trials that were in the journal
    Window window;
};

// The library reads no clock; without one given, pieces keep their length and times are 0.
static double seconds(const impDropTest *test) {
    return test->def.clock ? test->def.clock(test->def.context) : 0;
}

// --- what decides the result ---------------------------------------------------------------------
static uint64_t hash_part(uint64_t hash, const impPart *part) {
    const impPartReport *r = &part->report;
    double number[] = { r->mass,          r->bounding_radius, r->noise,        r->join,
                        part->moments[0], part->moments[1],   part->moments[2] };
    hash = hash_doubles(hash, number, COUNT(number));
    hash = hash_doubles(hash, &part->corner[0].x, 3 * (size_t)r->corners);
    for (int i = 0; i < part->rests; i++) {
        hash = hash_number(hash, (uint64_t)part->rest[i].family, 4);
    }
    return hash;
}

static uint64_t hash_def(uint64_t hash, const impDropTestDef *def, const impDropDef *d) {
    double number[] = { d->height,           d->gravity,     d->friction_static,
                        d->friction_dynamic, d->restitution, d->velocity.x,
                        d->velocity.y,       d->velocity.z,  d->spin.x,
                        d->spin.y,           d->spin.z,      d->velocity_random,
                        d->spin_random,      d->drag,        def->ci };
    hash = hash_number(hash, d->seed, 8);
    hash = hash_doubles(hash, number, COUNT(number));
    hash = hash_number(hash, (uint64_t)d->law, 4);
    hash = hash_number(hash, (uint64_t)def->drops, 8);
    hash = hash_number(hash, (uint64_t)def->check, 4);
    for (int64_t i = 0; d->orientations && i < d->orientation_count; i++) {
        hash = hash_doubles(hash, &d->orientations[i].w, 4);
    }
    return hash_number(hash, def->identity, 8);
}

// The first trials, both ways: their hashes differ where two programs do, in a bit; their impacts
// say what the check will cost.
static bool probe(impDropTest *test, impError *err) {
    impDropOutcome usual[PROBED], fine[PROBED];
    int64_t count = test->def.drops / PROBED_OF;
    count = count < LEAST_PROBED ? LEAST_PROBED : count > PROBED ? PROBED : count;
    double impacts = 0, fine_impacts = 0;
    if (!impDrops_Run(test->drops, 0, count, 1, usual)) return fail_memory(err);
    if (test->fine && !impDrops_Run(test->fine, 0, count, 1, fine)) return fail_memory(err);
    for (int64_t i = 0; i < count; i++) {
        test->identity = hash_number(test->identity, usual[i].hash, 8);
        impacts += usual[i].impacts;
        if (!test->fine) continue;
        test->identity = hash_number(test->identity, fine[i].hash, 8);
        fine_impacts += fine[i].impacts;
    }
    if (!test->fine) return true;
    double cost = FINE_IMPACT * max2(fine_impacts, 1) / max2(impacts, 1);
    if (drop_table(test->drops).narrow) {
        cost = max2(cost, NARROW_COST);
    }
    test->check_part = test->def.check == IMP_CHECK_FULL ? 1 : min2(1, CHECK_COST / cost);
    return true;
}

// --- a test --------------------------------------------------------------------------------------
static bool check_def(const impDropTestDef *d, impError *err) {
    Where at = { 0 };
    if (d->drops < 1 || d->drops > INT64_MAX / 4)
        return fail(err, at, "%lld drops; at least one, at most 2^61", (long long)d->drops);
    if (!(d->ci >= 0 && d->ci < 1))
        return fail(err, at, "ci %s; it is not negative and below 1", show(d->ci).text);
    if (d->shards < 0 || d->shard < 0 || (d->shard > 0 && d->shard >= d->shards))
        return fail(err, at, "shard %lld of %lld; the first is 0", (long long)d->shard,
                    (long long)d->shards);
    if (d->ci > 0 && d->shards > 1)
        return fail(err, at, "ci with shards; it looks at all blocks in their order");
    return true;
}

static bool open_window(impDropTest *test) {
    Window *w = &test->window;
    w->ahead = test->def.trials ? 1 : test->def.drop.cuda ? AHEAD_CUDA : AHEAD;
    size_t room = (size_t)w->ahead * IMP_BLOCK;
    w->piece = test->def.drop.cuda || !test->def.clock ? (int64_t)room : FIRST_PIECE;
    w->outcome = malloc(room * sizeof *w->outcome);
    w->hash = malloc((size_t)w->ahead * sizeof *w->hash);
    return impDropTally_New(&w->block, test->part->families, test->part->rests) && w->outcome &&
           w->hash;
}

static bool prepare(impDropTest *test, impError *err) {
    const impPart *part = test->part;
    impDropDef fine = test->def.drop;
    impDropTestReport *r = &test->report;
    fine.fine = true;
    test->drops = impDrops_New(part, &test->def.drop, err);
    if (!test->drops) return false;
    if (test->def.check != IMP_CHECK_NONE && !test->def.trials) {
        test->fine = impDrops_New(part, &fine, err);
        if (!test->fine) return false;
    }
    test->same_as = malloc(((size_t)part->families + 1) * sizeof *test->same_as);
    bool room = impDropTally_New(&r->usual, part->families, part->rests);
    room = impDropTally_New(&r->fine, part->families, part->rests) && room;
    if (!open_window(test) || !room || !test->same_as) return fail_memory(err);
    for (int i = 0; i < part->families; i++) {
        test->same_as[i] = part->family[i].same_as;
    }
    impDropDef full = impDrops_Def(test->drops);
    test->identity = hash_def(hash_part(HASH_START, part), &test->def, &full);
    return test->def.trials || probe(test, err);
}

impDropTest *impDropTest_New(const impPart *part, const impDropTestDef *def, impError *err) {
    if (!part || !def) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "impDropTest_New: no part, or no definition");
        return NULL;
    }
    if (!check_def(def, err)) return NULL;
    impDropTest *test = calloc(1, sizeof *test);
    if (!test) {
        fail_memory(err);
        return NULL;
    }
    test->part = part;
    test->def = *def;
    test->report.check.family = -1;
    if (prepare(test, err)) return test;
    impDropTest_Free(test);
    return NULL;
}

void impDropTest_Free(impDropTest *test) {
    if (!test) return;
    impJournal_Free(test->journal);
    impDrops_Free(test->fine);
    impDrops_Free(test->drops);
    impDropTally_Free(&test->report.usual);
    impDropTally_Free(&test->report.fine);
    impDropTally_Free(&test->window.block);
    free(test->window.outcome);
    free(test->window.hash);
    free(test->same_as);
    free(test->mark);
    free(test);
}

uint64_t impDropTest_Identity(const impDropTest *test) { return test->identity; }
double impDropTest_CheckPart(const impDropTest *test) { return test->check_part; }
const impDrops *impDropTest_Drops(const impDropTest *test) { return test->drops; }

// --- how many ------------------------------------------------------------------------------------
// the drops, or the check
typedef struct Pass {
    bool fine;
    int64_t trials;
} Pass;

static int64_t blocks_of(Pass pass) { return (pass.trials + IMP_BLOCK - 1) / IMP_BLOCK; }

static int64_t length_of(Pass pass, int64_t number) {
    int64_t left = pass.trials - number * IMP_BLOCK;
    return left < IMP_BLOCK ? left : IMP_BLOCK;
}

static int64_t trials_of_shard(const impDropTestDef *d) {
    Pass all = { false, d->drops };
    int64_t blocks = blocks_of(all);
    int64_t own = 0;
    if (d->shards <= 1) return d->drops;
    if (d->shard >= blocks) return 0;
    own = (blocks - d->shard + d->shards - 1) / d->shards;
    bool last = (blocks - 1 - d->shard) % d->shards == 0;
    return own * IMP_BLOCK - (last ? blocks * IMP_BLOCK - d->drops : 0);
}

static bool sharp_enough(const impDropTest *test) {
    const impDropTally *usual = &test->report.usual;
    return test->def.ci > 0 && usual->drops > 0 && impDropTally_Widest(usual) <= test->def.ci;
}

// --- running -------------------------------------------------------------------------------------
// False: it is to stop.
static bool go_on(impDropTest *test, bool fine, int64_t fresh) {
    if (!test->def.progress) return true;
    const impDropTally *usual = &test->report.usual;
    impDropProgress p = { .done = test->before + fresh,
                          .of = trials_of_shard(&test->def),
                          .fresh = fresh,
                          .spent = seconds(test) - test->began,
                          .checking = fine };
    // the width goes down with the root of the number
    if (test->def.ci > 0 && usual->drops > 0) {
        double ratio = impDropTally_Widest(usual) / test->def.ci;
        double guess = (double)usual->drops * ratio * ratio;
        if (guess < (double)p.of) {
            p.of = (int64_t)guess + 1;
        }
        if (p.of < p.done) {
            p.of = p.done;
        }
    }
    if (test->def.progress(test->def.context, &p)) return true;
    test->report.interrupted = true;
    return false;
}

// As many blocks as may be run together: neighbours that are ours and not in the journal.
static void place_window(impDropTest *test, Pass pass, int64_t number) {
    Window *w = &test->window;
    int64_t most = w->piece / IMP_BLOCK;
    w->number = number;
    w->first = number * IMP_BLOCK;
    w->count = length_of(pass, number);
    w->done = 0;
    if (test->def.shards > 1) return;
    for (int64_t k = 1; k < most && k < w->ahead && number + k < blocks_of(pass); k++) {
        if (test->journal && impJournal_Find(test->journal, pass.fine, number + k, NULL)) return;
        w->count += length_of(pass, number + k);
    }
}

static int64_t run_piece(impDropTest *test, bool fine, int64_t count) {
    Window *w = &test->window;
    const impDropTestDef *d = &test->def;
    int64_t first = w->first + w->done;
    impDropOutcome *out = w->outcome + w->done;
    if (d->trials) return d->trials(d->context, first, count, d->threads, out);
    return impDrops_Run(fine ? test->fine : test->drops, first, count, d->threads, out) ? count
                                                                                        : -1;
}

// A GPU waits for its slowest drop, however few there are: its pieces stay whole.
static void adapt_piece(Window *w, double spent) {
    if (spent < PIECE_SHORT && w->piece < w->ahead * IMP_BLOCK) {
        w->piece *= 2;
    }
    if (spent > PIECE_LONG) {
        w->piece = (int64_t)(PIECE_GOAL / spent * (double)w->piece);
    }
    if (w->piece < LEAST_PIECE) {
        w->piece = LEAST_PIECE;
    }
}

static bool run_window(impDropTest *test, bool fine, impError *err) {
    Window *w = &test->window;
    while (w->done < w->count) {
        int64_t left = w->count - w->done;
        int64_t count = left < w->piece ? left : w->piece;
        double from = seconds(test);
        int64_t done = run_piece(test, fine, count);
        if (done < 0)
            return test->def.trials ? fail(err, (Where){ 0 }, "the trials could not go on")
                                    : fail_memory(err);
        w->done += done;
        if (done == 0) {
            test->report.interrupted = true;
            return true;
        }
        if (!test->def.drop.cuda && test->def.clock) {
            adapt_piece(w, seconds(test) - from);
        }
        if (!go_on(test, fine, test->report.fresh + (fine ? 0 : w->done))) return true;
    }
    return true;
}

// --- what becomes of a block ---------------------------------------------------------------------
static bool add_mark(impDropTest *test, int64_t number, uint64_t hash, impError *err) {
    impDropTestReport *r = &test->report;
    if (r->marks == test->mark_room) {
        int64_t room = 2 * test->mark_room + 64;
        impDropMark *mark = realloc(test->mark, (size_t)room * sizeof *mark);
        if (!mark) return fail_memory(err);
        test->mark = mark;
        test->mark_room = room;
    }
    test->mark[r->marks++] = (impDropMark){ number, hash };
    r->mark = test->mark;
    return true;
}

static bool add_block(impDropTest *test, bool fine, int64_t number, impError *err) {
    const impDropTally *block = &test->window.block;
    impDropTally_Add(fine ? &test->report.fine : &test->report.usual, block);
    return fine || add_mark(test, number, block->hash, err);
}

static bool keep_block(impDropTest *test, bool fine, int64_t number, impError *err) {
    double now = seconds(test);
    if (!journal_add(test->journal, fine, number, &test->window.block, err)) return false;
    if (now - test->synced < SYNCED_EVERY) return true;
    test->synced = now;
    return journal_sync(test->journal, err);
}

static bool finish_block(impDropTest *test, Pass pass, int64_t number, int64_t from, int64_t count,
                         impError *err) {
    Window *w = &test->window;
    const impDropTestDef *d = &test->def;
    tally_block(&w->block, w->outcome + from, count, w->hash[number - w->number]);
    if (!pass.fine && d->outcomes &&
        !d->outcomes(d->context, w->first + from, count, w->outcome + from)) {
        test->refused = test->report.interrupted = true;
    }
    bool whole = count == length_of(pass, number);
    if (test->journal && whole && !keep_block(test, pass.fine, number, err)) return false;
    if (!pass.fine) {
        test->report.fresh += count;
    }
    return add_block(test, pass.fine, number, err);
}

// Blocks of a window that are done, up to the one that `ci` ends with.
static bool finish_window(impDropTest *test, Pass pass, int64_t *next, bool *over, impError *err) {
    Window *w = &test->window;
    int64_t whole = w->done / IMP_BLOCK;
    int64_t rest = w->done - whole * IMP_BLOCK;
    *next = w->number;
    hash_blocks(w->hash, w->outcome, whole, IMP_BLOCK);
    if (rest) {
        hash_blocks(w->hash + whole, w->outcome + whole * IMP_BLOCK, 1, rest);
    }
    for (int64_t from = 0; from < w->done && !*over && !test->refused; ++*next) {
        int64_t length = length_of(pass, *next);
        int64_t left = w->done - from;
        int64_t count = left < length ? left : length;
        if (count < length && !test->def.trials) break;
        if (!finish_block(test, pass, *next, from, count, err)) return false;
        from += count;
        if (!pass.fine && sharp_enough(test)) {
            *over = true;
        }
    }
    return true;
}

// --- all of them ---------------------------------------------------------------------------------
static bool take_from_journal(impDropTest *test, Pass pass, int64_t number) {
    if (!test->journal || !impJournal_Find(test->journal, pass.fine, number, &test->window.block))
        return false;
    if (!pass.fine) {
        test->before += test->window.block.drops;
    }
    return true;
}

static bool run_pass(impDropTest *test, Pass pass, impError *err) {
    bool sharded = test->def.shards > 1;
    bool over = false;
    int64_t stride = sharded ? test->def.shards : 1;
    int64_t next = sharded ? test->def.shard : 0;
    while (next < blocks_of(pass) && !over && go_on(test, pass.fine, test->report.fresh)) {
        if (take_from_journal(test, pass, next)) {
            if (!add_block(test, pass.fine, next, err)) return false;
            over = !pass.fine && sharp_enough(test);
            next += stride;
            continue;
        }
        place_window(test, pass, next);
        if (!run_window(test, pass.fine, err) || !finish_window(test, pass, &next, &over, err))
            return false;
        next += stride - 1;
        if (test->report.interrupted) break;
    }
    return true;
}

static bool run_check(impDropTest *test, impError *err) {
    impDropTestReport *r = &test->report;
    if (!test->fine || r->interrupted) return true;
    int64_t drops = test->def.shards > 1 ? test->def.drops : r->usual.drops;
    Pass pass = { true, impCheck_Drops(test->check_part, drops) };
    // they are slower
    if (!test->def.drop.cuda && test->def.clock) {
        int64_t shorter = test->window.piece / FINE_SLOWER;
        test->window.piece = shorter < FIRST_PIECE ? FIRST_PIECE : shorter;
    }
    if (!run_pass(test, pass, err)) return false;
    // half a check is none
    if (r->interrupted) {
        tally_clear(&r->fine);
    }
    r->check = impDropTally_Compare(&r->usual, &r->fine, test->same_as);
    return true;
}

static bool open_journal(impDropTest *test, impError *err) {
    const impDropTestDef *d = &test->def;
    if (!d->journal || test->journal) return true;
    test->journal = journal_open(d->journal, d->rank, test->identity, test->part->families,
                                 test->part->rests, err);
    if (!test->journal) return false;
    test->report.journal_blocks = impJournal_Count(test->journal, false);
    test->report.journal_cut = journal_cut(test->journal);
    return true;
}

bool impDropTest_Run(impDropTest *test, impError *err) {
    impDropTestReport *r = &test->report;
    if (test->ran)
        return fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "impDropTest_Run: it has run already");
    test->ran = true;
    if (!open_journal(test, err)) return false;
    Pass drops = { false, test->def.drops };
    test->began = seconds(test);
    bool ok = run_pass(test, drops, err);
    r->drops_wall = seconds(test) - test->began;
    ok = ok && run_check(test, err);
    r->check_wall = seconds(test) - test->began - r->drops_wall;
    r->check_part = test->check_part;
    impJournal *journal = test->journal;
    test->journal = NULL;
    return journal_close(journal, ok ? err : NULL) && ok;
}

impDropTestReport impDropTest_Report(const impDropTest *test) {
    impDropTestReport r = test->report;
    r.check_part = test->check_part;
    return r;
}

// --- output --------------------------------------------------------------------------------------
impShare impDropTest_Family(const impDropTest *test, int family) {
    const impDropTally *usual = &test->report.usual;
    return impShare_Of(family >= 0 && family < usual->families ? usual->family[family] : 0,
                       usual->drops);
}

impShare impDropTest_Pose(const impDropTest *test, int pose) {
    return impDropTally_Pose(&test->report.usual, test->part->rest, test->part->family, pose);
}
