// kernel_start.h -- how trial i begins: a function of (seed, i) (inside drop/; included by
// kernel.h).
//
// Uniform rotations by Marsaglia (Choosing a point from the surface of a sphere, 1972): two points
// of the unit disc make one of the sphere in four dimensions, with square roots only, so that every
// machine has the same bits.
//
// SPDX-License-Identifier: MIT

typedef struct Draws {
    uint64_t seed, trial, next;
} Draws;
IN_KERNEL_ONCE double draw(Draws *d) {
    return num_fraction(num_philox(d->seed, d->next++, d->trial));
}
// uniform in the unit disc; the square of its distance
IN_KERNEL double draw_disc(Draws *d, double *x, double *y) {
    double s;
    do {
        *x = 2 * draw(d) - 1;
        *y = 2 * draw(d) - 1;
        s = *x * *x + *y * *y;
    } while (s >= 1 || s == 0);
    return s;
}
// uniform in a ball, added
IN_KERNEL void draw_ball(Draws *d, double radius, double add[3]) {
    double x, y, z;
    do {
        x = 2 * draw(d) - 1;
        y = 2 * draw(d) - 1;
        z = 2 * draw(d) - 1;
    } while (x * x + y * y + z * z >= 1);
    add[0] += radius * x;
    add[1] += radius * y;
    add[2] += radius * z;
}

IN_KERNEL DropStart drop_start(const DropTable *t, int64_t trial) {
    DropStart s;
    Draws d;
    d.seed = t->seed;
    d.trial = (uint64_t)trial;
    d.next = 0;
    for (int i = 0; i < 3; i++) {
        s.velocity[i] = t->velocity[i];
        s.spin[i] = t->spin[i];
    }
    double a;
    double b;
    double c;
    double e;
    double ab = draw_disc(&d, &a, &b);
    double ce = draw_disc(&d, &c, &e);
    double r = sqrt((1 - ab) / ce);
    s.rotation[0] = a;
    s.rotation[1] = b;
    s.rotation[2] = c * r;
    s.rotation[3] = e * r;
    if (t->orientations) {
        for (int i = 0; i < 4; i++) {
            s.rotation[i] = t->orientations[4 * (trial % t->orientation_count) + i];
        }
    }
    if (t->velocity_random > 0) {
        draw_ball(&d, t->velocity_random, s.velocity);
    }
    if (t->spin_random > 0) {
        draw_ball(&d, t->spin_random, s.spin);
    }
    return s;
}

// The vector a of world axes in the axes of q: turned by its inverse.
IN_KERNEL void rotated_back(const double q[4], const double a[3], double out[3]) {
    double w = q[0];
    double x = -q[1];
    double y = -q[2];
    double z = -q[3];
    double tx = 2 * (y * a[2] - z * a[1]);
    double ty = 2 * (z * a[0] - x * a[2]);
    double tz = 2 * (x * a[1] - y * a[0]);
    out[0] = a[0] + w * tx + (y * tz - z * ty);
    out[1] = a[1] + w * ty + (z * tx - x * tz);
    out[2] = a[2] + w * tz + (x * ty - y * tx);
}

// A body of revolution may be rotated about its axis: up in the plane of x and z. It starts
// without spin, and its velocity is vertical.
IN_KERNEL void into_plane(const DropTable *t, const DropStart *s, double out[10]) {
    double *n = out + 1;
    double *v = out + 4;
    double speed = s->velocity[2] * (t->time / t->length);
    n[0] = sqrt(n[0] * n[0] + n[1] * n[1]);
    n[1] = 0;
    for (int i = 0; i < 3; i++) {
        v[i] = speed * n[i];
        v[i + 3] = 0;
    }
}

// Height, up, velocity and spin in principal axes, in units of the table.
IN_KERNEL void drop_state(const DropTable *t, const DropStart *s, double out[10]) {
    const double world_up[3] = { 0, 0, 1 };
    double in_body[3];
    double speed = t->time / t->length;
    out[0] = t->height / t->length;
    rotated_back(s->rotation, world_up, in_body);
    rotated_back(t->axes, in_body, out + 1);
    rotated_back(s->rotation, s->velocity, in_body);
    rotated_back(t->axes, in_body, out + 4);
    rotated_back(s->rotation, s->spin, in_body);
    rotated_back(t->axes, in_body, out + 7);
    for (int i = 4; i < 7; i++) {
        out[i] *= speed;
    }
    for (int i = 7; i < 10; i++) {
        out[i] *= t->time;
    }
    if (t->planar) {
        into_plane(t, s, out);
    }
}
