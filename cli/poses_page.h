// poses_page.h -- what the page of a drop test shows beside its result (inside cli/).
// viewer/README.md is the contract.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "poses.h"

// of a page: two for each of eight poses
enum { POSES_EXAMPLES = 16 };

typedef struct PosesShown {
    PosesExample example[POSES_EXAMPLES];  // their runs are of one model
    int32_t impacts[POSES_EXAMPLES];  // of the drops, until the pose was certain; negative: not
                                      // known
    int count;
    int tried, agreed;  // trials made again to find them; those that ended as the drops said
    char *command;      // replays a trial, but for --trial; NULL: nothing can
} PosesShown;

// poses_page.c
int cli_poses_page_write(Cli *cli, const char *path, const PosesResult *result,
                         const PosesShown *shown);
