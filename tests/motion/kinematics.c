// kinematics.c -- poses and twists along a tree of joints and on prescribed bodies, against closed
// forms and differences.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "motion/motion.h"

static impModel *model_of(const char *text) {
    static impError err;
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    return model;
}

static const char arm[] =
    "{\"impel\": 1, \"bodies\": ["
    " {\"name\": \"upper\", \"shape\": {\"box\": {\"size\": [1, 0.1, 0.1]}}, \"position\": [0.5, "
    "0, 0]},"
    " {\"name\": \"lower\", \"shape\": {\"box\": {\"size\": [1, 0.1, 0.1]}}, \"position\": [1.5, "
    "0, 0]},"
    " {\"name\": \"tip\", \"shape\": {\"sphere\": {\"radius\": 0.05}}, \"position\": [2, 0, 0.2]}],"
    " \"joints\": ["
    " {\"name\": \"shoulder\", \"type\": \"hinge\", \"parent\": \"world\", \"child\": \"upper\", "
    "\"at\": [0, 0, 0], \"axis\": [0, 0, 1]},"
    " {\"name\": \"elbow\", \"type\": \"hinge\", \"parent\": \"upper\", \"child\": \"lower\", "
    "\"at\": [1, 0, 0], \"axis\": [0, 0, 1]},"
    " {\"name\": \"wrist\", \"type\": \"slider\", \"parent\": \"lower\", \"child\": \"tip\", "
    "\"at\": [2, 0, 0], \"axis\": [0, 0, 1]}]}";

static void planar_arm(void **state) {
    (void)state;
    impModel *m = model_of(arm);
    impState *s = impState_New(m);
    double a = 0.7;
    double b = -1.2;
    double da = 0.9;
    double db = 1.4;
    double dz = 0.3;
    s->data[m->layout.q] = a;
    s->data[m->layout.q + 1] = b;
    s->data[m->layout.q + 2] = 0.1;
    s->data[m->layout.v] = da;
    s->data[m->layout.v + 1] = db;
    s->data[m->layout.v + 2] = dz;
    impPose p = motion_pose(m, s->data, 3);
    NEAR(p.at.x, cos(a) + cos(a + b), 4e-15);
    NEAR(p.at.y, sin(a) + sin(a + b), 4e-15);
    NEAR(p.at.z, 0.3, 4e-15);
    impTwist t = motion_twist(m, s->data, 3);
    NEAR(t.linear.x, -sin(a) * da - sin(a + b) * (da + db), 4e-15);
    NEAR(t.linear.y, cos(a) * da + cos(a + b) * (da + db), 4e-15);
    NEAR(t.linear.z, dz, 4e-15);
    NEAR(t.angular.z, da + db, 4e-15);
    impState_Free(s);
    impModel_Free(m);
}

static void scene_pose_is_where_the_joints_are_zero(void **state) {
    (void)state;
    impModel *m = model_of(arm);
    impState *s = impState_New(m);
    for (int i = 1; i < m->body_count; i++) {
        impPose p = motion_pose(m, s->data, i);
        NEAR(norm(sub(p.at, m->body[i].pose0.at)), 0, 1e-15);
        NEAR(fabs(p.rotation.w), 1, 1e-15);
    }
    impState_Free(s);
    impModel_Free(m);
}

// Twist = rate of the pose, for joints of every kind in one chain hung from a spinning, shaking
// body.
static const char chain[] =
    "{\"impel\": 1, \"bodies\": ["
    " {\"name\": \"base\", \"shape\": {\"box\": {\"size\": [1, 1, 1]}}, \"orientation\": [0.6, 0, "
    "0.8, 0],"
    "  \"motion\": {\"spin\": {\"axis\": [1, 2, 3], \"rate\": 2}, \"translate\": {\"velocity\": "
    "[0.7, -0.4, 0.2]},"
    "  \"vibrate\": {\"amplitude\": [0.1, 0.2, 0.3], \"frequency\": 0.5,"
    "  \"rotation\": {\"axis\": [0, 1, 0], \"amplitude\": 0.4}}}},"
    " {\"name\": \"a\", \"shape\": {\"box\": {\"size\": [0.1, 0.2, 0.3]}}, \"position\": [1, 0, "
    "0]},"
    " {\"name\": \"b\", \"shape\": {\"cone\": {\"radius\": 0.1, \"height\": 0.3}}, \"position\": "
    "[1, 1, 0]},"
    " {\"name\": \"c\", \"shape\": {\"box\": {\"size\": [0.1, 0.2, 0.3]}}, \"position\": [1, 1, "
    "1]},"
    " {\"name\": \"d\", \"shape\": {\"cone\": {\"radius\": 0.1, \"height\": 0.3}}, \"position\": "
    "[2, 1, 1], \"orientation\": [0.8, 0.6, 0, 0]}],"
    " \"joints\": ["
    " {\"name\": \"j1\", \"type\": \"ball\", \"parent\": \"base\", \"child\": \"a\", \"at\": [0.5, "
    "0, 0]},"
    " {\"name\": \"j2\", \"type\": \"universal\", \"parent\": \"a\", \"child\": \"b\", \"at\": [1, "
    "0.5, 0], \"axis\": [0, 0, 1], \"axis2\": [1, 0, 0]},"
    " {\"name\": \"j3\", \"type\": \"planar\", \"parent\": \"b\", \"child\": \"c\", \"at\": [1, 1, "
    "0.5], \"axis\": [1, 1, 0]},"
    " {\"name\": \"j4\", \"type\": \"slider\", \"parent\": \"c\", \"child\": \"d\", \"at\": [1.5, "
    "1, 1], \"axis\": [1, 0, 1]}]}";

// smooth functions of time
static void set_chain(const impModel *m, impState *s, double t) {
    double *q = s->data + m->layout.q;
    double *v = s->data + m->layout.v;
    s->data[m->layout.time] = t;
    // ball: spin of 0.5 about a fixed axis
    impQuat rotation = quat_rotation(scale(1 / sqrt(14), vec(3, 2, -1)), 0.5 * t);
    q[0] = rotation.w;
    q[1] = rotation.x;
    q[2] = rotation.y;
    q[3] = rotation.z;
    v[0] = 0.5 * 3 / sqrt(14);
    v[1] = 0.5 * 2 / sqrt(14);
    v[2] = -0.5 / sqrt(14);
    for (int i = 0; i < 6; i++) {
        q[4 + i] = sin(t + i);
        v[3 + i] = cos(t + i);
    }
}

static void twist_is_the_rate_of_the_pose(void **state) {
    (void)state;
    const double h = 1e-5;
    const double t = 0.37;
    impModel *m = model_of(chain);
    impState *s = impState_New(m);
    for (int i = 1; i < m->body_count; i++) {
        set_chain(m, s, t - h);
        impPose a = motion_pose(m, s->data, i);
        set_chain(m, s, t + h);
        impPose b = motion_pose(m, s->data, i);
        set_chain(m, s, t);
        impTwist w = motion_twist(m, s->data, i);
        impVec3 c = m->body[i].center;
        impQuat d = qmul(b.rotation, conjugate(a.rotation));
        NEAR(norm(sub(scale(0.5 / h, sub(place(b, c), place(a, c))), w.linear)), 0, 1e-8);
        NEAR(norm(sub(scale(1 / h, vec(d.x, d.y, d.z)), w.angular)), 0, 1e-8);
    }
    impState_Free(s);
    impModel_Free(m);
}

// No corner of a prescribed body outruns motion_travel or motion_speed.
static void prescribed_points_stay_within_their_bounds(void **state) {
    (void)state;
    impModel *m = model_of(chain);
    impState *s = impState_New(m);
    uint64_t draw = 0;
    for (int i = 0; i < 4000; i++) {
        double u[8];
        for (int k = 0; k < 8; k++) {
            u[k] = 2 * num_uniform(3, 4, draw++) - 1;
        }
        impVec3 n = vec(u[0], u[1], u[2]);
        impVec3 corner = vec(u[3] > 0 ? 0.5 : -0.5, u[4] > 0 ? 0.5 : -0.5, u[5] > 0 ? 0.5 : -0.5);
        n = scale(1 / norm(n), n);
        double t = 3 * (u[6] + 1);
        double T = 0.2 * (u[7] + 1);
        s->data[m->layout.time] = t;
        impVec3 a = place(motion_pose(m, s->data, 1), corner);
        s->data[m->layout.time] = t + T;
        impVec3 b = place(motion_pose(m, s->data, 1), corner);
        assert_true(fabs(dot(n, sub(b, a))) <= motion_travel(m, 1, n, T) + 1e-14);
        assert_true(fabs(dot(n, sub(b, a))) <= motion_speed(m, 1, n) * T + 1e-14);
    }
    impState_Free(s);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_arm),
        cmocka_unit_test(scene_pose_is_where_the_joints_are_zero),
        cmocka_unit_test(twist_is_the_rate_of_the_pose),
        cmocka_unit_test(prescribed_points_stay_within_their_bounds),
    };
    return RUN(tests);
}
