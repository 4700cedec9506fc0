// catalogue.c -- what this build knows, read off the tables: shapes, joints, motions, methods,
// formats.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"
#include "method/method.h"

#include <string.h>

static impEntry entry(const char *name, const char *measures, const char *about,
                      const char *source) {
    impEntry e;
    memset(&e, 0, sizeof e);
    e.name = name;
    e.about = about;
    e.source = source;
    print_text(e.measures, sizeof e.measures, "%s", measures);
    return e;
}

static impEntry shape_row(int i) {
    const ShapeKind *k = &shape_kinds[i];
    char text[96] = "";
    for (int j = 0; j < COUNT(k->measures) && k->measures[j].name; j++) {
        size_t used = strlen(text);
        const char *comma = j ? ", " : "";
        if (k->measures[j].count == 1) {
            print_text(text + used, sizeof text - used, "%s%s", comma, k->measures[j].name);
        } else {
            print_text(text + used, sizeof text - used, "%s%s[%d]", comma, k->measures[j].name,
                       k->measures[j].count);
        }
    }
    if (k->points) {
        print_text(text, sizeof text, "points, faces");
    }
    if (k->rounds) {
        print_text(text + strlen(text), sizeof text - strlen(text), ", radius");
    }
    return entry(k->name, text, k->about, k->source);
}

static impEntry joint_row(int i) {
    const JointKind *k = &joint_kinds[i];
    char text[96];
    print_text(text, sizeof text, "at%s%s%s%s", k->axis ? ", axis" : "", k->axis2 ? ", axis2" : "",
               k->tree ? "" : ", at2", k->limits ? ", limits" : "");
    return entry(k->name, i == JOINT_FREE ? "" : text, k->about, k->source);
}

static impEntry motion_row(int i) {
    return entry(motion_kinds[i].name, motion_kinds[i].measures, motion_kinds[i].about,
                 motion_kinds[i].source);
}
static impEntry method_row(int i) {
    return entry(methods[i].name, "", methods[i].about, methods[i].source);
}
static impEntry format_row(int i) {
    return entry(io_formats[i].name, io_formats[i].endings, io_formats[i].about,
                 io_formats[i].source);
}

static impEntry solver_row(int i) {
    return entry(solvers[i].name, "", solvers[i].about, solvers[i].source);
}

static impEntry scheme_row(int i) {
    return entry(schemes[i].name, "", schemes[i].about, schemes[i].source);
}

static impEntry problem_solver_row(int i) {
    const MatrixSolver *solver = &matrix_solvers[i];
    return entry(solver->name, "", solver->about, solver->source);
}

impEntry impCatalogue(impShelf shelf, int row) {
    const struct {
        int count;
        impEntry (*row)(int i);
    } shelves[] = {
        [IMP_SHAPES] = { shape_kind_count, shape_row },
        [IMP_JOINTS] = { joint_kind_count, joint_row },
        [IMP_MOTIONS] = { motion_kind_count, motion_row },
        [IMP_METHODS] = { method_count, method_row },
        [IMP_FORMATS] = { io_format_count, format_row },
        [IMP_SOLVERS] = { solver_count, solver_row },
        [IMP_SCHEMES] = { scheme_count, scheme_row },
        [IMP_PROBLEM_SOLVERS] = { matrix_solver_count, problem_solver_row },
    };
    bool known = (int)shelf >= 0 && (int)shelf < COUNT(shelves) && row >= 0 &&
                 row < shelves[shelf].count;
    return known ? shelves[shelf].row(row) : entry(NULL, "", "", "");
}
