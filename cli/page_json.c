// page_json.c -- what a page says in words and shapes: viewer/README.md, "RUN".
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// bytes of a scene's text
enum { LONGEST_SHOWN = 200000 };

const PageColumn cli_page_columns[SERIES] = {
    { "total", "J", "kinetic and potential energy of the dynamic bodies", "energy" },
    { "kinetic", "J", "", "energy" },
    { "potential", "J", "", "energy" },
    { "restitution", "J", "taken by collisions, along their normals, since the start",
      "energy by cause" },
    { "friction", "J", "taken by friction, since the start", "energy by cause" },
    { "micro-steps", "J", "normal part of microcollisions, since the start", "energy by cause" },
    { "motions", "J", "work of prescribed bodies, since the start", "energy by cause" },
    { "sleep", "J", "taken from bodies that fell asleep, since the start", "energy by cause" },
    { "scheme", "J", "by a scheme of first order in the step, since the start", "energy by cause" },
    { "p x", "N s", "", "momentum" },
    { "p y", "N s", "", "momentum" },
    { "p z", "N s", "", "momentum" },
    { "L x", "N m s", "about the origin", "angular momentum" },
    { "L y", "N m s", "about the origin", "angular momentum" },
    { "L z", "N m s", "about the origin", "angular momentum" },
    { "smallest gap", "m", "of the contacts since the frame before", "gap" },
    { "overlap", "m", "deepest penetration seen since the frame before", "gap" },
    { "level violation", "m", "nearer than the contact level", "gap" },
    { "events", "1/s", "impacts and micro-steps", "events" },
    { "contacts", "1/s", "points that got an impulse", "events" },
    { "energy created", "J", "by the worst step since the frame before", "certificate" },
    { "momentum lost", "N s", "not accounted for, worst step since the frame before",
      "certificate" },
    { "approach", "m/s", "fastest contact still closing", "certificate" },
};

// --- shapes: each once ---------------------------------------------------------------------------
typedef struct Shapes {
    impShapeDef *def;
    int *body, *piece, count, room;
} Shapes;

static bool same_shape(const impShapeDef *a, const impShapeDef *b) {
    return strcmp(a->kind, b->kind) == 0 && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           a->radius == b->radius && a->points == b->points && a->point_count == b->point_count;
}

// -1: no memory
static int find_shape(Shapes *s, const impModel *m, int body, int piece) {
    impShapeDef def;
    impModel_Shape(m, (impBody){ body }, piece, &def);
    // alike bodies are neighbours
    for (int i = s->count - 1; i >= 0 && i >= s->count - 64; i--) {
        if (same_shape(&s->def[i], &def)) return i;
    }
    int room = s->room;
    if (!cli_page_room(&s->def, &room, s->count, sizeof *s->def)) return -1;
    room = s->room;
    if (!cli_page_room(&s->body, &room, s->count, sizeof *s->body)) return -1;
    room = s->room;
    if (!cli_page_room(&s->piece, &room, s->count, sizeof *s->piece)) return -1;
    s->room = room;
    s->def[s->count] = def;
    s->body[s->count] = body;
    s->piece[s->count] = piece;
    return s->count++;
}

// for looking
static void put_float(FILE *out, double x) { fprintf(out, "%.8g", x); }

static void put_points(Json *j, const impShapeDef *def) {
    cli_json_raw(j, "points");
    for (int i = 0; i < def->point_count; i++) {
        fputc(i ? ',' : '[', j->out);
        put_float(j->out, def->points[i].x);
        fputc(',', j->out);
        put_float(j->out, def->points[i].y);
        fputc(',', j->out);
        put_float(j->out, def->points[i].z);
    }
    fputc(']', j->out);
}

static void put_faces(Json *j, const impModel *m, int body, int piece) {
    const int32_t *corner;
    cli_json_raw(j, "faces");
    fputc('[', j->out);
    for (int f = 0, n; (corner = impModel_Face(m, (impBody){ body }, piece, f, &n)); f++) {
        fprintf(j->out, "%s%d", f ? "," : "", n);
        for (int k = 0; k < n; k++) {
            fprintf(j->out, ",%d", (int)corner[k]);
        }
    }
    fputc(']', j->out);
}

static void put_shapes(Json *j, const impModel *m, const Shapes *s) {
    cli_json_open(j, "shapes", '[');
    for (int i = 0; i < s->count; i++) {
        const impShapeDef *def = &s->def[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "kind", def->kind);
        cli_json_list(j, "size", def->size, 4);
        cli_json_number(j, "rounding", def->radius);
        if (def->point_count) {
            put_points(j, def);
            put_faces(j, m, s->body[i], s->piece[i]);
        }
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

// --- bodies --------------------------------------------------------------------------------------
static void put_pose(Json *j, const char *key, impPose p) {
    cli_json_list(j, key,
                  (const double[]){ p.at.x, p.at.y, p.at.z, p.rotation.w, p.rotation.x,
                                    p.rotation.y, p.rotation.z },
                  7);
}

// A plane as the page wants it: through the origin of a frame of its own, with its normal along z.
static impPose pose_of_plane(const impShapeDef *def) {
    const double *n = def->size;
    const double offset = def->size[3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double w = 1 + n[2] / length;
    impQuat q = w > 1e-9 ? (impQuat){ w, -n[1] / length, n[0] / length, 0 }
                         : (impQuat){ 0, 1, 0, 0 };
    double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y);
    impQuat rotation = cli_product(def->pose.rotation,
                                   (impQuat){ q.w / size, q.x / size, q.y / size, 0 });
    impQuat t = def->pose.rotation;
    double k = offset / (length * length);
    impQuat at = cli_product(cli_product(t, (impQuat){ 0, k * n[0], k * n[1], k * n[2] }),
                             (impQuat){ t.w, -t.x, -t.y, -t.z });
    return (impPose){ { def->pose.at.x + at.x, def->pose.at.y + at.y, def->pose.at.z + at.z },
                      rotation };
}

static void put_pieces(Json *j, const impModel *m, int body, Shapes *s) {
    int count = impModel_ShapeCount(m, (impBody){ body });
    cli_json_open(j, "pieces", '[');
    for (int i = 0; i < count; i++) {
        impShapeDef def;
        impModel_Shape(m, (impBody){ body }, i, &def);
        cli_json_open(j, NULL, '{');
        cli_json_count(j, "shape", find_shape(s, m, body, i));
        cli_json_count(j, "material", impModel_ShapeMaterial(m, (impBody){ body }, i));
        put_pose(j, "pose", strcmp(def.kind, "plane") ? def.pose : pose_of_plane(&def));
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void put_body(Json *j, const PageRun *run, int body, const impState *start, Shapes *s) {
    static const char *const roles[] = { "dynamic", "fixed", "kinematic" };
    const impModel *m = run->source.model;
    impMass mass = impModel_Mass(m, (impBody){ body });
    bool made = impModel_ShapeCount(m, (impBody){ body }) > 0;
    int row = run->row[body];
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", body ? impModel_Name(m, (impBody){ body }) : "world");
    cli_json_text(j, "role", roles[impModel_Role(m, (impBody){ body })]);
    cli_json_number(j, "mass", mass.mass);
    cli_json_vec(j, "center", mass.center);
    cli_json_list(j, "inertia", &mass.inertia[0][0], 9);
    cli_json_count(j, "material", made ? impModel_ShapeMaterial(m, (impBody){ body }, 0) : -1);
    cli_json_number(j, "size", row >= 0 ? run->size[row] : 0);
    put_pieces(j, m, body, s);
    cli_json_count(j, "moves", row);
    if (row < 0) {
        put_pose(j, "pose", impState_Pose(m, start, (impBody){ body }));
    }
    cli_json_close(j, '}');
}

static void put_bodies(Json *j, const PageRun *run) {
    Shapes shapes = { 0 };
    // NULL: the identity, and the page is not written for want of memory
    impState *start = impState_New(run->source.model);
    cli_json_open(j, "bodies", '[');
    for (int i = 0; i < impModel_BodyCount(run->source.model); i++) {
        put_body(j, run, i, start, &shapes);
    }
    cli_json_close(j, ']');
    put_shapes(j, run->source.model, &shapes);
    impState_Free(start);
    free(shapes.def);
    free(shapes.body);
    free(shapes.piece);
}

static void put_joints(Json *j, const impModel *m) {
    cli_json_open(j, "joints", '[');
    for (int i = 0; i < impModel_JointCount(m); i++) {
        impBody parent, child;
        impModel_JointEnds(m, (impJoint){ i }, &parent, &child);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", impModel_JointName(m, (impJoint){ i }));
        cli_json_text(j, "kind", impModel_JointKind(m, (impJoint){ i }));
        cli_json_count(j, "parent", parent.i);
        cli_json_count(j, "child", child.i);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void put_materials(Json *j, const impModel *m) {
    int count = impModel_MaterialCount(m);
    cli_json_open(j, "materials", '[');
    for (int i = 0; i < count; i++) {
        cli_json_text(j, NULL, impModel_MaterialName(m, i));
    }
    cli_json_close(j, ']');
    cli_json_open(j, "pairs", '[');
    for (int a = 0; a < count && count <= 40; a++) {
        for (int b = a; b < count; b++) {
            impPairLaw law = impModel_PairLaw(m, a, b);
            cli_json_open(j, NULL, '{');
            cli_json_count(j, "a", a);
            cli_json_count(j, "b", b);
            cli_json_number(j, "friction_static", law.friction_static);
            cli_json_number(j, "friction_dynamic", law.friction_dynamic);
            cli_json_number(j, "restitution", law.restitution);
            cli_json_text(j, "law", cli_law(law.law));
            cli_json_bool(j, "listed", law.listed);
            cli_json_close(j, '}');
        }
    }
    cli_json_close(j, ']');
}

// --- the run -------------------------------------------------------------------------------------
static void put_scene(Json *j, const PageRun *run) {
    const impRunInfo *info = &run->source.run;
    cli_json_open(j, "scene", '{');
    cli_json_text(j, "name", info->name);
    cli_json_text(j, "about", impModel_About(run->source.model));
    cli_json_text(j, "source", impModel_Source(run->source.model));
    cli_json_text(j, "text", info->text && strlen(info->text) <= LONGEST_SHOWN ? info->text : NULL);
    cli_json_close(j, '}');
}

static void put_thinned(Json *j, const PageRun *run, const PageBlob *blob) {
    char text[200];
    cli_json_open(j, "thinned", '[');
    snprintf(text, sizeof text, "%d of %lld samples of the run are frames of this page",
             run->frames, (long long)run->samples);
    cli_json_text(j, NULL, text);
    snprintf(text, sizeof text, "numbers have 16 bits: positions are rounded by at most %.2g m",
             blob->coarsest);
    cli_json_text(j, NULL, text);
    snprintf(text, sizeof text,
             "%d impacts have a key of their own; %lld are passed within some 0.1 %% of the body's "
             "size without",
             run->keys, (long long)run->keys_left_out);
    cli_json_text(j, NULL, text);
    if (run->keys_cut) {
        snprintf(
            text, sizeof text,
            "%lld later impacts have none, since a page holds no more: paths are rounded off there",
            (long long)run->keys_cut);
        cli_json_text(j, NULL, text);
    }
    cli_json_text(j, NULL, "microcollisions are added up between frames, point by point");
    if (run->contacts_left_out) {
        snprintf(text, sizeof text, "%lld contacts are left out: the %d largest are here",
                 (long long)run->contacts_left_out, run->contacts);
        cli_json_text(j, NULL, text);
    }
    if (run->loads_cut) {
        cli_json_text(j, NULL, "loads of sleeping bodies are left out after the first 100,000");
    }
    if (impModel_MaterialCount(run->source.model) > 40) {
        cli_json_text(j, NULL, "the table of pairs is left out: more than 40 materials");
    }
    cli_json_close(j, ']');
}

// Without the place in the file: of a recording's own text of the scene it would mislead.
static const char *without_place(const char *warning) {
    const char *at = strstr(warning, ": ");
    return at && at > warning && at[-1] >= '0' && at[-1] <= '9' ? at + 2 : warning;
}

static void put_run(Json *j, const PageRun *run) {
    const impRunInfo *info = &run->source.run;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run->hash);
    cli_json_text(j, "label", run->label);
    put_scene(j, run);
    cli_json_text(j, "method", info->method);
    cli_json_number(j, "dt", info->dt);
    cli_json_number(j, "end", info->end);
    cli_json_count(j, "seed", (int64_t)info->seed);
    cli_json_number(j, "band", impModel_Run(run->source.model).contact_band);
    cli_json_vec(j, "gravity", impModel_Gravity(run->source.model));
    cli_json_text(j, "status", run->end.status);
    cli_json_text(j, "reason", run->end.reason);
    cli_json_text(j, "hash", hash);
    cli_json_open(j, "warnings", '[');
    for (int i = 0; i < impModel_WarningCount(run->source.model) && i < IMP_MESSAGES; i++) {
        cli_json_text(j, NULL, without_place(impModel_Warning(run->source.model, i)));
    }
    cli_json_close(j, ']');
    cli_certificate_json(j, "certificate", &run->worst);
    cli_json_open(j, "counts", '{');
    cli_json_count(j, "steps", run->last.step);
    cli_json_count(j, "events", run->last.events);
    cli_json_count(j, "contacts", run->last.contacts);
    cli_json_count(j, "samples", run->samples);
    cli_json_close(j, '}');
}

static void put_series(Json *j) {
    cli_json_open(j, "series", '[');
    for (int i = 0; i < SERIES; i++) {
        const PageColumn *c = &cli_page_columns[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", c->name);
        cli_json_text(j, "unit", c->unit);
        cli_json_text(j, "about", c->about);
        cli_json_text(j, "group", c->group);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

void cli_page_json_sections(Json *j, const PageBlob *blob) {
    cli_json_open(j, "sections", '[');
    for (int i = 0; i < blob->sections; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", blob->section[i].name);
        cli_json_text(j, "type", blob->section[i].type);
        cli_json_count(j, "count", (int64_t)blob->section[i].count);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

void cli_page_json_model(Json *j, const PageRun *run) {
    put_materials(j, run->source.model);
    put_bodies(j, run);
    put_joints(j, run->source.model);
}

void cli_page_json_run(Json *j, const PageRun *run, const PageBlob *blob) {
    bool box = run->low.x <= run->high.x;
    impVec3 none = { 0, 0, 0 };
    put_run(j, run);
    put_thinned(j, run, blob);
    cli_json_vec(j, "low", box ? run->low : none);
    cli_json_vec(j, "high", box ? run->high : none);
    put_series(j);
    cli_page_json_sections(j, blob);
}

void cli_page_json(Json *j, const PageRun *run, const PageBlob *blob) {
    cli_json_open(j, NULL, '{');
    cli_page_json_run(j, run, blob);
    cli_page_json_model(j, run);
    cli_json_close(j, '}');
}
