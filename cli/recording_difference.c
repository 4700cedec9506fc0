// recording_difference.c -- where two recordings part: the first frame whose bits differ, and the
// first number in it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

typedef struct Side {
    const char *path;
    impRecording *recording;
    impState *state;
    impFrame frame;
} Side;

static int open_side(Cli *cli, Side *side, const char *path) {
    *side = (Side){ .path = path };
    int kind = cli_refuse_kind(path, FILE_RECORDING);
    if (kind) return kind;
    side->recording = impRecording_Open(path, &cli->err);
    if (!side->recording) return cli_input_fault(&cli->err);
    side->state = impState_New(impRecording_Model(side->recording));
    return side->state ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

static void close_side(Side *side) {
    impState_Free(side->state);
    impRecording_Free(side->recording);
}

// EXIT_OK; *more is whether there was a frame.
static int next_frame(Cli *cli, Side *side, bool *more) {
    int got = impRecording_Next(side->recording, side->state, &side->frame, &cli->err);
    *more = got == 1;
    return got < 0 ? cli_input_fault(&cli->err) : EXIT_OK;
}

// The second state as one of the first's model: they have equally many numbers.
static void tell_number(Cli *cli, const Side *a, const Side *b, char *text, size_t size) {
    const impModel *model = impRecording_Model(a->recording);
    impState *other = impState_New(model);
    text[0] = 0;
    if (other && impState_SetData(model, other, impState_Data(b->state), impModel_StateSize(model),
                                  &cli->err)) {
        impState_Difference(model, a->state, other, text, size);
    }
    impState_Free(other);
}

static int tell_frame(Cli *cli, const Side *a, const Side *b, const char *else_what) {
    char text[400];
    tell_number(cli, a, b, text, sizeof text);
    const char *what = strncmp(text, "first difference: ", 18) == 0 ? text + 18 : text;
    printf("first difference: step %lld, t = %s s: %s\n", (long long)a->frame.step,
           cli_exact_17(impState_Time(a->state)).text, text[0] ? what : else_what);
    printf("  %s: %016llx\n  %s: %016llx\n", a->path, (unsigned long long)a->frame.hash, b->path,
           (unsigned long long)b->frame.hash);
    return EXIT_CHECK;
}

// --- what differs, where the state does not ------------------------------------------------------
static bool same(impVec3 a, impVec3 b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool same_contact(const impContact *a, const impContact *b) {
    return a->a.i == b->a.i && a->b.i == b->b.i && same(a->point, b->point) &&
           same(a->normal, b->normal) && same(a->impulse, b->impulse) &&
           same(a->before, b->before) && same(a->after, b->after) && a->gap == b->gap &&
           a->friction == b->friction && a->restitution == b->restitution &&
           a->feature == b->feature && a->time == b->time && a->energy == b->energy &&
           a->driven == b->driven && a->mode == b->mode && a->micro == b->micro;
}

static bool same_turn(const impVelocityChange *a, const impVelocityChange *b) {
    return a->body.i == b->body.i && a->time == b->time &&
           memcmp(&a->pose, &b->pose, sizeof a->pose) == 0 &&
           memcmp(&a->twist, &b->twist, sizeof a->twist) == 0;
}

static bool same_contacts(const impContact *a, int n, const impContact *b, int m) {
    for (int i = 0; n == m && i < n; i++) {
        if (!same_contact(&a[i], &b[i])) return false;
    }
    return n == m;
}

static bool same_turns(const impFrame *a, const impFrame *b) {
    for (int i = 0;
         a->velocity_change_count == b->velocity_change_count && i < a->velocity_change_count;
         i++) {
        if (!same_turn(&a->velocity_change[i], &b->velocity_change[i])) return false;
    }
    return a->velocity_change_count == b->velocity_change_count;
}

// NULL: nothing
static const char *what_differs(const impFrame *a, const impFrame *b) {
    if (a->hash != b->hash) return "its state";
    if (a->step != b->step) return "the number of its step";
    if (!same_contacts(a->contact, a->contact_count, b->contact, b->contact_count))
        return "the contacts before it";
    if (!same_turns(a, b)) return "the turns before it";
    if (!same_contacts(a->sleeping_contact, a->sleeping_contact_count, b->sleeping_contact,
                       b->sleeping_contact_count))
        return "what carries the sleepers";
    if (a->events != b->events || a->contacts != b->contacts) return "its counts";
    if (memcmp(&a->energy, &b->energy, sizeof a->energy) != 0 ||
        memcmp(&a->momentum, &b->momentum, sizeof a->momentum) != 0 ||
        memcmp(&a->causes, &b->causes, sizeof a->causes) != 0)
        return "its energies or momenta";
    return memcmp(&a->worst, &b->worst, sizeof a->worst) != 0 ? "its certificate" : NULL;
}

static int tell_runs(const char *what, const char *a, const char *b) {
    printf("the frames are equal; %s: '%s', '%s'\n", what, a, b);
    return EXIT_CHECK;
}

static Number tolerance_of(const impRunInfo *run) {
    return cli_exact(run->tolerance > 0 ? run->tolerance : CLI_TOLERANCE);
}

static int compare_runs(const Side *a, const Side *b) {
    impRunInfo x = impRecording_Run(a->recording);
    impRunInfo y = impRecording_Run(b->recording);
    impRunEnd e = impRecording_End(a->recording);
    impRunEnd f = impRecording_End(b->recording);
    if (strcmp(x.method, y.method) != 0) return tell_runs("the methods differ", x.method, y.method);
    if (x.dt != y.dt)
        return tell_runs("the steps differ", cli_exact(x.dt).text, cli_exact(y.dt).text);
    if (x.end != y.end)
        return tell_runs("the times asked for differ", cli_exact(x.end).text,
                         cli_exact(y.end).text);
    if (x.seed != y.seed)
        return tell_runs("the seeds differ", cli_exact((double)x.seed).text,
                         cli_exact((double)y.seed).text);
    if (x.tolerance != y.tolerance)
        return tell_runs("the tolerances differ", tolerance_of(&x).text, tolerance_of(&y).text);
    const char *rule_x = x.on_violation ? x.on_violation : "stop";
    const char *rule_y = y.on_violation ? y.on_violation : "stop";
    if (strcmp(rule_x, rule_y) != 0)
        return tell_runs("what a verdict does differs", rule_x, rule_y);
    if (strcmp(e.status, f.status) != 0)
        return tell_runs("they ended differently", e.status, f.status);
    return strcmp(e.reason, f.reason) != 0
               ? tell_runs("the reasons why they ended differ", e.reason, f.reason)
               : EXIT_OK;
}

static int compare_frames(Cli *cli, Side *a, Side *b) {
    for (;;) {
        bool more_a, more_b;
        int code = next_frame(cli, a, &more_a);
        if (code == EXIT_OK) {
            code = next_frame(cli, b, &more_b);
        }
        if (code) return code;
        if (!more_a && !more_b) return compare_runs(a, b);
        if (more_a != more_b) {
            const Side *longer = more_a ? a : b;
            const Side *shorter = more_a ? b : a;
            printf("%s ends before step %lld, %s goes on\n", shorter->path,
                   (long long)longer->frame.step, longer->path);
            return EXIT_CHECK;
        }
        const char *what = what_differs(&a->frame, &b->frame);
        if (what) return tell_frame(cli, a, b, what);
    }
}

static int compare(Cli *cli, Side *a, Side *b) {
    const impModel *x = impRecording_Model(a->recording);
    const impModel *y = impRecording_Model(b->recording);
    if (impModel_StateSize(x) != impModel_StateSize(y) ||
        impModel_BodyCount(x) != impModel_BodyCount(y)) {
        printf("the recordings are of different scenes\n  %s: %s, %d bodies\n  %s: %s, %d bodies\n",
               a->path, impRecording_Run(a->recording).name, impModel_BodyCount(x) - 1, b->path,
               impRecording_Run(b->recording).name, impModel_BodyCount(y) - 1);
        return EXIT_CHECK;
    }
    int code = compare_frames(cli, a, b);
    if (code == EXIT_OK && !cli->opt.quiet) {
        printf("equal\n");
    }
    return code;
}

int cli_recording_difference(Cli *cli, const char *first, const char *second) {
    Side a = { 0 }, b = { 0 };
    int code = open_side(cli, &a, first);
    if (code == EXIT_OK) {
        code = open_side(cli, &b, second);
    }
    if (code == EXIT_OK) {
        code = compare(cli, &a, &b);
    }
    close_side(&a);
    close_side(&b);
    return code;
}

int cli_recording_hash(Cli *cli, const char *path) {
    Side side;
    bool more = true;
    int code = open_side(cli, &side, path);
    while (code == EXIT_OK && more) {
        code = next_frame(cli, &side, &more);
    }
    if (code == EXIT_OK) {
        printf("%016llx  %s\n", (unsigned long long)side.frame.hash, path);
    }
    close_side(&side);
    return code;
}
