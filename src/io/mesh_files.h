// mesh_files.h -- what the readers of mesh files tell each other; the rest of the library sees
// impMesh in impel.h.
//
// A reader takes the bytes of a whole file and gives triangles, corner by corner, as the file has
// them: no welding, no scaling, no judgement. It opens nothing, so it can be fuzzed, and a file
// that names other files gets none of them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "shape/shape.h"

// solids whose names are kept, the first of a file
enum { MESH_NAMES = 64 };

// The first triangle of a solid, and its name, which is cut where it is longer.
typedef struct SolidName {
    int first;
    char text[44];
} SolidName;

typedef struct Triangles {  // from malloc: io_triangles_free
    double *corner;         // nine a triangle
    int count, room;
    int limit;                   // max_triangles: more are refused
    SolidName name[MESH_NAMES];  // of "solid NAME", in order
    int name_count;
} Triangles;

// says so where the limit is reached
bool io_triangles_reserve(Triangles *out, int more, Where at, impError *err);
bool io_triangles_add(Triangles *out, impVec3 a, impVec3 b, impVec3 c, Where at, impError *err);
// The name of the triangles from here on.
void io_triangles_name(Triangles *out, const char *name, size_t length);
void io_triangles_free(Triangles *out);

typedef bool (*MeshReader)(Triangles *out, const char *bytes, size_t size, const char *name,
                           impError *err);
bool io_stl_read(Triangles *out, const char *bytes, size_t size, const char *name, impError *err);
bool io_obj_read(Triangles *out, const char *bytes, size_t size, const char *name, impError *err);
bool io_stl_is_binary(const char *bytes, size_t size);

// Text files, looked at one character at a time, with the place of each.
typedef struct Cursor {
    const char *at, *end, *line_start;
    int line;  // from 1
    const char *name;
} Cursor;
static inline Where cursor_where(const Cursor *c) {
    return (Where){ c->name, c->line, (int)(c->at - c->line_start) + 1 };
}
// at is behind the line's end
static inline void cursor_new_line(Cursor *c) {
    c->line_start = c->at;
    c->line++;
}
// What stands at the cursor, up to the next blank, for messages: at most 20 characters, "the end of
// the file".
typedef struct Word {
    char text[32];
} Word;
Word io_word_at(const Cursor *c);

// impMesh_Load for callers that gather errors: adds to err instead of starting it afresh. A scale
// of 0 is read as 1.
impMesh *io_mesh_load(const char *path, double scale_by, const impLoadDef *def, impError *err);
bool io_mesh_shape(impMesh *mesh, impShapeDef *out, impError *err);  // the same of impMesh_Shape
// What welding found, for the scene: bad_edge and mixed, which the public report lacks.
const Surface *io_mesh_surface(const impMesh *mesh);
