// glb_track.c -- the keys of a body's motion, as few as do.
//
// Samples come in time order and are forgotten: each narrows the slopes that a line from the last
// key may have to pass all samples since. One that the next cannot go past becomes a key. That
// takes the same few operations whatever the length of the line. A player turns a body the short
// way between two keys, so one that turns fast gets keys in between.
//
// SPDX-License-Identifier: MIT
#include "glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double near_share = 1e-6;  // of the body's size; rad
static const double most_turn = 0.5;    // rad between two keys
// of the body's size: how far a straight line may cut the origin's way round
static const double most_sag = 0.0025;
static const double blur = 64;  // rad between two samples: the sense of the rotation is not visible
// between two samples
enum { MOST_PIECES = 32 };

// --- vectors and quaternions ---------------------------------------------------------------------
static impVec3 mix(impVec3 a, impVec3 b, double share) {
    return (impVec3){ a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                      a.z + share * (b.z - a.z) };
}

static impQuat times(impQuat a, impQuat b) {
    return (impQuat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static double dot4(impQuat a, impQuat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }

static impQuat unit(impQuat q) {
    double length = sqrt(dot4(q, q));
    if (!(length > 0)) return (impQuat){ 1, 0, 0, 0 };
    return (impQuat){ q.w / length, q.x / length, q.y / length, q.z / length };
}

static impQuat conjugate(impQuat q) { return (impQuat){ q.w, -q.x, -q.y, -q.z }; }
static impQuat negative(impQuat q) { return (impQuat){ -q.w, -q.x, -q.y, -q.z }; }

impVec3 glb_rotate(impQuat q, impVec3 v) {
    impQuat r = times(times(q, (impQuat){ 0, v.x, v.y, v.z }), conjugate(q));
    return (impVec3){ r.x, r.y, r.z };
}

impVec3 glb_unrotate(impQuat q, impVec3 v) { return glb_rotate(conjugate(q), v); }

// --- one channel ---------------------------------------------------------------------------------
// the last sample
static bool put_key(Channel *c) {
    size_t each = (size_t)c->width + 1;
    if (c->count == c->room) {
        size_t room = 2 * c->room + 4;
        float *grown = room > SIZE_MAX / each / sizeof *grown
                           ? NULL
                           : realloc(c->keys, room * each * sizeof *grown);
        if (!grown) return false;
        c->keys = grown;
        c->room = room;
    }
    float *key = c->keys + each * c->count++;
    *key++ = (float)c->time;
    for (int k = 0; k < c->width; k++) {
        // no -0: nothing can be told from it
        *key++ = (float)c->value[k] + 0.f;
        c->low[k] = -HUGE_VAL;
        c->high[k] = HUGE_VAL;
    }
    c->key_time = c->time;
    c->waiting = false;
    memcpy(c->key_value, c->value, sizeof c->value);
    return true;
}

// a line from the key to there
static bool passes(const Channel *c, double time, const double *value) {
    for (int k = 0; k < c->width; k++) {
        double slope = (value[k] - c->key_value[k]) / (time - c->key_time);
        if (!(slope >= c->low[k] && slope <= c->high[k])) return false;
    }
    return true;
}

static void narrow(Channel *c) {
    for (int k = 0; k < c->width; k++) {
        double step = c->time - c->key_time;
        double change = c->value[k] - c->key_value[k];
        double low = (change - c->within) / step;
        double high = (change + c->within) / step;
        if (low > c->low[k]) {
            c->low[k] = low;
        }
        if (high < c->high[k]) {
            c->high[k] = high;
        }
    }
}

static bool add_sample(Channel *c, double time, const double *value) {
    if (c->waiting && !passes(c, time, value) && !put_key(c)) return false;
    c->time = time;
    memcpy(c->value, value, sizeof c->value);
    if (c->count == 0) return put_key(c);
    narrow(c);
    c->waiting = true;
    return true;
}

// --- a track -------------------------------------------------------------------------------------
void glb_track_start(Track *track, impBody body, impVec3 center, double size) {
    *track = (Track){ .body = body, .center = center };
    // each of three, sqrt(3) of it together
    track->at.width = 3;
    track->at.within = near_share / 2 * size;
    // of half the angle
    track->rotation.width = 4;
    track->rotation.within = near_share / 4;
    double arm = sqrt(center.x * center.x + center.y * center.y + center.z * center.z);
    track->piece = most_turn;
    if (arm * most_turn * most_turn / 8 > most_sag * size) {
        track->piece = sqrt(8 * most_sag * size / arm);
    }
}

static bool add_pose(Track *t, double time, impPose pose) {
    impQuat q = pose.rotation;
    double at[4] = { pose.at.x, pose.at.y, pose.at.z };
    double rotation[4] = { q.x, q.y, q.z, q.w };
    return add_sample(&t->at, time, at) && add_sample(&t->rotation, time, rotation);
}

static int pieces_of(const Track *t, double angle) {
    if (!(angle > t->piece && angle < blur)) return 1;
    double pieces = ceil(angle / t->piece);
    return pieces < MOST_PIECES ? (int)pieces : MOST_PIECES;
}

// exp(spin / 2 s) by its series; of less than two radians so many terms are exact to rounding.
static impQuat small_turn(impVec3 spin, double s) {
    impVec3 half = { spin.x * s / 2, spin.y * s / 2, spin.z * s / 2 };
    double xx = half.x * half.x + half.y * half.y + half.z * half.z;
    double cosine = 0;
    double sine = 0;
    for (int n = 9; n >= 0; n--) {
        cosine = 1 - cosine * xx / ((2 * n + 1) * (2 * n + 2));
        sine = 1 - sine * xx / ((2 * n + 2) * (2 * n + 3));
    }
    return (impQuat){ cosine, sine * half.x, sine * half.y, sine * half.z };
}

// of mass, world
static impVec3 center_of(const Track *t, impPose pose) {
    impVec3 arm = glb_rotate(pose.rotation, t->center);
    return (impVec3){ pose.at.x + arm.x, pose.at.y + arm.y, pose.at.z + arm.z };
}

// The spin turns the body on; what is then still missing to the pose is shared out evenly. The
// centre of mass goes straight.
static bool add_between(Track *t, double time, impPose to) {
    double length = time - t->time;
    double w = sqrt(t->spin.x * t->spin.x + t->spin.y * t->spin.y + t->spin.z * t->spin.z);
    impQuat rotation[MOST_PIECES + 1] = { t->pose.rotation };
    int pieces = pieces_of(t, w * length);
    if (pieces == 1) return true;
    impVec3 from = center_of(t, t->pose);
    impVec3 target = center_of(t, to);
    for (int i = 1; i <= pieces; i++) {
        rotation[i] = times(small_turn(t->spin, length / pieces), rotation[i - 1]);
    }
    impQuat missing = times(to.rotation, conjugate(rotation[pieces]));
    if (missing.w < 0) {
        missing = negative(missing);
    }
    for (int i = 1; i < pieces; i++) {
        double share = (double)i / pieces;
        impQuat part = { 1 + share * (missing.w - 1), share * missing.x, share * missing.y,
                         share * missing.z };
        impPose pose = { mix(from, target, share), unit(times(part, rotation[i])) };
        if (dot4(pose.rotation, t->pose.rotation) < 0) {
            pose.rotation = negative(pose.rotation);
        }
        impVec3 arm = glb_rotate(pose.rotation, t->center);
        pose.at = (impVec3){ pose.at.x - arm.x, pose.at.y - arm.y, pose.at.z - arm.z };
        if ((float)(t->time + share * length) <= (float)t->at.time) continue;
        if (!add_pose(t, t->time + share * length, pose)) return false;
        // the sign goes on from here
        t->pose.rotation = pose.rotation;
    }
    return true;
}

bool glb_track_add(Track *t, double time, impPose pose, impVec3 spin) {
    if (t->begun && !((float)time > (float)t->time)) return true;
    pose.rotation = unit(pose.rotation);
    if (t->begun && !add_between(t, time, pose)) return false;
    if (t->begun && (float)time <= (float)t->at.time) return true;
    if (t->begun && dot4(pose.rotation, t->pose.rotation) < 0) {
        pose.rotation = negative(pose.rotation);
    }
    t->begun = true;
    t->time = time;
    t->pose = pose;
    t->spin = spin;
    return add_pose(t, time, pose);
}

bool glb_track_end(Track *t) {
    return (!t->at.waiting || put_key(&t->at)) && (!t->rotation.waiting || put_key(&t->rotation));
}

void glb_track_free(Track *t) {
    free(t->at.keys);
    free(t->rotation.keys);
    t->at.keys = t->rotation.keys = NULL;
}

bool glb_moves(const Channel *c) { return c->count > 1; }

static uint64_t channel_bytes(const Channel *c) {
    return glb_moves(c) ? 4 * (uint64_t)c->count * ((uint64_t)c->width + 1) : 0;
}

uint64_t glb_track_bytes(const Track *t) {
    return channel_bytes(&t->at) + channel_bytes(&t->rotation);
}
