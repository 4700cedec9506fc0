// worlds_support.h -- every scene of scenes/ with every method that accepts it, for the laws that
// hold for all of them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "impel/impel.h"

typedef struct World {
    const char *scene, *method;
    impModel *model;
    impStepper *stepper;
    impState *state;
} World;

// Calls law(world) for each; returns how many there were.
int every_world(void (*law)(World *world));
// false: the method does not accept it
bool open_world(World *world, const char *path, const char *method, int threads);
void close_world(World *world);
