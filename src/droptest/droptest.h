// droptest.h -- the door of droptest/: many drops, counted, checked and kept.
//
// tally.c adds outcomes up; interval.c and check.c say what counts tell; journal.c keeps finished
// blocks on disk; run.c runs a test block by block. A block is IMP_BLOCK consecutive trials, and
// the last one what is left.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "drop/drop.h"

// tally.c
void tally_clear(impDropTally *tally);
// Counts and hashes outcomes. The hash of each block is a chain, so several blocks are hashed side
// by side.
void tally_block(impDropTally *block, const impDropOutcome *outcomes, int64_t count, uint64_t hash);
void hash_blocks(uint64_t *hash, const impDropOutcome *outcomes, int64_t blocks, int64_t count);
uint64_t hash_number(uint64_t hash, uint64_t number, int bytes);  // low byte first

// journal.c: opened for writing
impJournal *journal_open(const char *folder, int64_t rank, uint64_t identity, int families,
                         int poses, impError *err);
bool journal_add(impJournal *journal, bool fine, int64_t number, const impDropTally *block,
                 impError *err);
bool journal_sync(impJournal *journal, impError *err);
// all is on disk then; frees it in any case
bool journal_close(impJournal *journal, impError *err);
int64_t journal_cut(const impJournal *journal);  // bytes
