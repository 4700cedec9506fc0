// cuda.c -- the drops on a GPU: trial by trial what the processor gives. Skipped, and counted so,
// where there is none.
//
// SPDX-License-Identifier: MIT
#include "parts_support.h"

static bool skipped;

static void same_as_the_processor(void **state) {
    (void)state;
    static impError err;
    enum { N = 20000 };
    impDropOutcome *gpu = calloc(N, sizeof *gpu);
    impDropOutcome *cpu = calloc(N, sizeof *cpu);
    assert_true(gpu && cpu);
    bool there = true;
    for (int kind = 0; kind < KINDS_OF_DROPS; kind++) {
        Dropped part = drop_kind(kind);
        impDropDef def = part.def;
        def.cuda = true;
        err.count = 0;
        impDrops *on_gpu = there ? impDrops_New(part.part, &def, &err) : NULL;
        impDrops *on_cpu = impDrops_New(part.part, &part.def, NULL);
        there = on_gpu != NULL;
        assert_non_null(on_cpu);
        if (there) {
            assert_true(impDrops_Run(on_gpu, 100, N, 1, gpu));
            assert_true(impDrops_Run(on_cpu, 100, N, 2, cpu));
            for (int i = 0; i < N; i++) {
                if (gpu[i].family != cpu[i].family || gpu[i].rest != cpu[i].rest ||
                    gpu[i].hash != cpu[i].hash || gpu[i].rolled != cpu[i].rolled ||
                    gpu[i].impacts != cpu[i].impacts || gpu[i].time != cpu[i].time) {
                    fail_msg("kind %d, trial %d differs: family %d, not %d", kind, 100 + i,
                             gpu[i].family, cpu[i].family);
                }
            }
        }
        impDrops_Free(on_gpu);
        impDrops_Free(on_cpu);
        drop_free(&part);
    }
    free(gpu);
    free(cpu);
    if (there) return;
    print_message("skipped: %s\n", err.message[0].text);
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    skipped = true;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_as_the_processor) };
    int failed = RUN(tests);
    // 77: ctest counts it as skipped
    return failed ? failed : skipped ? 77 : 0;
}
