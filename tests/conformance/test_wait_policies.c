/* Every policy of waiting sees every peer, and one that the processor lacks is refused; run
 * once for each delivery. Sleeps are bounded by an hour here, so that a message that a policy
 * misses shows as a call that fails at its deadline. */
#include "../support/pair.h"
#include "../support/test.h"

#include <tc/advanced.h>
#include <tc/options.h>

#define HOUR_NS 3600000000000ull
#define DEADLINE_NS 20000000000ull
#define PEERS_MAX 4u
#define ROUNDS 20u

static unsigned to_end;

static void stop_after_the_last(void *user, tc_ep *ep, tc_ep_event event)
{
    pair *p = user;
    (void)ep;
    if (event != TC_EP_OPENED && --to_end == 0)
        atomic_store(&p->server.stop, true);
}

static void *wait_for_ever(void *arg)
{
    pair *p = arg;
    tc_status status = TC_OK;
    while (!atomic_load(&p->server.stop) && status == TC_OK)
        status = tc_wait(p->target, HOUR_NS);
    return NULL;
}

/* Replaces a thread that only progresses. */
static void have_target_wait(pair *p, unsigned peers)
{
    atomic_store(&p->server.stop, true);
    pthread_join(p->server.thread, NULL);
    atomic_store(&p->server.stop, false);
    to_end = peers;
    tc_context_set_ep_callback(p->target, stop_after_the_last, p);
    assert_int_equal(pthread_create(&p->server.thread, NULL, wait_for_ever, p), 0);
}

static void check_policy(const char *policy, unsigned peers)
{
    pair p;
    tc_ep *eps[PEERS_MAX];
    pair_open(&p, (const char *const[]){"wait", policy, "sleep_max", "1h", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    eps[0] = p.ep;
    for (unsigned i = 1; i < peers; i++)
        eps[i] = pair_connect(&p);
    have_target_wait(&p, peers);
    for (uint64_t n = 0; n < ROUNDS * peers; n++) {
        pair_send_check(eps[n % peers], fn, n, 8);
        assert_ok(tc_ep_flush(eps[n % peers], DEADLINE_NS, NULL));
    }
    assert_int_equal(p.target_state.next, ROUNDS * peers);
    assert_int_equal(p.target_state.wrong, 0);
    for (unsigned i = 1; i < peers; i++)
        tc_ep_close(eps[i]);
    pair_close(&p);
}

/* One of several is watched, or looked at first. */
static void check_both(const char *policy)
{
    check_policy(policy, 1);
    check_policy(policy, PEERS_MAX);
}

TEST(who_spins_hears_all)
{
    check_both("spin");
}

TEST(who_pauses_hears_all)
{
    check_both("pause");
}

TEST(who_yields_hears_all)
{
    check_both("yield");
}

TEST(who_adapts_hears_all)
{
    check_both("adaptive");
}

TEST(who_sleeps_hears_all)
{
    check_both("block");
}

TEST(who_watches_a_line_hears_all)
{
    if (tc_wait_instruction() == NULL)
        skip();
    check_both("line");
}

TEST(a_policy_that_the_processor_lacks_is_refused)
{
    tc_options *options;
    tc_context *ctx = NULL;
    tc_error err = {0};
    assert_ok(tc_options_create(&options, NULL));
    assert_ok(tc_options_set(options, "wait", "line", NULL));
    tc_status status = tc_context_create(options, &ctx, &err);
    tc_options_destroy(options);
    assert_int_equal(status, tc_wait_instruction() == NULL ? TC_E_UNSUPPORTED : TC_OK);
    if (status != TC_OK)
        assert_non_null(strstr(err.text, "wait: line"));
    tc_context_destroy(ctx);
}

TEST(an_unknown_policy_is_refused)
{
    tc_options *options;
    tc_error err = {0};
    assert_ok(tc_options_create(&options, NULL));
    assert_status(tc_options_set(options, "wait", "mwait", &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "pause|line|yield"));
    tc_options_destroy(options);
}
