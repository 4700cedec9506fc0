// model.c -- faults under a whole run: no memory, no threads, little stack, many bodies (rows R of
// docs/reference/faults.md).
//
// A run is: load, save, build, make a stepper and a state, three steps, a trace. Each allocation in
// it fails in its turn, once and for ever. Each time the answer is an error that says so, or
// success; nothing leaks; and the same run tried again ends in the same bits. Allocations of qhull,
// inside its own library, are not reached.
//
// SPDX-License-Identifier: MIT
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700  // mkdtemp
#endif
#include "test.h"

#include "base/base.h"
#include "faults/inject.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static char folder[] = "/tmp/impel-faults-XXXXXX";
static char scene_path[64], mesh_path[64], trace_path[64], saved_path[64];
static impError err;

static const char *const MESHES =
    "{ \"impel\": 1, \"about\": \"a\", \"source\": \"b\", \"materials\": { \"m\": { \"density\": "
    "900 } }, \"bodies\": ["
    " { \"name\": \"part\", \"material\": \"m\", \"shape\": { \"mesh\": { \"file\": \"part.stl\", "
    "\"scale\": 0.001, "
    "\"as\": \"hull\" } } },"
    " { \"name\": \"wall\", \"fixed\": true, \"shape\": { \"mesh\": { \"file\": \"part.stl\" } } },"
    " { \"name\": \"stone\", \"shape\": { \"hull\": { \"points\": "
    "[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1],[0.2,0.2,0.2]] } } },"
    " { \"name\": \"both\", \"shape\": [ { \"box\": { \"size\": [1, 1, 1] } }, { \"sphere\": { "
    "\"radius\": 1 } } ] } ] "
    "}";
static const char *const CUBES =  // names so long that they need memory of their own
    "{ \"impel\": 1, \"bodies\": [ { \"name\": \"a cube whose name is one of those that somebody "
    "thought out too "
    "well\","
    " \"shape\": { \"box\": { \"size\": [1, 1, 1] } }, \"angular_velocity\": [1, 2, 3],"
    " \"repeat\": { \"grid\": [6, 6, 6], \"step\": [2, 2, 2], \"orientation\": \"random\" } } ] }";
static const char *const JOINTS =
    "{ \"impel\": 1, \"materials\": { \"a\": { \"friction\": 1 }, \"b\": {} }, \"pairs\": [ { "
    "\"between\": [\"a\", "
    "\"b\"] } ], \"bodies\": ["
    " { \"name\": \"x\", \"shape\": { \"box\": { \"size\": [1, 1, 1] } }, \"orientation\": [2, 0, "
    "0, 0] },"
    " { \"name\": \"y\", \"shape\": { \"box\": { \"size\": [1, 1, 1] } } } ], \"joints\": ["
    " { \"type\": \"free\", \"parent\": \"world\", \"child\": \"x\" }, { \"name\": \"f\", "
    "\"type\": \"free\", "
    "\"parent\": \"world\", \"child\": \"y\" } ] }";
static const char *const MOTIONS =
    "{ \"impel\": 1, \"bodies\": [ { \"name\": \"p\", \"motion\": { \"spin\": { \"axis\": [0, 0, "
    "1], \"rate\": 1 }, "
    "\"translate\": { \"velocity\": [1, 0, 0] } } },"
    " { \"name\": \"q\", \"shape\": { \"cone\": { \"radius\": 1, \"height\": 1 } }, \"motion\": { "
    "\"vibrate\": { "
    "\"amplitude\": [0, 0, 1], \"frequency\": 9,"
    " \"rotation\": { \"axis\": [1, 0, 0], \"amplitude\": 0.1 } } } }, { \"name\": \"r\", "
    "\"shape\": { \"sphere\": { "
    "\"radius\": 1 } } } ],"
    " \"run\": { \"duration\": 1, \"dt\": 0.1, \"method\": \"flight\" } }";

static void put(const char *path, const char *bytes, size_t count) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

static int make_folder(void **state) {
    (void)state;
    char bytes[4096];
    FILE *f = fopen(IMPEL_SOURCE "/scenes/parts/bracket.stl", "rb");
    if (mkdtemp(folder) == NULL || f == NULL) return -1;
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/part.stl", folder);
    snprintf(trace_path, sizeof trace_path, "%s/trace.csv", folder);
    snprintf(saved_path, sizeof saved_path, "%s/saved.json", folder);
    size_t count = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    put(mesh_path, bytes, count);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    remove(scene_path);
    remove(mesh_path);
    remove(trace_path);
    remove(saved_path);
    // fails if a temporary file was left
    return rmdir(folder);
}

// --- A run ---------------------------------------------------------------------------------------
// No asserts in here: they would leave the faults armed.
typedef struct Run {
    bool well, clean;
    uint64_t hash;
    size_t words;  // how much the model has to say: its warnings, and what it is about
    const char *stage;
} Run;

static Run gave_up(const char *stage) {
    return (Run){ .stage = stage, .clean = err.count >= 1 && err.fault == IMP_AT_LIMIT };
}

static Run with_state(const impModel *model, impStepper *stepper, impState *state) {
    for (int i = 0; i < 3; i++) {
        if (impStep(stepper, state, NULL, 0.01).verdict != IMP_SOLVED)
            return (Run){ .stage = "step" };
    }
    uint64_t hash = impState_Hash(model, state);
    impTrace *trace = impTrace_Open(model, trace_path, true, &err);
    if (!trace) return gave_up("trace open");
    if (!impTrace_Add(trace, state, &err)) {
        impTrace_Abandon(trace);
        return gave_up("trace add");
    }
    if (!impTrace_Close(trace, &err)) return gave_up("trace close");
    return (Run){ .well = true, .clean = true, .hash = hash, .stage = "end" };
}

static Run with_model(const impModel *model, int threads) {
    impStepper *stepper = impStepper_New(
        model, &(impStepperDef){ .method = "flight", .threads = threads }, &err);
    if (!stepper) return gave_up("stepper");
    impState *state = impState_New(model);
    // NULL says it all
    Run run = { .stage = "state", .clean = true };
    if (state) {
        run = with_state(model, stepper, state);
    }
    impState_Free(state);
    impStepper_Free(stepper);
    return run;
}

static Run with_scene(const impScene *scene, int threads) {
    if (!impScene_Save(scene, saved_path, &err)) return gave_up("save");
    impModel *model = impModel_Build(scene, &err);
    if (!model) return gave_up("build");
    Run run = with_model(model, threads);
    run.words = (size_t)impModel_WarningCount(model) + strlen(impModel_About(model));
    impModel_Free(model);
    return run;
}

static Run run_it(int threads) {
    impScene *scene = impScene_Load(scene_path, NULL, &err);
    if (!scene) return gave_up("load");
    Run run = with_scene(scene, threads);
    impScene_Free(scene);
    return run;
}

static Run right_run(void) {
    Run run = run_it(1);
    if (!run.well) {
        fail_msg("without faults: %s: %s", run.stage, err.message[0].text);
    }
    return run;
}

// --- R1: memory ----------------------------------------------------------------------------------
static void every_allocation(const char *text, const char *what) {
    put(scene_path, text, strlen(text));
    Run right = right_run();
    for (int ever = 0; ever < 2; ever++) {
        int k = 1;
        for (;; k++) {
            inject_start();
            if (ever) {
                inject_fail_from(FAULT_MEMORY, k, ENOMEM);
            } else {
                inject_fail(FAULT_MEMORY, k, ENOMEM);
            }
            Run run = run_it(2);
            inject_stop();
            if (inject_live() != 0) {
                fail_msg("%s: %d pieces leak after allocation %d (%s)", what, inject_live(), k,
                         run.stage);
            }
            if (run.well && run.hash != right.hash) {
                fail_msg("%s: other bits after allocation %d", what, k);
            }
            if (run.well && run.words != right.words) {
                fail_msg("%s: words are lost after allocation %d", what, k);
            }
            if (!run.well && !run.clean) {
                fail_msg("%s: %s after allocation %d: fault %d, %s", what, run.stage, k, err.fault,
                         err.message[0].text);
            }
            if (inject_hits() == 0) break;
            if (right_run().hash != right.hash) {
                fail_msg("%s: the second try ends in other bits after allocation %d", what, k);
            }
        }
        if (k < 10) {
            fail_msg("%s: only %d allocations: nothing has been tested", what, k);
        }
    }
}

static void r1_meshes_and_hulls(void **state) {
    (void)state;
    every_allocation(MESHES, "meshes");
}
static void r1_repeated_bodies(void **state) {
    (void)state;
    every_allocation(CUBES, "cubes");
}
static void r1_joints(void **state) {
    (void)state;
    every_allocation(JOINTS, "joints");
}
static void r1_motions(void **state) {
    (void)state;
    every_allocation(MOTIONS, "motions");
}

// Many warnings and a long story: neither is worth a run, but neither may be lost in silence.
static void r1_words(void **state) {
    (void)state;
    enum { MATERIALS = 60, STORY = 3000, ROOM = 12000 };
    static char text[ROOM], story[STORY + 1];
    memset(story, 'x', STORY);
    size_t n = (size_t)snprintf(text, ROOM, "{ \"impel\": 1, \"about\": \"%s\", \"materials\": {",
                                story);
    for (int i = 0; i < MATERIALS; i++) {
        n += (size_t)snprintf(text + n, ROOM - n, "%s \"a material that is number %d of many\": {}",
                              i ? "," : "", i);
    }
    snprintf(text + n, ROOM - n, " } }");
    every_allocation(text, "words");
}

// A scene made by calls: a call that fails has added nothing, and made again it works.
static void r1_calls_are_whole_or_nothing(void **state) {
    (void)state;
    const impShapeDef box = { .kind = "box", .size = { 1, 1, 1 } };
    impScene *scene = impScene_New((impVec3){ 0, 0, 0 });
    int failed = 0;
    for (int i = 1; i <= 300; i++) {
        impBodyDef def = { .shapes = &box, .shape_count = 1 };
        inject_start();
        // the pool seldom asks
        inject_fail(FAULT_MEMORY, 1, ENOMEM);
        impBody body = impScene_Body(scene, &def, &err);
        inject_stop();
        bool clean = err.fault == IMP_AT_LIMIT && err.count == 1;
        if (body.i < 0) {
            failed++;
            assert_true(clean);
            body = impScene_Body(scene, &def, &err);
        }
        assert_int_equal(body.i, i);
    }
    assert_true(failed > 3);
    impModel *model = impModel_Build(scene, &err);
    assert_non_null(model);
    SAME_TEXT(impModel_Name(model, (impBody){ 300 }), "body.300");
    impModel_Free(model);
    impScene_Free(scene);
}

// --- R4: many bodies -----------------------------------------------------------------------------
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void r4_a_hundred_thousand_bodies(void **state) {
    (void)state;
#if defined(SANITIZED)
    const int layers = 2;
#else
    const int layers = 10;
#endif
    char text[400];
    double start = seconds();
    snprintf(text, sizeof text,
             "{ \"impel\": 1, \"bodies\": [ { \"name\": \"c\", \"shape\": { \"box\": { \"size\": "
             "[1, 2, 3] } },"
             " \"angular_velocity\": [1, 2, 3], \"repeat\": { \"grid\": [100, 100, %d], \"step\": "
             "[4, 4, 4] } } ] }",
             layers);
    impScene *scene = impScene_Parse(text, strlen(text), "many.json", NULL, &err);
    impModel *model = impModel_Build(scene, &err);
    assert_non_null(model);
    impScene_Free(scene);
    assert_int_equal(impModel_BodyCount(model), 10000 * layers + 1);
    impStepper *stepper = impStepper_New(
        model, &(impStepperDef){ .method = "flight", .threads = 2 }, &err);
    impState *world = impState_New(model);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(impStep(stepper, world, NULL, 0.01).verdict, IMP_SOLVED);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    impState_Free(world);
    impStepper_Free(stepper);
    impModel_Free(model);
    NEAR(seconds() - start, 0, 10);
#if !defined(SANITIZED)
    // MiB
    NEAR((double)use.ru_maxrss / 1024, 0, 500);
#endif
}

// --- R5: threads ---------------------------------------------------------------------------------
static void r5_any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    // a negative number is refused: tests/motion/audit.c
    const int asked[] = { 0, 1, 2, 7, 5000 };
    put(scene_path, CUBES, strlen(CUBES));
    uint64_t hash = right_run().hash;
    impScene *scene = impScene_Load(scene_path, NULL, &err);
    impModel *model = impModel_Build(scene, &err);
    for (int i = 0; i < COUNT(asked); i++) {
        impStepper *stepper = impStepper_New(
            model, &(impStepperDef){ .method = "flight", .threads = asked[i] }, &err);
        assert_non_null(stepper);
        int got = impStepper_Threads(stepper);
        assert_true(got >= 1 && got <= 1024);
        if (asked[i] < 8) {
            assert_int_equal(got, asked[i] > 1 ? asked[i] : 1);
        }
        impStepper_Free(stepper);
        Run run = run_it(asked[i]);
        if (!run.well || run.hash != hash) {
            fail_msg("%d threads: other bits", asked[i]);
        }
    }
    impModel_Free(model);
    impScene_Free(scene);
}

static void r5_no_thread_can_be_made(void **state) {
    (void)state;
    put(scene_path, CUBES, strlen(CUBES));
    uint64_t hash = right_run().hash;
    for (int k = 1; k <= 4; k++) {
        inject_start();
        inject_fail_from(FAULT_THREAD, k, EAGAIN);
        Run run = run_it(8);
        inject_stop();
        assert_true(inject_hits() > 0);
        assert_int_equal(inject_live(), 0);
        if (!run.well || run.hash != hash) {
            fail_msg("%d threads of 8: %s", k, run.stage);
        }
    }
}

// --- R6: a small stack ---------------------------------------------------------------------------
// Sanitizers keep their books on the stack: they get more, and the promise is kept by the builds
// without.
#if defined(SANITIZED)
enum { SMALL_STACK = 8192 * 1024 };
#else
enum { SMALL_STACK = 512 * 1024 };
#endif

static void *run_on_a_small_stack(void *argument) {
    *(Run *)argument = run_it(2);
    return NULL;
}

static void r6_half_a_mebibyte_of_stack_is_enough(void **state) {
    (void)state;
    const char *const texts[] = { MESHES, CUBES, JOINTS, MOTIONS };
    for (int i = 0; i < COUNT(texts); i++) {
        pthread_attr_t small;
        pthread_t thread;
        Run run = { 0 };
        put(scene_path, texts[i], strlen(texts[i]));
        uint64_t hash = right_run().hash;
        pthread_attr_init(&small);
        assert_int_equal(pthread_attr_setstacksize(&small, SMALL_STACK), 0);
        assert_int_equal(pthread_create(&thread, &small, run_on_a_small_stack, &run), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&small);
        assert_true(run.well && run.hash == hash);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r1_meshes_and_hulls),
        cmocka_unit_test(r1_repeated_bodies),
        cmocka_unit_test(r1_joints),
        cmocka_unit_test(r1_motions),
        cmocka_unit_test(r1_words),
        cmocka_unit_test(r1_calls_are_whole_or_nothing),
        cmocka_unit_test(r4_a_hundred_thousand_bodies),
        cmocka_unit_test(r5_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(r5_no_thread_can_be_made),
        cmocka_unit_test(r6_half_a_mebibyte_of_stack_is_enough),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
