// poses_report.c -- what drops added up to, for people: facts, a table of poses with a bar each,
// doubts.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// poses of a table; characters of a certain pose
enum { SHOWN = 20, BAR = 20 };

// --- warnings ------------------------------------------------------------------------------------
void cli_poses_warn(PosesResult *r, const char *format, ...) {
    char text[sizeof r->warnings[0]];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_make_plain(text);
    cli_note("warning", text);
    if (r->warning_count < POSES_WARNINGS) {
        strcpy(r->warnings[r->warning_count++], text);
    }
}

static void doubt_drops(PosesResult *r) {
    long long drops = r->usual.drops;
    long long unresolved = r->usual.unresolved;
    long long failed = r->usual.failed;
    if (unresolved && r->settled) {
        cli_poses_warn(r, "%lld of %lld drops did not come to rest in time", unresolved, drops);
    } else if (unresolved) {
        cli_poses_warn(
            r, "%lld of %lld drops are unresolved: no pose was certain within the bound on work",
            unresolved, drops);
    }
    if (failed && r->first_failed >= 0) {
        cli_poses_warn(r,
                       "%lld of %lld drops failed; 'impel poses replay %s --trial %lld' and the "
                       "same options show the first",
                       failed, drops, r->part->path, (long long)r->first_failed);
    } else if (failed) {
        cli_poses_warn(r, "%lld of %lld drops failed", failed, drops);
    }
}

void cli_poses_doubts(PosesResult *r) {
    const impDropCheck *c = &r->check;
    doubt_drops(r);
    if (c->beyond) {
        cli_poses_warn(r,
                       "pose %d: finer drops shift its probability by %+.4f, which is %.1f sigma "
                       "and more than %s",
                       r->part->family[c->family].lowest, c->shift, fabs(c->shift) / c->sigma,
                       cli_short(IMP_CHECK_TOLERANCE).text);
    }
    if (r->plan.ci > 0 && !r->interrupted && impDropTally_Widest(&r->usual) > r->plan.ci) {
        cli_poses_warn(r, "--ci %s was not reached with %lld drops, the most it may take",
                       cli_exact(r->plan.ci).text, (long long)r->plan.drops);
    }
}

// --- facts ---------------------------------------------------------------------------------------
static void motion_words(char *text, size_t size, const char *what, impVec3 v, double random,
                         const char *unit) {
    size_t used = strlen(text);
    if (random > 0) {
        snprintf(text + used, size - used, ", %s random up to %s %s", what, cli_short(random).text,
                 unit);
    } else if (v.x != 0 || v.y != 0 || v.z != 0) {
        snprintf(text + used, size - used, ", %s %s %s %s %s", what, cli_short(v.x).text,
                 cli_short(v.y).text, cli_short(v.z).text, unit);
    }
}

static void part_facts(Table *t, const PosesPart *p) {
    const impPartReport *r = &p->report;
    cli_cell(t, "part");
    cli_cell(t, "%s", p->path);
    cli_cell(t, "size");
    cli_cell(t, "%s x %s x %s mm", cli_short(1e3 * (r->high.x - r->low.x)).text,
             cli_short(1e3 * (r->high.y - r->low.y)).text,
             cli_short(1e3 * (r->high.z - r->low.z)).text);
    cli_cell(t, "mass");
    if (p->density > 0) {
        cli_cell(t, "%s kg, density %s kg/m^3", cli_short(r->mass).text,
                 cli_short(p->density).text);
    } else {
        cli_cell(t, "%s kg", cli_short(r->mass).text);
    }
    cli_cell(t, "hull");
    if (r->chord > 0) {
        cli_cell(t, "%d corners, %d faces; up to %s mm inside the true surface", r->corners,
                 r->faces, cli_short(1e3 * r->chord).text);
    } else {
        cli_cell(t, "%d corners, %d faces", r->corners, r->faces);
    }
}

static const char *why_no_check(const PosesResult *r) {
    if (r->plan.check == IMP_CHECK_NONE) return "none: --check none";
    return r->interrupted ? "none: interrupted" : "none: too few drops";
}

static void check_fact(Table *t, const PosesResult *r) {
    const impDropCheck *c = &r->check;
    if (r->settled) return;
    cli_cell(t, "check");
    if (c->drops == 0) {
        cli_cell(t, "%s", why_no_check(r));
        return;
    }
    if (!(c->bound > 0)) {
        cli_cell(t, "%lld drops again, more finely: too few to tell", (long long)c->drops);
        return;
    }
    cli_cell(t, "%lld drops again, more finely: no probability is off by more than %.4f (95 %%)",
             (long long)c->drops, c->bound);
    if (c->family >= 0) {
        cli_cell(t, "%s", "");
    }
    if (c->family >= 0) {
        cli_cell(t, "largest shift: pose %d by %+.4f, %.1f sigma; up to %.1f are chance",
                 r->part->family[c->family].lowest, c->shift, fabs(c->shift) / c->sigma, c->level);
    }
    if (!c->unresolved) return;
    cli_cell(t, "%s", "");
    cli_cell(t, "%lld of them unresolved", (long long)c->unresolved);
}

// How poses are joined, where any are.
static void family_fact(Table *t, const PosesResult *r) {
    const PosesPart *p = r->part;
    int joined = 0;
    for (int i = 0; i < p->families; i++) {
        joined += p->family[i].members > 1;
    }
    if (joined == 0) return;
    cli_cell(t, "families");
    cli_cell(t,
             "%d poses in %d: one where no pass between them is higher than %s of the height of "
             "the lowest (--join)",
             p->rests, p->families, cli_short(p->report.join).text);
    if (r->usual.rolled == 0) return;
    cli_cell(t, "%s", "");
    cli_cell(t, "%lld drops were still rolling within their family", (long long)r->usual.rolled);
}

static void time_fact(Table *t, const PosesResult *r) {
    const PosesTime *s = &r->time;
    char text[200];
    if (!(s->all > 0)) return;
    snprintf(text, sizeof text, "%.3g s: part %.2g", s->all, s->part);
    if (r->settled) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ", scene %.2g", s->stage);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), ", drops %.3g", s->drops);
    if (!r->settled) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ", check %.2g",
                 s->check + s->stage);
    }
    if (s->page > 0.005) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ", files %.2g", s->page);
    }
    cli_cell(t, "time");
    cli_cell(t, "%s", text);
}

static void drop_facts(Table *t, const PosesResult *r) {
    const impDropDef *d = &r->def;
    char start[400];
    const char *from = r->plan.fixed_law ? NULL : r->part->law_from;
    cli_cell(t, "law");
    cli_cell(t, "%s, e %s, mu %s%s%s%s%s%s", cli_law(d->law), cli_short(d->restitution).text,
             cli_short(d->friction_dynamic).text,
             d->friction_static > d->friction_dynamic ? ", at rest " : "",
             d->friction_static > d->friction_dynamic ? cli_short(d->friction_static).text : "",
             from ? " (" : "", from ? from : "", from ? ")" : "");
    snprintf(start, sizeof start, "centre at %s m, ", cli_short(d->height).text);
    snprintf(start + strlen(start), sizeof start - strlen(start), "%s%.120s",
             r->plan.orientation ? "orientations of " : "any orientation",
             r->plan.orientation ? r->plan.orientation : "");
    motion_words(start, sizeof start, "velocity", d->velocity, d->velocity_random, "m/s");
    motion_words(start, sizeof start, "spin", d->spin, d->spin_random, "rad/s");
    if (d->drag > 0) {
        snprintf(start + strlen(start), sizeof start - strlen(start), ", drag %s/s",
                 cli_short(d->drag).text);
    }
    cli_cell(t, "start");
    cli_cell(t, "%s, seed %lld", start, (long long)d->seed);
    if (r->settled) {
        cli_cell(t, "method");
        if (r->plan.surface) {
            cli_cell(t, "general engine, to rest on %s; a pose is the face that looks down most",
                     r->plan.surface);
        } else {
            cli_cell(t, "general engine, to rest");
        }
        if (r->plan.dwell > 0) {
            cli_cell(t, "dwell");
            cli_cell(t, "%s s in one pose, where the surface moves and no pose is certain",
                     cli_short(r->plan.dwell).text);
        }
    }
    cli_cell(t, "drops");
    if (r->rate > 0) {
        cli_cell(t, "%lld, %.3g a second", (long long)r->usual.drops, r->rate);
    } else {
        cli_cell(t, "%lld", (long long)r->usual.drops);
    }
    if (r->shards > 0) {
        cli_cell(t, "shard");
        cli_cell(t, "%lld of %lld", (long long)r->shard, (long long)r->shards);
    }
    family_fact(t, r);
    check_fact(t, r);
    time_fact(t, r);
    cli_cell(t, "hash");
    cli_cell(t, "%016llx", (unsigned long long)r->usual.hash);
}

// --- poses ---------------------------------------------------------------------------------------
// A row is a class: the poses of a family, and all that a rotation of the part makes of them.
static int by_count(const void *a, const void *b) {
    const PosesClass *x = a;
    const PosesClass *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->pose < y->pose ? -1 : 1;
}

static int by_pose(const void *a, const void *b) {
    return ((const PosesClass *)a)->pose < ((const PosesClass *)b)->pose ? -1 : 1;
}

static void members_cell(Table *t, const PosesClass *class) {
    if (class->poses == 1) {
        cli_cell(t, "%s", "");
    } else if (class->families == 1) {
        cli_cell(t, "%d, one family", class->poses);
    } else if (class->families == class->poses) {
        cli_cell(t, "%d by symmetry", class->poses);
    } else {
        cli_cell(t, "%d, %d families", class->poses, class->families);
    }
}

static void class_row(Table *t, const PosesResult *r, const PosesClass *class) {
    const impRest *rest = &r->part->rest[class->pose];
    double barrier = r->part->family[class->family].barrier;
    impShare share = impShare_Of(class->count, r->usual.drops);
    cli_cell(t, "%d", class->pose);
    members_cell(t, class);
    cli_cell(t, "%.4f", share.probability);
    cli_cell(t, "%.4f to %.4f", share.low, share.high);
    cli_cell(t, "%.4f", class->quasi_static);
    cli_cell(t, "%.4g", 1e3 * rest->height);
    if (isfinite(barrier)) {
        cli_cell(t, "%.4g", 1e3 * barrier);
    } else {
        cli_cell(t, "none");
    }
    impVec3 n = rest->normal;
    cli_cell(t, "%.3f %.3f %.3f", n.x + 0.0, n.y + 0.0, n.z + 0.0);
    cli_cell(t, "%.*s", (int)(BAR * share.probability + 0.5), "####################");
}

static void tell_left_out(const PosesResult *r, const PosesClass *class, int classes, FILE *out) {
    int64_t left = 0;
    int poses = 0;
    for (int i = SHOWN; i < classes; i++) {
        left += class[i].count;
        poses += class[i].poses;
    }
    if (poses) {
        fprintf(out, "... and %d poses more, with %.4f together; --json has them all\n", poses,
                r->usual.drops ? (double)left / (double)r->usual.drops : 0);
    }
}

static bool print_poses(const PosesResult *r, FILE *out) {
    static const char *const heads[] = { "pose",          "poses",        "probability",
                                         "95 % interval", "quasi-static", "height mm",
                                         "barrier mm",    "face down",    "" };
    Table t = { .align = "rlrlrrrll", .head = true };
    int classes = 0;
    PosesClass *class = cli_poses_classes(r, &classes, NULL);
    if (!class) return false;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    if (classes > SHOWN) {
        qsort(class, (size_t)classes, sizeof *class, by_count);
        qsort(class, SHOWN, sizeof *class, by_pose);
    }
    for (int i = 0; i < classes && i < SHOWN; i++) {
        class_row(&t, r, &class[i]);
    }
    fputc('\n', out);
    bool whole = cli_table_print(&t, out);
    if (whole) {
        tell_left_out(r, class, classes, out);
    }
    free(class);
    return whole;
}

bool cli_poses_report(const PosesResult *r, FILE *out) {
    Table t = { .align = "ll" };
    const impDropTally *u = &r->usual;
    part_facts(&t, r->part);
    drop_facts(&t, r);
    if (!cli_table_print(&t, out) || !print_poses(r, out)) return false;
    fprintf(out, "\n%lld drops%s, ", (long long)u->drops, r->interrupted ? ", interrupted" : "");
    if (r->plan.surface) {
        fprintf(out, "%lld left the surface, ", (long long)u->left);
    }
    fprintf(out, "%lld unresolved, %lld failed\n", (long long)u->unresolved, (long long)u->failed);
    return true;
}

void cli_poses_result_free(PosesResult *r) {
    if (r->own_tallies) {
        impDropTally_Free(&r->usual);
        impDropTally_Free(&r->fine);
    }
    free(r->sample);
    cli_poses_plan_free(&r->plan);
    *r = (PosesResult){ 0 };
}
