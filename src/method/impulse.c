// impulse.c -- the impulse method: every contact is a collision, resting ones included.
//
// Mirtich & Canny 1994 and 1995; the simulator of Mirtich's Hybrid simulation. Between events
// bodies fly freely and exactly. Pairs whose swept boxes overlap wait in a heap, each with a time
// before which it cannot touch; the earliest is looked at, with the two bodies where they are then
// (physics.md D.4: everybody has a clock of his own), and either gets a later time or collides.
// Collisions are resolved one at a time; slow ones, in which a resting, sliding or rolling body
// goes on touching, are microcollisions: all points of all bodies that hold each other at once,
// closed over the coming hop (microcollisions.md). A step is a number of frames; a frame has one
// set of boxes.
//
// The state carries the flights' starts and a counter of calm per body; all the rest is made anew
// in each step, so that nothing else has a say.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

// frames while a body falls by half its reach, on the average: boxes are swept no farther;
#define FALLS 3.0
// and reaches that it goes in one, beside the common centre
#define GOES 2.5
// in a step: who asks for more sweeps farther
enum { MOST_FRAMES = 1 << 20 };

bool method_impulse_accepts(const impModel *m, impError *err) {
    bool ok = true;
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joint[i].kind != JOINT_FREE) {
            ok = fail(err, (Where){ NULL, 0, 0 },
                      "joint '%s': method impulse cannot move a %s; it knows free bodies only",
                      m->joint[i].name, joint_kinds[m->joint[i].kind].name);
        }
    }
    return ok;
}

// bodies of an island: of a larger one the points are swept over and over
enum { MOST_SOLVED = 256 };

int impulse_solver_capacity(const impModel *m) {
    return m->sizes.nfree < MOST_SOLVED ? m->sizes.nfree : MOST_SOLVED;
}

static Capacity capacity_of(const impModel *m) {
    int n = m->sizes.nfree;
    return (Capacity){ 16 * n + 256, 1024 + 12 * (n < 2000 ? n : 2000),
                       256 * (n < 200 ? n : 200) + 2 * n + 49152, impulse_solver_capacity(m) };
}

int impulse_point_capacity(const impModel *m) { return capacity_of(m).touches; }

size_t method_impulse_scratch(const impModel *m) {
    Capacity r = capacity_of(m);
    size_t bodies = (size_t)m->body_count;
    size_t pairs = (size_t)r.pairs;
    size_t points = (size_t)r.touches;
    size_t island = bodies * (8 * sizeof(int) + 2 * sizeof(double) + sizeof(RestState) +
                              sizeof(bool) + 3 * sizeof(MicrostepBody) + sizeof(PredictedMotion)) +
                    points * (2 * sizeof(ContactPoint) + sizeof(MicrostepPoint) + sizeof(int32_t) +
                              sizeof(WarmPoint));
    size_t ledger = (size_t)r.log * (sizeof(impContact) + 2 * sizeof(impVelocityChange)) +
                    bodies * (sizeof(Ledger) + sizeof(impVec3)) + sizeof(Ledger);
    size_t queue = collide_broad_size(m->body_count, r.pairs) +
                   pairs * (sizeof(Pair) + sizeof(NarrowCache) + sizeof(WarmPair) +
                            sizeof(QueueEntry) + 2 * sizeof(int32_t));
    queue += pairs * ((size_t)impulse_start_feature_count(m, r.pairs) * sizeof(StartFeature) +
                      (size_t)impulse_axis_count(m, r.pairs) * sizeof(SeparatingAxis));
    return 8192 + solve_microstep_workspace_size(r.hop) +
           bodies * (sizeof(Actor) + sizeof(Tumble)) + (size_t)m->shape_count * sizeof(Extent) +
           queue + island + sizeof(NarrowPhase) + ledger;
}

bool impulse_stop(Loop *l, impVerdict verdict, const char *format, ...) {
    if (l->stop) return false;
    va_list args;
    va_start(args, format);
    print_list(l->text, SENTENCE, format, args);
    va_end(args);
    l->stop = true;
    l->end.verdict = verdict;
    l->end.text = l->text;
    return false;
}

// --- beginning -----------------------------------------------------------------------------------
static bool take_room(Loop *l, Arena *arena) {
    const impModel *m = l->m;
    int n = m->body_count;
    int points = l->room.touches;
    l->actor = TAKE(arena, Actor, n);
    l->tumble = TAKE(arena, Tumble, n);
    l->extent = TAKE(arena, Extent, m->shape_count);
    char *broad = TAKE(arena, char, collide_broad_size(n, l->room.pairs) + 64);
    l->pair = TAKE(arena, Pair, l->room.pairs);
    l->heap = TAKE(arena, QueueEntry, l->room.pairs);
    l->start_features = impulse_start_feature_count(m, l->room.pairs);
    l->start_feature = TAKE(arena, StartFeature, l->room.pairs * l->start_features);
    l->axis_count = impulse_axis_count(m, l->room.pairs);
    l->axis_cache = TAKE(arena, SeparatingAxis, l->room.pairs * l->axis_count);
    l->seen = TAKE(arena, NarrowCache, l->room.pairs);
    l->loads = TAKE(arena, WarmPair, l->room.pairs);
    l->load = TAKE(arena, WarmPoint, points);
    l->partners = TAKE(arena, int32_t, l->room.pairs);
    l->place = TAKE(arena, int32_t, l->room.pairs);
    l->island.member = TAKE(arena, int, n);
    l->island.island_index = TAKE(arena, int, n);
    l->island.moved = TAKE(arena, int, n);
    l->island.mark = TAKE(arena, int, n);
    l->island.group = TAKE(arena, int, n);
    l->island.link = TAKE(arena, int, 2 * n);
    l->island.sleep_counter = TAKE(arena, RestState, n);
    l->island.stands = TAKE(arena, bool, n);
    l->island.body = TAKE(arena, MicrostepBody, n);
    l->island.before = TAKE(arena, MicrostepBody, n);
    double *solver = TAKE(arena, double,
                          solve_microstep_workspace_size(l->room.hop) / sizeof(double) + 1);
    l->island.predicted = TAKE(arena, PredictedMotion, n);
    l->island.last = TAKE(arena, MicrostepBody, n);
    l->woken = TAKE(arena, int, n);
    l->waits_until = TAKE(arena, double, n);
    l->lands_at = TAKE(arena, double, n);
    l->island.contact_point = TAKE(arena, ContactPoint, points);
    l->island.slot = TAKE(arena, int32_t, points);
    l->island.point = TAKE(arena, MicrostepPoint, points);
    l->contact_point = TAKE(arena, ContactPoint, points);
    l->narrow_phase = TAKE(arena, NarrowPhase, 1);
    l->log = TAKE(arena, impContact, l->room.log);
    l->velocity_change = TAKE(arena, impVelocityChange, 2 * l->room.log);
    l->logged_rate = TAKE(arena, impVec3, m->sizes.nfree);
    l->ledger = TAKE(arena, Ledger, m->sizes.nfree + 1);
    l->text = TAKE(arena, char, SENTENCE);
    if (*arena->full) return false;
    l->island.room = solve_microstep_workspace(solver, l->room.hop);
    broad += (64 - (uintptr_t)broad % 64) % 64;
    l->broad = collide_broad_init(broad, n, l->room.pairs);
    return true;
}

// Sets the flight that the state is on: from its anchor if that leads here bit for bit. False: it
// is on another.
static bool same_flight(const impModel *m, Actor *a, const double *anchor) {
    Flying start = motion_get(anchor + 1, anchor + 8);
    Flying check;
    motion_set_flight(&a->flight, a->tumble, a->body, m->gravity, anchor[0], &start);
    motion_fly_to(&a->flight, a->tumble, a->t, &check);
    return memcmp(&check, &a->now, sizeof check) == 0;
}

// Ten calm events, standing still, and where it fell asleep: the anchor says where.
bool impulse_asleep(const impModel *m, const Actor *a, const double *data) {
    if (!a->free) return false;
    const double *anchor = data + m->layout.anchor + ANCHOR * a->body->free;
    Flying start = motion_get(anchor + 1, anchor + 8);
    return data[m->layout.sleep_counter + a->body->free] >= SLEEP_COUNT && zero3(a->v) &&
           zero3(a->w) && !memcmp(&start, &a->now, sizeof start);
}

static bool pushed(const double *input, const Body *b) {
    for (int i = 0; input && i < 6; i++) {
        if (input[b->v + i] != 0) return true;
    }
    return false;
}

static void wake_all(Loop *l) {
    for (int i = 0; i < l->m->sizes.nfree; i++) {
        Actor *a = &l->actor[l->m->free_body[i]];
        if (a->asleep) {
            contact_launch(a, a->v, a->w);
        }
        l->sleep_counter[i] = 0;
    }
}

static void take_places(Loop *l, const double *next, const double *input) {
    const impModel *m = l->m;
    // someone moved or pushed a sleeper
    bool disturbed = false;
    for (int i = 0; i < m->body_count; i++) {
        Actor *a = &l->actor[i];
        if (i + AHEAD < m->body_count) {
            impulse_prefetch_body(l, i + AHEAD);
        }
        contact_set_actor(a, m, i, next);
        a->tumble = &l->tumble[i];
        if (!a->free) continue;
        const double *anchor = next + m->layout.anchor + ANCHOR * a->body->free;
        const double sleep_counter = l->sleep_counter[a->body->free];
        a->asleep = impulse_asleep(m, a, next);
        if (a->asleep) {
            a->flight.t0 = anchor[0];
        }
        if (!a->asleep && !same_flight(m, a, anchor)) {
            contact_launch(a, a->v, a->w);
        }
        disturbed = disturbed || (!a->asleep && sleep_counter >= SLEEP_COUNT) ||
                    (a->asleep && pushed(input, a->body));
    }
    if (disturbed) {
        wake_all(l);
    }
    // shapes that are shared were an earlier body's
    for (int i = 0, done = 0; i < m->body_count; i++) {
        for (; done < m->body[i].first_shape + m->body[i].shape_count; done++) {
            l->extent[done] = collide_extent(m, i, done);
        }
    }
}

// The force of a step pulls all the time, as gravity does: flights, hops and bounds know of it. Of
// its torque half is a kick now, half one at the end; what these did to the energy is in the books.
static void pull_all(Loop *l, const double *input) {
    for (int i = 0; input && i < l->m->sizes.nfree; i++) {
        Actor *a = &l->actor[l->m->free_body[i]];
        const double *f = input + a->body->v;
        if (!pushed(input, a->body)) continue;
        a->acceleration = madd(l->m->gravity, 1 / a->body->mass, vec(f[0], f[1], f[2]));
        contact_launch(a, a->v, a->w);
    }
}

static void kick(Loop *l, Actor *a, const double *input, double h) {
    const double *f = input + a->body->v;
    if (f[3] == 0 && f[4] == 0 && f[5] == 0) return;
    Flying now = motion_kick(a->body, a->now, vec(0, 0, 0), scale(0.5 * h, vec(f[3], f[4], f[5])));
    impulse_launch(l, a, now.v, now.w);
}

// Nothing is microscopic where nothing falls, and what does not quite bounce would collide for ever
// (inelastic collapse: McNamara & Young 1992). There it is a millionth of the fastest speed in the
// scene, seen from what stands, or else from their common centre.
#define MILLIONTH 1e-6
static double substitute_for_gravity(const Loop *l) {
    const impModel *m = l->m;
    double mass = 0, fastest = 0;
    impVec3 momentum = vec(0, 0, 0);
    bool stands = false;
    if (!zero3(m->gravity)) return 0;
    for (int i = 0; i < m->body_count; i++) {
        const Actor *a = &l->actor[i];
        if (!a->free) {
            stands = stands || a->body->shape_count > 0;
        } else {
            momentum = madd(momentum, a->body->mass, a->v);
            mass += a->body->mass;
        }
    }
    impVec3 common = stands || mass == 0 ? vec(0, 0, 0) : scale(1 / mass, momentum);
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &l->actor[m->free_body[i]];
        fastest = max2(fastest, norm(sub(a->v, common)) + a->body->bounding_radius * norm(a->w));
    }
    return MILLIONTH * MILLIONTH * fastest * fastest / (2 * l->band);
}

static Loop begin(const impModel *m, double *next, const double *input, double h, Arena *arena) {
    Loop l = { .m = m,
               .now = next[m->layout.time],
               .sleep_counter = next + m->layout.sleep_counter,
               .room = capacity_of(m) };
    l.band = m->run.contact_band;
    l.level = 0.5 * l.band;
    l.close = 1e-6 * l.band;
    l.prefetched = -1;
    l.last = l.now;
    l.impact_time = -HUGE_VAL;
    l.limit = method_no_limit;
    // so much of an impulse: impulse_certify
    l.limit.overlap = l.level;
    l.limit.pull = l.limit.cone = l.limit.order = 0;
    l.end = (Progress){ .verdict = IMP_SOLVED, .text = "", .gap = HUGE_VAL };
    if (!take_room(&l, arena)) {
        l.stop = true;
        l.end.verdict = IMP_FULL;
        return l;
    }
    memset(l.ledger, 0, sizeof *l.ledger * ((size_t)m->sizes.nfree + 1));
    for (int i = 0; i < m->body_count; i++) {
        l.island.island_index[i] = -1;
        l.waits_until[i] = l.lands_at[i] = -HUGE_VAL;
    }
    take_places(&l, next, input);
    pull_all(&l, input);
    for (int i = 0; i < m->sizes.nfree; i++) {
        Actor *a = &l.actor[m->free_body[i]];
        if (input) {
            kick(&l, a, input, h);
        }
        l.logged_rate[i] = a->w;
    }
    l.gravity_substitute = substitute_for_gravity(&l);
    return l;
}

// --- end -----------------------------------------------------------------------------------------
// whether it was stopped or not
static Progress progress_of(Loop *l) {
    l->end.iterations = l->query_count;
    l->end.events = l->collisions + l->hops;
    l->end.found = l->found;
    l->end.limit = l->limit;
    return l->end;
}

static Progress finish(Loop *l, double *next, const double *input, double h) {
    const impModel *m = l->m;
    double t = next[m->layout.time] + h;
    for (int i = 0; i < m->sizes.nfree; i++) {
        Actor *a = &l->actor[m->free_body[i]];
        if (i + AHEAD < m->sizes.nfree) {
            impulse_prefetch_body(l, m->free_body[i + AHEAD]);
        }
        contact_move(m, a, t);
        if (input) {
            kick(l, a, input, h);
        }
        double *anchor = next + m->layout.anchor + ANCHOR * i;
        motion_put(a->now, next + m->layout.q + a->body->q, next + m->layout.v + a->body->v);
        // asleep: since when
        anchor[0] = a->flight.t0;
        motion_put(a->asleep ? a->now : a->flight.start, anchor + 1, anchor + 8);
    }
    next[m->layout.time] = t;
    l->end.contacts = l->log;
    l->end.contact_count = l->logged;
    l->end.ledger = l->ledger;
    l->end.sleep_energy = l->sleep_energy;
    l->end.energy_gains = l->energy_gains;
    l->end.unconverged = l->unconverged;
    l->end.velocity_changes = l->velocity_change;
    l->end.velocity_change_count = l->rotated;
    return progress_of(l);
}

// --- the step ------------------------------------------------------------------------------------
// A sleeper is carried by what it lies on: the books say so, frame by frame.
static void carry_sleepers(Loop *l, double T) {
    for (int i = 0; i < l->m->sizes.nfree; i++) {
        const Actor *a = &l->actor[l->m->free_body[i]];
        if (a->asleep) {
            impulse_book(l, a->index, scale(-T * a->body->mass, l->m->gravity), vec(0, 0, 0), 0);
        }
    }
}

// Time never goes back, from one event to the next nor from one frame to the next.
static bool in_order(Loop *l, const Pair *p) {
    if (p->time >= l->last) {
        l->last = p->time;
        return true;
    }
    l->found.order = l->last - p->time;
    l->end.failed = "order";
    return impulse_stop(l, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: their event came %s s "
                        "before the last one (limit 0 s)",
                        l->m->body[p->i].name, l->m->body[p->j].name, show(l->found.order).text);
}

static bool run_frame(Loop *l, double from, double to) {
    Pair *p;
    l->queries_left = 1000000 + 10000 * (int64_t)l->m->sizes.nfree;
    // it began with a look at all
    l->last = max2(l->last, from);
    // impulse_queue.c
    if (!impulse_frame(l, from, to)) return false;
    carry_sleepers(l, to - from);
    while ((p = impulse_first(l)) != NULL) {
        if (l->queries_left-- <= 0)
            return impulse_stop(
                l, IMP_STALLED,
                "bodies '%s' and '%s': too many looks at pairs in one frame; time would "
                "stand still",
                l->m->body[p->i].name, l->m->body[p->j].name);
        if (!in_order(l, p)) return false;
        l->now = p->time;
        impulse_prefetch_next(l);
        // impulse_event.c
        if (!impulse_process_pair(l, p)) return false;
    }
    l->now = to;
    return true;
}

// No clock but the scene's own: scaled by a power of two, all happens in as many frames. What
// single bodies ask for is averaged, so that one that is tiny or fast among many does not sweep the
// boxes of all.
static double frame_of(const Loop *l) {
    const impModel *m = l->m;
    double mass = 0;
    double rate = 0;
    double g = norm(m->gravity);
    impVec3 momentum = vec(0, 0, 0);
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &l->actor[m->free_body[i]];
        momentum = madd(momentum, a->body->mass, a->v);
        mass += a->body->mass;
    }
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &l->actor[m->free_body[i]];
        double bounding_radius = a->body->bounding_radius;
        double speed = norm(madd(a->v, -1 / mass, momentum));
        if (a->body->shape_count > 0 && bounding_radius > 0) {
            rate += FALLS * sqrt(g / bounding_radius) + speed / (GOES * bounding_radius);
        }
    }
    return rate > 0 ? m->sizes.nfree / rate : HUGE_VAL;
}

Progress method_impulse_step(const impModel *m, double *next, const double *input, double h,
                             Arena scratch, ThreadPool *thread_pool) {
    double t = next[m->layout.time];
    (void)thread_pool;
    Loop l = begin(m, next, input, h, &scratch);
    double frame = l.stop ? HUGE_VAL : frame_of(&l);
    int frames = h > frame ? (int)min2(ceil(h / frame), MOST_FRAMES) : 1;
    for (int i = 0; i < frames && !l.stop; i++) {
        run_frame(&l, i ? t + h * i / frames : t,
                  i + 1 < frames ? t + h * (i + 1) / frames : t + h);
    }
    return l.stop ? progress_of(&l) : finish(&l, next, input, h);
}
