#include "../support/test.h"
#include "cache_sample.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <tc/log.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)

static bool exists(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0;
}

TEST_WITH(what_is_stored_is_found, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, 16 * MIB);
    assert_false(cache_sample_find(cache, 1, 1000));
    cache_sample_store(cache, 1, 1000);
    cache_sample_store(cache, 2, 1);
    cache_sample_store(cache, 3, 3 * MIB);
    assert_true(cache_sample_find(cache, 1, 1000));
    tci_object_cache_close(cache);
    cache = cache_sample_open(cache_folder, 16 * MIB);
    assert_true(cache_sample_find(cache, 1, 1000));
    assert_true(cache_sample_find(cache, 2, 1));
    assert_true(cache_sample_find(cache, 3, 3 * MIB));
    assert_false(cache_sample_find(cache, 4, 1000));
    tci_object_cache_close(cache);
    assert_int_equal(cache_warnings, 0);
}

TEST_WITH(another_key_is_not_found, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    void *bytes;
    size_t size;
    cache_sample_store(cache, 1, 1000);
    tci_object_key key = cache_sample_key(1);
    key.cpu = "znver4";
    assert_status(tci_object_cache_find(cache, &key, &bytes, &size), TC_E_NOT_FOUND);
    key = cache_sample_key(1);
    key.llvm = "22.1.0";
    assert_status(tci_object_cache_find(cache, &key, &bytes, &size), TC_E_NOT_FOUND);
    assert_true(cache_sample_find(cache, 1, 1000));
    tci_object_cache_close(cache);
}

TEST_WITH(the_last_one_stored_counts, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    tci_object_key key = cache_sample_key(1);
    void *bytes;
    size_t size;
    cache_sample_store(cache, 1, 1000);
    tci_object_cache_store(cache, &key, "other", "new", 3);
    assert_ok(tci_object_cache_find(cache, &key, &bytes, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "new", 3);
    free(bytes);
    tci_object_cache_close(cache);
}

TEST_WITH(no_cache_is_a_cache_without_anything, cache_set_up, cache_tear_down)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    tci_object_cache_close(cache);
    assert_ok(tci_object_cache_open("", MIB, &cache, NULL));
    assert_null(cache);
    cache_sample_store(cache, 1, 1000);
    assert_false(cache_sample_find(cache, 1, 1000));
    tci_object_cache_close(cache);
}

/* Bytes of one file on disk, replaced by others of the caller's. */
static void write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(close(fd), 0);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t n = read(fd, bytes, room);
    assert_true(n > 0 && (size_t)n < room);
    assert_int_equal(close(fd), 0);
    return (size_t)n;
}

/* Not found, reported once, deleted, and as good as new after the next store. */
static void expect_deleted(tci_object_cache *cache, const char *path)
{
    unsigned before = cache_warnings;
    assert_false(cache_sample_find(cache, 1, 1000));
    assert_int_equal(cache_warnings, before + 1);
    assert_false(exists(path));
    cache_sample_store(cache, 1, 1000);
    assert_true(cache_sample_find(cache, 1, 1000));
}

TEST_WITH(damaged_files_are_deleted, cache_set_up, cache_tear_down)
{
    static uint8_t bytes[4096];
    char path[CACHE_PATH_MAX];
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_path(cache_folder, 1, path);
    cache_sample_store(cache, 1, 1000);
    size_t size = read_file(path, bytes, sizeof bytes);
    const size_t places[] = {0, 8, 30, 70, 130, size - 40, size - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        bytes[places[i]] ^= 0x10;
        write_file(path, bytes, size);
        expect_deleted(cache, path);
        bytes[places[i]] ^= 0x10;
    }
    write_file(path, bytes, size / 2);
    expect_deleted(cache, path);
    write_file(path, bytes, 0);
    expect_deleted(cache, path);
    assert_int_equal(truncate(path, (off_t)TCI_CACHE_ENTRY_BYTES_MAX + 1), 0);
    expect_deleted(cache, path);
    tci_object_cache_close(cache);
}

/* As when somebody copies files about, or a hash collides. */
TEST_WITH(a_file_of_another_key_is_deleted, cache_set_up, cache_tear_down)
{
    char path[CACHE_PATH_MAX], foreign[CACHE_PATH_MAX];
    char name[TCI_CACHE_FILE_NAME];
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    tci_object_key keys[4];
    for (size_t i = 0; i < 4; i++)
        keys[i] = cache_sample_key(1);
    keys[0].llvm = "22.1.0";
    keys[1].cpu = "znver4";
    keys[2].features = "+avx2,+avx512f";
    keys[3].level = 0;
    cache_sample_path(cache_folder, 1, path);
    for (size_t i = 0; i < 4; i++) {
        tci_object_cache_store(cache, &keys[i], "foreign", "foreign object", 14);
        tci_cache_entry_file_name(&keys[i], name);
        (void)snprintf(foreign, sizeof foreign, "%s/%s", cache_folder, name);
        assert_int_equal(rename(foreign, path), 0);
        expect_deleted(cache, path);
    }
    tci_object_cache_close(cache);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(close(fd), 0);
}

TEST_WITH(what_is_no_file_is_deleted, cache_set_up, cache_tear_down)
{
    char path[CACHE_PATH_MAX], elsewhere[CACHE_PATH_MAX + 16];
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_path(cache_folder, 1, path);
    assert_int_equal(mkfifo(path, 0600), 0); /* opened without care it would block for ever */
    expect_deleted(cache, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_deleted(cache, path);
    assert_int_equal(unlink(path), 0);
    make_socket(path);
    expect_deleted(cache, path);
    /* A link to a good entry is not followed; its target stays. */
    (void)snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", cache_folder);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    expect_deleted(cache, path);
    assert_true(exists(elsewhere));
    tci_object_cache_close(cache);
}

TEST_WITH(a_folder_in_the_way_that_is_not_empty_is_not_found, cache_set_up, cache_tear_down)
{
    char path[CACHE_PATH_MAX], inside[CACHE_PATH_MAX + 16];
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_path(cache_folder, 1, path);
    (void)snprintf(inside, sizeof inside, "%s/inside", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(inside, 0700), 0);
    assert_false(cache_sample_find(cache, 1, 1000));
    cache_sample_store(cache, 1, 1000);
    assert_false(cache_sample_find(cache, 1, 1000));
    assert_true(exists(inside));
    tci_object_cache_close(cache);
}

TEST_WITH(a_file_of_another_user_is_deleted, cache_set_up, cache_tear_down)
{
    char path[CACHE_PATH_MAX];
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    cache_sample_path(cache_folder, 1, path);
    cache_sample_store(cache, 1, 1000);
    if (chown(path, 12345, (gid_t)-1) != 0) {
        print_message("skipped: only root can give a file away\n");
        tci_object_cache_close(cache);
        skip();
    }
    expect_deleted(cache, path);
    tci_object_cache_close(cache);
}
