// poses_report.c -- what drops added up to, for people: facts, a table of poses with a bar each, doubts.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20, BAR = 20 };                // poses of a table; characters of a certain pose

// --- warnings --------------------------------------------------------------------------------------------------------
void cli_poses_warn(PosesResult *r, const char *format, ...) {
    char text[240];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_make_plain(text);
    cli_note("warning", text);
    if (r->warning_count < POSES_WARNINGS) strcpy(r->warnings[r->warning_count++], text);
}

void cli_poses_doubts(PosesResult *r) {
    const PosesCheck *c = &r->check;
    long long unresolved = r->unresolved, failed = r->failed;
    if (unresolved && r->settled) cli_poses_warn(r, "%lld of %lld drops did not come to rest in time", unresolved, (long long)r->drops);
    else if (unresolved) cli_poses_warn(r, "%lld of %lld drops are unresolved: no pose was certain within the bound on work", unresolved, (long long)r->drops);
    if (failed && r->first_failed >= 0)
        cli_poses_warn(r, "%lld of %lld drops failed; 'impel poses replay %s --trial %lld' and the same options show the first", failed,
                       (long long)r->drops, r->part->path, (long long)r->first_failed);
    else if (failed) cli_poses_warn(r, "%lld of %lld drops failed", failed, (long long)r->drops);
    if (c->beyond)
        cli_poses_warn(r, "pose %d: finer drops shift its probability by %+.4f, which is %.1f sigma and beyond the method's bias of %s",
                       c->pose, c->shift, fabs(c->shift) / c->sigma, cli_short(r->plan.bias).text);
    if (r->plan.ci > 0 && !r->interrupted && !cli_poses_sharp(r))
        cli_poses_warn(r, "--ci %s was not reached with %lld drops, the most it may take", cli_exact(r->plan.ci).text, (long long)r->plan.drops);
}

// --- facts -----------------------------------------------------------------------------------------------------------
static void motion_words(char *text, size_t size, const char *what, impVec3 v, double random, const char *unit) {
    size_t used = strlen(text);
    if (random > 0) snprintf(text + used, size - used, ", %s random up to %s %s", what, cli_short(random).text, unit);
    else if (v.x != 0 || v.y != 0 || v.z != 0)
        snprintf(text + used, size - used, ", %s %s %s %s %s", what, cli_short(v.x).text, cli_short(v.y).text, cli_short(v.z).text, unit);
}

static void part_facts(Table *t, const PosesPart *p) {
    const impPartReport *r = &p->report;
    cli_cell(t, "part"), cli_cell(t, "%s", p->path);
    cli_cell(t, "size"), cli_cell(t, "%s x %s x %s mm", cli_short(1e3 * (r->high.x - r->low.x)).text,
                                  cli_short(1e3 * (r->high.y - r->low.y)).text, cli_short(1e3 * (r->high.z - r->low.z)).text);
    cli_cell(t, "mass");
    if (p->density > 0) cli_cell(t, "%s kg, density %s kg/m^3", cli_short(r->mass).text, cli_short(p->density).text);
    else cli_cell(t, "%s kg", cli_short(r->mass).text);
    cli_cell(t, "hull");
    if (r->chord > 0) cli_cell(t, "%d corners, %d faces; up to %s mm inside the true surface", r->corners, r->faces, cli_short(1e3 * r->chord).text);
    else cli_cell(t, "%d corners, %d faces", r->corners, r->faces);
}

static void check_fact(Table *t, const PosesResult *r) {
    const PosesCheck *c = &r->check;
    if (r->settled) return;
    cli_cell(t, "check");
    if (c->drops == 0) cli_cell(t, r->interrupted ? "none: interrupted" : "none: most drops are unresolved");
    else if (c->pose < 0) cli_cell(t, "%lld drops again, more finely: too few to tell", (long long)c->drops);
    else cli_cell(t, "%lld drops again, more finely: pose %d by %+.4f, %.1f sigma; up to %.1f are chance", (long long)c->drops, c->pose,
                  c->shift, fabs(c->shift) / c->sigma, c->level);
    if (c->unresolved) cli_cell(t, "%s", ""), cli_cell(t, "%lld of them unresolved", (long long)c->unresolved);
}

static void drop_facts(Table *t, const PosesResult *r) {
    const impDropDef *d = &r->def;
    char start[400];
    const char *from = r->plan.fixed_law ? NULL : r->part->law_from;
    cli_cell(t, "law"), cli_cell(t, "%s, e %s, mu %s%s%s%s%s%s", cli_law(d->law), cli_short(d->restitution).text,
                                 cli_short(d->friction_dynamic).text,
                                 d->friction_static > d->friction_dynamic ? ", at rest " : "",
                                 d->friction_static > d->friction_dynamic ? cli_short(d->friction_static).text : "",
                                 from ? " (" : "", from ? from : "", from ? ")" : "");
    snprintf(start, sizeof start, "centre at %s m, ", cli_short(d->height).text);
    snprintf(start + strlen(start), sizeof start - strlen(start), "%s%.120s", r->plan.orientation ? "orientations of " : "any orientation",
             r->plan.orientation ? r->plan.orientation : "");
    motion_words(start, sizeof start, "velocity", d->velocity, d->velocity_random, "m/s");
    motion_words(start, sizeof start, "spin", d->spin, d->spin_random, "rad/s");
    if (d->drag > 0) snprintf(start + strlen(start), sizeof start - strlen(start), ", drag %s/s", cli_short(d->drag).text);
    cli_cell(t, "start"), cli_cell(t, "%s, seed %lld", start, (long long)d->seed);
    if (r->settled) {
        cli_cell(t, "method");
        if (r->plan.surface) cli_cell(t, "general engine, to rest on %s; a pose is the face that looks down most", r->plan.surface);
        else cli_cell(t, "general engine, to rest");
    }
    cli_cell(t, "drops");
    if (r->rate > 0) cli_cell(t, "%lld in %.3g s, %.3g a second", (long long)r->drops, r->wall, r->rate);
    else cli_cell(t, "%lld", (long long)r->drops);
    if (r->shards > 0) cli_cell(t, "shard"), cli_cell(t, "%lld of %lld", (long long)r->shard, (long long)r->shards);
    check_fact(t, r);
    cli_cell(t, "hash"), cli_cell(t, "%016llx", (unsigned long long)r->hash);
}

// --- poses -----------------------------------------------------------------------------------------------------------
// A row is a pose; where there are too many of them, all that are the same by rotation.
typedef struct Row { int pose, members; int64_t count; double quasi_static; } Row;

static Row *make_rows(const PosesResult *r, int *rows) {   // NULL: no memory
    const PosesPart *p = r->part;
    Row *row = calloc((size_t)r->rests + 1, sizeof *row);
    int *of = malloc(((size_t)r->rests + 1) * sizeof *of), count = 0;
    for (int i = 0; row && of && i < r->rests; i++) {
        int same = p->rest[i].same_as;
        bool alone = r->rests <= SHOWN || same < 0 || same >= i;
        of[i] = alone ? count++ : of[same];
        Row *to = &row[of[i]];
        if (alone) to->pose = i;
        to->members++, to->count += r->count[i], to->quasi_static += p->rest[i].quasi_static;
    }
    *rows = count;
    if (!of) free(row), row = NULL;
    free(of);
    return row;
}

static int by_count(const void *a, const void *b) {
    const Row *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->pose < y->pose ? -1 : 1;
}

static int by_pose(const void *a, const void *b) { return ((const Row *)a)->pose < ((const Row *)b)->pose ? -1 : 1; }

static void pose_row(Table *t, const PosesResult *r, const Row *row) {
    const impRest *rest = &r->part->rest[row->pose];
    double low, high, p = r->drops ? (double)row->count / (double)r->drops : 0;
    cli_poses_interval(row->count, r->drops, &low, &high);
    if (row->members > 1) cli_cell(t, "%d, of %d", row->pose, row->members);
    else if (rest->same_as != row->pose) cli_cell(t, "%d = %d", row->pose, rest->same_as);
    else cli_cell(t, "%d", row->pose);
    cli_cell(t, "%.4f", p), cli_cell(t, "%.4f to %.4f", low, high), cli_cell(t, "%.4f", row->quasi_static);
    cli_cell(t, "%.4g", 1e3 * rest->height);
    if (isfinite(rest->barrier)) cli_cell(t, "%.4g", 1e3 * rest->barrier);
    else cli_cell(t, "none");
    impVec3 n = rest->normal;
    cli_cell(t, "%.3f %.3f %.3f", n.x + 0.0, n.y + 0.0, n.z + 0.0);
    cli_cell(t, "%.*s", (int)(BAR * p + 0.5), "####################");
}

static void tell_left_out(const PosesResult *r, const Row *row, int rows, FILE *out) {
    int64_t left = 0;
    int poses = 0;
    for (int i = SHOWN; i < rows; i++) left += row[i].count, poses += row[i].members;
    if (poses) fprintf(out, "... and %d poses more, with %.4f together; --json has them all\n", poses, r->drops ? (double)left / (double)r->drops : 0);
    for (int i = 0; i < rows && i < SHOWN; i++)
        if (row[i].members > 1) {
            fprintf(out, "\"%d, of %d\": pose %d and all that it becomes by rotations of the part, together\n", row[i].pose, row[i].members, row[i].pose);
            return;
        }
}

static bool print_poses(const PosesResult *r, FILE *out) {
    static const char *const heads[] = {"pose", "probability", "95 % interval", "quasi-static", "height mm", "barrier mm", "face down", ""};
    Table t = {.align = "lrlrrrll", .head = true};
    int rows = 0;
    Row *row = make_rows(r, &rows);
    if (!row) return false;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) cli_cell(&t, "%s", heads[i]);
    if (rows > SHOWN) qsort(row, (size_t)rows, sizeof *row, by_count), qsort(row, SHOWN, sizeof *row, by_pose);
    for (int i = 0; i < rows && i < SHOWN; i++) pose_row(&t, r, &row[i]);
    fputc('\n', out);
    bool whole = cli_table_print(&t, out);
    if (whole) tell_left_out(r, row, rows, out);
    free(row);
    return whole;
}

bool cli_poses_report(const PosesResult *r, FILE *out) {
    Table t = {.align = "ll"};
    part_facts(&t, r->part);
    drop_facts(&t, r);
    if (!cli_table_print(&t, out) || !print_poses(r, out)) return false;
    fprintf(out, "\n%lld drops%s, %lld unresolved, %lld failed\n", (long long)r->drops, r->interrupted ? ", interrupted" : "",
            (long long)r->unresolved, (long long)r->failed);
    return true;
}

void cli_poses_result_free(PosesResult *r) {
    free(r->count), free(r->check.count), free(r->mark), free(r->sample);
    cli_poses_plan_free(&r->plan);
    *r = (PosesResult){0};
}
