#include "cache_sample.h"
#include "../support/test.h"

#include <ftw.h>
#include <sys/stat.h>
#include <tc/log.h>
#include <unistd.h>

tci_object_key cache_sample_key(unsigned number)
{
    tci_object_key key = {.cpu = "skylake",
                          .features = "+avx2,-avx512f",
                          .llvm = "19.1.7",
                          .level = 1,
                          .slice = 2,
                          .abi = 3};
    memcpy(key.id.bytes, &number, sizeof number);
    return key;
}

void cache_sample_object(unsigned number, uint8_t *bytes_out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes_out[i] = (uint8_t)(number * 31 + i * 7 + (i >> 8));
}

void cache_folder_make(char path_out[CACHE_PATH_MAX])
{
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(path_out, CACHE_PATH_MAX, "%s/tc-cache-XXXXXX",
                   temporary != NULL ? temporary : "/tmp");
    assert_non_null(mkdtemp(path_out));
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *at)
{
    (void)found;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
}

void cache_folder_remove(const char *path)
{
    (void)chmod(path, 0700);
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

char cache_folder[CACHE_PATH_MAX];
unsigned cache_warnings;
char cache_last_warning[2048];

static void keep_warning(void *user, tc_log_level level, const char *line)
{
    (void)user;
    if (level > TC_LOG_WARN)
        return;
    cache_warnings++;
    (void)snprintf(cache_last_warning, sizeof cache_last_warning, "%s", line);
}

int cache_set_up(void **state)
{
    cache_folder_make(cache_folder);
    cache_warnings = 0;
    tc_log_set_sink(keep_warning, NULL);
    return 0;
}

int cache_tear_down(void **state)
{
    tc_log_set_sink(NULL, NULL);
    cache_folder_remove(cache_folder);
    return 0;
}

void cache_sample_path(const char *folder, unsigned number, char path_out[CACHE_PATH_MAX])
{
    tci_object_key key = cache_sample_key(number);
    char name[TCI_CACHE_FILE_NAME];
    tci_cache_entry_file_name(&key, name);
    (void)snprintf(path_out, CACHE_PATH_MAX, "%s/%s", folder, name);
}

tci_object_cache *cache_sample_open(const char *folder, uint64_t bytes_max)
{
    tci_object_cache *cache = NULL;
    tc_error err = {.status = TC_OK};
    if (tci_object_cache_open(folder, bytes_max, &cache, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_non_null(cache);
    return cache;
}

void cache_sample_store(tci_object_cache *cache, unsigned number, size_t size)
{
    tci_object_key key = cache_sample_key(number);
    uint8_t *object = malloc(size);
    assert_non_null(object);
    cache_sample_object(number, object, size);
    tci_object_cache_store(cache, &key, "sample", object, size);
    free(object);
}

bool cache_sample_find(tci_object_cache *cache, unsigned number, size_t size)
{
    tci_object_key key = cache_sample_key(number);
    void *found = NULL;
    size_t found_size = 0;
    tc_status status = tci_object_cache_find(cache, &key, &found, &found_size);
    if (status != TC_OK) {
        assert_status(status, TC_E_NOT_FOUND);
        return false;
    }
    uint8_t *expected = malloc(size);
    assert_non_null(expected);
    cache_sample_object(number, expected, size);
    assert_int_equal(found_size, size);
    assert_memory_equal(found, expected, size);
    free(expected);
    free(found);
    return true;
}
