// 02_load.c -- load a scene, run it for five seconds, list where its bodies lie; then show what a
// mistake looks like.
#include "impel/impel.h"

#include <stdio.h>
#include <string.h>

static const char scene_text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"steel\": { \"friction\": 0.3, \"restitution\": 0.5, \"density\": 7850 } "
    "},\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"steel\",\n"
    "      \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },\n"
    "    { \"name\": \"ball\", \"material\": \"steel\", \"shape\": { \"sphere\": { \"radius\": "
    "0.05 } },\n"
    "      \"position\": [0, 0, 0.5] },\n"
    "    { \"name\": \"brick\", \"material\": \"steel\", \"shape\": { \"box\": { \"size\": [0.1, "
    "0.06, 0.03] } },\n"
    "      \"position\": [1, 0, 0.3], \"angular_velocity\": [1, 2, 0] } ] }\n";

static const char wrong_text[] =
    "{ \"impel\": 1, \"bodies\": [\n"
    "  { \"name\": \"plank\", \"mass\": -2, \"shape\": { \"box\": { \"size\": [1, 0.1, 0.02] } } "
    "},\n"
    "  { \"name\": \"ball\", \"shape\": { \"sphere\": { \"raduis\": 1 } } } ] }\n";

static void complain(const impError *why) {
    char line[640];
    for (int i = 0; i < why->count && i < IMP_MESSAGES; i++) {
        impError_Print(why, i, line, sizeof line);
        printf("%s\n", line);
    }
}

static impModel *load(const char *text, const char *name) {
    static impError why;
    impScene *scene = impScene_Parse(text, strlen(text), name, NULL, &why);
    impModel *model = scene ? impModel_Build(scene, &why) : NULL;
    if (!model) {
        complain(&why);
    }
    impScene_Free(scene);
    return model;
}

int main(void) {
    impModel *model = load(scene_text, "scene.json");
    if (!model) return 1;
    impStepper *stepper = impStepper_New(model, NULL, NULL);
    impState *state = impState_New(model);
    for (int frame = 0; frame < 300; frame++) {
        impOutcome out = impStep(stepper, state, NULL, 1.0 / 60);
        if (out.verdict == IMP_SOLVED) continue;
        printf("%s\n", out.text);
        return 1;
    }
    for (int i = 2; i < impModel_BodyCount(model); i++) {
        impBody body = { i };
        impPose p = impState_Pose(model, state, body);
        printf("%-5s %8.5f kg, centre %.4f m above the floor\n", impModel_Name(model, body),
               impModel_Mass(model, body).mass, p.at.z);
    }
    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    load(wrong_text, "wrong.json");
    return 0;
}
