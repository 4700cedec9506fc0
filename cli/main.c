// main.c -- finds the command, reads its options, runs it, and makes sure that stdout took it all.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

static Cli cli;  // static: impError is 12 KB

// Before anything else, so that trouble with the options themselves is told in the form that was
// asked for.
static void find_json_errors(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--errors=json") == 0 ||
            (strcmp(argv[i], "--errors") == 0 && i + 1 < argc &&
             strcmp(argv[i + 1], "json") == 0)) {
            cli_errors_as_json(true);
        }
    }
}

static int unknown_command(const char *word) {
    const char *near = cli_nearest_command(word);
    const char *what = word[0] == '-' ? "option" : "command";
    if (near) return cli_usage("unknown %s '%s'; did you mean '%s'?", what, word, near);
    return cli_usage("unknown %s '%s'", what, word);
}

static int print_version(void) {
    printf("impel %s\n", impVersion());
    return EXIT_OK;
}

static int dispatch(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        cli_print_help(NULL, stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "--version") == 0) return print_version();
    if (strcmp(word, "--limits") == 0) {
        cli_print_limits(stdout);
        return EXIT_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_print_help(NULL, stdout);
        return EXIT_OK;
    }
    // it may stand before the command too
    if (strcmp(word, "--errors") == 0 || strncmp(word, "--errors=", 9) == 0) {
        int used = word[8] ? 1 : 2;
        const char *form = word[8] ? word + 9 : argc > 2 ? argv[2] : "";
        if (strcmp(form, "json") != 0 && strcmp(form, "text") != 0)
            return cli_usage("--errors '%s'; it can be text or json", form);
        return dispatch(argc - used, argv + used);
    }
    cli.command = cli_find_command(word);
    if (!cli.command) return unknown_command(word);
    cli_name(cli.command->name);
    int code = cli_parse(&cli, argc - 2, argv + 2);
    if (code) return code;
    if (cli.opt.help) {
        cli_print_help(cli.command, stdout);
        return EXIT_OK;
    }
    return cli.command->run(&cli);
}

int main(int argc, char **argv) {
    cli_hold_streams();
    cli_catch_signals();
    find_json_errors(argc, argv);
    return cli_finish_stdout(dispatch(argc, argv));
}
