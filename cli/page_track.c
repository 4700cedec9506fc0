// page_track.c -- the numbers of a page: 16 bits of each body's own range, differences from frame
// to frame, planes of bytes.
//
// A turn (an impact) becomes a key only where the path between two frames, as the page draws it,
// would miss it by more than a thousandth of the body's size. The path is the one of
// viewer/README.md, "Between frames".
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- bytes ---------------------------------------------------------------------------------------
void cli_bytes(Bytes *to, const void *from, size_t count) {
    if (to->broken) return;
    if (to->room - to->count < count) {
        size_t room = 2 * to->room + count + 4096;
        unsigned char *more = realloc(to->at, room);
        if (!more) {
            to->broken = true;
            return;
        }
        to->at = more;
        to->room = room;
    }
    if (count) {
        memcpy(to->at + to->count, from, count);
    }
    to->count += count;
}

static void swap_to_little(unsigned char *at, size_t each, size_t count) {
    const uint16_t one = 1;
    if (*(const unsigned char *)&one == 1 || each == 1) return;
    for (size_t i = 0; i < count; i++, at += each) {
        for (size_t k = 0; k < each / 2; k++) {
            unsigned char byte = at[k];
            at[k] = at[each - 1 - k];
            at[each - 1 - k] = byte;
        }
    }
}

void cli_page_section(PageBlob *blob, const char *name, const char *type, size_t each,
                      const void *from, size_t count) {
    static const char zeros[8] = { 0 };
    size_t start = blob->bytes.count;
    cli_bytes(&blob->bytes, from, each * count);
    if (!blob->bytes.broken) {
        swap_to_little(blob->bytes.at + start, each, count);
    }
    cli_bytes(&blob->bytes, zeros, (8 - blob->bytes.count % 8) % 8);
    blob->section[blob->sections++] = (PageSection){ name, type, count };
}

// --- the path between frames ---------------------------------------------------------------------
impQuat cli_product(impQuat a, impQuat b) {
    return (impQuat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static impQuat turn_by(const double w[3], double s) {
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * s;
    double k = fabs(angle) > 1e-12 ? s * sin(angle / 2) / angle : s / 2;
    return (impQuat){ cos(angle / 2), k * w[0], k * w[1], k * w[2] };
}

static impQuat attitude(const double *value) {
    return (impQuat){ value[3], value[4], value[5], value[6] };
}

// The constant rate that turns a into b in T; of all those, whole turns more or less, the one
// nearest to `near`.
static void rate_between(impQuat a, impQuat b, double T, const double near[3], double out[3]) {
    static const double full = 6.283185307179586;
    impQuat d = cli_product(b, (impQuat){ a.w, -a.x, -a.y, -a.z });
    double sign = d.w < 0 ? -1 : 1;
    double sine = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    double angle = 2 * atan2(sine, sign * d.w);
    double size = sqrt(near[0] * near[0] + near[1] * near[1] + near[2] * near[2]);
    double axis[3] = { 0, 0, 1 };
    const double along[3] = { sign * d.x, sign * d.y, sign * d.z };
    for (int c = 0; c < 3 && (sine > 5e-10 || size > 0); c++) {
        axis[c] = sine > 5e-10 ? along[c] / sine : near[c] / size;
    }
    double turns = floor(
        (T * (near[0] * axis[0] + near[1] * axis[1] + near[2] * axis[2]) - angle) / full + 0.5);
    for (int c = 0; c < 3; c++) {
        out[c] = (angle + turns * full) * axis[c] / T;
    }
}

typedef struct Knot {
    double time;
    const double *value;
} Knot;

// Where the path from a knot to a frame is at time t.
static void path_at(Knot from, Knot to, double t, double place[3], impQuat *rotation) {
    const double *a = from.value;
    const double *b = to.value;
    double T = to.time - from.time;
    double s = t - from.time;
    double r = s / T;
    double h0 = (1 + 2 * r) * (1 - r) * (1 - r);
    double h1 = r * r * (3 - 2 * r);
    double g0 = r * (1 - r) * (1 - r) * T;
    double g1 = r * r * (r - 1) * T;
    for (int c = 0; c < 3; c++) {
        place[c] = h0 * a[c] + h1 * b[c] + g0 * a[7 + c] + g1 * b[7 + c];
    }
    double mean[3], rate[3], small[3];
    for (int c = 0; c < 3; c++) {
        mean[c] = (a[10 + c] + b[10 + c]) / 2;
    }
    rate_between(attitude(a), attitude(b), T, mean, rate);
    for (int c = 0; c < 3; c++) {
        small[c] = g0 * (a[10 + c] - rate[c]) + g1 * (b[10 + c] - rate[c]);
    }
    *rotation = cli_product(turn_by(small, 1), cli_product(turn_by(rate, s), attitude(a)));
}

static double apart(const double x[3], const double y[3], impQuat a, impQuat b, double size) {
    double far = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                      (x[2] - y[2]) * (x[2] - y[2]));
    double dot = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    return fmax(far, 2 * acos(dot < 1 ? dot : 1) * size / 2);
}

// How far the path without a key passes by the one with it: at the key itself, and halfway to the
// knots around it.
static double misses(Knot from, Knot key, Knot to, double size) {
    double without[3], with[3], most;
    impQuat rotation, rotated;
    path_at(from, to, key.time, without, &rotation);
    most = apart(without, key.value, rotation, attitude(key.value), size);
    double middle = (key.time + to.time) / 2;
    double half = (key.time - from.time) / 2;
    path_at(from, to, middle, without, &rotation);
    path_at(key, to, middle, with, &rotated);
    most = fmax(most, apart(without, with, rotation, rotated, size));
    // before it: the parabola, at a half of its time
    path_at(from, to, from.time + half, without, &rotation);
    for (int c = 0; c < 3; c++) {
        with[c] = (3 * from.value[c] + key.value[c]) / 4 + from.value[7 + c] * half / 2;
    }
    return fmax(most, apart(without, with, rotation, rotation, size));
}

static int by_row(const void *a, const void *b) {
    const PageKey *x = a;
    const PageKey *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static const double *frame_value(const PageRun *run, int frame, int row) {
    return run->value + ((size_t)frame * (size_t)run->movers + (size_t)row) * CHANNELS;
}

void cli_page_choose_keys(PageRun *run) {
    int kept = 0, frame = 0;
    if (run->keys) {
        qsort(run->key, (size_t)run->keys, sizeof *run->key, by_row);
    }
    for (int i = 0; i < run->keys; i++) {
        PageKey key = run->key[i];
        if (i == 0 || run->key[i - 1].row != key.row) {
            frame = 0;
        }
        while (frame < run->frames && run->time[frame] <= key.time) {
            frame++;
        }
        bool inside = frame > 0 && frame < run->frames && key.time > run->time[frame - 1] &&
                      key.time < run->time[frame];
        bool follows = kept && run->key[kept - 1].row == key.row && inside &&
                       run->key[kept - 1].time >= run->time[frame - 1];
        if (inside) {
            Knot from = { run->time[frame - 1], frame_value(run, frame - 1, key.row) };
            Knot to = { run->time[frame], frame_value(run, frame, key.row) };
            if (follows) {
                from = (Knot){ run->key[kept - 1].time, run->key[kept - 1].value };
            }
            double size = run->size[key.row];
            cli_page_keep_sign(key.value, from.value);
            // looked at in three places: with a margin
            if (misses(from, (Knot){ key.time, key.value }, to, size) > 3e-4 * size) {
                run->key[kept++] = key;
                continue;
            }
        }
        // not known yet
        if (frame >= run->frames && run->frames) {
            run->key[kept++] = key;
            continue;
        }
        run->keys_left_out++;
    }
    run->keys = kept;
}

// --- ranges and tracks ---------------------------------------------------------------------------
typedef struct Range {
    double low, step;
} Range;

static Range range_of(const PageRun *run, int row, int channel, int first_key, int last_key) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int f = 0; f < run->frames; f++) {
        double x = frame_value(run, f, row)[channel];
        low = fmin(low, x);
        high = fmax(high, x);
    }
    for (int k = first_key; k < last_key; k++) {
        low = fmin(low, run->key[k].value[channel]);
        high = fmax(high, run->key[k].value[channel]);
    }
    return run->frames ? (Range){ low, (high - low) / 65535 } : (Range){ 0, 0 };
}

static uint16_t rounded(Range r, double x) {
    double u = r.step > 0 ? floor((x - r.low) / r.step + 0.5) : 0;
    return (uint16_t)(!(u > 0) ? 0 : u > 65535 ? 65535 : u);
}

static bool pack_ranges(PageRun *run, PageBlob *blob, Range *range) {
    for (int row = 0, first = 0, last; row < run->movers; row++, first = last) {
        for (last = first; last < run->keys && run->key[last].row == row; last++) {}
        for (int c = 0; c < CHANNELS; c++) {
            range[row * CHANNELS + c] = range_of(run, row, c, first, last);
        }
        for (int c = 0; c < 3; c++) {
            blob->coarsest = fmax(blob->coarsest, range[row * CHANNELS + c].step / 2);
        }
    }
    cli_page_section(blob, "range", "f64", 8, range, 2 * (size_t)run->movers * CHANNELS);
    return !blob->bytes.broken;
}

static bool pack_tracks(const PageRun *run, PageBlob *blob, const Range *range) {
    size_t count = (size_t)run->movers * CHANNELS * (size_t)run->frames;
    size_t at = 0;
    unsigned char *plane = malloc(2 * count + 1);
    if (!plane) return false;
    for (int c = 0; c < CHANNELS; c++) {
        for (int row = 0; row < run->movers; row++) {
            uint16_t before = 0;
            for (int f = 0; f < run->frames; f++, at++) {
                uint16_t now = rounded(range[row * CHANNELS + c], frame_value(run, f, row)[c]);
                uint16_t step = (uint16_t)(now - before);
                plane[at] = (unsigned char)(step & 0xff);
                plane[count + at] = (unsigned char)(step >> 8);
                before = now;
            }
        }
    }
    cli_page_section(blob, "track", "planes", 1, plane, 2 * count);
    blob->section[blob->sections - 1].count = count;
    free(plane);
    return true;
}

static void pack_keys(const PageRun *run, PageBlob *blob, const Range *range) {
    Bytes row = { 0 }, time = { 0 }, track = { 0 };
    for (int k = 0; k < run->keys; k++) {
        const PageKey *key = &run->key[k];
        uint32_t which = (uint32_t)key->row;
        uint16_t all[CHANNELS];
        for (int c = 0; c < CHANNELS; c++) {
            all[c] = rounded(range[key->row * CHANNELS + c], key->value[c]);
        }
        cli_bytes(&row, &which, sizeof which);
        cli_bytes(&time, &key->time, sizeof key->time);
        cli_bytes(&track, all, sizeof all);
    }
    blob->bytes.broken |= row.broken || time.broken || track.broken;
    size_t count = blob->bytes.broken ? 0 : (size_t)run->keys;
    cli_page_section(blob, "key_body", "u32", 4, row.at, count);
    cli_page_section(blob, "key_time", "f64", 8, time.at, count);
    cli_page_section(blob, "key_track", "u16", 2, track.at, CHANNELS * count);
    free(row.at);
    free(time.at);
    free(track.at);
}

static void pack_series(const PageRun *run, PageBlob *blob) {
    Bytes all = { 0 };
    for (int s = 0; s < SERIES; s++) {
        for (int f = 0; f < run->frames; f++) {
            cli_bytes(&all, &run->series[f * SERIES + s], sizeof(double));
        }
    }
    blob->bytes.broken |= all.broken;
    cli_page_section(blob, "series", "f64", 8, all.at,
                     all.broken ? 0 : (size_t)run->frames * SERIES);
    free(all.at);
}

// --- contacts and loads --------------------------------------------------------------------------
typedef struct Column {
    const char *name, *type;
    size_t at, each, wide;
} Column;
#define COLUMN(T, prefix, field, type, each, wide)                                                 \
    { prefix #field, type, offsetof(T, field), each, wide }

static void pack_rows(PageBlob *blob, const void *rows, size_t size, int count,
                      const Column *column, int columns) {
    for (int c = 0; c < columns; c++) {
        Bytes all = { 0 };
        for (int i = 0; i < count; i++) {
            cli_bytes(&all, (const char *)rows + (size_t)i * size + column[c].at,
                      column[c].each * column[c].wide);
        }
        blob->bytes.broken |= all.broken;
        cli_page_section(blob, column[c].name, column[c].type, column[c].each, all.at,
                         all.broken ? 0 : column[c].wide * (size_t)count);
        free(all.at);
    }
}

#define CONTACT(field, type, each, wide) COLUMN(PageContact, "contact_", field, type, each, wide)
static const Column contact_columns[] = {
    CONTACT(time, "f64", 8, 1),     CONTACT(frame, "u32", 4, 1),  CONTACT(a, "u32", 4, 1),
    CONTACT(b, "u32", 4, 1),        CONTACT(point, "f32", 4, 3),  CONTACT(normal, "f32", 4, 3),
    CONTACT(impulse, "f32", 4, 3),  CONTACT(before, "f32", 4, 3), CONTACT(after, "f32", 4, 3),
    CONTACT(friction, "f32", 4, 1), CONTACT(mode, "u8", 1, 1),    CONTACT(kind, "u8", 1, 1),
};
#define LOAD(field, type, each, wide) COLUMN(PageLoad, "load_", field, type, each, wide)
static const Column load_columns[] = {
    LOAD(first, "u32", 4, 1), LOAD(last, "u32", 4, 1),     LOAD(a, "u32", 4, 1),
    LOAD(b, "u32", 4, 1),     LOAD(point, "f32", 4, 3),    LOAD(normal, "f32", 4, 3),
    LOAD(force, "f32", 4, 3), LOAD(friction, "f32", 4, 1),
};

// Keys after the last frame have nowhere to lead to.
static void drop_late_keys(PageRun *run) {
    int kept = 0;
    double end = run->frames ? run->time[run->frames - 1] : 0;
    for (int i = 0; i < run->keys; i++) {
        if (run->frames && run->key[i].time < end) {
            run->key[kept++] = run->key[i];
        }
    }
    run->keys_left_out += run->keys - kept;
    run->keys = kept;
}

bool cli_page_pack(PageRun *run, PageBlob *blob) {
    *blob = (PageBlob){ 0 };
    Range *range = calloc((size_t)run->movers * CHANNELS + 1, sizeof *range);
    if (!range || !cli_page_finish_contacts(run)) {
        free(range);
        return false;
    }
    cli_page_choose_keys(run);
    drop_late_keys(run);
    cli_page_section(blob, "time", "f64", 8, run->time, (size_t)run->frames);
    bool ok = pack_ranges(run, blob, range) && pack_tracks(run, blob, range);
    pack_keys(run, blob, range);
    pack_series(run, blob);
    pack_rows(blob, run->contact, sizeof *run->contact, run->contacts, contact_columns, 12);
    pack_rows(blob, run->load, sizeof *run->load, run->loads, load_columns, 8);
    free(range);
    if (ok && !blob->bytes.broken) return true;
    free(blob->bytes.at);
    *blob = (PageBlob){ 0 };
    return false;
}
