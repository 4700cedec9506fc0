// inject.h -- makes the k-th call of a system function fail, and counts what is not given back.
//
// SQLite's way of testing: every allocation and every call into the file system fails once in some
// test. The linker puts these functions in place of the real ones in all objects of the program
// (the C library and cmocka, being shared libraries, keep theirs). A program links faults/inject.c
// and, all of them in any case:
//
//   -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=open,--wrap=read,--wrap=write,--wrap=fsync
//   -Wl,--wrap=close,--wrap=rename,--wrap=pthread_create
//
//     for (int k = 1;; k++) {
//         inject_start();
//         inject_fail(FAULT_MEMORY, k, ENOMEM);
//         ... call, look at the answer, free what it gave ...
//         inject_stop();
//         assert_int_equal(inject_live(), 0);
//         if (inject_hits() == 0) break;            // there was no k-th call: every one has failed
//         in its turn
//     }
//
// Assumed: compiled without _FILE_OFFSET_BITS=64, which renames open. Safe with threads; one test
// at a time.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum Fault {
    FAULT_MEMORY,  // malloc, calloc, realloc
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_FSYNC,
    FAULT_CLOSE,  // closes, and says that it failed, as Linux does
    FAULT_RENAME,
    FAULT_THREAD,  // pthread_create: error is what it returns
    FAULT_KINDS
} Fault;

// as an error: the process ends there, as if killed
enum { FAULT_DEATH = -1 };

// from now on calls are counted, from zero; none fails
void inject_start(void);
// the k-th call, from 1, fails once with errno = error
void inject_fail(Fault call, int k, int error);
void inject_fail_from(Fault call, int k, int error);  // the k-th call and all that follow
// no write takes, no read gives more bytes; 0: as it likes
void inject_short_writes(size_t most);
// all works again; the counts stay to be read
void inject_stop(void);
int inject_calls(Fault call);  // since inject_start
int inject_hits(void);         // calls that were made to fail
// pieces taken between start and stop, not freed until now
int inject_live(void);
