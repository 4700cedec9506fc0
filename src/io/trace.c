// trace.c -- samples of a run as text: CSV with 17 digits, or JSON lines.
//
// CSV columns: t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz; position and orientation of the body's
// own frame, velocity of its centre of mass, world axes. Names with commas or quotes are quoted as
// RFC 4180 says. Equal runs give equal bytes.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

// io/ stands beside motion/ and does not know it: poses come through the public functions of
// impel.h.
struct impTrace {
    const impModel *model;
    Output *out;
    bool json;
};

static const char header[] = "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

static bool bad_call(impError *err, const char *function) {
    return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                   "%s: an argument is NULL; it must be given", function);
}

impTrace *impTrace_Open(const impModel *model, const char *path, bool force, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!model || !path) {
        bad_call(err, "impTrace_Open");
        return NULL;
    }
    bool json = io_ends_with(path, ".jsonl");
    bool csv = io_ends_with(path, ".csv");
    if (!json && !csv) {
        fail(err, (Where){ path, 0, 0 },
             "a trace of this kind is unknown; its name must end in .csv or .jsonl");
        return NULL;
    }
    impTrace *trace = calloc(1, sizeof *trace);
    if (!trace) {
        fail_memory(err);
        return NULL;
    }
    trace->model = model;
    trace->json = json;
    trace->out = output_open(path, force, err);
    if (trace->out && (json || output_write(trace->out, header, sizeof header - 1, err)))
        return trace;
    impTrace_Abandon(trace);
    return NULL;
}

static void sample(const impModel *m, const impState *s, int i, double value[13]) {
    impBody body = { i };
    impPose p = impState_Pose(m, s, body);
    impTwist t = impState_Twist(m, s, body);
    double all[13] = { p.at.x,       p.at.y,       p.at.z,     p.rotation.w, p.rotation.x,
                       p.rotation.y, p.rotation.z, t.linear.x, t.linear.y,   t.linear.z,
                       t.angular.x,  t.angular.y,  t.angular.z };
    memcpy(value, all, sizeof all);
}

static bool add_csv(impTrace *trace, const impState *state, impError *err) {
    char text[32];
    size_t length = number_write_17(text, impState_Time(state));
    for (int i = 1; i < trace->model->body_count; i++) {
        double value[13];
        if (!output_write(trace->out, text, length, err) ||
            !output_write(trace->out, ",", 1, err) ||
            !text_csv(trace->out, trace->model->body[i].name, err))
            return false;
        sample(trace->model, state, i, value);
        for (int k = 0; k < 13; k++) {
            char number[34] = ",";
            size_t n = number_write_17(number + 1, value[k]);
            if (!output_write(trace->out, number, n + 1, err)) return false;
        }
        if (!output_write(trace->out, "\n", 1, err)) return false;
    }
    return true;
}

static bool add_json(impTrace *trace, const impState *state, impError *err) {
    static const struct {
        const char *name;
        int first, count;
    } parts[] = {
        { "position", 0, 3 },
        { "orientation", 3, 4 },
        { "velocity", 7, 3 },
        { "angular_velocity", 10, 3 },
    };
    Output *out = trace->out;
    bool ok = output_print(out, err, "{\"t\": %s, \"bodies\": [", show(impState_Time(state)).text);
    for (int i = 1; ok && i < trace->model->body_count; i++) {
        double value[13];
        sample(trace->model, state, i, value);
        ok = output_print(out, err, "%s{\"name\": ", i > 1 ? ", " : "") &&
             text_json(out, trace->model->body[i].name, err);
        for (int p = 0; ok && p < COUNT(parts); p++) {
            ok = output_print(out, err, ", \"%s\": ", parts[p].name) &&
                 text_numbers(out, value + parts[p].first, parts[p].count, err);
        }
        ok = ok && output_write(out, "}", 1, err);
    }
    return ok && output_print(out, err, "]}\n");
}

bool impTrace_Add(impTrace *trace, const impState *state, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!trace || !state) return bad_call(err, "impTrace_Add");
    if (state->model_id != trace->model->id)
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impTrace_Add: the state belongs to another model");
    return trace->json ? add_json(trace, state, err) : add_csv(trace, state, err);
}

bool impTrace_Close(impTrace *trace, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!trace) return bad_call(err, "impTrace_Close");
    bool ok = output_commit(trace->out, err);
    free(trace);
    return ok;
}

void impTrace_Abandon(impTrace *trace) {
    if (!trace) return;
    if (trace->out) {
        output_abandon(trace->out);
    }
    free(trace);
}
