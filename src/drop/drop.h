// drop.h -- the door of drop/: how a convex part comes to rest on a plane, by the thousand a
// second.
//
// part.c makes a hull of a body; rests.c finds the poses in which it stays, and how hard it is to
// leave them; symmetry.c tells which of them are one; profile.c has bodies of revolution. drops.c
// sets the table for the kernel and hands it trials. kernel.h is the kernel, in one source for one
// drop at a time and for several in lanes (kernel_1.c, kernel_4.c, kernel_8.c); it follows
// docs/theory/drop-tests.md, sections 3 to 5.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "drop/table.h"
#include "model/model.h"
#include "num/num.h"
#include "shape/shape.h"

struct impPart {
    Pool pool;
    Geometry geometry;
    Shape hull;       // body frame; has edges and rings
    impVec3 *corner;  // of the hull, from the centre of mass, body axes
    Mat3 inertia;     // about it, body axes
    double moments[3];
    impQuat axes;  // principal axes to body axes
    impPartReport report;
    // rests.c; faces are those of the hull
    double *height;  // by face: of the centre of mass
    int32_t *sink;   // by face: the pose it rolls to
    impRest *rest;   // by height
    int rests;
    impFamily *family;  // by the height of the lowest pose
    int families;
    DropTable table;    // layout.c: what does not depend on the drops
    DropTable profile;  // profile.c: the same of a body of revolution that starts without spin
    bool has_profile;
};

// part.c
static inline const Face *part_face(const impPart *p, int face) {
    return &p->geometry.face[p->hull.first_face + face];
}
static inline const int32_t *part_loop(const impPart *p, int face) {
    return p->geometry.loop + part_face(p, face)->first;
}
static inline const Edge *part_edge(const impPart *p, int edge) {
    return &p->geometry.edge[p->hull.first_edge + edge];
}

// gather.c: corners of a polyhedron with all its corners on the shape, in the body's frame; chord
// 0: as fine as is usual
typedef struct Corners {
    Pool *pool;
    impVec3 *at;
    int count, room;
    int fewest_sides;  // of a circle
    double chord;      // m: the worst
    bool starved;
} Corners;
bool drop_gather(const impModel *model, const Body *body, double chord, Corners *out,
                 impError *err);

// rests.c, symmetry.c: parts of impPart_New
bool part_find_rests(impPart *part, impError *err);
bool part_find_twins(impPart *part, impError *err);

// layout.c
enum { DROP_LIST_ROOM = 15 };  // numbers behind a list that may be read: see lanes.h
bool part_lay_out(impPart *part, impError *err);
bool part_lay_out_blocks(DropTable *t, Pool *pool, impError *err);
// profile.c
bool part_find_profile(impPart *part, const impModel *model, const Body *body, impError *err);
// foot distance of an edge; way: along its arc of normals
double part_arc(const impPart *part, int edge, impVec3 *way);

// drops.c: how fine impacts are; the law is set already
void drop_fineness(DropTable *t, bool fine);
DropTable drop_table(const impDrops *drops);  // for tests

// kernel_1.c, kernel_4.c, kernel_8.c: the widths; run is NULL where the machine has not the
// instructions
typedef struct DropKernel {
    int lanes;
    size_t room;  // bytes of scratch, on a cache line
    void (*run)(const DropTable *t, int64_t first, int64_t count, DropEnd *ends, void *scratch);
} DropKernel;
DropKernel drop_kernel_1(void);
DropKernel drop_kernel_4(void);
DropKernel drop_kernel_8(void);
DropStart drop_begin(const DropTable *t, int64_t trial);
int drop_settle(const DropTable *t, const double down[3]);  // principal axes

// kernel.cu, or cuda.c: the same on a GPU. NULL: none, and why
void *drop_cuda_open(const DropTable *t, char *why, size_t room);
bool drop_cuda_run(void *cuda, int64_t first, int64_t count, impDropOutcome *out);
void drop_cuda_close(void *cuda);
