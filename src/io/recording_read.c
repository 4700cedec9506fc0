// recording_read.c -- a recording, read chunk by chunk: docs/reference/recording.md.
//
// Nothing is believed before its sum is right, no length before it is known to fit into the file,
// and no state before it has the hash that was written with it. What is wrong is one sentence with
// the file, the place in it and the rule. Of what a killed run has left the frames are read up to
// the first chunk that is not whole: the sums go on from chunk to chunk, so that nothing behind it
// could be trusted.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"
#include "io/recording.h"

#include <errno.h>
#include <stdlib.h>

struct impRecording {
    FILE *file;
    char *path;
    int64_t size, at;  // bytes: of the file, read so far
    uint64_t sum;
    unsigned char *bytes;  // of the chunk at hand, front included
    size_t length, room;   // length of its payload
    Pool pool;
    impRunInfo run;
    impRunEnd end;
    int64_t frames;
    impFrame last;        // its numbers
    int bodies, numbers;  // as the front says: of the model, of a state
    impScene *scene;
    impModel *model;
    double *data;  // of one state
    impContact *contact, *sleeping_contact;
    impVelocityChange *velocity_change;
    int contact_count, sleeping_contact_count, velocity_change_count, contact_room,
        sleeping_contact_room, velocity_change_room;
    bool ended;
    bool salvage;   // what is not whole ends it, instead of being refused
    bool torn;      // the chunk at hand is not whole
    int64_t whole;  // bytes up to the end of the last frame
};

// --- saying what is wrong ------------------------------------------------------------------------
static bool damaged(const impRecording *r, impError *err, const char *format, ...)
    PRINTF_LIKE(3, 4);
static bool damaged(const impRecording *r, impError *err, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    print_list(text, sizeof text, format, args);
    va_end(args);
    return fail_as(err, IMP_DAMAGED, (Where){ r->path, 0, 0 }, "%s", text);
}

static bool cut_short(impRecording *r, impError *err) {
    r->torn = true;
    return damaged(r, err, "cut short after %lld bytes; a recording ends with a chunk 'END '",
                   (long long)r->size);
}

// --- chunks --------------------------------------------------------------------------------------
static bool take(impRecording *r, unsigned char *to, size_t count, impError *err) {
    if (r->size - r->at < (int64_t)count) return cut_short(r, err);
    if (fread(to, 1, count, r->file) != count)
        return fail_as(err, IMP_BAD_FILE, (Where){ r->path, 0, 0 }, "could not be read; %s",
                       ferror(r->file) ? strerror(errno) : "it became shorter meanwhile");
    r->at += (int64_t)count;
    return true;
}

static bool grow(impRecording *r, size_t whole, impError *err) {
    if (whole <= r->room) return true;
    unsigned char *more = realloc(r->bytes, whole);
    if (!more) return fail_memory(err);
    r->bytes = more;
    r->room = whole;
    return true;
}

static bool next_chunk(impRecording *r, impError *err) {
    int64_t start = r->at;
    if (!grow(r, 4096, err) || !take(r, r->bytes, CHUNK_FRONT, err)) return false;
    uint64_t length = bytes_get_64(r->bytes + 8);
    uint64_t left = (uint64_t)(r->size - r->at);
    if (length > left || recording_padded((size_t)length) + CHUNK_BACK > left) {
        r->torn = true;
        bool known = !memcmp(r->bytes, "FRAM", 4) || !memcmp(r->bytes, "CONT", 4) ||
                     !memcmp(r->bytes, "SCEN", 4);
        return damaged(
            r, err,
            "the chunk at byte %lld would need %llu bytes and %llu are left; the file is %s",
            (long long)start, (unsigned long long)length, (unsigned long long)left,
            known ? "cut short or changed" : "changed");
    }
    size_t rest = recording_padded((size_t)length) + CHUNK_BACK;
    size_t whole = CHUNK_FRONT + rest;
    if (!grow(r, whole, err) || !take(r, r->bytes + CHUNK_FRONT, rest, err)) return false;
    r->sum = recording_sum(r->sum, r->bytes, whole - CHUNK_BACK);
    r->length = (size_t)length;
    if (bytes_get_64(r->bytes + whole - CHUNK_BACK) == r->sum) return true;
    r->torn = true;
    return damaged(
        r, err, "the chunk at byte %lld has been changed: its sum is not the one written with it",
        (long long)start);
}

static bool is(const impRecording *r, const char *tag) { return memcmp(r->bytes, tag, 4) == 0; }

static bool strange(const impRecording *r, const char *wanted, impError *err) {
    char tag[5] = "";
    for (int i = 0; i < 4; i++) {
        tag[i] = r->bytes[i] >= 32 && r->bytes[i] < 127 ? (char)r->bytes[i] : '?';
    }
    return damaged(r, err, "a chunk '%s' of %zu bytes where %s should be", tag, r->length, wanted);
}

static const char *text_of(impRecording *r, impError *err) {
    char *text = pool_take(&r->pool, r->length + 1, 1);
    if (!text) {
        fail_memory(err);
    } else {
        memcpy(text, r->bytes + CHUNK_FRONT, r->length);
    }
    return text;
}

// --- the beginning -------------------------------------------------------------------------------
static bool read_front(impRecording *r, impError *err) {
    unsigned char front[RECORDING_FRONT];
    if (r->size < RECORDING_FRONT || !take(r, front, sizeof front, NULL) ||
        memcmp(front, RECORDING_MAGIC, 8) != 0)
        return damaged(r, err, "no recording; it must begin with the letters " RECORDING_MAGIC);
    uint64_t version = bytes_get_64(front + 8);
    if (version != RECORDING_VERSION)
        return damaged(r, err, "a recording of version %llu; this build reads version %d",
                       (unsigned long long)version, RECORDING_VERSION);
    r->sum = recording_sum(HASH_START, front, sizeof front);
    return true;
}

static const Json *object_of(impRecording *r, const char *what, impError *err) {
    const char *text = text_of(r, err);
    const Json *doc = text ? json_parse(&r->pool, text, r->length, NULL, 0, NULL) : NULL;
    if (!text || (doc && doc->root->kind == JSON_OBJECT)) return doc;
    damaged(r, err, "%s is no JSON object", what);
    return NULL;
}

static const char *text_at(const Json *doc, const char *key) {
    const JsonNode *n = json_find(doc->root, key);
    return n && n->kind == JSON_STRING ? n->text : NULL;
}

static double number_at(const Json *doc, const char *key) {
    const JsonNode *n = json_find(doc->root, key);
    return n && n->kind == JSON_NUMBER ? n->number : -1;
}

static bool read_run(impRecording *r, impError *err) {
    if (!next_chunk(r, err)) return false;
    if (!is(r, "RUN ")) return strange(r, "'RUN '", err);
    const Json *doc = object_of(r, "'RUN '", err);
    if (!doc) return false;
    const char *seed = text_at(doc, "seed");
    double bodies = number_at(doc, "bodies");
    double numbers = number_at(doc, "state");
    // 0: the stepper's own
    double tolerance = json_find(doc->root, "tolerance") ? number_at(doc, "tolerance") : 0;
    r->run = (impRunInfo){ .name = text_at(doc, "name"),
                           .method = text_at(doc, "method"),
                           .dt = number_at(doc, "dt"),
                           .end = number_at(doc, "end"),
                           .seed = seed ? strtoull(seed, NULL, 10) : 0,
                           .tolerance = tolerance,
                           .on_violation = text_at(doc, "on_violation"),
                           .solver = text_at(doc, "solver") };
    if (!r->run.name || !r->run.method || !seed || !(r->run.dt > 0) || !(r->run.end >= 0) ||
        !(bodies >= 1) || !(numbers >= 1) || bodies > INT32_MAX || numbers > INT32_MAX)
        return damaged(r, err, "'RUN ' does not say name, method, dt, end, seed, bodies and state");
    if (!(tolerance >= 0 && tolerance <= 1))
        return damaged(r, err, "the tolerance in 'RUN ' does not lie between 0 and 1");
    r->bodies = (int)bodies;
    r->numbers = (int)numbers;
    return true;
}

static bool read_text(impRecording *r, impError *err) {
    if (!next_chunk(r, err)) return false;
    if (!is(r, "TEXT")) return strange(r, "'TEXT'", err);
    const char *text = r->length ? text_of(r, err) : NULL;
    r->run.text = text;
    return text || r->length == 0;
}

// What a scene in a sound recording lacks is a difference between builds: the first message says
// which.
static bool refuse_scene(const impRecording *r, const impError *inner, impError *err) {
    if (inner->fault == IMP_AT_LIMIT)
        return fail_as(err, IMP_AT_LIMIT, (Where){ r->path, 0, 0 }, "%s", inner->message[0].text);
    return damaged(r, err, "this build does not take the scene in it: %s", inner->message[0].text);
}

static bool build_scene(impRecording *r, const char *text, impError *inner, impError *err) {
    impLoadDef limits = { .max_bodies = r->bodies, .max_triangles = INT32_MAX };
    r->scene = impScene_Parse(text, r->length, r->run.name, &limits, inner);
    r->model = r->scene ? impModel_Build(r->scene, inner) : NULL;
    if (!r->model) return refuse_scene(r, inner, err);
    if (r->model->body_count == r->bodies && r->model->layout.total == r->numbers) return true;
    return damaged(
        r, err, "this build makes a state of %d numbers of the scene in it; the recording has %d",
        r->model->layout.total, r->numbers);
}

static bool read_scene_chunk(impRecording *r, impError *err) {
    if (!next_chunk(r, err)) return false;
    if (!is(r, "SCEN")) return strange(r, "'SCEN'", err);
    const char *text = text_of(r, err);
    impError *inner = text ? calloc(1, sizeof *inner) : NULL;
    bool ok = inner ? build_scene(r, text, inner, err) : fail_memory(err);
    free(inner);
    if (!ok) return false;
    r->data = calloc((size_t)r->numbers, sizeof *r->data);
    return r->data || fail_memory(err);
}

static bool open_file(impRecording *r, const char *path, impError *err) {
    r->path = pool_text(&r->pool, path);
    if (!r->path) return fail_memory(err);
    r->file = fopen(path, "rb");
    if (!r->file)
        return fail_as(err, IMP_BAD_FILE, (Where){ path, 0, 0 }, "cannot be opened; %s",
                       strerror(errno));
    if (fseeko(r->file, 0, SEEK_END) != 0 || (r->size = ftello(r->file)) < 0 ||
        fseeko(r->file, 0, SEEK_SET) != 0)
        return fail_as(err, IMP_BAD_FILE, (Where){ path, 0, 0 },
                       "cannot be read; it must be a file on a disk");
    return true;
}

static bool read_beginning(impRecording *r, const char *path, impError *err) {
    return open_file(r, path, err) && read_front(r, err) && read_run(r, err) && read_text(r, err) &&
           read_scene_chunk(r, err);
}

static void clear(impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
}

static impRecording *open_recording(const char *path, bool salvage, const char *function,
                                    impError *err) {
    clear(err);
    if (!path) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 }, "%s: the path is NULL; it must be given",
                function);
        return NULL;
    }
    impRecording *r = calloc(1, sizeof *r);
    if (!r) {
        fail_memory(err);
        return NULL;
    }
    r->salvage = salvage;
    if (read_beginning(r, path, err)) return r;
    if (salvage && r->torn) {
        clear(err);
        damaged(r, err,
                "not whole up to the end of its scene, so that no frame of it can be saved; it has "
                "%lld bytes",
                (long long)r->size);
    }
    impRecording_Free(r);
    return NULL;
}

impRecording *impRecording_Open(const char *path, impError *err) {
    return open_recording(path, false, "impRecording_Open", err);
}

impRecording *impRecording_Salvage(const char *path, impError *err) {
    return open_recording(path, true, "impRecording_Salvage", err);
}

const impScene *impRecording_Scene(const impRecording *r) { return r ? r->scene : NULL; }
const impModel *impRecording_Model(const impRecording *r) { return r ? r->model : NULL; }
impRunInfo impRecording_Run(const impRecording *r) { return r ? r->run : (impRunInfo){ 0 }; }
impRunEnd impRecording_End(const impRecording *r) {
    return r && r->ended ? r->end : (impRunEnd){ 0 };
}

void impRecording_Free(impRecording *r) {
    if (!r) return;
    if (r->file) {
        fclose(r->file);
    }
    impModel_Free(r->model);
    impScene_Free(r->scene);
    free(r->bytes);
    free(r->data);
    free(r->contact);
    free(r->sleeping_contact);
    free(r->velocity_change);
    pool_free(&r->pool);
    free(r);
}

// --- frames --------------------------------------------------------------------------------------
static bool has_body(const impRecording *r, impBody b) { return b.i >= 0 && b.i < r->bodies; }

// of any number that is added up or drawn: what is larger was never measured
#define WILDEST 1e300
static bool tame(const double *value, int count) {
    for (int i = 0; i < count; i++) {
        if (!(fabs(value[i]) <= WILDEST)) return false;
    }
    return true;
}

static bool tame_vec(impVec3 v) { return tame((double[]){ v.x, v.y, v.z }, 3); }

static bool good_contact(const impRecording *r, const impContact *c) {
    return has_body(r, c->a) && has_body(r, c->b) && (int)c->mode >= IMP_OPENS &&
           c->mode <= IMP_RESTS && tame_vec(c->point) && tame_vec(c->normal) &&
           tame_vec(c->impulse) && tame_vec(c->before) && tame_vec(c->after) &&
           tame((double[]){ c->gap, c->friction, c->restitution, c->energy, c->driven }, 5) &&
           fabs(c->time) <= 1e15;
}

static bool good_turn(const impRecording *r, const impVelocityChange *t) {
    return has_body(r, t->body) && fabs(t->time) <= 1e15 && largest(t->pose.at) <= FARTHEST &&
           fabs(qnorm(t->pose.rotation) - 1) <= 1e-6 && norm(t->twist.linear) <= FASTEST &&
           norm(t->twist.angular) <= FASTEST;
}

static bool good_counts(const impFrame *f, const impFrame *before) {
    const int64_t most = (int64_t)1 << 53;
    return f->step >= before->step && f->events >= before->events &&
           f->contacts >= before->contacts && f->step < most && f->events < most &&
           f->contacts < most;
}

static bool read_contacts(impRecording *r, const char *tag, impContact **list, int *count,
                          int *room, impError *err) {
    size_t rows = r->length / CONTACT_BYTES;
    if (rows * CONTACT_BYTES != r->length || rows > INT32_MAX) return strange(r, tag, err);
    if ((int)rows > *room) {
        impContact *more = realloc(*list, rows * sizeof *more);
        if (!more) return fail_memory(err);
        *list = more;
        *room = (int)rows;
    }
    Numbers n = { .from = r->bytes + CHUNK_FRONT };
    for (size_t i = 0; i < rows; i++) {
        impContact *c = &(*list)[i];
        *c = (impContact){ 0 };
        numbers_contact(&n, c);
        if (!good_contact(r, c))
            return damaged(r, err,
                           "a contact of bodies %d and %d that cannot be; there are %d, and its "
                           "numbers must be finite",
                           (int)c->a.i, (int)c->b.i, r->bodies);
    }
    *count = (int)rows;
    return true;
}

static bool read_turns(impRecording *r, impError *err) {
    size_t rows = r->length / VELOCITY_CHANGE_BYTES;
    if (rows * VELOCITY_CHANGE_BYTES != r->length || rows > INT32_MAX)
        return strange(r, "'TURN'", err);
    if ((int)rows > r->velocity_change_room) {
        impVelocityChange *more = realloc(r->velocity_change, rows * sizeof *more);
        if (!more) return fail_memory(err);
        r->velocity_change = more;
        r->velocity_change_room = (int)rows;
    }
    Numbers n = { .from = r->bytes + CHUNK_FRONT };
    for (size_t i = 0; i < rows; i++) {
        r->velocity_change[i] = (impVelocityChange){ 0 };
        numbers_turn(&n, &r->velocity_change[i]);
        if (!good_turn(r, &r->velocity_change[i]))
            return damaged(r, err,
                           "a turn of body %d that cannot be; there are %d, and its numbers must "
                           "be those of a state",
                           (int)r->velocity_change[i].body.i, r->bodies);
    }
    r->velocity_change_count = (int)rows;
    return true;
}

static bool read_frame(impRecording *r, impState *state, impFrame *frame, impError *err) {
    // unused entries of the contact memory are left out of a frame
    const size_t least = FRAME_NUMBERS + (size_t)r->model->layout.contacts;
    const size_t words = r->length / 8;
    if (r->length % 8 != 0 || words < least || words > FRAME_NUMBERS + (size_t)r->numbers)
        return strange(r, "a frame", err);
    const size_t used = words - FRAME_NUMBERS;
    Numbers n = { .from = r->bytes + CHUNK_FRONT };
    *frame = (impFrame){ 0 };
    numbers_frame(&n, frame);
    if (!good_counts(frame, &r->last))
        return damaged(r, err,
                       "a frame of step %lld after one of step %lld; counts must not go back",
                       (long long)frame->step, (long long)r->last.step);
    r->last = *frame;
    for (size_t i = 0; i < used; i++) {
        numbers_real(&n, &r->data[i]);
    }
    memset(r->data + used, 0, ((size_t)r->numbers - used) * sizeof(double));
    if (used != (size_t)r->model->layout.contacts +
                    CONTACT_MEMORY * (size_t)r->data[r->model->layout.contact_count])
        return strange(r, "a frame", err);
    frame->contact = r->contact;
    frame->contact_count = r->contact_count;
    frame->velocity_change = r->velocity_change;
    frame->velocity_change_count = r->velocity_change_count;
    frame->sleeping_contact = r->sleeping_contact;
    frame->sleeping_contact_count = r->sleeping_contact_count;
    if (!impState_SetData(r->model, state, r->data, sizeof(double) * (size_t)r->numbers, err)) {
        if (err) {
            err->fault = IMP_DAMAGED;
        }
        return false;
    }
    if (impState_Hash(r->model, state) != frame->hash)
        return damaged(r, err, "the state of step %lld does not have the hash written with it",
                       (long long)frame->step);
    r->frames++;
    r->whole = r->at;
    return true;
}

static bool read_end(impRecording *r, impError *err) {
    const Json *doc = object_of(r, "'END '", err);
    if (!doc) return false;
    r->end = (impRunEnd){ text_at(doc, "status"), text_at(doc, "reason"),
                          (int64_t)number_at(doc, "frames") };
    if (!r->end.status || !r->end.reason || r->end.frames != r->frames)
        return damaged(r, err, "'END ' does not say status, reason and the %lld frames before it",
                       (long long)r->frames);
    if (r->at != r->size && !r->salvage)
        return damaged(r, err, "%lld bytes after 'END '; nothing may follow it",
                       (long long)(r->size - r->at));
    return r->ended = true;
}

// Contacts and turns behind the last whole frame belong to a frame that is not there, and go with
// it.
static int end_early(impRecording *r, impError *err) {
    clear(err);
    if (r->frames == 0) {
        damaged(r, err,
                "no frame of it is whole, so that there is nothing to save; it has %lld bytes",
                (long long)r->size);
        return -1;
    }
    long long lost = r->size - r->whole;
    char *reason = lost == 0
                       ? pool_text(&r->pool, "salvaged: the end is missing")
                       : pool_print(&r->pool,
                                    "salvaged: %lld bytes after the last whole frame were left out",
                                    lost);
    if (!reason) {
        fail_memory(err);
        return -1;
    }
    r->end = (impRunEnd){ "interrupted", reason, r->frames };
    r->ended = true;
    return 0;
}

int impRecording_Next(impRecording *r, impState *state, impFrame *frame, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!r || !state || !frame || state->model_id != r->model->id) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                "impRecording_Next: the state is not one of the recording's model, or something is "
                "NULL");
        return -1;
    }
    if (r->ended) return 0;
    r->contact_count = r->velocity_change_count = 0;
    while (next_chunk(r, err)) {
        bool ok = is(r, "CONT") ? read_contacts(r, "'CONT'", &r->contact, &r->contact_count,
                                                &r->contact_room, err)
                  : is(r, "LOAD")
                      ? read_contacts(r, "'LOAD'", &r->sleeping_contact, &r->sleeping_contact_count,
                                      &r->sleeping_contact_room, err)
                  : is(r, "TURN") ? read_turns(r, err)
                  : is(r, "FRAM") ? read_frame(r, state, frame, err)
                  : is(r, "END ") ? read_end(r, err)
                                  : strange(r, "a frame or the end", err);
        if (!ok) return -1;
        if (is(r, "FRAM")) return 1;
        if (is(r, "END ")) return 0;
    }
    return r->salvage && r->torn ? end_early(r, err) : -1;
}
