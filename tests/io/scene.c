// scene.c -- the faults S1 to S20 of a scene file: what is said, where, and that nothing is left
// behind.
//
// | row | test |
// |---|---|
// | S1  empty                       | s1_an_empty_file_says_so |
// | S2  truncated                   | s2_every_prefix_is_an_error_with_a_place |
// | S3  one bit flipped             | s3_every_flipped_bit_is_an_error_or_another_scene |
// | S4  NaN, Inf, 1e999             | s4_numbers_that_are_none_are_named |
// | S5  1,5 and 1.0abc              | s5_numbers_must_be_written_as_json_does |
// | S6  locale                      | s6_the_locale_of_the_host_changes_nothing |
// | S7  encodings                   | s7_line_ends_and_encodings |
// | S8  unknown key                 | s8_unknown_key_names_the_nearest |
// | S9  duplicates                  | s9_duplicates_name_both_lines |
// | S10 references                  | s10_missing_references_are_named |
// | S11 includes                    | none: the format has no include key. The only files a scene
// names are meshes, which are |                                 | read once, must be regular files,
// and name no others: scene_meshes.c | | S12 nesting                     |
// s12_deep_nesting_is_refused | | S13 long names, many tokens     | s13_sizes_have_limits | | S14
// counts                      | s14_counts_are_checked_before_memory_is_taken | | S15 version |
// s15_other_versions_are_refused | | S16 units                       |
// s16_odd_sizes_are_warnings_and_strict_makes_them_errors | | S17 small worlds                |
// s17_small_worlds_run | | S18 paths                       | s18_paths_that_are_no_scene | | S19
// joints                      | s19_joints_that_cannot_be | | S20 timed events                |
// none: the format has no timed events. Prescribed motions are functions of time and | | have no
// order |
//
// Values of single keys are tested in scene_values.c, generators in scene_repeat.c, saving in
// scene_save.c.
//
// SPDX-License-Identifier: MIT
#include "scene_support.h"

#include <locale.h>

#define BODY(b)     "{\"impel\":1,\"bodies\":[" b "]}"
#define POINT(name) "{\"name\":\"" name "\",\"mass\":1,\"inertia\":[1,1,1]}"

static void s1_an_empty_file_says_so(void **state) {
    (void)state;
    SAYS("", "s.json:1:1: the file is empty; it must have a JSON object");
    SAYS(" \n\t ", "s.json:1:1: the file is empty; it must have a JSON object");
    SAYS("// nothing yet\n", "s.json:1:1: the file is empty; it must have a JSON object");
    SAYS("/* nothing */", "s.json:1:1: the file is empty; it must have a JSON object");
    SAYS("[]", "s.json:1:1: scene: the file; got []; it must be an object");
    SAYS("{}", "s.json:1:1: scene: \"impel\" is missing");
}

// --- S2, S3: damage ------------------------------------------------------------------------------
static bool only_space(const char *text) { return text[strspn(text, " \n\t\r")] == 0; }

static void s2_every_prefix_is_an_error_with_a_place(void **state) {
    (void)state;
    static const char *const scenes[] = { "scenes/dzhanibekov.json", "scenes/swinging_door.json",
                                          "scenes/tumbling_brick.json", "scenes/asteroids.json",
                                          "scenes/feeders.json" };
    for (int i = 0; i < COUNT(scenes); i++) {
        size_t size;
        char *text = read_text(source(scenes[i]).text, &size);
        for (size_t n = 0; n < size; n++) {
            // whole but for the last line end
            if (only_space(text + n)) break;
            // of exactly that size, for the sanitizer
            char *part = malloc(n + 1);
            assert_non_null(part);
            memcpy(part, text, n);
            impError err;
            impScene *scene = impScene_Parse(part, n, "s.json", NULL, &err);
            if (scene || err.message[0].line < 1 || err.message[0].column < 1) {
                fail_msg("%s cut after %zu bytes: %s", scenes[i], n,
                         scene ? "accepted" : "no place");
            }
            SAME_TEXT(err.message[0].file, "s.json");
            free(part);
        }
        free(text);
    }
}

static void s3_every_flipped_bit_is_an_error_or_another_scene(void **state) {
    (void)state;
    size_t size;
    int accepted = 0, built = 0;
    char *text = read_text(source("scenes/swinging_door.json").text, &size);
    for (size_t i = 0; i < 8 * size; i++) {
        impError err;
        text[i / 8] = (char)(text[i / 8] ^ (1 << i % 8));
        impScene *scene = impScene_Parse(text, size, "s.json", NULL, &err);
        assert_int_equal(scene == NULL, err.count > 0);
        impModel *model = scene ? impModel_Build(scene, &err) : NULL;
        accepted += scene != NULL;
        built += model != NULL;
        impModel_Free(model);
        impScene_Free(scene);
        text[i / 8] = (char)(text[i / 8] ^ (1 << i % 8));
    }
    free(text);
    // comments, texts and digits
    assert_true(accepted > 100 && built > 100 && built <= accepted);
}

// --- S4 to S7: numbers and characters ------------------------------------------------------------
static void s4_numbers_that_are_none_are_named(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"gravity\":[0,0,NaN]}",
         "s.json:1:27: \"gravity\": NaN is not a number; numbers are finite");
    SAYS("{\"impel\":1,\n\"run\":{\"dt\":1e999,\"duration\":-1e999}}",
         "s.json:2:13: \"dt\": 1e999 is beyond the range of double\n"
         "s.json:2:30: \"duration\": -1e999 is beyond the range of double");
    SAYS(BODY("{\"mass\":Infinity,\"shape\":{\"sphere\":{\"radius\":-inf}}}"),
         "s.json:1:30: \"mass\": Infinity is not a number; numbers are finite\n"
         "s.json:1:67: \"radius\": -inf is not a number; numbers are finite");
}

static void s5_numbers_must_be_written_as_json_does(void **state) {
    (void)state;
#define DT(x) "{\"impel\":1,\"run\":{\"dt\":" x "}}"
    SAYS(DT("0x1p3"), "s.json:1:24: \"dt\": 0x1p3 is not a number; numbers are decimal");
    SAYS(DT("1,5"), "s.json:1:24: \"dt\": 1,5 is not a number; the decimal sign is a point");
    SAYS(DT("1.0abc"), "s.json:1:24: \"dt\": 1.0abc is not a number; something follows its digits");
    SAYS(DT("+-1"), "s.json:1:24: \"dt\": +-1 is not a number; numbers have no plus sign");
    SAYS(DT("1e"), "s.json:1:24: \"dt\": 1e is not a number; digits must follow the e");
    SAYS(DT("\"1\""), "s.json:1:24: run: dt; got \"1\"; it must be a number");
}

static uint64_t hash_of_door(void) {
    impError err;
    impScene *scene = impScene_Load(source("scenes/asteroids.json").text, NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    impState *s = model ? impState_New(model) : NULL;
    assert_non_null(s);
    uint64_t hash = impState_Hash(model, s);
    impState_Free(s);
    impModel_Free(model);
    impScene_Free(scene);
    return hash;
}

// Every locale that is installed among these, and the one of the environment; with none of them the
// check is that own numbers are used at all, which base/number.c is tested for.
static void s6_the_locale_of_the_host_changes_nothing(void **state) {
    (void)state;
    static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8",  "de_DE",   "es_AR.UTF-8",
                                           "fr_FR.UTF-8", "tr_TR.UTF-8", "C.UTF-8", "" };
    uint64_t plain = hash_of_door();
    int tried = 0;
    for (int i = 0; i < COUNT(locales); i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        tried++;
        assert_true(hash_of_door() == plain);
        SAYS(BODY("{\"name\":\"a\",\"mass\":-1.5}"),
             "s.json:1:41: body 'a': mass -1.5 kg; it must be positive");
    }
    setlocale(LC_ALL, "C");
    assert_true(tried > 0);
}

static void s7_line_ends_and_encodings(void **state) {
    (void)state;
    impModel_Free(good("\xEF\xBB\xBF{\"impel\":1,\r\n\"about\":\"h\xC3\xA4user\"}\r\n"));
    SAYS("{\"impel\":1,\r\"about\":\"\"}",
         "s.json:1:12: a lone carriage return; lines end in LF or CR LF");
    SAYS(BODY("{\"name\":\"\xC3\",\"fixed\":true}"),
         "s.json:1:31: byte 0xC3 is not UTF-8: a character cut short");
    // columns are characters
    SAYS(BODY("{\"name\":\"\xC3\xA4\",\"fixxed\":true}"),
         "s.json:1:34: body '\xC3\xA4': unknown key \"fixxed\"; did you mean \"fixed\"?");
    impError err;
    assert_null(impScene_Parse("\xFF\xFE{\0", 4, "s.json", NULL, &err));
    SAME_TEXT(err.message[0].text, "the file is UTF-16; save it as UTF-8");
    assert_null(impScene_Parse("{\"impel\":1}\0", 12, "s.json", NULL, &err));
    SAME_TEXT(err.message[0].text, "a zero byte; the file is not text");
    assert_int_equal(err.message[0].column, 12);
}

// --- S8 to S10: names ----------------------------------------------------------------------------
static void s8_unknown_key_names_the_nearest(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"materials\":{\"ice\":{\"fricton\":0.1}}}",
         "s.json:1:32: material 'ice': unknown key \"fricton\"; did you mean \"friction\"?");
    SAYS("{\"impel\":1,\"boddies\":[]}",
         "s.json:1:12: scene: unknown key \"boddies\"; did you mean \"bodies\"?");
    SAYS(BODY("{\"name\":\"a\",\"fixed\":true,\n \"shape\":{\"shpere\":{\"radius\":1}}}"),
         "s.json:2:11: body 'a': unknown key \"shpere\"; did you mean \"sphere\"?");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"sphere\":{\"raduis\":1}}}"),
         "s.json:1:53: body 'a': sphere: unknown key \"raduis\"; did you mean \"radius\"?\n"
         "s.json:1:52: body 'a': sphere: \"radius\" is missing");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"pyramid\":{}}}"),
         "s.json:1:43: body 'a': unknown key \"pyramid\"; it may be \"sphere\", \"box\", "
         "\"capsule\", \"cylinder\", \"cone\", "
         "\"ellipsoid\", \"plane\", \"hull\", \"mesh\", \"position\", \"orientation\" or "
         "\"material\"");
    SAYS("{\"impel\":1,\"run\":{\"every\":1}}",
         "s.json:1:19: run: unknown key \"every\"; it may be \"duration\", \"method\", \"dt\", "
         "\"contact_band\", \"micro\", \"contact_capacity\", \"prediction\", \"scheme\", "
         "\"directions\" or \"shock_propagation\"");
    SAYS(BODY("{\"name\":\"a\",\"motion\":{\"spni\":{}}}"),
         "s.json:1:44: body 'a': unknown key \"spni\"; did you mean \"spin\"?");
}

static void s9_duplicates_name_both_lines(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\n\"gravity\":[0,0,0],\n\"gravity\":[0,0,1]}",
         "s.json:3:1: key \"gravity\" is given twice, on lines 2 and 3");
    SAYS(BODY("\n{\"name\":\"a\",\"fixed\":true},\n{\"name\":\"a\",\"fixed\":true}"),
         "s.json:3:1: body 'a': the name is taken by the body at line 2; names must be unique");
    SAYS(BODY("\n{\"name\":\"a.1\",\"fixed\":true},\n{\"name\":\"a\",\"fixed\":true,\"repeat\":{"
              "\"grid\":[2,1,1],\"step\":[1,1,1]}}"),
         "s.json:3:1: body 'a.1': the name is taken by the body at line 2; names must be unique");
    SAYS("{\"impel\":1,\"materials\":{\n\"a\":{},\n\"a\":{}}}",
         "s.json:3:1: key \"a\" is given twice, on lines 2 and 3");
    SAYS(BODY("{\"name\":\"world\",\"fixed\":true}"),
         "s.json:1:22: body 'world': the name belongs to the world itself; choose another");
}

static void s10_missing_references_are_named(void **state) {
    (void)state;
#define STEEL "{\"impel\":1,\"materials\":{\"steel\":{\"friction\":0,\"restitution\":0}},"
    SAYS(STEEL "\"bodies\":[{\"name\":\"a\",\"material\":\"stel\",\"fixed\":true,\"shape\":{"
               "\"sphere\":{\"radius\":1}}}]}",
         "s.json:1:98: body 'a': sphere: no material is called \"stel\"; did you mean \"steel\"?");
    SAYS(STEEL "\"pairs\":[{\"between\":[\"steel\",\"wax\"],\"friction\":0,\"restitution\":0}]}",
         "s.json:1:74: pair 'steel', 'wax': no material is called \"wax\"; it must be one of "
         "\"materials\"");
    SAYS("{\"impel\":1,\"bodies\":[{\"name\":\"door\",\"fixed\":true}],\n\"joints\":[{\"type\":"
         "\"ball\",\"parent\":\"world\",\"child\":"
         "\"dor\"},\n{\"name\":\"j\",\"type\":\"ball\",\"parent\":\"wrld\",\"child\":\"xyzzy\"}]}",
         "s.json:2:51: joint 1: no body is called \"dor\"; did you mean \"door\"?\n"
         "s.json:3:36: joint 'j': no body is called \"wrld\"; did you mean \"world\"?\n"
         "s.json:3:51: joint 'j': no body is called \"xyzzy\"; it must be one of \"bodies\", or "
         "\"world\"");
    SAYS(BODY("{\"name\":\"a\",\"fixed\":true,\"shape\":{\"mesh\":{\"file\":\"nowhere.stl\"}}}"),
         "s.json:1:71: body 'a': mesh: nowhere.stl: cannot open; No such file or directory; it "
         "must be a readable file");
}

// --- S12 to S15: limits --------------------------------------------------------------------------
// free it
static char *repeated(const char *before, const char *piece, size_t count, const char *after) {
    size_t n = strlen(piece);
    size_t at = strlen(before);
    char *text = malloc(at + n * count + strlen(after) + 1);
    assert_non_null(text);
    memcpy(text, before, at);
    for (size_t i = 0; i < count; i++, at += n) {
        memcpy(text + at, piece, n);
    }
    strcpy(text + at, after);
    return text;
}

static void s12_deep_nesting_is_refused(void **state) {
    (void)state;
    char *text = repeated("{\"impel\":1,\"gravity\":", "[", 1000000, "");
    LIMITED(text, NULL, "s.json:1:85: more than 64 levels of nesting; max_nesting allows no more");
    free(text);
    impLoadDef two = { .max_nesting = 2 };
    LIMITED(BODY("{}"), &two,
            "s.json:1:22: more than 2 levels of nesting; max_nesting allows no more");
}

static size_t memory_of(const char *text, impFault fault) {
    impError err;
    impScene *scene = impScene_Parse(text, strlen(text), "s.json", NULL, &err);
    size_t total = scene ? scene->pool.total : 0;
    assert_int_equal(err.fault, fault);
    impScene_Free(scene);
    return total;
}

static void s13_sizes_have_limits(void **state) {
    (void)state;
    size_t big = 10 << 20;
    size_t slack = 8 << 20;
    char *name = repeated("{\"impel\":1,\"bodies\":[{\"name\":\"", "n", big,
                          "\",\"fixed\":true}]}");
    LIMITED(name, NULL, "s.json:1:30: body: a name of 10485760 bytes; at most 255 are possible");
    impLoadDef small = { .max_file_bytes = 1 << 20 };
    Path path = write_file("name.json", name);
    impError err;
    assert_null(impScene_Load(path.text, &small, &err));
    SAME_TEXT(err.message[0].text, "too large; 10485807 bytes; it may have at most 1048576");
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    free(name);

    // text may be long, and is kept once
    char *line = repeated("{\"impel\":1,\"about\":\"", "n", big, "\"}");
    assert_true(memory_of(line, IMP_NO_FAULT) <= 3 * big);
    free(line);
    char *tokens = repeated("{\"impel\":1,\"bodies\":[{\"shape\":{\"hull\":{\"points\":[[0,0,0]",
                            ",[0,0,0]", 300000, "]}}}]}");
    // a million of them
    assert_true(memory_of(tokens, IMP_NO_FAULT) <= 10 * strlen(tokens) + slack);
    free(tokens);
    char *bodies = repeated("{\"impel\":1,\"bodies\":[{\"fixed\":true}", ",{\"fixed\":true}",
                            100000, "]}");
    assert_true(memory_of(bodies, IMP_NO_FAULT) <= 50 * strlen(bodies) + slack);
    free(bodies);
    char *materials = calloc(1, 20000);
    assert_non_null(materials);
    for (int i = 0, n = sprintf(materials, "{\"impel\":1,\"materials\":{\"m\":{}"); i < 600; i++) {
        n += sprintf(materials + n, ",\"m%d\":{}%s", i, i == 599 ? "}}" : "");
    }
    LIMITED(materials, NULL, "s.json: scene: 601 materials; at most 500 are possible");
    free(materials);
}

static void s14_counts_are_checked_before_memory_is_taken(void **state) {
    (void)state;
#define GRID(g) BODY("{\"name\":\"a\",\"fixed\":true,\"repeat\":{\"grid\":" g ",\"step\":[1,1,1]}}")
#define OVER(g)                                                                                    \
    "s.json:1:56: body 'a': a grid of " g " bodies; the limit is 1000000 in all (--max-bodies)"
    LIMITED(GRID("[1000000,1000000,1000000]"), NULL, OVER("[1000000,1000000,1000000]"));
    LIMITED(GRID("[2147483648,1,1]"), NULL, OVER("[2147483648,1,1]"));
    LIMITED(GRID("[1,9223372036854775808,1]"), NULL, OVER("[1,9223372036854775808,1]"));
    LIMITED(GRID("[1,1,1e18]"), NULL, OVER("[1,1,1e18]"));
    LIMITED(GRID("[4294967296,4294967296,4294967296]"), NULL,
            OVER("[4294967296,4294967296,4294967296]"));
    LIMITED(GRID("[100,100,101]"), NULL, OVER("[100,100,101]"));
#define BAD(got) "s.json:1:65: body 'a': grid; got " got "; it must be a whole number, 1 or more"
    SAYS(GRID("[-1,1,1]"), BAD("-1"));
    SAYS(GRID("[0,1,1]"), BAD("0"));
    SAYS(GRID("[1.5,1,1]"), BAD("1.5"));
    SAYS(GRID("[\"9\",1,1]"), BAD("\"9\""));
    impLoadDef few = { .max_bodies = 3 };
    LIMITED(BODY("{\"fixed\":true},{\"fixed\":true},{\"fixed\":true},\n{\"fixed\":true}"), &few,
            "s.json:2:1: scene: more than 3 bodies; the limit is --max-bodies");
    LIMITED(
        BODY("{\"fixed\":true},{\"fixed\":true,\"repeat\":{\"grid\":[3,1,1],\"step\":[1,1,1]}}"),
        &few,
        "s.json:1:60: body 2: a grid of [3,1,1] bodies; the limit is 3 in all (--max-bodies)");
    impModel *model = good(BODY("{\"name\":\"a\",\"fixed\":true,\"repeat\":{\"grid\":[1000000,"
                                "1000000,9],\"count\":5,\"step\":[1,1,1]}}"));
    // a count bounds any grid
    assert_int_equal(impModel_BodyCount(model), 6);
    impModel_Free(model);
}

static void s15_other_versions_are_refused(void **state) {
    (void)state;
    SAYS("{\"impel\":7,\"new\":{}}",
         "s.json:1:10: scene: the file says version 7; this program reads version 1");
    SAYS("{\"impel\":0}",
         "s.json:1:10: scene: the file says version 0; this program reads version 1");
    SAYS("{\"impel\":1.5}",
         "s.json:1:10: scene: impel; got 1.5; it must be a whole number from 0 to 1000000");
}

// --- S16 to S19: worlds --------------------------------------------------------------------------
#define FLOOR                                                                                      \
    "{\"impel\":1,\"materials\":{\"m\":{\"friction\":0,\"restitution\":0}},\"bodies\":[{\"name\":" \
    "\"a\",\"material\":\"m\","

static void s16_odd_sizes_are_warnings_and_strict_makes_them_errors(void **state) {
    (void)state;
    const char *long_box = FLOOR "\"shape\":{\"box\":{\"size\":[10000,1,1]}}}]}";
    WARNS(long_box, "s.json:1:106: body 'a': 10000 m long; lengths are in metres");
    WARNS(FLOOR "\"shape\":{\"sphere\":{\"radius\":4e-5}}}]}",
          "s.json:1:106: body 'a': only 8e-5 m long; lengths are in metres");
    impLoadDef strict = { .strict = true };
    says_within(long_box, &strict, IMP_BAD_INPUT,
                "s.json:1:106: body 'a': 10000 m long; lengths are in metres (strict)", __FILE__,
                __LINE__);
}

static void runs(const char *text, int bodies) {
    impError err;
    impModel *model = good(text);
    impState *s = impState_New(model);
    impStepper *stepper = impStepper_New(model, NULL, &err);
    assert_true(s && stepper);
    assert_int_equal(impModel_BodyCount(model), bodies + 1);
    assert_int_equal(impStep(stepper, s, NULL, 0.5).verdict, IMP_SOLVED);
    NEAR(impState_Time(s), 0.5, 0);
    for (int i = 1; i <= bodies; i++) {
        assert_true(finite3(impState_Pose(model, s, (impBody){ i }).at));
    }
    impStepper_Free(stepper);
    impState_Free(s);
    impModel_Free(model);
}

static void s17_small_worlds_run(void **state) {
    (void)state;
    runs("{\"impel\":1}", 0);
    runs(BODY(""), 0);
    runs(BODY("{\"name\":\"a\",\"fixed\":true},{\"name\":\"b\",\"fixed\":true,\"shape\":{\"plane\":"
              "{\"normal\":[0,0,1]}}}"),
         2);
    runs(BODY("{\"shape\":{\"sphere\":{\"radius\":1}}}"), 1);
    runs(BODY(POINT("a")), 1);
    runs(BODY("{\"shape\":{\"sphere\":{\"radius\":1}},\"motion\":{\"spin\":{\"axis\":[0,0,1],"
              "\"rate\":1}}}"),
         1);
}

static void refuses_path(const char *path, const impLoadDef *def, impFault fault,
                         const char *text) {
    impError err;
    assert_null(impScene_Load(path, def, &err));
    SAME_TEXT(err.message[0].text, text);
    SAME_TEXT(err.message[0].file, path);
    assert_int_equal(err.fault, fault);
}

static void s18_paths_that_are_no_scene(void **state) {
    (void)state;
    Path pipe = in_folder("pipe");
    Path file = write_file("small.json", "{\"impel\":1}");
    impLoadDef ten = { .max_file_bytes = 10 };
    assert_int_equal(mkfifo(pipe.text, 0600), 0);
    refuses_path(folder, NULL, IMP_BAD_FILE,
                 "cannot read; it is a directory; it must be a readable file");
    refuses_path(in_folder("no.json").text, NULL, IMP_BAD_FILE,
                 "cannot open; No such file or directory; it must be a readable file");
    refuses_path(pipe.text, NULL, IMP_BAD_FILE,
                 "cannot read; it is a pipe; it must be a readable file");
    refuses_path("/dev/zero", NULL, IMP_BAD_FILE,
                 "cannot read; it is a device; it must be a readable file");
    refuses_path(file.text, &ten, IMP_AT_LIMIT, "too large; 11 bytes; it may have at most 10");
    // root reads everything
    if (geteuid() != 0 && chmod(file.text, 0) == 0) {
        refuses_path(file.text, NULL, IMP_BAD_FILE,
                     "cannot open; Permission denied; it must be a readable file");
    }
    impError err;
    assert_null(impScene_Load(NULL, NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_null(impScene_Parse(NULL, 0, "s", NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
}

static void s19_joints_that_cannot_be(void **state) {
    (void)state;
#define THREE                                                                                      \
    "{\"impel\":1,\"bodies\":[" POINT("a") "," POINT("b") "," POINT(                               \
        "c") ",{\"name\":\"f\",\"fixed\":true}],\n"
#define BALL(p, c) "{\"type\":\"ball\",\"parent\":\"" p "\",\"child\":\"" c "\"}"
    SAYS(THREE "\"joints\":[" BALL("a", "b") "," BALL("b", "c") ",\n" BALL("c", "a") "]}",
         "s.json:3:1: joints: 'a', 'c', 'b' carry each other in a ring; one of them must hang from "
         "the world");
    SAYS(THREE "\"joints\":[\n{\"name\":\"j\",\"type\":\"hinge\",\"parent\":\"a\",\"child\":\"a\","
               "\"axis\":[0,0,1]},\n"
               "{\"name\":\"k\",\"type\":\"hinge\",\"parent\":\"world\",\"child\":\"a\",\"axis\":["
               "0,0,0]},\n"
               "{\"name\":\"l\",\"type\":\"slider\",\"parent\":\"world\",\"child\":\"a\",\"axis\":["
               "0,0,1],\"limits\":[1,-1]},\n"
               "{\"name\":\"m\",\"type\":\"hinje\",\"parent\":\"b\",\"child\":\"a\"},\n"
               "{\"name\":\"n\",\"type\":\"ball\",\"parent\":\"a\",\"child\":\"f\"},\n"
               "{\"name\":\"o\",\"type\":\"ball\",\"parent\":\"a\",\"child\":\"world\"},\n"
               "{\"name\":\"p\",\"type\":\"distance\",\"parent\":\"a\",\"child\":\"b\"}]}",
         "s.json:3:1: joint 'j': from 'a' to itself; it must tie two bodies\n"
         "s.json:4:1: joint 'k': axis [0, 0, 0]; it must have a direction\n"
         "s.json:5:1: joint 'l': limits [1, -1]; the first must not exceed the second\n"
         "s.json:6:1: joint 'm': type \"hinje\" is unknown; did you mean \"hinge\"?\n"
         "s.json:7:1: joint 'n': its child 'f' is not dynamic; a joint cannot carry it\n"
         "s.json:8:1: joint 'o': the world cannot be the child; swap parent and child\n"
         "s.json:9:1: joint 'p': at and at2 are the same point; a distance must be positive");
    impModel *loop = good(
        THREE "\"joints\":[" BALL("world", "a") "," BALL("a", "b") "," BALL("world", "b") "]}");
    // a loop with a root is a loop, not a ring
    assert_int_equal(impModel_JointCount(loop), 3);
    impModel_Free(loop);
}

static void twenty_messages_and_a_count(void **state) {
    (void)state;
    impError err;
    char *text = repeated("{\"impel\":1,\"bodies\":[{\"colour\":1}", ",\n{\"colour\":1}", 20, "]}");
    assert_null(build(text, NULL, &err));
    assert_int_equal(err.count, 21);
    assert_int_equal(err.message[19].line, 20);
    SAME_TEXT(
        err.message[19].text,
        "body 20: unknown key \"colour\"; it may be \"name\", \"fixed\", \"material\", \"shape\", "
        "\"mass\", \"center_of_mass\", \"inertia\", \"position\", \"orientation\", \"velocity\", "
        "\"angular_velocity\", "
        "\"motion\", \"plane\", \"repeat\" or \"about\"");
    free(text);
}

// What only the build can find is told together with what the reader found.
static void mistakes_of_both_kinds_are_told_at_once(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":0.1,\"restitution\":2},\"b\":{"
         "\"slippery\":true}},\n"
         "\"bodies\":[{\"name\":\"x\",\"shape\":{\"sphere\":{\"radius\":-1}},\"material\":\"b\"},"
         "\n{\"name\":\"y\",\"weight\":2},\n"
         "{\"name\":\"z\",\"fixed\":true,\"position\":[1e10,0,0]}],\n"
         "\"joints\":[{\"type\":\"ball\",\"parent\":\"world\",\"child\":\"y\"}]}",
         "s.json:1:67: material 'b': unknown key \"slippery\"; it may be \"friction\", "
         "\"restitution\", \"density\" or \"about\"\n"
         "s.json:3:13: body 'y': unknown key \"weight\"; it may be \"name\", \"fixed\", "
         "\"material\", \"shape\", \"mass\", "
         "\"center_of_mass\", \"inertia\", \"position\", \"orientation\", \"velocity\", "
         "\"angular_velocity\", \"motion\", "
         "\"plane\", \"repeat\" or \"about\"\n"
         "s.json:1:29: material 'a': restitution 2; it must lie between 0 and 1: more would create "
         "energy\n"
         "s.json:4:37: body 'z': position [10000000000, 0, 0] m; each coordinate must lie within "
         "+-1e9\n"
         "s.json:2:41: body 'x': sphere: radius -1 m; it must be positive");
    // and nothing that follows from it
    SAYS("{\"impel\":1,\"bodies\":[{\"name\":\"y\",\"mass\":\"heavy\",\"inertia\":[1,1,1]}],"
         "\"joints\":[{\"type\":\"ball\",\"parent\":\"world\",\"child\":\"y\"}]}",
         "s.json:1:41: body 'y': mass; got \"heavy\"; it must be a number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s1_an_empty_file_says_so),
        cmocka_unit_test(s2_every_prefix_is_an_error_with_a_place),
        cmocka_unit_test(s3_every_flipped_bit_is_an_error_or_another_scene),
        cmocka_unit_test(s4_numbers_that_are_none_are_named),
        cmocka_unit_test(s5_numbers_must_be_written_as_json_does),
        cmocka_unit_test(s6_the_locale_of_the_host_changes_nothing),
        cmocka_unit_test(s7_line_ends_and_encodings),
        cmocka_unit_test(s8_unknown_key_names_the_nearest),
        cmocka_unit_test(s9_duplicates_name_both_lines),
        cmocka_unit_test(s10_missing_references_are_named),
        cmocka_unit_test(s12_deep_nesting_is_refused),
        cmocka_unit_test(s13_sizes_have_limits),
        cmocka_unit_test(s14_counts_are_checked_before_memory_is_taken),
        cmocka_unit_test(s15_other_versions_are_refused),
        cmocka_unit_test(s16_odd_sizes_are_warnings_and_strict_makes_them_errors),
        cmocka_unit_test(s17_small_worlds_run),
        cmocka_unit_test(s18_paths_that_are_no_scene),
        cmocka_unit_test(s19_joints_that_cannot_be),
        cmocka_unit_test(twenty_messages_and_a_count),
        cmocka_unit_test(mistakes_of_both_kinds_are_told_at_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
