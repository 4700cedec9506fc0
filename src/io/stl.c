// stl.c -- STL files, binary and text.
//
// 3D Systems, "StereoLithography Interface Specification", 1989: 80 bytes of anything, a 32-bit
// count, 50 bytes a triangle, low byte first; or words. A file is binary when its size is exactly
// 84 + 50 count, whatever its first word: many binary files begin with "solid". Normals and
// attribute bytes are ignored: the order of the corners tells the outside. A text file may hold
// several solids. Words may be in capitals. Units are not part of the format.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"

#include <limits.h>
#include <string.h>

enum { HEADER = 84, RECORD = 50, FIRST_CORNER = 12 };

// --- Binary --------------------------------------------------------------------------------------

static uint32_t read_u32(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const char *bytes) {
    uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static uint64_t size_of(uint32_t count) { return HEADER + (uint64_t)RECORD * count; }

bool io_stl_is_binary(const char *bytes, size_t size) {
    return size >= HEADER && size_of(read_u32(bytes + 80)) == size;
}

static impVec3 read_corner(const char *bytes) {
    return vec(read_float(bytes), read_float(bytes + 4), read_float(bytes + 8));
}

static bool say_not_finite(const impVec3 corner[3], size_t i, const char *name, impError *err) {
    int bad = !finite3(corner[0]) ? 0 : !finite3(corner[1]) ? 1 : 2;
    impVec3 v = corner[bad];
    size_t byte = HEADER + RECORD * i + FIRST_CORNER + 12 * (size_t)bad;
    return fail(err, (Where){ name, 0, 0 },
                "triangle %zu, byte %zu: vertex [%s, %s, %s]; it must be finite", i, byte,
                show(v.x).text, show(v.y).text, show(v.z).text);
}

static bool read_binary(Triangles *out, const char *bytes, const char *name, impError *err) {
    uint32_t count = read_u32(bytes + 80);
    Where at = { name, 0, 0 };
    bool good = true;
    if (count > (uint32_t)INT_MAX) {
        return fail_as(err, IMP_AT_LIMIT, at, "%lu triangles are too many", (unsigned long)count);
    }
    if (!io_triangles_reserve(out, (int)count, at, err)) return false;
    for (size_t i = 0; i < count; i++) {
        const char *record = bytes + HEADER + RECORD * i + FIRST_CORNER;
        impVec3 c[3] = { read_corner(record), read_corner(record + 12), read_corner(record + 24) };
        if (!finite3(c[0]) || !finite3(c[1]) || !finite3(c[2])) {
            good = say_not_finite(c, i, name, err);
        }
        if (good) {
            io_triangles_add(out, c[0], c[1], c[2], at, err);
        }
    }
    return good;
}

// --- Text ----------------------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static void skip_blanks(Cursor *c) {
    while (c->at < c->end && is_blank(*c->at)) {
        if (*c->at++ == '\n') {
            cursor_new_line(c);
        }
    }
}

static void skip_line(Cursor *c) {
    while (c->at < c->end && *c->at != '\n') {
        c->at++;
    }
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// whole words only
static bool take_word(Cursor *c, const char *word) {
    skip_blanks(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length) return false;
    for (size_t i = 0; i < length; i++) {
        if (small(c->at[i]) != word[i]) return false;
    }
    if (c->at + length < c->end && !is_blank(c->at[length])) return false;
    c->at += length;
    return true;
}

static bool want_word(Cursor *c, const char *word, impError *err) {
    if (take_word(c, word)) return true;
    return fail(err, cursor_where(c), "expected \"%s\", got %s", word, io_word_at(c).text);
}

static bool want_number(Cursor *c, double *value, impError *err) {
    skip_blanks(c);
    size_t length = number_read(c->at, (size_t)(c->end - c->at), true, value);
    if (length == 0 || (c->at + length < c->end && !is_blank(c->at[length]))) {
        return fail(err, cursor_where(c), "expected a number, got %s", io_word_at(c).text);
    }
    if (!isfinite(*value)) return fail(err, cursor_where(c), "%s is too large", io_word_at(c).text);
    c->at += length;
    return true;
}

static bool want_vertex(Cursor *c, impVec3 *v, impError *err) {
    return want_word(c, "vertex", err) && want_number(c, &v->x, err) &&
           want_number(c, &v->y, err) && want_number(c, &v->z, err);
}

// three words: some programs write "nan" for triangles of no area
static void skip_normal(Cursor *c) {
    for (int k = 0; k < 3; k++) {
        skip_blanks(c);
        while (c->at < c->end && !is_blank(*c->at)) {
            c->at++;
        }
    }
}

// behind "facet"
static bool read_facet(Triangles *out, Cursor *c, impError *err) {
    impVec3 v[3];
    Where at = cursor_where(c);
    if (!want_word(c, "normal", err)) return false;
    skip_normal(c);
    if (!want_word(c, "outer", err) || !want_word(c, "loop", err)) return false;
    if (!want_vertex(c, v, err) || !want_vertex(c, v + 1, err) || !want_vertex(c, v + 2, err))
        return false;
    if (!want_word(c, "endloop", err) || !want_word(c, "endfacet", err)) return false;
    return io_triangles_add(out, v[0], v[1], v[2], at, err);
}

// The rest of the line, which may hold any words.
static void read_name(Triangles *out, Cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) {
        c->at++;
    }
    const char *name = c->at;
    skip_line(c);
    const char *end = c->at;
    while (end > name && is_blank(end[-1])) {
        end--;
    }
    io_triangles_name(out, name, (size_t)(end - name));
}

static bool read_text(Triangles *out, Cursor *c, impError *err) {
    while (take_word(c, "solid")) {
        read_name(out, c);
        while (take_word(c, "facet")) {
            if (!read_facet(out, c, err)) return false;
        }
        if (!want_word(c, "endsolid", err)) return false;
        skip_line(c);
    }
    skip_blanks(c);
    if (c->at == c->end) return true;
    return fail(err, cursor_where(c), "expected \"solid\" or the end of the file, got %s",
                io_word_at(c).text);
}

// --- Which of the two ----------------------------------------------------------------------------

// Text begins with "solid" and has no zero byte where a binary file has its header.
static bool looks_like_text(const char *bytes, size_t size, const char *name) {
    Cursor c = { bytes, bytes + size, bytes, 1, name };
    return take_word(&c, "solid") && !memchr(bytes, 0, size < HEADER ? size : HEADER);
}

bool io_stl_read(Triangles *out, const char *bytes, size_t size, const char *name, impError *err) {
    Where at = { name, 0, 0 };
    if (io_stl_is_binary(bytes, size)) return read_binary(out, bytes, name, err);
    if (looks_like_text(bytes, size, name))
        return read_text(out, &(Cursor){ bytes, bytes + size, bytes, 1, name }, err);
    if (size < HEADER) {
        return fail(err, at,
                    "no STL file: %zu bytes; text begins with \"solid\", a binary file has at "
                    "least %d bytes",
                    size, (int)HEADER);
    }
    uint32_t count = read_u32(bytes + 80);
    return fail(
        err, at,
        "no STL file: it says, at byte 80, %lu triangles, which take %llu bytes; it has %zu",
        (unsigned long)count, (unsigned long long)size_of(count), size);
}
