// accepts.c -- which scenes a method can move, and a sentence for each part of one that it cannot.
//
// SPDX-License-Identifier: MIT
#include "method/method.h"

bool method_accepts(const impModel *m, const char *method, bool holds_planes, impError *err) {
    const Where nowhere = { NULL, 0, 0 };
    bool ok = true;
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joint[i].kind == JOINT_FREE) continue;
        ok = fail(err, nowhere, "joint '%s': method %s cannot move a %s; it knows free bodies only",
                  m->joint[i].name, method, joint_kinds[m->joint[i].kind].name);
    }
    for (int i = 1; i < m->body_count && !holds_planes; i++) {
        if (zero3(m->body[i].plane)) continue;
        ok = fail(err, nowhere,
                  "body '%s': method %s cannot hold it in a plane; iterated and lcp can",
                  m->body[i].name, method);
    }
    return ok;
}
