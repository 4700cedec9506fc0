// pairs.c -- impel info --pairs: which bodies are near each other as the scene begins, and what
// would touch what.
//
// In a small scene the nearest pairs of all; in a large one those within a hundredth of a typical
// body, or the contact band. The distance is signed. The time is a bound: on their present flights
// they cannot touch earlier.
//
// SPDX-License-Identifier: MIT
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// bodies of a small scene; pairs printed without --all
enum { SMALL = 200, SHOWN = 40 };

// The largest extent of the bodies that move, averaged.
static double typical_size(const impModel *model) {
    double sum = 0;
    int count = 0;
    for (int i = 1; i < impModel_BodyCount(model); i++) {
        impVec3 low, high;
        if (impModel_Role(model, (impBody){ i }) != IMP_DYNAMIC ||
            !impModel_Box(model, (impBody){ i }, &low, &high))
            continue;
        sum += fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
        count++;
    }
    return count ? sum / count : 0;
}

static double bounding_radius_of(const impModel *model) {
    if (impModel_BodyCount(model) <= SMALL) return HUGE_VAL;
    return fmax(impModel_Run(model).contact_band, 0.01 * typical_size(model));
}

typedef struct Pairs {
    impNear *near;
    int count, shown;
    double within;
} Pairs;

static bool find_pairs(const impModel *model, bool all, Pairs *out) {
    impState *state = impState_New(model);
    out->within = bounding_radius_of(model);
    out->count = state ? impNearPairs(model, state, out->within, NULL, 0) : -1;
    out->shown = all || out->count < SHOWN ? out->count : SHOWN;
    out->near = out->count > 0 ? calloc((size_t)out->shown, sizeof *out->near) : NULL;
    if (out->near) {
        impNearPairs(model, state, out->within, out->near, out->shown);
    }
    impState_Free(state);
    return out->count == 0 || out->near;
}

static void cell_time(Table *t, double time) {
    if (time < 0) {
        cli_cell(t, "unknown");
    } else if (isfinite(time)) {
        cli_cell(t, "%s", cli_short(time).text);
    } else {
        cli_cell(t, "never");
    }
}

// of a unit vector: less is rounding
static Number part(double x) { return cli_short(fabs(x) < 1e-15 ? 0 : x); }

static void put_feature(Table *t, const char *kind, const char *feature) {
    if (strcmp(kind, feature) == 0) {
        cli_cell(t, "%s", kind);
    } else {
        cli_cell(t, "%s %s", kind, feature);
    }
}

static void pair_row(Table *t, const impModel *model, const impNear *n) {
    cli_cell(t, "%s", impModel_Name(model, n->a));
    put_feature(t, impModel_ShapeKind(model, n->a, n->shape_a), n->feature_a);
    cli_cell(t, "%s", impModel_Name(model, n->b));
    put_feature(t, impModel_ShapeKind(model, n->b, n->shape_b), n->feature_b);
    cli_cell(t, "%s%s", cli_short(n->distance).text, n->doubtful ? " ?" : "");
    cli_cell(t, "%s %s %s", part(n->normal.x).text, part(n->normal.y).text, part(n->normal.z).text);
    cell_time(t, n->time);
}

static bool print_pairs(const impModel *model, const Pairs *pairs) {
    static const char *const heads[] = { "body a",     "by a's",         "body b",      "by b's",
                                         "distance m", "normal, b to a", "not before s" };
    Table t = { .align = "llllrlr", .head = true };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    for (int i = 0; i < pairs->shown; i++) {
        pair_row(&t, model, &pairs->near[i]);
    }
    bool whole = pairs->count == 0 || cli_table_print(&t, stdout);
    bool doubt = false;
    for (int i = 0; i < pairs->shown; i++) {
        doubt = doubt || pairs->near[i].doubtful;
    }
    if (doubt) {
        printf("?: the search ended without a proof; the closest points may be off\n");
    }
    if (pairs->count == 0) {
        free(t.text);
    }
    if (pairs->shown < pairs->count) {
        printf("... and %d more; --all shows them\n", pairs->count - pairs->shown);
    }
    if (pairs->count == 0 && !isfinite(pairs->within)) {
        printf("no pairs\n");
    }
    if (isfinite(pairs->within)) {
        printf("%d pairs nearer than %s m\n", pairs->count, cli_short(pairs->within).text);
    }
    return whole;
}

static void json_pair(Json *j, const impModel *model, const impNear *n) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "a", impModel_Name(model, n->a));
    cli_json_text(j, "b", impModel_Name(model, n->b));
    cli_json_count(j, "shape_a", n->shape_a);
    cli_json_count(j, "shape_b", n->shape_b);
    cli_json_text(j, "feature_a", n->feature_a);
    cli_json_text(j, "feature_b", n->feature_b);
    cli_json_number(j, "distance", n->distance);
    cli_json_vec(j, "normal", n->normal);
    cli_json_vec(j, "on_a", n->on_a);
    cli_json_vec(j, "on_b", n->on_b);
    // null: never
    if (n->time >= 0) {
        cli_json_number(j, "not_before", n->time);
    }
    if (n->doubtful) {
        cli_json_bool(j, "doubtful", true);
    }
    cli_json_close(j, '}');
}

static void json_pairs(const impModel *model, const Pairs *pairs, const char *path) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-pairs-1");
    cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "scene", path);
    // null: all
    cli_json_number(&j, "within", pairs->within);
    cli_json_count(&j, "count", pairs->count);
    cli_json_open(&j, "pairs", '[');
    for (int i = 0; i < pairs->shown; i++) {
        json_pair(&j, model, &pairs->near[i]);
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

int cli_info_pairs(const Cli *cli, const impModel *model, const char *path) {
    Pairs pairs;
    bool whole = find_pairs(model, cli->opt.all, &pairs);
    if (whole && cli->opt.json) {
        json_pairs(model, &pairs, path);
    } else if (whole) {
        whole = print_pairs(model, &pairs);
    }
    free(pairs.near);
    return whole ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}
