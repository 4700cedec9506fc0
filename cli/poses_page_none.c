// poses_page_none.c -- throw-away: stands in for poses_page.c until that is there.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

int cli_poses_page(Cli *cli, const PosesResult *result, const impDrops *drops, const char *path) {
    (void)cli, (void)result, (void)drops;
    return cli_fail(EXIT_LIMIT, "%s: this build has no pages of poses", path);
}
