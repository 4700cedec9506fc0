// info.c -- impel info: what a scene holds once it is checked and compiled, with every default
// filled in.
//
// SPDX-License-Identifier: MIT
#include "cli.h"
#include "info.h"

#include <string.h>
#include <strings.h>

// bodies printed without --all
enum { SHOWN = 40 };

static const char *const roles[] = { "dynamic", "fixed", "kinematic" };

const char *cli_role_name(impRole role) { return roles[role]; }

static void cell_triple(Table *t, impVec3 v) {
    cli_cell(t, "%s %s %s", cli_short(v.x).text, cli_short(v.y).text, cli_short(v.z).text);
}

static void cell_number(Table *t, double x) { cli_cell(t, "%s", cli_short(x).text); }

// of a kind, and as sharp
static bool same_shape(const impModel *model, impBody body, int i, int k) {
    return strcmp(impModel_ShapeKind(model, body, i), impModel_ShapeKind(model, body, k)) == 0 &&
           (impModel_ShapeRounding(model, body, i) > 0) ==
               (impModel_ShapeRounding(model, body, k) > 0);
}

// "2 box + rounded hull": runs of one kind are counted, the order is the scene's.
static void cell_shapes(Table *t, const impModel *model, impBody body) {
    char text[96] = "none";
    int count = impModel_ShapeCount(model, body);
    int used = 0;
    for (int i = 0; i < count && used < 60;) {
        const char *kind = impModel_ShapeKind(model, body, i);
        const char *plus = i ? " + " : "";
        const char *round = impModel_ShapeRounding(model, body, i) > 0 ? "rounded " : "";
        int same = 1;
        while (i + same < count && same_shape(model, body, i, i + same)) {
            same++;
        }
        used += same > 1 ? snprintf(text + used, sizeof text - (size_t)used, "%s%d %s%.20s", plus,
                                    same, round, kind)
                         : snprintf(text + used, sizeof text - (size_t)used, "%s%s%.20s", plus,
                                    round, kind);
        i += same;
        if (used >= 60 && i < count) {
            snprintf(text + used, sizeof text - (size_t)used, " + ...");
        }
    }
    cli_cell(t, "%s", text);
}

static void body_row(Table *t, const impModel *model, impBody body) {
    impMass mass = impModel_Mass(model, body);
    impVec3 low, high;
    bool moves = impModel_Role(model, body) == IMP_DYNAMIC;
    cli_cell(t, "%s", impModel_Name(model, body));
    cli_cell(t, "%s", roles[impModel_Role(model, body)]);
    cell_shapes(t, model, body);
    if (moves) {
        cell_number(t, mass.mass);
        cell_triple(t, mass.center);
        cell_triple(t, (impVec3){ mass.moments[0], mass.moments[1], mass.moments[2] });
    } else {
        cli_cell(t, "%s", "");
        cli_cell(t, "%s", "");
        cli_cell(t, "%s", "");
    }
    if (impModel_Box(model, body, &low, &high)) {
        cell_triple(t, (impVec3){ high.x - low.x, high.y - low.y, high.z - low.z });
    } else {
        cli_cell(t, "%s", impModel_ShapeCount(model, body) ? "unbounded" : "");
    }
}

static bool print_bodies(const impModel *model, bool all) {
    static const char *const heads[] = {
        "body", "role", "shapes", "mass kg", "centre of mass m", "principal moments kg m^2", "box m"
    };
    Table t = { .align = "lllrlll", .head = true };
    int count = impModel_BodyCount(model) - 1;
    int shown = all || count <= SHOWN ? count : SHOWN;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    for (int i = 1; i <= shown; i++) {
        body_row(&t, model, (impBody){ i });
    }
    printf("\n");
    bool whole = cli_table_print(&t, stdout);
    if (shown < count) {
        printf("... and %d more; --all shows them\n", count - shown);
    }
    return whole;
}

static bool print_joints(const impModel *model) {
    int count = impModel_JointCount(model);
    if (!count) return true;
    Table t = { .align = "llll", .head = true };
    cli_cell(&t, "joint");
    cli_cell(&t, "kind");
    cli_cell(&t, "parent");
    cli_cell(&t, "child");
    for (int i = 0; i < count; i++) {
        impBody parent, child;
        impModel_JointEnds(model, (impJoint){ i }, &parent, &child);
        cli_cell(&t, "%s", impModel_JointName(model, (impJoint){ i }));
        cli_cell(&t, "%s", impModel_JointKind(model, (impJoint){ i }));
        cli_cell(&t, "%s", impModel_Name(model, parent));
        cli_cell(&t, "%s", impModel_Name(model, child));
    }
    printf("\n");
    return cli_table_print(&t, stdout);
}

static void pair_row(Table *t, const impModel *model, int i, int j) {
    impPairLaw law = impModel_PairLaw(model, i, j);
    cli_cell(t, "%s", impModel_MaterialName(model, i));
    cli_cell(t, "%s", impModel_MaterialName(model, j));
    cell_number(t, law.friction_static);
    cell_number(t, law.friction_dynamic);
    cell_number(t, law.restitution);
    cli_cell(t, "%s", cli_law(law.law));
    cli_cell(t, "%s", law.listed ? "listed" : "combined");
}

// Row 0 is the material of shapes that name none.
static bool nameless_used(const impModel *model) {
    for (int i = 1; i < impModel_BodyCount(model); i++) {
        for (int k = 0; k < impModel_ShapeCount(model, (impBody){ i }); k++) {
            if (impModel_ShapeMaterial(model, (impBody){ i }, k) == 0) return true;
        }
    }
    return false;
}

static bool print_pairs(const impModel *model) {
    static const char *const heads[] = { "material", "on material", "mu_s", "mu_d",
                                         "e",        "law",         "from" };
    Table t = { .align = "llrrrll", .head = true };
    int count = impModel_MaterialCount(model);
    int first = nameless_used(model) ? 0 : 1;
    if (first >= count) return true;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    for (int i = first; i < count; i++) {
        for (int j = i; j < count; j++) {
            pair_row(&t, model, i, j);
        }
    }
    printf("\n");
    return cli_table_print(&t, stdout);
}

static void fact(Table *t, const char *what, const char *value, const char *more) {
    cli_cell(t, "%s", what);
    cli_cell(t, "%s%s", value, more);
}

static bool print_facts(const impModel *model) {
    impRunDef run = impModel_Run(model);
    const char *about = impModel_About(model);
    const char *source = impModel_Source(model);
    Table t = { .align = "ll" };
    if (about && about[0]) {
        fact(&t, "about", about, "");
    }
    if (source && source[0]) {
        fact(&t, "source", source, "");
    }
    impVec3 g = impModel_Gravity(model);
    cli_cell(&t, "gravity");
    cli_cell(&t, "%s %s %s m/s^2", cli_short(g.x).text, cli_short(g.y).text, cli_short(g.z).text);
    cli_cell(&t, "bodies");
    cli_cell(&t, "%d", impModel_BodyCount(model) - 1);
    cli_cell(&t, "freedoms");
    cli_cell(&t, "%d", impModel_Freedoms(model));
    fact(&t, "duration", run.duration > 0 ? cli_exact(run.duration).text : "not said: 1", " s");
    fact(&t, "dt", run.dt > 0 ? cli_exact(run.dt).text : "not said: 0.001", " s");
    fact(&t, "method", run.method ? run.method : "not said: impulse", "");
    fact(&t, "contact band", cli_short(run.contact_band).text, " m");
    if (run.scheme != IMP_SECOND_ORDER) {
        fact(&t, "scheme", impCatalogue(IMP_SCHEMES, (int)run.scheme).name, "");
    }
    if (run.micro == IMP_REVERSAL) {
        fact(&t, "micro", "reversal", "");
    }
    if (run.prediction == IMP_RUNGE_KUTTA) {
        fact(&t, "prediction", "runge_kutta", "");
    }
    if (run.shock_propagation > 0) {
        fact(&t, "shock propagation", cli_exact(run.shock_propagation).text, " sweeps before it");
    }
    cli_cell(&t, "state");
    cli_cell(&t, "%zu bytes", impModel_StateSize(model));
    return cli_table_print(&t, stdout);
}

static void print_warnings(const impModel *model) {
    int count = impModel_WarningCount(model);
    for (int i = 0; i < count; i++) {
        printf("%swarning: %s\n", i ? "" : "\n", impModel_Warning(model, i));
    }
}

static int print_model(const impModel *model, bool all) {
    bool whole = print_facts(model) && print_bodies(model, all) && print_joints(model) &&
                 print_pairs(model);
    print_warnings(model);
    return whole ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

static int info_scene(Cli *cli, const char *path) {
    int kind = cli_refuse_kind(path, FILE_SCENE);
    if (kind) return kind;
    impLoadDef def = cli_load_def(&cli->opt);
    impScene *scene = impScene_Load(path, &def, &cli->err);
    if (!scene) return cli_input_fault(&cli->err);
    impModel *model = impModel_Build(scene, &cli->err);
    int code = EXIT_OK;
    if (!model) {
        code = cli_input_fault(&cli->err);
    } else if (cli->opt.pairs) {
        code = cli_info_pairs(cli, model, path);
    } else if (cli->opt.json) {
        cli_info_json(model, path);
    } else {
        code = print_model(model, cli->opt.all);
    }
    impModel_Free(model);
    impScene_Free(scene);
    return code;
}

static bool is_mesh(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".stl") == 0 || strcasecmp(dot, ".obj") == 0);
}

int cli_info(Cli *cli) {
    int count = cli->opt.arg_count;
    if (count != 1)
        return cli_usage(count ? "one scene or mesh at a time" : "which scene or mesh?");
    const char *path = cli->opt.args[0];
    if (is_mesh(path) && cli->opt.pairs)
        return cli_usage("--pairs is for scenes; '%s' is a mesh", path);
    if (is_mesh(path)) return cli_info_mesh(cli, path);
    if (cli->opt.scale > 0)
        return cli_usage("--scale is for meshes (.stl, .obj); '%s' is none", path);
    return info_scene(cli, path);
}
