// io.h -- the door of io/: files in and out. A new format is a file of this room and a row in
// formats.c.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "model/model.h"
#include "solve/solve.h"

typedef struct Format {
    const char *name, *endings;  // ".stl"
    bool reads, writes;
    const char *about, *source;
} Format;
extern const Format io_formats[];
extern const int io_format_count;

// stats.c: what one impulse took, by cause
impCauses io_causes(const impContact *contact);
void io_add_causes(impCauses *sum, const impCauses *more);

// problem_file.c: the matrix of a contact problem, for benchmarks
const MatrixProblem *io_problem_matrix(const impProblem *problem);

bool io_ends_with(const char *path, const char *ending);  // upper or lower case
