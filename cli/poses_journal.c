// poses_journal.c -- finished blocks on disk, so that a killed run loses only what it was at.
//
//   manifest.json     part, parameters, poses; written once, whole or not at all
//   journal.R.bin     of rank or shard R: "IMPELJ1\n", then records that are only ever added
//   record            length u32 | crc32c u32 | type u8 | block u64 | trials u32 | unresolved u32 | failed u32 | impacts u64 |
//                     hash u64 | n u32 | n times (pose u32, count u32)      little-endian; length and crc: from the type on
//
// A record is one write; it is on disk within a second, and before a report is printed. On opening, what a kill has left of
// a record at the end is cut off; a record that is wrong with whole ones behind it is damage, and nothing is guessed. Blocks
// of any rank count, whoever made them: a resumed run may share the work out otherwise.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

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

enum { MAGIC = 8, HEAD = 8, FIXED = 1 + 8 + 4 + 4 + 4 + 8 + 8 + 4, USUAL = 1, FINE = 2 };
static const char magic[] = "IMPELJ1\n";

typedef struct Entry { int type; int64_t block; const unsigned char *body; uint32_t length; } Entry;   // body: from the type on

struct Journal {
    const char *folder;
    char own[600];                            // "DIR/journal.0.bin"
    int fd, rests;                            // fd -1: only to look at
    unsigned char **file, *record;            // what was read; scratch
    int files;
    Entry *entry;                             // by type and block
    size_t entries, room;
    size_t fine;                              // the first of the fine ones
    double synced;
};

// --- bytes -----------------------------------------------------------------------------------------------------------
static uint32_t crc32c(const unsigned char *bytes, size_t count) {   // Castagnoli's polynomial; records are short
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

static uint64_t get(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | from[i];
    return value;
}

static unsigned char *put(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *to++ = (unsigned char)(value >> 8 * i);
    return to;
}

// --- reading ---------------------------------------------------------------------------------------------------------
static bool sound(const unsigned char *body, uint32_t length, int rests) {   // what a right sum cannot tell: is it ours?
    if (length < FIXED || (body[0] != USUAL && body[0] != FINE) || get(body + 1, 8) >> 62) return false;
    uint64_t pairs = get(body + FIXED - 4, 4), trials = get(body + 9, 4);
    uint64_t sum = get(body + 13, 4) + get(body + 17, 4);
    if (length != FIXED + 8 * pairs || trials > POSES_BLOCK) return false;
    for (uint64_t i = 0; i < pairs; i++) {
        if (get(body + FIXED + 8 * i, 4) >= (uint64_t)rests) return false;
        sum += get(body + FIXED + 8 * i + 4, 4);
    }
    return sum == trials;
}

static bool whole_record(const unsigned char *at, size_t left, uint32_t *length) {
    if (left < HEAD + FIXED) return false;
    *length = (uint32_t)get(at, 4);
    return *length >= FIXED && *length <= left - HEAD && crc32c(at + HEAD, *length) == get(at + 4, 4);
}

static bool add_entry(Journal *j, const unsigned char *body, uint32_t length) {
    if (j->entries == j->room) {
        size_t room = 2 * j->room + 64;
        Entry *entry = realloc(j->entry, room * sizeof *entry);
        if (!entry) return false;
        j->entry = entry, j->room = room;
    }
    j->entry[j->entries++] = (Entry){body[0], (int64_t)get(body + 1, 8), body, length};
    return true;
}

static bool any_record(const unsigned char *bytes, size_t from, size_t size) {
    uint32_t length;
    for (; from < size; from++)
        if (whole_record(bytes + from, size - from, &length)) return true;
    return false;
}

// Where the whole records end.
static int scan(Journal *j, const char *path, const unsigned char *bytes, size_t size, size_t *end) {
    uint32_t length;
    size_t at = MAGIC;
    *end = 0;
    if (size < MAGIC) return memcmp(bytes, magic, size) ? cli_fail(EXIT_DAMAGED, "%s: is no journal", path) : EXIT_OK;
    if (memcmp(bytes, magic, MAGIC) != 0) return cli_fail(EXIT_DAMAGED, "%s: is no journal, or of another version", path);
    for (; whole_record(bytes + at, size - at, &length); at += HEAD + length) {
        if (!sound(bytes + at + HEAD, length, j->rests)) return cli_fail(EXIT_DAMAGED, "%s: the record at byte %zu makes no sense", path, at);
        if (!add_entry(j, bytes + at + HEAD, length)) return cli_fail(EXIT_LIMIT, "out of memory");
    }
    *end = at;
    if (at < size && any_record(bytes, at + 1, size))
        return cli_fail(EXIT_DAMAGED, "%s: the record at byte %zu is damaged, and others follow it", path, at);
    return EXIT_OK;
}

static int read_bytes(const char *path, int fd, unsigned char **bytes, size_t *size) {
    struct stat there;
    *bytes = NULL, *size = 0;
    if (fstat(fd, &there) != 0) return cli_fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
    *bytes = malloc((size_t)there.st_size + 1);
    if (!*bytes) return cli_fail(EXIT_LIMIT, "%s: out of memory", path);
    while (*size < (size_t)there.st_size) {
        ssize_t got = read(fd, *bytes + *size, (size_t)there.st_size - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cli_fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
        if (got == 0) break;
        *size += (size_t)got;
    }
    return EXIT_OK;
}

static void tell_cut(const char *path, size_t bytes, bool cut) {
    char text[700];
    snprintf(text, sizeof text, "%s: %zu bytes at its end, of a record that was not finished, %s", path, bytes, cut ? "were cut" : "do not count");
    cli_make_plain(text);
    if (bytes) cli_note("note", text);
}

static int read_journal(Journal *j, const char *path, int fd, bool own) {
    unsigned char *bytes;
    size_t size, end = 0;
    int code = read_bytes(path, fd, &bytes, &size);
    unsigned char **file = realloc(j->file, ((size_t)j->files + 1) * sizeof *file);
    if (file) j->file = file, j->file[j->files++] = bytes;
    else free(bytes), code = code ? code : cli_fail(EXIT_LIMIT, "out of memory");
    if (code == EXIT_OK) code = scan(j, path, bytes, size, &end);
    if (code || end == size) return code;
    if (own && ftruncate(fd, (off_t)end) != 0) return cli_fail(EXIT_IO, "%s: %s", path, strerror(errno));
    tell_cut(path, size - end, own);
    return EXIT_OK;
}

static bool is_journal(const char *name) {
    size_t digits = strncmp(name, "journal.", 8) == 0 ? strspn(name + 8, "0123456789") : 0;
    return digits > 0 && strcmp(name + 8 + digits, ".bin") == 0;
}

static int read_others(Journal *j) {          // all but our own
    DIR *folder = opendir(j->folder);
    char path[600];
    int code = folder ? EXIT_OK : cli_fail(EXIT_INPUT, "%s: %s", j->folder, strerror(errno));
    for (struct dirent *one; code == EXIT_OK && (one = readdir(folder));) {
        if (!is_journal(one->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s/%s", j->folder, one->d_name);
        if (length >= (int)sizeof path || strcmp(path, j->own) == 0) continue;
        int fd = open(path, O_RDONLY);
        code = fd >= 0 ? read_journal(j, path, fd, false) : cli_fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
    }
    if (folder) closedir(folder);
    return code;
}

static int by_block(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

// Two ranks may have made one block, the same bits of it.
static int sort_entries(Journal *j) {
    size_t kept = 0;
    if (j->entries) qsort(j->entry, j->entries, sizeof *j->entry, by_block);
    for (size_t i = 0; i < j->entries; i++) {
        const Entry *e = &j->entry[i], *last = kept ? &j->entry[kept - 1] : NULL;
        if (!last || by_block(last, e) != 0) j->entry[kept++] = *e;
        else if (last->length != e->length || memcmp(last->body, e->body, e->length) != 0)
            return cli_fail(EXIT_DAMAGED, "%s: block %lld is there twice, with different results", j->folder, (long long)e->block);
    }
    j->entries = kept;
    while (j->fine < kept && j->entry[j->fine].type == USUAL) j->fine++;
    return EXIT_OK;
}

// --- the folder ------------------------------------------------------------------------------------------------------
static bool sync_folder(const char *path) {
#if defined(__wasi__)
    return (void)path, true;
#else
    int fd = open(path, O_RDONLY);
    bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    return good;
#endif
}

static int compare_manifest(const char *path, const PosesResult *head) {
    JsonTree there, here = {0};
    char why[200], *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return cli_fail(EXIT_LIMIT, "out of memory");
    bool written = cli_poses_manifest(head, memory);
    if (fclose(memory) != 0 || !written) return free(text), cli_fail(EXIT_LIMIT, "out of memory");
    int code = EXIT_OK;
    if (!cli_manifest_read(&there, path, (size_t)1 << 30, why, sizeof why)) code = cli_fail(EXIT_DAMAGED, "%s: %s", path, why);
    else if (!cli_json_parse(&here, text, size, why, sizeof why)) code = cli_fail(EXIT_BUG, "%s: %s", path, why);
    else if (!cli_poses_belong(&there, path, &here, "this run")) code = EXIT_INPUT;
    cli_json_free(&there), cli_json_free(&here), free(text);
    return code;
}

// Blocks without a manifest may be of any run. Whoever makes a folder writes the manifest before a journal, so that one who
// sees a journal and then no manifest is not just early.
static bool orphaned(const char *folder, const char *manifest) {
    struct stat there;
    bool any = false;
    DIR *open = opendir(folder);
    for (struct dirent *one; open && !any && (one = readdir(open));) any = is_journal(one->d_name);
    if (open) closedir(open);
    return any && stat(manifest, &there) != 0;
}

static int make_folder(const char *folder, const PosesResult *head, bool resume) {
    char path[600];
    struct stat there;
    OutFile out;
    if (snprintf(path, sizeof path, "%s/manifest.json", folder) >= (int)sizeof path - 20) return cli_fail(EXIT_IO, "%s: too long a name", folder);
    bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST) return cli_fail(EXIT_IO, "%s: %s", folder, strerror(errno));
    if (!made && !resume) return cli_fail(EXIT_IO, "%s: exists already; --resume goes on with it", folder);
    if (!made && (stat(folder, &there) != 0 || !S_ISDIR(there.st_mode))) return cli_fail(EXIT_IO, "%s: is no folder", folder);
    if (!made && stat(path, &there) == 0) return compare_manifest(path, head);
    if (!made && orphaned(folder, path)) return cli_fail(EXIT_DAMAGED, "%s: has journals, but no manifest.json that says of what", folder);
    if (!cli_out_open(&out, path, false)) return EXIT_IO;
    if (!cli_poses_manifest(head, out.file)) return cli_out_abandon(&out), cli_fail(EXIT_IO, "%s: %s", path, strerror(errno));
    return cli_out_commit(&out) && sync_folder(folder) ? EXIT_OK : EXIT_IO;
}

// --- open and close --------------------------------------------------------------------------------------------------
static Journal *new_journal(const char *folder, int rests) {
    Journal *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    *j = (Journal){.folder = folder, .fd = -1, .rests = rests, .synced = cli_wall()};
    j->record = malloc(HEAD + FIXED + 8 * ((size_t)rests < POSES_BLOCK ? (size_t)rests : POSES_BLOCK));
    if (j->record) return j;
    free(j);
    return NULL;
}

static int open_own(Journal *j) {
    struct stat now;
    j->fd = open(j->own, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (j->fd < 0) return cli_fail(EXIT_IO, "%s: %s", j->own, strerror(errno));
#if !defined(__wasi__)
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) return cli_fail(EXIT_IO, "%s: another process writes it", j->own);
#endif
    int code = read_journal(j, j->own, j->fd, true);
    if (code) return code;
    if (fstat(j->fd, &now) != 0 || (now.st_size == 0 && write(j->fd, magic, MAGIC) != MAGIC) || fsync(j->fd) != 0 || !sync_folder(j->folder))
        return cli_fail(EXIT_IO, "%s: %s", j->own, strerror(errno));
    return EXIT_OK;
}

int cli_journal_open(Journal **out, const char *folder, const PosesResult *head, int64_t rank, bool resume) {
    *out = NULL;
    int code = make_folder(folder, head, resume);
    if (code) return code;
    Journal *j = new_journal(folder, head->part->rests);
    if (!j) return cli_fail(EXIT_LIMIT, "out of memory");
    snprintf(j->own, sizeof j->own, "%s/journal.%lld.bin", folder, (long long)rank);
    code = open_own(j);
    if (code == EXIT_OK) code = read_others(j);
    if (code == EXIT_OK) code = sort_entries(j);
    if (code) return cli_journal_close(j, code);
    *out = j;
    return EXIT_OK;
}

int cli_journal_read(Journal **out, const char *folder, int rests) {
    Journal *j = new_journal(folder, rests);
    *out = NULL;
    if (!j) return cli_fail(EXIT_LIMIT, "out of memory");
    int code = read_others(j);
    if (code == EXIT_OK) code = sort_entries(j);
    if (code) return cli_journal_close(j, code);
    *out = j;
    return EXIT_OK;
}

int cli_journal_close(Journal *j, int code) {
    if (!j) return code;
    if (j->fd >= 0) {
        bool good = fsync(j->fd) == 0;
        if (close(j->fd) != 0) good = false;
        if (!good && code == EXIT_OK) code = cli_fail(EXIT_IO, "%s: %s", j->own, strerror(errno));
    }
    for (int i = 0; i < j->files; i++) free(j->file[i]);
    free(j->file), free(j->entry), free(j->record), free(j);
    return code;
}

// --- blocks ----------------------------------------------------------------------------------------------------------
int64_t cli_journal_count(const Journal *j, bool fine) { return (int64_t)(fine ? j->entries - j->fine : j->fine); }

int64_t cli_journal_number(const Journal *j, bool fine, int64_t i) { return j->entry[(fine ? j->fine : 0) + (size_t)i].block; }

bool cli_journal_find(const Journal *j, bool fine, int64_t block, PosesBlock *out) {
    Entry key = {.type = fine ? FINE : USUAL, .block = block};
    const Entry *e = j->entries ? bsearch(&key, j->entry, j->entries, sizeof key, by_block) : NULL;
    if (!e) return false;
    const unsigned char *b = e->body + 9;
    out->first = block * POSES_BLOCK, out->count = (int64_t)get(b, 4), out->unresolved = (int64_t)get(b + 4, 4);
    out->failed = (int64_t)get(b + 8, 4), out->impacts = (int64_t)get(b + 12, 8), out->hash = get(b + 20, 8);
    memset(out->rest, 0, (size_t)j->rests * sizeof *out->rest);
    uint64_t pairs = get(b + 28, 4);
    for (b += 32; pairs > 0; pairs--, b += 8) out->rest[get(b, 4)] = (int64_t)get(b + 4, 4);
    return true;
}

int cli_journal_add(Journal *j, bool fine, int64_t number, const PosesBlock *block) {
    unsigned char *body = j->record + HEAD, *to = put(put(body, fine ? FINE : USUAL, 1), (uint64_t)number, 8);
    uint32_t pairs = 0;
    to = put(put(put(to, (uint64_t)block->count, 4), (uint64_t)block->unresolved, 4), (uint64_t)block->failed, 4);
    to = put(put(to, (uint64_t)block->impacts, 8), block->hash, 8);
    unsigned char *how_many = to;
    to += 4;
    for (int i = 0; i < j->rests; i++)
        if (block->rest[i]) to = put(put(to, (uint64_t)i, 4), (uint64_t)block->rest[i], 4), pairs++;
    put(how_many, pairs, 4);
    size_t length = (size_t)(to - body);
    put(put(j->record, length, 4), crc32c(body, length), 4);
    errno = ENOSPC;                           // what a short write means
    if (write(j->fd, j->record, HEAD + length) != (ssize_t)(HEAD + length)) return cli_fail(EXIT_IO, "%s: %s", j->own, strerror(errno));
    if (cli_wall() - j->synced < 1) return EXIT_OK;
    j->synced = cli_wall();
    return fsync(j->fd) == 0 ? EXIT_OK : cli_fail(EXIT_IO, "%s: %s", j->own, strerror(errno));
}
