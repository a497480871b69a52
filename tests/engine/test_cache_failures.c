/* Failures of a cache in use by a disk, the system or an administrator: it reports them once
 * and runs on. */
#include "../support/test.h"
#include "cache_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tc/log.h>
#include <unistd.h>

#define MIB (1u << 20)
#define CANNOT_MOUNT 77 /* exit statuses of a child; 0: as expected */

TEST_WITH(a_folder_that_disappears, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_store(cache, 1, 1000);
    cache_folder_remove(cache_folder);
    assert_false(cache_sample_find(cache, 1, 1000));
    assert_int_equal(cache_warnings, 0);
    for (unsigned i = 0; i < 5; i++)
        cache_sample_store(cache, i, 1000);
    assert_int_equal(cache_warnings, 1);
    assert_non_null(strstr(cache_last_warning, cache_folder));
    assert_false(cache_sample_find(cache, 1, 1000));
    tci_object_cache_close(cache);
}

/* The signal that comes with it would end this test. */
TEST_WITH(a_limit_on_the_size_of_files, cache_set_up, cache_tear_down)
{
    struct rlimit before, small;
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){2000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (unsigned i = 0; i < 3; i++)
        cache_sample_store(cache, i, 5000);
    cache_sample_store(cache, 3, 1000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(cache_warnings, 1);
    assert_non_null(strstr(cache_last_warning, strerror(EFBIG)));
    assert_false(cache_sample_find(cache, 0, 5000));
    assert_true(cache_sample_find(cache, 3, 1000));
    tci_object_cache_close(cache);
}

/* A file that cannot be opened now may still be good. */
TEST_WITH(a_process_without_descriptors, cache_set_up, cache_tear_down)
{
    struct rlimit before, none;
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_store(cache, 1, 1000);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool found = cache_sample_find(cache, 1, 1000);
    cache_sample_store(cache, 2, 1000);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(found);
    assert_int_equal(cache_warnings, 1);
    assert_true(cache_sample_find(cache, 1, 1000));
    tci_object_cache_close(cache);
}

TEST_WITH(a_folder_without_the_right_to_write, cache_set_up, cache_tear_down)
{
    if (geteuid() == 0) {
        print_message("skipped: root may write everywhere\n");
        skip();
    }
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_store(cache, 1, 1000);
    assert_int_equal(chmod(cache_folder, 0500), 0);
    cache_sample_store(cache, 2, 1000);
    assert_true(cache_sample_find(cache, 1, 1000));
    assert_false(cache_sample_find(cache, 2, 1000));
    assert_int_equal(cache_warnings, 1);
    tci_object_cache_close(cache);
}

/* A small file system over the folder, seen by this process alone. */
static bool mount_small(void)
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", cache_folder, "tmpfs", 0, "size=64k,mode=0700") == 0;
}

static size_t stored_of(tci_object_cache *cache, unsigned count)
{
    size_t stored = 0;
    for (unsigned i = 0; i < count; i++)
        stored += cache_sample_find(cache, i, 3000);
    return stored;
}

/* More than fits is stored: the part that fitted is there whole, and the rest leaves nothing
 * behind. */
static int in_a_full_disk(void)
{
    if (!mount_small())
        return CANNOT_MOUNT;
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    for (unsigned i = 0; i < 40; i++)
        cache_sample_store(cache, i, 3000);
    size_t stored = stored_of(cache, 40);
    tci_object_cache_close(cache);
    bool said = strstr(cache_last_warning, strerror(ENOSPC)) != NULL;
    return stored > 5 && stored < 40 && cache_warnings == 1 && said ? 0 : 1;
}

static int in_a_read_only_file_system(void)
{
    if (!mount_small())
        return CANNOT_MOUNT;
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_store(cache, 0, 3000);
    if (mount("none", cache_folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return CANNOT_MOUNT;
    for (unsigned i = 1; i < 5; i++)
        cache_sample_store(cache, i, 3000);
    size_t stored = stored_of(cache, 5);
    tci_object_cache_close(cache);
    bool said = strstr(cache_last_warning, strerror(EROFS)) != NULL;
    return stored == 1 && cache_warnings == 1 && said ? 0 : 1;
}

static void run_in_child(int (*body)(void))
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(60);
        _exit(body());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_MOUNT) {
        print_message("skipped: this process may not mount a file system of its own\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST_WITH(a_full_disk, cache_set_up, cache_tear_down)
{
    run_in_child(in_a_full_disk);
}

TEST_WITH(a_read_only_file_system, cache_set_up, cache_tear_down)
{
    run_in_child(in_a_read_only_file_system);
}
