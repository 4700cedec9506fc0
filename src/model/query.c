// query.c -- what a model knows about itself, for its users.
//
// A question about a body, shape, joint or material that is not there gets the world, an empty name
// or zeros: never a crash. Nothing here changes anything.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <string.h>

static const Body *body_at(const impModel *m, impBody b) {
    return m && b.i >= 0 && b.i < m->body_count ? &m->body[b.i] : NULL;
}
static const Joint *joint_at(const impModel *m, impJoint j) {
    return m && j.i >= 0 && j.i < m->joint_count ? &m->joint[j.i] : NULL;
}

size_t impModel_StateSize(const impModel *m) {
    return m ? (size_t)m->layout.total * sizeof(double) : 0;
}
int impModel_BodyCount(const impModel *m) { return m ? m->body_count : 0; }
int impModel_Coordinates(const impModel *m) { return m ? m->sizes.nq : 0; }
int impModel_Freedoms(const impModel *m) { return m ? m->sizes.nv : 0; }
impVec3 impModel_Gravity(const impModel *m) { return m ? m->gravity : vec(0, 0, 0); }
const char *impModel_About(const impModel *m) { return m ? m->about : ""; }
const char *impModel_Source(const impModel *m) { return m ? m->source : ""; }
int impModel_WarningCount(const impModel *m) { return m ? m->warning_count : 0; }
const char *impModel_Warning(const impModel *m, int i) {
    return m && i >= 0 && i < m->warning_count ? m->warnings[i] : "";
}

impRunDef impModel_Run(const impModel *m) {
    impRunDef none = { 0 };
    return m ? m->run : none;
}

impBody impModel_Find(const impModel *m, const char *name) {
    impBody found = { -1 };
    int low = 0;
    int high = m && name ? m->body_count : 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(m->body[m->by_name[middle]].name, name);
        if (order == 0) {
            found.i = m->by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return found;
}

const char *impModel_Name(const impModel *m, impBody body) {
    const Body *b = body_at(m, body);
    return b ? b->name : "";
}

impRole impModel_Role(const impModel *m, impBody body) {
    const Body *b = body_at(m, body);
    return b ? b->role : IMP_FIXED;
}

impMass impModel_Mass(const impModel *m, impBody body) {
    const Body *b = body_at(m, body);
    impMass out = { 0 };
    if (!b || b->role != IMP_DYNAMIC) return out;
    Mat3 j = b->inertia;
    double rows[3][3] = { { j.x.x, j.x.y, j.x.z },
                          { j.y.x, j.y.y, j.y.z },
                          { j.z.x, j.z.y, j.z.z } };
    out.mass = b->mass;
    out.center = b->center;
    out.axes = b->axes;
    memcpy(out.inertia, rows, sizeof rows);
    memcpy(out.moments, b->moments, sizeof out.moments);
    return out;
}

bool impModel_Box(const impModel *m, impBody body, impVec3 *low, impVec3 *high) {
    const Body *b = body_at(m, body);
    if (!b || !b->bounded) return false;
    if (low) {
        *low = b->low;
    }
    if (high) {
        *high = b->high;
    }
    return true;
}

int impModel_ShapeCount(const impModel *m, impBody body) {
    const Body *b = body_at(m, body);
    return b ? b->shape_count : 0;
}

const char *impModel_ShapeKind(const impModel *m, impBody body, int shape) {
    const Body *b = body_at(m, body);
    if (!b || shape < 0 || shape >= b->shape_count) return "";
    return shape_kinds[m->shape[b->first_shape + shape].kind].name;
}

double impModel_ShapeRounding(const impModel *m, impBody body, int shape) {
    const Body *b = body_at(m, body);
    if (!b || shape < 0 || shape >= b->shape_count) return 0;
    const Shape *s = &m->shape[b->first_shape + shape];
    return shape_kinds[s->kind].rounds ? s->radius : 0;
}

static const Shape *shape_at(const impModel *m, impBody body, int shape) {
    const Body *b = body_at(m, body);
    return b && shape >= 0 && shape < b->shape_count ? &m->shape[b->first_shape + shape] : NULL;
}

bool impModel_Shape(const impModel *m, impBody body, int shape, impShapeDef *out) {
    const Shape *s = shape_at(m, body, shape);
    if (!s || !out) return false;
    *out = (impShapeDef){ .kind = shape_kinds[s->kind].name,
                          .pose = s->pose,
                          .material = m->material[s->material].name };
    memcpy(out->size, s->size, sizeof out->size);
    out->radius = shape_kinds[s->kind].rounds ? s->radius : 0;
    if (!shape_kinds[s->kind].points) return true;
    out->points = m->geometry.vertex + s->first_vertex;
    out->point_count = s->vertex_count;
    return true;
}

const int32_t *impModel_Face(const impModel *m, impBody body, int shape, int face, int *corners) {
    const Shape *s = shape_at(m, body, shape);
    if (!s || !shape_kinds[s->kind].points || face < 0 || face >= s->face_count) return NULL;
    const Face *f = &m->geometry.face[s->first_face + face];
    if (corners) {
        *corners = f->count;
    }
    return m->geometry.loop + f->first;
}

bool impModel_Motion(const impModel *m, impBody body, int motion, impMotionDef *out) {
    const Body *b = body_at(m, body);
    if (!b || !out || motion < 0 || motion >= b->motion_count) return false;

    // The rotation's frequency and phase come out filled in, as the model has them.
    const Motion *c = &m->motion[b->first_motion + motion];
    *out = (impMotionDef){ .kind = motion_kinds[c->kind].name,
                           .axis = c->axis,
                           .rate = c->rate,
                           .amplitude = c->amplitude,
                           .angle = c->angle,
                           .frequency = c->frequency,
                           .phase = c->phase,
                           .rotation_frequency = c->rotation_frequency,
                           .rotation_phase = c->rotation_phase,
                           .velocity = c->velocity };
    return true;
}

int impModel_ShapeMaterial(const impModel *m, impBody body, int shape) {
    const Body *b = body_at(m, body);
    return b && shape >= 0 && shape < b->shape_count ? m->shape[b->first_shape + shape].material
                                                     : 0;
}

int impModel_MaterialCount(const impModel *m) { return m ? m->material_count : 0; }
const char *impModel_MaterialName(const impModel *m, int i) {
    return m && i >= 0 && i < m->material_count ? m->material[i].name : "";
}

impPairLaw impModel_PairLaw(const impModel *m, int a, int b) {
    impPairLaw none = { 0 };
    if (!m || a < 0 || b < 0 || a >= m->material_count || b >= m->material_count) return none;
    return m->pair[a * m->material_count + b];
}

int impModel_JointCount(const impModel *m) { return m ? m->joint_count : 0; }
const char *impModel_JointName(const impModel *m, impJoint joint) {
    const Joint *j = joint_at(m, joint);
    return j ? j->name : "";
}
const char *impModel_JointKind(const impModel *m, impJoint joint) {
    const Joint *j = joint_at(m, joint);
    return j ? joint_kinds[j->kind].name : "";
}

void impModel_JointEnds(const impModel *m, impJoint joint, impBody *parent, impBody *child) {
    const Joint *j = joint_at(m, joint);
    if (parent) {
        parent->i = j ? j->parent : -1;
    }
    if (child) {
        child->i = j ? j->child : -1;
    }
}

int impModel_BodyFreedom(const impModel *m, impBody body, int *count) {
    const Body *b = body_at(m, body);
    bool moves = b && b->role == IMP_DYNAMIC;
    if (count) {
        *count = moves ? joint_kinds[b->joint].nv : 0;
    }
    return moves ? b->v : 0;
}
