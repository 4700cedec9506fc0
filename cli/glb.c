// glb.c -- a run as a .glb file, binary glTF 2.0, which Blender and all viewers of glTF play.
//
// Frames become keys of the bodies that move; an impact between two frames is a key of its own, so
// that a bounce is sharp. What is drawn is made at the end, when it is known how far the run went:
// a plane has to be shown somewhere.
//
// SPDX-License-Identifier: MIT
#include "glb.h"

#include <math.h>
#include <stdlib.h>

typedef struct Glb {
    Source source;
    OutFile out;
    impPose *pose;             // of each body at its first frame, or in the scene
    Track *track;              // of those that move
    int32_t *row;              // of each body in track; -1: does not move
    int track_count, refused;  // refused: the code, and why has been said
    bool begun;
    GlbExtent extent;
} Glb;

static void free_glb(Glb *g) {
    for (int i = 0; i < g->track_count; i++) {
        glb_track_free(&g->track[i]);
    }
    free(g->pose);
    free(g->track);
    free(g->row);
    free(g);
}

static int no_memory(void) { return cli_fail(EXIT_LIMIT, "out of memory"); }

// --- how far it goes -----------------------------------------------------------------------------
static double longer(double a, double b) { return fabs(a) > fabs(b) ? fabs(a) : fabs(b); }

// Around the body's origin, however it is turned. 0: no shapes, or without end.
static double bounding_radius_of(const impModel *model, impBody body) {
    impVec3 low, high;
    if (!impModel_Box(model, body, &low, &high)) return 0;
    double x = longer(low.x, high.x);
    double y = longer(low.y, high.y);
    double z = longer(low.z, high.z);
    return sqrt(x * x + y * y + z * z);
}

// m; of what has none, 1
static double size_of(const impModel *model, impBody body) {
    impVec3 low, high;
    if (!impModel_Box(model, body, &low, &high)) return 1;
    double x = high.x - low.x;
    double y = high.y - low.y;
    double z = high.z - low.z;
    return sqrt(x * x + y * y + z * z);
}

static void widen_axis(double *low, double *high, double at, double bounding_radius) {
    if (at - bounding_radius < *low) {
        *low = at - bounding_radius;
    }
    if (at + bounding_radius > *high) {
        *high = at + bounding_radius;
    }
}

static void widen(GlbExtent *e, impVec3 at, double bounding_radius) {
    if (!e->known) {
        e->low = e->high = at;
    }
    e->known = true;
    widen_axis(&e->low.x, &e->high.x, at.x, bounding_radius);
    widen_axis(&e->low.y, &e->high.y, at.y, bounding_radius);
    widen_axis(&e->low.z, &e->high.z, at.z, bounding_radius);
}

static void widen_by(Glb *g, impBody body, impPose pose) {
    double bounding_radius = bounding_radius_of(g->source.model, body);
    if (bounding_radius > 0) {
        widen(&g->extent, pose.at, bounding_radius);
    }
}

// --- opening -------------------------------------------------------------------------------------
// where everything is in the scene
static bool take_start(Glb *g) {
    impState *start = impState_New(g->source.model);
    if (!start) return false;
    for (int i = 0; i < impModel_BodyCount(g->source.model); i++) {
        impBody body = { i };
        g->pose[i] = impState_Pose(g->source.model, start, body);
        if (impModel_Role(g->source.model, body) == IMP_FIXED) {
            widen_by(g, body, g->pose[i]);
        }
    }
    impState_Free(start);
    return true;
}

static bool make_tracks(Glb *g) {
    const impModel *model = g->source.model;
    size_t bodies = (size_t)impModel_BodyCount(model);
    g->pose = malloc(sizeof *g->pose * bodies);
    g->row = malloc(sizeof *g->row * bodies);
    g->track = malloc(sizeof *g->track * bodies);
    if (!g->pose || !g->row || !g->track || !take_start(g)) return false;
    for (int i = 0; i < impModel_BodyCount(model); i++) {
        impBody body = { i };
        g->row[i] = -1;
        if (impModel_Role(model, body) == IMP_FIXED) continue;
        g->row[i] = g->track_count;
        glb_track_start(&g->track[g->track_count++], body, impModel_Mass(model, body).center,
                        size_of(model, body));
    }
    return true;
}

static int open_glb(Cli *cli, const Source *source, const char *path, void **sink) {
    Glb *g = calloc(1, sizeof *g);
    if (!g) return no_memory();
    g->source = *source;
    if (!cli_out_open(&g->out, path, cli->opt.force)) {
        free_glb(g);
        return EXIT_IO;
    }
    if (make_tracks(g)) {
        *sink = g;
        return EXIT_OK;
    }
    cli_out_abandon(&g->out);
    free_glb(g);
    return no_memory();
}

// --- frames --------------------------------------------------------------------------------------
static bool add_turns(Glb *g, const impFrame *frame, double until) {
    for (int i = 0; i < frame->velocity_change_count; i++) {
        const impVelocityChange *t = &frame->velocity_change[i];
        int row = t->body.i >= 0 && t->body.i < impModel_BodyCount(g->source.model)
                      ? g->row[t->body.i]
                      : -1;
        if (row < 0 || !g->begun || !(t->time < until)) continue;
        widen_by(g, t->body, t->pose);
        if (!glb_track_add(&g->track[row], t->time, t->pose, t->twist.angular)) return false;
    }
    return true;
}

static bool add_poses(Glb *g, const impState *state) {
    for (int i = 0; i < g->track_count; i++) {
        impBody body = g->track[i].body;
        impPose pose = impState_Pose(g->source.model, state, body);
        if (!g->begun) {
            g->pose[body.i] = pose;
        }
        widen_by(g, body, pose);
        impVec3 spin = impState_Twist(g->source.model, state, body).angular;
        if (!glb_track_add(&g->track[i], impState_Time(state), pose, spin)) return false;
    }
    g->begun = true;
    return true;
}

static int refuse(Glb *g, int code) { return g->refused = code; }

static int add_frame(void *sink, const impState *state, const impFrame *frame) {
    Glb *g = sink;
    uint64_t bytes = 0;
    if (!add_turns(g, frame, impState_Time(state)) || !add_poses(g, state))
        return refuse(g, no_memory());
    for (int i = 0; i < g->track_count; i++) {
        bytes += glb_track_bytes(&g->track[i]);
    }
    return bytes <= glb_most_bytes ? EXIT_OK : refuse(g, glb_too_large(&g->out));
}

// --- the end -------------------------------------------------------------------------------------
static void abandon_glb(void *sink) {
    Glb *g = sink;
    cli_out_abandon(&g->out);
    free_glb(g);
}

static int write_glb(Glb *g, const impRunEnd *end) {
    GlbParts parts = { 0 };
    bool good = true;
    for (int i = 0; i < g->track_count; i++) {
        good = glb_track_end(&g->track[i]) && good;
    }
    good = good && glb_parts_make(&parts, g->source.model, g->pose, &g->extent);
    GlbFile file = { &g->source, end, &parts, g->pose, g->track, g->track_count };
    int code = good ? glb_write(&file, &g->out) : no_memory();
    glb_parts_free(&parts);
    return code;
}

static int close_glb(void *sink, const impRunEnd *end) {
    Glb *g = sink;
    int code = g->refused ? g->refused : write_glb(g, end);
    // nothing is left to abandon where it was written
    abandon_glb(g);
    return code;
}

const SinkKind cli_sink_glb = { ".glb", false, open_glb, add_frame, close_glb, abandon_glb };
