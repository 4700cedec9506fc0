// spin.c -- torque-free rotation of a rigid body: the exact solution, at any time for the same
// cost.
//
// Body rates by Jacobi's elliptic functions (docs/theory/free-flight.md; [Whittaker37, ch. VI]); of
// the attitude only one angle needs an integral, the rotation psi of the node about the angular
// momentum L,
//     psi(t) = int |L| (Ig wg^2 + Ih wh^2) / (Ig^2 wg^2 + Ih^2 wh^2) dt, (1)
// an elliptic integral of the third kind in its circular case. Here it is not integrated but
// written with Jacobi's theta function,
//     psi(t) = W t - sigma arg theta1(x + i y) + constant,   x = pi u / 2K,  u = u0 + k t, (2) W =
//     |L| / Ih - sigma k (pi / 2K) theta1'(iy) / (theta1(iy) / i), tan^2 am(2 K y / pi | 1 - m) =
//     (Ih / If) (If - Ig) / (Ig - Ih),   sigma = sign(If - Ih):
// y depends on the moments alone. (2) follows from Jacobi's form of the integral and theta4(z) ~
// exp(-iz) theta1(z - i pi K' / 2K); it was checked against quadrature of (1). For m > 1/2 the
// series goes over to the complementary nome, theta1(z | q) ~ -i exp(-a z^2 / pi) theta1(i a z |
// q1), a = K / K', so that the nome is never above exp(-pi) and four terms are at rounding, also
// within 1e-20 of the separatrix. psi enters as a unit complex number: no branch, no atan.
//
// All differences that could cancel are written as sums of one sign (amplitudes from wb itself, not
// from T and L), so there are no tolerances: only moments that are exactly equal, and exactly
// steady rotations, take other formulas, and the general one runs into them continuously. Energy,
// |L| and the direction of L in space are kept to rounding for any t by construction. Cost: one
// sine-cosine pair in turns, one in radians, one exponential where m > 1/2.
//
// SPDX-License-Identifier: MIT
#include "motion/spin.h"

// m1 below this is read as this: K = 47.5, reached only by rates equal to 20 digits
#define SEPARATRIX 1e-40

// exp of a / 2
static impQuat turn_vector(impVec3 a) {
    double angle = norm(a);
    if (angle == 0) return quat(1, 0, 0, 0);
    SinCos h = num_sincos(0.5 * angle);
    double s = h.sin / angle;
    return quat(h.cos, s * a.x, s * a.y, s * a.z);
}

// R(t) = exp([L / It] t) R0 exp([e_s (1/Is - 1/It) L_s] t), with e_s the axis of the odd moment.
static void set_symmetric(SpinFront *s, Tumble *u, const double moments[3], impVec3 wb, int odd) {
    double it = moments[(odd + 1) % 3];
    double is = moments[odd];
    impVec3 momentum = vec(moments[0] * wb.x, moments[1] * wb.y, moments[2] * wb.z);
    double own = (1 / is - 1 / it) * component(momentum, odd);
    s->kind = SPIN_SYMMETRIC;
    u->axis = scale(1 / it, rotate(s->q0, momentum));
    u->axis_body = vec(odd == 0 ? own : 0, odd == 1 ? own : 0, odd == 2 ? own : 0);
}

// sinh and cosh of (2n+1) y, times q^(n(n+1)) exp(-y) (-1)^n: the coefficients of theta1(x + iy) in
// the small nome.
static void coefficients_small(Tumble *u, double y, double log_q) {
    for (int n = 0; n < SPIN_TERMS; n++) {
        double order = 2 * n + 1;
        double a = order * y;
        double fall = log_q * n * (n + 1);
        double sign = n % 2 ? -1 : 1;
        double up = num_exp(fall + a - y);
        double down = num_exp(fall - a - y);
        double series =
            a *
            (1 + a * a / 6 *
                     (1 + a * a / 20 * (1 + a * a / 42 * (1 + a * a / 72 * (1 + a * a / 110)))));
        u->c[n] = sign * 0.5 * (up + down);
        u->s[n] = sign * (a < 0.25 ? series * num_exp(fall - y) : 0.5 * (up - down));
    }
}

// cos and sin of (2n+1) Y, times q1^(n(n+1)) (-1)^n: the same in the complementary nome.
static void coefficients_hyperbolic(Tumble *u, double Y, double log_q1) {
    for (int n = 0; n < SPIN_TERMS; n++) {
        SinCos a = num_sincos((2 * n + 1) * Y);
        double weight = num_exp(log_q1 * n * (n + 1)) * (n % 2 ? -1 : 1);
        u->c[n] = weight * a.cos;
        u->s[n] = weight * a.sin;
    }
}

// -theta1'/theta1 at iy: (sum of order * even) / (sum of odd), coefficients as in the two functions
// above.
static double log_derivative(const double even[SPIN_TERMS], const double odd[SPIN_TERMS]) {
    double e = 0, o = 0;
    for (int n = SPIN_TERMS - 1; n >= 0; n--) {
        e += (2 * n + 1) * even[n];
        o += odd[n];
    }
    return e / o;
}

// theta1(x + iy) up to a positive factor, x in turns, from its sine and cosine.
static SinCos theta_small(const Tumble *u, SinCos x) {
    double sn = x.sin;
    double cs = x.cos;
    double s2 = 2 * sn * cs;
    double c2 = 1 - 2 * sn * sn;
    double re = 0;
    double im = 0;
    for (int n = 0; n < SPIN_TERMS; n++) {
        re += sn * u->c[n];
        im += cs * u->s[n];
        double next = sn * c2 + cs * s2;
        cs = cs * c2 - sn * s2;
        sn = next;
    }
    SinCos z;
    z.sin = im;
    z.cos = re;
    return z;
}

// The same in the complementary nome without the factor exp(-2 i a x y / pi): X = a x, |x| <= pi /
// 2.
static SinCos theta_hyperbolic(const Tumble *u, double X) {
    // all divided by exp(|X|)
    double size = fabs(X);
    double down = num_exp(-2 * size);
    double re = 0;
    double im = 0;
    double grow = num_exp(2 * size);
    double lift = 1;
    double sink = down;
    for (int n = 0; n < SPIN_TERMS; n++) {
        double order = 2 * n + 1;
        double a = order * size;
        double cosh = 0.5 * (lift + sink);
        double sinh = 0.5 * (lift - sink);
        if (a < 0.25) {
            double a2 = a * a;
            sinh = a *
                   (1 + a2 / 6 * (1 + a2 / 20 * (1 + a2 / 42 * (1 + a2 / 72 * (1 + a2 / 110))))) *
                   num_exp(-size);
        }
        re += u->c[n] * (X < 0 ? -sinh : sinh);
        im += u->s[n] * cosh;
        lift *= grow;
        sink *= down;
    }
    SinCos z;
    z.sin = im;
    z.cos = re;
    return z;
}

static double pick(const double *a, int i) { return a[i]; }
static double pick3(impVec3 a, int i) { return component(a, i); }

// The node frame turned by psi: a quaternion that takes body (principal) axes to axes fixed in
// space. Up to sign.
static impQuat attitude(const Tumble *u, bool hyperbolic, double t, double *wf, double *wg,
                        double *wh) {
    double turns = u->x0 + u->rate * t;
    turns -= floor(turns);
    SinCos x = num_sincos_turns(turns);
    Jacobi j = num_jacobi(&u->landen, x);
    *wf = u->amplitude_f * j.dn;
    *wg = u->amplitude_g * j.sn;
    *wh = u->amplitude_h * j.cn;

    // psi as a unit complex number: cis(turning t + lean x) times the conjugate (or not, by sigma)
    // of theta1
    double angle = u->turning * t;
    SinCos z;
    if (hyperbolic) {
        // theta1(z + pi) = -theta1(z)
        bool other = turns >= 0.25 && turns < 0.75;
        double sign = other ? -1 : 1;
        double reduced = TAU * (other ? turns - 0.5 : turns >= 0.75 ? turns - 1 : turns);
        angle += u->lean * reduced;
        z = theta_hyperbolic(u, u->stretch * reduced);
        z.sin *= sign;
        z.cos *= sign;
    } else {
        z = theta_small(u, x);
    }
    double size = sqrt(z.sin * z.sin + z.cos * z.cos);
    SinCos p = num_sincos(angle);
    double zs = -u->sigma * z.sin / size;
    double zc = z.cos / size;
    double cos_psi = p.cos * zc - p.sin * zs;
    double sin_psi = p.sin * zc + p.cos * zs;

    // rows of B: e1 = e_f x l / |.|, e2 = l x e1, l; in cyclic axes (f, a, b) with a, b the other
    // two
    double l[3];
    l[u->f] = u->moment_f * *wf;
    l[u->g] = u->moment_g * *wg;
    l[u->h] = u->moment_h * *wh;
    int a = (u->f + 1) % 3;
    int b = (u->f + 2) % 3;
    double across = sqrt(l[a] * l[a] + l[b] * l[b]);
    double whole = sqrt(across * across + l[u->f] * l[u->f]);
    // e1, perpendicular to e_f
    double ea = -l[b] / across;
    double eb = l[a] / across;
    double lf = l[u->f] / whole;
    double la = l[a] / whole;
    double lb = l[b] / whole;
    double row1[3], row2[3], row3[3];
    row1[u->f] = 0;
    row1[a] = ea;
    row1[b] = eb;
    row3[u->f] = lf;
    row3[a] = la;
    row3[b] = lb;
    row2[u->f] = la * eb - lb * ea;
    row2[a] = -lf * eb;
    row2[b] = lf * ea;
    Mat3 turned_rows = mat3(
        vec(cos_psi * row1[0] - sin_psi * row2[0], cos_psi * row1[1] - sin_psi * row2[1],
            cos_psi * row1[2] - sin_psi * row2[2]),
        vec(sin_psi * row1[0] + cos_psi * row2[0], sin_psi * row1[1] + cos_psi * row2[1],
            sin_psi * row1[2] + cos_psi * row2[2]),
        vec(row3[0], row3[1], row3[2]));
    return quat_of(turned_rows);
}

static void set_general(SpinFront *s, Tumble *u, const double moments[3], impVec3 wb) {
    // order the axes; the figure axis is the one whose rate never vanishes
    int a = 0;
    int b = 1;
    int c = 2;
    int swap;
    if (moments[a] > moments[b]) {
        swap = a;
        a = b;
        b = swap;
    }
    if (moments[b] > moments[c]) {
        swap = b;
        b = c;
        c = swap;
    }
    if (moments[a] > moments[b]) {
        swap = a;
        a = b;
        b = swap;
    }
    double wa2 = pick3(wb, a) * pick3(wb, a);
    double wc2 = pick3(wb, c) * pick3(wb, c);
    double side = pick(moments, c) * (moments[c] - moments[b]) * wc2 -
                  moments[a] * (moments[b] - moments[a]) * wa2;
    // side = L2 - T2 Ib
    u->f = side >= 0 ? c : a;
    u->g = b;
    u->h = side >= 0 ? a : c;
    double If = moments[u->f];
    double Ig = moments[u->g];
    double Ih = moments[u->h];
    double wf = pick3(wb, u->f);
    double wg = pick3(wb, u->g);
    double wh = pick3(wb, u->h);

    // (T2 If - L2) and (L2 - T2 Ih) up to the common sign of If - Ih, as sums
    u->sigma = If > Ih ? 1 : -1;
    double fg = fabs(If - Ig);
    double fh = fabs(If - Ih);
    double gh = fabs(Ig - Ih);
    double wobble = Ig * fg * wg * wg + Ih * fh * wh * wh;
    double figure = If * fh * wf * wf + Ig * gh * wg * wg;
    // so slow that its squares underflow
    if (!(fg * figure > 0)) return;
    double Af = sqrt(figure / (If * fh));
    double Ah = sqrt(wobble / (Ih * fh));
    double Ag = sqrt(wobble / (Ig * fg));
    double k = sqrt(fg * figure / (If * Ig * Ih));
    double m1 = fh * fabs(side) / (fg * figure);
    double m = gh * wobble / (fg * figure);
    if (m1 < SEPARATRIX) {
        m1 = SEPARATRIX;
    }
    // a wobble below 1e-140 of the spin
    if (m < 1e-280 || !(k > 0)) return;

    int cyclic = (u->g + 1) % 3 == u->h && (u->h + 1) % 3 == u->f;
    double sf = wf < 0 ? -1 : 1;
    double sg = (cyclic ? 1 : -1) * (Ih - If) * sf < 0 ? -1 : 1;
    s->kind = SPIN_GENERAL;
    u->moment_f = If;
    u->moment_g = Ig;
    u->moment_h = Ih;
    u->amplitude_f = sf * Af;
    u->amplitude_g = sg * Ag;
    u->amplitude_h = Ah;
    // K and K'
    double K = num_ellip_k(m1);
    double Kc = num_ellip_k(m);
    double sn = sg * wg / Ag;
    double cn = wh / Ah;
    double size = sqrt(sn * sn + cn * cn);
    u->landen = num_landen(m1);
    u->x0 = num_ellip_f(sn / size, cn / size, m1) / (4 * K);
    u->rate = k / (4 * K);

    // y of (2): tan phi' from the moments alone
    double tan2 = Ih * fg / (If * gh);
    double sin_phi = sqrt(tan2 / (1 + tan2));
    double cos_phi = 1 / sqrt(1 + tan2);
    double y = 0.5 * PI / K * num_ellip_f(sin_phi, cos_phi, m);
    double quarter = 0.5 * PI * k / K;
    double momentum = sqrt(If * If * wf * wf + Ig * Ig * wg * wg + Ih * Ih * wh * wh);
    s->hyperbolic = m > 0.5;
    if (s->hyperbolic) {
        double stretch = K / Kc;
        coefficients_hyperbolic(u, stretch * y, -PI * stretch);
        u->stretch = stretch;
        u->lean = u->sigma * 2 * stretch * y / PI;
        u->turning = momentum / Ih -
                     u->sigma * quarter *
                         (2 * stretch * y / PI + stretch * log_derivative(u->c, u->s));
    } else {
        coefficients_small(u, y, -PI * Kc / K);
        u->stretch = u->lean = 0;
        u->turning = momentum / Ih - u->sigma * quarter * log_derivative(u->c, u->s);
    }
    u->before = qmul(s->q0, conjugate(attitude(u, s->hyperbolic, 0, &wf, &wg, &wh)));
}

// From principal axes to those of the body; of the two signs, the one nearer the start.
static impQuat body_axes(impQuat now, impQuat q0, impQuat axes) {
    now = unit(qmul(now, conjugate(axes)));
    impQuat start = qmul(q0, conjugate(axes));
    double side = now.w * start.w + now.x * start.x + now.y * start.y + now.z * start.z;
    return side < 0 ? quat(-now.w, -now.x, -now.y, -now.z) : now;
}

// What does not turn at all stays where the formula of steady rotations puts it, bit for bit.
static void set_none(SpinFront *s) {
    s->kind = SPIN_NONE;
    s->q0 = body_axes(qmul(quat(1, 0, 0, 0), s->q0), s->q0, s->axes);
}

void motion_set_spin(SpinFront *s, Tumble *u, const double moments[3], impQuat axes, impQuat q0,
                     impVec3 w0) {
    s->kind = SPIN_STEADY;
    s->q0 = unit(qmul(q0, axes));
    s->axes = axes;
    s->w0 = w0;
    if (zero3(w0)) {
        set_none(s);
        return;
    }
    impVec3 wb = unrotate(s->q0, w0);
    double a = moments[0];
    double b = moments[1];
    double c = moments[2];
    int zeros = (wb.x == 0) + (wb.y == 0) + (wb.z == 0);
    if (zeros >= 2 || (a == b && b == c)) return;
    if (a == b || b == c || a == c) {
        set_symmetric(s, u, moments, wb, a == b ? 2 : b == c ? 0 : 1);
    } else {
        set_general(s, u, moments, wb);
    }
}

Spin motion_spin(const double moments[3], impQuat axes, impQuat q0, impVec3 w0) {
    Spin s;
    motion_set_spin(&s.front, &s.tumble, moments, axes, q0, w0);
    return s;
}

void motion_spin_to(const SpinFront *s, const Tumble *u, double t, impQuat *q, impVec3 *w) {
    impQuat rotation, now;
    if (s->kind == SPIN_NONE) {
        *q = s->q0;
        *w = s->w0;
        return;
    }
    if (s->kind == SPIN_STEADY) {
        now = qmul(turn_vector(scale(t, s->w0)), s->q0);
        *w = s->w0;
    } else if (s->kind == SPIN_SYMMETRIC) {
        rotation = turn_vector(scale(t, u->axis));
        now = qmul(qmul(rotation, s->q0), turn_vector(scale(t, u->axis_body)));
        *w = rotate(rotation, s->w0);
    } else {
        double rate[3];
        now = unit(
            qmul(u->before, attitude(u, s->hyperbolic, t, &rate[u->f], &rate[u->g], &rate[u->h])));
        *w = rotate(now, vec(rate[0], rate[1], rate[2]));
    }
    *q = body_axes(now, s->q0, s->axes);
}

void motion_spin_at(const Spin *s, double t, impQuat *q, impVec3 *w) {
    motion_spin_to(&s->front, &s->tumble, t, q, w);
}

// Along the polhode |w| is largest where the middle rate vanishes: W^2 = (T2 (I1 + I3) - L2) / (I1
// I3), (C2), written here as I1 I3 (w1^2 + w3^2) + I2 (I1 + I3 - I2) w2^2 over I1 I3: a sum, since
// no moment exceeds the other two.
double motion_spin_bound(const double moments[3], impVec3 w) {
    double low = min2(moments[0], min2(moments[1], moments[2]));
    double high = max2(moments[0], max2(moments[1], moments[2]));
    double sum = 0;
    double rate[3] = { w.x, w.y, w.z };
    for (int i = 0; i < 3; i++) {
        sum += moments[i] * (low + high - moments[i]) * rate[i] * rate[i];
    }
    return max2(norm(w), sqrt(sum / (low * high))) * (1 + 1e-12);
}
