/* Code that is replaced, made better or evicted while functions wait in it. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/task.h>
#include <time.h>

#define MS 1000000ull
#define CROWD 8

static void count_failures(void *user, const tc_call_outcome *outcome)
{
    *(unsigned *)user += outcome->status != TC_OK;
}

/* Starts a call and counts its failure; the answer is dropped. */
static void start(pair *p, tc_ifunc *fn, const void *args, size_t size, unsigned *failures)
{
    static uint8_t answer[64];
    tc_error error = {0};
    const tc_call_params params = {.result = answer,
                                   .result_capacity = sizeof answer,
                                   .done = count_failures,
                                   .user = failures,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    tc_status status;
    while ((status = tc_call_start(p->ep, fn, args, size, &params, NULL, &error)) == TC_E_AGAIN)
        (void)tc_progress(p->source);
    must(status, &error, "start");
}

static uint64_t version_now(pair *p, tc_ifunc *lodger)
{
    const uint64_t ns = 0;
    uint64_t version = 0;
    size_t size = sizeof version;
    tc_error error = {0};
    must(tc_call(p->ep, lodger, &ns, sizeof ns, &version, &size, PAIR_TIMEOUT_NS, &error),
         &error, "call");
    return version;
}

/* A library is replaced while functions wait inside: each goes on with the version that it
 * began with. The function has the newest version when all of them have ended. */
PAIR_TEST(upgrades_leave_those_that_wait_alone)
{
    enum { UPGRADES = 10, BETWEEN = 20 };
    unsigned failures = 0;
    shipped_library_push(p->ep, SHELF(1));
    tc_ifunc *lodger = pair_ifunc(p, "lodger");
    assert_int_equal(version_now(p, lodger), 1);
    for (unsigned i = 0; i < UPGRADES; i++) {
        for (unsigned k = 0; k < BETWEEN; k++) {
            const uint64_t ns = (1 + (i * 31 + k * 7) % 40) * MS;
            start(p, lodger, &ns, sizeof ns, &failures);
        }
        if (i % 3 == 2)
            assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
        if (i % 2 == 0)
            shipped_library_push(p->ep, SHELF(2));
        else
            shipped_library_push(p->ep, SHELF(1));
        if (i % 3 == 2)
            assert_int_equal(version_now(p, lodger), i % 2 == 0 ? 2 : 1);
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(failures, 0);
    assert_int_equal(version_now(p, lodger), 1);
    pair_pause(p);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(tc_task_count(p->target), 0);
    pair_resume(p);
}

/* The old code stays until the last one has returned into it. */
TEST(better_code_comes_while_functions_wait)
{
    pair p;
    unsigned failures = 0;
    pair_open(&p, (const char *const[]){"form", "bitcode", "tier_calls", "20", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient");
    uint64_t sent = 0;
    const time_t end = time(NULL) + 100;
    for (; sent < 100 || (pair_counter(&p, "code_improved") == 0 && time(NULL) < end); sent++) {
        const patient_order order = {.kind = sent % 2 == 0 ? PATIENT_NAP : PATIENT_STACK,
                                     .depth = 1000,
                                     .ns = (1 + sent * 7 % 300) * MS};
        start(&p, fn, &order, sizeof order, &failures);
        if (sent >= 100)
            (void)tc_calls_wait(p.source, 5 * MS);
    }
    assert_ok(tc_calls_wait(p.source, PAIR_TIMEOUT_NS));
    assert_int_equal(failures, 0);
    const bool is_better = pair_counter(&p, "code_improved") > 0;
    pair_pause(&p);
    assert_int_equal(p.target_state.next, sent);
    assert_int_equal(p.target_state.bytes, sent);
    pair_resume(&p);
    pair_close(&p);
    if (!is_better) { /* it is made by a thread of low priority, beside threads that poll */
        print_message("skipped: the processors had no time for better code within 100 s\n");
        skip();
    }
}

/* Code in which a function waits is not evicted. */
TEST(code_that_functions_wait_in_stays)
{
    pair p;
    unsigned failures = 0;
    tc_ifunc *crowd[CROWD];
    const uint64_t nothing = 0;
    pair_open(&p, (const char *const[]){"form", "bitcode", "code_memory_max", "32K", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient");
    for (int i = 0; i < CROWD; i++)
        crowd[i] = pair_crowd_member(&p, i + 1);
    const patient_order order = {.kind = PATIENT_STACK, .depth = 5000, .ns = 300 * MS};
    start(&p, fn, &order, sizeof order, &failures);
    pair_flush(p.ep);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < CROWD; i++)
            assert_ok(pair_send(p.ep, crowd[i], &nothing, sizeof nothing));
        pair_flush(p.ep);
    }
    assert_true(pair_counter(&p, "code_evicted") >= CROWD);
    assert_ok(tc_calls_wait(p.source, PAIR_TIMEOUT_NS));
    assert_int_equal(failures, 0);
    assert_int_equal(tc_ep_refusal(p.ep, NULL), 0);
    pair_close(&p);
}
