// commands.c -- the table of commands, and the help that is printed from it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

static const char exit_codes[] = "exit codes: 0 ok, 2 usage, 3 bad input, 4 a certificate, check "
                                 "or solver failed, 5 a limit was reached,\n"
                                 "6 output could not be written, 7 some trials of many failed, 8 a "
                                 "recording or journal is damaged or of another version,\n"
                                 "70 a bug of ours, 128+n ended by signal n (130 after Ctrl-C)\n";

const Command cli_commands[] = {
    { "run", FOR_RUN, "simulate a scene and tell how it went", "SCENE [options]",
      "Steps go from k*dt to (k+1)*dt exactly; the last one is shortened to end at T. Samples "
      "never split a step, so\n"
      "that output does not change the run. Ctrl-C ends the run at the next step and keeps what "
      "was written. SCENE -\n"
      "reads standard input. Equal runs print equal bytes for any number of threads, but for "
      "`timing` in --json.\n",
      cli_run },
    { "view", FOR_VIEW, "look at a run, a recording or a scene in the browser",
      "SCENE|RECORDING|PAGE [options]",
      "A scene is run, a recording (.rec) is converted; the page is written to a temporary folder, "
      "named, and opened where\n"
      "there is a browser to open it ($BROWSER, xdg-open or open). A page (.html) is opened as it "
      "is.\n",
      cli_view },
    { "compare", FOR_COMPARE, "the same scene by several methods or steps, side by side",
      "SCENE --methods A,B[,C,D] [--dt H,...] [-o PAGE]",
      "Two to four runs with one clock and one camera on one page (.html), ghosts of the others on "
      "wish, and the difference\n"
      "of any body's path as a plot. A list of one counts for all runs. Steps that a method cannot "
      "follow are taken in\n"
      "parts, which is told.\n",
      cli_compare },
    { "convert", FOR_CONVERT, "a recording as a page, an animation or samples",
      "RECORDING.rec FILE.(html|glb|csv|jsonl|rec) [options]",
      "The recording is checked on the way: one that is damaged or of another version is refused "
      "with exit 8. What a killed\n"
      "run has left, FILE.rec.tmp.N, is saved up to its last whole frame by --salvage "
      "FILE.rec.tmp.N -o SAVED.rec.\n",
      cli_convert },
    { "replay", FOR_REPLAY, "step again from a state of a recording, and compare",
      "RECORDING.rec [--from STEP] [options]",
      "Ends in the same bits as the run did, or exit 4 and the first difference. A run that was "
      "stopped or violated left\n"
      "its last steps in NAME.fail.rec, from which the same verdict comes again.\n",
      cli_replay },
    { "info", FOR_INFO, "what a scene or a mesh (.stl, .obj) holds", "SCENE|MESH [options]",
      "For a scene: bodies, joints, materials and what each pair of materials does, defaults and "
      "warnings; with\n"
      "--pairs the closest features and the distance of bodies that are near each other as it "
      "begins. For a mesh: size,\n"
      "volume, inertia and whether it bounds a solid.\n",
      cli_info },
    { "list", FOR_LIST, "what this build knows",
      "[shapes|joints|motions|methods|formats|solvers|problem_solvers] [options]", "", cli_list },
    { "hash", FOR_HASH, "hash of the end of a run, or the first difference of two traces",
      "FILE... [options]",
      "Each scene is run and the hash of its last state printed: equal hashes mean equal bits. Two "
      "traces (.csv) are\n"
      "compared instead, and so are two recordings (.rec): exit 0 and \"equal\", or exit 4 and the "
      "first difference. Of one\n"
      "recording the hash of its last state is printed.\n",
      cli_hash },
    { "impact", FOR_IMPACT, "look inside one frictional collision",
      "--K Kxx,Kyy,Kzz,Kxy,Kxz,Kyz --u ux,uy,uz --mu M --e E [options]",
      "Axes: two tangents, then the normal from b to a. u is the velocity of a against b, u.z < 0; "
      "K, in 1/kg, gives its\n"
      "change K p by an impulse p on a. The file of -o is the way of u and p through the "
      "collision, stage by stage (figure\n"
      "7 of Mirtich and Canny 1994); --field is du/dp_z over a grid of tangential velocities "
      "(figure 5), by default on\n"
      "stdout. Restitution by Newton's law with friction can create energy: then a warning says "
      "so.\n",
      cli_impact },
    { "solve", FOR_SOLVE, "solve a contact problem with friction from a file", "FILE [options]",
      "FILE is JSON: W, q and mu of u = W r + q; packed where it ends in .gz. The residual is that "
      "of the natural map,\n"
      "relative to q; exit 4 when it is above the tolerance. --solver all prints a table of all "
      "solvers. See\n"
      "docs/reference/contact-problems.md.\n",
      cli_solve },
    { "poses", FOR_POSES, "drop a part many times: in which poses it comes to rest, and how often",
      "PART | replay PART --trial K | merge DIR|FILE.json... | verify DIR [options]",
      "PART is a mesh (.stl, .obj) or a scene with one dynamic body. Results cover whole blocks of "
      "4096 trials, in the order of\n"
      "the trials, so that nothing depends on threads, on Ctrl-C or on how the work was shared "
      "out. Each report has a check:\n"
      "some trials again, more finely. replay makes one trial again by the general engine and "
      "records it with -o; merge adds\n"
      "shards up; verify says whether a journal is complete. See docs/reference/drop-tests.md.\n",
      cli_poses },
    { "validate", FOR_VALIDATE, "measure this build against published and exact results",
      "[CASE...] [options]",
      "Without a name all cases are run. Exit 4 when a quantity misses its reference by more than "
      "is allowed.\n",
      cli_validate },
    { "bench", FOR_BENCH, "how fast this build is beside published figures", "table1 [options]",
      "table1: the nine simulations of Mirtich's Hybrid simulation, table 1, on one thread; CPU "
      "time of the steps alone.\n"
      "The goal is 20 times faster than real time; missing it is told and is no error. Exit 4 when "
      "a scene does not reach\n"
      "its end.\n",
      cli_bench },
    { "help", FOR_HELP, "help on a command", "[COMMAND]", "", cli_help },
};
const int cli_command_count = (int)(sizeof cli_commands / sizeof cli_commands[0]);

const Command *cli_find_command(const char *name) {
    for (int i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    }
    return NULL;
}

const char *cli_nearest_command(const char *name) {
    const char *names[sizeof cli_commands / sizeof cli_commands[0]];
    for (int i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i].name;
    }
    return cli_nearest(name, names, cli_command_count);
}

static void print_program_help(FILE *out) {
    fprintf(out, "impel %s -- rigid bodies that touch\n\n", impVersion());
    Table table = { .align = "ll", .indent = 2 };
    for (int i = 0; i < cli_command_count; i++) {
        cli_cell(&table, "impel %s", cli_commands[i].name);
        cli_cell(&table, "%s", cli_commands[i].about);
    }
    cli_cell(&table, "impel --version");
    cli_cell(&table, "the version");
    cli_cell(&table, "impel --limits");
    cli_cell(&table, "named limits, defaults, and the options that set them");
    cli_table_print(&table, out);
    fputs("\n'impel help COMMAND' says more. Results go to stdout, warnings and notes to stderr.\n",
          out);
    fputs(exit_codes, out);
}

void cli_print_help(const Command *command, FILE *out) {
    if (!command) {
        print_program_help(out);
        return;
    }
    fprintf(out, "impel %s %s\n    %s\n\n", command->name, command->usage, command->about);
    cli_print_options(command->bit, out);
    fprintf(out, "%s%s\n%s", command->more[0] ? "\n" : "", command->more, exit_codes);
}

int cli_help(Cli *cli) {
    if (cli->opt.arg_count > 1) return cli_usage("one command at a time");
    const char *name = cli->opt.arg_count ? cli->opt.args[0] : NULL;
    const Command *command = name ? cli_find_command(name) : NULL;
    if (name && !command) {
        const char *near = cli_nearest_command(name);
        return cli_usage("unknown command '%s'%s%s%s", name, near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
    }
    cli_print_help(command, stdout);
    return EXIT_OK;
}
