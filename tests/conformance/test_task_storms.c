/* Waits without end while the code around them changes: libraries are replaced, better code
 * comes, code is evicted. No wait is lost, and each function goes on with the version of its
 * library that it began with. TASK_STORM_WAITS is the number of waits. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"

#include <tc/call.h>
#include <tc/task.h>

#define MS 1000000ull
#define CROWD 8
#define WAITS_OF_ONE 4u /* of the function lodger */
#define UNDER_WAY 2000u

typedef struct storm {
    pair p;
    tc_ifunc *lodger;
    tc_ifunc *patient;
    tc_ifunc *crowd[CROWD];
    uint64_t started, ended, failed;
    uint64_t naps; /* of `patient` */
    uint64_t by_version[3];
    uint64_t rounds;
} storm;

/* A lodger's answer. */
typedef struct stay {
    storm *s;
    uint64_t version;
} stay;

static void note_end(void *user, const tc_call_outcome *outcome)
{
    stay *one = user;
    one->s->ended++;
    one->s->failed += outcome->status != TC_OK;
    if (outcome->status == TC_OK && one->version <= 2)
        one->s->by_version[one->version]++;
    free(one);
}

static void start(storm *s, uint64_t ns)
{
    stay *one = calloc(1, sizeof *one);
    tc_error error = {0};
    tc_status status;
    one->s = s;
    const tc_call_params params = {.result = &one->version,
                                   .result_capacity = sizeof one->version,
                                   .done = note_end,
                                   .user = one,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    while ((status = tc_call_start(s->p.ep, s->lodger, &ns, sizeof ns, &params, NULL,
                                   &error)) == TC_E_AGAIN)
        (void)tc_wait(s->p.source, MS);
    must(status, &error, "start");
    s->started++;
}

/* Evicts code, as all of it does not fit. */
static void send_crowd(storm *s)
{
    const uint64_t nothing = 0;
    for (int i = 0; i < CROWD; i++)
        assert_ok(pair_send(s->p.ep, s->crowd[i], &nothing, sizeof nothing));
    pair_flush(s->p.ep);
}

static size_t waiting(storm *s)
{
    pair_pause(&s->p);
    const size_t count = tc_task_count(s->p.target);
    pair_resume(&s->p);
    return count;
}

static void wait_until(storm *s, uint64_t under_way)
{
    while (s->started - s->ended > under_way)
        (void)tc_wait(s->p.source, MS);
}

/* Functions that end while the library changes, and some that are inside from one version to
 * the one after the next. */
static void run_round(storm *s, uint64_t count)
{
    const patient_order order = {.kind = PATIENT_STACK, .depth = 900, .ns = 3 * MS};
    for (uint64_t i = 0; i < count; i++) {
        start(s, (1 + (s->started * 7919) % 4000) * 1000);
        if (i % 64 == 0) {
            assert_ok(pair_send(s->p.ep, s->patient, &order, sizeof order));
            s->naps++;
        }
        wait_until(s, UNDER_WAY);
    }
    send_crowd(s);
    if (s->rounds % 3 == 2)
        wait_until(s, 0); /* then the newest version is bound */
    if (s->rounds++ % 2 == 0)
        shipped_library_push(s->p.ep, SHELF(2));
    else
        shipped_library_push(s->p.ep, SHELF(1));
}

static void open_storm(storm *s)
{
    memset(s, 0, sizeof *s);
    pair_open(&s->p, (const char *const[]){"code_memory_max", "72K", "tier_calls", "2", NULL});
    shipped_library_push(s->p.ep, SHELF(1));
    s->lodger = pair_ifunc(&s->p, "lodger");
    s->patient = pair_ifunc(&s->p, "patient");
    for (int i = 0; i < CROWD; i++)
        s->crowd[i] = pair_crowd_member(&s->p, i + 1);
}

/* The sums of all seasons. */
typedef struct storms {
    uint64_t waits, upgrades, evictions, exchanges;
    uint64_t by_version[3];
} storms;

static void close_storm(storm *s, storms *all)
{
    wait_until(s, 0);
    while (waiting(s) > 0)
        (void)tc_wait(s->p.source, MS);
    assert_int_equal(s->failed, 0);
    assert_int_equal(tc_ep_refusal(s->p.ep, NULL), 0);
    assert_int_equal(s->by_version[1] + s->by_version[2], s->started);
    all->waits += s->started * WAITS_OF_ONE;
    all->upgrades += s->rounds;
    all->evictions += pair_counter(&s->p, "code_evicted");
    all->exchanges += pair_counter(&s->p, "code_improved");
    all->by_version[1] += s->by_version[1];
    all->by_version[2] += s->by_version[2];
    pair_pause(&s->p);
    assert_int_equal(s->p.target_state.wrong, 0);
    assert_int_equal(s->p.target_state.next, s->started + s->naps + s->rounds * CROWD);
    assert_int_equal(s->p.target_state.bytes, s->naps + s->rounds * (CROWD * (CROWD + 1) / 2));
    pair_resume(&s->p);
    pair_close(&s->p);
}

/* Better code is made by a thread of low priority: it gets some time, with functions inside. */
static void await_better_code(storm *s)
{
    const uint64_t deadline_ns = tci_deadline_after(5000 * MS);
    while (pair_counter(&s->p, "code_improved") < 1 && tci_deadline_left_ns(deadline_ns) > 0) {
        for (unsigned i = 0; i < 16; i++)
            start(s, 40 * MS);
        wait_until(s, 16);
    }
}

/* Each function gets better code once, so there are several pairs. */
TEST(waits_survive_all_changes_of_code)
{
    static storm s;
    storms all = {0};
    const char *text = getenv("TASK_STORM_WAITS");
    const uint64_t waits = text != NULL ? strtoull(text, NULL, 10) : 6000;
    const uint64_t seasons = text != NULL ? 25 : 1, upgrades = text != NULL ? 4 : 6;
    for (uint64_t i = 0; i < seasons; i++) {
        open_storm(&s);
        if (text != NULL)
            await_better_code(&s);
        for (uint64_t k = 0; k < upgrades; k++)
            run_round(&s, waits / WAITS_OF_ONE / upgrades / seasons + 1);
        close_storm(&s, &all);
    }
    print_message(
        "%llu waits, %llu with version 1, %llu with 2; %llu upgrades, %llu evictions, "
        "%llu exchanges\n",
        (unsigned long long)all.waits, (unsigned long long)all.by_version[1],
        (unsigned long long)all.by_version[2], (unsigned long long)all.upgrades,
        (unsigned long long)all.evictions, (unsigned long long)all.exchanges);
    assert_true(all.by_version[1] > 0 && all.by_version[2] > 0);
    assert_true(all.evictions >= all.upgrades);
}
