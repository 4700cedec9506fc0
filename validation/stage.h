// stage.h -- a stage for the cases of `impel validate` with contacts: built in code, stepped
// with the method of the report, and what the steps logged counted.
//
// Bodies touch at the contact level, half a band above their surfaces (docs/reference/methods.md):
// the cases place them there and take closed forms there.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "validation.h"

#define STAGE_PI 3.14159265358979323846

typedef struct Stage {
    Report *report;
    impScene *scene;  // until it starts
    impModel *model;
    impState *state;
    impStepper *stepper;
    double level;                 // m: half the band
    int collisions, micro_steps;  // so far;
    int unconverged;              //   micro-steps that did not converge
    double hit[16];               // s: when the first ordinary collisions happened
    double least_gap, most_gap;   // m: of all that touched
    double most_push;             // N s: the largest single impulse
    bool broken;                  // told to the report
} Stage;

// Gravity along -z, the material "m", its band. What goes wrong is told to the report, once, by
// start or run.
void cli_stage_open(Stage *s, Report *r, double gravity, double friction, double restitution,
                    double band);
void cli_stage_reversal(Stage *s);  // microcollisions by paper 1's own rule
// a scheme of method lcp, with so many directions of friction
void cli_stage_scheme(Stage *s, impScheme scheme, int directions);
void cli_stage_material(Stage *s, const char *name, double friction, double restitution);
void cli_stage_pair(Stage *s, const char *one, const char *two, double friction,
                    double restitution);
// a fixed plane through the origin, down towards +x
impBody cli_stage_slope(Stage *s, double angle);
// of material "m" unless it says so
impBody cli_stage_add(Stage *s, impBodyDef def, impShapeDef shape);
// A convex solid with rings of corners about z, lowest first, and a flat side at each end.
typedef struct Lathe {
    int rings, sides;
    const double *radius, *z;
} Lathe;
enum { LATHE_POINTS = 256, LATHE_INTS = 1024 };
impShapeDef cli_stage_lathe(Lathe rotated, impVec3 points[LATHE_POINTS], int32_t faces[LATHE_INTS]);
bool cli_stage_start(Stage *s);
bool cli_stage_step(Stage *s, double h);
bool cli_stage_push(Stage *s, const double *input, double h);  // a step with forces and torques
bool cli_stage_run(Stage *s, double until, double h);          // steps of about h, or of
                                                               // the report's step, that end there
// What slides on a level floor and slows down evenly: when it begins to roll, and where it is then;
// nan: not until then.
typedef struct Roll {
    double time;
    impVec3 at;
} Roll;
Roll cli_stage_roll(Stage *s, impBody body, double until, double h);
void cli_stage_close(Stage *s);

impVec3 cli_stage_at(const Stage *s, impBody body);
impTwist cli_stage_twist(const Stage *s, impBody body);
// an axis of the body, in world axes
impVec3 cli_stage_axis(const Stage *s, impBody body, impVec3 axis);
double cli_stage_energy(const Stage *s);
impQuat cli_turn_y(double angle);
double cli_distance(impVec3 a, impVec3 b);
