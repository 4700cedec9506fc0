// page_contacts.c -- points of contact for a page: collisions one by one, everything that goes on
// added up between frames.
//
// A body at rest is held by hundreds of microcollisions a second at each of its corners; what one
// looks at is their sum. What carries sleepers changes only when a body wakes and is kept as long
// as it holds.
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTACTS = 200000, TOO_MANY = 2000000, MOST_LOADS = 100000 };

static void put3(float to[3], impVec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static double length3(const float v[3]) {
    double x = (double)v[0];
    double y = (double)v[1];
    double z = (double)v[2];
    return sqrt(x * x + y * y + z * z);
}

static PageContact packed(const impContact *c, int frame) {
    PageContact out = { .time = c->time,
                        .feature = c->feature,
                        .frame = frame,
                        .a = c->a.i,
                        .b = c->b.i,
                        .friction = (float)c->friction,
                        .mode = (uint8_t)c->mode,
                        .kind = c->micro };
    put3(out.point, c->point);
    put3(out.normal, c->normal);
    put3(out.impulse, c->impulse);
    put3(out.before, c->before);
    put3(out.after, c->after);
    return out;
}

// --- the largest stay ----------------------------------------------------------------------------
static int by_size(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static bool prune(PageRun *run) {
    if (run->contacts <= MOST_CONTACTS) return true;
    double *size = malloc(sizeof *size * (size_t)run->contacts);
    if (!size) return false;
    for (int i = 0; i < run->contacts; i++) {
        size[i] = length3(run->contact[i].impulse);
    }
    qsort(size, (size_t)run->contacts, sizeof *size, by_size);
    // of those as large as this the first ones
    double least = size[MOST_CONTACTS - 1];
    int kept = 0;
    int ties = MOST_CONTACTS;
    for (int i = 0; i < MOST_CONTACTS; i++) {
        ties -= size[i] > least;
    }
    for (int i = 0; i < run->contacts; i++) {
        double now = length3(run->contact[i].impulse);
        if (now > least || (now == least && ties-- > 0)) {
            run->contact[kept++] = run->contact[i];
        }
    }
    run->contacts_left_out += run->contacts - kept;
    run->contacts = kept;
    free(size);
    return true;
}

// --- sums ----------------------------------------------------------------------------------------
static int by_feature(const void *a, const void *b) {
    const PageContact *x = a;
    const PageContact *y = b;
    if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static bool same_sum(const PageContact *x, const PageContact *y) {
    return x->kind && y->kind && x->frame == y->frame && x->a == y->a && x->b == y->b &&
           x->feature == y->feature;
}

// The second joins the first: places by weight, the rest is that of the later one.
static void join(PageContact *sum, const PageContact *c) {
    double w = length3(c->impulse);
    double W = length3(sum->impulse);
    double share = w + W > 0 ? w / (w + W) : 0.5;
    for (int k = 0; k < 3; k++) {
        sum->point[k] += (float)share * (c->point[k] - sum->point[k]);
        sum->impulse[k] += c->impulse[k];
        sum->normal[k] = c->normal[k];
        sum->after[k] = c->after[k];
    }
    sum->time = c->time;
    sum->mode = c->mode;
}

static void join_sums(PageRun *run, int first) {
    int kept = first;
    qsort(run->contact + first, (size_t)(run->contacts - first), sizeof *run->contact, by_feature);
    for (int i = first; i < run->contacts; i++) {
        if (kept > first && same_sum(&run->contact[kept - 1], &run->contact[i])) {
            join(&run->contact[kept - 1], &run->contact[i]);
        } else {
            run->contact[kept++] = run->contact[i];
        }
    }
    run->contacts = kept;
}

static bool add_contact(PageRun *run, const impContact *c) {
    if (!cli_page_room(&run->contact, &run->contact_room, run->contacts, sizeof *run->contact))
        return false;
    run->contact[run->contacts++] = packed(c, run->frames);
    return true;
}

bool cli_page_contacts(PageRun *run, const impFrame *frame) {
    int first = run->contacts;
    while (first > 0 && run->contact[first - 1].frame == run->frames) {
        first--;
    }
    for (int i = 0; i < frame->contact_count; i++) {
        if (!add_contact(run, &frame->contact[i])) return false;
    }
    if (run->contacts - first > 0) {
        join_sums(run, first);
    }
    return run->contacts <= TOO_MANY || prune(run);
}

// --- loads ---------------------------------------------------------------------------------------
static PageLoad load_of(const impContact *c, int frame) {
    PageLoad out = {
        .first = frame, .last = frame, .a = c->a.i, .b = c->b.i, .friction = (float)c->friction
    };
    put3(out.point, c->point);
    put3(out.normal, c->normal);
    put3(out.force, c->impulse);
    return out;
}

static bool same_loads(const PageRun *run, const impFrame *frame) {
    if (run->loads - run->load_open != frame->sleeping_contact_count) return false;
    for (int i = 0; i < frame->sleeping_contact_count; i++) {
        PageLoad now = load_of(&frame->sleeping_contact[i], 0);
        const PageLoad *was = &run->load[run->load_open + i];
        if (now.a != was->a || now.b != was->b ||
            memcmp(now.point, was->point, sizeof now.point) != 0 ||
            memcmp(now.force, was->force, sizeof now.force) != 0)
            return false;
    }
    return true;
}

bool cli_page_close_frame(PageRun *run, const impFrame *frame) {
    if (same_loads(run, frame)) {
        for (int i = run->load_open; i < run->loads; i++) {
            run->load[i].last = run->frames;
        }
        return true;
    }
    run->load_open = run->loads;
    for (int i = 0; i < frame->sleeping_contact_count; i++) {
        if (run->loads >= MOST_LOADS) {
            run->loads_cut = true;
        }
        if (run->loads_cut) {
            run->load_open = run->loads;
            return true;
        }
        if (!cli_page_room(&run->load, &run->load_room, run->loads, sizeof *run->load))
            return false;
        run->load[run->loads++] = load_of(&frame->sleeping_contact[i], run->frames);
    }
    return true;
}

// --- all of it -----------------------------------------------------------------------------------
void cli_page_halve_contacts(PageRun *run) {
    for (int i = 0; i < run->contacts; i++) {
        run->contact[i].frame = (run->contact[i].frame + 1) / 2;
    }
    for (int i = 0; i < run->loads; i++) {
        run->load[i].first = (run->load[i].first + 1) / 2;
        run->load[i].last /= 2;
    }
    if (run->contacts) {
        join_sums(run, 0);
    }
}

static int by_time(const void *a, const void *b) {
    const PageContact *x = a;
    const PageContact *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return by_feature(a, b);
}

// the first that is not earlier
static int frame_at(const PageRun *run, double time) {
    int low = 0;
    int high = run->frames - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (run->time[middle] < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool cli_page_finish_contacts(PageRun *run) {
    if (run->frames == 0) {
        run->contacts = 0;
    }
    for (int i = 0; i < run->contacts; i++) {
        PageContact *c = &run->contact[i];
        // after the last frame that was kept
        if (c->kind && c->frame >= run->frames) {
            c->frame = run->frames - 1;
        }
        if (c->kind) {
            c->time = run->time[c->frame];
        } else {
            c->frame = frame_at(run, c->time);
        }
    }
    if (!prune(run)) return false;
    if (run->contacts) {
        qsort(run->contact, (size_t)run->contacts, sizeof *run->contact, by_time);
    }
    return true;
}
