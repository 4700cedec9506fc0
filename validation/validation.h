// validation.h -- the evidence: cases whose answer is known, and the rows in which `impel validate`
// prints them.
//
// validate.c runs the cases that cases.c lists; the other files hold the cases, a file for each
// kind of motion. What several of them need is in stage.h (a scene that is made, run and measured),
// rig.h (one body in given motion), pin.h (bowling pins) and steps.h (runs with several steps). A
// case has a function for each method: method impulse is judged at the default tolerances, method
// iterated with steps of a given length.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli/cli.h"

typedef struct Report Report;
typedef struct Case {
    const char *name, *about, *source;
    void (*run)(Report *report);       // by method impulse; NULL: the case does not apply to it
    const char *scenes;                // that show the same worlds: below scenes/, without .json,
                                       // by spaces; NULL: none
    void (*iterated)(Report *report);  // by method iterated; NULL: the case does not apply to it
    void (*lcp)(Report *report);       // by method lcp; NULL: as by method iterated
} Case;
extern const Case cli_cases[];
extern const int cli_case_count;
// collide.c
void cli_case_distance(Report *r), cli_case_touch(Report *r);
// impact.c
void cli_case_impact(Report *r), cli_case_impact3d(Report *r), cli_case_impact_forms(Report *r);
void cli_case_bounce(Report *r), cli_case_painleve(Report *r), cli_case_growth(Report *r);
// contact.c
void cli_case_zeno(Report *r), cli_case_superball(Report *r), cli_case_slope(Report *r);
void cli_case_stop(Report *r), cli_case_bullet(Report *r), cli_case_drops(Report *r);
// reversal.c
void cli_case_reversal(Report *r);
// roll.c
void cli_case_billiard(Report *r), cli_case_roll(Report *r), cli_case_platter(Report *r);
void cli_case_ramp(Report *r);
// spin.c
void cli_case_rattleback(Report *r), cli_case_disc(Report *r);
// prism.c
void cli_case_prism(Report *r);
// balls.c
void cli_case_marbles(Report *r), cli_case_pool(Report *r);
// dish.c
void cli_case_dish(Report *r);
// topple.c
void cli_case_block(Report *r), cli_case_topple(Report *r), cli_case_conveyor(Report *r);
void cli_case_held(Report *r), cli_case_rod(Report *r);
// games.c
void cli_case_bowling(Report *r), cli_case_dominos(Report *r);
// coins.c
void cli_case_coins(Report *r);
// pins.c
void cli_case_pins(Report *r);
// poses.c
void cli_case_poses(Report *r), cli_case_creep(Report *r);
// iterated.c
void cli_iterated_bullet(Report *r);
void cli_iterated_ramp(Report *r);
void cli_iterated_rattleback(Report *r);
void cli_iterated_prism(Report *r);
void cli_iterated_coins(Report *r);
void cli_iterated_marbles(Report *r);
void cli_iterated_pool(Report *r);
void cli_iterated_dish(Report *r);
void cli_iterated_block(Report *r);
void cli_iterated_topple(Report *r);
void cli_iterated_held(Report *r);
void cli_iterated_conveyor(Report *r);
void cli_iterated_dominos(Report *r);
void cli_iterated_rod(Report *r);
void cli_iterated_pins(Report *r);
void cli_iterated_slope(Report *r);
void cli_iterated_stop(Report *r);
void cli_iterated_roll(Report *r);
void cli_iterated_platter(Report *r);
void cli_iterated_disc(Report *r);
void cli_iterated_drops(Report *r);
void cli_iterated_bowling(Report *r);
void cli_iterated_billiard(Report *r);
void cli_iterated_zeno(Report *r);
void cli_iterated_newmark(Report *r);
void cli_iterated_spool(Report *r);
void cli_iterated_tippe(Report *r);
void cli_iterated_tower(Report *r);
void cli_iterated_pyramid(Report *r);
void cli_iterated_stack(Report *r);
void cli_iterated_overhang(Report *r);
void cli_iterated_cards(Report *r);
void cli_iterated_arch(Report *r);
void cli_iterated_plate(Report *r);
void cli_iterated_bouncers(Report *r);
void cli_iterated_columns(Report *r);
void cli_iterated_funnel(Report *r);
// stepping.c
void cli_lcp_falling_rod(Report *r);
void cli_lcp_four_balls(Report *r);
// One quantity of a case: passes if |measured - reference| <= allowed.
void cli_report(Report *r, const char *quantity, const char *unit, double reference,
                double measured, double allowed);
void cli_report_trouble(Report *r, const char *what);  // the case could not be run: a miss
// One quantity that passes if measured >= least.
void cli_report_least(Report *r, const char *quantity, const char *unit, double least,
                      double measured);
// The method that the case runs with now.
const char *cli_report_method(const Report *r);
// s: length of every step of the scenes that are run from now on; 0: as their functions say. It is
// 0 when a case begins.
double cli_report_step(const Report *r);
void cli_report_set_step(Report *r, double h);
