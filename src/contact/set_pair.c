// set_pair.c -- the contact points of two bodies for the contact set.
//
// Balls, boxes and planes have closed forms (set_box.c and below); all other shapes, and bodies of
// many pieces, are asked of the general narrow phase (narrow.c, point.c), whose corners over faces
// become points of the set and whose smooth points are kept as they are.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// bodies of more pieces have a tree over them, which the general narrow phase uses
enum { FEW_SHAPES = 16 };

static SetForm form_of(const Shape *shape) {
    if (!shape_kinds[shape->kind].bounded) return SET_FORM_PLANE;
    if (shape->core && shape->vertex_count == 1) return SET_FORM_BALL;
    return shape->core && shape->kind == SHAPE_BOX && shape->radius == 0 ? SET_FORM_BOX
                                                                         : SET_FORM_OTHER;
}

static bool has_closed_form(const impModel *m, const Actor *a) {
    if (a->body->shape_count > FEW_SHAPES) return false;
    for (int i = 0; i < a->body->shape_count; i++) {
        if (form_of(&m->shape[a->body->first_shape + i]) == SET_FORM_OTHER) return false;
    }
    return true;
}

// --- pieces in closed form -----------------------------------------------------------------------

static SetPiece piece_of(const impModel *m, const Actor *a, int i) {
    Placed p = contact_piece(m, a, i);
    const Shape *s = p.shape;
    SetPiece out = { .form = form_of(s), .box.at = p.pose.at };
    switch (out.form) {
    case SET_FORM_BALL:
        out.box.at = place(p.pose, p.g->vertex[s->first_vertex]);
        out.radius = out.bounding_radius = s->radius;
        break;
    case SET_FORM_BOX:
        out.box.axes = transpose(rotation(p.pose.rotation));
        for (int k = 0; k < 3; k++) {
            out.box.half[k] = 0.5 * s->size[k];
        }
        out.bounding_radius = norm(vec(out.box.half[0], out.box.half[1], out.box.half[2]));
        break;
    case SET_FORM_PLANE:
        out.normal = rotate(p.pose.rotation, vec(s->size[0], s->size[1], s->size[2]));
        out.offset = s->size[3] + dot(out.normal, p.pose.at);
        out.bounding_radius = HUGE_VAL;
        break;
    case SET_FORM_OTHER: break;
    }
    return out;
}

static int balls(const SetPiece *a, const SetPiece *b, double within, SetPoint *out) {
    impVec3 d = sub(a->box.at, b->box.at);
    double distance = norm(d);
    double gap = distance - a->radius - b->radius;
    if (!(gap <= within)) return 0;
    *out = (SetPoint){ .kind = SET_CENTRES,
                       .n = distance > 0 ? scale(1 / distance, d) : vec(0, 0, 1),
                       .gap = gap,
                       .core_a = a->box.at,
                       .core_b = b->box.at,
                       .radius_a = a->radius,
                       .radius_b = b->radius };
    return 1;
}

// A corner or centre over a plane.
static int over_plane(impVec3 at, double radius, int name, const SetPiece *plane, double within,
                      SetPoint *out) {
    double height = dot(plane->normal, at) - plane->offset;
    if (!(height - radius <= within)) return 0;
    *out = (SetPoint){ .kind = SET_CORNER_OF_A,
                       .feature = (uint64_t)name,
                       .n = plane->normal,
                       .gap = height - radius,
                       .core_a = at,
                       .core_b = madd(at, -height, plane->normal),
                       .radius_a = radius };
    return 1;
}

static int box_over_plane(const SetBox *box, const SetPiece *plane, double within, SetPoint *out) {
    int count = 0;
    for (int i = 0; i < SET_BOX_CORNERS; i++) {
        impVec3 at = contact_set_box_corner(box, i);
        count += over_plane(at, 0, i, plane, within, out + count);
    }
    return count;
}

// At most SET_BOX_POINTS points. a is no plane.
static int pieces(const SetPiece *a, const SetPiece *b, double within, SetPoint *out) {
    int count = 0;
    if (b->form == SET_FORM_PLANE)
        return a->form == SET_FORM_BALL ? over_plane(a->box.at, a->radius, 0, b, within, out)
                                        : box_over_plane(&a->box, b, within, out);
    double reach = a->bounding_radius + b->bounding_radius + within;
    impVec3 apart = sub(a->box.at, b->box.at);
    if (dot(apart, apart) > reach * reach) return 0;
    if (a->form == SET_FORM_BALL && b->form == SET_FORM_BALL) return balls(a, b, within, out);
    if (a->form == SET_FORM_BOX && b->form == SET_FORM_BOX)
        return contact_set_boxes(&a->box, &b->box, within, out);
    if (a->form == SET_FORM_BALL)
        return contact_set_ball_box(a->box.at, a->radius, &b->box, within, out);
    count = contact_set_ball_box(b->box.at, b->radius, &a->box, within, out);
    if (count > 0) {
        contact_set_swap(out);
    }
    return count;
}

SetPiece contact_set_piece(const impModel *m, const Actor *a) {
    SetPiece none = { .form = SET_FORM_OTHER };
    return a->body->shape_count == 1 ? piece_of(m, a, 0) : none;
}

// --- bodies --------------------------------------------------------------------------------------

// Names of several pieces of a body do not meet: those of the first are as they are.
static uint64_t name_of_piece(uint64_t name, int i, int j) {
    return name + (uint64_t)(i * 0x10001 + j) * 0x9e3779b97f4a7c15u;
}

// Fills in what all points of a pair have, and takes core points from the world to the bodies.
static void finish(const impModel *m, const Actor *a, const Actor *b, int i, int j, SetPoint *p) {
    const Shape *sa = &m->shape[a->body->first_shape + i];
    const Shape *sb = &m->shape[b->body->first_shape + j];
    p->a = a->index;
    p->b = b->index;
    p->smooth = -1;
    p->feature = name_of_piece(p->feature, i, j);
    p->law = &m->pair[sa->material * m->material_count + sb->material];
    p->core_a = sub(p->core_a, a->x);
    p->core_b = sub(p->core_b, b->x);
}

// Two bodies of one piece each.
static int one_piece_each(const impModel *m, const Actor *a, const Actor *b, const SetPiece *of_a,
                          const SetPiece *of_b, double within, SetPoint *out, int room) {
    if (room < SET_BOX_POINTS) return -1;
    int count = pieces(of_a, of_b, within, out);
    for (int k = 0; k < count; k++) {
        finish(m, a, b, 0, 0, &out[k]);
    }
    return count;
}

static int closed_form(const impModel *m, const Actor *a, const Actor *b, double within,
                       SetPoint *out, int room) {
    SetPiece of_b[FEW_SHAPES];
    int count = 0;
    for (int j = 0; j < b->body->shape_count; j++) {
        of_b[j] = piece_of(m, b, j);
    }
    for (int i = 0; i < a->body->shape_count; i++) {
        SetPiece of_a = piece_of(m, a, i);
        for (int j = 0; j < b->body->shape_count; j++) {
            if (room - count < SET_BOX_POINTS) return -1;
            int found = pieces(&of_a, &of_b[j], within, out + count);
            for (int k = 0; k < found; k++) {
                finish(m, a, b, i, j, &out[count + k]);
            }
            count += found;
        }
    }
    return count;
}

// A point of the general narrow phase.
static SetPoint point_of(const Actor *a, const Actor *b, const ContactPoint *c) {
    impVec3 on_a = madd(c->at, b->free ? 0.5 * c->gap : 0, c->n);
    SetPoint p = { .a = c->a,
                   .b = c->b,
                   .kind = SET_SMOOTH,
                   .smooth = -1,
                   .feature = c->feature,
                   .law = c->law,
                   .n = c->n,
                   .gap = c->gap };
    if (c->motion.kind == MOVES_WITH_A && zero3(c->motion.axis)) {
        p.kind = c->motion.radius_other >= 0 ? SET_CENTRES : SET_CORNER_OF_A;
        p.radius_a = c->motion.radius;
        p.radius_b = max2(c->motion.radius_other, 0);
    } else if (c->motion.kind == MOVES_WITH_B && zero3(c->motion.axis)) {
        p.kind = c->motion.radius_other >= 0 ? SET_CENTRES : SET_CORNER_OF_B;
        p.radius_b = c->motion.radius;
        p.radius_a = max2(c->motion.radius_other, 0);
    }
    p.core_a = sub(madd(on_a, p.radius_a, c->n), a->x);
    p.core_b = sub(madd(on_a, -(c->gap + p.radius_b), c->n), b->x);
    return p;
}

// True if a body has surfaces along which its contact points run: none of polytopes and balls.
static bool is_curved(const impModel *m, const Actor *a) {
    for (int i = 0; i < a->body->shape_count; i++) {
        const Shape *shape = &m->shape[a->body->first_shape + i];
        if (shape_kinds[shape->kind].bounded && !shape->core) return true;
    }
    return false;
}

static int general(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                   double within, SetQuery *query, SetPoint *out, int room) {
    ContactPoint *found = query->smooth + query->smooth_count;
    int room_left = query->smooth_room - query->smooth_count;
    contact_narrow_phase(m, a, b, extents, within, 0, NULL, NULL, query->narrow_phase);
    if (query->narrow_phase->list.nearest.c.distance > within) return 0;
    query->narrow_phase->prefers_b = true;
    int count = contact_points(m, query->narrow_phase, within, m->run.contact_band, found,
                               room_left);
    if (count < 0 || count > room) return -1;
    int smooth = 0;
    bool slides = is_curved(m, a) || is_curved(m, b);
    for (int i = 0; i < count; i++) {
        out[i] = point_of(a, b, &found[i]);
        out[i].slides = slides;
        if (out[i].kind != SET_SMOOTH) continue;
        found[smooth] = found[i];
        out[i].smooth = query->smooth_count + smooth++;
    }
    query->smooth_count += smooth;
    return count;
}

// Few points, nearly in order.
static void sort_by_feature(SetPoint *p, int count) {
    for (int i = 1; i < count; i++) {
        SetPoint q = p[i];
        int at = i;
        for (; at > 0 && p[at - 1].feature > q.feature; at--) {
            p[at] = p[at - 1];
        }
        p[at] = q;
    }
}

int contact_set_pair(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                     double within, SetQuery *query, SetPoint *out, int room) {
    const Actor *first = a->free ? a : b;
    const Actor *second = a->free ? b : a;
    const SetPiece *of_first = query->piece ? &query->piece[first->index] : NULL;
    const SetPiece *of_second = query->piece ? &query->piece[second->index] : NULL;
    bool known = of_first && of_first->form != SET_FORM_OTHER && of_second->form != SET_FORM_OTHER;
    int count = known ? one_piece_each(m, first, second, of_first, of_second, within, out, room)
                : has_closed_form(m, a) && has_closed_form(m, b)
                    ? closed_form(m, first, second, within, out, room)
                    : general(m, first, second, extents, within, query, out, room);
    sort_by_feature(out, count);
    return count;
}
