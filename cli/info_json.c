// info_json.c -- impel info --json: the model as one object of schema impel-info-2.
//
// SPDX-License-Identifier: MIT
#include "info.h"

static void json_body(Json *j, const impModel *model, impBody body) {
    impMass mass = impModel_Mass(model, body);
    impVec3 low, high;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", impModel_Name(model, body));
    cli_json_text(j, "role", cli_role_name(impModel_Role(model, body)));
    cli_json_open(j, "shapes", '[');
    int shapes = impModel_ShapeCount(model, body);
    for (int i = 0; i < shapes; i++) {
        cli_json_text(j, NULL, impModel_ShapeKind(model, body, i));
    }
    cli_json_close(j, ']');
    cli_json_open(j, "roundings", '[');
    for (int i = 0; i < shapes; i++) {
        cli_json_number(j, NULL, impModel_ShapeRounding(model, body, i));
    }
    cli_json_close(j, ']');
    if (impModel_Role(model, body) == IMP_DYNAMIC) {
        cli_json_number(j, "mass", mass.mass);
        cli_json_vec(j, "center_of_mass", mass.center);
        cli_json_list(j, "principal_moments", mass.moments, 3);
        cli_json_list(j, "principal_axes",
                      (const double[]){ mass.axes.w, mass.axes.x, mass.axes.y, mass.axes.z }, 4);
    }
    if (impModel_Box(model, body, &low, &high)) {
        cli_json_vec(j, "box_low", low);
        cli_json_vec(j, "box_high", high);
    }
    cli_json_close(j, '}');
}

static void json_joint(Json *j, const impModel *model, impJoint joint) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", impModel_JointName(model, joint));
    cli_json_text(j, "kind", impModel_JointKind(model, joint));
    impBody parent, child;
    impModel_JointEnds(model, joint, &parent, &child);
    cli_json_text(j, "parent", impModel_Name(model, parent));
    cli_json_text(j, "child", impModel_Name(model, child));
    cli_json_close(j, '}');
}

static void json_pair(Json *j, const impModel *model, int a, int b) {
    impPairLaw law = impModel_PairLaw(model, a, b);
    cli_json_open(j, NULL, '{');
    cli_json_open(j, "between", '[');
    cli_json_text(j, NULL, impModel_MaterialName(model, a));
    cli_json_text(j, NULL, impModel_MaterialName(model, b));
    cli_json_close(j, ']');
    cli_json_number(j, "friction_static", law.friction_static);
    cli_json_number(j, "friction_dynamic", law.friction_dynamic);
    cli_json_number(j, "restitution", law.restitution);
    cli_json_text(j, "law", cli_law(law.law));
    cli_json_bool(j, "listed", law.listed);
    cli_json_close(j, '}');
}

static void json_lists(Json *j, const impModel *model) {
    int materials = impModel_MaterialCount(model);
    cli_json_open(j, "bodies", '[');
    for (int i = 1; i < impModel_BodyCount(model); i++) {
        json_body(j, model, (impBody){ i });
    }
    cli_json_close(j, ']');
    cli_json_open(j, "joints", '[');
    for (int i = 0; i < impModel_JointCount(model); i++) {
        json_joint(j, model, (impJoint){ i });
    }
    cli_json_close(j, ']');
    cli_json_open(j, "pairs", '[');
    for (int a = 0; a < materials; a++) {
        for (int b = a; b < materials; b++) {
            json_pair(j, model, a, b);
        }
    }
    cli_json_close(j, ']');
    cli_json_open(j, "warnings", '[');
    for (int i = 0; i < impModel_WarningCount(model); i++) {
        cli_json_text(j, NULL, impModel_Warning(model, i));
    }
    cli_json_close(j, ']');
}

static void json_run(Json *j, const impModel *model) {
    impRunDef run = impModel_Run(model);
    cli_json_open(j, "run", '{');
    if (run.duration > 0) {
        cli_json_number(j, "duration", run.duration);
    }
    if (run.dt > 0) {
        cli_json_number(j, "dt", run.dt);
    }
    if (run.method) {
        cli_json_text(j, "method", run.method);
    }
    cli_json_number(j, "contact_band", run.contact_band);
    if (run.scheme != IMP_SECOND_ORDER) {
        cli_json_text(j, "scheme", impCatalogue(IMP_SCHEMES, (int)run.scheme).name);
    }
    if (run.directions > 0) {
        cli_json_number(j, "directions", run.directions);
    }
    cli_json_text(j, "micro", run.micro == IMP_REVERSAL ? "reversal" : "microstep");
    cli_json_text(j, "prediction", run.prediction == IMP_RUNGE_KUTTA ? "runge_kutta" : "exact");
    cli_json_count(j, "shock_propagation", run.shock_propagation);
    cli_json_close(j, '}');
}

void cli_info_json(const impModel *model, const char *path) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-info-2");
    cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "scene", path);
    cli_json_text(&j, "about", impModel_About(model));
    cli_json_text(&j, "source", impModel_Source(model));
    cli_json_vec(&j, "gravity", impModel_Gravity(model));
    cli_json_count(&j, "coordinates", impModel_Coordinates(model));
    cli_json_count(&j, "freedoms", impModel_Freedoms(model));
    cli_json_count(&j, "state_bytes", (int64_t)impModel_StateSize(model));
    json_run(&j, model);
    json_lists(&j, model);
    cli_json_close(&j, '}');
}
