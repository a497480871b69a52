/* Whole files in and out. The argument is a folder to work in. */
#include "../support/test.h"
#include "archive_file.h"

#include <sys/stat.h>
#include <unistd.h>

static char path[4096];

static void expect_content(const char *wanted)
{
    void *bytes;
    size_t size;
    assert_ok(tci_archive_file_read(path, 100, &bytes, &size, NULL));
    assert_int_equal(size, strlen(wanted));
    assert_memory_equal(bytes, wanted, size);
    free(bytes);
}

TEST(write_replaces)
{
    struct stat info;
    (void)umask(022);
    assert_ok(tci_archive_file_write(path, "first", 5, NULL));
    expect_content("first");
    assert_ok(tci_archive_file_write(path, "2nd", 3, NULL));
    expect_content("2nd");
    assert_ok(tci_archive_file_write(path, "", 0, NULL));
    expect_content("");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
}

TEST(read_is_bounded)
{
    void *bytes;
    size_t size;
    tc_error err;
    assert_ok(tci_archive_file_write(path, "12345", 5, NULL));
    assert_status(tci_archive_file_read(path, 4, &bytes, &size, &err), TC_E_TOO_LARGE);
    assert_non_null(strstr(err.text, path));
    assert_ok(tci_archive_file_read(path, 5, &bytes, &size, &err));
    free(bytes);
}

TEST(what_is_no_file)
{
    void *bytes;
    size_t size;
    tc_error err;
    assert_status(tci_archive_file_read("/nonexistent", 9, &bytes, &size, &err),
                  TC_E_NOT_FOUND);
    assert_status(tci_archive_file_read("/", 9, &bytes, &size, &err), TC_E_IO);
    assert_status(tci_archive_file_read("/dev/zero", 9, &bytes, &size, &err), TC_E_IO);
    assert_status(tci_archive_file_write("/nonexistent/a", "", 0, &err), TC_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/a"));
    assert_status(tci_archive_file_write("/", "", 0, &err), TC_E_IO);
}

TEST(devices_stay_devices)
{
    struct stat info;
    assert_ok(tci_archive_file_write("/dev/null", "x", 1, NULL));
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

/* A fifo without a writer would wait for ever if it were opened as a file is. */
TEST(fifo_is_refused_at_once)
{
    void *bytes;
    size_t size;
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_status(tci_archive_file_read(path, 9, &bytes, &size, NULL), TC_E_IO);
    (void)unlink(path);
}

/* In a folder that others may write, other files beside the file stay unchanged. */
TEST(what_was_planted_is_left_alone)
{
    char planted[4200], victim[4200];
    struct stat info;
    (void)snprintf(planted, sizeof planted, "%s.%ld.tmp", path, (long)getpid());
    (void)snprintf(victim, sizeof victim, "%s.victim", path);
    assert_ok(tci_archive_file_write(victim, "mine", 4, NULL));
    assert_int_equal(link(victim, planted), 0);
    assert_ok(tci_archive_file_write(path, "new", 3, NULL));
    expect_content("new");
    assert_int_equal(stat(victim, &info), 0);
    assert_int_equal(info.st_size, 4);
    assert_int_equal(info.st_nlink, 2);
    (void)unlink(planted);
    (void)unlink(victim);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/test_archive_file.%ld", argv[1], (long)getpid());
    return test_run(NULL, NULL);
}
