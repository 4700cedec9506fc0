// iterated_support.h -- trials of the method `iterated`, on the small worlds of impulse_support.h
// (linked into all programs of this room).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impulse_support.h"

// A scene moved by `iterated`. Frees the scene.
Trial iterated_trial_of(impScene *scene);
Trial iterated_trial(const Setting *s, const Part *parts, int count);
// The same from the text of a scene.
Trial iterated_trial_from(const char *text);
// One step; fails the test unless it is solved. The outcome is valid until the next step.
impOutcome iterated_step(Trial *t, const double *input, double h);
// Steps that must be solved.
void iterated_run(Trial *t, int steps, double h);
bool iterated_asleep(const Trial *t, int body);
// Scenes by hand: one material; mass 0: fixed.
impScene *iterated_scene(impVec3 gravity, double friction_static, double friction_dynamic,
                         double restitution);
void iterated_plane(impScene *scene);  // z = 0
void iterated_box(impScene *scene, impVec3 size, impPose at, impTwist twist, double mass);
void iterated_ball(impScene *scene, double radius, impVec3 at, impVec3 v, double mass);
static inline impPose iterated_at(double x, double y, double z) {
    return pose(vec(x, y, z), quat(1, 0, 0, 0));
}
static inline impTwist iterated_moving(double x, double y, double z) {
    return (impTwist){ vec(x, y, z), vec(0, 0, 0) };
}
int iterated_count_asleep(const Trial *t);
// Gap (m) at which bodies touch.
double iterated_level(const Trial *t);
