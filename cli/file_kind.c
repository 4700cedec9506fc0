// file_kind.c -- what a file is, told by what it holds, else by how its name ends: so that a
// command that is given a file which another one takes can say so.
//
// A file that is nothing known here is left to its reader, which knows best what is wrong with it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

// bytes of a file's beginning
enum { SNIFFED = 4096 };

typedef struct Beginning {
    char text[SNIFFED + 1];  // ended by a zero, and it may hold others
    size_t length;
    double size;  // bytes, of the whole file
} Beginning;

typedef struct FileRow {
    FileKind kind;
    const char *name;    // "x.stl: a mesh (STL) is no scene; ..."
    const char *wanted;  // what one of them is called where it is missed
    const char *ending;  // of the names of such files; NULL: any
    bool by_name;        // commands know it by this ending alone
    const char *takes;   // who takes it
} FileRow;

static const FileRow rows[] = {
    { FILE_SCENE, "a scene", "scene", ".json", false,
      "'impel run', 'view', 'compare', 'info', 'hash' and 'poses' take it" },
    { FILE_STL, "a mesh (STL)", "mesh", ".stl", true,
      "a scene may have it as a shape, and 'impel info' and 'impel poses' take it" },
    { FILE_OBJ, "a mesh (OBJ)", "mesh", ".obj", true,
      "a scene may have it as a shape, and 'impel info' and 'impel poses' take it" },
    { FILE_RECORDING, "a recording of a run", "recording", ".rec", true,
      "'impel view', 'convert', 'replay' and 'hash' take it" },
    { FILE_TRACE, "a trace of a run", "trace", ".csv", true, "'impel hash' compares two of them" },
    { FILE_LINES, "a trace of a run in JSON lines", NULL, ".jsonl", false,
      "no command reads it back, but 'impel hash' compares traces that end in .csv" },
    { FILE_TABLE, "a table (CSV)", NULL, ".csv", false,
      "'impel hash' compares two traces, and 'impel poses --orientation' takes a list of "
      "quaternions" },
    { FILE_PAGE, "a page", NULL, ".html", true, "'impel view' and any browser open it" },
    { FILE_ANIMATION, "an animation (glTF)", NULL, ".glb", false,
      "no command reads it back, but viewers of glTF do" },
    { FILE_POSES, "a result of 'impel poses'", "result of 'impel poses'", NULL, false,
      "'impel poses merge' adds up those of shards" },
    { FILE_REPORT, "what a command printed by --json", NULL, NULL, false,
      "no command reads it back" },
};

static const FileRow *row_of(FileKind kind) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind == kind) return &rows[i];
    }
    return NULL;
}

// --- looking -------------------------------------------------------------------------------------

static bool read_beginning(const char *path, Beginning *b) {
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    b->size = (double)there.st_size;
    b->length = fread(b->text, 1, SNIFFED, file);
    b->text[b->length] = 0;
    fclose(file);
    return b->length > 0;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *after_blanks(const char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

// 80 bytes of anything, the number of triangles, and 50 bytes for each.
static bool is_binary_stl(const Beginning *b) {
    if (b->length < 84) return false;
    double triangles = 0;
    for (int i = 3; i >= 0; i--) {
        triangles = 256 * triangles + (unsigned char)b->text[80 + i];
    }
    return b->size == 84 + 50 * triangles;
}

static bool is_text_stl(const char *text) {
    return begins(text, "solid") && isspace((unsigned char)text[5]) && strstr(text, "facet");
}

// The first line that is no comment has one of the words of the format.
static bool is_obj(const char *text) {
    static const char *const words[] = { "v", "vn", "vt", "f", "o", "g", "mtllib", "usemtl" };
    while (*text == '#') {
        text = after_blanks(text + strcspn(text, "\n"));
    }
    size_t length = strcspn(text, " \t\r\n");
    if (text[length] != ' ' && text[length] != '\t') return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && begins(text, words[i])) return true;
    }
    return false;
}

// A result or a trace has its first key to tell it by, a scene one that it must have.
static FileKind kind_of_json(const char *text) {
    const char *key = after_blanks(text + 1);
    if (*text == '{' && begins(key, "\"schema\"")) {
        const char *value = after_blanks(key + strlen("\"schema\""));
        if (*value == ':') {
            value = after_blanks(value + 1);
        }
        return begins(value, "\"impel.poses/") ? FILE_POSES
               : begins(value, "\"impel")      ? FILE_REPORT
                                               : FILE_UNKNOWN;
    }
    if (*text == '{' && begins(key, "\"t\"")) return FILE_LINES;
    return strstr(text, "\"impel\"") ? FILE_SCENE : FILE_UNKNOWN;
}

static FileKind kind_by_contents(const Beginning *b) {
    if (begins(b->text, "IMPELREC")) return FILE_RECORDING;
    if (begins(b->text, "glTF")) return FILE_ANIMATION;
    if (is_binary_stl(b)) return FILE_STL;

    // text, after a byte order mark
    const char *text = after_blanks(begins(b->text, "\xEF\xBB\xBF") ? b->text + 3 : b->text);
    if (*text == '{' || *text == '/') return kind_of_json(text);
    if (*text == '<') return FILE_PAGE;
    if (is_text_stl(text)) return FILE_STL;
    if (begins(text, "t,body,")) return FILE_TRACE;
    return is_obj(text) ? FILE_OBJ : FILE_UNKNOWN;
}

static FileKind kind_by_name(const char *path) {
    static const FileKind kinds[] = { FILE_STL,   FILE_OBJ,  FILE_RECORDING, FILE_LINES,
                                      FILE_TABLE, FILE_PAGE, FILE_ANIMATION };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (cli_ends_with(path, row_of(kinds[i])->ending)) return kinds[i];
    }
    return FILE_UNKNOWN;
}

static bool is_as_good(FileKind kind, FileKind wanted) {
    if (kind == FILE_UNKNOWN || kind == wanted) return true;
    if (wanted == FILE_STL) return kind == FILE_OBJ;
    return wanted == FILE_TRACE && kind == FILE_TABLE;
}

// --- telling -------------------------------------------------------------------------------------

int cli_refuse_kind(const char *path, FileKind wanted) {
    Beginning b;
    if (strcmp(path, "-") == 0 || !read_beginning(path, &b)) return EXIT_OK;
    FileKind kind = kind_by_contents(&b);
    if (kind == FILE_UNKNOWN) {
        kind = kind_by_name(path);
    }
    if (is_as_good(kind, wanted)) return EXIT_OK;

    // commands that go by the name would not know it under this one
    const FileRow *row = row_of(kind);
    bool renamed = row->ending && !cli_ends_with(path, row->ending) &&
                   (row->by_name || kind_by_name(path) != FILE_UNKNOWN);
    return cli_fail(EXIT_INPUT, "%s: %s is no %s; %s%s%s", path, row->name, row_of(wanted)->wanted,
                    row->takes, renamed ? ", where its name ends in " : "",
                    renamed ? row->ending : "");
}
