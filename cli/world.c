// world.c -- a scene made ready to run, and the clock that steps it.
//
// Time is counted, not added up: step k goes from k dt to (k+1) dt, and h is their difference. That
// difference is exact in floating point (the two are within a factor of two of each other, or one
// is zero), and so is the sum t + h, so that the state's own clock shows k dt to the last bit after
// any number of steps.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <float.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// beyond it k dt would have too few bits left to tell steps apart
static const double most_steps = 1e14;

static void note(World *world, const char *format, const char *value) {
    if (world->note_count < NOTES) {
        snprintf(world->notes[world->note_count++], sizeof world->notes[0], format, value);
    }
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
    if (opt->time < 0 && !(run.duration > 0)) {
        note(world, "the scene says no duration: running %s s", "1");
    }
    if (opt->dt <= 0 && !(run.dt > 0)) {
        note(world, "the scene says no step: taking dt = %s s", "0.001");
    }
}

static int check_times(const World *world) {
    if (world->end / world->dt <= most_steps) return EXIT_OK;
    return cli_fail(EXIT_LIMIT,
                    "%s s in steps of %s s are %s steps; at most 1e14 can be told apart",
                    cli_exact(world->end).text, cli_exact(world->dt).text,
                    cli_short(world->end / world->dt).text);
}

static int make_stepper(World *world, Cli *cli, OnViolation rule) {
    int asked = cli->opt.threads > 0 ? (int)cli->opt.threads : cli_core_count();
    impStepperDef def = { .method = cli->opt.method,
                          .tolerance = world->tolerance = cli->opt.tolerance,
                          .threads = asked,
                          .solver = cli->opt.solver };
    return cli_insist_open(&world->insist, cli, world->model, &def, rule);
}

// The scheme of a name; negative: it is unknown.
static int scheme_of(const char *name) {
    impEntry e;
    for (int i = 0; (e = impCatalogue(IMP_SCHEMES, i)).name; i++) {
        if (strcmp(e.name, name) == 0) return i;
    }
    return -1;
}

static bool is_prediction(const char *text) {
    return !text || strcmp(text, "exact") == 0 || strcmp(text, "runge_kutta") == 0;
}

// Another run than the scene's, which may leave the contact band to the model.
static bool set_run(World *world, Cli *cli) {
    const Options *opt = &cli->opt;
    if (opt->band == 0 && !opt->prediction && opt->shock_propagation == 0 && !opt->scheme &&
        opt->directions == 0)
        return true;
    impRunDef run = impModel_Run(world->model);
    if (opt->band > 0) {
        run.contact_band = opt->band;
    }
    if (opt->scheme) {
        run.scheme = (impScheme)scheme_of(opt->scheme);
    }
    if (opt->directions > 0) {
        run.directions = (int)opt->directions;
    }
    if (opt->prediction) {
        run.prediction = strcmp(opt->prediction, "exact") == 0 ? IMP_EXACT : IMP_RUNGE_KUTTA;
    }
    if (opt->shock_propagation > 0) {
        run.shock_propagation = (int)opt->shock_propagation;
    }
    if (!impScene_Run(world->scene, &run, &cli->err)) return false;
    impModel_Free(world->model);
    world->model = impModel_Build(world->scene, &cli->err);
    return world->model;
}

// Methods with contacts would stop at their first look; here the lines are known.
static int check_start(World *world, Cli *cli) {
    if (!cli_has_contacts(impStepper_Method(world->insist.stepper))) return EXIT_OK;
    if (impScene_CheckOverlaps(world->scene, world->model,
                               0.5 * impModel_Run(world->model).contact_band, &cli->err))
        return EXIT_OK;
    return cli_input_fault(&cli->err);
}

static int fill(World *world, Cli *cli, const char *path, OnViolation rule) {
    int kind = cli_refuse_kind(path, FILE_SCENE);
    if (kind) return kind;
    impLoadDef def = cli_load_def(&cli->opt);
    world->scene = impScene_Load(path, &def, &cli->err);
    if (!world->scene) return cli_input_fault(&cli->err);
    world->model = impModel_Build(world->scene, &cli->err);
    if (!world->model) return cli_input_fault(&cli->err);
    if (!set_run(world, cli)) return cli_input_fault(&cli->err);
    set_times(world, &cli->opt);
    int code = check_times(world);
    if (code == EXIT_OK) {
        code = make_stepper(world, cli, rule);
    }
    if (code) return code;
    world->state = impState_New(world->model);
    world->spare = impState_New(world->model);
    if (!world->state || !world->spare)
        return cli_fail(EXIT_LIMIT, "%s: out of memory for its states", path);
    return check_start(world, cli);
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

static int check_rule(const Options *opt, OnViolation *rule) {
    *rule = ON_STOP;
    if (!is_prediction(opt->prediction))
        return cli_usage("--prediction '%s'; it is exact or runge_kutta", opt->prediction);
    if (opt->scheme && scheme_of(opt->scheme) < 0)
        return cli_usage("--scheme '%s' is unknown; 'impel list schemes' names them", opt->scheme);
    if (opt->directions % 2 != 0)
        return cli_usage("--directions %d; their number must be even", (int)opt->directions);
    if (opt->tolerance > 1)
        return cli_usage("--tolerance %s; it is relative, and must not be more than 1",
                         cli_exact(opt->tolerance).text);
    if (opt->on_violation && !cli_rule_of(opt->on_violation, rule))
        return cli_usage("--on-violation '%s'; it is stop, warn or retry", opt->on_violation);
    if (opt->accept && *rule != ON_WARN)
        return cli_usage("--accept accepts what --on-violation warn lets pass; it needs that");
    return EXIT_OK;
}

int cli_world_open(World *world, Cli *cli, const char *path) {
    OnViolation rule;
    *world = (World){ .path = path };
    memset(&cli->err, 0, sizeof cli->err);
    int code = check_method(cli->opt.method);
    if (code == EXIT_OK) {
        code = check_rule(&cli->opt, &rule);
    }
    if (code == EXIT_OK) {
        code = fill(world, cli, path, rule);
    }
    if (code) {
        cli_world_close(world);
    }
    return code;
}

void cli_world_close(World *world) {
    cli_insist_close(&world->insist);
    impState_Free(world->spare);
    impState_Free(world->state);
    impModel_Free(world->model);
    impScene_Free(world->scene);
    *world = (World){ 0 };
}

double cli_time_of(const World *world, int64_t step) {
    double t = (double)step * world->dt;
    double slack = 1e-9 * world->dt + 4 * DBL_EPSILON * world->end;
    // no last step of a few bits
    return t >= world->end - slack ? world->end : t;
}

bool cli_world_done(const World *world) { return cli_time_of(world, world->step) >= world->end; }

bool cli_has_contacts(const char *method) { return strcmp(method, "flight") != 0; }

const char *cli_world_warning(const World *world) {
    return cli_has_contacts(impStepper_Method(world->insist.stepper))
               ? NULL
               : "bodies pass through each other: method flight has no contacts";
}

impOutcome cli_world_step(World *world) {
    double t = cli_time_of(world, world->step);
    double next = cli_time_of(world, world->step + 1);
    impOutcome outcome = cli_insist(&world->insist, world->state, next - t);
    if (outcome.verdict == IMP_SOLVED) {
        world->step++;
        world->in_parts += world->insist.parts > 0;
    }
    return outcome;
}

impRunInfo cli_world_info(const World *w, const Cli *cli, const char *name, const char *text) {
    return (impRunInfo){ .name = name,
                         .text = text,
                         .method = impStepper_Method(w->insist.stepper),
                         .dt = w->dt,
                         .end = w->end,
                         .seed = (uint64_t)cli->opt.seed,
                         .tolerance = w->tolerance,
                         .solver = cli->opt.solver,
                         .on_violation =
                             w->insist.rule == ON_STOP ? NULL : cli_rule_name(w->insist.rule) };
}

int cli_world_fault(const World *world, const char *text, impVerdict verdict) {
    return cli_fail(verdict == IMP_FULL ? EXIT_LIMIT : EXIT_CHECK,
                    "%s: stopped at step %lld, t = %s s: %s", world->path, (long long)world->step,
                    cli_exact(impState_Time(world->state)).text, text);
}

double cli_wall(void) {
    struct timespec now = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
