// rivals.c -- the method `iterated` beside ODE and Bullet: time of a step and overlap, in one run.
//
// One thread, double precision. All engines take the same steps of the same worlds in turns, so
// that a busy machine disturbs them alike; only the steps are timed. Overlap is measured from the
// exported poses, by one function for all. Of what is at rest soon, the steps are compared with
// those of a second run in which no body may sleep, as none does in the other engines.
//
//   rivals [--short] [--seeds N] [--duration S] [--limit S] [--engine NAME] [SCENE...]
//
// SPDX-License-Identifier: MIT
#include "bench.h"
#include "rivals/rivals.h"

#include <math.h>
#include <unistd.h>

enum { ENGINES = 4, IMPEL = 0, AWAKE = 1, ODE = 2, BULLET = 3 };
// seeds of FUNNEL: the first, and how far the next one is
enum { FIRST_SEED = 12345, SEEDS = 6, SHORT_SEEDS = 1 };
// s: an engine's turn
#define TURN_TIME 0.25
// s of CPU time that one engine may take for one scene and seed
#define LIMIT 300.0
#define MM    1e3

typedef struct Scene {
    const char *name, *about;
    RivalsWorld (*world)(uint64_t seed);
    bool seeded, rests;
    int interval;           // steps between measurements of overlap
    double short_duration;  // s
} Scene;

static RivalsWorld pile(uint64_t seed) {
    (void)seed;
    return rivals_pile();
}
static RivalsWorld pyramid(uint64_t seed) {
    (void)seed;
    return rivals_pyramid();
}
static RivalsWorld tower(uint64_t seed) {
    (void)seed;
    return rivals_tower();
}

enum { SCENES = 4 };
static const Scene scenes[SCENES] = {
    { "funnel", "1000 cubes of 1 m fall into four slabs at 45 degrees", rivals_funnel, true, false,
      10, 2.5 },
    { "pile", "5000 spheres of 0.2 m fall into a box", pile, false, false, 12, 1 },
    { "pyramid", "210 cubes of 1 m in 20 rows", pyramid, false, true, 6, 2 },
    { "tower", "30 cubes of 1 m", tower, false, true, 6, 2 },
};

typedef struct Options {
    bool brief, one[ENGINES], any, scene[SCENES], some;
    int seeds;
    double duration, limit;
} Options;

static const RivalsEngine *const engines[ENGINES] = {
    &rivals_impel,
    &rivals_awake,
#ifdef RIVALS_ODE
    &rivals_ode,
#else
    NULL,
#endif
#ifdef RIVALS_BULLET
    &rivals_bullet,
#else
    NULL,
#endif
};
static const char *const engine_names[ENGINES] = { "impel", "awake", "ode", "bullet" };
static const char *const packages[ENGINES] = { "", "", "libode-dev", "libbullet-dev" };

// One engine in one world.
typedef struct Course {
    const RivalsEngine *engine;
    void *run;
    RivalsJudge *judge;
    impPose *pose;
    double *ms;  // by step
    int steps, samples;
    double spent;  // s
    RivalsOverlap last;
    double worst, mean, asleep;  // m: worst, sum of the means; sum of the shares of bodies asleep
    double moved;                // m: farthest from its start that a body is at the end
    char stopped[640];
} Course;

// What one engine did in one scene, over all seeds.
typedef struct Result {
    bool present, stopped;
    double mean, median;    // ms
    double worst, overlap;  // mm: worst; worst of the means over time of the pairs' mean
} Result;

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        stop("rivals: no memory", NULL);
    }
    return memory;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(double *values, int count) {
    if (count == 0) return 0;
    qsort(values, (size_t)count, sizeof *values, by_size);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static double mean_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return count ? sum / count : 0;
}

static Course course_of(const RivalsEngine *engine, const RivalsWorld *world, int steps) {
    return (Course){ .engine = engine,
                     .run = engine->begin(world),
                     .judge = rivals_judge(world),
                     .pose = room((size_t)world->count, sizeof(impPose)),
                     .ms = room((size_t)steps, sizeof(double)) };
}

static void close_course(Course *c) {
    c->engine->end(c->run);
    rivals_judge_free(c->judge);
    free(c->pose);
    free(c->ms);
}

static double distance(impVec3 a, impVec3 b) {
    double x = a.x - b.x;
    double y = a.y - b.y;
    double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static void measure(Course *c, const RivalsWorld *world) {
    int sleepers = c->engine->asleep ? c->engine->asleep(c->run) : 0;
    c->engine->poses(c->run, c->pose);
    c->last = rivals_overlap(c->judge, c->pose);
    c->worst = fmax(c->worst, c->last.worst);
    c->mean += c->last.pairs ? c->last.sum / c->last.pairs : 0;
    c->asleep += (double)sleepers / world->count;
    c->samples++;
    c->moved = 0;
    for (int i = 0; i < world->count; i++) {
        c->moved = fmax(c->moved, distance(c->pose[i].at, world->body[i].pose.at));
    }
}

// A turn of so many steps, measured after each interval.
static void advance(Course *c, const RivalsWorld *world, int steps, int interval, double limit) {
    for (int i = 0; i < steps && !c->stopped[0]; i++) {
        double start = cpu_seconds();
        const char *why = c->engine->step(c->run);
        double took = cpu_seconds() - start;
        if (why) {
            snprintf(c->stopped, sizeof c->stopped, "step %d: %s", c->steps + 1, why);
            return;
        }
        c->ms[c->steps++] = 1e3 * took;
        c->spent += took;
        if (c->steps % interval == 0) {
            measure(c, world);
        }
        if (c->spent > limit) {
            snprintf(c->stopped, sizeof c->stopped, "after step %d: more than %g s of CPU time",
                     c->steps, limit);
        }
    }
}

static void print_head(void) {
    printf("%-8s %6s %6s %9s %9s %9s %9s %9s %8s %7s\n", "engine", "seed", "steps", "mean",
           "median", "worst", "mean", "last", "moved", "asleep");
    printf("%-8s %6s %6s %9s %9s %9s %9s %9s %8s %7s\n", "", "", "", "ms/step", "ms/step",
           "overl. mm", "overl. mm", "overl. mm", "m", "%");
}

static void add_result(Result *r, Course *c, uint64_t seed) {
    double mean = mean_of(c->ms, c->steps);
    double median = median_of(c->ms, c->steps);
    int samples = c->samples ? c->samples : 1;
    double overlap = MM * c->mean / samples;
    double last = c->last.pairs ? MM * c->last.sum / c->last.pairs : 0;
    printf("%-8s %6d %6d %9.4f %9.4f %9.4g %9.4g %9.4g %8.3f %7.1f\n", c->engine->name, (int)seed,
           c->steps, mean, median, MM * c->worst, overlap, last, c->moved,
           100 * c->asleep / samples);
    if (c->stopped[0]) {
        printf("%-8s STOPPED at %s\n", "", c->stopped);
    }
    r->present = true;
    r->stopped |= c->stopped[0] != 0;
    r->mean += mean;
    r->median += median;
    r->worst = fmax(r->worst, MM * c->worst);
    r->overlap = fmax(r->overlap, overlap);
}

static void tell(const char *scene, uint64_t seed, int step, int steps, const Course *course) {
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%s, seed %d: step %d of %d;", scene, (int)seed, step, steps);
    for (int i = 0; i < ENGINES; i++) {
        if (course[i].engine) {
            fprintf(stderr, " %s %.0f s", course[i].engine->name, course[i].spent);
        }
    }
    fprintf(stderr, "%s", step < steps ? "   " : "\r\033[K");
}

static void run_seed(const Scene *scene, uint64_t seed, const Options *o, Result *result) {
    RivalsWorld world = scene->world(seed);
    Course course[ENGINES] = { 0 };
    double duration = o->duration > 0 ? o->duration
                      : o->brief      ? scene->short_duration
                                      : world.duration;
    int steps = (int)(duration / world.h + 0.5);
    int turn = (int)(TURN_TIME / world.h + 0.5);
    for (int i = 0; i < ENGINES; i++) {
        if (engines[i] && (i != AWAKE || scene->rests) && (!o->any || o->one[i])) {
            course[i] = course_of(engines[i], &world, steps);
        }
    }
    for (int done = 0; done < steps; done += turn) {
        int next = steps - done < turn ? steps - done : turn;
        for (int i = 0; i < ENGINES; i++) {
            if (course[i].engine) {
                advance(&course[i], &world, next, scene->interval, o->limit);
            }
        }
        tell(scene->name, seed, done + next, steps, course);
    }
    for (int i = 0; i < ENGINES; i++) {
        if (course[i].engine) {
            add_result(&result[i], &course[i], seed);
            close_course(&course[i]);
        }
    }
    rivals_free(&world);
    fflush(stdout);
}

// Goals hold for whole runs only.
static int judge_row(const char *what, double measured, const char *unit, double goal,
                     const Result *ours) {
    if (!ours->present) {
        printf("%-58s %10s\n", what, "skipped");
        return 0;
    }
    if (ours->stopped) {
        printf("%-58s %10s        goal %8.4g  MISSED: stopped\n", what, "-", goal);
        return 1;
    }
    return row(what, measured, unit, goal);
}

// theirs 0: the engine is not there
static int ratio_row(const char *what, double ours, double theirs, double goal,
                     const Result *result) {
    if (theirs > 0) return judge_row(what, ours / theirs, "x", goal, result);
    printf("%-58s %10s\n", what, "skipped");
    return 0;
}

// Time of a step of the faster of the two; 0: neither is there.
static double faster_of(const Result *a, const Result *b) {
    if (!a->present || !b->present) return a->present ? a->mean : b->mean;
    return fmin(a->mean, b->mean);
}

static int compare_funnel(const Result *r) {
    const Result *ours = &r[IMPEL];
    double faster = faster_of(&r[ODE], &r[BULLET]);
    int missed = ratio_row("mean time of a step, of the faster of ODE and Bullet", ours->mean,
                           faster, 1.5, ours);
    return judge_row("worst overlap", ours->worst, "mm", 6, ours) | missed;
}

static int compare_pile(const Result *r) {
    const Result *ours = &r[IMPEL];
    int missed = ratio_row("mean time of a step, of that of ODE", ours->mean, r[ODE].mean, 0.5,
                           ours);
    ratio_row("mean time of a step, of that of Bullet", ours->mean, r[BULLET].mean, 0, ours);
    return judge_row("mean overlap", ours->overlap, "mm", 0.1, ours) | missed;
}

static int compare_pyramid(const Result *r) {
    const Result *ours = &r[AWAKE];
    int missed = ratio_row("median time of a step, all awake, of that of ODE", ours->median,
                           r[ODE].median, 0.8, ours);
    ratio_row("the same, of that of Bullet", ours->median, r[BULLET].median, 0, ours);
    ratio_row("median time of a step, with sleep, of that of ODE", r[IMPEL].median, r[ODE].median,
              0, &r[IMPEL]);
    return missed;
}

static int compare_tower(const Result *r) {
    const Result *ours = &r[AWAKE];
    int missed = judge_row("mean time of a step, all awake", ours->mean, "ms", 0.3, ours);
    ratio_row("the same, of that of ODE", ours->mean, r[ODE].mean, 0, ours);
    ratio_row("the same, of that of Bullet", ours->mean, r[BULLET].mean, 0, ours);
    return missed;
}

static int (*const compare[SCENES])(const Result *r) = { compare_funnel, compare_pile,
                                                         compare_pyramid, compare_tower };

static int run_scene(int index, const Options *o) {
    const Scene *scene = &scenes[index];
    Result result[ENGINES] = { 0 };
    int seeds = !scene->seeded ? 1 : o->seeds > 0 ? o->seeds : o->brief ? SHORT_SEEDS : SEEDS;
    RivalsWorld world = scene->world(FIRST_SEED);
    printf("\n%s: %s; step 1/%.0f s\n", scene->name, scene->about, 1 / world.h);
    rivals_free(&world);
    print_head();
    for (int i = 0; i < seeds; i++) {
        run_seed(scene, scene->seeded ? FIRST_SEED + (uint64_t)i : 0, o, result);
    }
    for (int i = 0; i < ENGINES; i++) {
        result[i].mean /= seeds;
        result[i].median /= seeds;
    }
    int missed = compare[index](result);
    fflush(stdout);
    return missed;
}

static int find(const char *name, int count, const char *const *names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return i;
    }
    fprintf(stderr, "rivals: '%s' is not known; one of:", name);
    for (int i = 0; i < count; i++) {
        fprintf(stderr, " %s", names[i]);
    }
    fprintf(stderr, "\n");
    exit(2);
}

static Options options_of(int argc, char **argv) {
    Options o = { .limit = LIMIT };
    const char *names[SCENES];
    for (int i = 0; i < SCENES; i++) {
        names[i] = scenes[i].name;
    }
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--short") == 0) {
            o.brief = true;
        } else if (strcmp(argv[i], "--seeds") == 0) {
            o.seeds = atoi(value);
            i++;
        } else if (strcmp(argv[i], "--duration") == 0) {
            o.duration = atof(value);
            i++;
        } else if (strcmp(argv[i], "--limit") == 0) {
            o.limit = atof(value);
            i++;
        } else if (strcmp(argv[i], "--engine") == 0) {
            o.one[find(value, ENGINES, engine_names)] = o.any = true;
            i++;
        } else {
            o.scene[find(argv[i], SCENES, names)] = o.some = true;
        }
    }
    return o;
}

int main(int argc, char **argv) {
    Options o = options_of(argc, argv);
    int missed = 0;
    for (int i = 0; i < ENGINES; i++) {
        if (engines[i]) {
            printf("%-8s %s\n", engines[i]->name, engines[i]->settings);
        } else {
            printf("%-8s skipped: %s is not installed; ./dev bench rivals installs it\n",
                   engine_names[i], packages[i]);
        }
    }
    for (int i = 0; i < SCENES; i++) {
        if (!o.some || o.scene[i]) {
            missed |= run_scene(i, &o);
        }
    }
    return missed;
}
