// scene_files.h -- what the parts of the scene reader share (inside io/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "io/io.h"
#include "io/json.h"

// bytes; a "repeat" of a longer one could fill the memory
enum { NAME_LENGTH = 255 };

typedef struct Reader {
    impScene *scene;
    const Json *doc;
    Pool pool;  // of the document; gone when the scene is read
    impLoadDef limits;
    impError *err;
    int32_t *by_name;    // bodies sorted by name, once they are all read
    int joints;          // read so far, good or bad
    int triangles;       // of all meshes so far
    impError *mesh_err;  // of the mesh being read; made when the first one is
} Reader;

// The place of a node; the name of the file lives as long as the scene.
static inline Where read_where(const Reader *r, const JsonNode *node) {
    Where at = json_where(r->doc, node);
    at.file = r->scene->file;
    return at;
}
// scene_read.c: of any thing
bool read_name(Reader *r, const JsonNode *node, const char *who, const char **out);
// scene_read.c: "about" and its like
bool read_note(Reader *r, const JsonNode *object, const char *who, const char *key);
// scene_bodies.c
bool read_body(Reader *r, const JsonNode *node);
// scene_shapes.c: into the last body
bool read_shapes(Reader *r, const JsonNode *node, const char *who, bool moves);
// scene_repeat.c: of the last body
bool read_repeat(Reader *r, const JsonNode *node, const char *who);
