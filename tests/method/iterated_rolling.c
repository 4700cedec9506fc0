// iterated_rolling.c -- what the method `iterated` foresees of contact points: bodies that roll
// without loss, and one that goes round with its support.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

// A thin disc of radius 37.5 mm that leans by 10 degrees, its middle at rest: the point of contact
// goes round the rim by 0.078 rad a millisecond (docs/validation/cases.md, disc).
static const char disc[] =
    "{ 'impel': 1, 'materials': { 'steel': { 'friction': 1, 'restitution': 0 } }, 'bodies': ["
    "{ 'name': 'table', 'fixed': true, 'material': 'steel',"
    "  'shape': { 'plane': { 'normal': [0, 0, 1], 'offset': 0 } } },"
    "{ 'name': 'disc', 'material': 'steel',"
    "  'shape': { 'cylinder': { 'radius': 0.0375, 'height': 1e-6 } },"
    "  'mass': 0.4, 'inertia': [0.000140625, 0.000140625, 0.00028125],"
    "  'position': [0, 0, 0.0065127990663863934],"
    "  'orientation': [0.9961946980917455, 0.08715574274765817, 0, 0],"
    "  'angular_velocity': [0, -13.275027807039388, -2.34074557203617] } ],"
    "'run': { 'contact_band': 1e-6, 'method': 'iterated' } }";

// A celt that rattles; spun by -5 rad/s about the vertical (docs/validation/cases.md, rattleback).
static const char celt[] =
    "{ 'impel': 1, 'materials': { 'celt': { 'friction': 2, 'restitution': 0 } }, 'bodies': ["
    "{ 'name': 'table', 'fixed': true, 'material': 'celt',"
    "  'shape': { 'plane': { 'normal': [0, 0, 1], 'offset': 0 } } },"
    "{ 'name': 'rattleback', 'material': 'celt',"
    "  'shape': { 'ellipsoid': { 'semi_axes': [0.2, 0.03, 0.02] } },"
    "  'mass': 1, 'center_of_mass': [0, 0, -0.01],"
    "  'inertia': [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]],"
    "  'position': [0, 0, 0.020078197578594408],"
    "  'orientation': [0.9999809615320856, 0.004363267749186967, 0.004363267749186967,"
    "                  -1.9038467914355635e-05],"
    "  'velocity': [0.001962489584505227, 0.08693083622514043, 0.0007415364150870232],"
    "  'angular_velocity': [-0.043631016093208776, 0.04363267749186967, -4.999619237890978] } ],"
    "'run': { 'contact_band': 4e-6, 'method': 'iterated' } }";

// A block on a platter that turns by 6.99 rad/s, 0.998 of what friction can carry round.
static const char platter[] =
    "{ 'impel': 1, 'materials': { 'steel': { 'friction': 0.5, 'restitution': 0.3 } }, 'bodies': ["
    "{ 'name': 'platter', 'material': 'steel',"
    "  'shape': { 'cylinder': { 'radius': 0.5, 'height': 0.02 } }, 'position': [0, 0, -0.01],"
    "  'motion': { 'spin': { 'axis': [0, 0, 1], 'rate': 6.99 } } },"
    "{ 'name': 'block', 'material': 'steel', 'shape': { 'box': { 'size': [0.03, 0.02, 0.01] } },"
    "  'position': [0.1, 0, 0.0050005], 'velocity': [0, 0.699, 0],"
    "  'angular_velocity': [0, 0, 6.99] } ],"
    "'run': { 'contact_band': 1e-6, 'method': 'iterated' } }";

static Trial trial_of_text(const char *text) {
    char json[2048];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return iterated_trial_from(json);
}

// The row of the point follows it round the rim, and no other point is added where it has got to.
static void a_disc_keeps_its_lean(void **state) {
    (void)state;
    Trial t = trial_of_text(disc);
    const double high = trial_at(&t, 2).z;
    const double energy = trial_energy(&t);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(iterated_step(&t, NULL, 1e-3).contact_count, 1);
        NEAR(trial_at(&t, 2).z, high, 1e-5);
    }
    NEAR(trial_energy(&t) / energy, 1, 3e-3);
    trial_free(&t);
}

// Friction acts against the slip in the middle of the step at the velocities that the step has, so
// that rolling takes and gives nothing: the kinetic energy is 0.026 J.
static void a_celt_keeps_its_energy(void **state) {
    (void)state;
    Trial t = trial_of_text(celt);
    iterated_step(&t, NULL, 1e-3);
    const double energy = trial_energy(&t);
    iterated_run(&t, 1999, 1e-3);
    NEAR(trial_energy(&t), energy, 2e-5);
    trial_free(&t);
}

// What points do is foreseen with the forces of the last step: with the velocities before those of
// this one the block gets ahead of the platter by 0.5 mm.
static void a_block_is_carried_round(void **state) {
    (void)state;
    Trial t = trial_of_text(platter);
    iterated_run(&t, 480, 1. / 240);
    impVec3 at = trial_at(&t, 2);
    NEAR(at.x, 0.1 * cos(6.99 * 2), 1.5e-4);
    NEAR(at.y, 0.1 * sin(6.99 * 2), 1.5e-4);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_keeps_its_lean),
        cmocka_unit_test(a_celt_keeps_its_energy),
        cmocka_unit_test(a_block_is_carried_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
