#include "../support/test.h"
#include "cache_sample.h"
#include "engine/cache/cache_folder.h"

#include <sys/stat.h>
#include <tc/log.h>
#include <unistd.h>

#define OTHER_USER 12345
#define PATH_ROOM (CACHE_PATH_MAX + 64)

static char top[CACHE_PATH_MAX]; /* everything below happens in here */
static unsigned warnings;

static void count_warnings(void *user, tc_log_level level, const char *line)
{
    (void)user;
    (void)line;
    warnings += level <= TC_LOG_WARN;
}

static int setup(void **state)
{
    cache_folder_make(top);
    warnings = 0;
    tc_log_set_sink(count_warnings, NULL);
    (void)unsetenv("XDG_CACHE_HOME");
    (void)setenv("HOME", top, 1);
    return 0;
}

static int teardown(void **state)
{
    tc_log_set_sink(NULL, NULL);
    cache_folder_remove(top);
    return 0;
}

static void below(const char *name, char out[PATH_ROOM])
{
    (void)snprintf(out, PATH_ROOM, "%s/%s", top, name);
}

static void expect_path(const char *cache_dir, const char *expected)
{
    char path[TCI_CACHE_FOLDER_MAX];
    tc_error err;
    assert_ok(tci_cache_folder_path(cache_dir, path, &err));
    assert_string_equal(path, expected);
}

static void expect_no_path(const char *cache_dir)
{
    char path[TCI_CACHE_FOLDER_MAX];
    tc_error err;
    assert_status(tci_cache_folder_path(cache_dir, path, &err), TC_E_UNSUPPORTED);
    assert_true(err.text[0] != '\0');
}

static unsigned mode_of(const char *path)
{
    struct stat found;
    assert_int_equal(lstat(path, &found), 0);
    return found.st_mode & 07777;
}

/* A refusal as seen by the other parts of the library. */
static void expect_refused(const char *cache_dir, tc_status expected, const char *text)
{
    tci_object_cache *cache;
    tc_error err = {.status = TC_OK};
    assert_int_equal(tci_object_cache_open(cache_dir, 1 << 20, &cache, &err), expected);
    assert_int_equal(err.status, expected);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", err.text, text);
}

static void expect_no_cache(const char *cache_dir)
{
    tci_object_cache *cache = NULL;
    assert_ok(tci_object_cache_open(cache_dir, 1 << 20, &cache, NULL));
    assert_null(cache);
    assert_int_equal(warnings, 0);
}

TEST_WITH(the_option_says_where, setup, teardown)
{
    char long_path[TCI_CACHE_FOLDER_MAX + 10];
    expect_path("/a/b", "/a/b");
    expect_path("b//", "b");
    expect_path("/", "/");
    expect_path("./auto", "./auto");
    expect_no_path("");
    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    expect_path("auto", "/home/me/.cache/tchains");
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    expect_path("auto", "/home/me/.cache/tchains");
    assert_int_equal(setenv("XDG_CACHE_HOME", "", 1), 0);
    expect_path("auto", "/home/me/.cache/tchains");
    assert_int_equal(setenv("XDG_CACHE_HOME", "/c", 1), 0);
    expect_path("auto", "/c/tchains");
    memset(long_path, '/', sizeof long_path);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(setenv("XDG_CACHE_HOME", long_path, 1), 0);
    expect_no_path("auto");
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    assert_int_equal(setenv("HOME", "me", 1), 0);
    expect_no_path("auto");
    assert_int_equal(unsetenv("HOME"), 0);
    expect_no_path("auto");
    expect_no_cache("auto");
    expect_no_cache("");
}

TEST_WITH(a_missing_folder_is_made_for_its_owner_alone, setup, teardown)
{
    char path[PATH_ROOM];
    below("new", path);
    tci_object_cache_close(cache_sample_open(path, 1 << 20));
    assert_int_equal(mode_of(path), 0700);
    below("new/", path);
    tci_object_cache_close(cache_sample_open(path, 1 << 20));
    below("missing/new", path);
    expect_refused(path, TC_E_IO, "missing/new cannot be made");
}

TEST_WITH(auto_makes_parents_too, setup, teardown)
{
    char path[PATH_ROOM];
    tci_object_cache_close(cache_sample_open("auto", 1 << 20));
    below(".cache", path);
    assert_int_equal(mode_of(path), 0700);
    below(".cache/tchains", path);
    assert_int_equal(mode_of(path), 0700);
    below("x/y/z", path);
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    tci_object_cache_close(cache_sample_open("auto", 1 << 20));
    tci_object_cache_close(cache_sample_open("auto", 1 << 20));
    below("x/y/z/tchains", path);
    assert_int_equal(mode_of(path), 0700);
    assert_int_equal(warnings, 0);
}

TEST_WITH(auto_makes_no_home, setup, teardown)
{
    char path[PATH_ROOM];
    below("nobody", path);
    assert_int_equal(setenv("HOME", path, 1), 0);
    expect_no_cache("auto");
    assert_int_not_equal(access(path, F_OK), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    expect_no_cache("auto");
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    expect_no_cache("auto");
}

TEST_WITH(a_folder_open_to_others_is_refused, setup, teardown)
{
    static const unsigned modes[] = {0755, 0770, 0701, 0710, 0704, 0720, 0702, 01777};
    char path[PATH_ROOM], text[32];
    below("open", path);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        (void)snprintf(text, sizeof text, "mode %04o, expected 0700", modes[i]);
        expect_refused(path, TC_E_INVALID, text);
    }
    assert_int_equal(chmod(path, 0500), 0);
    tci_object_cache_close(cache_sample_open(path, 1 << 20));
    /* A refusal is no "no cache": the default folder must be reported, too. */
    assert_int_equal(setenv("XDG_CACHE_HOME", top, 1), 0);
    below("tchains", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, 0750), 0);
    expect_refused("auto", TC_E_INVALID, "0750");
}

TEST_WITH(what_is_no_folder_is_refused, setup, teardown)
{
    char path[PATH_ROOM], link[PATH_ROOM];
    below("folder", path);
    below("link", link);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(symlink(path, link), 0);
    expect_refused(link, TC_E_INVALID, "a symbolic link, expected a folder");
    strcat(link, "/");
    expect_refused(link, TC_E_INVALID, "a symbolic link, expected a folder");
    below("dangling", link);
    assert_int_equal(symlink("/nonexistent", link), 0);
    expect_refused(link, TC_E_INVALID, "a symbolic link");
    below("fifo", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(path, TC_E_INVALID, "no folder, expected a folder");
}

TEST_WITH(a_folder_of_another_user_is_refused, setup, teardown)
{
    char path[PATH_ROOM], text[64];
    below("theirs", path);
    assert_int_equal(mkdir(path, 0700), 0);
    if (chown(path, OTHER_USER, (gid_t)-1) != 0) {
        print_message("skipped: only root can give a folder away\n");
        skip();
    }
    (void)snprintf(text, sizeof text, "belongs to user %d, expected %u", OTHER_USER,
                   (unsigned)geteuid());
    expect_refused(path, TC_E_INVALID, text);
}

/* As under sudo: files made there would be in its owner's way. */
TEST_WITH(auto_keeps_out_of_another_users_home, setup, teardown)
{
    char path[PATH_ROOM];
    below("home", path);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(setenv("HOME", path, 1), 0);
    if (chown(path, OTHER_USER, (gid_t)-1) != 0) {
        print_message("skipped: only root can give a folder away\n");
        skip();
    }
    expect_no_cache("auto");
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    expect_no_cache("auto");
    /* Nor are its owner's own files an error. */
    strcat(path, "/tchains");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, OTHER_USER, (gid_t)-1), 0);
    expect_no_cache("auto");
}
