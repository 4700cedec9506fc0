// problem.c -- what all solvers ask of a contact problem: velocities at its rows, impulses applied
// to its bodies, matrices of its rows, the projection on a friction cone.
//
// docs/theory/many-contacts.md, section 3; Stewart & Trinkle 1996, section 2; Bender & Schmitt
// 2006, section 3.
//
// SPDX-License-Identifier: MIT
#include "solve/problem.h"

static impVec3 velocity_of_point(const ProblemBody *body, impVec3 arm) {
    return add(body->v, cross(body->w, arm));
}

impVec3 problem_contact_velocity(const Problem *problem, const ContactRow *row) {
    impVec3 u = velocity_of_point(&problem->body[row->a], row->arm_a);
    if (row->b >= 0) {
        u = sub(u, velocity_of_point(&problem->body[row->b], row->arm_b));
    }
    return vec(dot(u, row->t1), dot(u, row->t2), dot(u, row->n));
}

double problem_bilateral_velocity(const Problem *problem, const BilateralRow *row) {
    double u = 0;
    if (row->a >= 0) {
        const ProblemBody *a = &problem->body[row->a];
        u = dot(row->linear_a, a->v) + dot(row->angular_a, a->w);
    }
    if (row->b >= 0) {
        const ProblemBody *b = &problem->body[row->b];
        u += dot(row->linear_b, b->v) + dot(row->angular_b, b->w);
    }
    return u;
}

// Adds an impulse and an angular impulse about the centre of mass to a body, world axes. The normal
// of a plane is a principal axis.
static void kick(ProblemBody *body, impVec3 impulse, impVec3 angular_impulse) {
    const impVec3 n = body->plane;
    if (!zero3(n)) {
        impulse = madd(impulse, -dot(n, impulse), n);
        angular_impulse = scale(dot(n, angular_impulse), n);
    }
    body->v = madd(body->v, body->mass_inverse, impulse);
    body->w = add(body->w, mul(body->inertia_inverse, angular_impulse));
}

// The matrix of a row by single impulses: column k is what a unit impulse along axis k changes.
static Mat3 matrix_in_plane(const ProblemBody *body, impVec3 arm, const ContactRow *row) {
    const impVec3 axis[3] = { row->t1, row->t2, row->n };
    double w[3][3];
    for (int k = 0; k < 3; k++) {
        ProblemBody moved = { .mass_inverse = body->mass_inverse,
                              .inertia_inverse = body->inertia_inverse,
                              .plane = body->plane };
        kick(&moved, axis[k], cross(arm, axis[k]));
        impVec3 u = velocity_of_point(&moved, arm);
        for (int i = 0; i < 3; i++) {
            w[i][k] = dot(u, axis[i]);
        }
    }
    return mat3(vec(w[0][0], w[0][1], w[0][2]), vec(w[1][0], w[1][1], w[1][2]),
                vec(w[2][0], w[2][1], w[2][2]));
}

void problem_apply_contact(const Problem *problem, const ContactRow *row, impVec3 p) {
    impVec3 world = madd(madd(scale(p.x, row->t1), p.y, row->t2), p.z, row->n);
    kick(&problem->body[row->a], world, cross(row->arm_a, world));
    if (row->b >= 0) {
        kick(&problem->body[row->b], neg(world), neg(cross(row->arm_b, world)));
    }
}

void problem_apply_bilateral(const Problem *problem, const BilateralRow *row, double p) {
    if (row->a >= 0) {
        kick(&problem->body[row->a], scale(p, row->linear_a), scale(p, row->angular_a));
    }
    if (row->b >= 0) {
        kick(&problem->body[row->b], scale(p, row->linear_b), scale(p, row->angular_b));
    }
}

// Adds the share of one body to the matrix of a row: e_i.(e_j / m + I^-1 (arm x e_j) x arm).
static Mat3 add_share(Mat3 w, const ProblemBody *body, impVec3 arm, const ContactRow *row) {
    if (!zero3(body->plane)) return mat3_add(w, matrix_in_plane(body, arm, row));
    impVec3 arm_t1 = cross(arm, row->t1);
    impVec3 arm_t2 = cross(arm, row->t2);
    impVec3 arm_n = cross(arm, row->n);
    impVec3 turn_t1 = mul(body->inertia_inverse, arm_t1);
    impVec3 turn_t2 = mul(body->inertia_inverse, arm_t2);
    impVec3 turn_n = mul(body->inertia_inverse, arm_n);
    double xy = dot(arm_t1, turn_t2);
    double xz = dot(arm_t1, turn_n);
    double yz = dot(arm_t2, turn_n);
    Mat3 share = mat3(vec(dot(arm_t1, turn_t1) + body->mass_inverse, xy, xz),
                      vec(xy, dot(arm_t2, turn_t2) + body->mass_inverse, yz),
                      vec(xz, yz, dot(arm_n, turn_n) + body->mass_inverse));
    return mat3_add(w, share);
}

Mat3 problem_contact_matrix(const Problem *problem, const ContactRow *row) {
    Mat3 w = add_share(mat3_diagonal(0, 0, 0), &problem->body[row->a], row->arm_a, row);
    return row->b < 0 ? w : add_share(w, &problem->body[row->b], row->arm_b, row);
}

// Of the vectors of a frame, arm x e_i has the square |arm|^2 - (arm.e_i)^2, and what a matrix
// makes of them all sums to trace(I^-1) |arm|^2 - arm.(I^-1 arm), whatever the frame.
static double trace_of_share(const ProblemBody *body, impVec3 arm) {
    const Mat3 *inverse_inertia = &body->inertia_inverse;
    return 3 * body->mass_inverse + trace(*inverse_inertia) * dot(arm, arm) -
           dot(arm, mul(*inverse_inertia, arm));
}

double problem_contact_trace(const Problem *problem, const ContactRow *row) {
    double of_a = trace_of_share(&problem->body[row->a], row->arm_a);
    return row->b < 0 ? of_a : of_a + trace_of_share(&problem->body[row->b], row->arm_b);
}

double problem_bilateral_matrix(const Problem *problem, const BilateralRow *row) {
    double w = 0;
    if (row->a >= 0) {
        const ProblemBody *a = &problem->body[row->a];
        w = a->mass_inverse * dot(row->linear_a, row->linear_a) +
            dot(row->angular_a, mul(a->inertia_inverse, row->angular_a));
    }
    if (row->b >= 0) {
        const ProblemBody *b = &problem->body[row->b];
        w += b->mass_inverse * dot(row->linear_b, row->linear_b) +
             dot(row->angular_b, mul(b->inertia_inverse, row->angular_b));
    }
    return w;
}

void problem_set_velocities(const Problem *problem) {
    for (int i = 0; i < problem->body_count; i++) {
        ProblemBody *body = &problem->body[i];
        body->v = body->free_v;
        body->w = body->free_w;
    }
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        problem_apply_contact(problem, row, row->p);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        problem_apply_bilateral(problem, row, row->p);
    }
}

double problem_speed(const ProblemBody *body) {
    double radius = sqrt(trace(body->inertia) * body->mass_inverse / 2);
    return max2(norm(body->v), radius * norm(body->w));
}

Mat3 problem_project_derivative(impVec3 x, double mu) {
    double tangent = sqrt(x.x * x.x + x.y * x.y);
    if (x.z >= 0 && tangent <= mu * x.z) return mat3_diagonal(1, 1, 1);
    if (mu * tangent <= -x.z) return mat3_diagonal(0, 0, 0);

    // on the mantle: P = N (mu e, 1) with e = x_t / |x_t| and N = (x_n + mu |x_t|) / (1 + mu^2)
    double share = 1 / (1 + mu * mu);
    double normal = (x.z + mu * tangent) * share;
    double ex = x.x / tangent;
    double ey = x.y / tangent;
    double along = mu * mu * share;
    double across = mu * normal / tangent;
    double xy = (along - across) * ex * ey;
    return mat3(vec(along * ex * ex + across * ey * ey, xy, mu * share * ex),
                vec(xy, along * ey * ey + across * ex * ex, mu * share * ey),
                vec(mu * share * ex, mu * share * ey, share));
}

// 1, of mu p_n: friction that is nearer to its limit slides.
#define SLIDES_WITHIN 1e-9

void problem_set_modes(const Problem *problem) {
    for (int i = 0; i < problem->contact_count; i++) {
        ContactRow *row = &problem->contact[i];
        double friction = sqrt(row->p.x * row->p.x + row->p.y * row->p.y);
        bool at_limit = friction >= (1 - SLIDES_WITHIN) * row->friction * row->p.z;
        row->mode = row->p.z <= 0 ? CONTACT_OPEN : at_limit ? CONTACT_SLIDE : CONTACT_STICK;
    }
}
