// file.c -- tests of base/file.c in a folder of their own under /tmp: what is read, what is
// refused, what is left.
//
// SPDX-License-Identifier: MIT
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700  // mkdtemp
#endif
#include "test.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/impel-file-XXXXXX";
static char name[512], printed[1024];
static impError err;

static const char *in_folder(const char *file) {
    snprintf(name, sizeof name, "%s/%s", folder, file);
    return name;
}

// without the folder, whose name is chance
static const char *message(void) {
    impError_Print(&err, 0, printed, sizeof printed);
    size_t n = strlen(folder);
    return strncmp(printed, folder, n) == 0 ? printed + n + 1 : printed;
}

static void put(const char *path, const char *bytes, size_t count) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

static void holds(const char *path, const char *text) {
    char *data;
    size_t size;
    assert_true(file_read(path, 1 << 20, &data, &size, NULL));
    SAME_TEXT(data, text);
    free(data);
}

static int files_in_folder(void) {
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        count += e->d_name[0] != '.';
    }
    closedir(dir);
    return count;
}

// before each test
static int empty_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            remove(in_folder(e->d_name));
        }
    }
    closedir(dir);
    err = (impError){ 0 };
    return 0;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    empty_folder(state);
    return rmdir(folder);
}

// --- Reading -------------------------------------------------------------------------------------

static void refused(const char *path, size_t limit, impFault fault, const char *text) {
    char byte;
    char *data = &byte;
    size_t size = 7;
    assert_false(file_read(path, limit, &data, &size, &err));
    assert_null(data);
    assert_int_equal(size, 0);
    assert_int_equal(err.count, 1);
    assert_int_equal(err.fault, fault);
    SAME_TEXT(message(), text);
    err = (impError){ 0 };
}

static void a_file_is_read_whole(void **state) {
    (void)state;
    const char *path = in_folder("scene.json");
    put(path, "a\0b\n", 4);
    char *data;
    size_t size;
    assert_true(file_read(path, 4, &data, &size, &err));
    assert_int_equal(size, 4);
    // and a zero behind
    assert_memory_equal(data, "a\0b\n", 5);
    free(data);
    put(path, "", 0);
    assert_true(file_read(path, 0, &data, &size, &err));
    assert_int_equal(size, 0);
    SAME_TEXT(data, "");
    free(data);
    assert_int_equal(err.count, 0);
}

static void what_cannot_be_read_is_named(void **state) {
    (void)state;
    refused(in_folder("absent.json"), 9, IMP_BAD_FILE,
            "absent.json: cannot open; No such file or directory; it must be a readable file");
    put(in_folder("large"), "12345", 5);
    refused(name, 4, IMP_AT_LIMIT, "large: too large; 5 bytes; it may have at most 4");
    refused("/tmp", 9, IMP_BAD_FILE,
            "/tmp: cannot read; it is a directory; it must be a readable file");
    refused("/dev/null", 9, IMP_BAD_FILE,
            "/dev/null: cannot read; it is a device; it must be a readable file");
    // does not wait for a writer
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    refused(name, 9, IMP_BAD_FILE, "pipe: cannot read; it is a pipe; it must be a readable file");
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    refused(name, 9, IMP_BAD_FILE,
            "loop: cannot open; Too many levels of symbolic links; it must be a readable file");
    refused(in_folder("new\nline"), 9, IMP_BAD_FILE,
            "new?line: cannot open; No such file or directory; it must be a readable file");
    refused(NULL, 9, IMP_BAD_CALL, "cannot read; the path is NULL; it must be given");
    refused("", 9, IMP_BAD_FILE,
            "cannot open; No such file or directory; it must be a readable file");
}

static void a_path_beyond_the_system(void **state) {
    (void)state;
    static char path[6000];
    memset(path, 'x', sizeof path - 1);
    char *data;
    size_t size;
    assert_false(file_read(path, 9, &data, &size, &err));
    assert_null(output_open(path, true, &err));
    assert_int_equal(err.count, 2);
    assert_non_null(strstr(err.message[1].text, "File name too long"));
}

// Files of /proc say 0 bytes and have more, as a file does that grows while it is read.
static void a_file_that_grows_is_refused(void **state) {
    (void)state;
    refused("/proc/self/status", 1 << 20, IMP_BAD_FILE,
            "/proc/self/status: cannot read; it grew from 0 bytes meanwhile; it must not change "
            "while it is read");
}

static void with_stdin(const char *path) {
    int fd = open(path, O_RDONLY);
    assert_int_equal(dup2(fd, 0), 0);
    close(fd);
}

static void standard_input(void **state) {
    (void)state;
    enum { SIZE = 300000 };
    static char text[SIZE];
    for (int i = 0; i < SIZE; i++) {
        text[i] = (char)('a' + i % 26);
    }
    const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 131072, SIZE };
    for (int i = 0; i < COUNT(sizes); i++) {
        put(in_folder("in"), text, sizes[i]);
        // at the limit, below it, far below
        for (int over = 0; over < 3; over++) {
            with_stdin(name);
            char *data;
            size_t size;
            size_t limit = over == 2 ? SIZE_MAX : sizes[i] + (size_t)over;
            assert_true(file_read("-", limit, &data, &size, &err));
            assert_int_equal(size, sizes[i]);
            assert_memory_equal(data, text, sizes[i]);
            assert_int_equal(data[size], 0);
            free(data);
        }
    }
    with_stdin(name);
    refused("-", SIZE - 1, IMP_AT_LIMIT,
            "-: too large; more than 299999 bytes; it may have at most 299999");
    with_stdin("/tmp");
    refused("-", 9, IMP_BAD_FILE, "-: cannot read; Is a directory; it must be a readable file");
    with_stdin("/dev/null");
}

// --- Writing -------------------------------------------------------------------------------------

static Output *opened(const char *path, bool force) {
    Output *out = output_open(path, force, &err);
    if (out == NULL) {
        fail_msg("%s", message());
    }
    return out;
}

static void not_opened(const char *path, bool force, const char *text) {
    assert_null(output_open(path, force, &err));
    assert_int_equal(err.count, 1);
    SAME_TEXT(message(), text);
    err = (impError){ 0 };
}

static void a_file_appears_when_whole(void **state) {
    (void)state;
    Output *out = opened(in_folder("a"), false);
    assert_true(output_write(out, "one ", 4, &err));
    assert_true(output_write(out, NULL, 0, &err));
    assert_true(output_print(out, &err, "%s %d\n", "two", 3));
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(files_in_folder(), 1);
    assert_true(output_commit(out, &err));
    holds(name, "one two 3\n");
    assert_int_equal(files_in_folder(), 1);
}

static void an_abandoned_file_does_not(void **state) {
    (void)state;
    Output *out = opened(in_folder("a"), false);
    assert_true(output_write(out, "half", 4, &err));
    output_abandon(out);
    assert_int_equal(files_in_folder(), 0);
    output_abandon(NULL);
    assert_false(output_commit(NULL, &err));
}

static void the_old_file_goes_only_by_force(void **state) {
    (void)state;
    put(in_folder("a"), "old", 3);
    chmod(name, 0640);
    not_opened(name, false,
               "a: cannot write; it exists; an output must be a new file, or a file and forced");
    Output *out = opened(name, true);
    output_write(out, "new", 3, &err);
    holds(name, "old");
    assert_true(output_commit(out, &err));
    holds(name, "new");
    struct stat st;
    stat(name, &st);
    // private stays private
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(files_in_folder(), 1);
}

static void someone_else_was_faster(void **state) {
    (void)state;
    Output *out = opened(in_folder("a"), false);
    put(name, "theirs", 6);
    assert_false(output_commit(out, &err));
    SAME_TEXT(message(), "a: cannot write; File exists; nothing under this name has changed");
    holds(name, "theirs");
    assert_int_equal(files_in_folder(), 1);
}

static void what_cannot_be_written_is_named(void **state) {
    (void)state;
    const char *rule = "an output must be a new file, or a file and forced";
    char text[256];
    snprintf(text, sizeof text, "/tmp: cannot write; it is a directory; %s", rule);
    not_opened("/tmp", true, text);
    snprintf(text, sizeof text, "dangling: cannot write; it is a link to nothing; %s", rule);
    assert_int_equal(symlink("nowhere", in_folder("dangling")), 0);
    not_opened(name, true, text);
    not_opened(in_folder("no/such/folder"), false,
               "no/such/folder: cannot create a temporary file beside it; "
               "No such file or directory; nothing under this name has changed");
    put(in_folder("file"), "", 0);
    snprintf(text, sizeof text, "file/below: cannot write; Not a directory; %s", rule);
    not_opened(in_folder("file/below"), false, text);
    not_opened(NULL, false, "cannot write; the path is NULL; it must be given");
}

static void a_link_stays_and_its_file_is_replaced(void **state) {
    (void)state;
    put(in_folder("run7"), "old", 3);
    assert_int_equal(symlink("run7", in_folder("latest")), 0);
    Output *out = opened(name, true);
    output_write(out, "new", 3, &err);
    assert_true(output_commit(out, &err));
    struct stat st;
    assert_int_equal(lstat(in_folder("latest"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    holds(in_folder("run7"), "new");
    assert_int_equal(files_in_folder(), 2);
}

static void relative_paths(void **state) {
    (void)state;
    char before[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    Output *out = opened("plain", false);
    output_write(out, "here", 4, &err);
    assert_true(output_commit(out, &err));
    assert_int_equal(chdir(before), 0);
    holds(in_folder("plain"), "here");
}

static void a_stale_temporary_file_is_replaced(void **state) {
    (void)state;
    char stale[600];
    snprintf(stale, sizeof stale, "%s.tmp.%ld", in_folder("a"), (long)getpid());
    put(stale, "from a dead process", 19);
    Output *out = opened(name, false);
    output_write(out, "fresh", 5, &err);
    assert_true(output_commit(out, &err));
    holds(name, "fresh");
    assert_int_equal(files_in_folder(), 1);
}

static void two_writers_of_one_name(void **state) {
    (void)state;
    Output *first = opened(in_folder("a"), true);
    Output *second = opened(name, true);
    output_write(first, "first", 5, &err);
    output_write(second, "second", 6, &err);
    assert_false(output_commit(first, &err));
    SAME_TEXT(message(),
              "a: cannot find its temporary file, which someone took; No such file or directory; "
              "nothing under this name has changed");
    assert_true(output_commit(second, &err));
    holds(name, "second");
    assert_int_equal(files_in_folder(), 1);
}

// Pieces of all sizes around the buffer's, by both ways of writing.
static void buffers_do_not_show(void **state) {
    (void)state;
    const int sizes[] = { 1, 65535, 1, 1, 65536, 65537, 200000, 0, 40000, 40000, 65534, 2, 3 };
    static char letters[200001], expected[2000000];
    for (int way = 0; way < 2; way++) {
        size_t total = 0;
        Output *out = opened(in_folder("a"), true);
        for (int i = 0; i < COUNT(sizes); i++) {
            size_t n = (size_t)sizes[i];
            memset(letters, 'a' + i, n);
            letters[n] = 0;
            assert_true(way ? output_print(out, &err, "%s", letters)
                            : output_write(out, letters, n, &err));
            memcpy(expected + total, letters, n);
            total += n;
        }
        assert_true(output_commit(out, &err));
        char *data;
        size_t size;
        assert_true(file_read(name, SIZE_MAX, &data, &size, &err));
        assert_int_equal(size, total);
        assert_memory_equal(data, expected, total);
        free(data);
    }
}

static void devices_are_written_directly(void **state) {
    (void)state;
    Output *out = opened("/dev/null", false);
    assert_true(output_write(out, "gone", 4, &err));
    assert_true(output_commit(out, &err));
    out = opened("/dev/full", false);
    assert_true(output_write(out, "x", 1, &err));
    assert_false(output_commit(out, &err));
    SAME_TEXT(message(),
              "/dev/full: cannot write; No space left on device; it must take all that is written");
}

static void pipes_are_written_directly(void **state) {
    (void)state;
    char got[8] = { 0 };
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    int reader = open(name, O_RDONLY | O_NONBLOCK);
    Output *out = opened(name, false);
    assert_true(output_write(out, "water", 5, &err));
    assert_true(output_commit(out, &err));
    assert_int_equal(read(reader, got, sizeof got), 5);
    SAME_TEXT(got, "water");
    close(reader);
}

// Redirected into a file, as by a shell: goes on where the file ends, and stays open.
static void standard_output(void **state) {
    (void)state;
    int fd = open(in_folder("out"), O_WRONLY | O_CREAT, 0600);
    int keep = dup(1);
    fflush(stdout);
    dup2(fd, 1);
    bool well = write(1, "before ", 7) == 7;
    Output *out = output_open("/dev/stdout", false, &err);
    well = well && out && output_write(out, "during", 6, &err) && output_commit(out, &err);
    well = well && write(1, " after", 6) == 6;
    dup2(keep, 1);
    close(fd);
    close(keep);
    assert_true(well);
    holds(name, "before during after");
}

// The first failure is said once; all that follows fails, and so does the end.
static void after_a_failed_write_all_fail(void **state) {
    (void)state;
    static char much[100000];
    Output *out = opened("/dev/full", false);
    assert_false(output_write(out, much, sizeof much, &err));
    assert_false(output_write(out, "x", 1, &err));
    assert_false(output_print(out, &err, "x"));
    assert_false(output_commit(out, &err));
    assert_int_equal(err.count, 1);
    out = opened("/dev/full", false);
    // nobody listened
    assert_false(output_write(out, much, sizeof much, NULL));
    assert_false(output_commit(out, &err));
    assert_int_equal(err.count, 2);
}

#define IN_FOLDER(test) cmocka_unit_test_setup(test, empty_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_file_is_read_whole),
        IN_FOLDER(what_cannot_be_read_is_named),
        IN_FOLDER(a_path_beyond_the_system),
        IN_FOLDER(a_file_that_grows_is_refused),
        IN_FOLDER(standard_input),
        IN_FOLDER(a_file_appears_when_whole),
        IN_FOLDER(an_abandoned_file_does_not),
        IN_FOLDER(the_old_file_goes_only_by_force),
        IN_FOLDER(someone_else_was_faster),
        IN_FOLDER(what_cannot_be_written_is_named),
        IN_FOLDER(a_link_stays_and_its_file_is_replaced),
        IN_FOLDER(relative_paths),
        IN_FOLDER(a_stale_temporary_file_is_replaced),
        IN_FOLDER(two_writers_of_one_name),
        IN_FOLDER(buffers_do_not_show),
        IN_FOLDER(devices_are_written_directly),
        IN_FOLDER(pipes_are_written_directly),
        IN_FOLDER(standard_output),
        IN_FOLDER(after_a_failed_write_all_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
