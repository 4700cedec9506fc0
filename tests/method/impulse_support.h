// impulse_support.h -- small worlds for the tests of the impulse method (linked into all programs
// of this room).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "method/method.h"

typedef struct Trial {
    impModel *m;
    impStepper *stepper;
    impState *s;
    int collisions, micro_steps, query_count;
    double traded, driven;             // J: sums over all contacts
    double slowest_gap, farthest_gap;  // m: least gap of any contact, and largest of any collision
    double nearest;  // m: least gap of any look, whether something came of it or not
} Trial;

typedef struct Part {  // a body of a trial; zero: not given
    const char *kind;
    double size[3];
    impVec3 at, v, w;
    impQuat rotation;
    double mass;
} Part;

typedef struct Setting {
    double friction, restitution, band;
    impVec3 gravity;
    bool floor;
    impLaw law;
} Setting;

// bodies are 1.. ; with a floor it is body 1
Trial trial(const Setting *s, const Part *parts, int count);
impScene *trial_scene(const Setting *s, const Part *parts, int count);
Trial trial_of(impScene *scene);  // frees the scene
// fails the test unless every step is solved
void trial_run(Trial *t, double duration, double h);
void trial_free(Trial *t);
impVec3 trial_at(const Trial *t, int body);
impTwist trial_twist(const Trial *t, int body);
double trial_energy(const Trial *t);
bool trial_asleep(const Trial *t, int body);
