// parts_support.c -- the parts of the tests.
//
// SPDX-License-Identifier: MIT
#include "parts_support.h"

impPart *part_or_null(const impBodyDef *body, double noise, Dropped *out, impError *err) {
    impPartDef def = { .noise = noise };
    out->scene = impScene_New(vec(0, 0, -9.81));
    assert_non_null(out->scene);
    impBody b = impScene_Body(out->scene, body, err);
    out->model = b.i > 0 ? impModel_Build(out->scene, err) : NULL;
    out->part = out->model ? impPart_New(out->model, b, &def, err) : NULL;
    return out->part;
}

static Dropped make(const impBodyDef *body, double noise, impDropDef def) {
    static impError err;
    Dropped d = { .def = def };
    err.count = 0;
    if (!part_or_null(body, noise, &d, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    return d;
}

Dropped drop_points(const impVec3 *points, int count, double noise) {
    impShapeDef hull = { .kind = "hull", .points = points, .point_count = count };
    return make(&(impBodyDef){ .name = "part", .shapes = &hull, .shape_count = 1 }, noise,
                (impDropDef){ .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 });
}

Dropped drop_shape(impShapeDef shape) {
    return make(&(impBodyDef){ .name = "part", .shapes = &shape, .shape_count = 1 }, 0,
                (impDropDef){ .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 });
}

static Dropped random_hull(uint64_t seed, int count) {
    impVec3 point[100];
    Lcg lcg = { seed };
    for (int i = 0; i < count; i++) {
        double z = 2 * num_lcg(&lcg) - 1;
        double orientations = num_lcg(&lcg);
        double r = sqrt(1 - z * z);
        SinCos a = num_sincos_turns(orientations);
        point[i] = vec(0.5 * r * a.cos, 0.35 * r * a.sin, 0.25 * z);
    }
    Dropped d = drop_points(point, count, 0);
    d.def.friction_dynamic = 0.5;
    d.def.restitution = 0.2;
    d.def.height = 1;
    return d;
}
Dropped drop_hull(void) { return random_hull(4242, 20); }

Dropped drop_l(void) {
    impShapeDef boxes[2] = {
        { .kind = "box", .size = { 0.04, 0.02, 0.01 }, .pose.at = { 0.02, 0.01, 0.005 } },
        { .kind = "box", .size = { 0.01, 0.02, 0.025 }, .pose.at = { 0.005, 0.01, 0.0225 } },
    };
    return make(
        &(impBodyDef){ .name = "L", .shapes = boxes, .shape_count = 2 }, 0,
        (impDropDef){ .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3, .height = 0.3 });
}

Dropped drop_brick(void) {
    Dropped d = drop_shape((impShapeDef){ .kind = "box", .size = { 0.01, 0.02, 0.03 } });
    d.def.height = 0.3;
    return d;
}

void drop_free(Dropped *d) {
    impPart_Free(d->part);
    impModel_Free(d->model);
    impScene_Free(d->scene);
}

Dropped drop_kind(int kind) {
    // flat, on an edge, on a corner, with as many digits as there are: several corners land at once
    static const impQuat symmetric[4] = {
        { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0.5, 0, 0 }, { 1, 0.5, 0.5, 0 }
    };
    Dropped d = kind == 0 || kind == 9   ? drop_hull()
                : kind == 1 || kind == 6 ? drop_l()
                : kind == 7              ? random_hull(77, 100)
                : kind == 8              ? random_hull(78, 48)
                                         : drop_brick();
    if (kind == 1) {
        d.def.law = IMP_STRONGE;
    }
    if (kind == 2) {
        d.def.spin_random = 20;
        d.def.velocity = vec(0.3, 0, -1);
    }
    if (kind == 3) {
        d.def.drag = 30;
    }
    if (kind == 4) {
        d.def.orientations = symmetric;
        d.def.orientation_count = 4;
        d.def.velocity_random = 1e-3;
    }
    if (kind == 5) {
        d.def.friction_dynamic = 0;
    }
    if (kind == 6) {
        d.def.spin = vec(40, 300, 10);
        d.def.restitution = 0.6;
    }
    if (kind == 9) {
        d.def.fine = true;
        d.def.restitution = 0;
        d.def.friction_static = 0.8;
    }
    return d;
}
