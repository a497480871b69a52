/* Functions that use OpenMP: libomp's threads run their code, and outlive it. */
#include "../shipped/parallel.h"
#include "../support/pair.h"
#include "../support/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <tc/call.h>

enum { THREADS = 3, ROUNDS = 200 };

static unsigned threads_of_process(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *at; (at = readdir(tasks)) != NULL;)
        count += at->d_name[0] != '.';
    (void)closedir(tasks);
    return count;
}

static void expect_total(pair *p, tc_ifunc *fn, uint32_t threads, uint32_t count)
{
    const parallel_order order = {threads, count};
    parallel_answer answer = {0, 0};
    size_t size = sizeof answer;
    uint64_t total = 0;
    tc_error error = {0};
    for (uint64_t i = 0; i < count; i++)
        total += i * i;
    if (tc_call(p->ep, fn, &order, sizeof order, &answer, &size, PAIR_TIMEOUT_NS, &error) !=
        TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(answer.total, total);
    assert_int_equal(answer.threads, threads);
}

TEST(threads_share_the_work)
{
    static const char *const names[] = {"parallel_squares", "parallel_total"};
    pair p;
    pair_open(&p, NULL);
    for (size_t i = 0; i < 2; i++) {
        tc_ifunc *fn = pair_ifunc(&p, names[i]);
        for (uint32_t threads = 1; threads <= THREADS; threads++)
            expect_total(&p, fn, threads, 10000 + threads);
    }
    pair_close(&p);
}

/* libomp's threads wait inside libomp when a region is over. With space for one function, each
 * message drives the other function's code out while they do. */
TEST(code_leaves_between_two_calls)
{
    pair p;
    pair_open_as(&p, NULL, (const char *const[]){"functions_max", "1", NULL});
    tc_ifunc *squares = pair_ifunc(&p, "parallel_squares"), *check = pair_ifunc(&p, "check");
    expect_total(&p, squares, THREADS, 1000);
    const unsigned before = threads_of_process();
    for (uint64_t round = 0; round < ROUNDS; round++) {
        pair_send_check(p.ep, check, round, 100);
        pair_flush(p.ep);
        expect_total(&p, squares, THREADS, 1000 + (uint32_t)round);
    }
    assert_int_equal(p.target_state.next, ROUNDS);
    assert_int_equal(p.target_state.wrong, 0);
    assert_true(pair_counter(&p, "code_evicted") >= 2 * ROUNDS);
    /* Loader threads come when there is work for them. */
    assert_in_range(threads_of_process(), 1, before + 8);
    pair_close(&p);
}

/* A reduction's lock is a variable: that code stays, and a function that does not fit beside it
 * is refused. */
TEST(code_with_a_lock_stays)
{
    pair p;
    tc_error error = {0};
    pair_open_as(&p, NULL, (const char *const[]){"functions_max", "1", NULL});
    tc_ifunc *total = pair_ifunc(&p, "parallel_total"), *check = pair_ifunc(&p, "check");
    expect_total(&p, total, THREADS, 1000);
    pair_send_check(p.ep, check, 0, 10);
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 1);
    assert_int_equal(p.target_state.next, 0);
    expect_total(&p, total, THREADS, 2000);
    assert_int_equal(pair_counter(&p, "code_evicted"), 0);
    pair_close(&p);
}

/* Nothing of the functions is left then, and libomp is, with its threads in it. */
TEST(the_library_stays_when_the_context_is_gone)
{
    for (int round = 0; round < 3; round++) {
        pair p;
        pair_open(&p, NULL);
        expect_total(&p, pair_ifunc(&p, "parallel_total"), THREADS, 1000);
        expect_total(&p, pair_ifunc(&p, "parallel_squares"), THREADS, 1000);
        pair_close(&p);
        void *library = dlopen("libomp.so.5", RTLD_NOW | RTLD_NOLOAD);
        assert_non_null(library);
        (void)dlclose(library);
    }
}

int main(void)
{
    /* Regions of more threads than processors are requested here. */
    (void)setenv("OMP_DYNAMIC", "false", 1);
    (void)setenv("OMP_THREAD_LIMIT", "64", 1);
    return test_run(NULL, NULL);
}
