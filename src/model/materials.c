// materials.c -- what two materials do to each other: friction, restitution and its law, for every
// pair.
//
// A pair that the scene lists is as listed; any other has mu = sqrt(mu1 mu2) and e = min(e1, e2),
// Poisson's law. Row 0 is the material of bodies that name none: frictionless, no bounce, density
// of water. Sticking is tested with the static coefficient, sliding uses the dynamic one.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <string.h>

#define WATER 1000.0
// the table of pairs, 32 bytes each, stays at 8 MB
enum { MOST_MATERIALS = 500 };

static bool check_friction(double mu_static, double mu_dynamic, Where at, const char *who,
                           impError *err) {
    if (!(mu_static >= 0 && isfinite(mu_static)) || !(mu_dynamic >= 0 && isfinite(mu_dynamic)))
        return fail(err, at, "%s: friction %s; it must be 0 or more, and finite", who,
                    show(mu_static >= 0 && isfinite(mu_static) ? mu_dynamic : mu_static).text);
    if (mu_static < mu_dynamic)
        return fail(err, at, "%s: static friction %s below the dynamic %s; it must not be smaller",
                    who, show(mu_static).text, show(mu_dynamic).text);
    return true;
}

static bool check_restitution(double e, Where at, const char *who, impError *err) {
    return (e >= 0 && e <= 1) ||
           fail(err, at,
                "%s: restitution %s; it must lie between 0 and 1: more would create energy", who,
                show(e).text);
}

static bool check_material(const SceneMaterial *s, impError *err) {
    char who[200];
    print_text(who, sizeof who, "material '%s'", s->def.name);
    bool ok = check_friction(s->def.friction_static, s->def.friction_dynamic, s->at, who, err);
    ok = check_restitution(s->def.restitution, s->at, who, err) && ok;
    if (!(s->def.density >= 0 && s->def.density <= 1e9) ||
        (s->def.density > 0 && s->def.density < 1e-6)) {
        ok = fail(err, s->at, "%s: density %s kg/m^3; it must lie between 1e-6 and 1e9", who,
                  show(s->def.density).text);
    }
    return ok;
}

static int find(const impModel *m, const char *name) {
    for (int i = 1; i < m->material_count; i++) {
        if (!strcmp(m->material[i].name, name)) return i;
    }
    return -1;
}

static bool build_rows(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    m->material = POOL_TAKE(&m->pool, Material, scene->material_count + 1);
    if (!m->material) return fail_memory(err);
    m->material[m->material_count++] = (Material){ .name = "(none)", .density = WATER };
    for (int i = 0; i < scene->material_count; i++) {
        const SceneMaterial *s = &scene->materials[i];
        ok = check_material(s, err) && ok;
        if (find(m, s->def.name) >= 0) {
            ok = fail(err, s->at, "material '%s': the name is taken; names must be unique",
                      s->def.name);
        }
        Material row = { pool_text(&m->pool, s->def.name), s->def.friction_static,
                         s->def.friction_dynamic, s->def.restitution,
                         s->def.density > 0 ? s->def.density : WATER };
        if (!row.name) return fail_memory(err);
        m->material[m->material_count++] = row;
        if (!s->friction_given) {
            model_warn(m, s->at, "material '%s': no friction given; it is taken as 0", s->def.name);
        }
        if (!s->restitution_given) {
            model_warn(m, s->at, "material '%s': no restitution given; it is taken as 0",
                       s->def.name);
        }
    }
    return ok;
}

static void combine(impModel *m) {
    int n = m->material_count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const Material *a = &m->material[i];
            const Material *b = &m->material[j];
            m->pair[i * n + j] = (impPairLaw){ sqrt(a->friction_static * b->friction_static),
                                               sqrt(a->friction_dynamic * b->friction_dynamic),
                                               min2(a->restitution, b->restitution), IMP_POISSON,
                                               false };
        }
    }
}

static bool unknown_material(const impModel *m, const char *name, Where at, const char *who,
                             impError *err) {
    const char *names[MOST_MATERIALS];
    int count = 0;
    for (int i = 1; i < m->material_count && count < COUNT(names); i++) {
        names[count++] = m->material[i].name;
    }
    const char *near = nearest(name, names, count);
    if (near)
        return fail(err, at, "%s: no material is called \"%s\"; did you mean \"%s\"?", who, name,
                    near);
    return fail(err, at, "%s: no material is called \"%s\"; it must be one of \"materials\"", who,
                name);
}

static bool build_pair(impModel *m, const ScenePair *s, impError *err) {
    char who[300];
    print_text(who, sizeof who, "pair '%s', '%s'", s->def.between[0], s->def.between[1]);
    int a = find(m, s->def.between[0]);
    int b = find(m, s->def.between[1]);
    int n = m->material_count;
    bool ok = check_friction(s->def.friction_static, s->def.friction_dynamic, s->at, who, err);
    ok = check_restitution(s->def.restitution, s->at, who, err) && ok;
    if ((int)s->def.law < IMP_POISSON || (int)s->def.law > IMP_NEWTON) {
        ok = fail(err, s->at, "%s: law %d is unknown; it must be poisson, stronge or newton", who,
                  (int)s->def.law);
    }
    if (a < 0) {
        ok = unknown_material(m, s->def.between[0], s->at, who, err);
    }
    if (b < 0) {
        ok = unknown_material(m, s->def.between[1], s->at, who, err);
    }
    if (a < 0 || b < 0) return false;
    if (m->pair[a * n + b].listed)
        return fail(err, s->at, "%s: listed twice; a pair must be listed once", who);
    if (!s->friction_given) {
        model_warn(m, s->at, "%s: no friction given; it is taken as 0", who);
    }
    if (!s->restitution_given) {
        model_warn(m, s->at, "%s: no restitution given; it is taken as 0", who);
    }
    m->pair[a * n + b] = m->pair[b * n + a] = (impPairLaw){ s->def.friction_static,
                                                            s->def.friction_dynamic,
                                                            s->def.restitution, s->def.law, true };
    return ok;
}

bool model_build_materials(impModel *m, const impScene *scene, impError *err) {
    if (scene->material_count > MOST_MATERIALS)
        return fail_as(err, IMP_AT_LIMIT, (Where){ scene->file, 0, 0 },
                       "scene: %d materials; at most %d are possible", scene->material_count,
                       MOST_MATERIALS);
    bool ok = build_rows(m, scene, err);
    if (!m->material) return false;
    m->pair = POOL_TAKE(&m->pool, impPairLaw,
                        (size_t)m->material_count * (size_t)m->material_count);
    if (!m->pair) return fail_memory(err);
    combine(m);
    for (int i = 0; i < scene->pair_count; i++) {
        ok = build_pair(m, &scene->pairs[i], err) && ok;
    }
    return ok;
}

int model_find_material(const impModel *m, const char *name, Where at, const char *who,
                        impError *err) {
    if (!name) return 0;
    int i = find(m, name);
    if (i < 0) {
        unknown_material(m, name, at, who, err);
    }
    return i;
}
