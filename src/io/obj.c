// obj.c -- Wavefront OBJ files: their vertices and their faces.
//
// "Object Files (.obj)", appendix B1 of Wavefront's Advanced Visualizer manual. Read are `v` and
// `f`, with indices from 1 or, negative, back from the last vertex so far; a face of any number of
// corners is cut into a fan from its first, which is right for convex ones. Statements that carry
// no surface (normals, textures, groups, materials, lines) are skipped and files they name are
// never opened; one that would add a surface we cannot read, or that is unknown, is refused. All
// bad lines are reported, not the first only.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Obj {
    Cursor c;
    impVec3 *vertex;
    int count, room;
    Triangles *out;
    impError *err;
    bool full;  // out of memory or over a limit: stop
} Obj;

// --- Lines ---------------------------------------------------------------------------------------

static bool at_line_end(const Cursor *c) {
    if (c->at == c->end || *c->at == '\n' || *c->at == '#') return true;
    return *c->at == '\r' && (c->at + 1 == c->end || c->at[1] == '\n');
}

static bool at_blank(const Cursor *c) { return *c->at == ' ' || *c->at == '\t' || *c->at == '\r'; }

// A backslash at the end of a line continues it.
static bool skip_continuation(Cursor *c) {
    const char *p = c->at + 1;
    if (p < c->end && *p == '\r') {
        p++;
    }
    if (p >= c->end || *p != '\n') return false;
    c->at = p + 1;
    cursor_new_line(c);
    return true;
}

static void skip_blanks(Cursor *c) {
    while (!at_line_end(c)) {
        if (*c->at == '\\' && skip_continuation(c)) continue;
        if (!at_blank(c)) break;
        c->at++;
    }
}

// to the next one
static void skip_line(Cursor *c) {
    while (c->at < c->end && *c->at != '\n') {
        if (*c->at != '\\' || !skip_continuation(c)) {
            c->at++;
        }
    }
    if (c->at == c->end) return;
    c->at++;
    cursor_new_line(c);
}

static bool at_word_end(const Cursor *c) { return at_line_end(c) || at_blank(c) || *c->at == '\\'; }

// --- Vertices ------------------------------------------------------------------------------------

static bool want_number(Obj *o, double *value) {
    Cursor *c = &o->c;
    Cursor behind = *c;
    behind.at += number_read(c->at, (size_t)(c->end - c->at), true, value);
    if (behind.at == c->at || !at_word_end(&behind)) {
        return fail(o->err, cursor_where(c), "expected a number, got %s", io_word_at(c).text);
    }
    if (!isfinite(*value))
        return fail(o->err, cursor_where(c), "%s is too large", io_word_at(c).text);
    *c = behind;
    return true;
}

// x y z, then perhaps w or a colour, which are read and forgotten.
static bool read_vertex(Obj *o, impVec3 *v) {
    double value[8];
    int count = 0;
    for (skip_blanks(&o->c); !at_line_end(&o->c) && count < COUNT(value); skip_blanks(&o->c)) {
        if (!want_number(o, &value[count++])) return false;
    }
    if (count < 3 || count == COUNT(value)) {
        return fail(o->err, cursor_where(&o->c),
                    "a vertex has %d%s numbers; it needs 3, and has at most 7", count,
                    count < 3 ? "" : " or more");
    }
    *v = vec(value[0], value[1], value[2]);
    return true;
}

static bool keep_vertex(Obj *o, impVec3 v) {
    if (o->count == o->room) {
        int room = o->room < 1024 ? 1024 : o->room <= INT_MAX / 2 ? 2 * o->room : INT_MAX;
        impVec3 *list = o->count < INT_MAX ? realloc(o->vertex, sizeof *list * (size_t)room) : NULL;
        if (!list) {
            o->full = true;
        }
        if (!list) return fail_memory(o->err);
        o->vertex = list;
        o->room = room;
    }
    o->vertex[o->count++] = v;
    return true;
}

static bool vertex_line(Obj *o) {
    impVec3 v = vec(0, 0, 0);
    bool good = read_vertex(o, &v);
    // a bad one is counted, or every index behind it would seem wrong
    return keep_vertex(o, v) && good;
}

// --- Faces ---------------------------------------------------------------------------------------

static bool take_integer(Cursor *c, int *value) {
    const char *p = c->at;
    bool minus = p < c->end && *p == '-';
    long long sum = 0;
    if (p < c->end && (*p == '-' || *p == '+')) {
        p++;
    }
    const char *digits = p;
    for (; p < c->end && *p >= '0' && *p <= '9'; p++) {
        sum = sum < INT_MAX ? 10 * sum + (*p - '0') : sum;
    }
    if (p == digits) return false;
    c->at = p;
    *value = sum > INT_MAX ? (minus ? -INT_MAX : INT_MAX) : (int)(minus ? -sum : sum);
    return true;
}

// What may follow the vertex: /vt, //vn, /vt/vn. Their numbers are not used.
static bool skip_texture_and_normal(Cursor *c) {
    int ignored;
    if (c->at == c->end || *c->at != '/') return true;
    c->at++;
    bool texture = take_integer(c, &ignored);
    if (c->at == c->end || *c->at != '/') return texture;
    c->at++;
    return take_integer(c, &ignored);
}

static bool read_corner(Obj *o, impVec3 *v) {
    Cursor start = o->c;
    int index = 0;
    bool formed = take_integer(&o->c, &index) && skip_texture_and_normal(&o->c) &&
                  at_word_end(&o->c);
    Where at = cursor_where(&start);
    if (!formed) {
        return fail(o->err, at, "expected a corner like 1, 1/2, 1//3 or 1/2/3, got %s",
                    io_word_at(&start).text);
    }
    if (index == 0)
        return fail(o->err, at, "vertex 0; vertices are counted from 1, or back from -1");
    if (index > o->count || index < -o->count) {
        return fail(o->err, at, "vertex %d; there are %d so far", index, o->count);
    }
    *v = o->vertex[index > 0 ? index - 1 : o->count + index];
    return true;
}

static bool face_line(Obj *o) {
    Where at = cursor_where(&o->c);
    impVec3 first = vec(0, 0, 0);
    impVec3 last = first;
    impVec3 v;
    int count = 0;
    for (skip_blanks(&o->c); !at_line_end(&o->c); skip_blanks(&o->c), count++) {
        if (!read_corner(o, &v)) return false;
        if (count == 0) {
            first = v;
        }
        if (count >= 2 && !io_triangles_add(o->out, first, last, v, at, o->err)) {
            o->full = true;
            return false;
        }
        last = v;
    }
    return count >= 3 || fail(o->err, at, "a face has %d corners; it needs at least 3", count);
}

// --- Statements ----------------------------------------------------------------------------------

static const char *const skipped[] = {
    // no surface, or how to paint it
    "vt",       "vn",       "vp",     "g",          "o",         "s", "mg",
    "usemtl",   "mtllib",   "usemap", "maplib",     "l",         "p", "bevel",
    "c_interp", "d_interp", "lod",    "shadow_obj", "trace_obj",
};

static bool is_word(const char *word, size_t length, const char *other) {
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

static bool unknown_line(Obj *o, const char *word, size_t length, Where at) {
    for (int i = 0; i < COUNT(skipped); i++) {
        if (is_word(word, length, skipped[i])) return true;
    }
    int shown = length < 20 ? (int)length : 20;
    return fail(o->err, at, "\"%.*s\" is not read here; of surfaces only faces \"f\" are", shown,
                word);
}

static bool read_line(Obj *o) {
    skip_blanks(&o->c);
    const char *word = o->c.at;
    Where at = cursor_where(&o->c);
    while (!at_word_end(&o->c)) {
        o->c.at++;
    }
    size_t length = (size_t)(o->c.at - word);
    if (length == 0) return true;
    if (is_word(word, length, "v")) return vertex_line(o);
    if (is_word(word, length, "f")) return face_line(o);
    return unknown_line(o, word, length, at);
}

bool io_obj_read(Triangles *out, const char *bytes, size_t size, const char *name, impError *err) {
    Obj o = { .c = { bytes, bytes + size, bytes, 1, name }, .out = out, .err = err };
    bool good = true;
    // a byte order mark
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        o.c.at += 3;
    }
    while (o.c.at < o.c.end && !o.full) {
        if (!read_line(&o)) {
            good = false;
        }
        skip_line(&o.c);
    }
    free(o.vertex);
    return good;
}
