// impact.c -- one frictional collision: Coulomb's law at every instant of it, restitution as a
// store.
//
// docs/theory/frictional-impact.md; numbers in brackets are its equations. After Mirtich and Canny
// 1994, section 4, after Routh and Keller: the normal impulse p_z is the collision's own time, (4)
// and (5). Sticking holds if and only if |A^-1 k| <= mu_static (6). Otherwise a contact at rest
// starts to slide in the one direction in which sliding grows, the ray (8) (their conjecture, a
// theorem in section 3). Sticking, that ray, slides that do not turn (spheres, planar problems) and
// slides without friction are straight lines and are solved in closed form here (14); the turning
// slide is in impact_slide.c. Restitution is a store which compression fills and restitution
// empties (13), so that a second compression needs no rule of its own. Newton's law ends when u_z
// first is -e u_z(0), and may create energy: a flag says so. Painleve inconsistency, du_z/dp_z < 0,
// needs no rule of its own, as p_z never decreases. Assumed: K symmetric positive definite, far
// from the ends of double's range. Left out: e that depends on speed.
//
// SPDX-License-Identifier: MIT
#include "solve/impact.h"

#include <assert.h>

// steps of (10) on the rate of the ray: it converges in a few
enum { SECULAR_STEPS = 100 };
// events of one straight line: compression and restitution may alternate
enum { LINE_EVENTS = 8 };
// phases of a collision: rest, slides and lines
enum { PHASES = 8 };
#define NEVER ((double)INFINITY)

// --- state: phases, store, path ------------------------------------------------------------------

void solve_sample(Hit *hit, impMode mode) {
    ImpactPath *path = hit->path;
    if (!path) return;
    if (path->count < path->capacity) {
        impImpactSample *s = &path->samples[path->count];
        s->stage = hit->stage;
        s->mode = mode;
        s->u = vec(hit->x, hit->y, hit->z);
        s->p = vec(hit->px, hit->py, hit->pz);
    }
    path->count++;
}

// Adds to the present phase of the result, or begins a new one; the last one takes the rest.
static void count_phase(impImpact *out, impStage stage, impMode mode, double dp) {
    int n = out->phase_count;
    bool same = n > 0 && out->phases[n - 1].stage == stage && out->phases[n - 1].mode == mode;
    if (same || n == IMP_PHASES) {
        out->phases[n - 1].pz += dp;
        return;
    }
    out->phases[n].stage = stage;
    out->phases[n].mode = mode;
    out->phases[n].pz = dp;
    out->phase_count++;
}

void solve_spend(Hit *hit, impMode mode, double dp, double work) {
    count_phase(hit->out, hit->stage, mode, dp);
    double e = hit->e;
    double filled = hit->law == IMP_STRONGE ? -e * e * work : e * dp;
    double spent = hit->law == IMP_STRONGE ? work : dp;
    hit->store += hit->stage == IMP_COMPRESSION ? filled : -spent;
    solve_sample(hit, mode);
}

void solve_finish(Hit *hit) {
    hit->store = 0;
    if (hit->law == IMP_NEWTON) {
        hit->z = hit->target;
    }
    hit->finished = true;
}

void solve_turn(Hit *hit) {
    hit->z = 0;
    if (hit->stage == IMP_RESTITUTION) {
        // compressed a second time
        hit->stage = IMP_COMPRESSION;
        return;
    }
    if (hit->out->compression == 0) {
        hit->out->compression = hit->pz;
    }
    hit->stage = IMP_RESTITUTION;
    if (hit->law == IMP_NEWTON ? !(hit->target > 0) : !(hit->store > 0)) {
        hit->finished = true;
    }
}

// --- straight lines (14) -------------------------------------------------------------------------

// The next event of a stage.
typedef struct LineEvent {
    double dp;  // N s: p_z until then
    bool end;   // restitution ends; else u_z passes 0
} LineEvent;

// p_z until restitution ends, N s. az: du_z/dp_z.
static double spent_on_line(const Hit *hit, double az) {
    if (hit->law == IMP_POISSON) return hit->store > 0 ? hit->store : 0;
    if (hit->law == IMP_NEWTON) return az > 0 ? (hit->target - hit->z) / az : NEVER;
    // u_z d + az d^2/2 = store, written so that az may be 0
    double root = hit->z * hit->z + 2 * az * hit->store;
    if (!(hit->store > 0)) return 0;
    return root >= 0 && hit->z + sqrt(root) > 0 ? 2 * hit->store / (hit->z + sqrt(root)) : NEVER;
}

// The next event of the stage on a straight line (14).
static LineEvent due_on_line(const Hit *hit, double az) {
    LineEvent turn = { NEVER, false };
    LineEvent end = { NEVER, true };
    if (hit->stage == IMP_COMPRESSION) {
        if (az > 0) {
            turn.dp = -hit->z / az;
        }
        return turn;
    }
    end.dp = spent_on_line(hit, az);
    if (az < 0) {
        turn.dp = -hit->z / az;
    }
    return turn.dp < end.dp ? turn : end;
}

void solve_line(Hit *hit, impMode mode, double px, double py, double stop) {
    double ax = hit->axx * px + hit->axy * py + hit->kx;
    double ay = hit->axy * px + hit->ayy * py + hit->ky;
    double az = hit->kx * px + hit->ky * py + hit->kzz;
    if (mode == IMP_STICK) {
        ax = ay = 0;
    }
    for (int i = 0; i < LINE_EVENTS && !hit->finished; i++) {
        LineEvent due = due_on_line(hit, az);
        bool stops = stop <= due.dp;
        double d = stops ? stop : due.dp;
        double work = hit->z * d + az * d * d / 2;
        if (!(d < NEVER)) break;
        hit->x += ax * d;
        hit->y += ay * d;
        hit->z += az * d;
        hit->px += px * d;
        hit->py += py * d;
        hit->pz += d;
        if (stops) {
            hit->x = hit->y = 0;
        }
        if (!stops && !due.end) {
            hit->z = 0;
        }
        solve_spend(hit, mode, d, work);
        if (stops) return;
        if (due.end) {
            solve_finish(hit);
        } else {
            solve_turn(hit);
        }
        stop -= d;
    }
    hit->stalled = !hit->finished;
}

// --- at rest: stick or ray -----------------------------------------------------------------------

// Solves a system of two equations with a symmetric positive definite matrix.
static Vec2 solve2(double axx, double axy, double ayy, Vec2 b) {
    double det = axx * ayy - axy * axy;
    Vec2 r = { (ayy * b.x - axy * b.y) / det, (axx * b.y - axy * b.x) / det };
    return r;
}

// The ray (8): phi(lambda) of (9) falls from |A^-1 k| / mu > 1 to 0. Newton's method on 1/phi - 1,
// concave and rising, climbs to the root from the left (10): the secular equation of trust regions
// (Conn, Gould, Toint 2000, 7.3.3). The start, |k| - mu (Axx + Ayy), is a bound because no
// eigenvalue of A exceeds its trace.
static ImpactRay find_ray(const Hit *hit) {
    Vec2 k = { hit->kx, hit->ky };
    Vec2 r = k;
    double mu = hit->mu;
    double rate = norm2(k) - mu * (hit->axx + hit->ayy);
    if (!(rate > 0)) {
        rate = 0;
    }
    for (int i = 0; i < SECULAR_STEPS; i++) {
        double bxx = mu * hit->axx + rate;
        double bxy = mu * hit->axy;
        double byy = mu * hit->ayy + rate;
        r = solve2(bxx, bxy, byy, k);
        Vec2 q = solve2(bxx, bxy, byy, r);
        double phi = norm2(r);
        double next = rate + (phi - 1) * phi * phi / (r.x * q.x + r.y * q.y);
        if (!(next > rate)) break;
        rate = next;
    }
    double phi = norm2(r);
    ImpactRay ray = { r.x / phi, r.y / phi, rate };
    return ray;
}

// Friction for each unit of p_z that keeps u_t = 0 (5).
static Vec2 holding(const Hit *hit) {
    Vec2 k = { -hit->kx, -hit->ky };
    return solve2(hit->axx, hit->axy, hit->ayy, k);
}

// From rest: sticks if it can (6), else slides along the ray (8).
static void leave_rest(Hit *hit) {
    Vec2 hold = holding(hit);
    hit->x = hit->y = 0;
    if (norm2(hold) <= hit->mu_static) {
        solve_line(hit, IMP_STICK, hold.x, hold.y, NEVER);
        return;
    }
    ImpactRay ray = find_ray(hit);
    solve_line(hit, IMP_RAY, -hit->mu * ray.x, -hit->mu * ray.y, NEVER);
}

// --- the whole -----------------------------------------------------------------------------------

// The collision before its first impulse.
static Hit begin(const impImpactDef *def) {
    Hit hit = { .axx = def->k[0][0],
                .axy = def->k[0][1],
                .ayy = def->k[1][1],
                .kx = def->k[0][2],
                .ky = def->k[1][2],
                .kzz = def->k[2][2],
                .mu = def->friction_dynamic,
                .mu_static = def->friction_dynamic,
                .e = def->restitution,
                .law = def->law,
                .x = def->u.x,
                .y = def->u.y,
                .z = def->u.z };
    if (def->friction_static > hit.mu) {
        hit.mu_static = def->friction_static;
    }
    hit.speed = largest(def->u);
    hit.target = -hit.e * hit.z;
    return hit;
}

#if !defined(NDEBUG)
// Identities of docs/theory/frictional-impact.md, section 2, and Coulomb's cone,
// for p and u together.
static bool consistent(const impImpactDef *def, const Hit *hit) {
    double px = hit->px;
    double py = hit->py;
    double pz = hit->pz;
    double size = hit->speed +
                  (fabs(hit->axx) + fabs(hit->ayy) + fabs(hit->kzz)) * (fabs(px) + fabs(py) + pz);
    double x = def->u.x + hit->axx * px + hit->axy * py + hit->kx * pz - hit->x;
    double y = def->u.y + hit->axy * px + hit->ayy * py + hit->ky * pz - hit->y;
    double z = def->u.z + hit->kx * px + hit->ky * py + hit->kzz * pz - hit->z;
    bool moved = largest(vec(x, y, z)) <= 1e-9 * size;
    return moved && hit->z >= 0 && sqrt(px * px + py * py) <= hit->mu_static * pz * (1 + 1e-9);
}
#endif

// Writes the result; the verdict says whether it is one.
static impVerdict conclude(const impImpactDef *def, Hit *hit, impImpact *impact) {
    impact->p = vec(hit->px, hit->py, hit->pz);
    impact->u = vec(hit->x, hit->y, hit->z);
    if (!finite3(impact->p) || !finite3(impact->u)) return IMP_NOT_FINITE;
    if (!hit->finished) return IMP_STALLED;
    impact->energy_change = dot(impact->p, add(def->u, impact->u)) / 2;
    // gains of less are rounding
    double scale = norm(impact->p) * norm(def->u);
    impact->gain = impact->energy_change > 1e-12 * scale;
    assert(consistent(def, hit));
    assert(hit->law == IMP_NEWTON || !impact->gain);
    return IMP_SOLVED;
}

// Squares must neither overflow nor vanish, whatever the units.
static bool in_range(const Hit *hit) {
    const double least = 1e-120;
    const double most = 1e120;
    double k = hit->axx + hit->ayy + hit->kzz;
    return hit->speed > least && hit->speed < most && k > least && k < most &&
           hit->mu_static < most;
}

impVerdict solve_impact(const impImpactDef *def, impImpact *impact, ImpactPath *path) {
    Hit hit = begin(def);
    if (!in_range(&hit)) return IMP_NOT_FINITE;
    impact->compression = impact->energy_change = 0;
    impact->phase_count = impact->steps = 0;
    impact->gain = false;
    hit.out = impact;
    hit.path = path;
    solve_sample(&hit, hit.x == 0 && hit.y == 0 ? IMP_STICK : IMP_SLIDE);
    for (int i = 0; i < PHASES && !hit.finished && !hit.stalled; i++) {
        if (hit.x == 0 && hit.y == 0) {
            leave_rest(&hit);
        } else if (hit.mu == 0) {
            solve_line(&hit, IMP_SLIDE, 0, 0, NEVER);
        } else {
            solve_slide(&hit);
        }
    }
    return conclude(def, &hit, impact);
}

// --- without a collision -------------------------------------------------------------------------

ImpactRay solve_impact_ray(const impImpactDef *def) {
    Hit hit = begin(def);
    return find_ray(&hit);
}

double solve_impact_stick_ratio(const impImpactDef *def) {
    Hit hit = begin(def);
    return norm2(holding(&hit));
}

impVec3 solve_impact_slope(const impImpactDef *def, double ux, double uy) {
    Hit hit = begin(def);
    Vec2 t = { ux, uy };
    Vec2 p = { 0, 0 };
    double s = norm2(t);
    if (s > 0) {
        p.x = -hit.mu * ux / s;
        p.y = -hit.mu * uy / s;
    } else {
        p = holding(&hit);
        if (norm2(p) > hit.mu_static) {
            ImpactRay ray = find_ray(&hit);
            p.x = -hit.mu * ray.x;
            p.y = -hit.mu * ray.y;
        }
    }
    return vec(hit.axx * p.x + hit.axy * p.y + hit.kx, hit.axy * p.x + hit.ayy * p.y + hit.ky,
               hit.kx * p.x + hit.ky * p.y + hit.kzz);
}
