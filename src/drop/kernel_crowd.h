// kernel_crowd.h -- the collisions of many groups of lanes at once (inside drop/; included by
// kernel.h).
//
// A collision is some series, none to a dozen of them, and lanes side by side would wait for the
// slowest: for 4 or 5 where the mean is 1.7. So collisions that need a series wait in a queue, and
// a lane that has done with one takes the next. What comes after the series takes the same work for
// all and is done in place.
//
// SPDX-License-Identifier: MIT

#if LANES > 1
// Blow up to phase; s, over, rx, ry of Course
enum { OF_BLOW = 19, OF_COURSE = 4, MICRO = OF_BLOW + OF_COURSE, WHOSE, NUMBERS };

typedef struct Queue {
    double list[NUMBERS][(GROUPS + 1) * LANES];
    int count;
} Queue;

IN_LANES void enqueue(Queue *q, Blow *b, const Course *c, M who, int group) {
    static const double lanes[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const V *of_impact = &b->axx;
    const V *of_course = &c->s;
    b->phase = pick(b->going, pick(b->back, each(2), each(1)), each(0));
    for (int i = 0; i < OF_BLOW; i++) {
        stow(q->list[i] + q->count, who, of_impact[i]);
    }
    for (int i = 0; i < OF_COURSE; i++) {
        stow(q->list[OF_BLOW + i] + q->count, who, of_course[i]);
    }
    stow(q->list[MICRO] + q->count, who, pick(b->micro, each(1), each(0)));
    stow(q->list[WHOSE] + q->count, who, (double)(group * LANES) + load(lanes));
    q->count += count_of(who);
}

// Lanes that are not busy take the next of the queue.
typedef struct Hands {
    Blow b;
    Course c;
    V whose;
    M busy;
} Hands;
IN_LANES int take_on(const DropTable *t, Hands *h, const Queue *q, int next) {
    V *of_impact = &h->b.axx;
    V *of_course = &h->c.s;
    M who = not_m(h->busy);
    for (int lane = LANES; lane-- > 0 && count_of(who) > q->count - next;) {
        who = put_m(who, lane, 0);
    }
    if (!some(who)) return next;
    for (int i = 0; i < OF_BLOW; i++) {
        of_impact[i] = deal(of_impact[i], who, q->list[i] + next);
    }
    for (int i = 0; i < OF_COURSE; i++) {
        of_course[i] = deal(of_course[i], who, q->list[OF_BLOW + i] + next);
    }
    h->whose = deal(h->whose, who, q->list[WHOSE] + next);
    h->b.micro = pick_m(who, below(each(0), deal(each(0), who, q->list[MICRO] + next)), h->b.micro);
    h->b.back = pick_m(who, below(each(1), h->b.phase), h->b.back);
    h->b.holds = hold_of(t, &h->b);
    h->busy = either(h->busy, who);
    h->b.going = h->c.bends = h->busy;
    return next + count_of(who);
}

// What a series changes, of those that need no more of them: in the order in which they came to
// that.
enum { X, Y, Z, P, STORE, PASSES, PHASE, PLACE, RETURNED };
typedef struct Pile {
    double list[RETURNED][(GROUPS + 1) * LANES];
    int count;
} Pile;

IN_LANES void put_on(Pile *pile, const Hands *h, M who) {
    int n = pile->count;
    stow(pile->list[X] + n, who, h->b.x);
    stow(pile->list[Y] + n, who, h->b.y);
    stow(pile->list[Z] + n, who, h->b.z);
    stow(pile->list[P] + n, who, h->b.p);
    stow(pile->list[STORE] + n, who, h->b.store);
    stow(pile->list[PASSES] + n, who, h->b.passes);
    stow(pile->list[PHASE] + n, who, pick(h->b.going, pick(h->b.back, each(2), each(1)), each(0)));
    stow(pile->list[PLACE] + n, who, h->whose);
    pile->count += count_of(who);
}

IN_LANES void give_back(const Pile *pile, Blow *b) {
    for (int i = 0; i < pile->count; i++) {
        int place = (int)pile->list[PLACE][i];
        int lane = place % LANES;
        Blow *to = &b[place / LANES];
        put(&to->x, lane, pile->list[X][i]);
        put(&to->y, lane, pile->list[Y][i]);
        put(&to->z, lane, pile->list[Z][i]);
        put(&to->p, lane, pile->list[P][i]);
        put(&to->store, lane, pile->list[STORE][i]);
        put(&to->passes, lane, pile->list[PASSES][i]);
        put(&to->phase, lane, pile->list[PHASE][i]);
    }
}

typedef struct Sharing {
    Queue queue;
    Pile pile;
} Sharing;

IN_LANES void slide_all(const DropTable *t, const Queue *q, Pile *pile, Blow *b) {
    Hands h;
    pile->count = 0;
    h.b = b[0];
    h.busy = no_lane();
    h.whose = each(0);
    h.c = course_of(t, &h.b);
    for (int next = take_on(t, &h, q, 0); some(h.busy); next = take_on(t, &h, q, next)) {
        slide(t, &h.b, &h.c);
        h.c = course_of(t, &h.b);
        M goes_on = unfinished(&h.b, h.c.bends);
        put_on(pile, &h, both(h.busy, not_m(goes_on)));
        h.busy = h.b.going = h.c.bends = goes_on;
    }
    give_back(pile, b);
}

IN_LANES void collide_all(const DropTable *t, Blow *b, int groups, Sharing *s) {
    for (bool more = true; more;) {
        s->queue.count = 0;
        more = false;
        for (int g = 0; g < groups; g++) {
            Course c = course_of(t, &b[g]);
            enqueue(&s->queue, &b[g], &c, unfinished(&b[g], c.bends), g);
        }
        slide_all(t, &s->queue, &s->pile, b);
        for (int g = 0; g < groups; g++) {
            b[g].going = below(each(0), b[g].phase);
            b[g].back = below(each(1), b[g].phase);
            if (!some(b[g].going)) continue;
            Course c = course_of(t, &b[g]);
            finish(t, &b[g], &c);
            more = more || some(unfinished(&b[g], b[g].going));
        }
    }
}
#else
typedef struct Sharing {
    int none;
} Sharing;
IN_LANES void collide_all(const DropTable *t, Blow *b, int groups, Sharing *s) {
    (void)s;
    for (int g = 0; g < groups; g++) {
        collide(t, &b[g]);
    }
}
#endif
