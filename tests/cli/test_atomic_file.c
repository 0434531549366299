#include "cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/atomic_file.h"
#include "process.h"
#include "scratch.h"

static void nothing_is_seen_until_commit_and_nothing_is_left_after_it(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_true(atomic_file_open(&file, scratch_path("new"), false));
    fputs("hello", file.stream);
    assert_false(scratch_has("new"));
    assert_true(atomic_file_commit(&file));
    assert_string_equal(file_text(scratch_path("new")), "hello");
    assert_int_equal(scratch_count(), 1);
}

static void discarding_leaves_the_directory_as_it_was(void **unused)
{
    (void)unused;
    scratch_text("old", "precious");
    atomic_file file;
    assert_true(atomic_file_open(&file, scratch_path("old"), true));
    fputs("half", file.stream);
    atomic_file_discard(&file);
    atomic_file_discard(&file);
    assert_string_equal(file_text(scratch_path("old")), "precious");
    assert_int_equal(scratch_count(), 1);
}

static void an_existing_file_is_replaced_only_when_asked(void **unused)
{
    (void)unused;
    scratch_text("old", "precious");
    atomic_file file;
    assert_false(atomic_file_open(&file, scratch_path("old"), false));
    assert_true(atomic_file_open(&file, scratch_path("old"), true));
    fputs("better", file.stream);
    assert_true(atomic_file_commit(&file));
    assert_string_equal(file_text(scratch_path("old")), "better");
}

static void a_file_that_appeared_meanwhile_is_not_replaced(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_true(atomic_file_open(&file, scratch_path("new"), false));
    fputs("mine", file.stream);
    scratch_text("new", "theirs");
    assert_false(atomic_file_commit(&file));
    assert_string_equal(file_text(scratch_path("new")), "theirs");
    assert_int_equal(scratch_count(), 1);
}

static void a_link_is_followed_not_replaced(void **unused)
{
    (void)unused;
    scratch_text("old", "precious");
    assert_int_equal(symlink("old", scratch_path("link")), 0);
    atomic_file file;
    assert_true(atomic_file_open(&file, scratch_path("link"), true));
    fputs("better", file.stream);
    assert_true(atomic_file_commit(&file));
    struct stat status;
    assert_int_equal(lstat(scratch_path("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_string_equal(file_text(scratch_path("old")), "better");
}

static void directories_and_missing_directories_are_refused(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_false(atomic_file_open(&file, scratch_path("."), true));
    assert_false(atomic_file_open(&file, scratch_path("none/file"), true));
    assert_int_equal(scratch_count(), 0);
}

static void a_device_is_written_straight_through_and_stays(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_true(atomic_file_open(&file, "/dev/null", false));
    assert_null(file.temp_path);
    fputs("gone", file.stream);
    assert_true(atomic_file_commit(&file));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void a_full_disk_is_an_error_at_commit(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_true(atomic_file_open(&file, "/dev/full", true));
    fputs("does not fit", file.stream);
    assert_false(atomic_file_commit(&file));
}

static void another_program_can_write_the_file(void **unused)
{
    (void)unused;
    atomic_file file;
    assert_true(atomic_file_open(&file, scratch_path("plot.svg"), false));
    const char *path = atomic_file_release(&file);
    assert_non_null(path);
    char command[500];
    snprintf(command, sizeof command, "printf '<svg/>' >%s", path);
    assert_int_equal(system(command), 0);
    assert_true(atomic_file_commit(&file));
    assert_string_equal(file_text(scratch_path("plot.svg")), "<svg/>");
}

static void ctrl_c_takes_the_temporary_file_away(void **unused)
{
    (void)unused;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            signal(signals[i], SIG_DFL);
            atomic_file file;
            if (atomic_file_open(&file, scratch_path("out"), false) && scratch_count() == 1)
                raise(signals[i]);
            _exit(99);
        }
        assert_int_equal(wait_for_exit(child), 128 + signals[i]);
        assert_int_equal(scratch_count(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(nothing_is_seen_until_commit_and_nothing_is_left_after_it),
        IN_SCRATCH(discarding_leaves_the_directory_as_it_was),
        IN_SCRATCH(an_existing_file_is_replaced_only_when_asked),
        IN_SCRATCH(a_file_that_appeared_meanwhile_is_not_replaced),
        IN_SCRATCH(a_link_is_followed_not_replaced),
        IN_SCRATCH(directories_and_missing_directories_are_refused),
        IN_SCRATCH(a_device_is_written_straight_through_and_stays),
        IN_SCRATCH(a_full_disk_is_an_error_at_commit),
        IN_SCRATCH(another_program_can_write_the_file),
        IN_SCRATCH(ctrl_c_takes_the_temporary_file_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
