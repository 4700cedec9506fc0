// journal.c -- finished blocks on disk, so that a killed run loses only what it was at.
//
//   journal.R.bin     of program R: "IMPELJ2\n", identity u64, crc32c of it u32, then records that
//   are only ever added record            length u32 | crc32c u32 | type u8 | block u64 | trials
//   u32 | unresolved u32 | failed u32 | left u32 |
//                     rolled u32 | impacts u64 | hash u64 | families u32 | poses u32 | families
//                     times (family u32, count u32) | poses times (pose u32, count u32)
//                     little-endian; length and crc: from the type on
//
// A record is one write; it is on disk when the next one is written a second later (of the clock
// that a test is given), and before the test ends. On opening, what a kill has left of a record at
// the end is cut off; a record that is wrong with whole ones behind it is damage, and nothing is
// guessed. Blocks of any program count: a run that is taken up again may share
// the work out otherwise.
//
// SPDX-License-Identifier: MIT
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1  // flock
#endif
#include "droptest/droptest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if !defined(__wasi__)
#include <sys/file.h>
#endif

enum {
    MARK = 8,
    START = MARK + 8 + 4,
    HEAD = 8,
    FIXED = 1 + 8 + 5 * 4 + 8 + 8 + 2 * 4,
    USUAL = 1,
    FINE = 2,
    LONGEST_NAME = 1000,
    MOST_UNSYNCED = 64
};  // records
static const char magic[] = "IMPELJ2\n";

typedef struct Entry {
    int type;
    int64_t block;
    const unsigned char *body;  // from the type on
    uint32_t length;
} Entry;

struct impJournal {
    char folder[LONGEST_NAME], own[LONGEST_NAME + 40];
    uint64_t identity;
    int fd, families, poses;        // fd -1: only to look at
    unsigned char **file, *record;  // what was read; scratch
    int files;
    Entry *entry;  // by type and block
    size_t entries, room;
    size_t fine;  // the first of the fine ones
    int64_t cut;
    int unsynced;  // records
};

static bool fail_at(impError *err, impFault fault, const char *path, const char *what,
                    const char *rule) {
    return fail_as(err, fault, (Where){ path, 0, 0 }, "%s; %s", what, rule);
}

static bool fail_system(impError *err, const char *path, const char *rule) {
    return fail_at(err, IMP_BAD_FILE, path, strerror(errno), rule);
}

// --- bytes ---------------------------------------------------------------------------------------
// Castagnoli's polynomial; records are short
static uint32_t crc32c(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
        }
    }
    return ~crc;
}

static uint64_t get(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | from[i];
    }
    return value;
}

static unsigned char *put(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        *to++ = (unsigned char)(value >> 8 * i);
    }
    return to;
}

// --- a record ------------------------------------------------------------------------------------
static unsigned char *put_counts(unsigned char *to, const int64_t *count, int kinds) {
    for (int i = 0; i < kinds; i++) {
        if (count[i] == 0) continue;
        to = put(to, (uint64_t)i, 4);
        to = put(to, (uint64_t)count[i], 4);
    }
    return to;
}

static int nonzero(const int64_t *count, int kinds) {
    int found = 0;
    for (int i = 0; i < kinds; i++) {
        found += count[i] != 0;
    }
    return found;
}

// The length of the record that block makes.
static size_t write_record(unsigned char *record, bool fine, int64_t number,
                           const impDropTally *block) {
    unsigned char *at = put(record + HEAD, fine ? FINE : USUAL, 1);
    at = put(at, (uint64_t)number, 8);
    at = put(at, (uint64_t)block->drops, 4);
    at = put(at, (uint64_t)block->unresolved, 4);
    at = put(at, (uint64_t)block->failed, 4);
    at = put(at, (uint64_t)block->left, 4);
    at = put(at, (uint64_t)block->rolled, 4);
    at = put(at, (uint64_t)block->impacts, 8);
    at = put(at, block->hash, 8);
    at = put(at, (uint64_t)nonzero(block->family, block->families), 4);
    at = put(at, (uint64_t)nonzero(block->pose, block->poses), 4);
    at = put_counts(at, block->family, block->families);
    at = put_counts(at, block->pose, block->poses);
    size_t length = (size_t)(at - record) - HEAD;
    put(record, length, 4);
    put(record + 4, crc32c(record + HEAD, length), 4);
    return HEAD + length;
}

typedef struct Counts {
    uint64_t families, poses;
    const unsigned char *family, *pose;
} Counts;

static Counts counts_of(const unsigned char *body) {
    Counts c = { get(body + FIXED - 8, 4), get(body + FIXED - 4, 4), body + FIXED, NULL };
    c.pose = c.family + 8 * c.families;
    return c;
}

static void read_record(const unsigned char *body, impDropTally *to) {
    Counts c = counts_of(body);
    tally_clear(to);
    to->drops = (int64_t)get(body + 9, 4);
    to->unresolved = (int64_t)get(body + 13, 4);
    to->failed = (int64_t)get(body + 17, 4);
    to->left = (int64_t)get(body + 21, 4);
    to->rolled = (int64_t)get(body + 25, 4);
    to->impacts = (int64_t)get(body + 29, 8);
    to->hash = get(body + 37, 8);
    for (uint64_t i = 0; i < c.families; i++) {
        to->family[get(c.family + 8 * i, 4)] = (int64_t)get(c.family + 8 * i + 4, 4);
    }
    for (uint64_t i = 0; i < c.poses; i++) {
        to->pose[get(c.pose + 8 * i, 4)] = (int64_t)get(c.pose + 8 * i + 4, 4);
    }
}

// Sum of counts; more than any block has where a number is none of ours.
static uint64_t sum_of(const unsigned char *pairs, uint64_t count, int kinds) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (get(pairs + 8 * i, 4) >= (uint64_t)kinds) return UINT64_MAX / 2;
        sum += get(pairs + 8 * i + 4, 4);
    }
    return sum;
}

// What a right sum of bytes cannot tell: is it ours?
static bool is_sound(const impJournal *j, const unsigned char *body, uint32_t length) {
    if (length < FIXED || (body[0] != USUAL && body[0] != FINE) || get(body + 1, 8) >> 62)
        return false;
    Counts c = counts_of(body);
    uint64_t trials = get(body + 9, 4);
    uint64_t ended = get(body + 13, 4) + get(body + 17, 4) + get(body + 21, 4);
    if (c.families > (uint64_t)j->families || c.poses > (uint64_t)j->poses) return false;
    if (length != FIXED + 8 * (c.families + c.poses) || trials > IMP_BLOCK) return false;
    uint64_t certain = sum_of(c.family, c.families, j->families);
    return certain + ended == trials && sum_of(c.pose, c.poses, j->poses) <= certain;
}

// --- reading -------------------------------------------------------------------------------------
static bool whole_record(const unsigned char *at, size_t left, uint32_t *length) {
    if (left < HEAD + FIXED) return false;
    *length = (uint32_t)get(at, 4);
    return *length >= FIXED && *length <= left - HEAD &&
           crc32c(at + HEAD, *length) == get(at + 4, 4);
}

static bool any_record(const unsigned char *bytes, size_t from, size_t size) {
    uint32_t length;
    for (; from < size; from++) {
        if (whole_record(bytes + from, size - from, &length)) return true;
    }
    return false;
}

static bool add_entry(impJournal *j, const unsigned char *body, uint32_t length, impError *err) {
    if (j->entries == j->room) {
        size_t room = 2 * j->room + 64;
        Entry *entry = realloc(j->entry, room * sizeof *entry);
        if (!entry) return fail_memory(err);
        j->entry = entry;
        j->room = room;
    }
    j->entry[j->entries++] = (Entry){ body[0], (int64_t)get(body + 1, 8), body, length };
    return true;
}

static bool scan_start(const impJournal *j, const char *path, const unsigned char *bytes,
                       size_t size, impError *err) {
    size_t marked = size < MARK ? size : MARK;
    if (memcmp(bytes, magic, marked) != 0)
        return fail_at(err, IMP_DAMAGED, path, "it does not begin as a journal",
                       "it is none, or of another version");
    if (size >= START && crc32c(bytes + MARK, 8) != get(bytes + MARK + 8, 4))
        return fail_at(err, IMP_DAMAGED, path, "its first bytes are damaged",
                       "they say of which drops it is the journal");
    if (size >= START && get(bytes + MARK, 8) != j->identity)
        return fail_at(err, IMP_BAD_INPUT, path, "it is the journal of other drops",
                       "part, parameters and program must be the same");
    return true;
}

// Where the whole records end.
static bool scan(impJournal *j, const char *path, const unsigned char *bytes, size_t size,
                 size_t *end, impError *err) {
    uint32_t length;
    size_t at = START;
    char what[100];
    *end = 0;
    if (!scan_start(j, path, bytes, size, err)) return false;
    if (size < START) return true;
    for (; whole_record(bytes + at, size - at, &length); at += HEAD + length) {
        print_text(what, sizeof what, "the record at byte %zu", at);
        if (!is_sound(j, bytes + at + HEAD, length))
            return fail_at(err, IMP_DAMAGED, path, what, "it makes no sense for this part");
        if (!add_entry(j, bytes + at + HEAD, length, err)) return false;
    }
    *end = at;
    if (at >= size || !any_record(bytes, at + 1, size)) return true;
    print_text(what, sizeof what, "the record at byte %zu is damaged", at);
    return fail_at(err, IMP_DAMAGED, path, what,
                   "others follow it, so that no kill has cut it short");
}

static bool read_bytes(const char *path, int fd, unsigned char **bytes, size_t *size,
                       impError *err) {
    struct stat there;
    *bytes = NULL;
    *size = 0;
    if (fstat(fd, &there) != 0) return fail_system(err, path, "a journal is read whole");
    *bytes = malloc((size_t)there.st_size + 1);
    if (!*bytes) return fail_memory(err);
    while (*size < (size_t)there.st_size) {
        ssize_t got = read(fd, *bytes + *size, (size_t)there.st_size - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_system(err, path, "a journal is read whole");
        if (got == 0) break;
        *size += (size_t)got;
    }
    return true;
}

static bool read_journal(impJournal *j, const char *path, int fd, bool own, impError *err) {
    unsigned char *bytes;
    size_t size;
    size_t end = 0;
    bool ok = read_bytes(path, fd, &bytes, &size, err);
    unsigned char **file = realloc(j->file, ((size_t)j->files + 1) * sizeof *file);
    if (!file) {
        free(bytes);
        return fail_memory(err);
    }
    j->file = file;
    j->file[j->files++] = bytes;
    ok = ok && scan(j, path, bytes, size, &end, err);
    if (!ok || end == size) return ok;
    if (own && ftruncate(fd, (off_t)end) != 0)
        return fail_system(err, path, "what a kill left of a record is cut off");
    j->cut += (int64_t)(size - end);
    return true;
}

static bool is_journal(const char *name) {
    size_t digits = strncmp(name, "journal.", 8) == 0 ? strspn(name + 8, "0123456789") : 0;
    return digits > 0 && strcmp(name + 8 + digits, ".bin") == 0;
}

static bool read_other(impJournal *j, const char *name, impError *err) {
    char path[sizeof j->own];
    size_t length = print_text(path, sizeof path, "%s/%s", j->folder, name);
    if (length >= sizeof path)
        return fail_at(err, IMP_BAD_FILE, j->folder, "a name in it is too long",
                       "all its journals are read");
    if (strcmp(path, j->own) == 0) return true;
    int fd = open(path, O_RDONLY);
    if (fd < 0) return fail_system(err, path, "all journals of a folder are read");
    bool ok = read_journal(j, path, fd, false, err);
    close(fd);
    return ok;
}

// all but our own
static bool read_others(impJournal *j, impError *err) {
    DIR *folder = opendir(j->folder);
    bool ok = folder || fail_system(err, j->folder, "a journal is a folder");
    for (struct dirent *one; ok && (one = readdir(folder));) {
        if (is_journal(one->d_name)) {
            ok = read_other(j, one->d_name, err);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return ok;
}

static int compare(const Entry *x, const Entry *y) {
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static bool by_block(const void *context, int32_t a, int32_t b) {
    const Entry *entry = context;
    return compare(&entry[a], &entry[b]) < 0;
}

static bool put_in_order(impJournal *j, impError *err) {
    size_t n = j->entries;
    int32_t *order = malloc((2 * n + 1) * sizeof *order);
    Entry *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && sorted && n < INT32_MAX;
    for (size_t i = 0; ok && i < n; i++) {
        order[i] = (int32_t)i;
    }
    if (ok) {
        sort_stable(order, order + n, (int)n, by_block, j->entry);
    }
    for (size_t i = 0; ok && i < n; i++) {
        sorted[i] = j->entry[order[i]];
    }
    if (ok) {
        memcpy(j->entry, sorted, n * sizeof *sorted);
    }
    free(order);
    free(sorted);
    return ok || fail_memory(err);
}

// Two programs may have made one block, the same bits of it.
static bool sort_entries(impJournal *j, impError *err) {
    size_t kept = 0;
    if (j->entries && !put_in_order(j, err)) return false;
    for (size_t i = 0; i < j->entries; i++) {
        const Entry *e = &j->entry[i];
        const Entry *last = kept ? &j->entry[kept - 1] : NULL;
        if (!last || compare(last, e) != 0) {
            j->entry[kept++] = *e;
        } else if (last->length != e->length || memcmp(last->body, e->body, e->length) != 0) {
            char what[100];
            print_text(what, sizeof what, "block %lld is there twice", (long long)e->block);
            return fail_at(err, IMP_DAMAGED, j->folder, what, "both must have the same results");
        }
    }
    j->entries = kept;
    while (j->fine < kept && j->entry[j->fine].type == USUAL) {
        j->fine++;
    }
    return true;
}

// --- open and close ------------------------------------------------------------------------------
static bool sync_folder(const char *path) {
#if defined(__wasi__)
    (void)path;
    return true;
#else
    int fd = open(path, O_RDONLY);
    bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return good;
#endif
}

static impJournal *new_journal(const char *folder, uint64_t identity, int families, int poses,
                               impError *err) {
    impJournal *j = calloc(1, sizeof *j);
    if (!j) {
        fail_memory(err);
        return NULL;
    }
    j->fd = -1;
    j->identity = identity;
    j->families = families;
    j->poses = poses;
    j->record = malloc(HEAD + FIXED + 8 * ((size_t)families + (size_t)poses));
    bool ok = j->record || fail_memory(err);
    if (ok && print_text(j->folder, sizeof j->folder, "%s", folder) >= sizeof j->folder) {
        ok = fail_at(err, IMP_BAD_FILE, folder, "its name is too long",
                     "a journal's folder has at most 999 characters");
    }
    if (ok) return j;
    impJournal_Free(j);
    return NULL;
}

static bool start_file(impJournal *j, impError *err) {
    unsigned char start[START];
    struct stat now;
    memcpy(start, magic, MARK);
    put(start + MARK, j->identity, 8);
    put(start + MARK + 8, crc32c(start + MARK, 8), 4);
    bool ok = fstat(j->fd, &now) == 0 && (now.st_size > 0 || write(j->fd, start, START) == START);
    ok = ok && fsync(j->fd) == 0 && sync_folder(j->folder);
    return ok || fail_system(err, j->own, "a journal must be written");
}

static bool open_own(impJournal *j, impError *err) {
    j->fd = open(j->own, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (j->fd < 0) return fail_system(err, j->own, "a journal must be written");
#if !defined(__wasi__)
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
        return fail_at(err, IMP_BAD_FILE, j->own, "another process writes it",
                       "one does at a time");
#endif
    return read_journal(j, j->own, j->fd, true, err) && start_file(j, err);
}

impJournal *journal_open(const char *folder, int64_t rank, uint64_t identity, int families,
                         int poses, impError *err) {
    impJournal *j = new_journal(folder, identity, families, poses, err);
    if (!j) return NULL;
    print_text(j->own, sizeof j->own, "%s/journal.%lld.bin", folder, (long long)rank);
    if (open_own(j, err) && read_others(j, err) && sort_entries(j, err)) return j;
    impJournal_Free(j);
    return NULL;
}

impJournal *impJournal_Read(const char *folder, uint64_t identity, int families, int poses,
                            impError *err) {
    if (!folder || families < 0 || poses < 0) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                "impJournal_Read: no folder, or fewer families or poses than none");
        return NULL;
    }
    impJournal *j = new_journal(folder, identity, families, poses, err);
    if (!j) return NULL;
    if (read_others(j, err) && sort_entries(j, err)) return j;
    impJournal_Free(j);
    return NULL;
}

bool journal_close(impJournal *j, impError *err) {
    bool ok = !j || j->fd < 0 || fsync(j->fd) == 0 ||
              fail_system(err, j->own, "a journal must be on disk");
    impJournal_Free(j);
    return ok;
}

void impJournal_Free(impJournal *j) {
    if (!j) return;
    if (j->fd >= 0) {
        close(j->fd);
    }
    for (int i = 0; i < j->files; i++) {
        free(j->file[i]);
    }
    free(j->file);
    free(j->entry);
    free(j->record);
    free(j);
}

int64_t journal_cut(const impJournal *j) { return j->cut; }

// --- blocks --------------------------------------------------------------------------------------
int64_t impJournal_Count(const impJournal *j, bool fine) {
    return (int64_t)(fine ? j->entries - j->fine : j->fine);
}

int64_t impJournal_Block(const impJournal *j, bool fine, int64_t i) {
    return i >= 0 && i < impJournal_Count(j, fine)
               ? j->entry[(fine ? j->fine : 0) + (size_t)i].block
               : -1;
}

bool impJournal_Find(const impJournal *j, bool fine, int64_t block, impDropTally *tally) {
    Entry key = { .type = fine ? FINE : USUAL, .block = block };
    size_t low = 0;
    size_t high = j->entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&j->entry[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == j->entries || compare(&j->entry[low], &key) != 0) return false;
    if (!tally) return true;
    if (tally->families != j->families || tally->poses != j->poses) return false;
    read_record(j->entry[low].body, tally);
    return true;
}

bool journal_add(impJournal *j, bool fine, int64_t number, const impDropTally *block,
                 impError *err) {
    size_t length = write_record(j->record, fine, number, block);
    ssize_t written;
    do {
        written = write(j->fd, j->record, length);
    } while (written < 0 && errno == EINTR);
    if (written < 0) return fail_system(err, j->own, "a journal must be written");
    if ((size_t)written != length)
        return fail_at(err, IMP_BAD_FILE, j->own, "the disk is full", "a journal must be written");
    return ++j->unsynced < MOST_UNSYNCED || journal_sync(j, err);
}

bool journal_sync(impJournal *j, impError *err) {
    j->unsynced = 0;
    return fsync(j->fd) == 0 || fail_system(err, j->own, "a journal must be on disk");
}
