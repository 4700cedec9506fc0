// poses_classes.c -- families of poses that a rotation of the part makes one, with what they have
// together.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <stdlib.h>

PosesClass *cli_poses_classes(const PosesResult *r, int *count, int *class_of_family) {
    const PosesPart *p = r->part;
    PosesClass *class = calloc((size_t)p->families + 1, sizeof *class);
    int *of = malloc(((size_t)p->families + 1) * sizeof *of);
    *count = 0;
    for (int i = 0; class && of && i < p->families; i++) {
        const impFamily *f = &p->family[i];
        bool first = f->same_as < 0 || f->same_as >= i;
        of[i] = first ? (*count)++ : of[f->same_as];
        if (class_of_family) {
            class_of_family[i] = of[i];
        }
        PosesClass *to = &class[of[i]];
        if (first) {
            to->family = i;
            to->pose = f->lowest;
        }
        to->families++;
        to->poses += f->members;
        to->count += r->usual.family[i];
        to->quasi_static += f->quasi_static;
    }
    bool whole = of != NULL;
    free(of);
    if (whole) return class;
    free(class);
    return NULL;
}
