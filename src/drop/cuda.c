// cuda.c -- what stands in for kernel.cu in builds without IMPEL_CUDA: a sentence.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#if !defined(IMPEL_CUDA)
void *drop_cuda_open(const DropTable *t, char *why, size_t room) {
    (void)t;
    print_text(why, room, "this build has no CUDA: it needs nvcc, and -DIMPEL_CUDA=ON");
    return NULL;
}
bool drop_cuda_run(void *cuda, int64_t first, int64_t count, impDropOutcome *out) {
    (void)cuda;
    (void)first;
    (void)count;
    (void)out;
    return false;
}
void drop_cuda_close(void *cuda) { (void)cuda; }
#endif
