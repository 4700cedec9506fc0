// signals.c -- a signal asks, the run answers at the next border of a step.
//
// The first SIGINT, SIGTERM, SIGHUP or SIGXCPU is remembered; the second does what the system does. A signal that was
// ignored when we started (nohup, a shell's background job) stays ignored. SIGPIPE is ignored, so that a write to a
// closed pipe is an error like any other.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#if defined(__wasi__)                         // no signals there

void cli_catch_signals(void) {}
int  cli_caught(void) { return 0; }

#else

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t caught;

static void remember(int number) { caught = number; }

static void catch_one(int number) {
    struct sigaction now, wanted;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) return;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = remember;
    wanted.sa_flags = (int)SA_RESETHAND;      // no SA_RESTART: a read of stdin should end
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
    signal(SIGPIPE, SIG_IGN);
}

int cli_caught(void) { return caught; }

#endif
