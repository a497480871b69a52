/* Several compilers at once, of two priorities, and within a limit of memory. */
#include "engine_fixture.h"

#include "base/clock.h"
#include "engine/child/compiler_pool.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static void *counter;
static size_t counter_size;

static void *find_any(void *user, const char *symbol)
{
    (void)symbol;
    return user;
}

static tci_compiler_pool *open_pool(void)
{
    tci_compiler_pool *pool;
    const tci_compiler_opts opts = {.ops = ops, .time_max_ns = 60 * TCI_NS_PER_S};
    assert_ok(tci_compiler_pool_create(&opts, &pool, NULL));
    return pool;
}

static tc_status compile(tci_compiler_pool *pool, bool background)
{
    tci_object object;
    tci_engine_code code = code_of("counter", counter, counter_size, NULL);
    code.resolve = find_any;
    code.resolve_user = &code;
    tc_status status =
        tci_compiler_pool_compile(pool, engine, &code, background, &object, NULL);
    if (status == TC_OK)
        free(object.bytes);
    return status;
}

/* Children of the main thread, which started them; the first one's niceness. */
static unsigned children(int *niceness_out)
{
    char path[64];
    int pid;
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%d", &pid) == 1) {
        if (count++ == 0)
            *niceness_out = getpriority(PRIO_PROCESS, (id_t)pid);
    }
    fclose(file);
    return count;
}

TEST(the_background_is_polite)
{
    int own = getpriority(PRIO_PROCESS, 0), niceness = -100;
    const int polite = own + 10 < 19 ? own + 10 : 19, soon = own < 5 ? 5 : own;
    for (int background = 0; background < 2; background++) {
        tci_compiler_pool *pool = open_pool();
        assert_int_equal(children(&niceness), 0);
        assert_ok(tci_compiler_pool_prepare(pool, background, NULL));
        assert_ok(compile(pool, background));
        assert_ok(compile(pool, background));
        assert_int_equal(children(&niceness), 1);
        assert_int_equal(niceness, background ? polite : soon);
        tci_compiler_pool_destroy(pool);
    }
    assert_int_equal(children(&niceness), 0);
}

/* One of the other priority, which is never requested. */
TEST(who_was_killed_while_idle_is_collected)
{
    int niceness;
    long pid = -1;
    char path[64];
    tci_compiler_pool *pool = open_pool();
    assert_ok(tci_compiler_pool_prepare(pool, true, NULL));
    assert_ok(compile(pool, true));
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &pid), 1);
    fclose(file);
    siginfo_t end;
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
    assert_ok(compile(pool, false));
    assert_int_equal(children(&niceness), 1);
    assert_int_equal(kill((pid_t)pid, 0), -1);
    tci_compiler_pool_destroy(pool);
}

static void *compile_often(void *argument)
{
    uintptr_t failures = 0;
    for (int i = 0; i < 20; i++)
        failures += compile(argument, i % 4 == 0) != TC_OK;
    return (void *)failures;
}

TEST(threads_share_a_pool)
{
    pthread_t threads[THREADS];
    tci_compiler_pool *pool = open_pool();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_often, pool), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failures;
        assert_int_equal(pthread_join(threads[i], &failures), 0);
        assert_null(failures);
    }
    tci_compiler_pool_destroy(pool);
    tci_compiler_pool_destroy(NULL);
}

TEST(code_that_needs_too_much_memory_is_refused)
{
    size_t size;
    tci_compiler *c;
    tci_object object;
    tc_error err = {0};
    if (TCI_SANITIZED) /* they have no such limit */
        skip();
    const tci_compiler_opts opts = {
        .ops = ops, .time_max_ns = 60 * TCI_NS_PER_S, .memory_max = 512u << 20};
    void *bytes = read_bitcode("greedy", &size);
    tci_engine_code code = code_of("greedy", bytes, size, NULL);
    assert_ok(tci_compiler_start(&opts, &c, NULL));
    assert_status(tci_compiler_compile(c, engine, &code, &object, &err), TC_E_COMPILE);
    assert_non_null(strstr(err.text, "the compiler ended"));
    assert_true(tci_compiler_pid(c) > 0);
    tci_compiler_end(c);
    free(bytes);
}

static int set_up(void **state)
{
    counter = read_bitcode("counter", &counter_size);
    return engine_set_up(state);
}

static int tear_down(void **state)
{
    free(counter);
    return engine_tear_down(state);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
