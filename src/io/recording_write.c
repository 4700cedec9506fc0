// recording_write.c -- a run as it was, in chunks: docs/reference/recording.md.
//
// Each chunk has a tag, a length and a sum that goes on from the one before. Everything is
// little-endian and 64 bits wide, no struct is written as it lies in memory, and no time of day,
// path or machine gets in: equal runs, equal bytes.
//
// SPDX-License-Identifier: MIT
#include "io/recording.h"

#include <stdlib.h>

struct impRecorder {
    const impModel *model;
    Output *out;
    unsigned char *bytes;  // the chunk that is being made
    size_t room;
    uint64_t sum;
    uint64_t loads;  // sum of the loads written last
    int64_t frames;
};

static bool bad_call(impError *err, const char *what) {
    return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 }, "%s", what);
}

// --- chunks --------------------------------------------------------------------------------------
// Room for a payload of this length, with zeros behind it up to a whole word. NULL: no memory.
static unsigned char *payload(impRecorder *r, const char tag[4], size_t length, impError *err) {
    size_t whole = CHUNK_FRONT + recording_padded(length) + CHUNK_BACK;
    if (whole > r->room) {
        unsigned char *more = realloc(r->bytes, whole + whole / 2);
        if (!more) {
            fail_memory(err);
            return NULL;
        }
        r->bytes = more;
        r->room = whole + whole / 2;
    }
    memset(r->bytes, 0, CHUNK_FRONT);
    memcpy(r->bytes, tag, 4);
    bytes_put_64(r->bytes + 8, length);
    memset(r->bytes + CHUNK_FRONT + recording_padded(length) - (length ? 8 : 0), 0, length ? 8 : 0);
    return r->bytes + CHUNK_FRONT;
}

static bool put_chunk(impRecorder *r, impError *err) {
    size_t inside = CHUNK_FRONT + recording_padded((size_t)bytes_get_64(r->bytes + 8));
    r->sum = recording_sum(r->sum, r->bytes, inside);
    bytes_put_64(r->bytes + inside, r->sum);
    return output_write(r->out, (const char *)r->bytes, inside + CHUNK_BACK, err);
}

static bool put_text(impRecorder *r, const char tag[4], const char *text, size_t length,
                     impError *err) {
    unsigned char *to = payload(r, tag, length, err);
    if (!to) return false;
    memcpy(to, text, length);
    return put_chunk(r, err);
}

// --- the beginning -------------------------------------------------------------------------------
static bool put_front(impRecorder *r, impError *err) {
    unsigned char front[RECORDING_FRONT] = RECORDING_MAGIC;
    front[8] = RECORDING_VERSION;
    r->sum = recording_sum(HASH_START, front, sizeof front);
    return output_write(r->out, (const char *)front, sizeof front, err);
}

static char *quoted(Pool *pool, const char *text) {
    char *out = pool_take(pool, 6 * strlen(text) + 1, 1);
    char one[8];
    for (char *to = out; out && *text; text++) {
        const char *piece = text_escape(*text, one);
        memcpy(to, piece, strlen(piece) + 1);
        to += strlen(piece);
    }
    return out;
}

// only those that are not the usual ones
static char *rules_of(Pool *pool, const impRunInfo *run) {
    char *text = pool_print(pool, "%s", "");
    char *rule = run->on_violation ? quoted(pool, run->on_violation) : NULL;
    if (text && run->tolerance > 0) {
        text = pool_print(pool, ", \"tolerance\": %s", show(run->tolerance).text);
    }
    if (text && run->on_violation) {
        text = rule ? pool_print(pool, "%s, \"on_violation\": \"%s\"", text, rule) : NULL;
    }
    char *solver = run->solver ? quoted(pool, run->solver) : NULL;
    if (text && run->solver) {
        text = solver ? pool_print(pool, "%s, \"solver\": \"%s\"", text, solver) : NULL;
    }
    return text;
}

static bool put_run(impRecorder *r, const impRunInfo *run, impError *err) {
    Pool pool = { 0 };
    char *name = quoted(&pool, run->name ? run->name : "");
    char *method = quoted(&pool, run->method ? run->method : "");
    char *rules = rules_of(&pool, run);
    char *text = !name || !method || !rules
                     ? NULL
                     : pool_print(&pool,
                                  "{\"impel\": \"%s\", \"name\": \"%s\", \"method\": \"%s\", "
                                  "\"dt\": %s, \"end\": %s, "
                                  "\"seed\": \"%llu\", \"bodies\": %d, \"state\": %d%s}",
                                  impVersion(), name, method, show(run->dt).text,
                                  show(run->end).text, (unsigned long long)run->seed,
                                  r->model->body_count, r->model->layout.total, rules);
    bool ok = text ? put_text(r, "RUN ", text, strlen(text), err) : fail_memory(err);
    pool_free(&pool);
    return ok;
}

static bool put_scene_text(impRecorder *r, const impScene *scene, impError *err) {
    size_t size = 0;
    char *text = scene_text(scene, &size, err);
    bool ok = text && put_text(r, "SCEN", text, size, err);
    free(text);
    return ok;
}

static bool begin(impRecorder *r, const impScene *scene, const impRunInfo *run, impError *err) {
    const char *text = run->text ? run->text : "";
    return put_front(r, err) && put_run(r, run, err) &&
           put_text(r, "TEXT", text, strlen(text), err) && put_scene_text(r, scene, err);
}

impRecorder *impRecorder_Open(const impScene *scene, const impModel *model, const impRunInfo *run,
                              const char *path, bool force, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!scene || !model || !run || !path) {
        bad_call(err, "impRecorder_Open: an argument is NULL; it must be given");
        return NULL;
    }
    const char *const told[] = { run->name, run->method, run->on_violation, run->solver };
    for (int i = 0; i < COUNT(told); i++) {
        if (told[i] && !text_is_utf8(told[i])) {
            bad_call(err, "impRecorder_Open: name, method, on_violation and solver must be UTF-8");
            return NULL;
        }
    }
    if (!(run->tolerance >= 0 && run->tolerance <= 1)) {
        bad_call(err, "impRecorder_Open: a tolerance lies between 0 and 1");
        return NULL;
    }
    impRecorder *r = calloc(1, sizeof *r);
    if (!r) {
        fail_memory(err);
        return NULL;
    }
    r->model = model;
    r->out = output_open(path, force, err);
    if (r->out && begin(r, scene, run, err)) return r;
    impRecorder_Abandon(r);
    return NULL;
}

// --- frames --------------------------------------------------------------------------------------
static unsigned char *pack_contacts(impRecorder *r, const char tag[4], const impContact *list,
                                    int count, impError *err) {
    unsigned char *to = payload(r, tag, (size_t)count * CONTACT_BYTES, err);
    Numbers n = { .to = to };
    for (int i = 0; to && i < count; i++) {
        impContact c = list[i];
        numbers_contact(&n, &c);
    }
    return to;
}

static bool put_turns(impRecorder *r, const impFrame *frame, impError *err) {
    unsigned char *to = payload(r, "TURN",
                                (size_t)frame->velocity_change_count * VELOCITY_CHANGE_BYTES, err);
    Numbers n = { .to = to };
    for (int i = 0; to && i < frame->velocity_change_count; i++) {
        impVelocityChange t = frame->velocity_change[i];
        numbers_turn(&n, &t);
    }
    return to && put_chunk(r, err);
}

// only where they have changed
static bool put_loads(impRecorder *r, const impFrame *frame, impError *err) {
    unsigned char *to = pack_contacts(r, "LOAD", frame->sleeping_contact,
                                      frame->sleeping_contact_count, err);
    if (!to) return false;
    uint64_t sum = recording_sum(0, to, (size_t)frame->sleeping_contact_count * CONTACT_BYTES);
    if (sum == r->loads) return true;
    r->loads = sum;
    return put_chunk(r, err);
}

static bool put_frame(impRecorder *r, const impState *state, const impFrame *frame, impError *err) {
    size_t count = model_state_used(r->model, state->data);
    unsigned char *to = payload(r, "FRAM", 8 * (FRAME_NUMBERS + count), err);
    if (!to) return false;
    Numbers n = { .to = to };
    impFrame copy = *frame;
    numbers_frame(&n, &copy);
    for (size_t i = 0; i < count; i++) {
        double value = state->data[i];
        numbers_real(&n, &value);
    }
    return put_chunk(r, err);
}

bool impRecorder_Add(impRecorder *r, const impState *state, const impFrame *frame, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!r || !state || !frame)
        return bad_call(err, "impRecorder_Add: an argument is NULL; it must be given");
    if (state->model_id != r->model->id)
        return bad_call(err, "impRecorder_Add: the state belongs to another model");
    r->frames++;
    if (frame->contact_count &&
        (!pack_contacts(r, "CONT", frame->contact, frame->contact_count, err) ||
         !put_chunk(r, err)))
        return false;
    if (frame->velocity_change_count && !put_turns(r, frame, err)) return false;
    // whole frames are all that a killed run leaves: impRecording_Salvage
    return put_loads(r, frame, err) && put_frame(r, state, frame, err) && output_flush(r->out, err);
}

// --- the end -------------------------------------------------------------------------------------
static bool put_end(impRecorder *r, const impRunEnd *end, impError *err) {
    Pool pool = { 0 };
    char *status = quoted(&pool, end && end->status ? end->status : "complete");
    char *reason = quoted(&pool, end && end->reason ? end->reason : "");
    char *text = !status || !reason
                     ? NULL
                     : pool_print(&pool,
                                  "{\"status\": \"%s\", \"reason\": \"%s\", \"frames\": %lld}",
                                  status, reason, (long long)r->frames);
    bool ok = text ? put_text(r, "END ", text, strlen(text), err) : fail_memory(err);
    pool_free(&pool);
    return ok;
}

static void let_go(impRecorder *r) {
    free(r->bytes);
    free(r);
}

bool impRecorder_Close(impRecorder *r, const impRunEnd *end, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!r) return bad_call(err, "impRecorder_Close: the recorder is NULL; it must be given");
    bool ok = put_end(r, end, err);
    if (ok) {
        ok = output_commit(r->out, err);
    } else {
        output_abandon(r->out);
    }
    let_go(r);
    return ok;
}

void impRecorder_Abandon(impRecorder *r) {
    if (!r) return;
    if (r->out) {
        output_abandon(r->out);
    }
    let_go(r);
}
