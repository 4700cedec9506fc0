// poses_json.c -- what drops added up to, for programs (schema impel.poses/1), and the manifest of a journal.
//
// Both begin with what is known before the first drop: part, parameters, poses. Numbers have as many digits as it takes to
// read them back equal, so that a merged report is the report. Everything but `timing` is the same for any number of threads.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <stdlib.h>

// Two files belong together if they agree on these, and on the part's hash.
const char *const cli_poses_parameters[] = {"version", "asked", "ci", "block", "method", "seed", "law", "mu_static", "mu_dynamic", "e",
    "height", "gravity", "velocity", "velocity_random", "spin", "spin_random", "drag", "orientation_hash", "surface_hash", "probe", NULL};

static void put_hash(Json *j, const char *key, uint64_t hash) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cli_json_text(j, key, text);
}

static void put_part(Json *j, const PosesPart *p) {
    const impPartReport *r = &p->report;
    cli_json_open(j, "part", '{');
    cli_json_text(j, "path", p->path);
    cli_json_vec(j, "size", (impVec3){r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z});
    cli_json_vec(j, "low", r->low), cli_json_vec(j, "high", r->high);
    cli_json_number(j, "mass", r->mass);
    if (p->density > 0) cli_json_number(j, "density", p->density);
    cli_json_vec(j, "center", r->center), cli_json_number(j, "reach", r->reach);
    cli_json_count(j, "corners", r->corners), cli_json_count(j, "faces", r->faces);
    cli_json_number(j, "chord", r->chord), cli_json_number(j, "noise", r->noise);
    put_hash(j, "hash", p->hash);
    cli_json_close(j, '}');
}

static void put_parameters(Json *j, const PosesResult *r) {
    const PosesPlan *plan = &r->plan;
    const impDropDef *d = &r->def;
    cli_json_count(j, "asked", plan->drops);
    if (plan->ci > 0) cli_json_number(j, "ci", plan->ci);
    else cli_json_text(j, "ci", NULL);
    cli_json_count(j, "block", POSES_BLOCK);
    cli_json_text(j, "method", plan->engine ? "impulse" : "drops");
    cli_json_count(j, "seed", (int64_t)d->seed);
    cli_json_text(j, "law", cli_law(d->law));
    cli_json_number(j, "mu_static", d->friction_static), cli_json_number(j, "mu_dynamic", d->friction_dynamic);
    cli_json_number(j, "e", d->restitution);
    cli_json_number(j, "height", d->height), cli_json_number(j, "gravity", d->gravity);
    cli_json_vec(j, "velocity", d->velocity), cli_json_number(j, "velocity_random", d->velocity_random);
    cli_json_vec(j, "spin", d->spin), cli_json_number(j, "spin_random", d->spin_random);
    cli_json_number(j, "drag", d->drag);
    cli_json_text(j, "orientation", plan->orientation ? plan->orientation : "uniform");
    if (plan->orientation) put_hash(j, "orientation_hash", plan->orientation_hash);
    cli_json_text(j, "surface", plan->surface ? plan->surface : "plane");
    if (plan->surface) put_hash(j, "surface_hash", plan->surface_hash);
    cli_json_number(j, "bias", plan->bias);
    put_hash(j, "probe", plan->probe);
}

static void put_pose(Json *j, const PosesResult *r, int i, bool counted) {
    const impRest *rest = &r->part->rest[i];
    impQuat q = rest->turn;
    double low, high;
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "id", i);
    if (counted) {
        cli_poses_interval(r->count[i], r->drops, &low, &high);
        cli_json_number(j, "probability", r->drops ? (double)r->count[i] / (double)r->drops : 0);
        cli_json_number(j, "low", low), cli_json_number(j, "high", high);
        cli_json_count(j, "count", r->count[i]), cli_json_count(j, "check_count", r->check.drops ? r->check.count[i] : 0);
    }
    cli_json_number(j, "quasi_static", rest->quasi_static);
    cli_json_vec(j, "normal", rest->normal);
    cli_json_number(j, "height", rest->height), cli_json_number(j, "barrier", rest->barrier);
    cli_json_number(j, "margin", rest->margin);
    cli_json_list(j, "orientation", (const double[]){q.w, q.x, q.y, q.z}, 4);
    cli_json_count(j, "same_as", rest->same_as);
    cli_json_close(j, '}');
}

static void put_poses(Json *j, const PosesResult *r, bool counted) {
    cli_json_open(j, "poses", '[');
    for (int i = 0; i < r->part->rests; i++) put_pose(j, r, i, counted);
    cli_json_close(j, ']');
}

static void put_check(Json *j, const PosesResult *r) {
    const PosesCheck *c = &r->check;
    if (c->drops == 0) {
        cli_json_text(j, "check", NULL);
        return;
    }
    cli_json_open(j, "check", '{');
    cli_json_count(j, "drops", c->drops), cli_json_count(j, "unresolved", c->unresolved);
    if (c->pose >= 0) cli_json_number(j, "worst_shift", c->shift), cli_json_number(j, "sigma", c->sigma), cli_json_count(j, "pose", c->pose);
    else cli_json_text(j, "worst_shift", NULL), cli_json_text(j, "sigma", NULL), cli_json_text(j, "pose", NULL);
    cli_json_number(j, "level", c->level);
    cli_json_bool(j, "beyond", c->beyond);
    cli_json_close(j, '}');
}

static void put_shard(Json *j, const PosesResult *r) {
    if (r->shards == 0) return;
    cli_json_open(j, "shard", '{');
    cli_json_count(j, "index", r->shard), cli_json_count(j, "of", r->shards);
    cli_json_open(j, "blocks", '[');
    for (int64_t i = 0; i < r->marks; i++) {
        cli_json_raw(j, NULL);
        fprintf(j->out, "[%lld, \"%016llx\"]", (long long)r->mark[i].block, (unsigned long long)r->mark[i].hash);
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

void cli_poses_json(const PosesResult *r, FILE *out) {
    Json j = {.out = out};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel.poses/1"), cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "status", r->interrupted ? "interrupted" : "complete");
    put_part(&j, r->part);
    cli_json_count(&j, "drops", r->drops);
    put_parameters(&j, r);
    put_shard(&j, r);
    put_poses(&j, r, true);
    cli_json_count(&j, "unresolved", r->unresolved), cli_json_count(&j, "failed", r->failed), cli_json_count(&j, "impacts", r->impacts);
    put_hash(&j, "hash", r->hash);
    put_check(&j, r);
    cli_json_open(&j, "warnings", '[');
    for (int i = 0; i < r->warning_count; i++) cli_json_text(&j, NULL, r->warnings[i]);
    cli_json_close(&j, ']');
    cli_json_open(&j, "timing", '{');
    cli_json_number(&j, "drops_per_s", r->rate);
    cli_json_number(&j, "wall_s", r->wall), cli_json_number(&j, "cpu_s", r->cpu), cli_json_count(&j, "threads", r->threads);
    cli_json_text(&j, "device", r->def.cuda ? "cuda" : "cpu");
    cli_json_close(&j, '}');
    cli_json_close(&j, '}');
}

// The sum, at its end, is that of all the text before it (poses_manifest.c reads it back).
bool cli_poses_manifest(const PosesResult *r, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    Json j = {.out = open_memstream(&text, &size)};
    if (!j.out) return false;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel.poses.journal/1"), cli_json_text(&j, "version", impVersion());
    put_part(&j, r->part);
    put_parameters(&j, r);
    put_poses(&j, r, false);
    bool good = fflush(j.out) == 0;
    if (good) put_hash(&j, "sum", cli_fnv(FNV_START, text, size));
    cli_json_close(&j, '}');
    good = fclose(j.out) == 0 && good && fwrite(text, 1, size, out) == size;
    free(text);
    return good;
}
