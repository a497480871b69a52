/* One folder, and threads of several processes that store, find and evict at once. An entry
 * found is always whole and of the right key. */
#include "../support/test.h"
#include "cache_sample.h"
#include "engine/cache/cache_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <tc/log.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 2
#define THREADS 4
#define KEYS 40u
#define ROUNDS 250u
#define KIB 1024u
#define DEADLINE_S 120

static char folder[CACHE_PATH_MAX];
static atomic_uint mistakes; /* of this process */

static void count_mistake(void *user, tc_log_level level, const char *line)
{
    (void)user;
    if (level > TC_LOG_WARN)
        return;
    fprintf(stderr, "%s\n", line);
    atomic_fetch_add(&mistakes, 1);
}

static int setup(void **state)
{
    cache_folder_make(folder);
    atomic_store(&mistakes, 0);
    tc_log_set_sink(count_mistake, NULL);
    return 0;
}

static int teardown(void **state)
{
    tc_log_set_sink(NULL, NULL);
    cache_folder_remove(folder);
    return 0;
}

static size_t size_of(unsigned number)
{
    return 200 + number * 211;
}

/* In threads, where cmocka's assertions may not be used. */
static bool find_right(tci_object_cache *cache, unsigned number)
{
    static const size_t size_max = 200 + KEYS * 211;
    tci_object_key key = cache_sample_key(number);
    void *found = NULL;
    size_t size = 0;
    if (tci_object_cache_find(cache, &key, &found, &size) != TC_OK)
        return false;
    uint8_t *expected = malloc(size_max);
    if (expected != NULL)
        cache_sample_object(number, expected, size_of(number));
    if (expected == NULL || size != size_of(number) || memcmp(found, expected, size) != 0)
        atomic_fetch_add(&mistakes, 1);
    free(expected);
    free(found);
    return true;
}

static void store(tci_object_cache *cache, unsigned number)
{
    tci_object_key key = cache_sample_key(number);
    uint8_t object[200 + KEYS * 211];
    cache_sample_object(number, object, size_of(number));
    tci_object_cache_store(cache, &key, "sample", object, size_of(number));
}

typedef struct worker {
    pthread_t thread;
    tci_object_cache *cache;
    unsigned seed;
    unsigned hits;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        w->seed = w->seed * 1103515245u + 12345u;
        unsigned number = (w->seed >> 16) % KEYS;
        if (find_right(w->cache, number))
            w->hits++;
        else
            store(w->cache, number);
        if (i % 8 == 0)
            store(w->cache, number); /* over an entry that others are reading */
    }
    return NULL;
}

static int run_process(unsigned number, uint64_t bound)
{
    worker workers[THREADS];
    unsigned hits = 0, running = 0;
    (void)alarm(DEADLINE_S);
    tci_object_cache *cache = cache_sample_open(folder, bound);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.cache = cache, .seed = number * 100 + i};
        running += pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    }
    if (running != THREADS)
        return 1;
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        hits += workers[i].hits;
    }
    tci_object_cache_close(cache);
    return atomic_load(&mistakes) == 0 && hits > 0 ? 0 : 1;
}

static void run_processes(unsigned count, uint64_t bound)
{
    pid_t children[PROCESSES];
    int failures = 0;
    for (unsigned i = 0; i < count; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(run_process(i, bound));
    }
    for (unsigned i = 0; i < count; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    assert_int_equal(failures, 0);
}

static uint64_t bytes_on_disk(size_t *temporary_out)
{
    tci_cache_file *files = NULL;
    size_t count = 0;
    uint64_t bytes = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_ok(tci_cache_files_list(fd, &files, &count, NULL));
    *temporary_out = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += (files[i].bytes + 4095) / 4096 * 4096;
        *temporary_out += files[i].temporary;
    }
    free(files);
    assert_int_equal(close(fd), 0);
    return bytes;
}

TEST_WITH(with_room_for_all, setup, teardown)
{
    size_t temporary;
    run_processes(PROCESSES, 1024 * KIB);
    tci_object_cache *cache = cache_sample_open(folder, 1024 * KIB);
    for (unsigned i = 0; i < KEYS; i++)
        assert_true(find_right(cache, i));
    tci_object_cache_close(cache);
    (void)bytes_on_disk(&temporary);
    assert_int_equal(temporary, 0);
    assert_int_equal(atomic_load(&mistakes), 0);
}

/* All of it would take 240 KiB. */
TEST_WITH(while_everybody_evicts, setup, teardown)
{
    const uint64_t bound = 128 * KIB;
    size_t temporary;
    run_processes(PROCESSES, bound);
    assert_true(bytes_on_disk(&temporary) <= bound + PROCESSES * bound / 8);
    assert_int_equal(temporary, 0);
    tci_object_cache *cache = cache_sample_open(folder, bound);
    store(cache, 0);
    tci_object_cache_close(cache);
    assert_true(bytes_on_disk(&temporary) <= bound);
}

TEST_WITH(one_process_never_exceeds_the_bound, setup, teardown)
{
    size_t temporary;
    run_processes(1, 64 * KIB);
    assert_true(bytes_on_disk(&temporary) <= 64 * KIB);
    assert_int_equal(temporary, 0);
}

static void store_for_ever(void)
{
    tci_object_cache *cache = cache_sample_open(folder, 1024 * KIB);
    (void)alarm(DEADLINE_S);
    for (unsigned i = 0;; i++)
        store(cache, i % KEYS);
}

/* Killed wherever it is: no part of a file is ever taken for an object. */
TEST_WITH(who_dies_while_storing_does_no_harm, setup, teardown)
{
    for (unsigned i = 0; i < 10; i++) {
        const struct timespec moment = {0, 3000000 + 1370000 * i};
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            store_for_ever();
            _exit(1);
        }
        (void)nanosleep(&moment, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        tci_object_cache *cache = cache_sample_open(folder, 1024 * KIB);
        for (unsigned k = 0; k < KEYS; k++)
            (void)find_right(cache, k);
        tci_object_cache_close(cache);
    }
    assert_int_equal(atomic_load(&mistakes), 0);
}
