// lcp.c -- the method `lcp`: implicit time stepping with complementarity.
//
// Stewart & Trinkle 2000; docs/theory/time-stepping.md. Its everyday scheme has the step of the
// method `iterated`, with contact problems solved a hundred times more finely; the printed schemes
// are in lcp_stepping.c.
//
// SPDX-License-Identifier: MIT
#include "method/lcp.h"

// 1, of max(g h, level / h): natural map of a contact problem. docs/theory/time-stepping.md,
// section 8
#define RESIDUAL 1e-8

bool method_lcp_accepts(const impModel *m, impError *err) {
    return method_accepts(m, "lcp", true, err);
}

size_t method_lcp_scratch(const impModel *m) {
    return method_iterated_scratch(m) + stepping_scratch(m);
}

Progress method_lcp_step(const impModel *m, double *next, const double *input, double h,
                         Arena scratch, const MethodOptions *options) {
    if (m->run.scheme == IMP_SECOND_ORDER)
        return iterated_make_step(m, next, input, h, scratch, options, RESIDUAL);
    return stepping_step(m, next, input, h, scratch, options, m->run.scheme);
}
