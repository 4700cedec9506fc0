// signals.c -- a signal asks, the run answers at the next border of a step.
//
// The first SIGINT, SIGTERM, SIGHUP or SIGXCPU is remembered; the second does what the system does.
// A signal that was ignored when we started (nohup, a shell's background job) stays ignored.
// SIGPIPE is ignored, so that a write to a closed pipe is an error like any other, and so is
// SIGXFSZ: a file that reaches its largest size (ulimit -f) is a write that fails, which is told,
// and its temporary file goes.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#if defined(__wasi__)  // no signals there

void cli_catch_signals(void) {}
int cli_caught(void) { return 0; }
void cli_hold_streams(void) {}

#else

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void remember(int number) { caught = number; }

static void catch_one(int number) {
    struct sigaction now, wanted;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) return;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = remember;
    // no SA_RESTART: a read of stdin should end
    wanted.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&wanted.sa_mask);
    sigaction(number, &wanted, NULL);
}

void cli_catch_signals(void) {
    catch_one(SIGINT);
    catch_one(SIGTERM);
    catch_one(SIGHUP);
#if defined(SIGXCPU)
    catch_one(SIGXCPU);
#endif
#if defined(SIGXFSZ)
    signal(SIGXFSZ, SIG_IGN);
#endif
    signal(SIGPIPE, SIG_IGN);
}

// A stream that was closed when we started (>&-) must not be the number of the next file that is
// opened, or the summary would be written into a recording. Reading and writing it fail as before:
// stdin is for writing, the others for reading.
void cli_hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (held >= 0 && held != fd) {
            close(held);
        }
    }
}

int cli_caught(void) { return caught; }

#endif
