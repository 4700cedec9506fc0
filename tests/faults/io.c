// io.c -- faults under the files of the library: traces and saved scenes, written whole or not at
// all (rows W and R7 of docs/reference/faults.md).
//
// Each call into the file system fails in its turn, with each of its usual reasons; the process
// dies at each of them; names are strange. Each time: an error that says so in one line, the old
// file as it was, no temporary file left (but by the dead), no descriptor lost.
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/impel-faults-XXXXXX";
static char trace_path[64], scene_path[64], recording_path[64];
static impError err;
static impScene *scene;
static impModel *model;
static impState *world;

static const char *const CUBES =
    "{ \"impel\": 1, \"bodies\": [ { \"name\": \"cube\", \"shape\": { \"box\": { \"size\": [1, 1, "
    "1] } },"
    " \"repeat\": { \"grid\": [6, 6, 6], \"step\": [2, 2, 2], \"orientation\": \"random\" } } ] }";

static int make_world(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(trace_path, sizeof trace_path, "%s/target.csv", folder);
    snprintf(scene_path, sizeof scene_path, "%s/target.json", folder);
    snprintf(recording_path, sizeof recording_path, "%s/target.rec", folder);
    scene = impScene_Parse(CUBES, strlen(CUBES), "cubes.json", NULL, &err);
    model = impModel_Build(scene, &err);
    world = impState_New(model);
    return world ? 0 : -1;
}

static int remove_world(void **state) {
    (void)state;
    impState_Free(world);
    impModel_Free(model);
    impScene_Free(scene);
    remove(trace_path);
    remove(scene_path);
    remove(recording_path);
    // fails if anything else is in it
    return rmdir(folder);
}

// --- Looking -------------------------------------------------------------------------------------
static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static bool holds(const char *path, const char *text) {
    char now[100] = "";
    FILE *f = fopen(path, "rb");
    if (f == NULL) return false;
    now[fread(now, 1, sizeof now - 1, f)] = 0;
    fclose(f);
    return strncmp(now, text, strlen(text)) == 0;
}

// files in the folder that are no targets
static int strangers(void) {
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        count += e->d_name[0] != '.' && strcmp(e->d_name, "target.csv") &&
                 strcmp(e->d_name, "target.json") && strcmp(e->d_name, "target.rec");
    }
    closedir(dir);
    return count;
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

// --- The writers ---------------------------------------------------------------------------------
// No asserts in them: they would leave the faults armed. The first error is kept, as a caller
// would.
typedef bool (*Write)(const char *path);

static bool write_trace(const char *path) {
    impTrace *trace = impTrace_Open(model, path, true, &err);
    if (!trace) return false;
    // more than one buffer
    for (int i = 0; i < 3; i++) {
        if (impTrace_Add(trace, world, &err)) continue;
        impTrace_Abandon(trace);
        return false;
    }
    return impTrace_Close(trace, &err);
}

static bool save_scene(const char *path) { return impScene_Save(scene, path, &err); }

static bool record(const char *path) {
    impFrame frame = { .hash = impState_Hash(model, world) };
    impRunInfo run = {
        .name = "cubes.json", .text = CUBES, .method = "flight", .dt = 0.01, .end = 1, .seed = 1
    };
    impRecorder *recorder = impRecorder_Open(scene, model, &run, path, true, &err);
    if (!recorder) return false;
    for (int i = 0; i < 3; i++) {
        if (impRecorder_Add(recorder, world, &frame, &err)) continue;
        impRecorder_Abandon(recorder);
        return false;
    }
    return impRecorder_Close(recorder, NULL, &err);
}

static const struct {
    Write write;
    char *path;
    const char *starts, *name;
} WRITERS[] = {
    { write_trace, trace_path, "t,body,x,y,z,", "trace" },
    { save_scene, scene_path, "{ \"impel\": 1", "scene" },
    { record, recording_path, "IMPELREC", "recording" },
};

// --- W1, W3: every call fails --------------------------------------------------------------------
static const char *const CALLS[FAULT_KINDS] = { "malloc", "open",  "read",   "write",
                                                "fsync",  "close", "rename", "thread" };

// The folder is opened, synced and closed around the rename. Not being allowed to list it is no
// fault, nor is closing it; when it cannot be synced the new file is already in place.
static bool harmless(Fault call, int k, int error) {
    return error == EINTR || (call == FAULT_CLOSE && k > 1) ||
           (call == FAULT_OPEN && k > 1 && error == EACCES);
}
static bool in_place(Fault call, int k) { return call == FAULT_FSYNC && k > 1; }

static bool one_fault(int writer, Fault call, int k, int error, size_t most) {
    const char *path = WRITERS[writer].path;
    const char *starts = WRITERS[writer].starts;
    char what[120];
    snprintf(what, sizeof what, "%s, %s number %d: %s", WRITERS[writer].name, CALLS[call], k,
             strerror(error));
    put(path, "old");
    int files = open_files();
    inject_start();
    inject_short_writes(most);
    inject_fail(call, k, error);
    bool well = WRITERS[writer].write(path);
    inject_stop();
    bool hit = inject_hits() > 0;
    if (inject_live() != 0 || open_files() != files) {
        fail_msg("leak after %s", what);
    }
    if (strangers() != 0) {
        fail_msg("a temporary file is left after %s", what);
    }
    if (well != (!hit || harmless(call, k, error))) {
        fail_msg("%s after %s", well ? "success" : "failure", what);
    }
    if (!well && (err.count != 1 || err.fault != IMP_BAD_FILE)) {
        fail_msg("fault %d, %d messages after %s", err.fault, err.count, what);
    }
    if (!well && !strstr(err.message[0].text, strerror(error))) {
        fail_msg("\"%s\" after %s", err.message[0].text, what);
    }
    if (!well && strcmp(err.message[0].file, path) != 0) {
        fail_msg("the message names \"%s\" after %s", err.message[0].file, what);
    }
    if (!holds(path, well || in_place(call, k) ? starts : "old")) {
        fail_msg("the wrong file is there after %s", what);
    }
    return hit;
}

static void every_call(Fault call, int error, size_t most) {
    for (int writer = 0; writer < COUNT(WRITERS); writer++) {
        int k = 1;
        while (one_fault(writer, call, k, error, most)) {
            k++;
        }
        if (k == 1) {
            fail_msg("%s never calls %s", WRITERS[writer].name, CALLS[call]);
        }
    }
}

static void w1_disk_full_at_any_write(void **state) {
    (void)state;
    every_call(FAULT_WRITE, ENOSPC, 0);
    every_call(FAULT_WRITE, EDQUOT, 0);
    every_call(FAULT_FSYNC, ENOSPC, 0);
    every_call(FAULT_CLOSE, ENOSPC, 0);
    every_call(FAULT_OPEN, ENOSPC, 0);
}

static void w3_errors_of_every_call(void **state) {
    (void)state;
    every_call(FAULT_WRITE, EIO, 0);
    every_call(FAULT_FSYNC, EIO, 0);
    every_call(FAULT_CLOSE, EIO, 0);
    every_call(FAULT_OPEN, EACCES, 0);
    every_call(FAULT_OPEN, EROFS, 0);
    every_call(FAULT_RENAME, EACCES, 0);
    every_call(FAULT_RENAME, EXDEV, 0);
}

static void w3_interrupted_and_short_writes_go_on(void **state) {
    (void)state;
    every_call(FAULT_WRITE, EINTR, 0);
    every_call(FAULT_FSYNC, EINTR, 0);
    every_call(FAULT_CLOSE, EINTR, 0);
    every_call(FAULT_WRITE, EINTR, 5000);
    every_call(FAULT_WRITE, ENOSPC, 5000);
}

// After a failed fsync the system may have dropped the pages: a second fsync would lie. There is
// none.
static void w3_a_failed_sync_is_not_tried_again(void **state) {
    (void)state;
    for (int writer = 0; writer < COUNT(WRITERS); writer++) {
        one_fault(writer, FAULT_FSYNC, 1, EIO, 0);
        assert_int_equal(inject_calls(FAULT_FSYNC), 1);
        assert_int_equal(inject_calls(FAULT_RENAME), 0);
    }
}

// --- R1: no memory -------------------------------------------------------------------------------
static bool read_recording(const char *path) {
    impRecording *r = impRecording_Open(path, &err);
    if (!r) return false;
    impState *state = impState_New(impRecording_Model(r));
    impFrame frame;
    int more = state ? 1 : -1;
    if (!state) {
        err.fault = IMP_AT_LIMIT;
    }
    while (more == 1) {
        more = impRecording_Next(r, state, &frame, &err);
    }
    impState_Free(state);
    impRecording_Free(r);
    return more == 0;
}

static void r1_recordings_without_memory(void **state) {
    (void)state;
    const Write both[] = { record, read_recording };
    for (int i = 0; i < 2; i++) {
        bool hit = true;
        for (int k = 1; hit; k++) {
            if (i == 1) {
                assert_true(record(recording_path));
            }
            inject_start();
            inject_fail(FAULT_MEMORY, k, ENOMEM);
            bool well = both[i](recording_path);
            inject_stop();
            hit = inject_hits() > 0;
            if (well != !hit) {
                fail_msg("%s, malloc number %d: %s", i ? "reading" : "writing", k,
                         well ? "success" : "failure");
            }
            if (hit && err.fault != IMP_AT_LIMIT) {
                fail_msg("malloc number %d: fault %d", k, err.fault);
            }
            if (inject_live() != 0 || strangers() != 0) {
                fail_msg("something is left after malloc number %d", k);
            }
        }
    }
}

// --- W2: killed ----------------------------------------------------------------------------------
// Returns false when the child lived to the end: there was no k-th call.
static bool one_death(int writer, Fault call, int k) {
    int status = -1;
    put(WRITERS[writer].path, "old");
    pid_t child = fork();
    if (child == 0) {
        inject_start();
        inject_fail(call, k, FAULT_DEATH);
        WRITERS[writer].write(WRITERS[writer].path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    char temp[100];
    snprintf(temp, sizeof temp, "%s.tmp.%ld", WRITERS[writer].path, (long)child);
    remove(temp);
    if (strangers() != 0) {
        fail_msg("%s leaves more than its temporary file, dead at %s %d", WRITERS[writer].name,
                 CALLS[call], k);
    }
    bool renamed = call == FAULT_FSYNC && k > 1;
    bool right = WEXITSTATUS(status) == 0 || renamed
                     ? holds(WRITERS[writer].path, WRITERS[writer].starts)
                     : holds(WRITERS[writer].path, "old") || call == FAULT_CLOSE;
    if (!right) {
        fail_msg("%s is neither old nor new, dead at %s %d", WRITERS[writer].name, CALLS[call], k);
    }
    return WEXITSTATUS(status) == 99;
}

static void w2_killed_at_any_call_leaves_the_old_file_or_the_new(void **state) {
    (void)state;
    const Fault calls[] = { FAULT_OPEN, FAULT_WRITE, FAULT_FSYNC, FAULT_CLOSE, FAULT_RENAME };
    for (int writer = 0; writer < COUNT(WRITERS); writer++) {
        for (int i = 0; i < COUNT(calls); i++) {
            int k = 1;
            while (one_death(writer, calls[i], k)) {
                k++;
            }
            assert_true(k > 1);
        }
    }
}

// --- W4, W6: someone else's files ----------------------------------------------------------------
static void told(const char *path, const char *text) {
    char line[700], expected[700];
    impError_Print(&err, 0, line, sizeof line);
    snprintf(expected, sizeof expected, "%s: %s", path, text);
    SAME_TEXT(line, expected);
    assert_int_equal(err.fault, IMP_BAD_FILE);
}

static void w4_an_output_that_exists_is_refused_unless_forced(void **state) {
    (void)state;
    char dir[80];
    put(trace_path, "old");
    assert_null(impTrace_Open(model, trace_path, false, &err));
    told(trace_path, "cannot write; it exists; an output must be a new file, or a file and forced");
    assert_true(holds(trace_path, "old"));
    // forced
    assert_true(write_trace(trace_path));
    assert_true(holds(trace_path, "t,body"));
    snprintf(dir, sizeof dir, "%s/dir.csv", folder);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_null(impTrace_Open(model, dir, true, &err));
    told(dir,
         "cannot write; it is a directory; an output must be a new file, or a file and forced");
    assert_false(impScene_Save(scene, dir, &err));
    told(dir,
         "cannot write; it is a directory; an output must be a new file, or a file and forced");
    rmdir(dir);
}

// Read whole before anything is written, and replaced in one go: saving a scene over its own file
// is safe.
static void w4_a_scene_is_saved_over_the_file_it_came_from(void **state) {
    (void)state;
    put(scene_path, CUBES);
    impScene *own = impScene_Load(scene_path, NULL, &err);
    assert_non_null(own);
    assert_true(impScene_Save(own, scene_path, &err));
    impScene_Free(own);
    own = impScene_Load(scene_path, NULL, &err);
    impModel *again = impModel_Build(own, &err);
    assert_non_null(again);
    impState *state_again = impState_New(again);
    assert_true(impState_Hash(again, state_again) == impState_Hash(model, world));
    impState_Free(state_again);
    impModel_Free(again);
    impScene_Free(own);
}

static void w6_a_stale_temporary_file_is_cleared(void **state) {
    (void)state;
    char temp[100];
    for (int writer = 0; writer < COUNT(WRITERS); writer++) {
        snprintf(temp, sizeof temp, "%s.tmp.%ld", WRITERS[writer].path, (long)getpid());
        put(temp, "left by a dead process that had our number");
        assert_true(WRITERS[writer].write(WRITERS[writer].path));
        assert_true(holds(WRITERS[writer].path, WRITERS[writer].starts));
        assert_int_equal(strangers(), 0);
    }
}

// Two traces of one process under one name: the first to close fails, the file is the other's, and
// whole.
static void w6_two_traces_under_one_name(void **state) {
    (void)state;
    remove(trace_path);
    impTrace *first = impTrace_Open(model, trace_path, true, &err);
    impTrace *second = impTrace_Open(model, trace_path, true, &err);
    assert_non_null(first);
    assert_non_null(second);
    assert_true(impTrace_Add(second, world, &err));
    assert_false(impTrace_Close(first, &err));
    assert_int_equal(err.fault, IMP_BAD_FILE);
    assert_true(impTrace_Close(second, &err));
    assert_true(holds(trace_path, "t,body"));
    assert_int_equal(strangers(), 0);
}

// --- W7: names -----------------------------------------------------------------------------------
static void w7_names_in_any_script(void **state) {
    (void)state;
    // the last is not UTF-8
    const char *const names[] = { "\xd0\xbc\xd1\x8f\xd1\x87.csv", "\xe7\x90\x83.csv", "a b'c\".csv",
                                  "caf\xe9.csv" };
    for (int i = 0; i < COUNT(names); i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_true(write_trace(path));
        assert_true(holds(path, "t,body"));
        assert_int_equal(remove(path), 0);
    }
}

static void w7_a_name_too_long_is_an_error(void **state) {
    (void)state;
    static char path[5000];
    const size_t lengths[] = { 300, 4200 };
    for (int i = 0; i < COUNT(lengths); i++) {
        size_t at = (size_t)snprintf(path, sizeof path, "%s/", folder);
        memset(path + at, 'x', lengths[i]);
        strcpy(path + at + lengths[i], ".csv");
        assert_false(write_trace(path));
        assert_int_equal(err.fault, IMP_BAD_FILE);
        assert_non_null(strstr(err.message[0].text, strerror(ENAMETOOLONG)));
        assert_null(impScene_Load(path, NULL, &err));
        assert_int_equal(err.fault, IMP_BAD_FILE);
    }
    assert_int_equal(strangers(), 0);
}

static void w7_a_message_is_one_line_whatever_the_name(void **state) {
    (void)state;
    char path[100], line[700];
    snprintf(path, sizeof path, "%s/no\nsuch\tplace\x1b[31m/x.csv", folder);
    assert_false(write_trace(path));
    assert_int_equal(err.fault, IMP_BAD_FILE);
    impError_Print(&err, 0, line, sizeof line);
    for (const char *c = line; *c; c++) {
        assert_true((unsigned char)*c >= 0x20);
    }
    assert_non_null(
        strstr(line, "/no?such?place?[31m/x.csv: cannot create a temporary file beside it; "));
}

// --- R7: nothing to work with --------------------------------------------------------------------
static void r7_no_descriptor_is_left(void **state) {
    (void)state;
    struct rlimit old, none;
    put(scene_path, CUBES);
    put(trace_path, "old");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    // standard input, output, error
    none = old;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    impScene *loaded = impScene_Load(scene_path, NULL, &err);
    impError at_load = err;
    bool traced = write_trace(trace_path);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_null(loaded);
    assert_false(traced);
    told(trace_path, "cannot create a temporary file beside it; Too many open files; nothing under "
                     "this name has changed");
    assert_true(holds(trace_path, "old"));
    err = at_load;
    told(scene_path, "cannot open; Too many open files; it must be a readable file");
}

// Reading: a scene or its mesh that cannot be read is an error that names the file.
static void r7_a_file_that_cannot_be_read(void **state) {
    (void)state;
    const struct {
        Fault call;
        int error;
    } cases[] = { { FAULT_OPEN, EMFILE }, { FAULT_OPEN, EACCES }, { FAULT_READ, EIO } };
    for (int i = 0; i < COUNT(cases); i++) {
        bool hit = true;
        for (int k = 1; hit; k++) {
            int files = open_files();
            inject_start();
            inject_fail(cases[i].call, k, cases[i].error);
            impScene *loaded = impScene_Load(IMPEL_SOURCE "/scenes/shape_zoo.json", NULL, &err);
            bool well = loaded != NULL;
            impScene_Free(loaded);
            inject_stop();
            hit = inject_hits() > 0;
            assert_int_equal(inject_live(), 0);
            assert_int_equal(open_files(), files);
            assert_int_equal(well, !hit);
            // the scene names a bad mesh
            impFault fault = inject_calls(FAULT_OPEN) > 1 ? IMP_BAD_INPUT : IMP_BAD_FILE;
            if (!well && err.fault != fault) {
                fail_msg("%s %d: fault %d", CALLS[cases[i].call], k, err.fault);
            }
            if (!well) {
                assert_non_null(strstr(err.message[0].text, strerror(cases[i].error)));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w1_disk_full_at_any_write),
        cmocka_unit_test(w3_errors_of_every_call),
        cmocka_unit_test(w3_interrupted_and_short_writes_go_on),
        cmocka_unit_test(w3_a_failed_sync_is_not_tried_again),
        cmocka_unit_test(r1_recordings_without_memory),
        cmocka_unit_test(w2_killed_at_any_call_leaves_the_old_file_or_the_new),
        cmocka_unit_test(w4_an_output_that_exists_is_refused_unless_forced),
        cmocka_unit_test(w4_a_scene_is_saved_over_the_file_it_came_from),
        cmocka_unit_test(w6_a_stale_temporary_file_is_cleared),
        cmocka_unit_test(w6_two_traces_under_one_name),
        cmocka_unit_test(w7_names_in_any_script),
        cmocka_unit_test(w7_a_name_too_long_is_an_error),
        cmocka_unit_test(w7_a_message_is_one_line_whatever_the_name),
        cmocka_unit_test(r7_no_descriptor_is_left),
        cmocka_unit_test(r7_a_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
