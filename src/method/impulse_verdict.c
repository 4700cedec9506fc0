// impulse_verdict.c -- how a step ends early: the verdict, its sentence, and verdicts on bodies
// that touch and whose masses are too far apart.
//
// Impacts are resolved one after the other, and micro-steps by a solver that knows impulses to some
// 1e-12 of the largest. Where a light body is between a heavy one and something fixed, both need
// work that grows with the ratio of the masses (docs/theory/frictional-impact.md, section 12). How
// far that goes depends on restitution and on how the light body is held, so no ratio is refused by
// itself: the criterion is work without progress, rounds of impacts at one and the same time, or
// micro-steps that miss their tolerance again and again. Then the step ends, and the verdict names
// the two bodies whose masses are farthest apart.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Tolerances. Test: tests/method/impulse_mass_ratio.c.
enum {
    // impacts of a pair at one time, and half of all impacts at one time: half a second of work
    ROUNDS = 10000,
    // micro-steps of one step that missed their tolerance
    UNCONVERGED = 30,
    // records at the end of a full log that are asked for the reason; any log has room for more
    RECENT = 1000
};
// 1: durations of a micro-step in which RECENT impulses are no motion that comes to rest
#define RECENT_MICROSTEPS 10.0
// 1: ratio of masses that explains rounds of impacts
#define RATIO_OF_ROUNDS 100.0
// 1: ratio of masses that explains micro-steps
#define RATIO_OF_MICROSTEPS 1e6

// --- masses far apart ----------------------------------------------------------------------------

// Two free bodies that touch.
typedef struct UnlikePair {
    int heavy, light;
    double ratio;  // of their masses
} UnlikePair;

// Keeps the two bodies in *worst if they are free and their masses are farther apart.
static void compare_masses(const impModel *m, int a, int b, UnlikePair *worst) {
    const Body *p = &m->body[a];
    const Body *q = &m->body[b];
    if (p->role != IMP_DYNAMIC || q->role != IMP_DYNAMIC) return;
    bool first = p->mass >= q->mass;
    double ratio = first ? p->mass / q->mass : q->mass / p->mass;
    if (ratio > worst->ratio) {
        *worst = (UnlikePair){ first ? a : b, first ? b : a, ratio };
    }
}

// Of the contact log, from a record on.
static UnlikePair unlike_pair_of_log(const Journal *journal, int first) {
    UnlikePair worst = { -1, -1, 0 };
    for (int i = first; i < journal->contact_count; i++) {
        compare_masses(journal->model, journal->contact[i].a.i, journal->contact[i].b.i, &worst);
    }
    return worst;
}

static UnlikePair unlike_pair_of_island(const impModel *m, const Island *island) {
    UnlikePair worst = { -1, -1, 0 };
    for (int i = 0; i < island->point_count; i++) {
        compare_masses(m, island->contact_point[i].a, island->contact_point[i].b, &worst);
    }
    return worst;
}

static bool stop_unlike(Journal *journal, const UnlikePair *pair, impVerdict verdict,
                        const char *why) {
    const Body *heavy = &journal->model->body[pair->heavy];
    const Body *light = &journal->model->body[pair->light];
    return journal_stop(journal, verdict, "bodies '%s' (%s kg) and '%s' (%s kg), mass ratio %s: %s",
                        heavy->name, show(heavy->mass).text, light->name, show(light->mass).text,
                        show(pair->ratio).text, why);
}

bool impulse_check_rounds(const ImpactRounds *rounds, Journal *journal) {
    int at_this_time = journal->contact_count - rounds->first_contact;
    if (rounds->count < ROUNDS && at_this_time < 2 * ROUNDS) return true;
    UnlikePair pair = unlike_pair_of_log(journal, rounds->first_contact);
    if (pair.ratio < RATIO_OF_ROUNDS) return true;
    return stop_unlike(journal, &pair, IMP_STALLED,
                       "more than 10000 collisions of a pair at the same time");
}

bool impulse_check_unconverged(const Island *island, Journal *journal) {
    if (journal->unconverged < UNCONVERGED) return true;
    UnlikePair pair = unlike_pair_of_island(journal->model, island);
    if (pair.ratio < RATIO_OF_MICROSTEPS) return true;
    return stop_unlike(journal, &pair, IMP_STALLED,
                       "30 microcollisions of one step did not converge");
}

bool impulse_stop_energy_gain(const Island *island, Journal *journal, double gain) {
    UnlikePair pair = unlike_pair_of_island(journal->model, island);
    char why[80];
    print_text(why, sizeof why, "a microcollision would create %s J", show(gain).text);
    if (pair.ratio >= RATIO_OF_MICROSTEPS) return stop_unlike(journal, &pair, IMP_UNTRUE, why);
    return journal_stop(journal, IMP_UNTRUE, "body '%s': %s",
                        journal->model->body[island->member[0]].name, why);
}

// --- a full contact log --------------------------------------------------------------------------

// Bodies of impulses that come without end at one time.
typedef struct Wedge {
    int body, kinematic, against;
} Wedge;

// True if all recent records are of one body, at the time of record c, and one of those against it
// is kinematic: then no time step is possible. `against` is the other body that is hit hardest.
static bool find_wedge(const Journal *journal, const impContact *c, Wedge *wedge) {
    double hardest = -1;
    int body = journal->contact[journal->contact_count - 1].a.i;
    *wedge = (Wedge){ body, -1, -1 };
    for (int i = journal->contact_count - RECENT; i < journal->contact_count; i++) {
        const impContact *recent = &journal->contact[i];
        int other = recent->a.i == body ? recent->b.i : recent->b.i == body ? recent->a.i : -1;
        if (other < 0 || recent->time != c->time) return false;
        if (motion_is_moving(journal->model, other)) {
            wedge->kinematic = other;
        } else if (norm(recent->impulse) > hardest) {
            hardest = norm(recent->impulse);
            wedge->against = other;
        }
    }
    return wedge->kinematic >= 0 && wedge->against >= 0;
}

// The recent impulses came within some micro-steps' time, and masses far apart explain that.
static bool find_unlike_masses(const Journal *journal, const impContact *c, UnlikePair *pair) {
    const impModel *m = journal->model;
    int first = journal->contact_count - RECENT;
    double past = c->time - journal->contact[first].time;
    *pair = unlike_pair_of_log(journal, first);
    // duration sqrt(2 eps / g)
    bool recent = past * sqrt(norm(m->gravity)) < RECENT_MICROSTEPS * sqrt(2 * m->run.contact_band);
    return recent && pair->ratio >= RATIO_OF_MICROSTEPS;
}

// Stops as the log has no room for a record, if impulses without end are the reason. False, always.
static bool stop_full_log(Journal *journal, const impContact *record) {
    const Body *body = journal->model->body;
    Wedge wedge;
    UnlikePair pair;
    if (find_wedge(journal, record, &wedge))
        return journal_stop(journal, IMP_STALLED,
                            "body '%s' is wedged between kinematic body '%s' and '%s': no time "
                            "step is possible",
                            body[wedge.body].name, body[wedge.kinematic].name,
                            body[wedge.against].name);
    if (find_unlike_masses(journal, record, &pair))
        return stop_unlike(
            journal, &pair, IMP_STALLED,
            "1000 impulses in the time of 10 micro-steps, and a step has room for no more");
    return false;
}

bool impulse_log(Journal *journal, const impContact *record) {
    if (journal->contact_count >= journal->contact_capacity) {
        stop_full_log(journal, record);
    }
    return journal_log(journal, record);
}
