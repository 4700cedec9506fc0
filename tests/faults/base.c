// base.c -- faults under base/: every allocation and every call into the system fails in its turn.
//
// After each the answer is false with one message, nothing leaks, the old file is whole, no
// temporary file is left, and the same thing tried again works.
//
// SPDX-License-Identifier: MIT
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700  // mkdtemp
#endif
#include "test.h"

#include "base/base.h"
#include "faults/inject.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

// more than two buffers
enum { LONG_TEXT = 150000 };

static char folder[] = "/tmp/impel-faults-XXXXXX";
static char path[64], long_text[LONG_TEXT + 1];
static impError err;

static int make_folder(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/target", folder);
    for (int i = 0; i < LONG_TEXT; i++) {
        long_text[i] = (char)('a' + i % 26);
    }
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    remove(path);
    return rmdir(folder);
}

static void put(const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void target_holds(const char *text, const char *after) {
    static char now[LONG_TEXT + 100];
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail_msg("no target after %s", after);
    }
    now[fread(now, 1, sizeof now - 1, f)] = 0;
    fclose(f);
    if (strcmp(now, text) != 0) {
        fail_msg("target is \"%.20s...\" and not \"%.20s...\" after %s", now, text, after);
    }
}

static void only_the_target_is_there(const char *after) {
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) {
        bool known = e->d_name[0] == '.' || strcmp(e->d_name, "target") == 0;
        if (!known) {
            fail_msg("%s is left after %s", e->d_name, after);
        }
    }
    closedir(dir);
}

static int open_files(void) {
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

// --- Memory --------------------------------------------------------------------------------------

// Runs `act` with the k-th allocation failing, for all k, once and for ever. It returns what it
// would without faults.
typedef bool (*Act)(void);

static void every_allocation(Act act, const char *what) {
    for (int ever = 0; ever < 2; ever++) {
        int files = open_files();
        for (int k = 1;; k++) {
            err = (impError){ 0 };
            inject_start();
            if (ever) {
                inject_fail_from(FAULT_MEMORY, k, ENOMEM);
            } else {
                inject_fail(FAULT_MEMORY, k, ENOMEM);
            }
            bool well = act();
            inject_stop();
            if (inject_live() != 0) {
                fail_msg("%s leaks %d pieces after allocation %d", what, inject_live(), k);
            }
            assert_int_equal(open_files(), files);
            if (well != (inject_hits() == 0)) {
                fail_msg("%s returns %d after allocation %d", what, well, k);
            }
            if (well) break;
            assert_true(k < 1000);
        }
        // else nothing has been tested
        assert_true(inject_calls(FAULT_MEMORY) > 0);
    }
}

// no asserts while armed: they would leave it so
static bool told_once(impFault fault) { return err.count == 1 && err.fault == fault; }

static bool read_it(void) {
    char *data;
    size_t size;
    bool well = file_read(path, SIZE_MAX, &data, &size, &err);
    // which every_allocation will report
    if (!well && (data || !told_once(IMP_AT_LIMIT))) return true;
    free(data);
    return well;
}

static bool read_standard_input(void) {
    char *data;
    size_t size;
    rewind(stdin);
    if (freopen(path, "rb", stdin) == NULL) return false;
    bool well = file_read("-", SIZE_MAX, &data, &size, &err);
    if (!well && (data || !told_once(IMP_AT_LIMIT))) return true;
    free(data);
    return well;
}

static bool write_it(void) {
    Output *out = output_open(path, true, &err);
    if (out == NULL) return !told_once(IMP_AT_LIMIT);
    output_print(out, &err, "%s", long_text);
    output_print(out, &err, "end\n");
    bool well = output_commit(out, &err);
    return well ? well : !told_once(IMP_AT_LIMIT);
}

static bool fill_a_pool(void) {
    Pool pool = { 0 };
    double *list = NULL;
    int capacity = 0, count = 0;
    bool well = pool_text(&pool, "name") && pool_print(&pool, "%d of %s", 3, "many") &&
                POOL_TAKE(&pool, double, 9000);
    for (; well && count < 5000; count++) {
        well = POOL_GROW(&pool, list, capacity, count);
        if (well) {
            list[count] = count;
        }
    }
    for (int i = 0; well && i < count; i++) {
        well = list[i] == i;
    }
    pool_free(&pool);
    return well;
}

static void count_items(void *context, int first, int last, int worker) {
    (void)worker;
    atomic_fetch_add((atomic_int *)context, last - first);
}

// no memory means no pool, and the work is done all the same
static bool run_a_pool(void) {
    atomic_int items = 0;
    ThreadPool *thread_pool = thread_pool_new(3);
    thread_pool_run(thread_pool, 1000, 7, count_items, &items);
    bool hired = thread_pool != NULL;
    thread_pool_free(thread_pool);
    return atomic_load(&items) != 1000 ? !hired : hired;
}

static void memory(void **state) {
    (void)state;
    put(long_text);
    every_allocation(read_it, "file_read");
    freopen("/dev/null", "rb", stdin);
    every_allocation(read_standard_input, "file_read of stdin");
    every_allocation(fill_a_pool, "pool");
    every_allocation(run_a_pool, "pool");
    put("old");
    every_allocation(write_it, "output");
    only_the_target_is_there("running out of memory");
}

static void a_failed_print_leaves_the_old_file(void **state) {
    (void)state;
    put("old");
    inject_start();
    // 1: the output, 2: the long line
    inject_fail(FAULT_MEMORY, 2, ENOMEM);
    bool well = write_it();
    inject_stop();
    assert_false(well);
    assert_int_equal(inject_hits(), 1);
    target_holds("old", "no memory for a line");
}

// --- Files ---------------------------------------------------------------------------------------

static const char *const CALLS[FAULT_KINDS] = { "malloc", "open",  "read",   "write",
                                                "fsync",  "close", "rename", "thread" };

static bool write_in_pieces(void) {
    Output *out = output_open(path, true, &err);
    if (out == NULL) return false;
    for (int i = 0; i < LONG_TEXT; i += 10000) {
        output_write(out, long_text + i, 10000, &err);
    }
    return output_commit(out, &err);
}

// The folder is synced when the new file is in place: the only failure that leaves the new one.
static bool new_is_in_place(Fault call, int k) { return call == FAULT_FSYNC && k > 1; }

// Returns whether there was a k-th call.
static bool one_fault(Fault call, int k, int error, bool ever, size_t most) {
    char what[100];
    snprintf(what, sizeof what, "%s number %d%s: %s", CALLS[call], k, ever ? " and on" : "",
             strerror(error));
    put("old");
    err = (impError){ 0 };
    int files = open_files();
    inject_start();
    inject_short_writes(most);
    if (ever) {
        inject_fail_from(call, k, error);
    } else {
        inject_fail(call, k, error);
    }
    bool well = write_in_pieces();
    inject_stop();
    if (inject_live() != 0 || open_files() != files) {
        fail_msg("leak after %s", what);
    }
    only_the_target_is_there(what);
    // the folder: closed, or not to be listed
    bool harmless = inject_hits() == 0 || error == EINTR || (call == FAULT_CLOSE && k > 1) ||
                    (call == FAULT_OPEN && k > 1 && error == EACCES);
    if (well != harmless) {
        fail_msg("%s after %s", well ? "success" : "failure", what);
    }
    if (err.count != !well) {
        fail_msg("%d messages after %s", err.count, what);
    }
    if (!well) {
        assert_int_equal(err.fault, IMP_BAD_FILE);
    }
    target_holds(well || new_is_in_place(call, k) ? long_text : "old", what);
    return inject_hits() > 0;
}

static void every_call(Fault call, int error, size_t most) {
    int k = 1;
    while (one_fault(call, k, error, false, most)) {
        k++;
    }
    assert_true(k > 1);
    for (int i = 1; i < k && error != EINTR; i++) {
        one_fault(call, i, error, true, most);
    }
}

static void output_calls(void **state) {
    (void)state;
    const int open_errors[] = { EACCES, EMFILE, ENOSPC, EROFS };
    const int write_errors[] = { ENOSPC, EIO, EDQUOT, EINTR };
    for (int i = 0; i < COUNT(open_errors); i++) {
        every_call(FAULT_OPEN, open_errors[i], 0);
    }
    for (int i = 0; i < COUNT(write_errors); i++) {
        every_call(FAULT_WRITE, write_errors[i], 0);
    }
    every_call(FAULT_FSYNC, EIO, 0);
    every_call(FAULT_FSYNC, EINTR, 0);
    every_call(FAULT_CLOSE, EIO, 0);
    every_call(FAULT_CLOSE, EINTR, 0);
    every_call(FAULT_RENAME, EACCES, 0);
    every_call(FAULT_RENAME, EXDEV, 0);
}

static void short_writes(void **state) {
    (void)state;
    const size_t most[] = { 997, 4096, 65535 };
    for (int i = 0; i < COUNT(most); i++) {
        every_call(FAULT_WRITE, EINTR, most[i]);
        if (most[i] > 4000) {
            every_call(FAULT_WRITE, ENOSPC, most[i]);
        }
    }
}

// A new name: after a failure there is no file at all.
static void without_an_old_file(void **state) {
    (void)state;
    const Fault calls[] = { FAULT_OPEN, FAULT_WRITE, FAULT_FSYNC, FAULT_CLOSE, FAULT_RENAME };
    for (int i = 0; i < COUNT(calls); i++) {
        remove(path);
        err = (impError){ 0 };
        inject_start();
        inject_fail(calls[i], 1, EIO);
        Output *out = output_open(path, false, &err);
        bool well = out && output_write(out, "new", 3, &err) && output_commit(out, &err);
        inject_stop();
        assert_false(well);
        assert_int_equal(inject_hits(), 1);
        assert_int_equal(err.count, 1);
        assert_int_equal(access(path, F_OK), -1);
        only_the_target_is_there(CALLS[calls[i]]);
    }
}

static void the_message_names_call_and_reason(void **state) {
    (void)state;
    const char *what = "cannot sync; Input/output error; nothing under this name has changed";
    char text[700], expected[700];
    err = (impError){ 0 };
    put("old");
    inject_start();
    inject_fail(FAULT_FSYNC, 1, EIO);
    bool well = write_in_pieces();
    inject_stop();
    assert_false(well);
    impError_Print(&err, 0, text, sizeof text);
    snprintf(expected, sizeof expected, "%s: %s", path, what);
    SAME_TEXT(text, expected);
}

static void reading(void **state) {
    (void)state;
    put(long_text);
    const struct {
        Fault call;
        int error;
        bool well;
    } cases[] = {
        { FAULT_OPEN, EACCES, false },
        { FAULT_OPEN, EMFILE, false },
        { FAULT_READ, EIO, false },
        { FAULT_READ, EINTR, true },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        bool hit = true;
        for (int k = 1; hit; k++) {
            char *data;
            size_t size;
            err = (impError){ 0 };
            int files = open_files();
            inject_start();
            inject_short_writes(40000);
            inject_fail(cases[i].call, k, cases[i].error);
            bool well = file_read(path, SIZE_MAX, &data, &size, &err);
            bool right = well && size == LONG_TEXT && strcmp(data, long_text) == 0;
            free(data);
            inject_stop();
            hit = inject_hits() > 0;
            assert_int_equal(inject_live(), 0);
            assert_int_equal(open_files(), files);
            assert_int_equal(right, cases[i].well || !hit);
            assert_int_equal(err.count, !well);
            if (!well) {
                assert_int_equal(err.fault, IMP_BAD_FILE);
            }
        }
    }
}

// --- Threads -------------------------------------------------------------------------------------

static void the_system_has_no_more_threads(void **state) {
    (void)state;
    for (int k = 1; k <= 8; k++) {
        atomic_int items = 0;
        inject_start();
        inject_fail_from(FAULT_THREAD, k, EAGAIN);
        ThreadPool *thread_pool = thread_pool_new(8);
        int size = thread_pool_size(thread_pool);
        thread_pool_run(thread_pool, 1000, 7, count_items, &items);
        thread_pool_free(thread_pool);
        inject_stop();
        // k - 1 and the caller
        assert_int_equal(size, k);
        assert_int_equal(atomic_load(&items), 1000);
        assert_int_equal(inject_live(), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(a_failed_print_leaves_the_old_file),
        cmocka_unit_test(output_calls),
        cmocka_unit_test(short_writes),
        cmocka_unit_test(without_an_old_file),
        cmocka_unit_test(the_message_names_call_and_reason),
        cmocka_unit_test(reading),
        cmocka_unit_test(the_system_has_no_more_threads),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
