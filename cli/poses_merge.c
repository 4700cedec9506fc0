// poses_merge.c -- impel poses merge and verify: shards put together, from journals or from their
// JSON; is a journal complete?
//
// A merged result is that of one run: each block once, hashes in the order of the blocks, counts
// added. What is missing or there twice is said and nothing is reported, so that no number stands
// for fewer drops than it says.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest = (size_t)1 << 30;  // bytes of a shard's JSON

typedef struct Piece {
    const char *name;
    char manifest[600];
    JsonTree tree;
    impJournal *journal;
} Piece;
typedef struct Mark {
    int64_t block;
    uint64_t hash;
    int piece;
} Mark;

typedef struct Merge {
    Piece *piece;
    int pieces;
    PosesPart part;
    PosesResult result;
    Mark *mark[2];  // usual blocks, fine ones; by block. Fine ones only of journals
    int64_t marks[2], room[2];
    int64_t fine_of_shards;  // drops of the check in JSON files
    impDropTally block;      // scratch
} Merge;

static void free_merge(Merge *m) {
    for (int i = 0; i < m->pieces; i++) {
        cli_json_free(&m->piece[i].tree);
        impJournal_Free(m->piece[i].journal);
    }
    free(m->piece);
    free(m->mark[0]);
    free(m->mark[1]);
    impDropTally_Free(&m->block);
    cli_poses_result_free(&m->result);
    cli_poses_part_free(&m->part);
}

static int no_memory(void) { return cli_fail(EXIT_LIMIT, "out of memory"); }

// --- reading -------------------------------------------------------------------------------------
static bool is_folder(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

static int read_piece(Piece *p, const char *path, bool *folder) {
    char why[200];
    struct stat there;
    *folder = is_folder(path);
    p->name = path;
    int kind = cli_refuse_kind(path, FILE_POSES);
    if (kind) return kind;
    if (*folder && snprintf(p->manifest, sizeof p->manifest, "%s/manifest.json", path) >=
                       (int)sizeof p->manifest)
        return cli_fail(EXIT_INPUT, "%s: too long a name", path);
    int broken = *folder && stat(p->manifest, &there) == 0 ? EXIT_DAMAGED : EXIT_INPUT;
    if (!(*folder ? cli_manifest_read(&p->tree, p->manifest, largest, why, sizeof why)
                  : cli_json_read(&p->tree, path, largest, why, sizeof why)))
        return cli_fail(broken, "%s: %s", *folder ? p->manifest : path, why);
    const char *schema = cli_json_words(&p->tree, cli_json_find(&p->tree, 0, "schema"));
    if (!schema || strcmp(schema, *folder ? "impel.poses.journal/2" : "impel.poses/2") != 0)
        return cli_fail(broken, "%s: its schema is '%s', not '%s'", path, schema ? schema : "",
                        *folder ? "impel.poses.journal/2" : "impel.poses/2");
    if (!*folder && cli_json_find(&p->tree, 0, "shard") < 0)
        return cli_fail(EXIT_INPUT, "%s: is no shard, but a result of its own", path);
    return EXIT_OK;
}

static bool add_mark(Merge *m, bool fine, int64_t block, uint64_t hash, int piece) {
    if (m->marks[fine] == m->room[fine]) {
        int64_t room = 2 * m->room[fine] + 64;
        Mark *mark = realloc(m->mark[fine], (size_t)room * sizeof *mark);
        if (!mark) return false;
        m->mark[fine] = mark;
        m->room[fine] = room;
    }
    m->mark[fine][m->marks[fine]++] = (Mark){ block, hash, piece };
    return true;
}

static int64_t number(const JsonTree *t, int32_t object, const char *key, bool *good) {
    int64_t value = 0;
    if (!cli_json_whole(t, cli_json_find(t, object, key), &value) || value < 0) {
        *good = false;
    }
    return value;
}

// Counts of a list of families or poses, added. Each is at most `drops`, so that no sum can
// overflow.
static int64_t add_counts(const JsonTree *t, const char *list, const char *key, int64_t *to,
                          int count, int64_t drops, bool *good) {
    int64_t sum = 0;
    int i = 0;
    for (int32_t at = cli_json_child(t, cli_json_find(t, 0, list)); at >= 0 && i < count;
         at = cli_json_next(t, at), i++) {
        int64_t value = number(t, at, key, good);
        if (value > drops) {
            *good = false;
        } else {
            to[i] += value;
        }
        sum += value > drops ? 0 : value;
    }
    if (i != count) {
        *good = false;
    }
    return sum;
}

static bool add_blocks(Merge *m, int i, bool *good) {
    const JsonTree *t = &m->piece[i].tree;
    int32_t list = cli_json_find(t, cli_json_find(t, 0, "shard"), "blocks");
    for (int32_t at = cli_json_child(t, list); at >= 0; at = cli_json_next(t, at)) {
        int32_t first = cli_json_child(t, at);
        int64_t block = -1;
        const char *hash = cli_json_words(t, cli_json_next(t, first));
        if (!cli_json_whole(t, first, &block) || block < 0 || !hash) {
            *good = false;
        } else if (!add_mark(m, false, block, strtoull(hash, NULL, 16), i))
            return false;
    }
    return true;
}

// A shard's JSON: its blocks by number and hash, all else as sums.
static int add_shard(Merge *m, int i) {
    const JsonTree *t = &m->piece[i].tree;
    impDropTally *usual = &m->result.usual;
    impDropTally *fine = &m->result.fine;
    bool good = true;
    int64_t drops = number(t, 0, "drops", &good);
    int64_t unresolved = number(t, 0, "unresolved", &good);
    int64_t failed = number(t, 0, "failed", &good);
    int64_t left = number(t, 0, "left", &good);
    if (!add_blocks(m, i, &good)) return no_memory();
    int64_t certain = add_counts(t, "families", "count", usual->family, usual->families, drops,
                                 &good);
    add_counts(t, "families", "check_count", fine->family, fine->families, drops, &good);
    int64_t posed = add_counts(t, "poses", "count", usual->pose, usual->poses, drops, &good);
    bool each_once = unresolved <= drops && failed <= drops && left <= drops &&
                     certain + unresolved + failed + left == drops;
    if (!each_once || posed > certain) {
        good = false;
    }

    usual->drops += drops;
    usual->unresolved += unresolved;
    usual->failed += failed;
    usual->left += left;
    usual->rolled += number(t, 0, "rolled", &good);
    usual->impacts += number(t, 0, "impacts", &good);
    int32_t check = cli_json_find(t, 0, "check");
    if (cli_json_find(t, check, "drops") >= 0) {
        m->fine_of_shards += number(t, check, "drops", &good);
        fine->unresolved += number(t, check, "unresolved", &good);
    }
    m->result.time.all += cli_json_real(
        t, cli_json_find(t, cli_json_find(t, 0, "timing"), "wall_s"), 0);
    return good ? EXIT_OK
                : cli_fail(EXIT_INPUT, "%s: is no shard that this program wrote", m->piece[i].name);
}

static int add_journal(Merge *m, int i) {
    Piece *p = &m->piece[i];
    impError err = { 0 };
    const PosesPart *part = &m->part;
    uint64_t identity = 0;
    const char *hash = cli_json_words(&p->tree, cli_json_find(&p->tree, 0, "identity"));
    if (hash) {
        identity = strtoull(hash, NULL, 16);
    }
    p->journal = impJournal_Read(p->name, identity, part->families, part->rests, &err);
    if (!p->journal) return cli_journal_fault(&err);
    for (int fine = 0; fine < 2; fine++) {
        for (int64_t k = 0; k < impJournal_Count(p->journal, fine); k++) {
            int64_t block = impJournal_Block(p->journal, fine, k);
            impJournal_Find(p->journal, fine, block, &m->block);
            if (!add_mark(m, fine, block, m->block.hash, i)) return no_memory();
        }
    }
    return EXIT_OK;
}

static int by_block(const void *a, const void *b) {
    const Mark *x = a;
    const Mark *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

static bool make_tallies(Merge *m) {
    PosesResult *r = &m->result;
    int families = m->part.families;
    int poses = m->part.rests;
    r->first_failed = -1;
    r->check.family = -1;
    r->own_tallies = true;
    bool usual = impDropTally_New(&r->usual, families, poses);
    bool fine = impDropTally_New(&r->fine, families, poses);
    return impDropTally_New(&m->block, families, poses) && usual && fine;
}

static int open_merge(Merge *m, char **paths, int count) {
    PosesResult *r = &m->result;
    bool folder = false;
    m->piece = calloc((size_t)count, sizeof *m->piece);
    m->pieces = m->piece ? count : 0;
    int code = m->piece ? EXIT_OK : no_memory();
    for (int i = 0; i < count && code == EXIT_OK; i++) {
        Piece *p = &m->piece[i];
        code = read_piece(p, paths[i], &folder);
        if (code == EXIT_OK && i == 0 && !cli_poses_head(&p->tree, &m->part, r)) {
            code = cli_fail(folder ? EXIT_DAMAGED : EXIT_INPUT,
                            "%s: is nothing that this program wrote", p->name);
        }
        if (code == EXIT_OK && i > 0 &&
            !cli_poses_belong(&p->tree, p->name, &m->piece[0].tree, m->piece[0].name)) {
            code = EXIT_INPUT;
        }
        if (code == EXIT_OK && i == 0 && !make_tallies(m)) {
            code = no_memory();
        }
        if (code == EXIT_OK) {
            code = folder ? add_journal(m, i) : add_shard(m, i);
        }
    }
    for (int fine = 0; fine < 2; fine++) {
        if (m->marks[fine]) {
            qsort(m->mark[fine], (size_t)m->marks[fine], sizeof(Mark), by_block);
        }
    }
    return code;
}

// --- complete? -----------------------------------------------------------------------------------
// of the blocks [0, end): the first that is missing, and how many are
typedef struct Gap {
    int64_t first, count;
} Gap;

static Gap find_gaps(const Merge *m, bool fine, int64_t end) {
    Gap gap = { -1, 0 };
    int64_t next = 0;
    for (int64_t i = 0; i <= m->marks[fine]; i++) {
        int64_t block = i < m->marks[fine] ? m->mark[fine][i].block : end;
        if (block > end) {
            block = end;
        }
        if (block > next) {
            if (gap.first < 0) {
                gap.first = next;
            }
            gap.count += block - next;
        }
        if (block >= next) {
            next = block + 1;
        }
    }
    return gap;
}

static int check_once(const Merge *m, bool fine) {
    for (int64_t i = 1; i < m->marks[fine]; i++) {
        const Mark *a = &m->mark[fine][i - 1];
        const Mark *b = &m->mark[fine][i];
        if (a->block == b->block)
            return cli_fail(EXIT_INPUT, "block %lld%s is there twice, in %s and in %s",
                            (long long)a->block, fine ? " of the check" : "",
                            m->piece[a->piece].name, m->piece[b->piece].name);
    }
    return EXIT_OK;
}

static int64_t blocks_of(const PosesResult *r) {
    return (r->plan.drops + IMP_BLOCK - 1) / IMP_BLOCK;
}

static bool sharp(const PosesResult *r) {
    return r->plan.ci > 0 && r->usual.drops > 0 && impDropTally_Widest(&r->usual) <= r->plan.ci;
}

// Counts of journals; hashes of all. With --ci up to the block that it ends with. Returns how many
// blocks were added.
static int64_t add_up(Merge *m) {
    PosesResult *r = &m->result;
    int64_t i = 0;
    for (; i < m->marks[0] && m->mark[0][i].block == i && i < blocks_of(r) && !sharp(r); i++) {
        const Piece *p = &m->piece[m->mark[0][i].piece];
        if (p->journal && impJournal_Find(p->journal, false, i, &m->block)) {
            impDropTally_Add(&r->usual, &m->block);
        } else {
            r->usual.hash = cli_fnv_number(r->usual.hash, m->mark[0][i].hash, 8);
        }
    }
    return i;
}

static void add_check(Merge *m, int64_t blocks) {
    PosesResult *r = &m->result;
    r->fine.drops = m->fine_of_shards;
    for (int64_t i = 0; i < m->marks[1] && m->mark[1][i].block < blocks; i++) {
        const Mark *mark = &m->mark[1][i];
        if (impJournal_Find(m->piece[mark->piece].journal, true, mark->block, &m->block)) {
            impDropTally_Add(&r->fine, &m->block);
        }
    }
}

// Drops of the check, and their blocks.
static int64_t check_drops(const PosesResult *r, int64_t drops) {
    return impCheck_Drops(r->plan.check_part, drops);
}
static int64_t check_blocks(const PosesResult *r, int64_t drops) {
    return (check_drops(r, drops) + IMP_BLOCK - 1) / IMP_BLOCK;
}

// What is the same for a rotation of the part is counted together.
static int compare(PosesResult *r) {
    const PosesPart *p = r->part;
    int *same_as = malloc(((size_t)p->families + 1) * sizeof *same_as);
    if (!same_as) return no_memory();
    for (int i = 0; i < p->families; i++) {
        same_as[i] = p->family[i].same_as;
    }
    r->check = impDropTally_Compare(&r->usual, &r->fine, same_as);
    free(same_as);
    return EXIT_OK;
}

// --- merge ---------------------------------------------------------------------------------------
static int tell_gap(Gap gap, int64_t of) {
    return cli_fail(EXIT_INPUT,
                    "block %lld is missing, of %lld blocks %lld; --resume makes those of a journal",
                    (long long)gap.first, (long long)of, (long long)gap.count);
}

static int merge(Merge *m) {
    PosesResult *r = &m->result;
    int code = check_once(m, false);
    if (code == EXIT_OK) {
        code = check_once(m, true);
    }
    if (code) return code;
    int64_t last = m->marks[0] ? m->mark[0][m->marks[0] - 1].block : -1;
    if (last >= blocks_of(r))
        return cli_fail(EXIT_INPUT, "block %lld is there, but there are only %lld", (long long)last,
                        (long long)blocks_of(r));
    int64_t added = add_up(m);
    int64_t wanted = sharp(r) ? added : blocks_of(r);
    if (added < wanted) return tell_gap(find_gaps(m, false, wanted), wanted);
    if (r->plan.ci <= 0 && r->usual.drops != r->plan.drops)
        return cli_fail(EXIT_INPUT, "the blocks hold %lld trials, not %lld",
                        (long long)r->usual.drops, (long long)r->plan.drops);
    if (r->plan.engine) return EXIT_OK;
    int64_t wanted_fine = check_drops(r, r->usual.drops);
    add_check(m, check_blocks(r, r->usual.drops));
    if (r->fine.drops != wanted_fine)
        return cli_fail(EXIT_INPUT,
                        "the check is not complete: %lld of its %lld drops are there; --resume "
                        "makes those of a journal",
                        (long long)r->fine.drops, (long long)wanted_fine);
    return compare(r);
}

static int tell(Merge *m, const Options *opt) {
    int code = EXIT_OK;
    cli_poses_doubts(&m->result);
    if (opt->output) {
        code = cli_poses_write(&m->result, opt->output, opt->force);
    }
    if (opt->json) {
        cli_poses_json(&m->result, stdout);
    } else if (!opt->quiet && !cli_poses_report(&m->result, stdout)) {
        code = no_memory();
    }
    return code ? code : m->result.usual.failed ? EXIT_FAILED_TRIALS : EXIT_OK;
}

int cli_poses_merge(Cli *cli) {
    static Merge m;
    const Options *opt = &cli->opt;
    if (opt->arg_count < 2)
        return cli_usage("merge what? Give folders of --journal, or .json files of shards");
    if (opt->output && !cli_ends_with(opt->output, ".json"))
        return cli_usage("-o %s: merge writes .json; a page or single trials need a run",
                         opt->output);
    if (opt->output && !cli_may_write(opt->output, opt->force)) return EXIT_IO;
    int code = open_merge(&m, opt->args + 1, opt->arg_count - 1);
    if (code == EXIT_OK) {
        code = merge(&m);
    }
    if (code == EXIT_OK) {
        code = tell(&m, opt);
    }
    free_merge(&m);
    return code;
}

// --- verify --------------------------------------------------------------------------------------
static void tell_verified(const Merge *m, int64_t blocks, Gap gap, int64_t fine, Gap fine_gap,
                          bool json) {
    const PosesResult *r = &m->result;
    bool whole = gap.count == 0 && fine_gap.count == 0;
    if (json) {
        Json j = { .out = stdout };
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "schema", "impel.poses.verify/1");
        cli_json_bool(&j, "complete", whole);
        cli_json_count(&j, "blocks", blocks);
        cli_json_count(&j, "missing", gap.count);
        cli_json_count(&j, "first_missing", gap.first);
        cli_json_count(&j, "check_blocks", fine);
        cli_json_count(&j, "check_missing", fine_gap.count);
        cli_json_close(&j, '}');
        return;
    }
    printf("%s: %lld of %lld blocks", whole ? "complete" : "not complete",
           (long long)(blocks - gap.count), (long long)blocks);
    if (fine) {
        printf(", %lld of %lld of the check", (long long)(fine - fine_gap.count), (long long)fine);
    }
    if (whole) {
        printf(", hash %016llx\n", (unsigned long long)r->usual.hash);
    } else if (gap.count) {
        printf("; the first that is missing is %lld\n", (long long)gap.first);
    } else {
        printf("; the first of the check that is missing is %lld\n", (long long)fine_gap.first);
    }
}

int cli_poses_verify(Cli *cli) {
    static Merge m;
    const Options *opt = &cli->opt;
    Gap gap = { -1, 0 };
    Gap fine_gap = { -1, 0 };
    if (opt->arg_count != 2)
        return cli_usage(opt->arg_count > 2 ? "one journal at a time" : "verify which journal?");
    if (!is_folder(opt->args[1]))
        return cli_fail(EXIT_INPUT, "%s: is no folder of --journal", opt->args[1]);
    int code = open_merge(&m, opt->args + 1, 1);
    if (code == EXIT_OK) {
        int64_t added = add_up(&m);
        int64_t blocks = sharp(&m.result) ? added : blocks_of(&m.result);
        int64_t fine = m.result.plan.engine
                           ? 0
                           : check_blocks(&m.result, m.result.plan.ci > 0 ? m.result.usual.drops
                                                                          : m.result.plan.drops);
        gap = find_gaps(&m, false, blocks);
        fine_gap = find_gaps(&m, true, fine);
        tell_verified(&m, blocks, gap, fine, fine_gap, opt->json);
        if (gap.count || fine_gap.count) {
            code = EXIT_CHECK;
        }
    }
    free_merge(&m);
    return code;
}
