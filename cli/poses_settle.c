// poses_settle.c -- trials by the general engine: the part as a body of a scene, stepped until it
// sleeps.
//
// Slower than the drops by some orders of magnitude, but it ends in a place: x, y and yaw. It is
// also the way of what the drops refuse: Newton's law, which may create energy so that no pose is
// ever certain, and surfaces that are no plane. The law of the drops acts between the part and
// everything it can touch.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__wasi__)
#include <pthread.h>
#endif

// beside the families, IMP_FAILED and its like
enum { NOT_DONE = -9 };
static const double step = 0.02;         // s: events have their own times within it
static const double longest_roll = 200;  // s: a part that rolls for longer is unresolved

// --- the scene -----------------------------------------------------------------------------------
static int add_floor(impScene *scene, impError *err) {
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impBodyDef floor = {
        .name = "plane", .fixed = true, .material = "plane", .shapes = &plane, .shape_count = 1
    };
    impMaterialDef material = { .name = "plane" };
    if (!impScene_Material(scene, &material, err) || impScene_Body(scene, &floor, err).i < 0)
        return cli_input_fault(err);
    return EXIT_OK;
}

static bool add_pair(impScene *scene, const impDropDef *d, const char *other, impError *err) {
    impPairDef pair = { .between = { "dropped part", other },
                        .friction_static = d->friction_static,
                        .friction_dynamic = d->friction_dynamic,
                        .restitution = d->restitution,
                        .law = d->law };
    return impScene_Pair(scene, &pair, err);
}

// Meshes lie in files of their own: what they hold tells surfaces apart, too.
static uint64_t hash_shapes(uint64_t hash, const impModel *model) {
    int bodies = impModel_BodyCount(model);
    for (int i = 0; i < bodies; i++) {
        for (int k = 0; k < impModel_ShapeCount(model, (impBody){ i }); k++) {
            impShapeDef shape;
            if (!impModel_Shape(model, (impBody){ i }, k, &shape)) continue;
            for (int n = 0; n < shape.point_count; n++) {
                hash = cli_fnv(hash, &shape.points[n], sizeof shape.points[n]);
            }
            const int32_t *face;
            for (int n = 0, corners; (face = impModel_Face(model, (impBody){ i }, k, n, &corners));
                 n++) {
                hash = cli_fnv(hash, face, (size_t)corners * sizeof *face);
            }
        }
    }
    return hash;
}

// What the surface's scene holds must stay where it is, or move as it is told.
static int add_pairs(PosesStage *s, const PosesPlan *plan) {
    impError *err = &s->cli->err;
    impModel *model = impModel_Build(s->scene, err);
    if (!model) return cli_input_fault(err);
    int code = EXIT_OK;
    int bodies = impModel_BodyCount(model);
    for (int i = 1; i < bodies && code == EXIT_OK; i++) {
        if (impModel_Role(model, (impBody){ i }) == IMP_DYNAMIC) {
            code = cli_fail(EXIT_INPUT, "%s: body '%s' is dynamic; a surface is fixed or kinematic",
                            plan->surface, impModel_Name(model, (impBody){ i }));
        }
    }
    if (code == EXIT_OK && bodies < 2) {
        code = cli_fail(EXIT_INPUT, "%s: there is nothing in it to drop a part onto",
                        plan->surface);
    }
    for (int i = 1; i < impModel_MaterialCount(model) && code == EXIT_OK; i++) {
        if (!add_pair(s->scene, &plan->def, impModel_MaterialName(model, i), err)) {
            code = cli_input_fault(err);
        }
    }
    s->surface_hash = hash_shapes(plan->surface_hash, model);
    impModel_Free(model);
    return code;
}

static int add_part(PosesStage *s, const impDropDef *d) {
    const PosesPart *p = s->part;
    impError *err = &s->cli->err;
    impMaterialDef material = { .name = "dropped part",
                                .friction_static = d->friction_static,
                                .friction_dynamic = d->friction_dynamic,
                                .restitution = d->restitution };
    PosesHull flat;
    if (!cli_poses_hull(p, &flat)) return cli_fail(EXIT_LIMIT, "out of memory");
    impShapeDef hull = { .kind = "hull",
                         .points = flat.point,
                         .point_count = flat.points,
                         .faces = flat.face,
                         .face_ints = flat.ints };
    impBodyDef body = { .name = "dropped part",
                        .mass = p->mass.mass,
                        .center_given = true,
                        .center = p->mass.center,
                        .material = "dropped part",
                        .shapes = &hull,
                        .shape_count = 1,
                        .pose.at.z = d->height + p->report.bounding_radius };
    memcpy(body.inertia, p->mass.inertia, sizeof body.inertia);
    bool good = impScene_Material(s->scene, &material, err);
    if (good) {
        s->body = impScene_Body(s->scene, &body, err);
    }
    cli_poses_hull_free(&flat);
    return good && s->body.i >= 0 ? EXIT_OK : cli_input_fault(err);
}

static int build(PosesStage *s, const PosesPlan *plan) {
    impError *err = &s->cli->err;
    impLoadDef load = cli_load_def(&s->cli->opt);
    impRunDef run = { .method = "impulse", .dt = step };
    int kind = plan->surface ? cli_refuse_kind(plan->surface, FILE_SCENE) : EXIT_OK;
    if (kind) return kind;
    s->scene = plan->surface ? impScene_Load(plan->surface, &load, err)
                             : impScene_New((impVec3){ 0, 0, -plan->def.gravity });
    if (!s->scene)
        return plan->surface ? cli_input_fault(err) : cli_fail(EXIT_LIMIT, "out of memory");
    int code = plan->surface ? add_pairs(s, plan) : add_floor(s->scene, err);
    if (code == EXIT_OK) {
        code = add_part(s, &plan->def);
    }
    if (code) return code;
    if (!plan->surface && !add_pair(s->scene, &plan->def, "plane", err))
        return cli_input_fault(err);
    if (!impScene_Run(s->scene, &run, err)) return cli_input_fault(err);
    s->model = impModel_Build(s->scene, err);
    if (!s->model) return cli_input_fault(err);
    s->zero = impState_New(s->model);
    return s->zero ? cli_surface_study(s, plan) : cli_fail(EXIT_LIMIT, "out of memory");
}

// How long a part may take to come to rest.
//
// A prism of N sides that rolls loses at each edge about phi^2 / 2 of its speed, phi = 2 pi / N,
// and stops where its energy no longer lifts it over an edge, by b = r phi^2 / 8: after some sqrt(r
// / g) r / b, measured at 0.7 to 1.5 times that. The shallowest pose stands for b, or the facets of
// a smooth shape. Bounces that lose nothing else last fall (1 + e) / (1 - e).
static double time_to_rest(const PosesPart *p, const impDropDef *d) {
    double bounding_radius = p->report.bounding_radius;
    double lift = p->report.chord > 0 ? p->report.chord : bounding_radius;
    for (int i = 0; i < p->rests; i++) {
        if (p->rest[i].barrier < lift) {
            lift = p->rest[i].barrier;
        }
    }
    double bounces = (1 + d->restitution) / (1.01 - d->restitution);
    double rolling = 2 * sqrt(bounding_radius / d->gravity) * bounding_radius / lift * bounces;
    if (rolling > longest_roll) {
        rolling = longest_roll;
    }
    return 20 + 4 * sqrt(2 * d->height / d->gravity) * bounces + rolling;
}

int cli_poses_stage(PosesStage *s, Cli *cli, const PosesPart *part, const PosesPlan *plan,
                    const impDrops *drops) {
    const impDropDef *d = &plan->def;
    *s = (PosesStage){
        .cli = cli, .part = part, .drops = drops, .level = !plan->surface, .dt = step
    };
    s->most = time_to_rest(part, d);
    int code = build(s, plan);
    if (code) {
        cli_poses_stage_free(s);
    }
    return code;
}

void cli_poses_stage_free(PosesStage *s) {
    impState_Free(s->zero);
    impModel_Free(s->model);
    impScene_Free(s->scene);
    *s = (PosesStage){ 0 };
}

// --- a trial -------------------------------------------------------------------------------------
bool cli_poses_start(const PosesStage *s, impState *state, int64_t trial, impError *err) {
    impPose pose;
    impTwist twist;
    impDrops_Start(s->drops, trial, &pose, &twist);
    impState_Copy(s->model, state, s->zero);
    return impState_Set(s->model, state, s->body, pose, twist, err);
}

int cli_poses_face_down(const PosesStage *s, const impState *state) {
    impQuat q = impState_Pose(s->model, state, s->body).rotation;
    impVec3 down = { -2 * (q.x * q.z - q.w * q.y), -2 * (q.y * q.z + q.w * q.x),
                     -(1 - 2 * (q.x * q.x + q.y * q.y)) };
    int best = 0;
    if (s->level) return impPart_Settle(s->part->part, down);
    double most = -2;
    for (int i = 0; i < s->part->rests; i++) {
        impVec3 n = s->part->rest[i].normal;
        double along = n.x * down.x + n.y * down.y + n.z * down.z;
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

// Of the centre of mass; yaw against the pose's own orientation, which has none: q = turn about z,
// then that.
static PosesPlace place_of(const PosesStage *s, const impState *state, int rest) {
    impPose pose = impState_Pose(s->model, state, s->body);
    impQuat q = pose.rotation;
    impQuat r = s->part->rest[rest].rotation;
    impVec3 c = s->part->report.center;
    double w = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z;
    double z = -q.w * r.z + q.z * r.w - q.x * r.y + q.y * r.x;
    return (PosesPlace){ pose.at.x + (1 - 2 * (q.y * q.y + q.z * q.z)) * c.x +
                             2 * (q.x * q.y - q.w * q.z) * c.y + 2 * (q.x * q.z + q.w * q.y) * c.z,
                         pose.at.y + 2 * (q.x * q.y + q.w * q.z) * c.x +
                             (1 - 2 * (q.x * q.x + q.z * q.z)) * c.y +
                             2 * (q.y * q.z - q.w * q.x) * c.z,
                         2 * atan2(w < 0 ? -z : z, fabs(w)) };
}

typedef struct Worker {
    impStepper *stepper;
    impState *state;
    impError err;
    struct Team *team;
} Worker;
typedef struct Team {
    const PosesStage *stage;
    int64_t first, count, next;
    PosesRest *rest;
#if !defined(__wasi__)
    pthread_mutex_t lock;
#endif
} Team;

static void end_trial(PosesRest *end, const PosesStage *s, const impState *state, int rest,
                      double time) {
    end->outcome.family = rest >= 0 ? s->part->rest[rest].family : rest;
    end->outcome.rest = rest >= 0 ? rest : IMP_UNRESOLVED;
    end->outcome.time = time;
    end->outcome.hash = impState_Hash(s->model, state);
    if (rest >= 0) {
        end->place = place_of(s, state, rest);
    }
}

static PosesRest settle(Worker *w, const PosesStage *s, int64_t trial) {
    PosesRest end = { .outcome = { .family = IMP_FAILED, .rest = IMP_UNRESOLVED } };
    PosesWatch watch = { 0 };
    double since = 0;
    int rest;
    if (!cli_poses_start(s, w->state, trial, &w->err)) return end;
    for (int64_t k = 0; (double)k * s->dt < s->most; k++) {
        impOutcome o = impStep(w->stepper, w->state, NULL,
                               (double)(k + 1) * s->dt - (double)k * s->dt);
        if (o.verdict != IMP_SOLVED) return end;
        if (s->deadline > 0 && cli_wall() > s->deadline) break;
        for (int i = 0; i < o.contact_count; i++) {
            end.outcome.impacts += !o.contacts[i].micro;
        }

        // It sleeps on what stands still; elsewhere, the surface tells.
        if (impAsleep(s->model, w->state, s->body, &since)) {
            end_trial(&end, s, w->state, cli_poses_face_down(s, w->state), since);
            return end;
        }
        if (s->level || !cli_surface_watch(s, w->state, &o, &watch, &rest)) continue;
        end_trial(&end, s, w->state, rest, watch.since);
        return end;
    }
    end_trial(&end, s, w->state, IMP_UNRESOLVED, s->most);
    return end;
}

// -1: no more
static int64_t take_one(Team *t) {
#if !defined(__wasi__)
    pthread_mutex_lock(&t->lock);
#endif
    int64_t i = t->next < t->count && !cli_caught() ? t->next++ : -1;
#if !defined(__wasi__)
    pthread_mutex_unlock(&t->lock);
#endif
    return i;
}

static void *work(void *arg) {
    Worker *w = arg;
    for (int64_t i; (i = take_one(w->team)) >= 0;) {
        w->team->rest[i] = settle(w, w->team->stage, w->team->first + i);
    }
    return NULL;
}

// --- many of them --------------------------------------------------------------------------------
static bool hire(Worker *worker, int count, Team *team) {
    const PosesStage *s = team->stage;
    impStepperDef def = { .method = "impulse", .threads = 1 };
    for (int i = 0; i < count; i++) {
        worker[i].team = team;
        worker[i].stepper = impStepper_New(s->model, &def, &worker[i].err);
        worker[i].state = impState_New(s->model);
        if (!worker[i].stepper || !worker[i].state) return false;
    }
    return true;
}

// the first is the caller
static void let_work(Worker *worker, int count) {
#if !defined(__wasi__)
    pthread_t thread[256];
    int started = 1;
    while (started < count && pthread_create(&thread[started], NULL, work, &worker[started]) == 0) {
        started++;
    }
    work(worker);
    for (int i = 1; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
#else
    (void)count;
    work(worker);
#endif
}

int64_t cli_poses_settle(const PosesStage *s, int64_t first, int64_t count, int threads,
                         PosesRest *rest) {
    int hands = threads > 256 ? 256 : threads < 1 ? 1 : threads;
    if (hands > count) {
        hands = (int)count;
    }
    Worker *worker = calloc((size_t)hands, sizeof *worker);
    Team team = { .stage = s, .first = first, .count = count, .rest = rest };
    int64_t done = 0;
    for (int64_t i = 0; i < count; i++) {
        rest[i].outcome.family = NOT_DONE;
    }
#if !defined(__wasi__)
    pthread_mutex_init(&team.lock, NULL);
#endif
    bool good = worker && hire(worker, hands, &team);
    if (good) {
        let_work(worker, hands);
    }
    while (good && done < count && rest[done].outcome.family != NOT_DONE) {
        done++;
    }
    for (int i = 0; worker && i < hands; i++) {
        impStepper_Free(worker[i].stepper);
        impState_Free(worker[i].state);
    }
#if !defined(__wasi__)
    pthread_mutex_destroy(&team.lock);
#endif
    free(worker);
    return good ? done : -1;
}
