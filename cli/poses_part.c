// poses_part.c -- PART of `impel poses`: a mesh, or the one dynamic body of a scene, and what it is
// dropped onto.
//
// A mesh becomes a body that moves by the mesh's own mass properties, holes and all, and touches by
// its hull; on a plane nothing else of it can touch. A scene may bring a level fixed plane along:
// then the two materials give the law.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const impPairLaw usual_law = { .friction_static = 0.3,
                                      .friction_dynamic = 0.3,
                                      .restitution = 0.3 };

bool cli_poses_is_mesh(const char *path) {
    return cli_ends_with(path, ".stl") || cli_ends_with(path, ".obj");
}

// --- hashes --------------------------------------------------------------------------------------
// FNV-1a
uint64_t cli_fnv(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ b[i]) * 0x100000001B3u;
    }
    return hash;
}

static uint64_t add_real(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return cli_fnv_number(hash, bits, 8);
}

static uint64_t add_vec(uint64_t hash, impVec3 v) {
    return add_real(add_real(add_real(hash, v.x), v.y), v.z);
}

static uint64_t hash_part(const PosesPart *p) {
    uint64_t hash = add_vec(add_real(FNV_START, p->mass.mass), p->mass.center);
    const impVec3 *corner = impPart_Corners(p->part);
    for (int i = 0; i < 9; i++) {
        hash = add_real(hash, p->mass.inertia[i / 3][i % 3]);
    }
    for (int i = 0; i < p->report.corners; i++) {
        hash = add_vec(hash, corner[i]);
    }
    for (int i = 0; i < p->rests; i++) {
        hash = add_real(add_vec(hash, p->rest[i].normal), p->rest[i].height);
    }
    return hash;
}

// --- meshes --------------------------------------------------------------------------------------
static double larger(double a, double b) { return a > b ? a : b; }

static double largest_extent(impVec3 low, impVec3 high) {
    return larger(high.x - low.x, larger(high.y - low.y, high.z - low.z));
}

// STL holds float32: a coordinate far from the origin has few bits left for the part itself.
static double noise_of(const impMeshReport *r, const char *path, double scale) {
    if (!cli_ends_with(path, ".stl")) return 0;
    double far = larger(fabs(r->low.x), fabs(r->high.x));
    far = larger(far, larger(larger(fabs(r->low.y), fabs(r->high.y)),
                             larger(fabs(r->low.z), fabs(r->high.z))));
    double last = far > 0 ? scale * ldexp(1, ilogb(far / scale) - 23) : 0;
    return larger(1e-6 * largest_extent(r->low, r->high), 8 * last);
}

// The body that a scene makes of the same file: one part, one answer.
static int add_mesh_body(PosesPart *p, Cli *cli, impMesh *mesh) {
    impShapeDef shape;
    impBodyDef body = { .name = "part",
                        .mass = cli->opt.poses.mass,
                        .material = "part",
                        .shapes = &shape,
                        .shape_count = 1 };
    impMaterialDef material = { .name = "part",
                                .friction_static = 0.3,
                                .friction_dynamic = 0.3,
                                .restitution = 0.3,
                                .density = p->density };
    if (!impMesh_Shape(mesh, &shape, &cli->err)) return cli_input_fault(&cli->err);
    shape.as_hull = true;
    p->scene = impScene_New((impVec3){ 0, 0, -9.81 });
    if (!p->scene) return cli_fail(EXIT_LIMIT, "out of memory");
    if (!impScene_Material(p->scene, &material, &cli->err)) return cli_input_fault(&cli->err);
    p->body = impScene_Body(p->scene, &body, &cli->err);
    if (p->body.i >= 0) {
        p->model = impModel_Build(p->scene, &cli->err);
    }
    return p->model ? EXIT_OK : cli_input_fault(&cli->err);
}

static void suspect_surface(const impMesh *mesh, PosesResult *result) {
    for (int i = 0; i < impMesh_WarningCount(mesh); i++) {
        cli_poses_warn(result, "%s", impMesh_Warning(mesh, i));
    }
}

static int open_mesh(PosesPart *p, Cli *cli, double *noise, PosesResult *result) {
    impLoadDef def = cli_load_def(&cli->opt);
    double scale = cli->opt.scale > 0 ? cli->opt.scale : 1;
    if (cli->opt.poses.mass > 0 && cli->opt.poses.density > 0)
        return cli_usage("--density and --mass both say how heavy it is; give one");
    int kind = cli_refuse_kind(p->path, FILE_STL);
    if (kind) return kind;
    impMesh *mesh = impMesh_Load(p->path, scale, &def, &cli->err);
    if (!mesh) return cli_input_fault(&cli->err);
    impMeshReport r = impMesh_Report(mesh);
    p->mesh = true;
    p->gravity = 9.81;
    p->law = usual_law;
    p->law_from = "default";
    p->density = cli->opt.poses.mass > 0      ? 0
                 : cli->opt.poses.density > 0 ? cli->opt.poses.density
                                              : 1000;
    *noise = noise_of(&r, p->path, scale);
    int code = EXIT_OK;
    if (!r.closed || !(r.volume > 0)) {
        code = cli_fail(
            EXIT_INPUT,
            "%s: bounds no solid (%d edges are open, %d crowded), so that it has no mass; "
            "a scene can give mass and inertia",
            p->path, r.open_edges, r.crowded_edges);
    } else {
        suspect_surface(mesh, result);
        code = add_mesh_body(p, cli, mesh);
    }
    impMesh_Free(mesh);
    return code;
}

// --- scenes --------------------------------------------------------------------------------------
static impVec3 rotated(impQuat q, impVec3 v) {
    // u x v
    double x = q.y * v.z - q.z * v.y;
    double y = q.z * v.x - q.x * v.z;
    double z = q.x * v.y - q.y * v.x;
    if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0) return v;
    return (impVec3){ v.x + 2 * (q.w * x + q.y * z - q.z * y),
                      v.y + 2 * (q.w * y + q.z * x - q.x * z),
                      v.z + 2 * (q.w * z + q.x * y - q.y * x) };
}

static bool is_level(const impModel *model, const impState *state, impBody body) {
    impShapeDef plane;
    if (impModel_ShapeCount(model, body) != 1 ||
        strcmp(impModel_ShapeKind(model, body, 0), "plane") != 0)
        return false;
    if (!impModel_Shape(model, body, 0, &plane)) return false;
    impVec3 normal = rotated(plane.pose.rotation,
                             (impVec3){ plane.size[0], plane.size[1], plane.size[2] });
    return rotated(impState_Pose(model, state, body).rotation, normal).z > 1 - 1e-9;
}

// The one body that is dropped, and the plane it is dropped onto ({-1}: none).
static int find_bodies(PosesPart *p, const impState *state, impBody *plane) {
    int dynamic = 0;
    *plane = (impBody){ -1 };
    for (int i = 1; i < impModel_BodyCount(p->model); i++) {
        impBody body = { i };
        const char *name = impModel_Name(p->model, body);
        if (impModel_Role(p->model, body) == IMP_DYNAMIC) {
            dynamic++;
            p->body = body;
        } else if (impModel_Role(p->model, body) == IMP_FIXED && is_level(p->model, state, body)) {
            if (plane->i > 0)
                return cli_fail(EXIT_INPUT,
                                "%s: body '%s' is a second plane; a part is dropped onto one",
                                p->path, name);
            *plane = body;
        } else {
            return cli_fail(
                EXIT_INPUT,
                "%s: body '%s' is no level fixed plane; a part is dropped onto a plane alone, "
                "or with --surface SCENE onto what another scene holds",
                p->path, name);
        }
    }
    if (dynamic != 1)
        return cli_fail(EXIT_INPUT, "%s: %d dynamic bodies; a part is one", p->path, dynamic);
    if (impModel_JointCount(p->model) > 0)
        return cli_fail(EXIT_INPUT, "%s: has joints; a part is one free body", p->path);
    if (impModel_ShapeCount(p->model, p->body) == 0)
        return cli_fail(EXIT_INPUT, "%s: body '%s' has no shape to touch with", p->path,
                        impModel_Name(p->model, p->body));
    return EXIT_OK;
}

static void find_law(PosesPart *p, impBody plane, PosesResult *result) {
    int own = impModel_ShapeMaterial(p->model, p->body, 0);
    int other = plane.i > 0 ? impModel_ShapeMaterial(p->model, plane, 0) : own;
    for (int i = 1; i < impModel_ShapeCount(p->model, p->body); i++) {
        if (impModel_ShapeMaterial(p->model, p->body, i) != own) {
            cli_poses_warn(result,
                           "the part's shapes are of several materials; all of it is taken as '%s'",
                           own ? impModel_MaterialName(p->model, own) : "none");
            break;
        }
    }
    p->law = own && other ? impModel_PairLaw(p->model, own, other) : usual_law;
    if (!own || !other) {
        cli_poses_warn(result,
                       "%s has no material; drops take mu 0.3 and e 0.3 then, unless --mu and --e "
                       "say otherwise",
                       own ? "the plane" : "the part");
    }
    p->law_from = !own || !other ? "default"
                  : plane.i > 0  ? "scene: part on plane"
                                 : "scene: part on its own material";
}

static int open_scene(PosesPart *p, Cli *cli, PosesResult *result) {
    const Options *opt = &cli->opt;
    impLoadDef def = cli_load_def(opt);
    impBody plane;
    if (opt->scale > 0)
        return cli_usage("--scale is for meshes (.stl, .obj); '%s' is none", p->path);
    if (opt->poses.density > 0 || opt->poses.mass > 0)
        return cli_usage("--%s is for meshes (.stl, .obj); a scene says it itself",
                         opt->poses.mass > 0 ? "mass" : "density");
    int kind = cli_refuse_kind(p->path, FILE_SCENE);
    if (kind) return kind;
    // --seed is that of the drops
    def.seed = 0;
    p->scene = impScene_Load(p->path, &def, &cli->err);
    if (!p->scene) return cli_input_fault(&cli->err);
    p->model = impModel_Build(p->scene, &cli->err);
    if (!p->model) return cli_input_fault(&cli->err);
    impState *state = impState_New(p->model);
    if (!state) return cli_fail(EXIT_LIMIT, "out of memory");
    int code = find_bodies(p, state, &plane);
    impState_Free(state);
    if (code) return code;
    impVec3 g = impModel_Gravity(p->model);
    p->gravity = -g.z;
    if (!(p->gravity > 0) || fabs(g.x) > 1e-9 * p->gravity || fabs(g.y) > 1e-9 * p->gravity)
        return cli_fail(EXIT_INPUT, "%s: gravity is %s %s %s m/s^2; it must point down, along -z",
                        p->path, cli_short(g.x).text, cli_short(g.y).text, cli_short(g.z).text);
    int count = impModel_WarningCount(p->model);
    for (int i = 0; i < count && i < POSES_WARNINGS / 2; i++) {
        cli_poses_warn(result, "%s", impModel_Warning(p->model, i));
    }
    find_law(p, plane, result);
    return EXIT_OK;
}

// --- both ----------------------------------------------------------------------------------------
static void suspect_units(const PosesPart *p, PosesResult *result) {
    double size = largest_extent(p->report.low, p->report.high);
    if (!p->mesh || (size <= 5 && size >= 0.5e-3)) return;
    cli_poses_warn(
        result,
        "the part is %s mm large; mesh files carry no unit and metres were taken: --scale %s?",
        cli_short(1e3 * size).text, size > 5 ? "0.001 if it is in mm" : "1000 if it is in km");
}

static bool read_join(const char *text, double *join) {
    if (!text) return true;
    if (!cli_read_number(text, join) || !(*join >= 0 && *join <= 1)) return false;
    // to the library 0 is its default
    if (*join == 0) {
        *join = -1;
    }
    return true;
}

static int measure(PosesPart *p, Cli *cli, double noise, PosesResult *result) {
    impPartDef def = { .noise = noise };
    if (!read_join(cli->opt.poses.join, &def.join))
        return cli_usage("--join '%s'; it is a part of a height, from 0 to 1", cli->opt.poses.join);
    p->part = impPart_New(p->model, p->body, &def, &cli->err);
    for (int i = 0; !p->part && i < cli->err.count && i < IMP_MESSAGES; i++) {
        if (!cli->err.message[i].file[0]) {
            snprintf(cli->err.message[i].file, sizeof cli->err.message[i].file, "%s", p->path);
        }
    }
    if (!p->part) return cli_input_fault(&cli->err);
    p->report = impPart_Report(p->part);
    p->mass = impModel_Mass(p->model, p->body);
    p->rests = impPart_RestCount(p->part);
    p->rest = malloc(((size_t)p->rests + 1) * sizeof *p->rest);
    if (!p->rest) return cli_fail(EXIT_LIMIT, "out of memory");
    for (int i = 0; i < p->rests; i++) {
        p->rest[i] = impPart_Rest(p->part, i);
    }
    p->families = impPart_FamilyCount(p->part);
    p->family = malloc(((size_t)p->families + 1) * sizeof *p->family);
    if (!p->family) return cli_fail(EXIT_LIMIT, "out of memory");
    for (int i = 0; i < p->families; i++) {
        p->family[i] = impPart_Family(p->part, i);
    }
    p->hash = hash_part(p);
    suspect_units(p, result);
    return EXIT_OK;
}

int cli_poses_part(PosesPart *p, Cli *cli, const char *path, PosesResult *result) {
    double noise = 0;
    *p = (PosesPart){ .path = path };
    int code = cli_poses_is_mesh(path) ? open_mesh(p, cli, &noise, result)
                                       : open_scene(p, cli, result);
    if (code == EXIT_OK) {
        code = measure(p, cli, noise, result);
    }
    return code;
}

void cli_poses_part_free(PosesPart *p) {
    free(p->rest);
    free(p->family);
    impPart_Free(p->part);
    impModel_Free(p->model);
    impScene_Free(p->scene);
    *p = (PosesPart){ 0 };
}
