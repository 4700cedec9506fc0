// tally.c -- outcomes added up: by block, and blocks in the order of their trials.
//
// SPDX-License-Identifier: MIT
#include "droptest/droptest.h"

#include <stdlib.h>
#include <string.h>

bool impDropTally_New(impDropTally *tally, int families, int poses) {
    *tally = (impDropTally){ .families = families, .poses = poses, .hash = HASH_START };
    tally->family = calloc((size_t)families + 1, sizeof *tally->family);
    tally->pose = calloc((size_t)poses + 1, sizeof *tally->pose);
    if (tally->family && tally->pose) return true;
    impDropTally_Free(tally);
    return false;
}

void impDropTally_Free(impDropTally *tally) {
    free(tally->family);
    free(tally->pose);
    *tally = (impDropTally){ 0 };
}

void tally_clear(impDropTally *tally) {
    impDropTally kept = *tally;
    memset(kept.family, 0, (size_t)kept.families * sizeof *kept.family);
    memset(kept.pose, 0, (size_t)kept.poses * sizeof *kept.pose);
    *tally = (impDropTally){ .families = kept.families,
                             .poses = kept.poses,
                             .hash = HASH_START,
                             .family = kept.family,
                             .pose = kept.pose };
}

uint64_t hash_number(uint64_t hash, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) {
        hash = (hash ^ (number >> 8 * i & 255)) * 0x100000001b3u;
    }
    return hash;
}

void impDropTally_Add(impDropTally *to, const impDropTally *block) {
    for (int i = 0; i < to->families && i < block->families; i++) {
        to->family[i] += block->family[i];
    }
    for (int i = 0; i < to->poses && i < block->poses; i++) {
        to->pose[i] += block->pose[i];
    }
    to->drops += block->drops;
    to->unresolved += block->unresolved;
    to->failed += block->failed;
    to->left += block->left;
    to->rolled += block->rolled;
    to->impacts += block->impacts;
    to->hash = hash_number(to->hash, block->hash, 8);
}

// --- outcomes ------------------------------------------------------------------------------------
static uint64_t hash_outcome(uint64_t hash, const impDropOutcome *o) {
    hash = hash_number(hash, (uint32_t)o->family, 4);
    hash = hash_number(hash, (uint32_t)o->rest, 4);
    return hash_number(hash, o->hash, 8);
}

// Four blocks side by side: each by itself is a chain, and a GPU would wait for it.
void hash_blocks(uint64_t *hash, const impDropOutcome *outcomes, int64_t blocks, int64_t count) {
    int64_t k = 0;
    for (; k + 4 <= blocks; k += 4) {
        const impDropOutcome *at = outcomes + k * count;
        uint64_t h[4] = { HASH_START, HASH_START, HASH_START, HASH_START };
        for (int64_t i = 0; i < count; i++) {
            for (int b = 0; b < 4; b++) {
                h[b] = hash_outcome(h[b], at + b * count + i);
            }
        }
        memcpy(hash + k, h, sizeof h);
    }
    for (; k < blocks; k++) {
        hash[k] = HASH_START;
        for (int64_t i = 0; i < count; i++) {
            hash[k] = hash_outcome(hash[k], outcomes + k * count + i);
        }
    }
}

static void count_outcome(impDropTally *to, const impDropOutcome *o) {
    if (o->family >= 0 && o->family < to->families) {
        to->family[o->family]++;
        if (o->rest >= 0 && o->rest < to->poses) {
            to->pose[o->rest]++;
        }
        to->rolled += o->rolled != 0;
    } else if (o->family == IMP_UNRESOLVED) {
        to->unresolved++;
    } else if (o->family == IMP_LEFT) {
        to->left++;
    } else {
        to->failed++;
    }
    to->impacts += o->impacts;
}

void tally_block(impDropTally *block, const impDropOutcome *outcomes, int64_t count,
                 uint64_t hash) {
    tally_clear(block);
    block->drops = count;
    block->hash = hash;
    for (int64_t i = 0; i < count; i++) {
        count_outcome(block, &outcomes[i]);
    }
}
