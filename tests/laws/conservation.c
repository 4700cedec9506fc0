// conservation.c -- energy and momentum over every scene, as the certificate of every step says.
//
// What a step creates beyond the impulses it names is rounding, and the energy of a whole run is
// that of its contacts (docs/concepts/certificate.md, energy and momentum). Free flight has none.
//
// SPDX-License-Identifier: MIT
#include "worlds_support.h"

#include "model/model.h"

#include <string.h>

// The energy of the velocities before the impulses at the state's time, by which a method that
// keeps those beside the state (half_kick) accounts for its steps.
static impEnergy energy_before_impulses(const World *w) {
    const impModel *m = w->model;
    impState *bare = impState_New(m);
    assert_non_null(bare);
    assert_true(impState_Copy(m, bare, w->state));
    memset(bare->data + m->layout.half_kick, 0, sizeof(double) * (size_t)m->sizes.nv);
    impEnergy energy = impState_Energy(m, bare);
    impState_Free(bare);
    return energy;
}

static void certificates(World *w) {
    impEnergy start = impState_Energy(w->model, w->state);
    impMomentum p = impState_Momentum(w->model, w->state);
    double mass = 0, depth = 0, traded = 0, allowed = 0;
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
        allowed = out.limit.overlap;
        traded += out.sleep_energy + out.scheme_energy;
        for (int k = 0; k < out.contact_count; k++) {
            traded += out.contacts[k].energy;
        }
    }
    impEnergy end = energy_before_impulses(w);
    NEAR((end.kinetic + end.potential - start.kinetic - start.potential - traded) / scale, 0,
         1e-12);

    // methods of fixed steps have a limit; others have none to use
    bool fixed_step = strcmp(w->method, "iterated") == 0 || strcmp(w->method, "lcp") == 0;
    if (fixed_step) {
        assert_true(depth <= allowed);
    } else {
        NEAR(depth, 0, 0);
    }
}

static void nothing_is_created(void **state) {
    (void)state;
    assert_true(every_world(certificates) >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_created) };
    return RUN(tests);
}
