// scene_schema.c -- docs/reference/scene.schema.json and the reader of scenes know the same keys,
// the same words, and need the same.
//
// The reader is asked by its own messages: an unknown key is answered by the list of known ones, an
// empty object by what is missing, a wrong word by the list of right ones. So nothing has to be
// kept in step by hand but the list of places below.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"
#include "scene_support.h"

static Pool pool;
static const Json *schema;
static char *schema_text;

static int read_schema(void **state) {
    (void)state;
    static impError err;
    size_t size;
    schema_text = read_text(source("docs/reference/scene.schema.json").text, &size);
    schema = json_parse(&pool, schema_text, size, "scene.schema.json", 0, &err);
    return schema ? 0 : -1;
}

static int free_schema(void **state) {
    (void)state;
    pool_free(&pool);
    free(schema_text);
    return 0;
}

// Where each definition of the schema stands in a scene; %s is its object.
static const struct Place {
    const char *name, *scene;
} places[] = {
    { "", "%s" },
    { "material", "{\"impel\":1,\"materials\":{\"a\":%s}}" },
    { "coefficients", "{\"impel\":1,\"materials\":{\"a\":{\"friction\":%s}}}" },
    { "pair", "{\"impel\":1,\"pairs\":[%s]}" },
    { "body", "{\"impel\":1,\"bodies\":[%s]}" },
    { "shape", "{\"impel\":1,\"bodies\":[{\"shape\":%s}]}" },
    { "sphere", "{\"impel\":1,\"bodies\":[{\"shape\":{\"sphere\":%s}}]}" },
    { "box", "{\"impel\":1,\"bodies\":[{\"shape\":{\"box\":%s}}]}" },
    { "capsule", "{\"impel\":1,\"bodies\":[{\"shape\":{\"capsule\":%s}}]}" },
    { "cylinder", "{\"impel\":1,\"bodies\":[{\"shape\":{\"cylinder\":%s}}]}" },
    { "cone", "{\"impel\":1,\"bodies\":[{\"shape\":{\"cone\":%s}}]}" },
    { "ellipsoid", "{\"impel\":1,\"bodies\":[{\"shape\":{\"ellipsoid\":%s}}]}" },
    { "plane", "{\"impel\":1,\"bodies\":[{\"shape\":{\"plane\":%s}}]}" },
    { "hull", "{\"impel\":1,\"bodies\":[{\"shape\":{\"hull\":%s}}]}" },
    { "mesh", "{\"impel\":1,\"bodies\":[{\"shape\":{\"mesh\":%s}}]}" },
    { "motion", "{\"impel\":1,\"bodies\":[{\"motion\":%s}]}" },
    { "spin", "{\"impel\":1,\"bodies\":[{\"motion\":{\"spin\":%s}}]}" },
    { "vibrate", "{\"impel\":1,\"bodies\":[{\"motion\":{\"vibrate\":%s}}]}" },
    { "translate", "{\"impel\":1,\"bodies\":[{\"motion\":{\"translate\":%s}}]}" },
    { "rotation",
      "{\"impel\":1,\"bodies\":[{\"motion\":{\"vibrate\":{\"frequency\":1,\"rotation\":%s}}}]}" },
    { "repeat", "{\"impel\":1,\"bodies\":[{\"repeat\":%s}]}" },
    { "joint", "{\"impel\":1,\"joints\":[%s]}" },
    { "run", "{\"impel\":1,\"run\":%s}" },
};

static const JsonNode *definition(const char *name) {
    const JsonNode *node = *name ? json_find(json_find(schema->root, "$defs"), name) : schema->root;
    if (!node) {
        fail_msg("the schema has no %s", name);
    }
    return node;
}

// All messages about a scene, the first one with the words wanted.
// free it
static char *answer(const char *scene, const char *object, const char *wanted) {
    char text[900];
    impError err;
    snprintf(text, sizeof text, scene, object);
    impScene *s = parse(text, NULL, &err);
    impScene_Free(s);
    for (int i = 0; i < err.count && i < IMP_MESSAGES; i++) {
        if (strstr(err.message[i].text, wanted)) return strdup(err.message[i].text);
    }
    return NULL;
}

// how often it is in the list; word NULL: all
static int count_quoted(const char *text, const char *word) {
    int count = 0;
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", word ? word : "");
    if (word) return strstr(text, quoted) != NULL;
    for (; *text; text++) {
        count += *text == '"';
    }
    return count / 2;
}

static void both_know_the_same_keys(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(places); i++) {
        const char *odd = i ? "{\"zzzzzzzz\":1}" : "{\"impel\":1,\"zzzzzzzz\":1}";
        const JsonNode *keys = json_find(definition(places[i].name), "properties");
        char *told = answer(places[i].scene, odd, "unknown key \"zzzzzzzz\"; it may be ");
        if (!told) {
            fail_msg("%s: the reader takes any key", places[i].name);
        }
        const char *list = strstr(told, "it may be ");
        for (const JsonNode *key = json_first(keys); key; key = json_next(key)) {
            if (!count_quoted(list, json_key(key))) {
                fail_msg("%s: the reader does not know \"%s\": %s", places[i].name, json_key(key),
                         told);
            }
        }
        if (count_quoted(list, NULL) != keys->count) {
            fail_msg("%s: the schema has %d keys, the reader: %s", places[i].name, keys->count,
                     told);
        }
        assert_false(json_find(definition(places[i].name), "additionalProperties")->truth);
        free(told);
    }
}

static bool is_required(const JsonNode *definition_node, const char *key) {
    const JsonNode *list = json_find(definition_node, "required");
    for (const JsonNode *n = list ? json_first(list) : NULL; n; n = json_next(n)) {
        if (!strcmp(n->text, key)) return true;
    }
    return false;
}

// "frequency" of vibrate is needed unless a rotation has one: the schema says so by anyOf.
static void both_need_the_same_keys(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(places); i++) {
        const JsonNode *node = definition(places[i].name);
        for (const JsonNode *key = json_first(json_find(node, "properties")); key;
             key = json_next(key)) {
            char missing[80];
            snprintf(missing, sizeof missing, "\"%s\" is missing", json_key(key));
            char *told = answer(places[i].scene, "{}", missing);
            bool needed = is_required(node, json_key(key)) || (!strcmp(places[i].name, "vibrate") &&
                                                               !strcmp(json_key(key), "frequency"));
            if ((told != NULL) != needed) {
                fail_msg("%s: \"%s\" is %s by the reader", places[i].name, json_key(key),
                         told ? "needed" : "not needed");
            }
            free(told);
        }
    }
}

static void every_definition_has_its_place(void **state) {
    (void)state;
    static const char *const values[] = { "vector",   "lengths",     "quaternion", "name",
                                          "friction", "restitution", "triangles" };
    for (const JsonNode *d = json_first(json_find(schema->root, "$defs")); d; d = json_next(d)) {
        bool found = false;
        for (int i = 0; i < COUNT(places); i++) {
            found = found || !strcmp(places[i].name, json_key(d));
        }
        for (int i = 0; i < COUNT(values); i++) {
            found = found || !strcmp(values[i], json_key(d));
        }
        if (!found) {
            fail_msg("%s is not tested", json_key(d));
        }
    }
}

static void same_words(const char *place, const char *key, const char *list) {
    const JsonNode *words = json_find(json_find(json_find(definition(place), "properties"), key),
                                      "enum");
    assert_non_null(words);
    for (const JsonNode *w = json_first(words); w; w = json_next(w)) {
        if (!count_quoted(list, w->text)) {
            fail_msg("%s: \"%s\" is unknown: %s", key, w->text, list);
        }
    }
    assert_int_equal(count_quoted(list, NULL), words->count);
}

static void both_know_the_same_words(void **state) {
    (void)state;
    static const struct {
        const char *place, *key, *scene;
    } rows[] = {
        { "pair", "law", "{\"impel\":1,\"pairs\":[{\"between\":[\"a\",\"b\"],\"law\":%s}]}" },
        { "mesh", "as",
          "{\"impel\":1,\"bodies\":[{\"shape\":{\"mesh\":{\"file\":\"x\",\"as\":%s}}}]}" },
        { "repeat", "generator",
          "{\"impel\":1,\"bodies\":[{\"repeat\":{\"grid\":[1,1,1],\"step\":[1,1,1],\"generator\":%"
          "s}}]}" },
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char *told = answer(rows[i].scene, "\"zzzzzzzz\"", "it must be \"");
        assert_non_null(told);
        same_words(rows[i].place, rows[i].key, strstr(told, "it must be "));
        free(told);
    }
    char joints[400] = "";
    for (int i = 0; i < joint_kind_count; i++) {
        strcat(joints, "\"");
        strcat(joints, joint_kinds[i].name);
        strcat(joints, "\"");
    }
    same_words("joint", "type", joints);
}

// The examples of docs/reference/scene-format.md are scenes.
static void every_example_in_the_manual_builds(void **state) {
    (void)state;
    size_t size;
    int count = 0;
    char *text = read_text(source("docs/reference/scene-format.md").text, &size);
    for (char *at = text; (at = strstr(at, "```jsonc\n")); count++) {
        char *start = at + strlen("```jsonc\n");
        char *end = strstr(start, "```");
        assert_non_null(end);
        *end = 0;
        impModel_Free(good(start));
        at = end + 1;
    }
    free(text);
    assert_true(count >= 4);
}

// Every key of the schema is explained in docs/reference/scene-format.md, by its name in `code`.
static void every_key_is_in_the_manual(void **state) {
    (void)state;
    size_t size;
    char *text = read_text(source("docs/reference/scene-format.md").text, &size);
    char quoted[80];
    for (int i = 0; i < COUNT(places); i++) {
        for (const JsonNode *key = json_first(json_find(definition(places[i].name), "properties"));
             key; key = json_next(key)) {
            snprintf(quoted, sizeof quoted, "`%s`", json_key(key));
            if (!strstr(text, quoted)) {
                fail_msg("docs/reference/scene-format.md says nothing of %s", quoted);
            }
        }
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_know_the_same_keys),
        cmocka_unit_test(both_need_the_same_keys),
        cmocka_unit_test(every_definition_has_its_place),
        cmocka_unit_test(both_know_the_same_words),
        cmocka_unit_test(every_example_in_the_manual_builds),
        cmocka_unit_test(every_key_is_in_the_manual),
    };
    return cmocka_run_group_tests(tests, read_schema, free_schema);
}
