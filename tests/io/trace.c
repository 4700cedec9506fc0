// trace.c -- samples of a run as CSV and as JSON lines: columns, digits, quoting, whole files or
// none.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"
#include "scene_support.h"

#define SCENE                                                                                      \
    "{\"impel\":1,\"bodies\":[{\"name\":\"ball, "                                                  \
    "\\\"red\\\"\",\"shape\":{\"sphere\":{\"radius\":0.1}},\"position\":[0.1,0.2,0.3],"            \
    "\"velocity\":[1,0.3333333333333333,0],\"angular_velocity\":[0,0,7]},{\"name\":\"floor\","     \
    "\"fixed\":true}]}"

typedef struct World {
    impModel *model;
    impState *state;
    impStepper *stepper;
} World;

static World new_world(void) {
    impError err;
    World w = { .model = good(SCENE) };
    w.state = impState_New(w.model);
    w.stepper = impStepper_New(w.model, &(impStepperDef){ .method = "flight" }, &err);
    assert_true(w.state && w.stepper);
    return w;
}

static void free_world(World w) {
    impStepper_Free(w.stepper);
    impState_Free(w.state);
    impModel_Free(w.model);
}

// Three samples, a tenth of a second apart. Returns the bytes; free them.
static char *recorded(const char *name) {
    impError err;
    size_t size;
    World w = new_world();
    Path path = in_folder(name);
    impTrace *t = impTrace_Open(w.model, path.text, true, &err);
    assert_non_null(t);
    for (int i = 0; i < 3; i++) {
        if (i) {
            assert_int_equal(impStep(w.stepper, w.state, NULL, 0.1).verdict, IMP_SOLVED);
        }
        assert_true(impTrace_Add(t, w.state, &err));
    }
    assert_true(impTrace_Close(t, &err));
    free_world(w);
    return read_text(path.text, &size);
}

static void values_of(const World *w, int body, double out[14]) {
    impPose p = impState_Pose(w->model, w->state, (impBody){ body });
    impTwist v = impState_Twist(w->model, w->state, (impBody){ body });
    double all[14] = { impState_Time(w->state),
                       p.at.x,
                       p.at.y,
                       p.at.z,
                       p.rotation.w,
                       p.rotation.x,
                       p.rotation.y,
                       p.rotation.z,
                       v.linear.x,
                       v.linear.y,
                       v.linear.z,
                       v.angular.x,
                       v.angular.y,
                       v.angular.z };
    memcpy(out, all, sizeof all);
}

static void csv_has_its_columns_and_every_bit(void **state) {
    (void)state;
    char *text = recorded("run.csv");
    char *at = text;
    static const char header[] = "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    assert_memory_equal(at, header, sizeof header - 1);
    at += sizeof header - 1;
    World w = new_world();
    // two bodies a sample, the world is none
    for (int row = 0; row < 6; row++) {
        double expected[14], got;
        const char *name = row % 2 ? ",floor," : ",\"ball, \"\"red\"\"\",";
        if (row && row % 2 == 0) {
            assert_int_equal(impStep(w.stepper, w.state, NULL, 0.1).verdict, IMP_SOLVED);
        }
        values_of(&w, row % 2 + 1, expected);
        for (int i = 0; i < 14; i++) {
            size_t n = number_read(at, strlen(at), false, &got);
            assert_true(n > 0);
            SAME_BITS(got, expected[i]);
            at += n;
            if (i == 0) {
                assert_memory_equal(at, name, strlen(name));
                at += strlen(name);
            } else {
                assert_int_equal(*at++, i == 13 ? '\n' : ',');
            }
        }
    }
    assert_int_equal(*at, 0);
    // 17 digits
    assert_non_null(strstr(text, ",0.33333333333333331,"));
    free(text);
    free_world(w);
}

static void a_line_of_json_is_a_sample(void **state) {
    (void)state;
    static const struct {
        const char *key;
        int first, count;
    } parts[] = {
        { "position", 1, 3 },
        { "orientation", 4, 4 },
        { "velocity", 8, 3 },
        { "angular_velocity", 11, 3 },
    };
    char *text = recorded("run.jsonl");
    char *line = text;
    World w = new_world();
    for (int k = 0; k < 3; k++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        Pool pool = { 0 };
        impError err = { 0 };
        const Json *doc = json_parse(&pool, line, (size_t)(end - line), "line", 0, &err);
        if (!doc) {
            fail_msg("%s", err.message[0].text);
        }
        if (k) {
            assert_int_equal(impStep(w.stepper, w.state, NULL, 0.1).verdict, IMP_SOLVED);
        }
        SAME_BITS(json_find(doc->root, "t")->number, impState_Time(w.state));
        int i = 1;
        for (const JsonNode *b = json_first(json_find(doc->root, "bodies")); b;
             b = json_next(b), i++) {
            double expected[14], got[4];
            values_of(&w, i, expected);
            SAME_TEXT(json_find(b, "name")->text, i == 1 ? "ball, \"red\"" : "floor");
            for (int p = 0; p < COUNT(parts); p++) {
                assert_true(json_get_numbers(doc, json_find(b, parts[p].key), "", parts[p].key,
                                             parts[p].count, got, &err));
                for (int c = 0; c < parts[p].count; c++) {
                    SAME_BITS(got[c], expected[parts[p].first + c]);
                }
            }
        }
        assert_int_equal(i, 3);
        pool_free(&pool);
        line = end + 1;
    }
    assert_int_equal(*line, 0);
    free(text);
    free_world(w);
}

static void equal_runs_give_equal_bytes(void **state) {
    (void)state;
    static const char *const names[][2] = { { "a.csv", "b.CSV" }, { "a.jsonl", "b.jsonl" } };
    for (int i = 0; i < 2; i++) {
        char *a = recorded(names[i][0]);
        char *b = recorded(names[i][1]);
        SAME_TEXT(a, b);
        free(a);
        free(b);
    }
}

static void a_trace_is_whole_or_absent(void **state) {
    (void)state;
    impError err;
    World w = new_world();
    Path path = in_folder("gone.csv");
    impTrace *t = impTrace_Open(w.model, path.text, false, &err);
    assert_non_null(t);
    assert_true(impTrace_Add(t, w.state, &err));
    // not before it is closed
    assert_int_equal(access(path.text, F_OK), -1);
    impTrace_Abandon(t);
    assert_int_equal(access(path.text, F_OK), -1);
    impTrace_Abandon(NULL);
    write_file("old.csv", "old");
    assert_null(impTrace_Open(w.model, in_folder("old.csv").text, false, &err));
    SAME_TEXT(err.message[0].text,
              "cannot write; it exists; an output must be a new file, or a file and forced");
    free_world(w);
}

static void wrong_calls_are_told(void **state) {
    (void)state;
    impError err;
    World w = new_world();
    assert_null(impTrace_Open(w.model, in_folder("x.txt").text, true, &err));
    SAME_TEXT(err.message[0].text,
              "a trace of this kind is unknown; its name must end in .csv or .jsonl");
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    assert_null(impTrace_Open(NULL, "x.csv", true, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_false(impTrace_Add(NULL, w.state, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_false(impTrace_Close(NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_null(impTrace_Open(w.model, in_folder("no/x.csv").text, true, &err));
    assert_int_equal(err.fault, IMP_BAD_FILE);

    impModel *other = good("{\"impel\":1,\"bodies\":[{\"fixed\":true}]}");
    impState *state2 = impState_New(other);
    impTrace *t = impTrace_Open(w.model, in_folder("x.csv").text, true, &err);
    assert_false(impTrace_Add(t, state2, &err));
    SAME_TEXT(err.message[0].text, "impTrace_Add: the state belongs to another model");
    impTrace_Abandon(t);
    impState_Free(state2);
    impModel_Free(other);
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_its_columns_and_every_bit),
        cmocka_unit_test(a_line_of_json_is_a_sample),
        cmocka_unit_test(equal_runs_give_equal_bytes),
        cmocka_unit_test(a_trace_is_whole_or_absent),
        cmocka_unit_test(wrong_calls_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
