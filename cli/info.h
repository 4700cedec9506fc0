// info.h -- what the files of `impel info` share.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

const char *cli_role_name(impRole role);
void cli_info_json(const impModel *model, const char *path);
int cli_info_pairs(const Cli *cli, const impModel *model, const char *path);
int cli_info_mesh(Cli *cli, const char *path);
