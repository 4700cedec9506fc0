// file.c -- files read whole, and written whole or not at all.
//
// Reading refuses what is no regular file, too large, or changes meanwhile. Writing follows the
// usual discipline of careful programs (SQLite's "atomic commit", Pillai et al., OSDI 2014): a
// temporary file beside the target, synced, closed, renamed, the folder synced. A crash at any
// point leaves the old file or the new one, never half of one.
//
// Devices, pipes and /dev/stdout cannot be renamed onto: they are written directly, and the caller
// keeps its stdio buffer of stdout empty meanwhile and decides about SIGPIPE. A symbolic link
// stays; the file behind it is replaced.
//
// Assumed: one Output per target in a process at a time (a second one makes the commit of the first
// fail, cleanly).
//
// SPDX-License-Identifier: MIT
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700  // realpath
#endif
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(PATH_MAX)
#define PATH_MAX 4096
#endif
#if !defined(O_CLOEXEC)
#define O_CLOEXEC 0
#endif
#if !defined(O_NOCTTY)
#define O_NOCTTY 0
#endif

// Linux moves less than 2 GiB in a call
enum { BUFFER = 1 << 16, AT_ONCE = 1 << 30 };

// --- Saying what the system said -----------------------------------------------------------------

static const char *system_text(int error, char *out, size_t size) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    // GNU's own returns the text, POSIX's fills out
    return strerror_r(error, out, size);
#else
    if (strerror_r(error, out, size) != 0) {
        snprintf(out, size, "error %d", error);
    }
    return out;
#endif
}

static bool fail_system(impError *err, const char *path, const char *what, int error,
                        const char *rule) {
    char text[128];
    return fail_as(err, IMP_BAD_FILE, (Where){ path, 0, 0 }, "%s; %s; %s", what,
                   system_text(error, text, sizeof text), rule);
}

static bool fail_file(impError *err, const char *path, const char *what, const char *got,
                      const char *rule) {
    return fail_as(err, IMP_BAD_FILE, (Where){ path, 0, 0 }, "%s; %s; %s", what, got, rule);
}

static const char *kind_of(mode_t mode) {
    if (S_ISREG(mode)) return "it is a file";
    if (S_ISDIR(mode)) return "it is a directory";
    if (S_ISFIFO(mode)) return "it is a pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
    return "it is a socket or something stranger";
}

// --- Reading -------------------------------------------------------------------------------------

typedef struct Source {
    int fd;
    const char *path;
    size_t limit;
    impError *err;
} Source;

static bool fail_read(const Source *from) {
    return fail_system(from->err, from->path, "cannot read", errno, "it must be a readable file");
}

// Reads until count bytes are there or the file ends.
static bool read_up_to(const Source *from, char *to, size_t count, size_t *got) {
    for (*got = 0; *got < count;) {
        size_t rest = count - *got;
        ssize_t n = read(from->fd, to + *got, rest < AT_ONCE ? rest : AT_ONCE);
        if (n == 0) return true;
        if (n < 0 && errno != EINTR) return fail_read(from);
        if (n > 0) {
            *got += (size_t)n;
        }
    }
    return true;
}

// Asks for one byte more than the file had when it was opened: the byte tells that it grew, and
// holds the zero if not.
static char *read_regular(const Source *from, size_t size) {
    char *data = malloc(size + 1);
    size_t got;
    if (data == NULL) {
        fail_memory(from->err);
    } else if (!read_up_to(from, data, size + 1, &got)) {
    } else if (got != size) {
        fail_as(from->err, IMP_BAD_FILE, (Where){ from->path, 0, 0 },
                "cannot read; it %s from %zu bytes meanwhile; it must not change while it is read",
                got > size ? "grew" : "shrank", size);
    } else {
        data[size] = 0;
        return data;
    }
    free(data);
    return NULL;
}

static bool open_regular(Source *from, size_t *size) {
    const char *rule = "it must be a readable file";
    // without O_NONBLOCK a pipe without a writer would block here
    from->fd = open(from->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (from->fd < 0) return fail_system(from->err, from->path, "cannot open", errno, rule);
    struct stat st;
    if (fstat(from->fd, &st) != 0) return fail_read(from);
    if (!S_ISREG(st.st_mode))
        return fail_file(from->err, from->path, "cannot read", kind_of(st.st_mode), rule);
    if (st.st_size < 0 || (uintmax_t)st.st_size > from->limit) {
        return fail_as(from->err, IMP_AT_LIMIT, (Where){ from->path, 0, 0 },
                       "too large; %jd bytes; it may have at most %zu", (intmax_t)st.st_size,
                       from->limit);
    }
    *size = (size_t)st.st_size;
    return true;
}

static bool grow_stream(const Source *from, char **data, size_t *room) {
    // one byte too many tells that there are too many
    size_t most = from->limit + 1;
    if (*room == most) {
        return fail_as(from->err, IMP_AT_LIMIT, (Where){ from->path, 0, 0 },
                       "too large; more than %zu bytes; it may have at most %zu", from->limit,
                       from->limit);
    }
    size_t next = *room == 0 ? BUFFER : *room > most / 2 ? most : 2 * *room;
    if (next > most) {
        next = most;
    }
    char *larger = realloc(*data, next);
    if (larger == NULL) return fail_memory(from->err);
    *data = larger;
    *room = next;
    return true;
}

// The loop ends with size < room, which leaves a byte for the zero.
static char *read_stream(const Source *from, size_t *size) {
    char *data = NULL;
    size_t room = 0;
    size_t got;
    *size = 0;
    do {
        bool well = grow_stream(from, &data, &room) &&
                    read_up_to(from, data + *size, room - *size, &got);
        if (!well) {
            free(data);
            return NULL;
        }
        *size += got;
    } while (*size == room);
    data[*size] = 0;
    return data;
}

bool file_read(const char *path, size_t limit, char **data, size_t *size, impError *err) {
    *data = NULL;
    *size = 0;
    if (path == NULL)
        return fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                       "cannot read; the path is NULL; it must be given");
    // room for a zero
    Source from = { 0, path, limit < SIZE_MAX - 1 ? limit : SIZE_MAX - 1, err };
    if (strcmp(path, "-") == 0) {
        *data = read_stream(&from, size);
    } else {
        if (open_regular(&from, size)) {
            *data = read_regular(&from, *size);
        }
        // nothing was written: its answer says nothing
        if (from.fd >= 0) {
            close(from.fd);
        }
    }
    if (*data == NULL) {
        *size = 0;
    }
    return *data != NULL;
}

// --- Writing -------------------------------------------------------------------------------------

struct Output {
    int fd;                 // -1: closed
    bool direct, borrowed;  // no temporary file; not ours to close
    bool force, told;       // told: err has heard of the trouble
    int trouble;            // errno of the first failure; all that follows fails too
    dev_t device;
    ino_t inode;                          // of the temporary file: another may have taken its name
    size_t used;                          // of buffer
    char *path, *target, *temp, *folder;  // as given; behind links; beside the target; around it
    char buffer[BUFFER];
    char names[];
};

typedef struct Target {
    bool direct, borrowed;
    mode_t mode;
    char path[PATH_MAX];
} Target;

static const char *const OUTPUT_RULE = "an output must be a new file, or a file and forced";

// Says it once: a caller that goes on writing into a failed output does not get a message for each
// try.
static bool broken(Output *out, const char *what, int error, impError *err) {
    if (out->trouble == 0) {
        out->trouble = error;
    }
    const char *rule = out->direct ? "it must take all that is written"
                                   : "nothing under this name has changed";
    if (!out->told) {
        fail_system(err, out->path, what, error, rule);
    }
    out->told = out->told || err != NULL;
    return false;
}

// Where path leads, in to->path when that is elsewhere.
static bool follow(const char *path, Target *to, impError *err) {
#if !defined(__wasi__)
    if (realpath(path, to->path)) return true;
    return fail_system(err, path, "cannot follow", errno, OUTPUT_RULE);
#else
    // wasi resolves links inside its sandbox and does not tell
    (void)path;
    (void)err;
    to->path[0] = 0;
    return true;
#endif
}

static bool inspect_absent(const char *path, int error, impError *err) {
    struct stat link;
    if (error != ENOENT) return fail_system(err, path, "cannot write", error, OUTPUT_RULE);
    if (lstat(path, &link) != 0) return true;
    return fail_file(err, path, "cannot write", "it is a link to nothing", OUTPUT_RULE);
}

static bool inspect(const char *path, bool force, Target *to, impError *err) {
    struct stat st;
    to->mode = 0666;
    to->path[0] = 0;
    // Opening /dev/stdout again would start at offset 0 of a redirected file: use what is open.
    to->direct = to->borrowed = strcmp(path, "/dev/stdout") == 0;
    if (to->direct) return true;
    if (stat(path, &st) != 0) return inspect_absent(path, errno, err);
    to->direct = S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode);
    if (to->direct) return true;
    if (!S_ISREG(st.st_mode))
        return fail_file(err, path, "cannot write", kind_of(st.st_mode), OUTPUT_RULE);
    if (!force) return fail_file(err, path, "cannot write", "it exists", OUTPUT_RULE);
    // a private file stays private
    to->mode = st.st_mode & 0777;
    return follow(path, to, err);
}

static long process(void) {
#if defined(__wasi__)
    // a sandbox has one
    return 0;
#else
    return (long)getpid();
#endif
}

static void name_folder(char *out, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(out, path, length);
    if (length == 0) {
        out[length++] = slash ? '/' : '.';
    }
    out[length] = 0;
}

static Output *new_output(const char *path, const Target *to, bool force) {
    const char *target = to->path[0] ? to->path : path;
    size_t n = strlen(path) + 1;
    size_t m = strlen(target) + 1;
    size_t temp_size = m + 32;
    Output *out = malloc(sizeof(Output) + n + m + temp_size + m + 1);
    if (out == NULL) return NULL;
    // not *out = (Output){...}: that would clear the buffer, too
    out->fd = -1;
    out->direct = to->direct;
    out->borrowed = to->borrowed;
    out->force = force;
    out->told = false;
    out->trouble = 0;
    out->device = 0;
    out->inode = 0;
    out->used = 0;
    out->path = memcpy(out->names, path, n);
    out->target = memcpy(out->path + n, target, m);
    out->temp = out->target + m;
    snprintf(out->temp, temp_size, "%s.tmp.%ld", target, process());
    out->folder = out->temp + temp_size;
    name_folder(out->folder, target);
    return out;
}

// A file of that name was left by a dead process that had our number: it goes.
static bool open_temp(Output *out, mode_t mode, impError *err) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    struct stat st;
    out->fd = open(out->temp, flags, mode);
    if (out->fd < 0 && errno == EEXIST && unlink(out->temp) == 0) {
        out->fd = open(out->temp, flags, mode);
    }
    if (out->fd < 0) return broken(out, "cannot create a temporary file beside it", errno, err);
    if (fstat(out->fd, &st) != 0) {
        broken(out, "cannot look at its temporary file", errno, err);
        unlink(out->temp);
        return false;
    }
    out->device = st.st_dev;
    out->inode = st.st_ino;
    return true;
}

static bool open_direct(Output *out, impError *err) {
    out->fd = out->borrowed ? STDOUT_FILENO : open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd >= 0 || broken(out, "cannot open", errno, err);
}

Output *output_open(const char *path, bool force, impError *err) {
    Target to;
    if (path == NULL) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                "cannot write; the path is NULL; it must be given");
        return NULL;
    }
    if (!inspect(path, force, &to, err)) return NULL;
    Output *out = new_output(path, &to, force);
    if (out == NULL) {
        fail_memory(err);
        return NULL;
    }
    if (to.direct ? open_direct(out, err) : open_temp(out, to.mode, err)) return out;
    output_abandon(out);
    return NULL;
}

static bool write_all(Output *out, const char *bytes, size_t count, impError *err) {
    while (count > 0) {
        ssize_t n = write(out->fd, bytes, count < AT_ONCE ? count : AT_ONCE);
        if (n < 0 && errno == EINTR) continue;
        // 0 would go on for ever
        if (n <= 0) return broken(out, "cannot write", n < 0 ? errno : EIO, err);
        bytes += n;
        count -= (size_t)n;
    }
    return true;
}

static bool flush(Output *out, impError *err) {
    if (out->trouble) return broken(out, "cannot write", out->trouble, err);
    size_t count = out->used;
    out->used = 0;
    return write_all(out, out->buffer, count, err);
}

bool output_write(Output *out, const char *bytes, size_t count, impError *err) {
    if (out->trouble || count > BUFFER - out->used) {
        if (!flush(out, err)) return false;
    }
    if (count >= BUFFER) return write_all(out, bytes, count, err);
    if (count > 0) {
        memcpy(out->buffer + out->used, bytes, count);
    }
    out->used += count;
    return true;
}

bool output_flush(Output *out, impError *err) { return flush(out, err); }

static bool print_anew(Output *out, impError *err, size_t length, const char *format,
                       va_list args) {
    if (!flush(out, err)) return false;
    out->used = length;
    vsnprintf(out->buffer, BUFFER, format, args);
    return true;
}

static bool print_long(Output *out, impError *err, size_t length, const char *format,
                       va_list args) {
    char *text = malloc(length + 1);
    if (text == NULL) {
        // what follows would follow a gap
        out->trouble = ENOMEM;
        out->told = out->told || err != NULL;
        return fail_memory(err);
    }
    vsnprintf(text, length + 1, format, args);
    bool well = output_write(out, text, length, err);
    free(text);
    return well;
}

// Most lines fit into what is left of the buffer, and are printed where they stay.
bool output_print(Output *out, impError *err, const char *format, ...) {
    va_list args, again;
    size_t room = BUFFER - out->used;
    if (out->trouble) return flush(out, err);
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(out->buffer + out->used, room, format, args);
    bool well = true;
    if (length < 0) {
        well = broken(out, "cannot print", EOVERFLOW, err);
    } else if ((size_t)length < room) {
        out->used += (size_t)length;
    } else if (length < BUFFER) {
        well = print_anew(out, err, (size_t)length, format, again);
    } else {
        well = print_long(out, err, (size_t)length, format, again);
    }
    va_end(again);
    va_end(args);
    return well;
}

static bool still_ours(const Output *out) {
    struct stat st;
    return lstat(out->temp, &st) == 0 && st.st_dev == out->device && st.st_ino == out->inode;
}

static int sync_fully(int fd) {
    int rc;
    do {
        rc = fsync(fd);
    } while (rc != 0 && errno == EINTR);
    return rc;
}

// Never twice: after an error the number may already be someone else's. Interrupted is closed, and
// was synced before.
static bool shut(Output *out, impError *err) {
    int fd = out->fd;
    out->fd = -1;
    if (out->borrowed || close(fd) == 0 || errno == EINTR) return true;
    return broken(out, "cannot close", errno, err);
}

// Before the rename, so that failing costs nothing. A folder one may write to but not list cannot
// be synced: -1.
static bool open_folder(Output *out, int *folder, impError *err) {
    *folder = -1;
#if !defined(__wasi__)
    *folder = open(out->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0 && errno != EACCES) return broken(out, "cannot open its folder", errno, err);
#else
    (void)out;
    (void)err;
#endif
    return true;
}

// The file is whole and in place by now; what may be lost in a power cut is its name. EINVAL: this
// file system has nothing to sync.
static bool sync_folder(Output *out, int folder, impError *err) {
    bool well = folder < 0 || sync_fully(folder) == 0 || errno == EINVAL;
    int error = errno;
    if (folder >= 0) {
        close(folder);
    }
    if (well) return true;
    return fail_system(err, out->path, "cannot sync its folder", error,
                       "the file is whole, but a crash may undo it");
}

static bool move_into_place(Output *out, impError *err) {
    struct stat st;
    int folder;
    if (!still_ours(out))
        return broken(out, "cannot find its temporary file, which someone took", ENOENT, err);
    // someone may have been faster since we looked
    if (!out->force && lstat(out->target, &st) == 0)
        return broken(out, "cannot write", EEXIST, err);
    if (!open_folder(out, &folder, err)) return false;
    if (rename(out->temp, out->target) != 0) {
        broken(out, "cannot rename its temporary file", errno, err);
        if (folder >= 0) {
            close(folder);
        }
        return false;
    }
    return sync_folder(out, folder, err);
}

// After a failed sync the system may have dropped the bytes and forgotten: no second try, the file
// is thrown away.
static bool publish(Output *out, impError *err) {
    if (sync_fully(out->fd) != 0) return broken(out, "cannot sync", errno, err);
    return shut(out, err) && move_into_place(out, err);
}

bool output_commit(Output *out, impError *err) {
    if (out == NULL) return false;
    bool well = flush(out, err) && (out->direct ? shut(out, err) : publish(out, err));
    // after a rename there is nothing left to remove
    output_abandon(out);
    return well;
}

void output_abandon(Output *out) {
    if (out == NULL) return;
    if (out->fd >= 0 && !out->borrowed) {
        close(out->fd);
    }
    if (!out->direct && still_ours(out)) {
        unlink(out->temp);
    }
    free(out);
}
