// iterated_memory.c -- arrays of a step of the method `iterated`, all taken at once from the arena,
// and the contact memory in the state.
//
// docs/theory/iterated.md, section 6. The contact memory is in the order of (a, b, feature), so
// that a contact is found by bisection and the state does not tell in which order nodes were
// processed.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

static IteratedCapacity capacity_of(const impModel *m) {
    int n = m->sizes.nfree;
    return (IteratedCapacity){ .pairs = 16 * n + 256,
                               .points = 64 * (n < 16 ? n : 16) + 24 * n + 256,
                               .smooth = 8 * n + 256,
                               .contacts = 48 * n + 4096,
                               .rows = m->sizes.ncontacts };
}

static void take_bodies(IteratedBodies *bodies, const impModel *m, Arena *arena) {
    bodies->actor = TAKE(arena, Actor, m->body_count);
    bodies->tumble = TAKE(arena, Tumble, m->body_count);
    bodies->start = TAKE(arena, impTwist, m->body_count);
    bodies->woken = TAKE(arena, int32_t, m->body_count);
    bodies->extent = TAKE(arena, Extent, m->shape_count);
    bodies->piece = TAKE(arena, SetPiece, m->body_count);
    bodies->motion = TAKE(arena, SetMotion, m->body_count);
    bodies->flight = TAKE(arena, IteratedFlight, m->body_count);
    bodies->kick = TAKE(arena, impTwist, m->body_count);
}

static void take_set(IteratedSet *set, int bodies, const IteratedCapacity *capacity, Arena *arena) {
    char *broad = TAKE(arena, char, collide_broad_size(bodies, capacity->pairs));
    set->pair = TAKE(arena, IteratedPair, capacity->pairs);
    set->event = TAKE(arena, double, capacity->pairs);
    set->is_left_out = TAKE(arena, bool, bodies);
    set->narrow_phase = TAKE(arena, NarrowPhase, 1);
    set->found = TAKE(arena, SetPoint, capacity->points);
    set->batch = TAKE(arena, SetPoint, SET_BOX_POINTS * ITERATED_BATCH);
    set->batch_count = TAKE(arena, int32_t, ITERATED_BATCH);
    set->smooth = TAKE(arena, ContactPoint, capacity->smooth);
    set->point = TAKE(arena, IteratedPoint, capacity->points);
    if (broad) {
        set->broad = collide_broad_init(broad, bodies, capacity->pairs);
    }
}

static void take_islands(IteratedIslands *islands, int bodies, int points, Arena *arena) {
    islands->first_body = TAKE(arena, int32_t, bodies + 1);
    islands->first_point = TAKE(arena, int32_t, bodies + 1);
    islands->body = TAKE(arena, int32_t, bodies);
    islands->point = TAKE(arena, int32_t, points);
    islands->index = TAKE(arena, int32_t, bodies);
    islands->root = TAKE(arena, int32_t, bodies);
    islands->number = TAKE(arena, int32_t, bodies);
    islands->residual = TAKE(arena, double, bodies);
}

static void take_local(IteratedLocal *local, const impModel *m, int points, Arena *arena) {
    local->body = TAKE(arena, int32_t, m->sizes.nfree);
    local->launched = TAKE(arena, int32_t, m->sizes.nfree);
    local->before = TAKE(arena, impTwist, m->sizes.nfree);
    local->reaches_on = TAKE(arena, bool, m->sizes.nfree);
    local->point = TAKE(arena, int32_t, points);
}

bool iterated_take_arrays(Iterated *it, const impModel *m, Arena *arena) {
    const IteratedCapacity capacity = capacity_of(m);
    it->settings.model = m;
    it->settings.capacity = capacity;
    take_bodies(&it->bodies, m, arena);
    take_set(&it->set, m->body_count, &capacity, arena);
    take_islands(&it->islands, m->body_count, capacity.points, arena);
    take_local(&it->local, m, capacity.points, arena);
    it->problem.body = TAKE(arena, ProblemBody, m->sizes.nfree);
    it->problem.contact = TAKE(arena, ContactRow, capacity.points);
    it->problem.bilateral = TAKE(arena, BilateralRow, 3 * m->plane_count);
    it->late_point = TAKE(arena, int32_t, capacity.points);
    it->row_point = TAKE(arena, int32_t, capacity.points);
    it->impact = TAKE(arena, IteratedImpact, capacity.points);
    it->tied = TAKE(arena, ContactPoint, ITERATED_TIED);
    it->use_count = TAKE(arena, int32_t, m->sizes.nfree);
    it->memory.contact = TAKE(arena, IteratedContact, capacity.rows);
    it->memory.order = TAKE(arena, int32_t, capacity.rows);
    it->memory.spare = TAKE(arena, int32_t, capacity.rows);
    journal_take(&it->journal, m, capacity.contacts, arena);
    it->arena = *arena;
    return !*arena->full;
}

size_t method_iterated_scratch(const impModel *m) {
    bool full = false;
    Arena arena = arena_counting(&full);
    Iterated it = { 0 };
    iterated_take_arrays(&it, m, &arena);
    size_t solver = m->run.shock_propagation > 0
                        ? solver_shock_scratch(m->sizes.nfree, it.settings.capacity.points)
                        : solver_scratch(m->sizes.nfree, it.settings.capacity.points,
                                         3 * m->plane_count);
    return arena.used + CACHE_LINE + solver;
}

// --- contact memory ------------------------------------------------------------------------------

static uint64_t feature_in(const ContactMemory *entry) {
    return (uint64_t)entry->feature_high << 32 | (uint64_t)entry->feature_low;
}

void iterated_remember(IteratedMemory *memory, const impModel *m, const double *state) {
    memory->last = (const ContactMemory *)(const void *)(state + m->layout.contacts);
    memory->last_count = (int)state[m->layout.contact_count];
    memory->count = 0;
}

// Order of (a, b, feature): below 0 if an entry comes before a contact.
static int compare(int a, int b, uint64_t feature, int a2, int b2, uint64_t feature2) {
    if (a != a2) return a < a2 ? -1 : 1;
    if (b != b2) return b < b2 ? -1 : 1;
    return feature < feature2 ? -1 : feature > feature2;
}

const ContactMemory *iterated_find(const IteratedMemory *memory, int a, int b, uint64_t feature) {
    int low = 0;
    int high = memory->last_count;
    while (low < high) {
        int middle = (low + high) / 2;
        const ContactMemory *entry = &memory->last[middle];
        int order = compare((int)entry->a, (int)entry->b, feature_in(entry), a, b, feature);
        if (order == 0) return entry;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool iterated_keep(Iterated *it, const IteratedContact *contact) {
    IteratedMemory *memory = &it->memory;
    if (memory->count == it->settings.capacity.rows)
        return journal_stop(&it->journal, IMP_FULL,
                            "more than %d contacts at once; run: contact_capacity sets how many "
                            "there can be",
                            it->settings.capacity.rows);
    memory->contact[memory->count++] = *contact;
    return true;
}

static bool comes_before(const void *context, int32_t i, int32_t j) {
    const IteratedContact *x = (const IteratedContact *)context + i;
    const IteratedContact *y = (const IteratedContact *)context + j;
    return compare(x->a, x->b, x->feature, y->a, y->b, y->feature) < 0;
}

void iterated_store(Iterated *it, double *state) {
    const impModel *m = it->settings.model;
    IteratedMemory *memory = &it->memory;
    ContactMemory *out = (ContactMemory *)(void *)(state + m->layout.contacts);
    for (int i = 0; i < memory->count; i++) {
        memory->order[i] = i;
    }
    sort_stable(memory->order, memory->spare, memory->count, comes_before, memory->contact);
    // of several nodes the impulses add up, and mode and slip are those of the last
    int stored = 0;
    for (int i = 0; i < memory->count; i++) {
        const IteratedContact *c = &memory->contact[memory->order[i]];
        bool same = i > 0 && !comes_before(memory->contact, memory->order[i - 1], memory->order[i]);
        ContactMemory *entry = same ? &out[stored - 1] : &out[stored++];
        impVec3 before = same ? entry->force : vec(0, 0, 0);
        *entry = (ContactMemory){ .a = c->a,
                                  .b = c->b,
                                  .feature_high = (double)(c->feature >> 32),
                                  .feature_low = (double)(c->feature & 0xffffffffu),
                                  .mode = c->mode,
                                  .force = madd(before, 1 / it->settings.h, c->impulse),
                                  .slip = c->slip };
    }
    state[m->layout.contact_count] = stored;
}
