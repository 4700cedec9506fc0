// fuzz_json.c -- the JSON reader under libFuzzer: no text may crash it, and what it accepts must
// hang together.
//
// Checked besides memory: a document or a message, never both or neither; every node is reached by
// walking; every value's text lies in the input. Shallow, deep and default nesting come from the
// first byte. Left out: the values, which json_oracle.c compares with jansson.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool law) {
    if (!law) {
        abort();
    }
}

// In document order a value's members follow it directly, so that one loop sees them all.
static int members(const JsonNode *node) {
    int count = 0;
    for (const JsonNode *m = json_first(node); m; m = json_next(m)) {
        insist(m > node && (json_key(m) != NULL) == (node->kind == JSON_OBJECT));
        if (json_key(m)) {
            insist(json_find(node, json_key(m)) == m || node->count > 100);
        }
        count++;
    }
    return count;
}

static void check_document(const Json *doc, size_t size) {
    int reached = 1;
    for (int i = 0; i < doc->count; i++) {
        const JsonNode *node = &doc->root[i];
        insist(node->line >= 1 && node->column >= 1);
        insist(node->length > 0 && (size_t)node->start + node->length <= size);
        insist(strlen(json_show(doc, node).text) > 0);
        if (node->kind != JSON_ARRAY && node->kind != JSON_OBJECT) continue;
        insist(members(node) == node->count);
        reached += node->count * (node->kind == JSON_OBJECT ? 2 : 1);
    }
    insist(reached == doc->count);
}

static void ask(const Json *doc, impError *err) {
    static const char *const words[] = { "mass", "friction", "name" };
    double v[3] = { 0 };
    int choice = 0;
    int64_t whole = 0;
    const char *text = NULL;
    const JsonNode *n = doc->root;
    json_get_numbers(doc, n, "fuzz", "root", 3, v, err);
    json_get_choice(doc, n, "fuzz", "root", words, 3, &choice, err);
    json_get_int(doc, n, "fuzz", "root", -1000, 1000, &whole, err);
    json_get_text(doc, n, "fuzz", "root", &text, err);
    if (n->kind == JSON_OBJECT) {
        json_check_keys(doc, n, "fuzz", words, 3, err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Pool pool = { 0 };
    impError *err = calloc(1, sizeof *err);
    if (!err) return 0;
    const Json *doc = json_parse(&pool, (const char *)data, size, "fuzz",
                                 size ? data[0] % 3 * 50 : 0, err);
    insist((doc == NULL) == (err->count > 0));
    insist(pool.total <= 100 * size + (1u << 16));
    if (doc) {
        check_document(doc, size);
        ask(doc, err);
    }
    pool_free(&pool);
    free(err);
    return 0;
}
