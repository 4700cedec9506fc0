// load_scene.c -- how long a scene of 1000 bodies takes from text to model.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

typedef struct Text {
    char *text;
    size_t length;
} Text;

static void load(void *context) {
    const Text *t = context;
    static impError err;
    impScene *scene = impScene_Parse(t->text, t->length, "bench.json", NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    if (!model) {
        stop("load_scene", &err);
    }
    impModel_Free(model);
    impScene_Free(scene);
}

// Each body written out, with 17-digit numbers as a program would write them.
static Text written_out(int count) {
    Text t = { malloc((size_t)count * 400 + 400), 0 };
    if (!t.text) {
        stop("load_scene", NULL);
    }
    t.length = (size_t)sprintf(t.text, "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": "
                                       "0.3, \"restitution\": 0.5 } },\n \"bodies\": [\n");
    for (int i = 0; i < count; i++) {
        t.length += (size_t)sprintf(t.text + t.length,
                                    "%s  { \"name\": \"box%d\", \"material\": \"m\", \"shape\": { "
                                    "\"box\": { \"size\": [%.17g, 0.2, 0.3] } },\n"
                                    "    \"position\": [%.17g, %.17g, %.17g], \"orientation\": "
                                    "[0.6, 0, 0.8, 0], \"velocity\": [%.17g, 0, 1] }",
                                    i ? ",\n" : "", i, 0.1 + i / 7e4, i / 3.0, i / 7.0, i / 11.0,
                                    i / 13.0);
    }
    t.length += (size_t)sprintf(t.text + t.length, " ] }\n");
    return t;
}

static const char repeated[] = "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.3, "
                               "\"restitution\": 0.5 } }, \"bodies\": ["
                               "{ \"name\": \"cube\", \"material\": \"m\", \"shape\": { \"box\": { "
                               "\"size\": [1, 1, 1] } }, \"repeat\": { \"grid\": [10, 10, 10],"
                               " \"step\": [1.75, 1.75, 1.75], \"center\": [0, 0, 25.375], "
                               "\"orientation\": \"random\", \"seed\": 12345 } } ] }";

int main(void) {
    Text small = written_out(1000);
    Text large = written_out(10000);
    Text grid = { (char *)(size_t)repeated, sizeof repeated - 1 };
    double ms = 1e3 * best_of(9, load, &small);
    double ten = 1e3 * best_of(5, load, &large);
    double repeat = 1e3 * best_of(9, load, &grid);
    int missed = row("1000 bodies written out, text to model", ms, "ms", 20);
    missed |= row("1000 bodies by \"repeat\", text to model", repeat, "ms", 20);
    row("reading speed", (double)small.length / ms / 1e3, "MB/s", 0);
    row("time for 10000 bodies against 1000 (10 is linear)", ten / ms, "x", 0);
    free(small.text);
    free(large.text);
    return missed;
}
