// conservation.c -- energy and momentum over every scene, as the certificate of every step says.
//
// What a step creates beyond the impulses it names is rounding, and the energy of a whole run is
// that of its contacts (docs/concepts/certificate.md, energy and momentum). Free flight has none.
//
// SPDX-License-Identifier: MIT
#include "worlds_support.h"

static void certificates(World *w) {
    impEnergy start = impState_Energy(w->model, w->state);
    impMomentum p = impState_Momentum(w->model, w->state);
    double mass = 0, depth = 0, traded = 0;
    for (int i = 1; i < impModel_BodyCount(w->model); i++) {
        mass += impModel_Mass(w->model, (impBody){ i }).mass;
    }
    double scale = fabs(start.kinetic) + fabs(start.potential) + mass;
    double push = fabs(p.linear.z) + mass * 10;
    for (int i = 0; i < 50; i++) {
        impOutcome out = impStep(w->stepper, w->state, NULL, 0.01);
        assert_int_equal(out.verdict, IMP_SOLVED);
        NEAR(out.certificate.energy / scale, 0, 1e-12);
        NEAR(out.certificate.momentum / push, 0, 1e-13);
        NEAR(out.certificate.spin / scale, 0, 1e-13);
        NEAR(out.certificate.quaternion, 0, 4e-16);
        depth = fmax(depth, out.certificate.overlap);
        traded += out.sleep_energy;
        for (int k = 0; k < out.contact_count; k++) {
            traded += out.contacts[k].energy;
        }
    }
    impEnergy end = impState_Energy(w->model, w->state);
    NEAR((end.kinetic + end.potential - start.kinetic - start.potential - traded) / scale, 0,
         1e-12);
    NEAR(depth, 0, 0);
}

static void nothing_is_created(void **state) {
    (void)state;
    assert_true(every_world(certificates) >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_created) };
    return RUN(tests);
}
