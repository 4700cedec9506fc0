// siconos.h -- Siconos behind plain numbers, as its names are ours, too.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

typedef struct SiconosProblem SiconosProblem;
// By contact: first, and one more, and q; by block: column and w, nine numbers by rows. The normal
// comes first of three. NULL: no memory.
SiconosProblem *siconos_open(int contacts, const int32_t *first, const int32_t *column,
                             const double *w, const double *q, const double *mu);
// Methods 0, 1, ...; NULL: there is none.
const char *siconos_name(int method);
// r: start and answer.
void siconos_solve(SiconosProblem *problem, int method, double tolerance, double *r);
void siconos_close(SiconosProblem *problem);
