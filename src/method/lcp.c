// lcp.c -- the method `lcp`: implicit time stepping with complementarity.
//
// Stewart & Trinkle 2000; docs/theory/time-stepping.md. Its everyday scheme has the step of the
// method `iterated`, with contact problems solved a hundred times more finely; the printed schemes
// are in lcp_stepping.c.
//
// SPDX-License-Identifier: MIT
#include "method/lcp.h"

#include <string.h>

// 1, of max(g h, level / h): natural map of a contact problem. docs/theory/time-stepping.md,
// section 8
#define RESIDUAL 1e-8

bool method_lcp_accepts(const impModel *m, impError *err) {
    bool ok = method_accepts(m, "lcp", true, err);
    if (scheme_find(m->run.scheme) >= 0) return ok;
    char known[200] = "";
    for (int i = 0; i < scheme_count; i++) {
        size_t used = strlen(known);
        print_text(known + used, sizeof known - used, "%s%s", i ? ", " : "", schemes[i].name);
    }
    return fail(err, (Where){ NULL, 0, 0 },
                "run: scheme \"%s\" of method lcp is unknown; this build knows %s", m->run.scheme,
                known);
}

size_t method_lcp_scratch(const impModel *m) {
    return method_iterated_scratch(m) + stepping_scratch(m);
}

Progress method_lcp_step(const impModel *m, double *next, const double *input, double h,
                         Arena scratch, const MethodOptions *options) {
    const SchemeKind scheme = (SchemeKind)scheme_find(m->run.scheme);
    if (scheme == SCHEME_SECOND_ORDER)
        return iterated_make_step(m, next, input, h, scratch, options, RESIDUAL);
    return stepping_step(m, next, input, h, scratch, options, scheme);
}
