// json.h -- the door to JSON text: values that remember where they were written.
//
// A document is one flat array of nodes in the order of the text (RFC 8259), so it is walked
// without a stack and freed with its pool. Added to the standard: // and /* */ comments, a byte
// order mark. Taken from it: numbers beyond the range of double, duplicate keys, zero characters in
// text. The text must outlive the document: messages quote it.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

typedef struct JsonNode {
    union {
        bool truth;        // JSON_BOOL
        double number;     // JSON_NUMBER: finite
        const char *text;  // JSON_STRING: decoded, valid UTF-8, ended by a zero, in the pool
        int32_t count;     // JSON_ARRAY, JSON_OBJECT: elements, members
    };
    uint32_t start, length;  // the value as it is written, in bytes of the document's text
    int32_t line, column;    // from 1; columns count characters, not bytes
    int32_t next;            // distance to the next element or member in nodes; 0: this is the last
    uint8_t kind;            // JsonKind
    bool member;             // of an object: the node just before this one is its key
} JsonNode;

typedef struct Json {
    const char *text, *file;  // file NULL: said by a program
    const JsonNode *root;     // the first of count nodes; keys are nodes too
    int count;
} Json;

// levels when max_nesting is 0; characters of a value in a message
enum { JSON_NESTING = 64, JSON_SHOWN = 40 };

// NULL when the text is not a document: err then has every bad number and duplicate key up to the
// first other syntax error, which ends the reading. Too deep or too long is IMP_AT_LIMIT. Nodes,
// strings and file name are in the pool.
const Json *json_parse(Pool *pool, const char *text, size_t length, const char *file,
                       int max_nesting, impError *err);

// --- Walking: for (const JsonNode *m = json_first(object); m; m = json_next(m)) ... json_key(m) ..
// NULL: empty, or neither array nor object
const JsonNode *json_first(const JsonNode *parent);
const JsonNode *json_next(const JsonNode *node);  // NULL: that was the last
// NULL: no such member, or not an object
const JsonNode *json_find(const JsonNode *object, const char *key);
// NULL: not a member of an object
const char *json_key(const JsonNode *member);
Where json_where(const Json *doc, const JsonNode *node);
// of the value, if it has no key
Where json_key_where(const Json *doc, const JsonNode *member);

// The value as it is written, cut to JSON_SHOWN characters, on one line: "got %s", json_show(doc,
// node).text
typedef struct JsonShown {
    char text[4 * JSON_SHOWN + 4];
} JsonShown;
JsonShown json_show(const Json *doc, const JsonNode *node);
JsonShown json_show_key(const Json *doc, const JsonNode *member);

// --- Asking: "body 'ball': mass; got "heavy"; it must be a number" -------------------------------
// `who` is the object ("body 'ball'"; NULL or "": none), `what` the value ("mass"). Each returns
// false after adding its messages to err, and then *out is as it was. A node that is NULL, a key
// left out, is no error and leaves *out alone:
//     double mass = 1;
//     ok &= json_get_number(doc, json_find(body, "mass"), who, "mass", &mass, err);
bool json_get_number(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     double *out, impError *err);
bool json_get_numbers(const Json *doc, const JsonNode *node, const char *who, const char *what,
                      int count, double *out,
                      impError *err);  // a list of exactly count
bool json_get_vec3(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   impVec3 *out, impError *err);
bool json_get_int(const Json *doc, const JsonNode *node, const char *who, const char *what,
                  int64_t low, int64_t high, int64_t *out, impError *err);  // low and high within
                                                                            // +-(2^53 - 1)
bool json_get_bool(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   bool *out, impError *err);
bool json_get_text(const Json *doc, const JsonNode *node, const char *who, const char *what,
                   const char **out, impError *err);
bool json_get_choice(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     const char *const *words, int count, int *out, impError *err);  // *out: which
                                                                                     // of the words
bool json_check_kind(const Json *doc, const JsonNode *node, const char *who, const char *what,
                     JsonKind kind,
                     impError *err);  // for lists and objects that the caller walks

// The member, or NULL and "body 'ball': "shape" is missing" at the object's position.
const JsonNode *json_need(const Json *doc, const JsonNode *object, const char *who, const char *key,
                          impError *err);

// One message at every key that is not known: "body 'ball': unknown key "fricton"; did you mean
// "friction"?"
bool json_check_keys(const Json *doc, const JsonNode *object, const char *who,
                     const char *const *known, int count, impError *err);
