/* Functions that wait, among the members of a group. */
#include "../shipped/check.h"
#include "../shipped/patient.h"
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <tc/task.h>

#define MS 1000000ull
#define MANY 60u

/* Gives each context a state of its own, and opens the function. */
static tc_ifunc *begin(team *t, check_state *states)
{
    tc_error error = {0};
    tc_ifunc *fn;
    team_pause(t);
    for (uint32_t rank = 0; rank < t->size; rank++)
        tc_context_set_target_args(t->contexts[rank], &states[rank]);
    team_resume(t);
    must(tc_ifunc_open(t->contexts[0], "patient", &fn, &error), &error, "patient");
    return fn;
}

static void send_all(team *t, uint32_t rank, tc_ifunc *fn, const patient_order *order)
{
    tc_status status;
    for (unsigned i = 0; i < MANY; i++) {
        while ((status = tc_group_send(t->groups[0], rank, fn, order, sizeof *order)) ==
               TC_E_AGAIN)
            (void)tc_progress(t->contexts[0]);
        assert_ok(status);
    }
    assert_ok(tc_ep_flush(team_ep(t, rank), TEAM_TIMEOUT_NS, NULL));
}

static size_t waiting(team *t, uint32_t rank)
{
    team_pause(t);
    const size_t count = tc_task_count(t->contexts[rank]);
    team_resume(t);
    return count;
}

/* To another member and to the process itself. */
TEAM_TEST(calls_nest_among_members)
{
    check_state states[2] = {{0}};
    tc_ifunc *fn = begin(t, states);
    for (uint32_t rank = 0; rank < 2; rank++) {
        const patient_order order = {.kind = PATIENT_NEST, .depth = 20};
        uint64_t answer = 0;
        size_t size = sizeof answer;
        tc_error error = {0};
        must(tc_call(team_ep(t, rank), fn, &order, sizeof order, &answer, &size,
                     TEAM_TIMEOUT_NS, &error),
             &error, "call");
        assert_int_equal(answer, 21);
    }
    while (waiting(t, 1) + tc_task_count(t->contexts[0]) > 0)
        (void)tc_progress(t->contexts[0]);
    team_pause(t);
    assert_int_equal(states[0].next + states[1].next, 2 * 21);
    assert_int_equal(states[0].bytes + states[1].bytes, 2 * 21);
    team_resume(t);
}

/* The member where the functions wait destroys it, or the one that has sent them. */
TEAM_TEST(a_group_that_is_destroyed_ends_waits)
{
    const patient_order stay = {.kind = PATIENT_STAY, .ns = 3600 * 1000 * MS};
    check_state states[2] = {{0}};
    tc_ifunc *fn = begin(t, states);
    send_all(t, 1, fn, &stay);
    send_all(t, 0, fn, &stay);
    assert_int_equal(waiting(t, 1), MANY);
    assert_int_equal(tc_task_count(t->contexts[0]), MANY);
    tc_group_destroy(t->groups[0]);
    assert_int_equal(tc_task_count(t->contexts[0]), 0);
    while (waiting(t, 1) > 0)
        sched_yield();
    team_pause(t);
    assert_int_equal(states[0].replies, MANY);
    assert_int_equal(states[1].replies, MANY);
    team_resume(t);
}

/* Functions of the process itself wait when its context ends. */
TEAM_TEST(a_context_ends_with_functions_of_its_own)
{
    const patient_order stay = {.kind = PATIENT_STAY, .ns = 3600 * 1000 * MS};
    static check_state states[2];
    memset(states, 0, sizeof states);
    tc_ifunc *fn = begin(t, states);
    send_all(t, 0, fn, &stay);
    send_all(t, 1, fn, &stay);
    assert_int_equal(tc_task_count(t->contexts[0]), MANY);
}

typedef struct errno_keeper {
    team *team;
    tc_ifunc *fn;
    atomic_bool has_begun, may_end;
    int found;
} errno_keeper;

/* Begins the functions, and looks at its errno when others have ended them. */
static void *keep_errno(void *argument)
{
    const patient_order stay = {.kind = PATIENT_STAY, .ns = 3600 * 1000 * MS};
    errno_keeper *k = argument;
    errno = EDOM;
    send_all(k->team, 0, k->fn, &stay);
    errno = ERANGE;
    atomic_store(&k->has_begun, true);
    while (!atomic_load(&k->may_end))
        continue;
    k->found = errno;
    return NULL;
}

/* Functions have the errno of the thread that ends them, not of the one that they began in. */
TEST(a_context_that_ends_in_another_thread_leaves_errno)
{
    static check_state states[2];
    static team t;
    static errno_keeper k;
    pthread_t thread;
    memset(states, 0, sizeof states);
    team_open(&t, 2, (const char *const[]){"check_threads", "no", NULL});
    k = (errno_keeper){.team = &t, .fn = begin(&t, states)};
    assert_int_equal(pthread_create(&thread, NULL, keep_errno, &k), 0);
    while (!atomic_load(&k.has_begun))
        sched_yield();
    assert_int_equal(tc_task_count(t.contexts[0]), MANY);
    team_close(&t);
    atomic_store(&k.may_end, true);
    pthread_join(thread, NULL);
    assert_int_equal(k.found, ERANGE);
}
