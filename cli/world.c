// world.c -- a scene made ready to run, and the clock that steps it.
//
// Time is counted, not added up: step k goes from k dt to (k+1) dt, and h is their difference. That difference is
// exact in floating point (the two are within a factor of two of each other, or one is zero), and so is the sum
// t + h, so that the state's own clock shows k dt to the last bit after any number of steps.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <float.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double most_steps = 1e14;        // beyond it k dt would have too few bits left to tell steps apart

static void note(World *world, const char *format, const char *value) {
    if (world->note_count < NOTES)
        snprintf(world->notes[world->note_count++], sizeof world->notes[0], format, value);
}

int cli_core_count(void) {
#if defined(_SC_NPROCESSORS_ONLN) && !defined(__wasi__)
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
#else
    return 1;
#endif
}

static void set_times(World *world, const Options *opt) {
    impRunDef run = impModel_Run(world->model);
    world->end = opt->time >= 0 ? opt->time : run.duration > 0 ? run.duration : 1;
    world->dt = opt->dt > 0 ? opt->dt : run.dt > 0 ? run.dt : 0.001;
    if (opt->time < 0 && !(run.duration > 0)) note(world, "the scene says no duration: running %s s", "1");
    if (opt->dt <= 0 && !(run.dt > 0)) note(world, "the scene says no step: taking dt = %s s", "0.001");
}

static int check_times(const World *world) {
    if (world->end / world->dt <= most_steps) return EXIT_OK;
    return cli_fail(EXIT_LIMIT, "%s s in steps of %s s are %s steps; at most 1e14 can be told apart",
                    cli_exact(world->end).text, cli_exact(world->dt).text, cli_short(world->end / world->dt).text);
}

static int make_stepper(World *world, Cli *cli) {
    int asked = cli->opt.threads > 0 ? (int)cli->opt.threads : cli_core_count();
    impStepperDef def = {.method = cli->opt.method, .threads = asked};
    world->stepper = impStepper_New(world->model, &def, &cli->err);
    if (!world->stepper) return cli_input_fault(&cli->err);
    return EXIT_OK;
}

// Another contact band than the scene's, which the scene may leave to the model.
static bool set_band(World *world, Cli *cli) {
    impRunDef run = impModel_Run(world->model);
    run.contact_band = cli->opt.band;
    if (!impScene_Run(world->scene, &run, &cli->err)) return false;
    impModel_Free(world->model);
    world->model = impModel_Build(world->scene, &cli->err);
    return world->model;
}

static int fill(World *world, Cli *cli, const char *path) {
    impLoadDef def = cli_load_def(&cli->opt);
    world->scene = impScene_Load(path, &def, &cli->err);
    if (!world->scene) return cli_input_fault(&cli->err);
    world->model = impModel_Build(world->scene, &cli->err);
    if (!world->model) return cli_input_fault(&cli->err);
    if (cli->opt.band > 0 && !set_band(world, cli)) return cli_input_fault(&cli->err);
    set_times(world, &cli->opt);
    int code = check_times(world);
    if (code == EXIT_OK) code = make_stepper(world, cli);
    if (code) return code;
    world->state = impState_New(world->model);
    world->spare = impState_New(world->model);
    if (!world->state || !world->spare) return cli_fail(EXIT_LIMIT, "%s: out of memory for its states", path);
    return EXIT_OK;
}

// A slip on the command line, told before the scene is read.
static int check_method(const char *method) {
    const char *names[64];
    int count = 0;
    if (!method) return EXIT_OK;
    for (const char *name; count < 64 && (name = impCatalogue(IMP_METHODS, count).name); count++) {
        if (strcmp(name, method) == 0) return EXIT_OK;
        names[count] = name;
    }
    const char *near = cli_nearest(method, names, count);
    if (near) return cli_usage("unknown method '%s'; did you mean '%s'?", method, near);
    return cli_usage("unknown method '%s'; 'impel list methods' names them", method);
}

int cli_world_open(World *world, Cli *cli, const char *path) {
    *world = (World){.path = path};
    memset(&cli->err, 0, sizeof cli->err);
    int code = check_method(cli->opt.method);
    if (code == EXIT_OK) code = fill(world, cli, path);
    if (code) cli_world_close(world);
    return code;
}

void cli_world_close(World *world) {
    impStepper_Free(world->stepper);
    impState_Free(world->spare);
    impState_Free(world->state);
    impModel_Free(world->model);
    impScene_Free(world->scene);
    *world = (World){0};
}

double cli_time_of(const World *world, int64_t step) {
    double t = (double)step * world->dt, slack = 1e-9 * world->dt + 4 * DBL_EPSILON * world->end;
    return t >= world->end - slack ? world->end : t;   // no last step of a few bits
}

bool cli_world_done(const World *world) { return cli_time_of(world, world->step) >= world->end; }

const char *cli_world_warning(const World *world) {
    bool flight = strcmp(impStepper_Method(world->stepper), "flight") == 0;
    return flight ? "bodies pass through each other: method flight has no contacts" : NULL;
}

impOutcome cli_world_step(World *world) {
    double t = cli_time_of(world, world->step), next = cli_time_of(world, world->step + 1);
    impOutcome outcome = impStep(world->stepper, world->state, NULL, next - t);
    if (outcome.verdict == IMP_SOLVED) world->step++;
    return outcome;
}

int cli_world_fault(const World *world, const char *text, impVerdict verdict) {
    return cli_fail(verdict == IMP_FULL ? EXIT_LIMIT : EXIT_CHECK, "%s: stopped at step %lld, t = %s s: %s",
                    world->path, (long long)world->step, cli_exact(impState_Time(world->state)).text, text);
}

double cli_wall(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
