// glb.h -- the parts of a .glb file, before it is written.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "solid_mesh.h"

// --- glb_track.c: how a body moves ---------------------------------------------------------------
// Keys of one property, between which it changes linearly. A sample that lies so near to the line
// between its neighbours that it is not needed, it is left out, as it comes: of a body at rest the
// first and the last are kept.
typedef struct Channel {
    int width;                      // 3 or 4 values
    double within;                  // so near
    double key_time, key_value[4];  // the last key
    double time, value[4];   // the last sample; a key as soon as the next one is off its line
    double low[4], high[4];  // slopes from the key that pass all samples since
    float *keys;             // time and values of each
    size_t count, room;
    bool waiting;  // the last sample is no key yet
} Channel;

typedef struct Track {
    impBody body;
    impVec3 center;  // of mass, body frame
    double piece;    // rad: most it may turn between two keys
    Channel at, rotation;
    double time;   // of the last sample
    impPose pose;  // there
    impVec3 spin;  // rad/s, from there on
    bool begun;
} Track;

// size: m, of the body
void glb_track_start(Track *track, impBody body, impVec3 center, double size);
// A sample no later than the last one is left out. False: no memory.
bool glb_track_add(Track *track, double time, impPose pose, impVec3 spin);
// false: no memory
bool glb_track_end(Track *track);
void glb_track_free(Track *track);
// a single key is no motion
bool glb_moves(const Channel *channel);
// of its keys in the file
uint64_t glb_track_bytes(const Track *track);
impVec3 glb_rotate(impQuat q, impVec3 v);
impVec3 glb_unrotate(impQuat q, impVec3 v);

// --- glb_parts.c: what is drawn ------------------------------------------------------------------
typedef struct GlbMesh {  // shared by all pieces of the same shape and colour
    impShapeDef shape;
    int material;  // row of the list below
    SolidMesh solid;
} GlbMesh;
typedef struct GlbMaterial {
    int row;           // of the model
    bool still, open;  // of fixed bodies: paler; of surfaces, which have two sides
    double colour[3];  // linear
} GlbMaterial;

typedef struct GlbParts {
    GlbMesh *mesh;
    GlbMaterial *material;
    int32_t *piece;  // mesh of each shape of each body, -1: none; those of body i from first[i] on
    int32_t *first;  // one for each body, and the end
    int mesh_count, mesh_room, material_count;
    int32_t *table;  // meshes by hash; free after the making
    size_t slots;
} GlbParts;

// a box around all that is bounded, over the run
typedef struct GlbExtent {
    impVec3 low, high;
    bool known;
} GlbExtent;

// false: no memory
bool glb_parts_make(GlbParts *parts, const impModel *model, const impPose *pose,
                    const GlbExtent *extent);
void glb_parts_free(GlbParts *parts);

// --- glb_write.c: the file -----------------------------------------------------------------------
typedef struct GlbFile {
    const Source *source;
    const impRunEnd *end;  // or NULL
    const GlbParts *parts;
    const impPose *pose;  // of each body at the start
    const Track *track;
    int track_count;
} GlbFile;

extern const uint64_t glb_most_bytes;              // of a file
int glb_too_large(const OutFile *out);             // says it; the code
int glb_write(const GlbFile *file, OutFile *out);  // EXIT_OK, or the code; said why
