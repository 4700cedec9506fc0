// outfile.c -- a file that appears under its name only when whole: written beside it, synced,
// renamed.
//
// For what the command line writes itself; traces are written by the library in the same way.
// fprintf and fclose may hide a full disk until the last moment [docs/reference/faults.md, row W1],
// so everything is checked before the rename.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const char *path, const char *what) {
    cli_fail(EXIT_IO, "%s: %s", path, what);
    return false;
}

bool cli_may_write(const char *path, bool force) {
    struct stat there;
    // a link is not followed: the rename would replace it
    if (lstat(path, &there) != 0) return true;
    if (S_ISDIR(there.st_mode)) return complain(path, "is a directory");
    if (!S_ISREG(there.st_mode))
        return complain(path, "is no regular file; a rename would destroy it");
    if (!force) return complain(path, "exists already; --force replaces it");
    return true;
}

bool cli_out_open(OutFile *out, const char *path, bool force) {
    *out = (OutFile){ .path = path };
    if (!cli_may_write(path, force)) return false;
    size_t size = strlen(path) + 32;
    out->temporary = malloc(size);
    if (!out->temporary) return complain(path, "out of memory");
#if defined(__wasi__)
    snprintf(out->temporary, size, "%s.tmp", path);
#else
    snprintf(out->temporary, size, "%s.tmp.%ld", path, (long)getpid());
#endif
    int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    out->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (out->file) return true;
    complain(path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(out->temporary);
    }
    free(out->temporary);
    out->temporary = NULL;
    return false;
}

bool cli_out_possible(const char *path, bool force) {
    OutFile out;
    bool good = cli_out_open(&out, path, force);
    if (good) {
        cli_out_abandon(&out);
    }
    return good;
}

// What stdio noticed long ago it no longer knows the reason of: a disk that is full refuses one
// byte more, too. The file is thrown away, whatever is in it.
static int reason(FILE *file) {
    errno = 0;
    if (write(fileno(file), "", 1) == 1 || errno == 0) return EIO;
    return errno;
}

int cli_write_fault(FILE *file, const char *path) {
    return cli_fail(EXIT_IO, "%s: %s", path, strerror(reason(file)));
}

bool cli_out_commit(OutFile *out) {
    bool broken = ferror(out->file) != 0;
    int why = broken ? reason(out->file) : 0;
    bool good = !broken && fflush(out->file) == 0 && fsync(fileno(out->file)) == 0;
    if (!good && !broken) {
        why = errno;
    }
    if (fclose(out->file) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(out->temporary, out->path) != 0) {
        good = false;
        why = errno;
    }
    if (!good) {
        unlink(out->temporary);
        complain(out->path, strerror(why));
    }
    free(out->temporary);
    *out = (OutFile){ 0 };
    return good;
}

void cli_out_abandon(OutFile *out) {
    if (!out->file) return;
    fclose(out->file);
    unlink(out->temporary);
    free(out->temporary);
    *out = (OutFile){ 0 };
}

bool cli_same_file(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}
