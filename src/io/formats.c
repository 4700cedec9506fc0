// formats.c -- the file formats this library knows: a row each.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"

#include <string.h>

const Format io_formats[] = {
    { "scene", ".json", true, true, "a scene: JSON with comments, every value with its position",
      "docs/reference/scene-format.md" },
    { "stl", ".stl", true, false, "triangles, ASCII or binary, no units", "3D Systems 1988" },
    { "obj", ".obj", true, false, "polygons; materials and texture lines are passed over",
      "Wavefront" },
    { "csv", ".csv", false, true, "trace: one row per body and sample, 17 digits", "RFC 4180" },
    { "jsonl", ".jsonl", false, true,
      "trace: one object per sample, shortest digits that read back equal", "RFC 8259" },
    { "rec", ".rec", true, true,
      "recording: states bit for bit, contacts, energies, the scene itself",
      "docs/reference/recording.md" },
    { "page", ".html", false, true, "a run to look at in any browser, by the command impel",
      "viewer/README.md" },
    { "glb", ".glb", false, true, "shapes and their motion, by the command impel",
      "glTF 2.0, ISO/IEC 12113" },
};
const int io_format_count = COUNT(io_formats);

impLoadDef impLimits(const impLoadDef *def) {
    impLoadDef limits = { 0 };
    if (def) {
        limits = *def;
    }
    if (!limits.max_file_bytes) {
        limits.max_file_bytes = (size_t)1 << 30;
    }
    if (limits.max_bodies <= 0) {
        limits.max_bodies = 1000000;
    }
    if (limits.max_triangles <= 0) {
        limits.max_triangles = 10000000;
    }
    if (limits.max_nesting <= 0) {
        limits.max_nesting = 64;
    }
    if (!limits.seed) {
        limits.seed = 1;
    }
    return limits;
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

bool io_ends_with(const char *path, const char *ending) {
    size_t n = strlen(path);
    size_t m = strlen(ending);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++) {
        if (small(path[n - m + i]) != ending[i]) return false;
    }
    return true;
}
