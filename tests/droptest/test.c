// test.c -- many drops, counted: intervals, checks, and results that depend neither on threads,
// shards nor interruptions.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "droptest/droptest.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

// --- a part --------------------------------------------------------------------------------------
typedef struct Brick {
    impScene *scene;
    impModel *model;
    impPart *part;
} Brick;

static Brick brick(void) {
    impShapeDef box = { .kind = "box", .size = { 0.01, 0.02, 0.03 } };
    Brick b = { .scene = impScene_New(vec(0, 0, -9.81)) };
    impBody body = impScene_Body(
        b.scene, &(impBodyDef){ .name = "brick", .shapes = &box, .shape_count = 1 }, NULL);
    b.model = impModel_Build(b.scene, NULL);
    b.part = impPart_New(b.model, body, NULL, NULL);
    assert_non_null(b.part);
    return b;
}

static void free_brick(Brick *b) {
    impPart_Free(b->part);
    impModel_Free(b->model);
    impScene_Free(b->scene);
}

static impDropTestDef usual_def(void) {
    return (impDropTestDef){ .drop = { .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 },
                             .drops = 10000,
                             .check = IMP_CHECK_NONE,
                             .threads = 1 };
}

static impDropTest *run(const Brick *b, const impDropTestDef *def) {
    static impError err;
    err.count = 0;
    impDropTest *test = impDropTest_New(b->part, def, &err);
    if (!test || !impDropTest_Run(test, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    return test;
}

// --- results -------------------------------------------------------------------------------------
static void threads_and_shards(void **state) {
    (void)state;
    Brick b = brick();
    impDropTestDef def = usual_def();
    impDropTest *one = run(&b, &def);
    impDropTestReport a = impDropTest_Report(one);
    assert_int_equal(a.usual.drops, 10000);
    assert_int_equal(a.usual.unresolved + a.usual.failed + a.usual.left, 0);
    def.threads = 3;
    impDropTest *three = run(&b, &def);
    assert_true(impDropTest_Report(three).usual.hash == a.usual.hash);

    // two shards have all blocks, each once
    int64_t count = 0, blocks = 0;
    def.shards = 2;
    for (def.shard = 0; def.shard < 2; def.shard++) {
        impDropTest *shard = run(&b, &def);
        impDropTestReport r = impDropTest_Report(shard);
        assert_true(impDropTest_Identity(shard) == impDropTest_Identity(one));
        count += r.usual.family[0];
        blocks += r.marks;
        for (int64_t i = 0; i < r.marks; i++) {
            assert_true(r.mark[i].hash == a.mark[r.mark[i].block].hash);
        }
        impDropTest_Free(shard);
    }
    assert_int_equal(count, a.usual.family[0]);
    assert_int_equal(blocks, a.marks);
    impDropTest_Free(one);
    impDropTest_Free(three);
    free_brick(&b);
}

static void stops_when_sharp(void **state) {
    (void)state;
    Brick b = brick();
    impDropTestDef def = usual_def();
    def.drops = 1000000;
    def.ci = 0.005;
    impDropTest *test = run(&b, &def);
    impDropTestReport r = impDropTest_Report(test);
    assert_true(impDropTally_Widest(&r.usual) <= 0.005);
    assert_int_equal(r.usual.drops % IMP_BLOCK, 0);
    // p (1 - p) (1.96 / 0.005)^2, p = 0.4
    assert_in_range(r.usual.drops, 30000, 50000);
    impShare share = impDropTest_Family(test, 0);
    assert_true(share.low < share.probability && share.probability < share.high &&
                share.high - share.low <= 0.01);
    impDropTest_Free(test);
    free_brick(&b);
}

static void refusals(void **state) {
    (void)state;
    Brick b = brick();
    impDropTestDef bad[4];
    const char *says[4] = { "0 drops", "ci 2", "shard 3 of 2", "height" };
    for (int i = 0; i < 4; i++) {
        bad[i] = usual_def();
    }
    bad[0].drops = 0;
    bad[1].ci = 2;
    bad[2].shard = 3;
    bad[2].shards = 2;
    bad[3].drop.height = 0.001;
    for (int i = 0; i < 4; i++) {
        impError err = { 0 };
        assert_null(impDropTest_New(b.part, &bad[i], &err));
        if (!strstr(err.message[0].text, says[i])) {
            fail_msg("'%s' does not say '%s'", err.message[0].text, says[i]);
        }
    }
    free_brick(&b);
}

// --- intervals and checks ------------------------------------------------------------------------
static void wilson(void **state) {
    (void)state;
    impShare none = impShare_Of(0, 10);
    impShare half = impShare_Of(5, 10);
    impShare nothing = impShare_Of(0, 0);
    NEAR(none.low, 0, 0);
    NEAR(none.high, 0.2775, 5e-5);
    NEAR(half.low, 0.2366, 5e-5);
    NEAR(half.high, 0.7634, 5e-5);
    assert_true(nothing.low == 0 && nothing.high == 1);
}

enum { KINDS = 40 };

static void draw(impDropTally *tally, uint64_t seed, int64_t count, double shift) {
    tally_clear(tally);
    tally->drops = count;
    for (int64_t i = 0; i < count; i++) {
        double u = num_uniform(seed, (uint64_t)i, 0);
        int kind = u < shift ? 0 : (int)(KINDS * num_uniform(seed, (uint64_t)i, 1));
        tally->family[kind]++;
    }
}

// Of 1000 checks of two samples of one law, with 40 families each, about 0.27 % are beyond chance;
// and a true shift is found.
static void few_false_alarms(void **state) {
    (void)state;
    impDropTally usual, fine;
    assert_true(impDropTally_New(&usual, KINDS, KINDS) && impDropTally_New(&fine, KINDS, KINDS));
    int alarms = 0, found = 0, covered = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        draw(&usual, 2 * i, 4000, 0);
        draw(&fine, 2 * i + 1, 1000, 0);
        impDropCheck c = impDropTally_Compare(&usual, &fine, NULL);
        assert_true(c.family >= 0);
        alarms += fabs(c.shift) / c.sigma > c.level;
        covered += c.bound > 0;
    }
    for (uint64_t i = 0; i < 50; i++) {
        draw(&usual, 5000 + 2 * i, 4000, 0);
        draw(&fine, 5001 + 2 * i, 1000, 0.06);
        impDropCheck c = impDropTally_Compare(&usual, &fine, NULL);
        found += c.beyond && c.family == 0;
    }
    print_message("%d of 1000 false alarms; %d of 50 shifts of 6 %% found\n", alarms, found);
    assert_in_range(alarms, 0, 10);
    assert_true(found >= 48);
    assert_int_equal(covered, 1000);
    impDropTally_Free(&usual);
    impDropTally_Free(&fine);
}

static void check_of_drops(void **state) {
    (void)state;
    Brick b = brick();
    impDropTestDef def = usual_def();
    def.check = IMP_CHECK_QUICK;
    impDropTest *test = run(&b, &def);
    impDropTestReport r = impDropTest_Report(test);
    assert_int_equal(r.check.drops, impCheck_Drops(r.check_part, 10000));
    assert_in_range(r.check.drops, 100, 2500);
    assert_true(r.check.bound > 0 && !r.check.beyond);
    impDropTest_Free(test);

    def.check = IMP_CHECK_FULL;
    test = run(&b, &def);
    assert_int_equal(impDropTest_Report(test).check.drops, 10000);
    impDropTest_Free(test);
    free_brick(&b);
}

// Poses of a family that are one by a rotation share it equally; others are given only where they
// were decided.
static void shares_of_poses(void **state) {
    (void)state;
    impDropTally t;
    assert_true(impDropTally_New(&t, 2, 4));
    impRest rest[4] = { { .family = 0, .same_as = 0 },
                        { .family = 0, .same_as = 0 },
                        { .family = 1, .same_as = 2 },
                        { .family = 1, .same_as = 3 } };
    impFamily family[2] = { { .lowest = 0, .members = 2 },
                            { .lowest = 2, .members = 2, .same_as = 1 } };
    t.drops = 100;
    t.family[0] = 60;
    t.family[1] = 40;
    t.pose[2] = 10;
    t.pose[3] = 5;
    impShare even = impDropTally_Pose(&t, rest, family, 1);
    impShare unknown = impDropTally_Pose(&t, rest, family, 2);
    assert_true(even.given && !unknown.given);
    NEAR(even.probability, 0.3, 1e-15);
    t.pose[3] = 30;
    assert_true(impDropTally_Pose(&t, rest, family, 2).given);
    impDropTally_Free(&t);
}

// --- journals ------------------------------------------------------------------------------------
static char folder[200], path[260];

static void make_folder(void) {
    strcpy(folder, "/tmp/impel-droptest-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/journal.0.bin", folder);
}

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

static bool stop_after_some(void *context, const impDropProgress *progress) {
    return progress->done < *(const int64_t *)context;
}

static void taken_up_again(void **state) {
    (void)state;
    Brick b = brick();
    int64_t enough = 70000;
    make_folder();
    impDropTestDef def = usual_def();
    def.drops = 200000;
    def.check = IMP_CHECK_QUICK;
    impDropTest *whole = run(&b, &def);
    def.journal = folder;
    def.progress = stop_after_some;
    def.context = &enough;
    impDropTest *part = run(&b, &def);
    impDropTestReport r = impDropTest_Report(part);
    assert_true(r.interrupted && r.usual.drops > 0 && r.usual.drops < 200000 &&
                r.usual.drops % IMP_BLOCK == 0);
    impDropTest_Free(part);

    def.progress = NULL;
    impDropTest *rest = run(&b, &def);
    impDropTestReport a = impDropTest_Report(whole);
    impDropTestReport c = impDropTest_Report(rest);
    assert_int_equal(c.journal_blocks, r.usual.drops / IMP_BLOCK);
    assert_int_equal(c.fresh, 200000 - r.usual.drops);
    assert_true(c.usual.hash == a.usual.hash && c.fine.hash == a.fine.hash);
    assert_true(c.check.shift == a.check.shift);
    impDropTest_Free(whole);
    impDropTest_Free(rest);
    remove_folder();
    free_brick(&b);
}

static long length_of(void) {
    struct stat there;
    assert_int_equal(stat(path, &there), 0);
    return (long)there.st_size;
}

static void change_byte(long at) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int c = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(c ^ 1, file);
    fclose(file);
}

static void broken_journals(void **state) {
    (void)state;
    Brick b = brick();
    make_folder();
    impDropTestDef def = usual_def();
    def.journal = folder;
    impDropTest *test = run(&b, &def);
    uint64_t hash = impDropTest_Report(test).usual.hash;
    impDropTest_Free(test);

    // what a kill left of a record is cut off, and made again
    assert_int_equal(truncate(path, length_of() - 5), 0);
    test = run(&b, &def);
    assert_true(impDropTest_Report(test).usual.hash == hash &&
                impDropTest_Report(test).journal_cut > 0);
    impDropTest_Free(test);

    // damage in the middle, and other drops, are refused
    impError err = { 0 };
    change_byte(60);
    test = impDropTest_New(b.part, &def, &err);
    assert_false(impDropTest_Run(test, &err));
    assert_int_equal(err.fault, IMP_DAMAGED);
    impDropTest_Free(test);
    change_byte(60);
    err = (impError){ 0 };
    def.drop.seed = 2;
    test = impDropTest_New(b.part, &def, &err);
    assert_false(impDropTest_Run(test, &err));
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    impDropTest_Free(test);
    remove_folder();
    free_brick(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_shards), cmocka_unit_test(stops_when_sharp),
        cmocka_unit_test(refusals),           cmocka_unit_test(wilson),
        cmocka_unit_test(few_false_alarms),   cmocka_unit_test(check_of_drops),
        cmocka_unit_test(shares_of_poses),    cmocka_unit_test(taken_up_again),
        cmocka_unit_test(broken_journals),
    };
    return RUN(tests);
}
