// page_write.c -- a template with its one line replaced: JSON that no name can end, and blobs as
// base64 of gzip.
//
// The templates are made by `./dev viewer` and built in; without them, or without zlib, the command
// still builds. A blob without zlib is stored as it is in gzip's frame (RFC 1951, 3.2.4; RFC 1952),
// so that the page reads it all the same.
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <stdlib.h>
#include <string.h>
#if defined(IMPEL_ZLIB)
#include <zlib.h>
#endif

#if defined(IMPEL_PAGE)
extern const unsigned char page_template[];
extern const unsigned long page_template_size;
bool cli_page_possible(void) { return true; }
#else
static const unsigned char page_template[] = "";
static const unsigned long page_template_size = 0;
bool cli_page_possible(void) {
    cli_fail(EXIT_LIMIT, "this build makes no pages, as it lacks their templates: "
                         "run './dev viewer' in the source folder, which makes them and "
                         "builds build/release/impel again; any other build is to be "
                         "configured and built again");
    return false;
}
#endif

// --- gzip ----------------------------------------------------------------------------------------
#if defined(IMPEL_ZLIB)
static bool zip(const Bytes *from, Bytes *to) {
    z_stream z = { 0 };
    unsigned char piece[8192];
    // + 16: gzip's frame
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    int end = Z_OK;
    for (size_t at = 0; end == Z_OK && !to->broken;) {
        if (z.avail_in == 0) {
            size_t rest = from->count - at;
            size_t next = rest < (1u << 30) ? rest : (1u << 30);
            z.next_in = from->at + at;
            z.avail_in = (uInt)next;
            at += next;
        }
        z.next_out = piece;
        z.avail_out = sizeof piece;
        end = deflate(&z, at == from->count ? Z_FINISH : Z_NO_FLUSH);
        cli_bytes(to, piece, sizeof piece - z.avail_out);
    }
    deflateEnd(&z);
    return end == Z_STREAM_END && !to->broken;
}
#else
static uint32_t crc_of(const Bytes *from) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < from->count; i++) {
        crc ^= from->at[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static void put_little(Bytes *to, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        cli_bytes(to, &(unsigned char){ (unsigned char)(value >> 8 * i & 0xff) }, 1);
    }
}

static bool zip(const Bytes *from, Bytes *to) {
    static const unsigned char front[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
    cli_bytes(to, front, sizeof front);
    for (size_t at = 0; at == 0 || at < from->count;) {
        size_t rest = from->count - at;
        size_t next = rest < 65535 ? rest : 65535;
        put_little(to, at + next == from->count, 1);
        put_little(to, (uint32_t)next, 2);
        put_little(to, ~(uint32_t)next & 0xffff, 2);
        cli_bytes(to, from->at + at, next);
        at += next;
        if (rest == 0) break;
    }
    put_little(to, crc_of(from), 4);
    put_little(to, (uint32_t)from->count, 4);
    return !to->broken;
}
#endif

static void put_base64(FILE *out, const Bytes *from) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[4 * 1024];
    size_t used = 0;
    for (size_t i = 0; i < from->count; i += 3) {
        size_t left = from->count - i;
        uint32_t bits = (uint32_t)from->at[i] << 16 |
                        (left > 1 ? (uint32_t)from->at[i + 1] << 8 : 0) |
                        (left > 2 ? from->at[i + 2] : 0);
        line[used++] = digits[bits >> 18];
        line[used++] = digits[bits >> 12 & 63];
        line[used++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        line[used++] = left > 2 ? digits[bits & 63] : '=';
        if (used == sizeof line) {
            fwrite(line, 1, used, out);
            used = 0;
        }
    }
    fwrite(line, 1, used, out);
}

// --- the page ------------------------------------------------------------------------------------
// JSON in HTML: no '<' may be seen
static void put_text(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(text[i], out);
        }
    }
}

bool cli_page_words(FILE *out, PageSayer *say, const void *context) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return false;
    Json j = { .out = memory };
    say(&j, context);
    bool whole = !ferror(memory);
    if (fclose(memory) != 0 || !whole) {
        free(text);
        return false;
    }
    fputs("<script type=\"application/json\" id=\"page\">\n", out);
    put_text(out, text, length);
    fputs("</script>\n", out);
    free(text);
    return true;
}

bool cli_page_blob(FILE *out, const char *id, const Bytes *bytes) {
    Bytes zipped = { 0 };
    bool whole = zip(bytes, &zipped);
    fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
    if (whole) {
        put_base64(out, &zipped);
    }
    fputs("</script>\n", out);
    free(zipped.at);
    return whole;
}

void cli_page_begin(Json *j, const char *format, const char *title) {
    char program[64];
    snprintf(program, sizeof program, "impel %s", impVersion());
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "format", format);
    cli_json_count(j, "version", 1);
    cli_json_text(j, "program", program);
    cli_json_text(j, "title", title);
}

static const unsigned char *find_mark(PageTemplate page, size_t *length) {
    static const char mark[] = "<!-- runs -->";
    *length = sizeof mark - 1;
    for (size_t i = 0; i + *length <= page.size; i++) {
        if (memcmp(page.at + i, mark, *length) == 0) return page.at + i;
    }
    return NULL;
}

int cli_page_fill(OutFile *out, PageTemplate page, PageFiller *fill, void *context) {
    size_t length;
    const unsigned char *mark = find_mark(page, &length);
    if (!mark) return cli_fail(EXIT_BUG, "the page's template has no place for runs");
    size_t before = (size_t)(mark - page.at);
    size_t after = before + length;
    fwrite(page.at, 1, before, out->file);
    if (!fill(out->file, context)) return cli_fail(EXIT_LIMIT, "out of memory");
    fwrite(page.at + after, 1, page.size - after, out->file);
    return ferror(out->file) ? cli_write_fault(out->file, out->path) : EXIT_OK;
}

// --- the page of runs ----------------------------------------------------------------------------
// side by side
typedef struct Runs {
    const char *title;
    PageRun *const *run;
    PageBlob blob[PAGE_MOST_RUNS];
    int count;
} Runs;

static void say_runs(Json *j, const void *context) {
    const Runs *r = context;
    cli_page_begin(j, "impel-page", r->title);
    cli_json_open(j, "runs", '[');
    for (int i = 0; i < r->count; i++) {
        cli_page_json(j, r->run[i], &r->blob[i]);
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

static bool put_runs(FILE *out, void *context) {
    Runs *r = context;
    char id[16];
    bool whole = true;
    for (int i = 0; i < r->count && whole; i++) {
        whole = cli_page_pack(r->run[i], &r->blob[i]);
    }
    whole = whole && cli_page_words(out, say_runs, r);
    for (int i = 0; i < r->count && whole; i++) {
        snprintf(id, sizeof id, "run%d", i);
        whole = cli_page_blob(out, id, &r->blob[i].bytes);
    }
    for (int i = 0; i < r->count; i++) {
        free(r->blob[i].bytes.at);
    }
    return whole;
}

int cli_page_write(OutFile *out, const char *title, PageRun *const *runs, int count) {
    Runs r = { .title = title, .run = runs, .count = count };
    return cli_page_fill(out, (PageTemplate){ page_template, page_template_size }, put_runs, &r);
}
