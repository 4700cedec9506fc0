// load_stl.c -- how long a binary STL of 100,000 triangles takes, welded, checked and with its mass
// properties.
//
// A ball of two million coordinates' worth of facets is written to a temporary file first; reading
// the bare bytes with fread in the same run is the ratio's other side.
//
// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE  // mkstemp
#include "bench.h"

#include <math.h>
#include <unistd.h>

// 2 * 224 * 223 triangles = 99,904; caps make it 100,352
enum { RINGS = 224, SECTORS = 224 };

static void corner(float *out, int ring, int sector) {
    double a = 3.14159265358979323846 * ring / RINGS;
    double b = 2 * 3.14159265358979323846 * (sector % SECTORS) / SECTORS;
    double s = ring == 0 || ring == RINGS ? 0 : sin(a);
    out[0] = (float)(20 * s * cos(b));
    out[1] = (float)(20 * s * sin(b));
    out[2] = (float)(20 * cos(a));
}

static uint32_t triangle(FILE *file, int r0, int s0, int r1, int s1, int r2, int s2) {
    struct {
        float normal[3], corner[9];
    } facet = { 0 };
    unsigned char tail[2] = { 0, 0 };
    corner(facet.corner, r0, s0);
    corner(facet.corner + 3, r1, s1);
    corner(facet.corner + 6, r2, s2);
    fwrite(&facet, 48, 1, file);
    fwrite(tail, 2, 1, file);
    return 1;
}

static uint32_t write_ball(FILE *file) {
    char header[80] = "ball";
    uint32_t count = 0;
    fwrite(header, 80, 1, file);
    fwrite(&count, 4, 1, file);
    for (int r = 0; r < RINGS; r++) {
        for (int s = 0; s < SECTORS; s++) {
            if (r > 0) {
                count += triangle(file, r, s, r + 1, s, r, s + 1);
            }
            if (r < RINGS - 1) {
                count += triangle(file, r, s + 1, r + 1, s, r + 1, s + 1);
            }
        }
    }
    fseek(file, 80, SEEK_SET);
    fwrite(&count, 4, 1, file);
    return count;
}

static void load(void *context) {
    static impError err;
    impMesh *mesh = impMesh_Load(context, 0.001, NULL, &err);
    if (!mesh) {
        stop("load_stl", &err);
    }
    impMeshReport report = impMesh_Report(mesh);
    if (!report.closed) {
        stop("load_stl: not closed", NULL);
    }
    impMesh_Free(mesh);
}

static void bare_read(void *context) {
    FILE *file = fopen(context, "rb");
    static char buffer[1 << 20];
    while (file && fread(buffer, 1, sizeof buffer, file) > 0) {}
    if (file) {
        fclose(file);
    }
}

int main(void) {
    char path[] = "/tmp/impel-bench-XXXXXX.stl";
    int handle = mkstemps(path, 4);
    FILE *file = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (!file) {
        stop("load_stl: no temporary file", NULL);
    }
    uint32_t count = write_ball(file);
    if (fclose(file)) {
        stop("load_stl: writing", NULL);
    }
    double ms = 1e3 * best_of(9, load, path);
    double bare = 1e3 * best_of(9, bare_read, path);
    remove(path);
    printf("%u triangles\n", (unsigned)count);
    int missed = row("binary STL, welded, checked, mass properties", ms, "ms", 100);
    row("nanoseconds a triangle", 1e6 * ms / count, "ns", 0);
    row("against reading the bytes alone", ms / bare, "x", 0);
    return missed;
}
