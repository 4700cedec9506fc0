// info_mesh.c -- impel info on a mesh file: how large it is and whether it bounds a solid.
//
// SPDX-License-Identifier: MIT
#include "info.h"

#include <string.h>

static void row(Table *t, const char *what, const char *value, const char *more) {
    cli_cell(t, "%s", what);
    cli_cell(t, "%s", value);
    cli_cell(t, "%s", more);
}

static void row_count(Table *t, const char *what, int count, const char *more) {
    cli_cell(t, "%s", what);
    cli_cell(t, "%d", count);
    cli_cell(t, "%s", more);
}

static void row_vec(Table *t, const char *what, double factor, impVec3 v, const char *unit) {
    cli_cell(t, "%s", what);
    cli_cell(t, "%s %s %s", cli_short(factor * v.x).text, cli_short(factor * v.y).text,
             cli_short(factor * v.z).text);
    cli_cell(t, "%s", unit);
}

static impVec3 size_of(const impMeshReport *r) {
    return (impVec3){ r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z };
}

static void solid_rows(Table *t, const impMeshReport *r) {
    impVec3 rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = (impVec3){ r->inertia[i][0], r->inertia[i][1], r->inertia[i][2] };
    }
    row(t, "volume", cli_short(1e6 * r->volume).text, "cm^3");
    row_vec(t, "centre", 1e3, r->center, "mm");
    row_vec(t, "inertia", 1, rows[0], "kg m^2, density 1 kg/m^3, about the centre");
    row_vec(t, "", 1, rows[1], "");
    row_vec(t, "", 1, rows[2], "");
}

static bool print_report(const char *path, const impMeshReport *r) {
    Table t = { .align = "lll" };
    row(&t, "mesh", path, "");
    row(&t, "watertight", r->closed ? "yes" : "no",
        r->closed ? "bounds a solid" : "bounds no solid, has no mass");
    row_vec(&t, "size", 1e3, size_of(r), "mm");
    row_vec(&t, "low corner", 1e3, r->low, "mm");
    row_vec(&t, "high corner", 1e3, r->high, "mm");
    row(&t, "area", cli_short(1e4 * r->area).text, "cm^2");
    if (r->closed) {
        solid_rows(&t, r);
    }
    row_count(&t, "vertices", r->vertices, "welded");
    row_count(&t, "triangles", r->triangles, "");
    row_count(&t, "dropped", r->dropped, "triangles without area");
    row_count(&t, "open edges", r->open_edges, "used once");
    row_count(&t, "crowded edges", r->crowded_edges, "used more than twice, or twice in one sense");
    row_count(&t, "shells", r->shells, "connected pieces");
    if (r->closed) {
        row_count(&t, "solids", r->solids, "shells that are no cavities in others");
    }
    row(&t, "turned", r->flipped ? "yes" : "no", r->flipped ? "was inside out as a whole" : "");
    return cli_table_print(&t, stdout);
}

static void print_warnings(const impMesh *mesh) {
    int count = impMesh_WarningCount(mesh);
    for (int i = 0; i < count; i++) {
        printf("%swarning: %s\n", i ? "" : "\n", impMesh_Warning(mesh, i));
    }
}

static void json_report(const char *path, double scale, const impMesh *mesh,
                        const impMeshReport *r) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-mesh-1");
    cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "mesh", path);
    cli_json_number(&j, "scale", scale);
    cli_json_count(&j, "vertices", r->vertices);
    cli_json_count(&j, "triangles", r->triangles);
    cli_json_count(&j, "dropped", r->dropped);
    cli_json_count(&j, "open_edges", r->open_edges);
    cli_json_count(&j, "crowded_edges", r->crowded_edges);
    cli_json_count(&j, "shells", r->shells);
    cli_json_count(&j, "solids", r->solids);
    cli_json_bool(&j, "closed", r->closed);
    cli_json_bool(&j, "flipped", r->flipped);
    cli_json_number(&j, "volume", r->volume);
    cli_json_number(&j, "area", r->area);
    cli_json_vec(&j, "center", r->center);
    cli_json_vec(&j, "low", r->low);
    cli_json_vec(&j, "high", r->high);
    cli_json_open(&j, "inertia", '[');
    for (int i = 0; i < 3; i++) {
        cli_json_list(&j, NULL, r->inertia[i], 3);
    }
    cli_json_close(&j, ']');
    cli_json_open(&j, "warnings", '[');
    for (int i = 0; i < impMesh_WarningCount(mesh); i++) {
        cli_json_text(&j, NULL, impMesh_Warning(mesh, i));
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

// Mesh files carry no unit: a part of ten metres was most likely drawn in millimetres.
static void suspect_millimetres(const Cli *cli, const impMeshReport *r) {
    impVec3 s = size_of(r);
    if (cli->opt.scale > 0 || (s.x < 10 && s.y < 10 && s.z < 10)) return;
    cli_note(
        "note",
        "mesh files carry no unit and metres were taken; if this one is in mm, add --scale 0.001");
}

int cli_info_mesh(Cli *cli, const char *path) {
    int kind = cli_refuse_kind(path, FILE_STL);
    if (kind) return kind;
    impLoadDef def = cli_load_def(&cli->opt);
    double scale = cli->opt.scale > 0 ? cli->opt.scale : 1;
    impMesh *mesh = impMesh_Load(path, scale, &def, &cli->err);
    if (!mesh) return cli_input_fault(&cli->err);
    impMeshReport report = impMesh_Report(mesh);
    bool whole = true;
    if (cli->opt.json) {
        json_report(path, scale, mesh, &report);
    } else {
        whole = print_report(path, &report);
    }
    if (!cli->opt.json) {
        print_warnings(mesh);
    }
    impMesh_Free(mesh);
    suspect_millimetres(cli, &report);
    return whole ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}
