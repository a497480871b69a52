/* Objects of a process that runs signed code alone: entries of other writers are not found. */
#include "../support/test.h"
#include "cache_sample.h"
#include "engine/cache/cache_seal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (1u << 20)

static char config[CACHE_PATH_MAX];

static int set_up_all(void **state)
{
    cache_folder_make(config);
    return setenv("XDG_CONFIG_HOME", config, 1);
}

static int tear_down_all(void **state)
{
    char folder[CACHE_PATH_MAX + 32];
    (void)snprintf(folder, sizeof folder, "%s/tchains", config);
    cache_folder_remove(folder);
    cache_folder_remove(config);
    return 0;
}

static tci_object_key sealed_key(unsigned number, uint8_t content)
{
    tci_object_key key = cache_sample_key(number);
    key.seal = (tci_object_seal){.wanted = true, .content = {content}};
    return key;
}

static bool finds(tci_object_cache *cache, const tci_object_key *key)
{
    void *bytes = NULL;
    size_t size = 0;
    if (tci_object_cache_find(cache, key, &bytes, &size) != TC_OK)
        return false;
    assert_int_equal(size, 6);
    assert_memory_equal(bytes, "object", 6);
    free(bytes);
    return true;
}

static void store(tci_object_cache *cache, const tci_object_key *key)
{
    tci_object_cache_store(cache, key, "count", "object", 6);
}

static void what_is_sealed_is_found_for_the_same_content(void **state)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    const tci_object_key key = sealed_key(1, 1), other = sealed_key(1, 2);
    store(cache, &key);
    assert_true(finds(cache, &key));
    assert_false(finds(cache, &other));
    assert_true(finds(cache, &key));
    assert_int_equal(cache_warnings, 0);
    tci_object_cache_close(cache);
}

static void path_of(const tci_object_key *key, char path_out[CACHE_PATH_MAX + 64])
{
    char name[TCI_CACHE_FILE_NAME];
    tci_cache_entry_file_name(key, name);
    (void)snprintf(path_out, CACHE_PATH_MAX + 64, "%s/%s", cache_folder, name);
}

/* A process that may write the folder knows the format, and not the key. */
static void what_has_a_checksum_alone_is_not_found(void **state)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    const tci_object_key key = sealed_key(1, 1), open = cache_sample_key(1);
    char from[CACHE_PATH_MAX + 64], to[CACHE_PATH_MAX + 64];
    store(cache, &open);
    assert_false(finds(cache, &key));
    path_of(&open, from);
    path_of(&key, to);
    assert_int_equal(rename(from, to), 0);
    assert_false(finds(cache, &key));
    assert_int_equal(cache_warnings, 1);
    assert_int_not_equal(access(to, F_OK), 0); /* deleted */
    tci_object_cache_close(cache);
}

static void a_bit_that_differs_is_found_out(void **state)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    const tci_object_key key = sealed_key(1, 1);
    char path[CACHE_PATH_MAX + 64];
    store(cache, &key);
    path_of(&key, path);
    int fd = open(path, O_RDWR);
    char byte;
    assert_int_equal(pread(fd, &byte, 1, 100), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, 100), 1);
    assert_int_equal(close(fd), 0);
    assert_false(finds(cache, &key));
    assert_non_null(strstr(cache_last_warning, "checksum"));
    tci_object_cache_close(cache);
}

static void what_is_revoked_is_deleted_and_nothing_else(void **state)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    const tci_object_key key = sealed_key(1, 1), open = cache_sample_key(1),
                         other = sealed_key(2, 1);
    store(cache, &key);
    store(cache, &open);
    store(cache, &other);
    tci_object_cache_forget(cache, &key.id);
    assert_false(finds(cache, &key));
    assert_false(finds(cache, &open));
    assert_true(finds(cache, &other));
    tci_object_cache_close(cache);
}

static void the_key_is_the_users_alone(void **state)
{
    char path[CACHE_PATH_MAX + 64];
    struct stat found;
    assert_non_null(tci_cache_seal_key(NULL));
    (void)snprintf(path, sizeof path, "%s/tchains/cache.key", config);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0600);
    assert_int_equal(found.st_size, 32);
}

/* A key that others can read: given as an argument, as a process reads its key once. */
static void a_key_that_others_can_read_seals_nothing(void **state)
{
    tci_object_cache *cache = cache_sample_open(cache_folder, MIB);
    const tci_object_key key = sealed_key(1, 1);
    tc_error error = {0};
    assert_null(tci_cache_seal_key(&error));
    assert_non_null(strstr(error.text, "cache.key has mode 0644, expected 0600"));
    store(cache, &key);
    assert_false(finds(cache, &key));
    assert_int_equal(cache_warnings, 1);
    tci_object_cache_close(cache);
}

static int set_up_bad_key(void **state)
{
    char path[CACHE_PATH_MAX + 64];
    (void)set_up_all(state);
    (void)snprintf(path, sizeof path, "%s/tchains", config);
    if (mkdir(path, 0700) != 0)
        return -1;
    (void)strcat(path, "/cache.key");
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    return fd >= 0 && write(fd, "0123456789abcdef0123456789abcdef", 32) == 32 &&
                   fchmod(fd, 0644) == 0
               ? close(fd)
               : -1;
}

int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest tests[] = {
#define SEAL_TEST(name) cmocka_unit_test_setup_teardown(name, cache_set_up, cache_tear_down)
        SEAL_TEST(what_is_sealed_is_found_for_the_same_content),
        SEAL_TEST(what_has_a_checksum_alone_is_not_found),
        SEAL_TEST(a_bit_that_differs_is_found_out),
        SEAL_TEST(what_is_revoked_is_deleted_and_nothing_else),
        SEAL_TEST(the_key_is_the_users_alone),
    };
    const struct CMUnitTest bad_key[] = {SEAL_TEST(a_key_that_others_can_read_seals_nothing)};
    if (argc > 1)
        return cmocka_run_group_tests(bad_key, set_up_bad_key, tear_down_all);
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
