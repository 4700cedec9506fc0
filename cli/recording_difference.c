// recording_difference.c -- where two recordings part: the first frame whose bits differ, and the first number in it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

typedef struct Side { const char *path; impRecording *recording; impState *state; impFrame frame; } Side;

static int open_side(Cli *cli, Side *side, const char *path) {
    *side = (Side){.path = path};
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
    if (other && impState_SetData(model, other, impState_Data(b->state), impModel_StateSize(model), &cli->err))
        impState_Difference(model, a->state, other, text, size);
    impState_Free(other);
}

static int tell_frame(Cli *cli, const Side *a, const Side *b) {
    char text[400];
    tell_number(cli, a, b, text, sizeof text);
    const char *what = strncmp(text, "first difference: ", 18) == 0 ? text + 18 : text;
    printf("first difference: step %lld, t = %s s: %s\n", (long long)a->frame.step, cli_exact_17(impState_Time(a->state)).text,
           text[0] ? what : "what happened before it");
    printf("  %s: %016llx\n  %s: %016llx\n", a->path, (unsigned long long)a->frame.hash, b->path,
           (unsigned long long)b->frame.hash);
    return EXIT_CHECK;
}

static bool same_frame(const impFrame *a, const impFrame *b) {
    return a->hash == b->hash && a->step == b->step && a->contacts == b->contacts && a->events == b->events &&
           memcmp(&a->causes, &b->causes, sizeof a->causes) == 0;
}

static int compare_frames(Cli *cli, Side *a, Side *b) {
    for (;;) {
        bool more_a, more_b;
        int code = next_frame(cli, a, &more_a);
        if (code == EXIT_OK) code = next_frame(cli, b, &more_b);
        if (code) return code;
        if (!more_a && !more_b) return EXIT_OK;
        if (more_a != more_b) {
            const Side *longer = more_a ? a : b, *shorter = more_a ? b : a;
            printf("%s ends before step %lld, %s goes on\n", shorter->path, (long long)longer->frame.step, longer->path);
            return EXIT_CHECK;
        }
        if (!same_frame(&a->frame, &b->frame)) return tell_frame(cli, a, b);
    }
}

static int compare(Cli *cli, Side *a, Side *b) {
    const impModel *x = impRecording_Model(a->recording), *y = impRecording_Model(b->recording);
    if (impModel_StateSize(x) != impModel_StateSize(y) || impModel_BodyCount(x) != impModel_BodyCount(y)) {
        printf("the recordings are of different scenes\n  %s: %s, %d bodies\n  %s: %s, %d bodies\n", a->path,
               impRecording_Run(a->recording).name, impModel_BodyCount(x) - 1, b->path, impRecording_Run(b->recording).name,
               impModel_BodyCount(y) - 1);
        return EXIT_CHECK;
    }
    int code = compare_frames(cli, a, b);
    if (code == EXIT_OK && !cli->opt.quiet) printf("equal\n");
    return code;
}

int cli_recording_difference(Cli *cli, const char *first, const char *second) {
    Side a = {0}, b = {0};
    int code = open_side(cli, &a, first);
    if (code == EXIT_OK) code = open_side(cli, &b, second);
    if (code == EXIT_OK) code = compare(cli, &a, &b);
    close_side(&a), close_side(&b);
    return code;
}

int cli_recording_hash(Cli *cli, const char *path) {
    Side side;
    bool more = true;
    int code = open_side(cli, &side, path);
    while (code == EXIT_OK && more) code = next_frame(cli, &side, &more);
    if (code == EXIT_OK) printf("%016llx  %s\n", (unsigned long long)side.frame.hash, path);
    close_side(&side);
    return code;
}
