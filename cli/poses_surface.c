// poses_surface.c -- trials on a surface from a scene: where it is, how it moves, when one is over.
//
// On a surface that stands still a trial is over when the part sleeps. Nothing sleeps on a moving
// support, so that there the pose is decided in one of two ways:
//
//   certificate   The support moves at a constant velocity u without turning, and its surface is
//                 level. In the frame that moves with it the support is a fixed plane. With the
//                 energy E = m |v - u|^2 / 2 + w I w / 2 + m g z of the part there, z its height
//                 above the plane, the pose is certain when E / (m g) is below the pose's height
//                 plus its barrier. The trial is over once the part is also at rest against the
//                 support.
//   dwell         Any other moving support: the part has stayed in one pose, and in contact, for
//                 the time `dwell`.
//
// A part that is wholly below the lowest point of the surface has left it: it can land on nothing.
//
// Assumed: the level surface goes on around the part. A part that slides over its edge loses
// contact, or hits it at an angle, and what was certain is forgotten.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// steps at rest against a support that make a trial over
enum { REST_STEPS = 5 };
// of a vibration, that a pose must outlast
enum { CYCLES = 10 };
static const double topples = 10;  // times sqrt(reach / g), in which a part on an edge falls over
static const double rest_speed = 0.01;        // of sqrt(g reach): at rest, as a mean over a step
static const double level_cosine = 1 - 1e-6;  // of a contact normal against the vertical: 1.4 mrad
static const double same_speed = 1e-9;        // of two supports, relative
static const double tau = 6.283185307179586;

// --- vectors -------------------------------------------------------------------------------------
static double dot(impVec3 a, impVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static impVec3 minus(impVec3 a, impVec3 b) { return (impVec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }

// Row `row` of the rotation matrix of q: that world axis in body axes.
static impVec3 axis_in_body(impQuat q, int row) {
    if (row == 0)
        return (impVec3){ 1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z),
                          2 * (q.x * q.z + q.w * q.y) };
    if (row == 1)
        return (impVec3){ 2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z),
                          2 * (q.y * q.z - q.w * q.x) };
    return (impVec3){ 2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x),
                      1 - 2 * (q.x * q.x + q.y * q.y) };
}

// a point of a body, in the world
static impVec3 placed(impPose pose, impVec3 v) {
    return (impVec3){ pose.at.x + dot(axis_in_body(pose.rotation, 0), v),
                      pose.at.y + dot(axis_in_body(pose.rotation, 1), v),
                      pose.at.z + dot(axis_in_body(pose.rotation, 2), v) };
}

// a world vector in body axes
static impVec3 in_body(impQuat q, impVec3 v) {
    impVec3 x = axis_in_body(q, 0);
    impVec3 y = axis_in_body(q, 1);
    impVec3 z = axis_in_body(q, 2);
    return (impVec3){ x.x * v.x + y.x * v.y + z.x * v.z, x.y * v.x + y.y * v.y + z.y * v.z,
                      x.z * v.x + y.z * v.y + z.z * v.z };
}

// --- how a surface moves -------------------------------------------------------------------------
// Whether a body stands still or only goes straight on.
static bool is_uniform(const impModel *model, impBody body) {
    impMotionDef motion;
    for (int i = 0; impModel_Motion(model, body, i, &motion); i++) {
        if (strcmp(motion.kind, "translate") != 0) return false;
    }
    return true;
}

static double larger(double a, double b) { return a > b ? a : b; }

// How long a pose must last to have seen all that a motion does; 0: it is the same at all times.
static double cycles_of(const impMotionDef *motion) {
    if (strcmp(motion->kind, "vibrate") == 0) {
        double there = motion->frequency > 0 ? CYCLES / motion->frequency : 0;
        double turning = motion->rotation_frequency > 0 && motion->angle != 0
                             ? CYCLES / motion->rotation_frequency
                             : 0;
        return larger(there, turning);
    }

    // A turntable is the same at all times; a drum is, after one turn.
    bool upright = motion->axis.x == 0 && motion->axis.y == 0;
    if (strcmp(motion->kind, "spin") == 0 && !upright && motion->rate != 0)
        return tau / fabs(motion->rate);
    return 0;
}

static void study_motions(PosesStage *s) {
    PosesSurface *f = &s->surface;
    int bodies = impModel_BodyCount(s->model);
    for (int i = 1; i < bodies; i++) {
        impMotionDef motion;
        if (i == s->body.i) continue;
        if (impModel_Role(s->model, (impBody){ i }) == IMP_KINEMATIC) {
            f->moves = true;
        }
        for (int k = 0; impModel_Motion(s->model, (impBody){ i }, k, &motion); k++) {
            f->cycles = larger(f->cycles, cycles_of(&motion));
        }
    }
}

static int choose_dwell(PosesStage *s, const PosesPlan *plan) {
    PosesSurface *f = &s->surface;
    double asked = s->cli->opt.poses.dwell;
    if (asked > 0 && !f->moves)
        return cli_fail(EXIT_INPUT, "%s: nothing in it moves; --dwell %s is for surfaces that move",
                        plan->surface, cli_exact(asked).text);
    if (!f->moves) return EXIT_OK;

    // By default long enough for the motion to repeat itself, and for a part on an edge to fall
    // over.
    double fall_over = topples * sqrt(s->part->report.bounding_radius / plan->def.gravity);
    f->dwell = asked > 0 ? asked : larger(f->cycles, fall_over);
    f->grace = larger(2 * s->dt, f->cycles / CYCLES);
    if (f->grace > f->dwell / 2) {
        f->grace = f->dwell / 2;
    }
    s->most += 4 * f->dwell;
    return EXIT_OK;
}

// --- where it is ---------------------------------------------------------------------------------
// The lowest point of the surface's boxes; -HUGE_VAL: it has no end.
static double lowest_point(const PosesStage *s, const impState *state) {
    double low = HUGE_VAL;
    int bodies = impModel_BodyCount(s->model);
    for (int i = 1; i < bodies; i++) {
        impVec3 from, to;
        if (i == s->body.i || impModel_ShapeCount(s->model, (impBody){ i }) == 0) continue;
        if (!impModel_Box(s->model, (impBody){ i }, &from, &to)) return -HUGE_VAL;
        impPose pose = impState_Pose(s->model, state, (impBody){ i });
        impVec3 up = axis_in_body(pose.rotation, 2);
        impVec3 middle = { (from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2 };
        double half = (fabs(up.x) * (to.x - from.x) + fabs(up.y) * (to.y - from.y) +
                       fabs(up.z) * (to.z - from.z)) /
                      2;
        double bottom = placed(pose, middle).z - half;
        if (bottom < low) {
            low = bottom;
        }
    }
    return low;
}

static bool has_left(const PosesStage *s, const impState *state, impVec3 center) {
    return center.z + s->part->report.bounding_radius < lowest_point(s, state);
}

// --- contacts of a step --------------------------------------------------------------------------
typedef struct Support {
    bool touched;         // the part met something in this step
    bool moving;          // something of it is driven
    bool uniform, level;  // all of it: one constant velocity; normals that point up
    impVec3 velocity;
    double height;  // of the lowest contact, at the end of the step
} Support;

static void add_contact(Support *u, const PosesStage *s, const impState *state,
                        const impContact *c) {
    bool first = !u->touched;
    impBody body = c->a.i == s->body.i ? c->b : c->a;
    double up = c->a.i == s->body.i ? c->normal.z : -c->normal.z;
    if (c->a.i != s->body.i && c->b.i != s->body.i) return;

    u->touched = true;
    if (impModel_Role(s->model, body) == IMP_KINEMATIC) {
        u->moving = true;
    }
    if (!is_uniform(s->model, body)) {
        u->uniform = false;
    }
    if (!(up > level_cosine)) {
        u->level = false;
    }
    if (!u->uniform) return;

    // Two supports count as one where they move alike.
    impVec3 velocity = impState_Twist(s->model, state, body).linear;
    impVec3 apart = minus(velocity, u->velocity);
    if (first) {
        u->velocity = velocity;
    } else if (dot(apart, apart) > same_speed * same_speed * dot(velocity, velocity)) {
        u->uniform = false;
    }

    double later = impState_Time(state) - c->time;
    double height = c->point.z - fabs(c->gap) + velocity.z * later;
    if (first || height < u->height) {
        u->height = height;
    }
}

static Support support_of(const PosesStage *s, const impState *state, const impOutcome *o) {
    Support u = { .uniform = true, .level = true };
    for (int i = 0; i < o->contact_count; i++) {
        add_contact(&u, s, state, &o->contacts[i]);
    }
    return u;
}

// --- the certificate -----------------------------------------------------------------------------
// The pose that the part cannot leave on a level support of constant velocity; -1: none is certain.
static int certain_pose(const PosesStage *s, const impState *state, const Support *u,
                        impVec3 center) {
    const PosesPart *p = s->part;
    double gravity = -impModel_Gravity(s->model).z;
    impTwist twist = impState_Twist(s->model, state, s->body);
    impQuat rotation = impState_Pose(s->model, state, s->body).rotation;

    // Energy against the support, as a height.
    impVec3 v = minus(twist.linear, u->velocity);
    impVec3 w = in_body(rotation, twist.angular);
    const double spin[3] = { w.x, w.y, w.z };
    double turning = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            turning += spin[i] * p->mass.inertia[i][k] * spin[k];
        }
    }
    double height = center.z - u->height + (dot(v, v) + turning / p->mass.mass) / (2 * gravity);

    // The pose that the part would roll down to, if nothing moved.
    impVec3 up = axis_in_body(rotation, 2);
    int rest = impPart_Settle(p->part, (impVec3){ -up.x, -up.y, -up.z });
    if (rest < 0) return -1;
    return height + p->report.noise < p->rest[rest].height + p->rest[rest].barrier ? rest : -1;
}

// Whether the part moved with the support through the step, as seen from its two ends.
static bool moved_along(const PosesStage *s, const PosesWatch *w, const Support *u, impPose pose,
                        impVec3 center) {
    double bounding_radius = s->part->report.bounding_radius;
    double gravity = -impModel_Gravity(s->model).z;
    impVec3 shift = minus(center, w->center);
    impVec3 slip = { shift.x - u->velocity.x * s->dt, shift.y - u->velocity.y * s->dt,
                     shift.z - u->velocity.z * s->dt };
    impQuat a = pose.rotation;
    impQuat b = w->rotation;
    double cosine = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    double angle = 2 * sqrt(larger(0, 1 - cosine * cosine));
    return sqrt(dot(slip, slip)) + bounding_radius * angle <
           rest_speed * sqrt(gravity * bounding_radius) * s->dt;
}

// --- a trial -------------------------------------------------------------------------------------
bool cli_surface_watch(const PosesStage *s, const impState *state, const impOutcome *o,
                       PosesWatch *w, int *rest) {
    const PosesSurface *f = &s->surface;
    double time = impState_Time(state);
    impPose pose = impState_Pose(s->model, state, s->body);
    impVec3 center = placed(pose, s->part->report.center);
    *rest = IMP_LEFT;
    if (has_left(s, state, center)) {
        w->since = time;
        return true;
    }
    if (!f->moves) return false;

    // What this step's contacts say of the support.
    Support u = support_of(s, state, o);
    bool known = u.touched && u.uniform && u.level;
    if (u.touched) {
        w->touched = time;
    }
    if (u.touched) {
        w->moving = u.moving;
    }
    if (known) {
        w->certain = 1 + certain_pose(s, state, &u, center);
    } else if (u.touched) {
        w->certain = 0;
    }
    w->rest_steps = known && w->certain && w->steps > 0 && moved_along(s, w, &u, pose, center)
                        ? w->rest_steps + 1
                        : 0;
    w->center = center;
    w->rotation = pose.rotation;
    w->steps++;

    // How long it has been in one pose, without a flight that is longer than the support's own
    // motion explains.
    int now = w->certain ? w->certain - 1 : cli_poses_face_down(s, state);
    bool held = w->touched > 0 && time - w->touched <= f->grace;
    if (!held) {
        w->certain = 0;
    }
    if (!held || now != w->pose) {
        w->since = time;
    }
    w->pose = now;
    *rest = now;
    return w->moving && (w->rest_steps >= REST_STEPS || (held && time - w->since >= f->dwell));
}

// --- the start -----------------------------------------------------------------------------------
typedef struct Column {  // upright, about the z axis
    double radius, low, high;
    impBody *found;  // room for all bodies
} Column;

// The first body of the surface that has a point in the column, or `only`, if it has; {-1}: none.
// The column is cut into boxes that lie within it.
static impBody first_in(const PosesStage *s, const Column *c, impBody only) {
    enum { SLICES = 8 };
    int bodies = impModel_BodyCount(s->model);
    impBody first = { -1 };
    for (int i = 0; i < SLICES; i++) {
        double share = (i + 0.5) / SLICES;
        double x = c->radius * share;
        double y = c->radius * sqrt(1 - share * share);
        impVec3 low = { -x, -y, c->low };
        impVec3 high = { x, y, c->high };
        int count = impOverlap(s->model, s->zero, low, high, c->found, bodies);
        for (int k = 0; k < count; k++) {
            impBody body = c->found[k];
            if (body.i == s->body.i || (only.i >= 0 && body.i != only.i)) continue;
            if (first.i < 0 || body.i < first.i) {
                first = body;
            }
        }
    }
    return first;
}

static bool hits(const PosesStage *s, const Column *c, double low, double high, impBody body) {
    return first_in(s, &(Column){ c->radius, low, high, c->found }, body).i >= 0;
}

// The highest point of a body in the column's infinite extension; HUGE_VAL: it goes on for ever.
static double top_in(const PosesStage *s, Column c, impBody body) {
    // m
    const double endless = 1e4;
    double low = c.low;
    double high = c.high;
    for (; hits(s, &c, high, high, body); high *= 2) {
        if (high > endless) return HUGE_VAL;
    }

    // Halved until nothing is left of it above the middle.
    while (high - low > 1e-6 * high) {
        double middle = low + (high - low) / 2;
        if (hits(s, &c, middle, high, body)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static int refuse_start(const PosesStage *s, const PosesPlan *plan, const Column *c, impBody body) {
    double top = top_in(s, *c, body);
    char height[80];
    if (top < HUGE_VAL) {
        snprintf(height, sizeof height, "is %s m high", cli_short(top).text);
    } else {
        snprintf(height, sizeof height, "goes up without end");
    }
    return cli_fail(
        EXIT_INPUT,
        "%s: body '%s' %s where the part is dropped; with --drop-height %s the part starts %s m "
        "above z = 0, its centre less its reach of %s m; the surface must be lower there",
        plan->surface, impModel_Name(s->model, body), height, cli_exact(plan->def.height).text,
        cli_short(c->low).text, cli_short(c->radius).text);
}

// A part that starts inside a surface, or below it, is no drop onto it.
static int check_start(PosesStage *s, const PosesPlan *plan) {
    double bounding_radius = s->part->report.bounding_radius;
    int bodies = impModel_BodyCount(s->model);
    Column c = { bounding_radius, plan->def.height - bounding_radius,
                 plan->def.height + bounding_radius, NULL };
    c.found = malloc((size_t)bodies * sizeof *c.found);
    if (!c.found) return cli_fail(EXIT_LIMIT, "out of memory");

    // As high as anything that has an end.
    for (int i = 1; i < bodies; i++) {
        impVec3 from, to;
        if (i == s->body.i || !impModel_Box(s->model, (impBody){ i }, &from, &to)) continue;
        impPose pose = impState_Pose(s->model, s->zero, (impBody){ i });
        c.high = larger(c.high, pose.at.z + larger(sqrt(dot(from, from)), sqrt(dot(to, to))));
    }
    impBody body = first_in(s, &c, (impBody){ -1 });
    int code = body.i >= 0 ? refuse_start(s, plan, &c, body) : EXIT_OK;
    free(c.found);
    return code;
}

int cli_surface_study(PosesStage *s, const PosesPlan *plan) {
    s->surface = (PosesSurface){ 0 };
    if (!plan->surface) return EXIT_OK;
    study_motions(s);
    int code = choose_dwell(s, plan);
    return code ? code : check_start(s, plan);
}
