/* The file that perf looks names up in: its contents and its owner. */

#include "../support/test.h"
#include "engine/code_map.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static void remove_file(void)
{
    (void)snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
}

static void expect_contents(const char *expected)
{
    char found[1024];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, expected);
}

static tci_code_names *add(const char *name, uintptr_t address, size_t size)
{
    static const tci_content_id id;
    return tci_code_map_add(&id, &(tci_code_symbol){name, address, size}, 1);
}

static void write_map(void)
{
    struct stat info;
    FILE *old = fopen(path, "w"); /* of a process that had this number */
    fputs("1000 10 nonsense\n", old);
    fclose(old);
    tci_code_map_remove(add("gone_main", 0x2000, 0x20));
    add("before_main", 0x1000, 0x20);
    assert_int_equal(access(path, F_OK), 0);
    tci_code_map_open_perf();
    expect_contents("1000 20 before_main\n");
    add("after_main", 0xabc000, 0x123);
    tci_code_map_open_perf();
    expect_contents("1000 20 before_main\nabc000 123 after_main\n");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_uid, geteuid());
    pid_t child = fork(); /* perf has another file for it */
    if (child == 0) {
        add("in_the_fork_main", 0x5000, 1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    expect_contents("1000 20 before_main\nabc000 123 after_main\n");
}

static void stay_away(void)
{
    char target[] = "/tmp/tc_test_perf_map_XXXXXX";
    struct stat info;
    int fd = mkstemp(target);
    assert_true(fd >= 0);
    assert_int_equal(symlink(target, path), 0);
    tci_code_map_open_perf();
    add("hidden_main", 0x1000, 0x20);
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_size, 0);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    close(fd);
    unlink(target);
}

/* Each in a process of its own, which has one map. */
static void in_a_child(void (*test)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        remove_file();
        (void)alarm(30);
        test();
        remove_file();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)child);
    (void)unlink(path);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(names_are_written_as_code_comes)
{
    in_a_child(write_map);
}

TEST(what_somebody_put_there_is_not_followed)
{
    in_a_child(stay_away);
}

/* The file has an end: a line that goes beyond it is the last one. */
static void grow_no_further(void)
{
    struct stat before, after;
    char name[TCI_CODE_MAP_NAME];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tci_code_map_open_perf();
    do {
        for (unsigned i = 0; i < 1024; i++)
            tci_code_map_remove(add(name, 0x1000, 0x20));
        assert_int_equal(stat(path, &before), 0);
    } while (before.st_size < 16 << 20);
    tci_code_map_remove(add(name, 0x1000, 0x20));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_in_range(after.st_size, 16 << 20, (16 << 20) + sizeof name + 64);
}

TEST(the_file_grows_to_its_bound)
{
    in_a_child(grow_no_further);
}
