// recording.c -- recordings: what goes in comes out to the last bit, and nothing that was changed
// on the way is taken.
//
// SPDX-License-Identifier: MIT
#include "scene_support.h"

#define SCENE                                                                                      \
    "{\"impel\":1,\"gravity\":[0,0,-9.81],\"materials\":{\"steel\":{\"friction\":0.3,"             \
    "\"restitution\":0.6}},"                                                                       \
    "\"bodies\":[{\"name\":\"floor\",\"fixed\":true,\"material\":\"steel\",\"shape\":{\"plane\":{" \
    "\"normal\":[0,0,1]}}},"                                                                       \
    "{\"name\":\"ball "                                                                            \
    "\\\"</"                                                                                       \
    "script>\\\"\",\"material\":\"steel\",\"shape\":{\"sphere\":{\"radius\":0.1}},\"position\":["  \
    "0,0,0.3],"                                                                                    \
    "\"velocity\":[1,0.25,0]}],\"run\":{\"method\":\"impulse\",\"dt\":0.01}}"

typedef struct World {
    impScene *scene;
    impModel *model;
    impState *state;
    impStepper *stepper;
    impFrames *frames;
} World;

static World new_world(void) {
    static impError err;
    World w = { .scene = impScene_Parse(SCENE, strlen(SCENE), "ball.json", NULL, &err) };
    w.model = impModel_Build(w.scene, &err);
    w.state = impState_New(w.model);
    w.stepper = impStepper_New(w.model, NULL, &err);
    w.frames = impFrames_New(w.model);
    assert_true(w.state && w.stepper && w.frames);
    return w;
}

static void free_world(World w) {
    impFrames_Free(w.frames);
    impStepper_Free(w.stepper);
    impState_Free(w.state);
    impModel_Free(w.model);
    impScene_Free(w.scene);
}

static void step(World *w, int count) {
    for (int i = 0; i < count; i++) {
        impOutcome o = impStep(w->stepper, w->state, NULL, 0.01);
        assert_int_equal(o.verdict, IMP_SOLVED);
        assert_true(impFrames_Step(w->frames, &o));
    }
}

static const impRunInfo info = { .name = "ball.json",
                                 .text = SCENE,
                                 .method = "impulse",
                                 .dt = 0.01,
                                 .end = 1,
                                 .seed = 18446744073709551615u };

// Frames of `stride` steps each; their bytes, to be freed.
static unsigned char *recorded(const char *name, int frames, int stride, size_t *size) {
    static impError err;
    World w = new_world();
    Path path = in_folder(name);
    impRecorder *r = impRecorder_Open(w.scene, w.model, &info, path.text, true, &err);
    assert_non_null(r);
    for (int i = 0; i < frames; i++) {
        if (i) {
            step(&w, stride);
        }
        impFrame f = impFrames_Take(w.frames, w.state);
        assert_true(impRecorder_Add(r, w.state, &f, &err));
    }
    assert_true(impRecorder_Close(r, &(impRunEnd){ "stopped", "step 3: \"why\" <not>", 0 }, &err));
    free_world(w);
    return (unsigned char *)read_text(path.text, size);
}

// The fault with which the file is refused at any point, IMP_NO_FAULT if it is read to its end.
static impFault read_all(const char *path, int *frames) {
    static impError err;
    impRecording *r = impRecording_Open(path, &err);
    *frames = 0;
    if (!r) return err.fault;
    impState *state = impState_New(impRecording_Model(r));
    impFrame f;
    int more;
    while ((more = impRecording_Next(r, state, &f, &err)) == 1) {
        ++*frames;
    }
    // and stays there
    if (more == 0) {
        assert_int_equal(impRecording_Next(r, state, &f, &err), 0);
    }
    impState_Free(state);
    impRecording_Free(r);
    return more == 0 ? IMP_NO_FAULT : err.fault;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    // a file that is cut to nothing and filled again is synced by some systems
    remove(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// --- what goes in comes out ----------------------------------------------------------------------
static void every_bit_comes_back(void **state) {
    (void)state;
    static impError err;
    size_t size;
    free(recorded("bits.rec", 40, 2, &size));
    World w = new_world();
    impRecording *r = impRecording_Open(in_folder("bits.rec").text, &err);
    assert_non_null(r);
    impState *got = impState_New(impRecording_Model(r));
    int velocity_changes = 0, contacts = 0, frames = 0;
    for (impFrame f; impRecording_Next(r, got, &f, &err) == 1; frames++) {
        if (frames) {
            step(&w, 2);
        }
        impFrame want = impFrames_Take(w.frames, w.state);
        assert_int_equal(f.step, want.step);
        assert_int_equal(f.contact_count, want.contact_count);
        assert_int_equal(f.velocity_change_count, want.velocity_change_count);
        assert_memory_equal(impState_Data(got), impState_Data(w.state),
                            impModel_StateSize(w.model));
        assert_memory_equal(&f.energy, &want.energy, sizeof f.energy);
        assert_memory_equal(&f.momentum, &want.momentum, sizeof f.momentum);
        assert_memory_equal(&f.causes, &want.causes, sizeof f.causes);
        assert_memory_equal(&f.worst, &want.worst, sizeof f.worst);
        for (int i = 0; i < f.contact_count; i++) {
            assert_memory_equal(&f.contact[i].impulse, &want.contact[i].impulse, sizeof(impVec3));
            assert_memory_equal(&f.contact[i].after, &want.contact[i].after, sizeof(impVec3));
            assert_true(f.contact[i].time == want.contact[i].time &&
                        f.contact[i].feature == want.contact[i].feature);
            assert_true(f.contact[i].mode == want.contact[i].mode &&
                        f.contact[i].micro == want.contact[i].micro);
            assert_int_equal(f.contact[i].a.i, want.contact[i].a.i);
        }
        velocity_changes += f.velocity_change_count;
        contacts += f.contact_count;
    }
    assert_int_equal(frames, 40);
    // the ball has bounced
    assert_true(velocity_changes >= 2 && contacts >= 2);
    assert_string_equal(impRecording_End(r).status, "stopped");
    assert_string_equal(impRecording_End(r).reason, "step 3: \"why\" <not>");
    assert_true(impRecording_Run(r).seed == info.seed);
    assert_string_equal(impRecording_Run(r).text, SCENE);
    impState_Free(got);
    impRecording_Free(r);
    free_world(w);
}

static void a_turn_is_where_the_ball_turned(void **state) {
    (void)state;
    World w = new_world();
    // first bounce: 0.2 m above the floor, t = sqrt(2 h / g)
    step(&w, 30);
    impFrame f = impFrames_Take(w.frames, w.state);
    assert_true(f.velocity_change_count >= 1);
    double level = impModel_Run(w.model).contact_band / 2;
    double t = sqrt(2 * (0.2 - level) / 9.81);
    assert_true(fabs(f.velocity_change[0].time - t) < 1e-9);
    assert_true(fabs(f.velocity_change[0].pose.at.z - 0.1 - level) < 1e-9 &&
                fabs(f.velocity_change[0].pose.at.x - t) < 1e-9);
    assert_true(fabs(f.velocity_change[0].twist.linear.z - 0.6 * 9.81 * t) < 1e-9);
    assert_int_equal(f.velocity_change[0].body.i, 2);
    // told once
    assert_int_equal(impFrames_Take(w.frames, w.state).velocity_change_count, 0);
    free_world(w);
}

// A ball between floor and ceiling, ten collisions in one step: each of them bends its way.
static void every_collision_of_a_step_is_a_turn(void **state) {
    (void)state;
    static const char text[] =
        "{\"impel\":1,\"gravity\":[0,0,0],\"materials\":{\"m\":{\"friction\":0,\"restitution\":1}},"
        "\"bodies\":[{\"name\":\"f\",\"fixed\":true,\"material\":\"m\",\"shape\":{\"plane\":{"
        "\"normal\":[0,0,1]}}},"
        "{\"name\":\"c\",\"fixed\":true,\"material\":\"m\",\"shape\":{\"plane\":{\"normal\":[0,0,-"
        "1],\"offset\":-0.3}}},"
        "{\"name\":\"ball\",\"material\":\"m\",\"shape\":{\"sphere\":{\"radius\":0.1}},"
        "\"position\":[0,0,0.15],\"velocity\":[1,0,10]}],"
        "\"run\":{\"method\":\"impulse\",\"dt\":0.1}}";
    static impError err;
    impModel *model = good(text);
    impState *world = impState_New(model);
    impStepper *stepper = impStepper_New(model, NULL, &err);
    impOutcome o = impStep(stepper, world, NULL, 0.1);
    assert_int_equal(o.verdict, IMP_SOLVED);
    assert_int_equal(o.contact_count, 10);
    assert_int_equal(o.velocity_change_count, 10);
    for (int i = 0; i < o.velocity_change_count; i++) {
        const impVelocityChange *t = &o.velocity_changes[i];
        assert_true(t->body.i == 3 && t->time == o.contacts[i].time &&
                    (i == 0 || t->time > t[-1].time));
        assert_true(fabs(t->pose.at.z - (i % 2 ? 0.1 : 0.2)) < 1e-4 &&
                    fabs(t->pose.at.x - t->time) < 1e-12);
        assert_true(fabs(t->twist.linear.z - (i % 2 ? 10 : -10)) < 1e-9);
    }
    impStepper_Free(stepper);
    impState_Free(world);
    impModel_Free(model);
}

static void a_state_goes_on_from_a_recording(void **state) {
    (void)state;
    static impError err;
    size_t size;
    free(recorded("on.rec", 20, 3, &size));
    World w = new_world();
    step(&w, 57);
    impRecording *r = impRecording_Open(in_folder("on.rec").text, &err);
    impState *got = impState_New(impRecording_Model(r));
    impFrame f;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(impRecording_Next(r, got, &f, &err), 1);
    }
    impStepper *stepper = impStepper_New(
        impRecording_Model(r), &(impStepperDef){ .method = impRecording_Run(r).method }, &err);
    while (f.step++ < 57) {
        assert_int_equal(impStep(stepper, got, NULL, 0.01).verdict, IMP_SOLVED);
    }
    assert_true(impState_Hash(impRecording_Model(r), got) == impState_Hash(w.model, w.state));
    impStepper_Free(stepper);
    impState_Free(got);
    impRecording_Free(r);
    free_world(w);
}

static void equal_runs_equal_bytes(void **state) {
    (void)state;
    size_t a, b;
    unsigned char *x = recorded("a.rec", 30, 3, &a);
    unsigned char *y = recorded("elsewhere.rec", 30, 3, &b);
    assert_int_equal(a, b);
    assert_memory_equal(x, y, a);
    free(x);
    free(y);
}

// --- what is damaged is refused ------------------------------------------------------------------
static void every_changed_bit_is_noticed(void **state) {
    (void)state;
    size_t size;
    int frames;
    unsigned char *bytes = recorded("flip.rec", 3, 12, &size);
    Path path = in_folder("flipped.rec");
    write_bytes(path.text, bytes, size);
    assert_int_equal(read_all(path.text, &frames), IMP_NO_FAULT);
    assert_int_equal(frames, 3);
    for (size_t i = 0; i < size; i++) {
        unsigned char bit = (unsigned char)(1u << (i * 5 % 8));
        bytes[i] ^= bit;
        write_bytes(path.text, bytes, size);
        if (read_all(path.text, &frames) != IMP_DAMAGED) {
            fail_msg("bit %d of byte %zu was not noticed", bit, i);
        }
        bytes[i] ^= bit;
    }
    free(bytes);
}

static void every_length_but_the_whole_is_refused(void **state) {
    (void)state;
    size_t size;
    int frames;
    unsigned char *bytes = recorded("cut.rec", 3, 12, &size);
    Path path = in_folder("shorter.rec");
    for (size_t length = 0; length < size; length++) {
        write_bytes(path.text, bytes, length);
        if (read_all(path.text, &frames) != IMP_DAMAGED) {
            fail_msg("%zu of %zu bytes were taken", length, size);
        }
    }
    unsigned char *longer = calloc(1, size + 8);
    memcpy(longer, bytes, size);
    write_bytes(path.text, longer, size + 8);
    assert_int_equal(read_all(path.text, &frames), IMP_DAMAGED);
    free(bytes);
    free(longer);
}

// How many frames end within so many bytes; *scene: where the chunk of the scene ends.
static int whole_frames(const unsigned char *bytes, size_t length, size_t size, size_t *scene) {
    int frames = 0;
    for (size_t at = 16; at < size;) {
        size_t payload = 0;
        for (int i = 7; i >= 0; i--) {
            payload = payload << 8 | bytes[at + 8 + (size_t)i];
        }
        size_t end = at + 16 + (payload + 7) / 8 * 8 + 8;
        if (memcmp(bytes + at, "SCEN", 4) == 0) {
            *scene = end;
        }
        if (memcmp(bytes + at, "FRAM", 4) == 0 && end <= length) {
            frames++;
        }
        at = end;
    }
    return frames;
}

// Frames that were saved, each with the state that it had; -1: refused.
static int salvaged(const char *path, char *status, char *reason, size_t room) {
    static impError err;
    impRecording *r = impRecording_Salvage(path, &err);
    int frames = 0;
    int more = -1;
    impFrame f;
    impState *state = r ? impState_New(impRecording_Model(r)) : NULL;
    while (r && (more = impRecording_Next(r, state, &f, &err)) == 1) {
        assert_true(impState_Hash(impRecording_Model(r), state) == f.hash);
        frames++;
    }
    if (more < 0) {
        assert_int_equal(err.fault, IMP_DAMAGED);
        assert_int_equal(err.count, 1);
        snprintf(reason, room, "%s", err.message[0].text);
    } else {
        impRunEnd end = impRecording_End(r);
        snprintf(reason, room, "%s", end.reason);
        snprintf(status, room, "%s", end.status);
        assert_int_equal(end.frames, frames);
    }
    impState_Free(state);
    impRecording_Free(r);
    return more < 0 ? -1 : frames;
}

static void whole_frames_are_saved_from_every_length(void **state) {
    (void)state;
    size_t size;
    size_t scene = 0;
    unsigned char *bytes = recorded("rest.rec", 4, 12, &size);
    Path path = in_folder("rest.rec");
    char status[500], reason[500], wanted[500];
    assert_int_equal(whole_frames(bytes, size, size, &scene), 4);
    for (size_t length = 0; length <= size; length++) {
        int want = whole_frames(bytes, length, size, &scene);
        write_bytes(path.text, bytes, length);
        int got = salvaged(path.text, status, reason, sizeof reason);
        if (got != (want ? want : -1)) {
            fail_msg("%d of %d frames of %zu bytes: %s", got, want, length, reason);
        }
        if (length >= 16 && length < scene) {
            snprintf(wanted, sizeof wanted,
                     "not whole up to the end of its scene, so that no frame of it can be saved; "
                     "it has %zu bytes",
                     length);
            assert_string_equal(reason, wanted);
        }
        if (length == scene) {
            snprintf(wanted, sizeof wanted,
                     "no frame of it is whole, so that there is nothing to save; it has %zu bytes",
                     length);
            assert_string_equal(reason, wanted);
        }
        if (want && length < size) {
            assert_memory_equal(reason, "salvaged: ", 10);
            assert_string_equal(status, "interrupted");
        }
        // nothing was missing
        if (length == size) {
            assert_string_equal(status, "stopped");
        }
    }
    free(bytes);
}

// Sums go on from chunk to chunk: behind what was changed nothing can be trusted.
static void whole_frames_are_saved_up_to_a_change(void **state) {
    (void)state;
    size_t size;
    size_t scene = 0;
    unsigned char *bytes = recorded("rest.rec", 6, 3, &size);
    Path path = in_folder("rest.rec");
    char status[500], reason[500];
    assert_int_equal(whole_frames(bytes, size, size, &scene), 6);
    for (size_t at = scene; at < size; at += 7) {
        int want = whole_frames(bytes, at, size, &scene);
        bytes[at] ^= 16;
        write_bytes(path.text, bytes, size);
        bytes[at] ^= 16;
        int got = salvaged(path.text, status, reason, sizeof reason);
        if (got != (want ? want : -1)) {
            fail_msg("%d of %d frames before byte %zu: %s", got, want, at, reason);
        }
    }
    // what follows a whole recording is left out
    unsigned char *longer = calloc(1, size + 8);
    memcpy(longer, bytes, size);
    write_bytes(path.text, longer, size + 8);
    assert_int_equal(salvaged(path.text, status, reason, sizeof reason), 6);
    assert_null(impRecording_Salvage(NULL, NULL));
    free(bytes);
    free(longer);
}

// What is beside the name while a run goes on is what a kill would leave: every frame so far.
static void every_frame_is_handed_on_at_once(void **state) {
    (void)state;
    static impError err;
    World w = new_world();
    Path path = in_folder("going.rec");
    char temporary[300], status[500], reason[500];
    snprintf(temporary, sizeof temporary, "%s.tmp.%ld", path.text, (long)getpid());
    impRecorder *r = impRecorder_Open(w.scene, w.model, &info, path.text, true, &err);
    assert_non_null(r);
    for (int i = 0; i < 5; i++) {
        impFrame f = impFrames_Take(w.frames, w.state);
        assert_true(impRecorder_Add(r, w.state, &f, &err));
        assert_int_equal(salvaged(temporary, status, reason, sizeof reason), i + 1);
        assert_string_equal(reason, "salvaged: the end is missing");
        step(&w, 2);
    }
    impRecorder_Abandon(r);
    free_world(w);
}

static void a_frame_cannot_be_taken_out_or_moved(void **state) {
    (void)state;
    size_t size;
    size_t first = 0;
    size_t second = 0;
    size_t third = 0;
    int frames;
    unsigned char *bytes = recorded("moved.rec", 4, 1, &size);
    // chunks start at multiples of 8
    for (size_t i = 16; i + 4 < size; i += 8) {
        if (memcmp(bytes + i, "FRAM", 4) == 0) {
            if (!first) {
                first = i;
            } else if (!second) {
                second = i;
            } else if (!third) {
                third = i;
            }
        }
    }
    // nothing happened between them
    assert_true(third - second == second - first);
    Path path = in_folder("moved.rec");
    size_t length = second - first;
    unsigned char *other = malloc(size);
    memcpy(other, bytes, size);
    memmove(other + first, other + second, size - second);
    write_bytes(path.text, other, size - length);
    assert_int_equal(read_all(path.text, &frames), IMP_DAMAGED);
    memcpy(other, bytes, size);
    memcpy(other + first, bytes + second, length);
    memcpy(other + second, bytes + first, length);
    write_bytes(path.text, other, size);
    assert_int_equal(read_all(path.text, &frames), IMP_DAMAGED);
    free(bytes);
    free(other);
}

static void sentences_say_what_is_wrong(void **state) {
    (void)state;
    static impError err;
    size_t size;
    unsigned char *bytes = recorded("said.rec", 2, 1, &size);
    Path path = in_folder("said.rec");
    bytes[8] = 7;
    write_bytes(path.text, bytes, size);
    assert_null(impRecording_Open(path.text, &err));
    assert_string_equal(err.message[0].text,
                        "a recording of version 7; this build reads version 4");
    write_bytes(path.text, (const unsigned char *)"{ \"impel\": 1 }   ", 17);
    assert_null(impRecording_Open(path.text, &err));
    assert_string_equal(err.message[0].text,
                        "no recording; it must begin with the letters IMPELREC");
    assert_null(impRecording_Open(in_folder("nowhere.rec").text, &err));
    assert_int_equal(err.fault, IMP_BAD_FILE);
    assert_null(impRecording_Open(NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    free(bytes);
}

static void strangers_are_refused(void **state) {
    (void)state;
    static impError err;
    World w = new_world();
    impFrame f = { 0 };
    impRecorder *r = impRecorder_Open(w.scene, w.model, &info, in_folder("strange.rec").text, true,
                                      &err);
    assert_false(impRecorder_Add(r, NULL, &f, &err));
    impModel *other = good("{\"impel\":1,\"bodies\":[]}");
    impState *foreign = impState_New(other);
    assert_false(impRecorder_Add(r, foreign, &f, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    impRecorder_Abandon(r);
    assert_null(fopen(in_folder("strange.rec").text, "rb"));
    assert_null(impRecorder_Open(w.scene, w.model, NULL, "x.rec", true, &err));
    assert_false(impRecorder_Close(NULL, NULL, &err));
    assert_null(impFrames_New(NULL));
    assert_true(impFrames_Step(NULL, NULL));
    assert_int_equal(impRecording_Next(NULL, foreign, &f, &err), -1);
    impState_Free(foreign);
    impModel_Free(other);
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_comes_back),
        cmocka_unit_test(a_turn_is_where_the_ball_turned),
        cmocka_unit_test(every_collision_of_a_step_is_a_turn),
        cmocka_unit_test(a_state_goes_on_from_a_recording),
        cmocka_unit_test(equal_runs_equal_bytes),
        cmocka_unit_test(every_changed_bit_is_noticed),
        cmocka_unit_test(every_length_but_the_whole_is_refused),
        cmocka_unit_test(whole_frames_are_saved_from_every_length),
        cmocka_unit_test(whole_frames_are_saved_up_to_a_change),
        cmocka_unit_test(every_frame_is_handed_on_at_once),
        cmocka_unit_test(a_frame_cannot_be_taken_out_or_moved),
        cmocka_unit_test(sentences_say_what_is_wrong),
        cmocka_unit_test(strangers_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
