// cli.h -- the door of cli/: what the commands of `impel` share.
//
// The command line is the first customer of impel.h and sees nothing else of the library. Results
// go to stdout, people's things (warnings, notes, progress) to stderr. A new command is a file here
// and a row in commands.c; a new option is a row in options.c and reads the same in every command
// that takes it.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

#include <stdio.h>

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 2,          // the command line makes no sense
    EXIT_INPUT = 3,          // a scene or mesh makes no sense, or cannot be read
    EXIT_CHECK = 4,          // a certificate, a check or a solver failed
    EXIT_LIMIT = 5,          // a named limit or memory
    EXIT_IO = 6,             // output could not be written
    EXIT_FAILED_TRIALS = 7,  // some trials of many failed; the others count
    EXIT_DAMAGED = 8,        // a recording is damaged or of another version
    EXIT_BUG = 70,           // ours
    EXIT_SIGNAL = 128        // plus the signal: 130 after Ctrl-C
};

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

// --- options.c -----------------------------------------------------------------------------------
enum {
    FOR_RUN = 1,
    FOR_INFO = 2,
    FOR_LIST = 4,
    FOR_HASH = 8,
    FOR_VALIDATE = 16,
    FOR_HELP = 32,
    FOR_IMPACT = 64,
    FOR_BENCH = 128,
    FOR_CONVERT = 256,
    FOR_VIEW = 512,
    FOR_COMPARE = 1024,
    FOR_REPLAY = 2048,
    FOR_POSES = 4096,
    FOR_SOLVE = 8192,
    FOR_ALL = 16383
};

typedef struct Options {
    bool help, json, quiet, strict, allow_path, force, list, markdown, all, pairs, field, stats,
        accept, salvage;
    double time;                         // s; negative: not said
    double dt, every;                    // s; 0: not said
    double stats_from, stats_to;         // s; negative: not said
    double band;                         // m; 0: not said
    double tolerance;                    // of the certificate; 0: not said
    double scale;                        // 0: 1
    int64_t from;                        // step
    int64_t every_steps, threads, seed;  // threads 0: one for each core
    int64_t shock_propagation;           // sweeps before it; 0: not said
    int64_t directions;                  // of a polyhedral friction cone; 0: not said
    int64_t max_bodies, max_triangles, max_nesting, max_file_bytes;  // 0: the library's own limits
    const char *methods, *dts;                                       // of compare: lists
    const char *method, *output, *contacts, *errors, *scenes, *only, *on_violation, *solver;
    const char *prediction, *scheme;
    struct {
        const char *k, *u, *mu, *mu_static, *mu_dynamic, *e, *law;
    } impact;  // as written; NULL: not said
    struct {   // 0, NULL: not said
        double height, ci, density, mass, drag, dwell;
        int64_t drops, trial;  // trial negative: not said
        const char *orientation, *spin, *velocity, *device, *surface, *journal, *shard, *join,
            *check;
        bool settle, resume;
    } poses;
    char **args;  // what is no option, in order
    int arg_count;
} Options;

typedef struct Cli Cli;
typedef struct Command {
    const char *name;
    unsigned bit;          // FOR_RUN ...: which options it takes
    const char *about;     // one line
    const char *usage;     // what follows the name
    const char *more;      // paragraphs of help
    int (*run)(Cli *cli);  // the exit code
} Command;

struct Cli {  // one per process: impError is too large for a frame
    const Command *command;
    Options opt;
    impError err;
};

// the words after the command; EXIT_OK or EXIT_USAGE
int cli_parse(Cli *cli, int argc, char **argv);
void cli_print_options(unsigned bit, FILE *out);
void cli_print_limits(FILE *out);
impLoadDef cli_load_def(const Options *opt);
bool cli_read_number(const char *text, double *value);  // the whole text, a plain decimal, finite
// "a,b,c": exactly count numbers
bool cli_read_list(const char *text, int count, double *values);
// The same for an option that was taken as text: EXIT_OK, or EXIT_USAGE and said how to write it.
int cli_take(const char *name, const char *text, const char *form, int count, double *values);
int cli_take_law(const char *text, impLaw *law);  // text NULL: law stays
const char *cli_law(impLaw law);

// --- commands.c ----------------------------------------------------------------------------------
extern const Command cli_commands[];
extern const int cli_command_count;
const Command *cli_find_command(const char *name);
const char *cli_nearest_command(const char *name);       // NULL: nothing is near
void cli_print_help(const Command *command, FILE *out);  // NULL: of the program
int cli_run(Cli *cli);
int cli_info(Cli *cli);
int cli_list(Cli *cli);
int cli_hash(Cli *cli);
int cli_impact(Cli *cli);
int cli_validate(Cli *cli);
int cli_bench(Cli *cli);
int cli_help(Cli *cli);
int cli_compare(Cli *cli);
int cli_convert(Cli *cli);
int cli_view(Cli *cli);
int cli_poses(Cli *cli);
int cli_replay(Cli *cli);
int cli_solve(Cli *cli);
// two traces, two recordings
int cli_trace_difference(Cli *cli, const char *first, const char *second);
int cli_recording_difference(Cli *cli, const char *first, const char *second);
// of its last state
int cli_recording_hash(Cli *cli, const char *path);

// --- errors.c ------------------------------------------------------------------------------------
void cli_errors_as_json(bool yes);
// whose messages these are: "impel run: ..."
void cli_name(const char *command);
// prints and returns EXIT_USAGE
int cli_usage(const char *format, ...) PRINTF_LIKE(1, 2);
int cli_fail(int code, const char *format, ...) PRINTF_LIKE(2, 3);  // prints and returns code
void cli_note(const char *kind, const char *text);                  // "warning: text" on stderr
// prints all messages; the exit code for what was read
int cli_input_fault(const impError *err);
int cli_output_fault(const impError *err);  // the same for what was written
// by edit distance, or NULL
const char *cli_nearest(const char *word, const char *const *words, int count);

// --- file_kind.c ---------------------------------------------------------------------------------
typedef enum FileKind {
    FILE_UNKNOWN,
    FILE_SCENE,
    FILE_STL,
    FILE_OBJ,
    FILE_RECORDING,
    FILE_TRACE,
    FILE_LINES,
    FILE_TABLE,
    FILE_PAGE,
    FILE_ANIMATION,
    FILE_POSES,
    FILE_REPORT
} FileKind;
// EXIT_INPUT where a file is plainly of another kind: said what it is and who takes it. FILE_STL
// stands for any mesh.
int cli_refuse_kind(const char *path, FileKind wanted);

// --- output.c ------------------------------------------------------------------------------------
typedef struct Number {
    char text[32];
} Number;
Number cli_exact(double x);     // the fewest digits that read back equal
Number cli_exact_17(double x);  // 17 significant digits, as files of samples have
Number cli_short(double x);     // 6 digits, for tables that people read
bool cli_colour(FILE *out);
// flushes; code, or EXIT_IO when stdout did not take all
int cli_finish_stdout(int code);
bool cli_stdout_broken(void);  // to end long output early

// Rows of text, aligned when printed. align has a letter per column, l or r. With head, the first
// row is a heading.
typedef struct Table {
    const char *align;
    bool head;
    int indent;
    char *text;  // cells one after the other, each ended by a zero
    size_t used, room, cells;
    bool broken;  // out of memory
} Table;
void cli_cell(Table *table, const char *format, ...) PRINTF_LIKE(2, 3);
bool cli_table_print(Table *table, FILE *out);  // and empties it; false: out of memory
void cli_table_empty(Table *table);

// --- json.c --------------------------------------------------------------------------------------
typedef struct Json {
    FILE *out;
    int depth;
    bool more;
} Json;
// key NULL: in a list, or the outermost
void cli_json_open(Json *j, const char *key, char bracket);
void cli_json_close(Json *j, char bracket);
void cli_json_text(Json *j, const char *key, const char *text);  // NULL gives null
void cli_json_number(Json *j, const char *key, double value);    // null when not finite
void cli_json_count(Json *j, const char *key, int64_t value);
void cli_json_bool(Json *j, const char *key, bool value);
void cli_json_list(Json *j, const char *key, const double *values, int count);  // on one line
void cli_json_vec(Json *j, const char *key, impVec3 v);
void cli_json_raw(Json *j, const char *key);  // the caller writes the value
void cli_json_quote(FILE *out, const char *text);
// bytes that are no UTF-8 and control characters become '?'
void cli_make_plain(char *text);

// --- json_read.c: JSON in, as the command writes it ----------------------------------------------
typedef enum JsonKind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;
// key, text: in bytes
typedef struct JsonValue {
    JsonKind kind;
    size_t key, text;
    int32_t child, next;
} JsonValue;
// value[0] is the whole
typedef struct JsonTree {
    char *bytes;
    JsonValue *value;
    int32_t count, room;
} JsonTree;
// to be freed; NULL: why
char *cli_read_whole(const char *path, size_t most, size_t *length, char *why, size_t size);
// false: why; free it even so
bool cli_json_read(JsonTree *tree, const char *path, size_t most, char *why, size_t size);
bool cli_json_parse(JsonTree *tree, const char *text, size_t length, char *why, size_t size);
void cli_json_free(JsonTree *tree);
// -1: none
int32_t cli_json_find(const JsonTree *tree, int32_t object, const char *key);
// the first, -1: none
int32_t cli_json_child(const JsonTree *tree, int32_t value);
int32_t cli_json_next(const JsonTree *tree, int32_t value);
double cli_json_real(const JsonTree *tree, int32_t value, double otherwise);
// false: no whole number
bool cli_json_whole(const JsonTree *tree, int32_t value, int64_t *number);
// NULL: no text
const char *cli_json_words(const JsonTree *tree, int32_t value);

// --- outfile.c: a file that appears under its name only when whole -------------------------------
typedef struct OutFile {
    FILE *file;
    char *temporary;
    const char *path;
} OutFile;
// false: said why; --force is named
bool cli_may_write(const char *path, bool force);
bool cli_out_open(OutFile *out, const char *path, bool force);  // false: said why
// asked before long work; leaves nothing behind
bool cli_out_possible(const char *path, bool force);
int cli_write_fault(FILE *file, const char *path);  // of a file with ferror: says why; EXIT_IO
bool cli_out_commit(OutFile *out);
void cli_out_abandon(OutFile *out);
bool cli_same_file(const char *a, const char *b);  // both exist and are one

// --- signals.c -----------------------------------------------------------------------------------
void cli_hold_streams(void);  // before any file is opened
void cli_catch_signals(void);
int cli_caught(void);  // 0, or the signal that asks us to end

// --- violation.c: what is done about a verdict ---------------------------------------------------
#define CLI_TOLERANCE 1e-9  // of a certificate, relative: the stepper's own
typedef enum OnViolation { ON_STOP, ON_WARN, ON_RETRY } OnViolation;
typedef struct Insist {
    const impModel *model;
    impStepper *stepper;
    impStepper *lenient;  // of warn, else NULL
    OnViolation rule;
    impState *before;
    impContact *contact;  // of a step in parts
    impVelocityChange *velocity_change;
    int contact_room, velocity_change_room;
    int parts;               // of the last step; 0: it was taken as a whole
    bool excused;            // its certificate is off, and it counts all the same
    char why[560], off[16];  // what the first try got; which part of the certificate was off, or ""
} Insist;
// false: there is none of that name
bool cli_rule_of(const char *name, OnViolation *rule);
const char *cli_rule_name(OnViolation rule);
// EXIT_OK, or the code; said why
int cli_insist_open(Insist *in, Cli *cli, const impModel *model, const impStepperDef *def,
                    OnViolation rule);
// one step, whatever it takes; lists are valid until the next
impOutcome cli_insist(Insist *in, impState *state, double h);
void cli_insist_close(Insist *in);

// --- world.c: a scene made ready to run, and its clock -------------------------------------------
enum { NOTES = 8 };
typedef struct World {
    const char *path;
    impScene *scene;
    impModel *model;
    impState *state, *spare;
    Insist insist;     // has the stepper
    double dt, end;    // s
    int64_t in_parts;  // steps that were taken in parts
    double tolerance;  // of the certificate; 0: the stepper's own
    int64_t step;      // the state is at cli_time_of(world, step)
    int note_count;
    char notes[NOTES][160];  // what was assumed because it was not given
} World;
// EXIT_OK, or the code; said why
int cli_world_open(World *world, Cli *cli, const char *path);
void cli_world_close(World *world);
// exactly step dt, the last one exactly end
double cli_time_of(const World *world, int64_t step);
bool cli_world_done(const World *world);
bool cli_has_contacts(const char *method);
// what every reader must know; NULL: nothing
const char *cli_world_warning(const World *world);
impOutcome cli_world_step(World *world);  // to the next border
// for a recording; text may be NULL
impRunInfo cli_world_info(const World *world, const Cli *cli, const char *name, const char *text);
// says it; the exit code
int cli_world_fault(const World *world, const char *text, impVerdict verdict);
// s, of a clock that only goes forward
double cli_wall(void);
int cli_core_count(void);

// --- tally.c: what a run adds up, and how it is told ---------------------------------------------
enum { CERTIFICATE_FIELDS = (int)(sizeof(impCertificate) / sizeof(double)) };
// characters of a verdict, with its step
enum { REASON = 600 };
typedef struct Tally {
    impEnergy initial;
    impCertificate worst, limit;  // of every field the largest in size, with its sign, and what was
                                  // allowed in that step
    double gap;                   // m: the smallest of all steps; HUGE_VAL: no bodies were near
    int64_t steps, events, contacts, iterations, samples;
    bool output_whole, contacts_whole;  // -o and --contacts are there, under their names
    int64_t pair_checks;                // of all pairs: all_pairs.c
    int64_t halved, parts;  // steps that were taken in parts, and in how many: violation.c
    int64_t violations;     // that did not stop the run,
    int64_t beyond[CERTIFICATE_FIELDS];  //   by the field that was off, the first of each step
    int64_t energy_gains, unconverged;   // impacts that created energy; micro-steps that did not
                                         // converge
    const char *status;   // "complete", "interrupted", "stopped", "violated": by its certificate
    char reason[REASON];  // why stopped
    double wall;
    impStats *stats;  // of the whole run: where its energy went
    impStats *pairs;  // of the window of --stats; NULL: there is none, or it is the whole run
    double from, to;  // s: that window
} Tally;
bool cli_tally_add(Tally *tally, const impOutcome *outcome);  // false: no memory
void cli_tally_violation(Tally *tally, const char *field);    // one that did not stop the run
void cli_tally_json(const Tally *tally, const World *world, const Options *opt, FILE *out);
// of every field the larger in size
void cli_certificate_add(impCertificate *worst, const impCertificate *now);
// the same of their certificates, with its limit
void cli_outcome_add(impOutcome *sum, const impOutcome *part);
// a list, with units and words
void cli_certificate_json(Json *j, const char *key, const impCertificate *worst);
bool cli_tally_print(const Tally *tally, const World *world, const Options *opt, FILE *out);

// --- all_pairs.c: no contact missed --------------------------------------------------------------
// If it is time for it, by the clock of the state's world; counts it. False: two overlap, and the
// outcome says so.
bool cli_all_apart(const World *clock, const impModel *m, const impState *s, const char *method,
                   int64_t *looks, impOutcome *outcome);

// --- carry.c: forces of sleepers -----------------------------------------------------------------
typedef struct Carried {
    impPose *at;            // by body: where it sleeps; zero: it does not
    impContact *all, *now;  // a second's worth; those of this step
    int count, room;
    bool known;
} Carried;
// within the last step; false: no memory
bool cli_carry(Carried *c, const World *w, double from, double to, impOutcome *out);
void cli_carry_free(Carried *c);

// --- sinks.c: where a run goes, by the ending of its name; live or from a recording --------------
typedef struct Source {  // what is run; valid while the sink is open
    const impScene *scene;
    const impModel *model;
    impRunInfo run;
} Source;
typedef struct SinkKind {
    const char *ending;  // ".glb"
    bool fine;           // wants every step; else some sixty frames a second are enough
    int (*open)(Cli *cli, const Source *source, const char *path, void **sink);  // EXIT_OK, or the
                                                                                 // code; said why
    int (*add)(void *sink, const impState *state, const impFrame *frame);  // EXIT_OK, or the code;
                                                                           // said why
    int (*close)(void *sink, const impRunEnd *end);                        // commits; frees, always
    void (*abandon)(void *sink);                                           // leaves no file; frees
} SinkKind;
// NULL: no such ending; said so
const SinkKind *cli_find_sink(const char *path);
bool cli_ends_with(const char *path, const char *ending);
extern const SinkKind cli_sink_glb;   // glb.c
extern const SinkKind cli_sink_page;  // page.c
bool cli_page_possible(void);         // page_write.c; false: said why

// --- record.c: a run and its sink ----------------------------------------------------------------
typedef struct Record {
    Cli *cli;
    World *world;
    const SinkKind *kind;
    void *sink;  // NULL: nothing is recorded
    Source source;
    impFrames *frames;
    Carried carried;
    char *text;               // the scene as it was written, or NULL
    char name[300];           // of its file
    int64_t sample, samples;  // the next one is at sample * every; how many there were
    double every, sampled;    // time of the last one
} Record;
// What -o of a run without --every samples: some sixty frames a second, and more of a short run.
double cli_frame_interval(double end);
// EXIT_OK, or the code; said why
int cli_record_open(Record *r, Cli *cli, World *world, const SinkKind *kind, const char *path);
// those of the coming step; a verdict that is none of ours: EXIT_CHECK
int cli_record_samples(Record *r, impOutcome *outcome);
int cli_record_step(Record *r, const impOutcome *outcome);  // after every step
// code, or the one that closing gave; *samples is -1 where there is no file
int cli_record_close(Record *r, int code, const impRunEnd *end, int64_t *samples);
// to its end: EXIT_OK, or the code; said why
int cli_record_run(Record *r, impRunEnd *end, char *reason, size_t size);
void cli_record_free(Record *r);
const char *cli_file_of(const char *path);  // without its folders

// --- failure.c: the last steps before a verdict --------------------------------------------------
enum { KEPT_STATES = 5 };
typedef struct Failure {
    const World *world;
    impState *state[KEPT_STATES];
    int64_t step[KEPT_STATES], kept;
} Failure;
bool cli_failure_open(Failure *f, const World *world);  // false: no memory
void cli_failure_keep(Failure *f);                      // before every step
void cli_failure_back(const Failure *f, World *w);      // takes its last step back
// NAME.fail.rec, here; says so
void cli_failure_write(const Failure *f, Cli *cli, const impRunEnd *end);
void cli_failure_free(Failure *f);

// --- stats.c: what the contacts add up to --------------------------------------------------------
bool cli_stats_print(const Tally *tally, const World *world, FILE *out);
void cli_stats_json(Json *j, const Tally *tally, const World *world);
void cli_causes_json(Json *j, const impCauses *e);
