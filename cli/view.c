// view.c -- impel view: a page of whatever is named, in a temporary folder, and a browser that
// opens it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if !defined(__wasi__)
#include <sys/wait.h>
#endif

static const char *place(void) {
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] ? folder : "/tmp";
}

// A folder of its own, so that two pages of one scene do not overwrite each other. False: reported.
static bool temporary(const char *name, char *path, size_t size) {
#if defined(__wasi__)
    cli_fail(EXIT_LIMIT, "this build has no temporary folders; give run -o PAGE.html");
    return false;
#else
    int length = snprintf(path, size, "%s/impel-XXXXXX", place());
    if (length < 0 || (size_t)length + strlen(name) + 8 > size) {
        cli_fail(EXIT_IO, "%s: too long a name", name);
        return false;
    }
    if (!mkdtemp(path)) {
        cli_fail(EXIT_IO, "%s: no temporary folder could be made there", place());
        return false;
    }
    snprintf(path + length, size - (size_t)length, "/%s.html", name);
    return true;
#endif
}

// Of a page that could not be made.
static void remove_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash) return;
    *slash = 0;
    rmdir(path);
}

// The opener goes on by itself; what it prints is none of our results.
static bool start(const char *program, const char *path) {
#if defined(__wasi__)
    (void)program;
    (void)path;
    return false;
#else
    pid_t child = fork();
    if (child == 0) {
        // the grandchild is inherited by init, so that no zombie is left
        if (fork() > 0) {
            _exit(0);
        }
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
            _exit(127);
        }
        execlp(program, program, path, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
#endif
}

static bool on_path(const char *program) {
    const char *folders = getenv("PATH");
    char file[1024];
    while (folders && *folders) {
        int length = (int)strcspn(folders, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, folders, program);
        if (access(file, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static const char *browser(void) {
    const char *chosen = getenv("BROWSER");
    const char *x = getenv("DISPLAY");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    if (chosen && chosen[0]) return chosen;
#if defined(__APPLE__)
    return on_path("open") ? "open" : NULL;
#endif
    bool screen = (x && x[0]) || (wayland && wayland[0]);
    return screen && on_path("xdg-open") ? "xdg-open" : NULL;
}

static void show(const char *path) {
    const char *program = browser();
    printf("%s\n", path);
    // before the fork
    fflush(stdout);
    if (program && !start(program, path)) {
        cli_note("note", "no browser could be started; the page is where its name says");
    }
}

static int make_page(Cli *cli, const char *from, char *path, size_t size) {
    static char *both[2];
    char name[200];
    snprintf(name, sizeof name, "%s", strcmp(from, "-") ? cli_file_of(from) : "scene");
    char *dot = strrchr(name, '.');
    if (dot && dot > name) {
        *dot = 0;
    }
    // a file of another kind first: that holds with and without the templates of pages
    bool recording = cli_ends_with(from, ".rec");
    int refused = cli_refuse_kind(from, recording ? FILE_RECORDING : FILE_SCENE);
    if (refused) return refused;
    if (!cli_page_possible()) return EXIT_LIMIT;
    if (!temporary(name, path, size)) return EXIT_IO;
    both[0] = cli->opt.args[0];
    both[1] = path;
    cli->opt.quiet = true;
    if (!recording) {
        cli->opt.output = path;
    } else {
        cli->opt.args = both;
        cli->opt.arg_count = 2;
    }
    return recording ? cli_convert(cli) : cli_run(cli);
}

int cli_view(Cli *cli) {
    static char path[2048];
    if (cli->opt.arg_count != 1)
        return cli_usage(cli->opt.arg_count ? "one at a time" : "which scene or recording?");
    const char *from = cli->opt.args[0];
    if (cli_ends_with(from, ".html")) {
        if (access(from, R_OK) != 0) return cli_fail(EXIT_INPUT, "%s: cannot be read", from);
        show(from);
        return EXIT_OK;
    }
    int code = make_page(cli, from, path, sizeof path);
    // also of a run that was stopped: its page shows where
    if (path[0] && access(path, R_OK) == 0) {
        show(path);
    } else {
        remove_folder(path);
    }
    return code;
}
