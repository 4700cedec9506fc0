// meet.c -- the middle of what two flat patches share: where a face rests on a face.
//
// Seen along the normal the patches are plane convex sets: points, segments, discs, polygons.
// Bodies that touch along a whole region touch "in its middle" (docs/theory/collision-detection.md,
// section 4): the centre of its area, of its length, or the point itself. Areas are summed along
// the border by Green's theorem, each edge cut to the other set, so that nothing is stored. Where
// the sets do not meet (the direction was no true normal, or rounding), the answer is a point of
// each, near one another.
//
// `grain` is the length that counts as nothing; it scales with the shapes, so no unit enters.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

typedef struct View {
    impVec3 x, y, n;
    double grain;
} View;  // right-handed
typedef struct Span {
    double lo, hi;
} Span;  // of a segment, 0 to 1; empty: lo > hi
typedef struct Sum {
    double area, length;
    Vec2 moment, along, base;
} Sum;  // area: twice. About base: the first point

static double clamp(double t, double lo, double hi) { return t < lo ? lo : t > hi ? hi : t; }
static Vec2 between(Vec2 a, Vec2 b, double t) { return madd2(a, t, sub2(b, a)); }

static View farthest_vertices(impVec3 n, double grain) {
    impVec3 x = perpendicular(n);
    return (View){ x, cross(n, x), n, grain };
}
static Vec2 seen(const View *v, impVec3 a) { return vec2(dot(v->x, a), dot(v->y, a)); }

// Corner k of a polygon, counted so that the loop runs counter-clockwise in the view.
static Vec2 corner2(const View *v, const Patch *p, int k) {
    int count = p->face->count;
    k %= count;
    return seen(v, convex_corner(p, dot(p->normal, v->n) < 0 ? count - 1 - k : k));
}

// --- nearest points and parts inside -------------------------------------------------------------
static Vec2 nearest_on_line(Vec2 a, Vec2 b, Vec2 x) {
    Vec2 d = sub2(b, a);
    double dd = dot2(d, d);
    return dd > 0 ? madd2(a, clamp(dot2(sub2(x, a), d) / dd, 0, 1), d) : a;
}

// how far x is to the right of the line from a to b
static double outside(Vec2 a, Vec2 b, Vec2 x) {
    Vec2 d = sub2(b, a);
    double length = norm2(d);
    return length > 0 ? -cross2(d, sub2(x, a)) / length : -HUGE_VAL;
}

static Vec2 nearest_in_polygon(const View *v, const Patch *p, Vec2 x) {
    Vec2 best = x;
    double least = HUGE_VAL;
    bool inside = true;
    for (int k = 0; k < p->face->count; k++) {
        Vec2 a = corner2(v, p, k);
        Vec2 b = corner2(v, p, k + 1);
        Vec2 foot = nearest_on_line(a, b, x);
        if (outside(a, b, x) > 0) {
            inside = false;
        }
        if (norm2(sub2(foot, x)) < least) {
            least = norm2(sub2(foot, x));
            best = foot;
        }
    }
    return inside ? x : best;
}

static Vec2 nearest_in(const View *v, const Patch *p, Vec2 x) {
    Vec2 at = seen(v, p->at[0]);
    Vec2 arm = sub2(x, at);
    switch (p->kind) {
    case PATCH_POINT: return at;
    case PATCH_SEGMENT: return nearest_on_line(at, seen(v, p->at[1]), x);
    case PATCH_DISC: return norm2(arm) > p->radius ? madd2(at, p->radius / norm2(arm), arm) : x;
    default: return nearest_in_polygon(v, p, x);
    }
}

// The point of the segment from a to b that is nearest to p, which it does not meet: one of the two
// has a corner there.
static Vec2 nearest_to(const View *v, const Patch *p, Vec2 a, Vec2 b) {
    Vec2 ends[2] = { a, b };
    Vec2 best = a;
    double least = HUGE_VAL;
    int corners = p->kind == PATCH_POLYGON ? p->face->count : p->kind == PATCH_SEGMENT ? 2 : 1;
    for (int k = 0; k < corners + 2; k++) {
        Vec2 x, y;
        if (k < 2) {
            x = ends[k];
            y = nearest_in(v, p, x);
        } else {
            y = p->kind == PATCH_POLYGON ? corner2(v, p, k - 2) : seen(v, p->at[k - 2]);
            x = nearest_on_line(a, b, y);
        }
        double d = norm2(sub2(x, y)) - (p->kind == PATCH_DISC && k == 2 ? p->radius : 0);
        if (d < least) {
            least = d;
            best = x;
        }
    }
    return best;
}

// the part where the line from s0 to s1 is <= 0
static void keep_below(Span *s, double s0, double s1) {
    if (s0 > 0 && s1 > 0) {
        *s = (Span){ 1, 0 };
    } else if (s0 > 0) {
        s->lo = max2(s->lo, s0 / (s0 - s1));
    } else if (s1 > 0) {
        s->hi = min2(s->hi, s0 / (s0 - s1));
    }
}

// An edge of the polygon that lies on the line of the segment decides nothing (rule 0), or lets it
// pass only if it runs the same way (1), or never (-1): so that a border which both sets share is
// counted once.
static Span part_in_polygon(const View *v, const Patch *p, Vec2 a, Vec2 b, int rule) {
    Span s = { 0, 1 };
    for (int k = 0; k < p->face->count && s.lo <= s.hi; k++) {
        Vec2 c = corner2(v, p, k);
        Vec2 d = corner2(v, p, k + 1);
        double s0 = outside(c, d, a);
        double s1 = outside(c, d, b);
        bool same = fabs(s0) <= v->grain && fabs(s1) <= v->grain;
        if (!same) {
            keep_below(&s, s0, s1);
        } else if (rule < 0 || (rule > 0 && dot2(sub2(d, c), sub2(b, a)) < 0))
            return (Span){ 1, 0 };
    }
    return s;
}

static Span part_in_disc(Vec2 center, double r, Vec2 a, Vec2 b) {
    Vec2 d = sub2(b, a);
    Vec2 arm = sub2(a, center);
    double dd = dot2(d, d);
    double h = dot2(arm, d);
    double away = cross2(d, arm);
    double root = r * r * dd - away * away;
    if (!(dd > 0) || root < 0) return (Span){ 1, 0 };
    return (Span){ max2(0, (-h - sqrt(root)) / dd), min2(1, (-h + sqrt(root)) / dd) };
}

// Within grain of the other segment: for crossing ones that is about their crossing, for parallel
// ones all they share.
static Span part_along(const View *v, Vec2 c, Vec2 d, Vec2 a, Vec2 b) {
    Vec2 e = sub2(d, c);
    double length = norm2(e);
    double s0 = outside(c, d, a);
    double s1 = outside(c, d, b);
    Span s = { 0, 1 };
    if (!(length > 0)) return (Span){ 1, 0 };
    double t0 = dot2(sub2(a, c), e) / length;
    double t1 = dot2(sub2(b, c), e) / length;
    keep_below(&s, s0 - v->grain, s1 - v->grain);
    keep_below(&s, -s0 - v->grain, -s1 - v->grain);
    keep_below(&s, -t0, -t1);
    keep_below(&s, t0 - length, t1 - length);
    return s;
}

// --- sums along a border -------------------------------------------------------------------------
static void add_line(Sum *s, Vec2 a, Vec2 b) {
    if (s->length == 0 && s->area == 0) {
        s->base = a;
    }
    a = sub2(a, s->base);
    b = sub2(b, s->base);
    double twice = cross2(a, b);
    double length = norm2(sub2(b, a));
    s->area += twice;
    s->length += length;
    s->moment = madd2(s->moment, twice, madd2(a, 1, b));
    s->along = madd2(s->along, 0.5 * length, madd2(a, 1, b));
}

// area: twice
static void add_part(Sum *s, double area, Vec2 center) {
    s->area += area;
    s->moment = madd2(s->moment, 3 * area, sub2(center, s->base));
}

// An arc, counter-clockwise from a to b: the chord, and what lies between them. A short arc is a
// parabola, for the exact formulas would be differences of nearly equal numbers.
static void add_arc(Sum *s, Vec2 center, double r, Vec2 a, Vec2 b) {
    Vec2 p = sub2(a, center);
    Vec2 q = sub2(b, center);
    Vec2 out = madd2(p, 1, q);
    double angle = num_atan2(cross2(p, q), dot2(p, q));
    double rotation = angle < 0 ? angle + TAU : angle;
    double chord = norm2(sub2(b, a));
    add_line(s, a, b);
    if (rotation < 0.01) {
        double height = chord * chord / (8 * r);
        add_part(s, 4.0 / 3 * chord * height,
                 madd2(between(a, b, 0.5), 0.4 * height / norm2(out), out));
        return;
    }
    // about the centre
    Vec2 moment = madd2(vec2(2 * r * r * (q.y - p.y), 2 * r * r * (p.x - q.x)), -cross2(p, q), out);
    add_part(s, r * r * rotation - cross2(p, q), center);
    s->moment = madd2(s->moment, 1, moment);
}

static void add_polygon_in_polygon(const View *v, Sum *s, const Patch *p, const Patch *q,
                                   int rule) {
    for (int k = 0; k < p->face->count; k++) {
        Vec2 a = corner2(v, p, k);
        Vec2 b = corner2(v, p, k + 1);
        Span in = part_in_polygon(v, q, a, b, rule);
        if (in.lo < in.hi) {
            add_line(s, between(a, b, in.lo), between(a, b, in.hi));
        }
    }
}

// The centre of the area; of a sliver, whose area is rounding, of its border. False: there is none.
static bool center_of(const Sum *s, double grain, Vec2 *out) {
    bool area = s->area > 0x1p-14 * s->length * s->length;
    if (area) {
        *out = madd2(s->base, 1 / (3 * s->area), s->moment);
    } else if (s->length > grain) {
        *out = madd2(s->base, 1 / s->length, s->along);
    }
    return area || s->length > grain;
}

// The border of a disc within a polygon runs from where an edge leaves the disc to where the next
// one enters it.
static Vec2 disc_over_polygon(const View *v, const Patch *disc, const Patch *p) {
    Vec2 center = seen(v, disc->at[0]);
    Vec2 first = { 0 };
    Vec2 left = { 0 };
    Sum s = { 0 };
    bool entered = false;
    bool out_now = false;
    for (int k = 0; k < p->face->count; k++) {
        Vec2 a = corner2(v, p, k);
        Vec2 b = corner2(v, p, k + 1);
        Span in = part_in_disc(center, disc->radius, a, b);
        if (!(in.lo < in.hi)) continue;
        Vec2 from = between(a, b, in.lo);
        Vec2 to = between(a, b, in.hi);
        add_line(&s, from, to);
        if (in.lo > 0 && out_now) {
            add_arc(&s, center, disc->radius, left, from);
        }
        if (in.lo > 0 && !entered && !out_now) {
            first = from;
            entered = true;
        }
        out_now = in.hi < 1;
        left = to;
    }
    if (out_now && entered) {
        add_arc(&s, center, disc->radius, left, first);
    }
    // An arc of no length, at a corner on the rim, may look like the whole circle. More than half
    // of the circle is within only if its centre is, and more than all of it never. the answer
    // where no edge comes near
    Vec2 out = nearest_in_polygon(v, p, center);
    double all = TAU * disc->radius * disc->radius;
    double away = norm2(sub2(out, center));
    if (s.area > (away > 0 ? 0.5 * all : all * (1 + 1e-9))) {
        add_part(&s, -all, center);
    }
    center_of(&s, v->grain, &out);
    return out;
}

static Vec2 discs(const View *v, const Patch *p, const Patch *q) {
    Vec2 a = seen(v, p->at[0]);
    Vec2 b = seen(v, q->at[0]);
    Vec2 d = sub2(b, a);
    double way = norm2(d);
    double lo = max2(-p->radius, way - q->radius);
    double hi = min2(p->radius, way + q->radius);
    return way > 0 ? madd2(a, 0.5 * (lo + hi) / way, d) : a;
}

static Vec2 polygons(const View *v, const Patch *p, const Patch *q) {
    Sum s = { 0 };
    Sum border = { 0 };
    Vec2 out;
    add_polygon_in_polygon(v, &s, p, q, 1);
    add_polygon_in_polygon(v, &s, q, p, -1);
    if (center_of(&s, v->grain, &out)) return out;
    // side by side
    add_polygon_in_polygon(v, &border, p, q, 0);
    if (center_of(&border, v->grain, &out)) return out;
    // corner to corner, or apart by rounding
    double least = HUGE_VAL;
    for (int k = 0; k < p->face->count; k++) {
        Vec2 x = nearest_to(v, q, corner2(v, p, k), corner2(v, p, k + 1));
        Vec2 y = nearest_in(v, q, x);
        if (norm2(sub2(x, y)) < least) {
            least = norm2(sub2(x, y));
            out = x;
        }
    }
    return out;
}

// --- all pairs -----------------------------------------------------------------------------------
static Vec2 segment_in(const View *v, const Patch *p, const Patch *q) {
    Vec2 a = seen(v, p->at[0]);
    Vec2 b = seen(v, p->at[1]);
    Vec2 c = seen(v, q->at[0]);
    Span s = q->kind == PATCH_DISC      ? part_in_disc(c, q->radius, a, b)
             : q->kind == PATCH_POLYGON ? part_in_polygon(v, q, a, b, 0)
                                        : part_along(v, c, seen(v, q->at[1]), a, b);
    if (s.lo <= s.hi) return between(a, b, 0.5 * (s.lo + s.hi));
    return nearest_to(v, q, a, b);
}

// A point of p in the middle of what p and q share; p is of no higher kind than q.
static Vec2 middle_of(const View *v, const Patch *p, const Patch *q) {
    if (p->kind == PATCH_POINT) return seen(v, p->at[0]);
    if (p->kind == PATCH_SEGMENT) return segment_in(v, p, q);
    if (q->kind == PATCH_DISC) return discs(v, p, q);
    if (p->kind == PATCH_POLYGON) return polygons(v, p, q);
    return disc_over_polygon(v, p, q);
}

// onto the patch, along n
static impVec3 lifted(const View *v, const Patch *p, Vec2 x) {
    impVec3 at = add(scale(x.x, v->x), scale(x.y, v->y));
    impVec3 a = p->at[0];
    impVec3 d = sub(p->at[1], a);
    if (p->kind == PATCH_POINT) return a;
    if (p->kind == PATCH_SEGMENT) {
        Vec2 flat = seen(v, d);
        double dd = dot2(flat, flat);
        return madd(a, dd > 0 ? clamp(dot2(sub2(x, seen(v, a)), flat) / dd, 0, 1) : 0, d);
    }
    return madd(at, dot(p->normal, sub(a, at)) / dot(p->normal, v->n), v->n);
}

void convex_common_point(const Patch *a, const Patch *b, impVec3 n, double grain, impVec3 *on_a,
                         impVec3 *on_b) {
    View v = farthest_vertices(n, grain);
    bool swap = a->kind > b->kind;
    const Patch *p = swap ? b : a;
    const Patch *q = swap ? a : b;
    Vec2 x = middle_of(&v, p, q);
    Vec2 y = x;
    // rounding, or they do not meet
    for (int i = 0; i < 4; i++) {
        x = nearest_in(&v, p, y);
        y = nearest_in(&v, q, x);
    }
    impVec3 on_p = lifted(&v, p, x);
    impVec3 on_q = lifted(&v, q, y);
    *on_a = swap ? on_q : on_p;
    *on_b = swap ? on_p : on_q;
}

impVec3 convex_middle(const Patch *p) {
    if (p->kind == PATCH_SEGMENT) return madd(p->at[0], 0.5, sub(p->at[1], p->at[0]));
    if (p->kind != PATCH_POLYGON) return p->at[0];
    View v = farthest_vertices(p->normal, 0);
    Sum s = { 0 };
    for (int k = 0; k < p->face->count; k++) {
        add_line(&s, corner2(&v, p, k), corner2(&v, p, k + 1));
    }
    Vec2 x = corner2(&v, p, 0);
    center_of(&s, 0, &x);
    return lifted(&v, p, x);
}
