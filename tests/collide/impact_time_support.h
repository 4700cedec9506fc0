// impact_time_support.h -- bodies of every kind on their way, for the tests of impact_time.c
// (linked into all programs of this room).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "collide/collide.h"

enum {
    BALL,
    EGG,
    BOX,
    PLATE,
    NEEDLE,
    BAR,
    CAPSULE,
    TUBE,
    COIN,
    CONE,
    ELLIPSOID,
    CIGAR,
    WEDGE,
    CLOUD,
    TOP,
    PART,
    NUT,
    SHOT,
    DIE,
    PEBBLE,
    FREE_END,
    PLANE = FREE_END,
    WALL,
    ROCK,
    POST,
    FIXED_END,
    PLATTER = FIXED_END,
    PADDLE,
    TRAY,
    SHAKER,
    BOWL,
    TABLE,
    CAM,
    RAM,
    ARM,
    MIXER,
    BELL,
    EGG_WHISK,
    BOULDER,
    SIEVE,
    DECK,
    SEESAW,
    PISTON,
    PRESS,
    DRILL,
    LED_END
};

// fixed: pose of the body's frame
typedef struct Actor {
    int kind;
    double t0;
    Flight flight;
    impPose fixed;
} Actor;

extern impModel *model;
extern Extent extent[LED_END];
int make_model(void **state), drop_model(void **state);

// Drawn by chance, the same in every run.
double uniform(double low, double high);
double spread(double low, double high);  // by its logarithm
int pick(int from, int to);
impQuat random_turn(void);
impVec3 direction(void);
Actor random_actor(int kind, double speed, double spin);

const Body *body_of(const Actor *a);
Placed actor_at(const Actor *a, double t);
Mover actor_mover(const Actor *a, double t);
double actor_speed(const Actor *a, double horizon);  // of any of its points, until then
Closest closest_at(const Actor *a, const Actor *b, double t);
double bound_at(const Actor *a, const Actor *b, double t, double target);
double bound_until(const Actor *a, const Actor *b, double target, double enough);
void set_gap(Actor *a, const Actor *b, double gap);  // a is free
void set_gap_from(Actor *a, const Actor *b, double gap, impVec3 from);
