// poses_json.c -- what drops added up to, for programs (schema impel.poses/2), and the manifest of
// a journal.
//
// Both begin with what is known before the first drop: part, parameters, poses. Numbers have as
// many digits as it takes to read them back equal, so that a merged report is the report.
// Everything but `timing` is the same for any number of threads.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>

// Two files belong together if they agree on these, and on the part's hash.
const char *const cli_poses_parameters[] = {
    "version",      "asked",           "ci",         "block",       "method",   "seed",
    "law",          "mu_static",       "mu_dynamic", "e",           "height",   "gravity",
    "velocity",     "velocity_random", "spin",       "spin_random", "drag",     "orientation_hash",
    "surface_hash", "dwell",           "join",       "check_of",    "identity", NULL
};

static void put_hash(Json *j, const char *key, uint64_t hash) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cli_json_text(j, key, text);
}

static void put_part(Json *j, const PosesPart *p) {
    const impPartReport *r = &p->report;
    cli_json_open(j, "part", '{');
    cli_json_text(j, "path", p->path);
    cli_json_vec(j, "size",
                 (impVec3){ r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z });
    cli_json_vec(j, "low", r->low);
    cli_json_vec(j, "high", r->high);
    cli_json_number(j, "mass", r->mass);
    if (p->density > 0) {
        cli_json_number(j, "density", p->density);
    }
    cli_json_vec(j, "center", r->center);
    cli_json_number(j, "reach", r->bounding_radius);
    cli_json_count(j, "corners", r->corners);
    cli_json_count(j, "faces", r->faces);
    cli_json_number(j, "chord", r->chord);
    cli_json_number(j, "noise", r->noise);
    put_hash(j, "hash", p->hash);
    cli_json_close(j, '}');
}

static void put_parameters(Json *j, const PosesResult *r) {
    const PosesPlan *plan = &r->plan;
    const impDropDef *d = &r->def;
    cli_json_count(j, "asked", plan->drops);
    if (plan->ci > 0) {
        cli_json_number(j, "ci", plan->ci);
    } else {
        cli_json_text(j, "ci", NULL);
    }
    cli_json_count(j, "block", IMP_BLOCK);
    cli_json_text(j, "method", plan->engine ? "impulse" : "drops");
    cli_json_count(j, "seed", (int64_t)d->seed);
    cli_json_text(j, "law", cli_law(d->law));
    cli_json_number(j, "mu_static", d->friction_static);
    cli_json_number(j, "mu_dynamic", d->friction_dynamic);
    cli_json_number(j, "e", d->restitution);
    cli_json_number(j, "height", d->height);
    cli_json_number(j, "gravity", d->gravity);
    cli_json_vec(j, "velocity", d->velocity);
    cli_json_number(j, "velocity_random", d->velocity_random);
    cli_json_vec(j, "spin", d->spin);
    cli_json_number(j, "spin_random", d->spin_random);
    cli_json_number(j, "drag", d->drag);
    cli_json_text(j, "orientation", plan->orientation ? plan->orientation : "uniform");
    if (plan->orientation) {
        put_hash(j, "orientation_hash", plan->orientation_hash);
    }
    cli_json_text(j, "surface", plan->surface ? plan->surface : "plane");
    if (plan->surface) {
        put_hash(j, "surface_hash", plan->surface_hash);
    }
    if (plan->dwell > 0) {
        cli_json_number(j, "dwell", plan->dwell);
    }
    cli_json_number(j, "join", r->part->report.join);
    cli_json_text(j, "check_of", cli_check_name(plan->check));
    cli_json_number(j, "check_part", plan->check_part);
    put_hash(j, "identity", plan->identity);
}

static void put_share(Json *j, impShare share) {
    cli_json_number(j, "probability", share.probability);
    cli_json_number(j, "low", share.low);
    cli_json_number(j, "high", share.high);
}

// Of a pose whose family was certain before it was: no probability, but how many were certain.
static void put_no_share(Json *j) {
    cli_json_text(j, "probability", NULL);
    cli_json_text(j, "low", NULL);
    cli_json_text(j, "high", NULL);
}

static void put_pose(Json *j, const PosesResult *r, int i, bool counted) {
    const impRest *rest = &r->part->rest[i];
    impQuat q = rest->rotation;
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "id", i);
    cli_json_count(j, "family", rest->family);
    if (counted) {
        impShare share = impDropTally_Pose(&r->usual, r->part->rest, r->part->family, i);
        if (share.given) {
            put_share(j, share);
        } else {
            put_no_share(j);
        }
        cli_json_count(j, "count", r->usual.pose[i]);
    }
    cli_json_number(j, "quasi_static", rest->quasi_static);
    cli_json_vec(j, "normal", rest->normal);
    cli_json_number(j, "height", rest->height);
    cli_json_number(j, "barrier", rest->barrier);
    cli_json_number(j, "margin", rest->margin);
    cli_json_list(j, "orientation", (const double[]){ q.w, q.x, q.y, q.z }, 4);
    cli_json_count(j, "same_as", rest->same_as);
    cli_json_close(j, '}');
}

static void put_poses(Json *j, const PosesResult *r, bool counted) {
    cli_json_open(j, "poses", '[');
    for (int i = 0; i < r->part->rests; i++) {
        put_pose(j, r, i, counted);
    }
    cli_json_close(j, ']');
}

static void put_family(Json *j, const PosesResult *r, int i, bool counted) {
    const impFamily *f = &r->part->family[i];
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "id", i);
    if (counted) {
        put_share(j, impShare_Of(r->usual.family[i], r->usual.drops));
        cli_json_count(j, "count", r->usual.family[i]);
        cli_json_count(j, "check_count", r->fine.drops ? r->fine.family[i] : 0);
    }
    cli_json_count(j, "lowest", f->lowest);
    cli_json_count(j, "members", f->members);
    cli_json_number(j, "inner", f->inner);
    cli_json_number(j, "barrier", f->barrier);
    cli_json_number(j, "quasi_static", f->quasi_static);
    cli_json_count(j, "same_as", f->same_as);
    cli_json_close(j, '}');
}

static void put_families(Json *j, const PosesResult *r, bool counted) {
    cli_json_open(j, "families", '[');
    for (int i = 0; i < r->part->families; i++) {
        put_family(j, r, i, counted);
    }
    cli_json_close(j, ']');
}

static void put_check(Json *j, const PosesResult *r) {
    const impDropCheck *c = &r->check;
    if (c->drops == 0) {
        cli_json_text(j, "check", NULL);
        return;
    }
    cli_json_open(j, "check", '{');
    cli_json_count(j, "drops", c->drops);
    cli_json_count(j, "unresolved", c->unresolved);
    bool shifted = c->family >= 0;
    if (shifted) {
        cli_json_count(j, "family", c->family);
    } else {
        cli_json_text(j, "family", NULL);
    }
    cli_json_number(j, "worst_shift", shifted ? c->shift : (double)NAN);
    cli_json_number(j, "sigma", shifted ? c->sigma : (double)NAN);
    cli_json_number(j, "level", shifted ? c->level : (double)NAN);
    cli_json_number(j, "bound", c->bound > 0 ? c->bound : (double)NAN);
    cli_json_bool(j, "beyond", c->beyond);
    cli_json_close(j, '}');
}

static void put_timing(Json *j, const PosesResult *r) {
    const PosesTime *t = &r->time;
    cli_json_open(j, "timing", '{');
    cli_json_number(j, "drops_per_s", r->rate);
    cli_json_number(j, "wall_s", t->all);
    cli_json_number(j, "part_s", t->part);
    cli_json_number(j, "drops_s", t->drops);
    cli_json_number(j, "check_s", t->check);
    cli_json_number(j, "cpu_s", r->cpu);
    cli_json_count(j, "threads", r->threads);
    cli_json_text(j, "device", r->def.cuda ? "cuda" : "cpu");
    cli_json_close(j, '}');
}

static void put_shard(Json *j, const PosesResult *r) {
    if (r->shards == 0) return;
    cli_json_open(j, "shard", '{');
    cli_json_count(j, "index", r->shard);
    cli_json_count(j, "of", r->shards);
    cli_json_open(j, "blocks", '[');
    for (int64_t i = 0; i < r->marks; i++) {
        cli_json_raw(j, NULL);
        fprintf(j->out, "[%lld, \"%016llx\"]", (long long)r->mark[i].block,
                (unsigned long long)r->mark[i].hash);
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

void cli_poses_json(const PosesResult *r, FILE *out) {
    Json j = { .out = out };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel.poses/2");
    cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "status", r->interrupted ? "interrupted" : "complete");
    put_part(&j, r->part);
    cli_json_count(&j, "drops", r->usual.drops);
    put_parameters(&j, r);
    put_shard(&j, r);
    put_families(&j, r, true);
    put_poses(&j, r, true);
    cli_json_count(&j, "unresolved", r->usual.unresolved);
    cli_json_count(&j, "failed", r->usual.failed);
    cli_json_count(&j, "left", r->usual.left);
    cli_json_count(&j, "rolled", r->usual.rolled);
    cli_json_count(&j, "impacts", r->usual.impacts);
    put_hash(&j, "hash", r->usual.hash);
    put_check(&j, r);
    cli_json_open(&j, "warnings", '[');
    for (int i = 0; i < r->warning_count; i++) {
        cli_json_text(&j, NULL, r->warnings[i]);
    }
    cli_json_close(&j, ']');
    put_timing(&j, r);
    cli_json_close(&j, '}');
}

// The sum, at its end, is that of all the text before it (poses_manifest.c reads it back).
bool cli_poses_manifest(const PosesResult *r, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    Json j = { .out = open_memstream(&text, &size) };
    if (!j.out) return false;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel.poses.journal/2");
    cli_json_text(&j, "version", impVersion());
    put_part(&j, r->part);
    put_parameters(&j, r);
    put_families(&j, r, false);
    put_poses(&j, r, false);
    bool good = fflush(j.out) == 0;
    if (good) {
        put_hash(&j, "sum", cli_fnv(FNV_START, text, size));
    }
    cli_json_close(&j, '}');
    good = fclose(j.out) == 0 && good && fwrite(text, 1, size, out) == size;
    free(text);
    return good;
}
