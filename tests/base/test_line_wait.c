/* Waiting for a line ends when it is written, and in any case. */
#include "../support/test.h"
#include "base/line_wait.h"

#include <pthread.h>
#include <sched.h>

#define TURNS 200u
#define BOUND_NS 2000u

static _Alignas(64) uint64_t word;
static _Alignas(64) uint64_t answer;

/* Both sides may have to share one processor. */
static void wait_once(const uint64_t *at, uint64_t awaited)
{
    tci_line_wait(at, awaited, BOUND_NS);
    (void)sched_yield();
}

static void *write_in_turn(void *arg)
{
    (void)arg;
    for (uint64_t n = 1; n <= TURNS; n++) {
        __atomic_store_n(&word, n, __ATOMIC_RELEASE);
        while (__atomic_load_n(&answer, __ATOMIC_ACQUIRE) != n)
            wait_once(&answer, n);
    }
    return NULL;
}

TEST(no_write_is_missed)
{
    pthread_t thread;
    word = answer = 0;
    assert_int_equal(pthread_create(&thread, NULL, write_in_turn, NULL), 0);
    for (uint64_t n = 1; n <= TURNS; n++) {
        while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != n)
            wait_once(&word, n);
        __atomic_store_n(&answer, n, __ATOMIC_RELEASE);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST(a_line_that_nobody_writes_is_left_again)
{
    word = 0;
    for (unsigned i = 0; i < 100; i++)
        tci_line_wait(&word, 1, BOUND_NS);
    tci_line_wait(&word, 0, BOUND_NS);
    tci_line_wait(&word, 1, 0);
}

TEST(the_instruction_is_one_of_those_known)
{
    static const char *const known[] = {"umwait", "mwaitx", "wfe", "wfet"};
    const char *name = tci_line_wait_name();
    bool is_known = name == NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known |= name != NULL && strcmp(name, known[i]) == 0;
    assert_true(is_known);
    if (name == NULL || strcmp(name, "wfe") != 0)
        assert_true(tci_line_wait_is_bounded());
    print_message("this processor has %s\n", name != NULL ? name : "none");
}
