// poses_folder.c -- the folder of --journal: its manifest.json says of what drops the blocks are
// that lie beside it.
//
// The library keeps the blocks, and refuses those of another test. The manifest lets this program
// say on what two tests differ, and lets merge and verify report without the part.
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

int cli_journal_fault(const impError *err) {
    return err->fault == IMP_BAD_FILE ? cli_output_fault(err) : cli_input_fault(err);
}

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

static int compare_manifest(const char *path, const PosesResult *head) {
    JsonTree there;
    JsonTree here = { 0 };
    char why[200];
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return cli_fail(EXIT_LIMIT, "out of memory");
    bool written = cli_poses_manifest(head, memory);
    if (fclose(memory) != 0 || !written) {
        free(text);
        return cli_fail(EXIT_LIMIT, "out of memory");
    }
    int code = EXIT_OK;
    if (!cli_manifest_read(&there, path, (size_t)1 << 30, why, sizeof why)) {
        code = cli_fail(EXIT_DAMAGED, "%s: %s", path, why);
    } else if (!cli_json_parse(&here, text, size, why, sizeof why)) {
        code = cli_fail(EXIT_BUG, "%s: %s", path, why);
    } else if (!cli_poses_belong(&there, path, &here, "this run")) {
        code = EXIT_INPUT;
    }
    cli_json_free(&there);
    cli_json_free(&here);
    free(text);
    return code;
}

static bool is_journal(const char *name) {
    size_t digits = strncmp(name, "journal.", 8) == 0 ? strspn(name + 8, "0123456789") : 0;
    return digits > 0 && strcmp(name + 8 + digits, ".bin") == 0;
}

// Blocks without a manifest may be of any run. Whoever makes a folder writes the manifest before a
// journal, so that one who sees a journal and then no manifest is not just early.
static bool orphaned(const char *folder, const char *manifest) {
    struct stat there;
    bool any = false;
    DIR *open = opendir(folder);
    for (struct dirent *one; open && !any && (one = readdir(open));) {
        any = is_journal(one->d_name);
    }
    if (open) {
        closedir(open);
    }
    return any && stat(manifest, &there) != 0;
}

static bool write_manifest(const char *folder, const char *path, const PosesResult *head) {
    OutFile out;
    if (!cli_out_open(&out, path, false)) return false;
    if (!cli_poses_manifest(head, out.file)) {
        int why = errno;
        cli_out_abandon(&out);
        cli_fail(EXIT_IO, "%s: %s", path, strerror(why));
        return false;
    }
    return cli_out_commit(&out) && sync_folder(folder);
}

int cli_poses_folder(const char *folder, const PosesResult *head, bool resume) {
    char path[600];
    struct stat there;
    if (snprintf(path, sizeof path, "%s/manifest.json", folder) >= (int)sizeof path - 20)
        return cli_fail(EXIT_IO, "%s: too long a name", folder);
    bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST) return cli_fail(EXIT_IO, "%s: %s", folder, strerror(errno));
    if (!made && !resume)
        return cli_fail(EXIT_IO, "%s: exists already; --resume goes on with it", folder);
    if (!made && (stat(folder, &there) != 0 || !S_ISDIR(there.st_mode)))
        return cli_fail(EXIT_IO, "%s: is no folder", folder);
    if (!made && stat(path, &there) == 0) return compare_manifest(path, head);
    if (!made && orphaned(folder, path))
        return cli_fail(EXIT_DAMAGED, "%s: has journals, but no manifest.json that says of what",
                        folder);
    if (write_manifest(folder, path, head)) return EXIT_OK;
    // empty, it would only stand in the way of the next try
    if (made) {
        rmdir(folder);
    }
    return EXIT_IO;
}
