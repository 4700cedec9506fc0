// page.h -- what the parts of a page share (inside cli/): a run, thinned for looking.
// viewer/README.md is the contract.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

// of a moving body in a frame; columns of the plots:
enum { CHANNELS = 13, SERIES = 23 };
// gap, overlap, level violation; events, contacts; energy, momentum, approach
enum { GAP = 14, COUNTS = 17, WORST = 19 };

// row: of the body in the track
// runs on one page
enum { PAGE_MOST_RUNS = 6 };

typedef struct PageKey {
    int32_t row;
    double time;
    double value[CHANNELS];
} PageKey;

typedef struct PageContact {
    double time;
    uint64_t feature;  // sums of one frame and feature are one
    int32_t frame, a, b;
    float point[3], normal[3], impulse[3], before[3], after[3], friction;
    uint8_t mode, kind;  // kind 0: a collision; 1: the sum of what acted since the frame before
} PageContact;

// frames; N
typedef struct PageLoad {
    int32_t first, last, a, b;
    float point[3], normal[3], force[3], friction;
} PageLoad;

typedef struct PageRun {
    Source source;
    char label[96];
    int movers, *row, *mover;  // row: by body, -1 for what stands still; mover: by row
    double *size;              // by row: diagonal of the body's box, m
    // frames, of which every `stride`th is kept
    int frames, frame_room, stride;
    bool tail;              // one more stands behind them, which counts only if it is the last
    int64_t seen, samples;  // seen: those far enough apart; samples: all
    double due;             // time of the one seen last
    double *time, *series, *value;  // value: [frame][row][channel]
    // since the frame kept last
    impCertificate since;
    double gap;  // smallest of its contacts; NaN: none
    // all of it
    impCertificate worst;
    impFrame last;
    uint64_t hash;
    impVec3 low, high;
    PageKey *key;
    int keys, key_room, keys_due;     // keys_due: when to look which of them are needed
    int64_t keys_left_out, keys_cut;  // not needed; beyond what a page holds
    PageContact *contact;
    int contacts, contact_room;
    int64_t contacts_left_out;
    PageLoad *load;
    int loads, load_room, load_open;  // load_open: the first of those that still hold
    bool loads_cut;
    impRunEnd end;
    char reason[REASON];
} PageRun;

// page.c: taking a run in
// NULL: no memory
PageRun *cli_page_run(const Source *source);
// false: no memory
bool cli_page_add(PageRun *run, const impState *state, const impFrame *frame);
void cli_page_end(PageRun *run, const impRunEnd *end);
void cli_page_free(PageRun *run);
// of the quaternion: numbers do not jump
void cli_page_keep_sign(double *now, const double *before);
// compare.c: keeps the run, writes nothing
extern const SinkKind cli_sink_taken;
// for one more; list: address of the pointer
bool cli_page_room(void *list, int *room, int count, size_t each);

// page_contacts.c: points of contact, added up between frames
bool cli_page_contacts(PageRun *run, const impFrame *frame);  // of any frame
// one that is kept, before it is counted
bool cli_page_close_frame(PageRun *run, const impFrame *frame);
// every second frame has gone
void cli_page_halve_contacts(PageRun *run);
bool cli_page_finish_contacts(PageRun *run);

// page_track.c: numbers of 16 bits
typedef struct Bytes {
    unsigned char *at;
    size_t count, room;
    bool broken;
} Bytes;
void cli_bytes(Bytes *to, const void *from, size_t count);
// first b, then a
impQuat cli_product(impQuat a, impQuat b);
// those a path between frames would miss
void cli_page_choose_keys(PageRun *run);
typedef struct PageSection {
    const char *name, *type;
    size_t count;
} PageSection;
// coarsest: m
typedef struct PageBlob {
    Bytes bytes;
    PageSection section[32];
    int sections;
    double coarsest;
} PageBlob;
void cli_page_section(PageBlob *blob, const char *name, const char *type, size_t each,
                      const void *from, size_t count);
// false: no memory; free blob->bytes.at
bool cli_page_pack(PageRun *run, PageBlob *blob);

// page_json.c: what is said in words
typedef struct PageColumn {
    const char *name, *unit, *about, *group;
} PageColumn;
extern const PageColumn cli_page_columns[SERIES];
// RUN, with its braces
void cli_page_json(Json *j, const PageRun *run, const PageBlob *blob);
// its keys but those of its model,
void cli_page_json_run(Json *j, const PageRun *run, const PageBlob *blob);
// which many runs may share
void cli_page_json_model(Json *j, const PageRun *run);
// what the blob holds, in order
void cli_page_json_sections(Json *j, const PageBlob *blob);

// page_write.c: a template, filled in
typedef struct PageTemplate {
    const unsigned char *at;
    size_t size;
} PageTemplate;
// what stands in the gap; false: no memory
typedef bool PageFiller(FILE *out, void *context);
typedef void PageSayer(Json *j, const void *context);
// EXIT_OK, or the code; said why
int cli_page_fill(OutFile *out, PageTemplate page, PageFiller *fill, void *context);
// the element with the JSON; false: no memory
bool cli_page_words(FILE *out, PageSayer *say, const void *context);
// its brace and first keys
void cli_page_begin(Json *j, const char *format, const char *title);
// an element with bytes; false: no memory
bool cli_page_blob(FILE *out, const char *id, const Bytes *bytes);
// EXIT_OK, or the code; said why
int cli_page_write(OutFile *out, const char *title, PageRun *const *runs, int count);
