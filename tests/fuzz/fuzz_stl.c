// fuzz_stl.c -- any bytes as an STL file: read, then welded and measured as impMesh_Load does.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Triangles t = { .limit = 100000 };
    // 12 kB, and its contents do not matter
    static impError err;
    Pool pool = { 0 };
    Surface surface;
    err = (impError){ 0 };
    bool good = io_stl_read(&t, (const char *)data, size, "fuzz.stl", &err);
    if (good != (err.count == 0)) {
        __builtin_trap();
    }
    if (good && !shape_weld(&surface, &pool, t.corner, t.count, &err)) {
        __builtin_trap();
    }
    if (good && surface.dropped + surface.triangle_count != t.count) {
        __builtin_trap();
    }
    io_triangles_free(&t);
    pool_free(&pool);
    return 0;
}
