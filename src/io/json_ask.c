// json_ask.c -- walking a JSON document and asking it for what it should say, with a sentence
// wherever it says something else.
//
// Every question names the object and the value it is about; every answer that will not do is one
// message at the value's own line and column. Questions go on after a wrong answer, so that all of
// them are reported.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// --- Walking -------------------------------------------------------------------------------------
const JsonNode *json_first(const JsonNode *parent) {
    if (parent->kind == JSON_OBJECT) return parent->count ? parent + 2 : NULL;
    return parent->kind == JSON_ARRAY && parent->count ? parent + 1 : NULL;
}

const JsonNode *json_next(const JsonNode *node) { return node->next ? node + node->next : NULL; }

const JsonNode *json_find(const JsonNode *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    const JsonNode *m = json_first(object);
    while (m && strcmp(m[-1].text, key) != 0) {
        m = json_next(m);
    }
    return m;
}

const char *json_key(const JsonNode *member) { return member->member ? member[-1].text : NULL; }

Where json_where(const Json *doc, const JsonNode *node) {
    return (Where){ doc->file, node->line, node->column };
}

Where json_key_where(const Json *doc, const JsonNode *member) {
    return json_where(doc, member - member->member);
}

// "body 'ball'" and ": ", or nothing twice
#define WHO(who) (who) ? (who) : "", (who) && *(who) ? ": " : ""

static bool wrong(const Json *doc, const JsonNode *node, const char *who, const char *what,
                  const char *rule, impError *err) {
    return fail(err, json_where(doc, node), "%s%s%s; got %s; it must be %s", WHO(who), what,
                json_show(doc, node).text, rule);
}

bool json_check_kind(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     JsonKind kind, impError *err) {
    static const char *const names[] = { "null",           "true or false", "a number",
                                         "text in quotes", "a list",        "an object" };
    return !node || node->kind == kind || wrong(doc, node, who, what, names[kind], err);
}

bool json_get_number(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     double *out, impError *err) {
    if (!json_check_kind(doc, node, who, what, JSON_NUMBER, err)) return false;
    if (node) {
        *out = node->number;
    }
    return true;
}

static bool check_elements(const Json *doc, const JsonNode *list, const char *who, const char *what,
                           impError *err) {
    bool ok = true;
    int i = 0;
    for (const JsonNode *n = json_first(list); n; n = json_next(n), i++) {
        if (n->kind == JSON_NUMBER) continue;
        ok = fail(err, json_where(doc, n), "%s%s%s[%d]; got %s; it must be a number", WHO(who),
                  what, i, json_show(doc, n).text);
    }
    return ok;
}

bool json_get_numbers(const Json *doc, const JsonNode *node, const char *who, const char *what,
                      int count, double *out, impError *err) {
    if (!node) return true;
    if (node->kind != JSON_ARRAY || node->count != count)
        return fail(err, json_where(doc, node), "%s%s%s; got %s; it must be a list of %d numbers",
                    WHO(who), what, json_show(doc, node).text, count);
    if (!check_elements(doc, node, who, what, err)) return false;
    for (const JsonNode *n = json_first(node); n; n = json_next(n)) {
        *out++ = n->number;
    }
    return true;
}

bool json_get_vec3(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   impVec3 *out, impError *err) {
    double v[3] = { 0 };
    if (!node) return true;
    if (!json_get_numbers(doc, node, who, what, 3, v, err)) return false;
    *out = (impVec3){ v[0], v[1], v[2] };
    return true;
}

bool json_get_int(const Json *doc, const JsonNode *node, const char *who, const char *what,
                  int64_t low, int64_t high, int64_t *out, impError *err) {
    if (!node) return true;
    bool number = node->kind == JSON_NUMBER;
    double x = number ? node->number : 0;
    // exact: low and high are within 2^53
    if (number && x >= (double)low && x <= (double)high && floor(x) == x) {
        *out = (int64_t)x;
        return true;
    }
    return fail(err, json_where(doc, node),
                "%s%s%s; got %s; it must be a whole number from %lld to %lld", WHO(who), what,
                json_show(doc, node).text, (long long)low, (long long)high);
}

bool json_get_bool(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   bool *out, impError *err) {
    if (!json_check_kind(doc, node, who, what, JSON_BOOL, err)) return false;
    if (node) {
        *out = node->truth;
    }
    return true;
}

bool json_get_text(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   const char **out, impError *err) {
    if (!json_check_kind(doc, node, who, what, JSON_STRING, err)) return false;
    if (node) {
        *out = node->text;
    }
    return true;
}

typedef struct Words {
    char text[280];
    size_t length;
} Words;

// or as much of it as there is room for
static void add_text(Words *words, const char *text) {
    size_t length = strlen(text);
    size_t room = sizeof words->text - 1 - words->length;
    if (length > room) {
        length = room;
    }
    memcpy(words->text + words->length, text, length);
    words->length += length;
}

// "a", "b" or "c"
static Words list_words(const char *const *words, int count) {
    Words all = { { 0 }, 0 };
    for (int i = 0; i < count; i++) {
        add_text(&all, i == 0 ? "\"" : i + 1 < count ? ", \"" : " or \"");
        add_text(&all, words[i]);
        add_text(&all, "\"");
    }
    return all;
}

// A name of 10 MB is not a misspelt word, and measuring its distance would take as long as it is.
static const char *near_word(const char *word, const char *const *words, int count) {
    return strlen(word) < 64 ? nearest(word, words, count) : NULL;
}

bool json_get_choice(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     const char *const *words, int count, int *out, impError *err) {
    if (!node) return true;
    bool text = node->kind == JSON_STRING;
    for (int i = 0; text && i < count; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *out = i;
        return true;
    }
    const char *near = text ? near_word(node->text, words, count) : NULL;
    return fail(err, json_where(doc, node), "%s%s%s; got %s; it must be %s%s%s%s", WHO(who), what,
                json_show(doc, node).text, list_words(words, count).text,
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

const JsonNode *json_need(const Json *doc, const JsonNode *object, const char *who, const char *key,
                          impError *err) {
    const JsonNode *found = json_find(object, key);
    if (!found) {
        fail(err, json_where(doc, object), "%s%s\"%s\" is missing", WHO(who), key);
    }
    return found;
}

static bool is_known(const char *key, const char *const *known, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(key, known[i]) == 0) return true;
    }
    return false;
}

static bool unknown_key(const Json *doc, const JsonNode *member, const char *who,
                        const char *const *known, int count, impError *err) {
    Where at = json_key_where(doc, member);
    JsonShown key = json_show_key(doc, member);
    const char *near = near_word(json_key(member), known, count);
    if (near)
        return fail(err, at, "%s%sunknown key %s; did you mean \"%s\"?", WHO(who), key.text, near);
    return fail(err, at, "%s%sunknown key %s; it may be %s", WHO(who), key.text,
                list_words(known, count).text);
}

bool json_check_keys(const Json *doc, const JsonNode *object, const char *who,
                     const char *const *known, int count, impError *err) {
    bool ok = true;
    assert(object->kind == JSON_OBJECT);
    for (const JsonNode *m = json_first(object); m; m = json_next(m)) {
        if (!is_known(json_key(m), known, count)) {
            ok = unknown_key(doc, m, who, known, count, err);
        }
    }
    return ok;
}
