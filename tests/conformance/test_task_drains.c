/* A target that drains while functions wait (TC_THREADED): each of their calls is answered. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <pthread.h>
#include <sched.h>
#include <tc/call.h>
#include <tc/task.h>

#define MS 1000000ull
#define CALLS 200u

/* The target's drain, in the thread where its functions run. */
static struct {
    uint64_t timeout_ns;
    tc_status status;
    tc_error error;
    atomic_bool done;
} drain;

static unsigned drain_target(void *user)
{
    pair *p = user;
    if (!atomic_load(&drain.done)) {
        drain.status = tc_context_drain(p->target, drain.timeout_ns, NULL, &drain.error);
        atomic_store(&drain.done, true);
    }
    return 0;
}

/* The target pauses. */
static void drain_now(pair *p, uint64_t timeout_ns, tc_status expected)
{
    atomic_store(&drain.done, false);
    drain.timeout_ns = timeout_ns;
    p->server.turn = drain_target;
    pair_resume(p);
    while (!atomic_load(&drain.done))
        sched_yield();
    pair_pause(p);
    if (drain.status != expected)
        fail_msg("drain: %s %s", tc_status_name(drain.status), drain.error.text);
}

typedef struct outcomes {
    unsigned count, answered, closed;
    char text[TC_ERROR_TEXT_MAX]; /* of the last that was not answered */
} outcomes;

typedef struct caller {
    pair *p;
    tc_ifunc *fn;
    patient_order order;
    outcomes ends;
    unsigned started;
    bool goes_on; /* until the endpoint ends */
    atomic_uint begun;
    pthread_t thread;
} caller;

static void note_end(void *user, const tc_call_outcome *outcome)
{
    outcomes *o = user;
    o->count++;
    o->answered += outcome->status == TC_OK;
    o->closed += outcome->status == TC_E_CLOSED;
    if (outcome->status != TC_OK)
        (void)snprintf(o->text, sizeof o->text, "%s", outcome->text);
}

static tc_status start(caller *c)
{
    static patient_order result;
    const tc_call_params params = {.done = note_end,
                                   .user = &c->ends,
                                   .result = &result,
                                   .result_capacity = sizeof result,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    tc_status status =
        tc_call_start(c->p->ep, c->fn, &c->order, sizeof c->order, &params, NULL, NULL);
    c->started += status == TC_OK;
    atomic_store(&c->begun, c->started);
    return status;
}

static void *call_on(void *arg)
{
    caller *c = arg;
    tc_status status = TC_OK;
    while (c->goes_on || c->started < CALLS) {
        if (c->started - c->ends.count < CALLS)
            status = start(c);
        if (status != TC_OK && status != TC_E_AGAIN)
            break;
        (void)tc_progress(c->p->source);
    }
    while (c->ends.count < c->started)
        (void)tc_wait(c->p->source, PAIR_TIMEOUT_NS);
    return NULL;
}

/* Opens a pair and starts calls, of which some wait at the target. */
static void open_calling(pair *p, caller *c)
{
    pair_open(p, NULL);
    c->p = p;
    c->fn = pair_ifunc(p, "patient");
    assert_int_equal(pthread_create(&c->thread, NULL, call_on, c), 0);
    for (size_t waiting = 0; waiting == 0;) {
        pair_pause(p);
        waiting = tc_task_count(p->target);
        if (waiting > 0)
            return; /* paused */
        pair_resume(p);
    }
}

static void close_calling(pair *p, caller *c)
{
    assert_int_equal(pthread_join(c->thread, NULL), 0);
    assert_int_equal(tc_task_count(p->target), 0);
    assert_int_equal(c->ends.count, c->started);
    pair_close(p);
}

TEST(functions_that_wait_answer)
{
    caller c = {.order = {.kind = PATIENT_NAP, .ns = 300 * MS}};
    pair p;
    open_calling(&p, &c);
    drain_now(&p, PAIR_TIMEOUT_NS, TC_OK);
    close_calling(&p, &c);
    assert_int_equal(c.ends.answered + c.ends.closed, c.started);
    assert_int_equal(c.ends.answered, p.target_state.bytes); /* ends */
    assert_int_equal(p.target_state.next, p.target_state.bytes);
    assert_true(c.ends.answered > 0);
}

/* Without turning away new ones some would wait at any time. */
TEST(calls_without_end_do_not_hold_it_up)
{
    caller c = {.order = {.kind = PATIENT_NAP, .ns = 20 * MS}, .goes_on = true};
    pair p;
    open_calling(&p, &c);
    drain_now(&p, PAIR_TIMEOUT_NS, TC_OK);
    close_calling(&p, &c);
    assert_int_equal(c.ends.answered + c.ends.closed, c.started);
    assert_int_equal(c.ends.answered, p.target_state.bytes);
    assert_true(c.ends.closed > 0);
}

/* They ask the source, which has to be served meanwhile. */
TEST(functions_that_ask_their_caller_answer)
{
    caller c = {.order = {.kind = PATIENT_NEST, .depth = 0}};
    pair p;
    c.order.depth = 3;
    pair_open(&p, NULL);
    c.p = &p;
    c.fn = pair_ifunc(&p, "patient");
    assert_int_equal(pthread_create(&c.thread, NULL, call_on, &c), 0);
    while (atomic_load(&c.begun) < CALLS / 2)
        continue;
    pair_pause(&p);
    drain_now(&p, PAIR_TIMEOUT_NS, TC_OK);
    close_calling(&p, &c);
    assert_int_equal(c.ends.answered + c.ends.closed, c.started);
}

TEST(a_function_that_waits_too_long_is_named)
{
    caller c = {.order = {.kind = PATIENT_STAY, .ns = 10 * MS}};
    pair p;
    open_calling(&p, &c);
    drain_now(&p, 100 * MS, TC_E_TIMEOUT);
    assert_non_null(strstr(drain.error.text, "still waited when the time was over: 'patient'"));
    close_calling(&p, &c);
    assert_int_equal(p.target_state.next, p.target_state.bytes);
    assert_int_equal(p.target_state.replies, p.target_state.bytes); /* each wait has failed */
    assert_int_equal(c.ends.answered + c.ends.closed, c.started);
}
