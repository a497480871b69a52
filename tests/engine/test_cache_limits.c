#include "../support/test.h"
#include "cache_sample.h"
#include "engine/cache/cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KIB 1024u
#define HOUR_S 3600

static void set_age(const char *path, time_t age_s)
{
    struct timespec times[2] = {{time(NULL) - age_s, 0}, {time(NULL) - age_s, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static time_t age_of(const char *path)
{
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    return time(NULL) - found.st_mtim.tv_sec;
}

static void set_sample_age(unsigned number, time_t age_s)
{
    char path[CACHE_PATH_MAX];
    cache_sample_path(cache_folder, number, path);
    set_age(path, age_s);
}

static bool on_disk(unsigned number)
{
    char path[CACHE_PATH_MAX];
    cache_sample_path(cache_folder, number, path);
    return access(path, F_OK) == 0;
}

/* As a user would add them up. */
static uint64_t bytes_on_disk(size_t *count_out)
{
    tci_cache_file *files = NULL;
    uint64_t bytes = 0;
    int fd = open(cache_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_ok(tci_cache_files_list(fd, &files, count_out, NULL));
    for (size_t i = 0; i < *count_out; i++)
        bytes += (files[i].bytes + 4095) / 4096 * 4096;
    free(files);
    assert_int_equal(close(fd), 0);
    return bytes;
}

TEST_WITH(the_bound_holds_after_every_store, cache_set_up, cache_tear_down)
{
    const uint64_t bound = 256 * KIB;
    size_t count = 0;
    tci_object_cache *cache = cache_sample_open(cache_folder, bound);
    for (unsigned i = 0; i < 300; i++) {
        cache_sample_store(cache, i, 100 + i * 97 % (60 * KIB));
        assert_true(bytes_on_disk(&count) <= bound);
        assert_true(cache_sample_find(cache, i, 100 + i * 97 % (60 * KIB)));
    }
    /* Not by keeping next to nothing. */
    assert_true(bytes_on_disk(&count) > bound / 2);
    tci_object_cache_close(cache);
}

/* Space for 16 blocks, of which an eighth is made free when they are used up. */
TEST_WITH(what_was_used_longest_ago_goes_first, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, 64 * KIB);
    for (unsigned i = 0; i < 16; i++) {
        cache_sample_store(cache, i, 1000);
        set_sample_age(i, HOUR_S - i);
    }
    for (unsigned i = 0; i < 16; i++)
        assert_true(on_disk(i));
    assert_true(cache_sample_find(cache, 0, 1000));
    assert_true(cache_sample_find(cache, 2, 1000));
    cache_sample_store(cache, 16, 1000);
    for (unsigned i = 0; i <= 16; i++)
        assert_int_equal(on_disk(i), i != 1 && i != 3 && i != 4);
    tci_object_cache_close(cache);
}

TEST_WITH(a_hit_renews_at_most_once_a_minute, cache_set_up, cache_tear_down)
{
    char path[CACHE_PATH_MAX];
    tci_object_cache *cache = cache_sample_open(cache_folder, 64 * KIB);
    cache_sample_store(cache, 1, 1000);
    cache_sample_path(cache_folder, 1, path);
    set_age(path, HOUR_S);
    assert_true(cache_sample_find(cache, 1, 1000));
    assert_true(age_of(path) < HOUR_S / 2);
    set_age(path, 20);
    assert_true(cache_sample_find(cache, 1, 1000));
    assert_true(age_of(path) >= 20);
    set_age(path, -HOUR_S); /* a clock that was set back */
    assert_true(cache_sample_find(cache, 1, 1000));
    assert_true(age_of(path) > -HOUR_S / 2);
    tci_object_cache_close(cache);
}

TEST_WITH(large_objects_are_not_stored, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, 64 * KIB);
    cache_sample_store(cache, 1, 15 * KIB);
    cache_sample_store(cache, 2, 16 * KIB);
    cache_sample_store(cache, 3, 1024 * KIB);
    assert_true(on_disk(1));
    assert_false(on_disk(2) || on_disk(3));
    tci_object_cache_close(cache);
    cache = cache_sample_open(cache_folder, UINT64_MAX);
    cache_sample_store(cache, 4, TCI_CACHE_ENTRY_BYTES_MAX);
    assert_false(on_disk(4));
    tci_object_cache_close(cache);
}

/* Also by a process that finds it full of others' entries. */
TEST_WITH(a_smaller_bound_trims_what_is_there, cache_set_up, cache_tear_down)
{
    size_t count = 0;
    tci_object_cache *cache = cache_sample_open(cache_folder, 1024 * KIB);
    for (unsigned i = 0; i < 100; i++) {
        cache_sample_store(cache, i, 1000);
        set_sample_age(i, HOUR_S - i);
    }
    tci_object_cache_close(cache);
    assert_int_equal(bytes_on_disk(&count), 400 * KIB);
    cache = cache_sample_open(cache_folder, 64 * KIB);
    assert_true(cache_sample_find(cache, 0, 1000));
    cache_sample_store(cache, 100, 1000);
    assert_true(bytes_on_disk(&count) <= 64 * KIB);
    assert_true(on_disk(0) && on_disk(99) && on_disk(100));
    assert_false(on_disk(1));
    tci_object_cache_close(cache);
}

static void make_file(const char *name, size_t size, time_t age_s,
                      char path_out[CACHE_PATH_MAX])
{
    (void)snprintf(path_out, CACHE_PATH_MAX, "%.400s/%s", cache_folder, name);
    int fd = open(path_out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(close(fd), 0);
    set_age(path_out, age_s);
}

/* The folder may be one that somebody named by mistake. */
TEST_WITH(only_files_of_the_cache_are_deleted, cache_set_up, cache_tear_down)
{
    static const char *const names[] = {
        "notes.txt", "0123456789abcdef.tco", "ABCDEF0123456789ABCDEF0123456789.tco",
        "0123456789abcdef0123456789abcdef.tco.old", "0123456789abcdef0123456789abcdef"};
    char paths[5][CACHE_PATH_MAX], old[CACHE_PATH_MAX], young[CACHE_PATH_MAX];
    for (size_t i = 0; i < 5; i++)
        make_file(names[i], 1024 * KIB, 10 * HOUR_S, paths[i]);
    make_file("0123456789abcdef0123456789abcdef.tmp", 100, 2 * HOUR_S, old);
    make_file("1123456789abcdef0123456789abcdef.tmp", 100, HOUR_S / 2, young);
    tci_object_cache *cache = cache_sample_open(cache_folder, 64 * KIB);
    for (unsigned i = 0; i < 40; i++)
        cache_sample_store(cache, i, 1000);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(access(paths[i], F_OK), 0);
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0); /* somebody may be writing it */
    assert_true(on_disk(39));
    tci_object_cache_close(cache);
}
