// page.c -- taking in a run for a page: frames, turns and contacts, thinned as they come so that
// memory has a bound.
//
// When there are more frames than a page can hold, every second one is given up and from then on
// only every second one is taken, and so on: what is kept is always evenly spread over the whole
// run. What happened between them is added up.
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_values = 1200000;  // bodies times frames: some 15 MB of page
static const double none = (double)NAN;      // nothing to say
enum { MOST_FRAMES = 100000, MOST_KEYS = 200000 };

bool cli_page_room(void *list, int *room, int count, size_t each) {
    if (count < *room) return true;
    if (*room > INT32_MAX / 2) return false;
    int larger = *room ? 2 * *room : 256;
    void *old, *now;
    memcpy(&old, list, sizeof old);
    now = realloc(old, (size_t)larger * each);
    if (!now) return false;
    memcpy(list, &now, sizeof now);
    *room = larger;
    return true;
}

// --- who moves -----------------------------------------------------------------------------------
static double size_of(const impModel *m, impBody b) {
    impVec3 low, high;
    if (!impModel_Box(m, b, &low, &high)) return 0;
    return sqrt((high.x - low.x) * (high.x - low.x) + (high.y - low.y) * (high.y - low.y) +
                (high.z - low.z) * (high.z - low.z));
}

static bool find_movers(PageRun *run) {
    const impModel *m = run->source.model;
    int count = impModel_BodyCount(m);
    run->row = calloc((size_t)count, sizeof *run->row);
    run->mover = calloc((size_t)count, sizeof *run->mover);
    run->size = calloc((size_t)count, sizeof *run->size);
    if (!run->row || !run->mover || !run->size) return false;
    for (int i = 0; i < count; i++) {
        bool still = i == 0 || impModel_Role(m, (impBody){ i }) == IMP_FIXED;
        run->row[i] = still ? -1 : run->movers;
        if (still) continue;
        run->size[run->movers] = size_of(m, (impBody){ i });
        run->mover[run->movers++] = i;
    }
    return true;
}

PageRun *cli_page_run(const Source *source) {
    PageRun *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    run->source = *source;
    run->stride = 1;
    run->gap = none;
    run->keys_due = MOST_KEYS;
    run->low = (impVec3){ HUGE_VAL, HUGE_VAL, HUGE_VAL };
    run->high = (impVec3){ -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
    snprintf(run->label, sizeof run->label, "%s", source->run.method);
    if (find_movers(run)) return run;
    cli_page_free(run);
    return NULL;
}

void cli_page_free(PageRun *run) {
    if (!run) return;
    free(run->row);
    free(run->mover);
    free(run->size);
    free(run->time);
    free(run->series);
    free(run->value);
    free(run->key);
    free(run->contact);
    free(run->load);
    free(run);
}

// --- frames --------------------------------------------------------------------------------------
static impVec3 rotated(impQuat q, impVec3 v) {
    impVec3 u = { q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x };
    u = (impVec3){ u.x + q.w * v.x, u.y + q.w * v.y, u.z + q.w * v.z };
    return (impVec3){ v.x + 2 * (q.y * u.z - q.z * u.y), v.y + 2 * (q.z * u.x - q.x * u.z),
                      v.z + 2 * (q.x * u.y - q.y * u.x) };
}

// The velocity is told for the centre of mass; what is drawn is the body's frame.
static void channels_of(const impModel *m, impBody b, impPose p, impTwist t, double out[CHANNELS]) {
    impVec3 r = rotated(p.rotation, impModel_Mass(m, b).center);
    impVec3 w = t.angular;
    impVec3 v = t.linear;
    v.x -= w.y * r.z - w.z * r.y;
    v.y -= w.z * r.x - w.x * r.z;
    v.z -= w.x * r.y - w.y * r.x;
    double all[CHANNELS] = { p.at.x,       p.at.y,       p.at.z, p.rotation.w, p.rotation.x,
                             p.rotation.y, p.rotation.z, v.x,    v.y,          v.z,
                             w.x,          w.y,          w.z };
    memcpy(out, all, sizeof all);
}

void cli_page_keep_sign(double *now, const double *before) {
    double dot = 0;
    for (int c = 3; c < 7; c++) {
        dot += now[c] * before[c];
    }
    for (int c = 3; c < 7 && dot < 0; c++) {
        now[c] = -now[c];
    }
}

static void grow_box(PageRun *run, impVec3 at, impVec3 bounding_radius) {
    run->low.x = fmin(run->low.x, at.x - bounding_radius.x);
    run->high.x = fmax(run->high.x, at.x + bounding_radius.x);
    run->low.y = fmin(run->low.y, at.y - bounding_radius.y);
    run->high.y = fmax(run->high.y, at.y + bounding_radius.y);
    run->low.z = fmin(run->low.z, at.z - bounding_radius.z);
    run->high.z = fmax(run->high.z, at.z + bounding_radius.z);
}

// The box of a body, turned as the body is, in a box of world axes.
static void grow_by_body(PageRun *run, const double *value, impVec3 low, impVec3 high) {
    impQuat q = { value[3], value[4], value[5], value[6] };
    impVec3 middle = rotated(
        q, (impVec3){ (low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2 });
    impVec3 x = rotated(q, (impVec3){ (high.x - low.x) / 2, 0, 0 });
    impVec3 y = rotated(q, (impVec3){ 0, (high.y - low.y) / 2, 0 });
    impVec3 z = rotated(q, (impVec3){ 0, 0, (high.z - low.z) / 2 });
    grow_box(run, (impVec3){ value[0] + middle.x, value[1] + middle.y, value[2] + middle.z },
             (impVec3){ fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                        fabs(x.z) + fabs(y.z) + fabs(z.z) });
}

static void put_bodies(PageRun *run, const impState *state) {
    const impModel *m = run->source.model;
    size_t width = (size_t)run->movers * CHANNELS;
    double *to = run->value + (size_t)run->frames * width;
    for (int i = 0; i < run->movers; i++, to += CHANNELS) {
        impBody b = { run->mover[i] };
        channels_of(m, b, impState_Pose(m, state, b), impState_Twist(m, state, b), to);
        if (run->frames) {
            cli_page_keep_sign(to, to - width);
        }
        impVec3 low, high;
        if (impModel_Box(m, b, &low, &high)) {
            grow_by_body(run, to, low, high);
        }
    }
}

static void put_series(PageRun *run, const impFrame *f) {
    double energy = f->energy.kinetic + f->energy.potential;
    // counts, until make_rates
    double all[SERIES] = {
        energy,
        f->energy.kinetic,
        f->energy.potential,
        f->causes.restitution,
        f->causes.friction,
        f->causes.microcollision,
        f->causes.driven,
        f->causes.sleep_energy,
        f->causes.scheme_energy,
        f->momentum.linear.x,
        f->momentum.linear.y,
        f->momentum.linear.z,
        f->momentum.angular.x,
        f->momentum.angular.y,
        f->momentum.angular.z,
        run->gap,
        run->since.overlap,
        run->since.level_violation,
        (double)f->events,
        (double)f->contacts,
        run->since.energy,
        run->since.momentum,
        run->since.approach,
    };
    memcpy(run->series + (size_t)run->frames * SERIES, all, sizeof all);
}

// of the counts, from the last frame on
static void make_rates(PageRun *run) {
    for (int f = run->frames - 1; f >= 0; f--) {
        for (int c = COUNTS; c < COUNTS + 2; c++) {
            double *now = run->series + (size_t)f * SERIES + c;
            *now = f ? (*now - now[-SERIES]) / (run->time[f] - run->time[f - 1]) : none;
        }
    }
}

static bool grow_frames(PageRun *run) {
    if (run->frames < run->frame_room) return true;
    int room = run->frame_room ? 2 * run->frame_room : 64;
    double *time = realloc(run->time, sizeof *time * (size_t)room);
    if (time) {
        run->time = time;
    }
    double *series = realloc(run->series, sizeof *series * (size_t)room * SERIES);
    if (series) {
        run->series = series;
    }
    size_t width = (size_t)(run->movers ? run->movers : 1) * CHANNELS;
    double *value = realloc(run->value, sizeof *value * (size_t)room * width);
    if (value) {
        run->value = value;
    }
    if (!time || !series || !value) return false;
    run->frame_room = room;
    return true;
}

// What a frame says of the time before it belongs to the next one when it is given up.
static void hand_on(const double *from, double *gap, double *overlap, double *level_violation,
                    double *energy, double *momentum, double *approach) {
    if (!(from[GAP] >= *gap)) {
        *gap = isnan(from[GAP]) ? *gap : from[GAP];
    }
    *overlap = fmax(*overlap, from[GAP + 1]);
    *level_violation = fmax(*level_violation, from[GAP + 2]);
    *approach = fmax(*approach, from[WORST + 2]);
    if (fabs(from[WORST]) > fabs(*energy)) {
        *energy = from[WORST];
    }
    if (fabs(from[WORST + 1]) > fabs(*momentum)) {
        *momentum = from[WORST + 1];
    }
}

static void give_up_every_second(PageRun *run) {
    size_t width = (size_t)run->movers * CHANNELS;
    int kept = 0;
    for (int f = 1; f < run->frames; f += 2) {
        const double *from = run->series + (size_t)f * SERIES;
        double *to = run->series + (size_t)(f + 1) * SERIES;
        if (f + 1 < run->frames) {
            hand_on(from, &to[GAP], &to[GAP + 1], &to[GAP + 2], &to[WORST], &to[WORST + 1],
                    &to[WORST + 2]);
        } else {
            hand_on(from, &run->gap, &run->since.overlap, &run->since.level_violation,
                    &run->since.energy, &run->since.momentum, &run->since.approach);
        }
    }
    for (int f = 0; f < run->frames; f += 2, kept++) {
        run->time[kept] = run->time[f];
        memmove(run->series + (size_t)kept * SERIES, run->series + (size_t)f * SERIES,
                sizeof(double) * SERIES);
        memmove(run->value + (size_t)kept * width, run->value + (size_t)f * width,
                sizeof(double) * width);
    }
    run->frames = kept;
    run->stride *= 2;
    cli_page_halve_contacts(run);
}

// A frame that is not to be kept stands behind the others until the next one comes: it may be the
// last.
static bool put_frame(PageRun *run, const impState *state, const impFrame *frame, bool keep) {
    if (keep &&
        ((int64_t)run->frames * (run->movers + 20) >= most_values || run->frames >= MOST_FRAMES)) {
        give_up_every_second(run);
        // this one may be among those that are given up
        keep = (run->seen - 1) % run->stride == 0;
    }
    double time = impState_Time(state);
    if (run->frames && time <= run->time[run->frames - 1]) return true;
    if (!grow_frames(run)) return false;
    put_series(run, frame);
    put_bodies(run, state);
    run->time[run->frames] = time;
    run->tail = !keep;
    if (!keep) return true;
    if (!cli_page_close_frame(run, frame)) return false;
    run->frames++;
    run->since = (impCertificate){ 0 };
    run->gap = none;
    return true;
}

// --- what happens between frames -----------------------------------------------------------------
static bool add_turns(PageRun *run, const impFrame *frame) {
    for (int i = 0; i < frame->velocity_change_count; i++) {
        const impVelocityChange *t = &frame->velocity_change[i];
        if (run->row[t->body.i] < 0) continue;
        // bodies of no importance for the view make room
        if (run->keys >= run->keys_due) {
            cli_page_choose_keys(run);
            run->keys_due = run->keys + MOST_KEYS / 4;
        }
        if (run->keys >= MOST_KEYS) {
            run->keys_cut++;
            continue;
        }
        if (!cli_page_room(&run->key, &run->key_room, run->keys, sizeof *run->key)) return false;
        PageKey *key = &run->key[run->keys++];
        key->row = run->row[t->body.i];
        key->time = t->time;
        channels_of(run->source.model, t->body, t->pose, t->twist, key->value);
    }
    return true;
}

// More than sixty frames a second are not seen.
static bool is_due(PageRun *run, double time) {
    if (run->seen > 0 && time - run->due < 0.75 * cli_frame_interval(run->source.run.end))
        return false;
    run->due = time;
    return run->seen++ % run->stride == 0;
}

bool cli_page_add(PageRun *run, const impState *state, const impFrame *frame) {
    run->samples++;
    cli_certificate_add(&run->since, &frame->worst);
    cli_certificate_add(&run->worst, &frame->worst);
    for (int i = 0; i < frame->contact_count; i++) {
        if (!(frame->contact[i].gap >= run->gap)) {
            run->gap = frame->contact[i].gap;
        }
    }
    if (!add_turns(run, frame) || !cli_page_contacts(run, frame)) return false;
    run->last = *frame;
    run->hash = frame->hash;
    return put_frame(run, state, frame, is_due(run, impState_Time(state)));
}

void cli_page_end(PageRun *run, const impRunEnd *end) {
    run->end = *end;
    run->frames += run->tail;
    run->tail = false;
    make_rates(run);
    snprintf(run->reason, sizeof run->reason, "%s", end->reason ? end->reason : "");
    run->end.reason = run->reason;
}

// --- the sink ------------------------------------------------------------------------------------
typedef struct PageSink {
    PageRun *run;
    OutFile out;
    char title[256];
} PageSink;

static int open_page(Cli *cli, const Source *source, const char *path, void **out) {
    if (!cli_page_possible()) return EXIT_LIMIT;
    PageSink *sink = calloc(1, sizeof *sink);
    if (sink) {
        sink->run = cli_page_run(source);
    }
    if (!sink || !sink->run) {
        free(sink);
        return cli_fail(EXIT_LIMIT, "out of memory");
    }
    snprintf(sink->title, sizeof sink->title, "%s", source->run.name ? source->run.name : "");
    if (cli_out_open(&sink->out, path, cli->opt.force)) {
        *out = sink;
        return EXIT_OK;
    }
    cli_page_free(sink->run);
    free(sink);
    return EXIT_IO;
}

static int add_to_page(void *to, const impState *state, const impFrame *frame) {
    PageSink *sink = to;
    return cli_page_add(sink->run, state, frame) ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

static void abandon_page(void *to) {
    PageSink *sink = to;
    cli_out_abandon(&sink->out);
    cli_page_free(sink->run);
    free(sink);
}

static int close_page(void *to, const impRunEnd *end) {
    PageSink *sink = to;
    cli_page_end(sink->run, end);
    int code = cli_page_write(&sink->out, sink->title, &sink->run, 1);
    if (code == EXIT_OK && !cli_out_commit(&sink->out)) {
        code = EXIT_IO;
    }
    abandon_page(sink);
    return code;
}

const SinkKind cli_sink_page = { ".html", false, open_page, add_to_page, close_page, abandon_page };
