// impulse_event.c -- one event: the pair that is due first is queried, and gets a later time, an
// impact, or a micro-step.
//
// docs/theory/microcollisions.md, section 3.
//
//   1. A pair that was far apart and has moved little gets a later time without a query.
//   2. Query: both bodies are moved to the time, and the narrow phase finds the near pieces.
//   3. Contact points at the contact level are classified by their approach.
//   4. Later: the pair gets its next time of impact. Impact: impulse_impact.c, or, with others at
//      the same time, impulse_simultaneous.c. Micro-step: impulse_microstep.c.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Tolerances. The first five choose between queries and bounds on times of impact: speed.
// 1, of the rest of the interval: a bound that gives less time is not worth skipping the query
#define WORTH_SKIPPING 0.1
// 1, of the last distance: a bound that has lost more is replaced by a query
#define WORTH_KEEPING 0.5
// 1, of the rest of the interval: a shorter step to the next query asks for a finer bound
#define SHORT_STEP 1e-6
// 1, of the waiting time: a shorter wait is not worth another query
#define WORTH_WAITING 0.01
// 1, of the contact level: how low a point may sink while it waits for others.
// Test: tests/method/impulse_soak.c
#define WAITING_DEPTH 0.5
// 1, of the duration of a micro-step: a step to the next query that makes no progress, as for a
// body that was just let go of. Test: tests/method/impulse.c
#define NO_PROGRESS 1e-9
// 1: clocks round down, so that the rest of an interval is a little more than it seems
#define REST_ROUNDING  1e-9
#define CLOCK_ROUNDING (16 * DBL_EPSILON)

// --- how far ahead a query looks -----------------------------------------------------------------

static double rest_of_interval(const Clock *clock) {
    return (clock->interval_end - clock->now) * (1 + REST_ROUNDING) +
           CLOCK_ROUNDING * fabs(clock->interval_end);
}

// A body that made a micro-step is queried anew when it lands, with all that is near it: that is
// far enough, unless a query that sees farther serves for the next ones, too, through its cache.
static double time_ahead(const double *lands_at, const NarrowCache *last, const Clock *clock,
                         const Pair *pair) {
    double landing = max2(lands_at[pair->i], lands_at[pair->j]) - clock->now;
    double rest = rest_of_interval(clock);
    bool has_no_axes = pair->cached && last->axis_count == 0;
    return has_no_axes && landing > 0 ? min2(landing, rest) : rest;
}

// --- 1. later without a query --------------------------------------------------------------------

static void schedule_in(PairQueue *queue, const Clock *clock, Pair *pair, double step) {
    impulse_schedule(queue, clock, pair, collide_time_after(clock->now, step));
}

// The speeds of two bodies that were well apart, and have moved little since, say when they can be
// near. True: the pair is scheduled.
static bool is_still_apart(Pairs *pairs, const World *world, Pair *pair, double ahead) {
    const Settings *settings = &world->settings;
    const NarrowCache *cache = &pairs->cache.narrow[impulse_slot(&pairs->queue, pair)];
    const Actor *a = &world->flights.actor[pair->i];
    const Actor *b = &world->flights.actor[pair->j];
    if (!pair->cached || !(cache->distance > 2 * settings->band)) return false;
    impulse_move_pair(settings->model, world->flights.actor, pair, world->clock.now);
    double left = contact_cache_distance(cache, a, b) - settings->level;
    if (!(left > WORTH_KEEPING * cache->distance)) return false;
    double step = contact_time_to_approach(settings->model, a, b, world->flights.extent, left);
    if (!(step > WORTH_SKIPPING * ahead)) return false;
    schedule_in(&pairs->queue, &world->clock, pair, step);
    return true;
}

// --- 2. query ------------------------------------------------------------------------------------

// Runs the narrow phase and keeps its result for the next query.
static void query(Pairs *pairs, const World *world, Journal *journal, Pair *pair, double ahead) {
    const PairCache *cache = &pairs->cache;
    int32_t slot = impulse_slot(&pairs->queue, pair);
    impulse_narrow_phase(pairs, world, journal, pair, ahead);
    contact_cache_store(world->settings.model, pairs->query.narrow_phase,
                        cache->axis + slot * cache->axis_count, cache->axis_count,
                        &cache->narrow[slot]);
    pair->cached = true;
    journal->iterations++;
}

// Stops as two bodies overlap by more than is allowed, m. False, always.
static bool stop_overlap(Journal *journal, const NarrowPhase *query, double allowed) {
    const Body *body = journal->model->body;
    impVec3 at = query->list.nearest.c.on_a;
    double depth = -query->list.nearest.c.distance;
    journal->found.overlap = max2(journal->found.overlap, depth);
    journal->limit.overlap = allowed;
    journal->failed = "overlap";
    return journal_stop(journal, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: they overlap by %s m at "
                        "(%s, %s, %s) m (limit %s m)",
                        body[query->a->index].name, body[query->b->index].name, show(depth).text,
                        show(at.x).text, show(at.y).text, show(at.z).text, show(allowed).text);
}

// --- 4. later ------------------------------------------------------------------------------------

// Nothing approaches, and yet the next query would be now: a body that was just let go of.
static bool was_let_go(const ContactPoint *contact, const Event *event, double step) {
    for (int i = 0; i < event->count; i++) {
        if (impulse_is_arriving(&contact[i], event->near) && contact[i].micro.threshold > 0 &&
            step <= NO_PROGRESS * contact[i].micro.duration)
            return true;
    }
    return false;
}

// The least gap of rims that lie flat; HUGE_VAL: there is none.
static double lowest_flat_rim(const ContactPoint *contact, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        if (contact[i].on_flat_rim) {
            least = min2(least, contact[i].gap);
        }
    }
    return least;
}

// Time until rims that lie flat, by their contact points, or anything else come to the level; they
// may be a little lower between their points. lowest: m, the least gap of such rims.
static double time_of_flat_rims(const World *world, const PairQuery *query, const Event *event,
                                double lowest) {
    const Settings *settings = &world->settings;
    const impModel *m = settings->model;
    const Extent *extent = world->flights.extent;
    const Actor *a = &world->flights.actor[event->pair->i];
    const Actor *b = &world->flights.actor[event->pair->j];
    double rest = contact_time_bound_flat(m, query->narrow_phase, extent,
                                          settings->level - event->tolerance,
                                          lowest - CONTACT_RIM_SAG * settings->band, event->ahead);
    double nearer = contact_time_to_approach(m, a, b, extent, settings->band - settings->level);
    double points = contact_time_bound_points(m, a, b, extent, query->contact_point, event->count,
                                              settings->level);
    return min2(min2(rest, nearer), points);
}

// Time until something of the pair comes to the contact level, none of whose points at the level
// approaches. If a bound gives next to no time, the next one is asked for; each is safe by itself,
// so the longest is taken:
//
//   pieces, to the level              nothing is at the level before it gets there
//   pieces, to `tolerance` below the  pieces at the level already do not approach, and may come
//     lowest of them                  nearer by the tolerance of an event (2)
//   rims that lie flat, by points     a rim touches at its points first, to CONTACT_RIM_SAG; all
//                                     else is bounded by pieces or by its speed
static double time_to_level(const World *world, const PairQuery *query, const Event *event) {
    const Extent *extent = world->flights.extent;
    const impModel *m = world->settings.model;
    const double level = world->settings.level;
    const double ahead = event->ahead;
    NarrowPhase *near_pieces = query->narrow_phase;
    double step = contact_time_bound(m, near_pieces, extent, level, ahead);
    if (step >= SHORT_STEP * ahead || was_let_go(query->contact_point, event, step)) return step;

    double lowest = lowest_flat_rim(query->contact_point, event->count);
    bool flat = lowest < HUGE_VAL;
    double low = flat ? level : min2(level, near_pieces->list.nearest.c.distance);
    step = max2(step, contact_time_bound(m, near_pieces, extent, low - event->tolerance, ahead));
    if (step >= SHORT_STEP * ahead || !flat) return step;
    return max2(step, time_of_flat_rims(world, query, event, lowest));
}

// --- 4. impact -----------------------------------------------------------------------------------

// Counts how often this pair had an impact at this very time before.
static void count_round(ImpactRounds *rounds, Pair *pair, double now, int contact_count) {
    if (rounds->time != now) {
        rounds->instant++;
        rounds->first_contact = contact_count;
    }
    rounds->time = now;
    pair->rounds = pair->instant == rounds->instant ? pair->rounds + 1 : 0;
    pair->instant = rounds->instant;
    rounds->count = pair->rounds;
}

// An impact of the fastest contact point, alone or with all that happen within the time that the
// event's tolerance stands for.
static bool resolve_impact(Loop *loop, const Event *event) {
    const World *world = &loop->world;
    const Clock *clock = &world->clock;
    Pairs *pairs = &loop->pairs;
    Journal *journal = &loop->journal;
    Pair *pair = event->pair;
    ContactPoint fastest = impulse_fastest(&world->flights, pairs->query.contact_point,
                                           event->count, event->near, impulse_is_due);
    impulse_prefetch_impact(&world->flights, &pairs->queue, journal, pair);
    // due again, in case that a sleeper must be woken first
    impulse_schedule(&pairs->queue, clock, pair, clock->now);
    count_round(&pairs->rounds, pair, clock->now, journal->contact_count);
    if (!impulse_check_rounds(&pairs->rounds, journal)) return false;
    int count = impulse_find_simultaneous(loop, pair, &fastest, event->tolerance / -fastest.u.z);
    if (count < 0 || journal->stopped) return false;
    if (count == 0) return true;
    return count == 1 ? impulse_impact(loop, &fastest) : impulse_impact_simultaneous(loop);
}

// --- 4. micro-step -------------------------------------------------------------------------------

// Where many bodies touch one another and made a micro-step a moment ago, a point may sink a little
// below the level while it waits for others (docs/theory/microcollisions.md, section 10). True: the
// pair is scheduled.
static bool can_wait(Pairs *pairs, const World *world, const Event *event) {
    Pair *pair = event->pair;
    const double *waits_until = world->flights.waits_until;
    NarrowPhase *query = pairs->query.narrow_phase;
    double left = max2(waits_until[pair->i], waits_until[pair->j]) - world->clock.now;
    double low = WAITING_DEPTH * world->settings.level;
    if (!(left > 0) || !(query->list.nearest.c.distance > low + event->tolerance)) return false;
    double bound = contact_time_bound(world->settings.model, query, world->flights.extent, low,
                                      event->ahead);
    double step = min2(bound, left);
    if (!(step > WORTH_WAITING * left)) return false;
    schedule_in(&pairs->queue, &world->clock, pair, step);
    return true;
}

// How long ago (s) these contact points of a pair last left (12): since the later start of the two
// flights; 0 if the gap of one of them, extrapolated back to then, was outside the band.
static double age_of(const World *world, const ContactPoint *contact, const Event *event) {
    double age = world->clock.now - impulse_flight_start(world->flights.actor, contact);
    for (int i = 0; i < event->count; i++) {
        if (!impulse_is_arriving(&contact[i], event->near)) continue;
        double gap = contact[i].gap - contact[i].u.z * age - 0.5 * contact[i].micro.g_n * age * age;
        if (gap > world->settings.band) return 0;
    }
    return age;
}

// A microcollision by the rule that the model asks for.
static bool resolve_microcollision(Loop *loop, Event *event) {
    World *world = &loop->world;
    const ContactPoint *contact = loop->pairs.query.contact_point;
    if (world->settings.model->run.micro == IMP_REVERSAL) {
        ContactPoint fastest = impulse_fastest(&world->flights, contact, event->count, event->near,
                                               impulse_is_arriving);
        return impulse_reversal(world, &loop->pairs, &loop->journal, &fastest);
    }
    event->age = age_of(world, contact, event);
    return impulse_microstep(loop, event);
}

// --- the event -----------------------------------------------------------------------------------

// The event of a pair after its query, whose contact points are not known yet.
static Event event_of(const World *world, const PairQuery *query, Pair *pair, double ahead) {
    double tolerance = impulse_event_tolerance(&world->settings, query, world->clock.now);
    return (Event){ .pair = pair,
                    .ahead = ahead,
                    .distance = query->narrow_phase->list.nearest.c.distance,
                    .tolerance = tolerance,
                    .near = impulse_near(&world->settings, tolerance) };
}

// Something of the two bodies is at the contact level, to the tolerance to which bounds on times of
// impact bring them there.
static bool is_at_level(const Settings *settings, const Event *event) {
    return event->distance <= settings->level + event->tolerance;
}

void impulse_start_pair(Pairs *pairs, const World *world, Journal *journal, Pair *pair) {
    double ahead = rest_of_interval(&world->clock);
    if (is_still_apart(pairs, world, pair, ahead)) return;
    query(pairs, world, journal, pair, ahead);
    Event event = event_of(world, &pairs->query, pair, ahead);
    if (is_at_level(&world->settings, &event)) {
        // a contact at the level is processed in the order of events
        impulse_schedule(&pairs->queue, &world->clock, pair, world->clock.now);
    } else {
        schedule_in(&pairs->queue, &world->clock, pair,
                    time_to_level(world, &pairs->query, &event));
    }
}

// Compares the distance with what is allowed, and keeps the worst fall below the level. False:
// stopped.
static bool certify_distance(Journal *journal, const Settings *settings, const PairQuery *query,
                             const Event *event) {
    const double deepest_overlap = settings->level + event->tolerance;
    if (event->distance < -deepest_overlap)
        return stop_overlap(journal, query->narrow_phase, deepest_overlap);
    journal->found.level_violation = max2(journal->found.level_violation,
                                          settings->level - event->distance - 2 * event->tolerance);
    return true;
}

// All contact points of the pair within the band, if something of it is at the level; else none.
// False: stopped, there are too many.
static bool find_contact_points(PairQuery *query, const World *world, Journal *journal,
                                Event *event) {
    const Settings *settings = &world->settings;
    if (is_at_level(settings, event)) {
        event->count = impulse_contact_points(settings, world->flights.actor, query,
                                              query->contact_point, settings->capacity.points);
    }
    return event->count >= 0 || impulse_stop_point_capacity(settings, journal, event->pair);
}

// Each path takes the pair from the head of the heap in the end. 1. and 4. later give it a later
// time. An impact or a micro-step launches a body, and all pairs of that body, this one too, are
// due now; the next query of the pair finds its points leaving, and gives it a later time.
bool impulse_process_pair(Loop *loop, Pair *pair) {
    World *world = &loop->world;
    Pairs *pairs = &loop->pairs;
    Journal *journal = &loop->journal;
    const ContactPoint *contact = pairs->query.contact_point;
    const Actor *actor = world->flights.actor;

    // 1. later without a query
    const NarrowCache *last = &pairs->cache.narrow[impulse_slot(&pairs->queue, pair)];
    double ahead = time_ahead(world->flights.lands_at, last, &world->clock, pair);
    if (is_still_apart(pairs, world, pair, ahead)) return true;

    // 2. query
    query(pairs, world, journal, pair, ahead);
    Event event = event_of(world, &pairs->query, pair, ahead);
    if (!certify_distance(journal, &world->settings, &pairs->query, &event)) return false;

    // 3. contact points
    if (!find_contact_points(&pairs->query, world, journal, &event)) return false;
    EventKind kind = impulse_classify(contact, event.count, event.near);

    // 4. later
    if (kind == EVENT_LATER) {
        double step = time_to_level(world, &pairs->query, &event);
        if (!was_let_go(contact, &event, step)) {
            schedule_in(&pairs->queue, &world->clock, pair, step);
            return true;
        }
        kind = EVENT_MICROSTEP;
    }

    // a sleeper wakes, and the pair is queried again, before its other contacts are queried; both
    // bodies are awake then, so this happens once
    if (actor[pair->i].asleep || actor[pair->j].asleep)
        return impulse_wake_both(world, pairs, journal, pair->i, pair->j) &&
               impulse_process_pair(loop, pair);

    // 4. micro-step or impact
    if (kind == EVENT_IMPACT) return resolve_impact(loop, &event);
    return can_wait(pairs, world, &event) || resolve_microcollision(loop, &event);
}
