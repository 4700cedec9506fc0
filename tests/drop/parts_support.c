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
                : kind == 10             ? drop_round(&drop_rounds[CUP], 0)
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

// --- round parts ---------------------------------------------------------------------------------
const RoundPart drop_rounds[DROP_ROUNDS] = {
    { "cup", 0.020, 0.018, 0.030, 0.002, false }, { "pin", 0.002, 0, 0.020, 0, false },
    { "washer", 0.010, 0.005, 0.002, 0, false },  { "tube", 0.010, 0.008, 0.020, 0, false },
    { "cone", 0.010, 0, 0.020, 0, true },
};

// moments about its own centre
typedef struct Lump {
    double mass, z, across, along;
} Lump;

static Lump cylinder_lump(double sign, double radius, double low, double high) {
    double h = high - low;
    double m = sign * 1000 * PI * radius * radius * h;
    return (Lump){ m, (low + high) / 2, m * (3 * radius * radius + h * h) / 12,
                   m * radius * radius / 2 };
}

static Lump together(Lump a, Lump b) {
    Lump s = { a.mass + b.mass, 0, 0, a.along + b.along };
    s.z = (a.mass * a.z + b.mass * b.z) / s.mass;
    s.across = a.across + a.mass * (a.z - s.z) * (a.z - s.z) + b.across +
               b.mass * (b.z - s.z) * (b.z - s.z);
    return s;
}

static Lump lump_of(const RoundPart *r) {
    double m = 1000 * PI * r->radius * r->radius * r->height / 3;
    double r2 = r->radius * r->radius;
    if (r->cone)
        return (Lump){ m, r->height / 4, m * 3 * (4 * r2 + r->height * r->height) / 80,
                       m * 3 * r2 / 10 };
    Lump all = cylinder_lump(1, r->radius, 0, r->height);
    return r->hole > 0 ? together(all, cylinder_lump(-1, r->hole, r->floor, r->height)) : all;
}

impBodyDef drop_round_body(const RoundPart *r, int sides, impShapeDef *shape) {
    static impVec3 point[1100];
    Lump lump = lump_of(r);
    int count = 0;
    for (int i = 0; i < sides; i++) {
        SinCos a = num_sincos_turns((i + 0.5) / sides);
        point[count++] = vec(r->radius * a.cos, r->radius * a.sin, 0);
        if (!r->cone) {
            point[count++] = vec(r->radius * a.cos, r->radius * a.sin, r->height);
        }
    }
    if (r->cone) {
        point[count++] = vec(0, 0, r->height);
    }
    impShapeDef hull = { .kind = "hull", .points = point, .point_count = count };
    impShapeDef smooth = { .kind = r->cone ? "cone" : "cylinder",
                           .size = { r->radius, r->height } };
    if (!r->cone) {
        smooth.pose.at.z = r->height / 2;
    }
    *shape = sides ? hull : smooth;
    return (impBodyDef){
        .name = "part",
        .mass = lump.mass,
        .center_given = true,
        .center = { 0, 0, lump.z },
        .inertia = { { lump.across, 0, 0 }, { 0, lump.across, 0 }, { 0, 0, lump.along } },
        .shapes = shape,
        .shape_count = 1
    };
}

Dropped drop_round(const RoundPart *r, int sides) {
    static impError err;
    impShapeDef shape;
    impBodyDef body = drop_round_body(r, sides, &shape);
    Dropped d = { .def = { .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 } };
    err.count = 0;
    if (!part_or_null(&body, 0, &d, &err)) {
        fail_msg("%s of %d sides: %s", r->name, sides, err.message[0].text);
    }
    return d;
}
