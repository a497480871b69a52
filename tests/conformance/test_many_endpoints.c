/* Hundreds of endpoints into one target, and a bound on what their rings may take. */
#include "../support/pair.h"
#include "../support/test.h"

#define ENDPOINTS 256u
#define MAPPED 100u /* as many as there is memory for */
#define ROUNDS 3u

static const char *const options[] = {"ring_bytes", "32K", "ring_memory_max", "3200K", NULL};
static const char *const no_memory[] = {"ring_memory_max", "0", NULL};
static const char *const only_direct[] = {"ring_memory_max", "0", "delivery", "direct", NULL};

static uint64_t stat_named(const tc_context *ctx, const char *name)
{
    for (size_t i = 0; i < tc_stats_count(); i++) {
        if (strcmp(tc_stats_name(i), name) == 0)
            return tc_stats_value(ctx, i);
    }
    fail_msg("no counter %s", name);
    return 0;
}

static void expect_delivery(const tc_ep *ep, const char *delivery)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, delivery);
}

static void rings_stay_within_their_memory(void **state)
{
    pair p;
    tc_ep *eps[ENDPOINTS];
    uint64_t n = 0;
    pair_open(&p, options);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    eps[0] = p.ep;
    p.ep = NULL;
    for (unsigned i = 1; i < ENDPOINTS; i++)
        eps[i] = pair_connect(&p);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        expect_delivery(eps[i], i < MAPPED ? "direct" : "am");
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < ENDPOINTS; i++) {
            pair_send_check(eps[i], fn, n++, 1 + 61 * i); /* some in pieces */
            pair_flush(eps[i]);
        }
    }
    assert_int_equal(stat_named(p.source, "rings_closed"), ENDPOINTS - MAPPED);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        tc_ep_close(eps[i]);
    assert_int_equal(p.target_state.next, n);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

static void memory_that_is_given_back_is_given_again(void **state)
{
    pair p;
    pair_open(&p, options);
    for (unsigned i = 0; i < 2 * MAPPED; i++) {
        expect_delivery(p.ep, "direct");
        tc_ep_close(p.ep);
        p.ep = pair_connect(&p);
    }
    pair_close(&p);
}

static void without_ring_memory_all_go_by_message(void **state)
{
    pair p;
    pair_open(&p, no_memory);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    expect_delivery(p.ep, "am");
    for (uint64_t n = 0; n < 2000; n++)
        pair_send_check(p.ep, fn, n, n);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 2000);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

static void who_insists_on_direct_hears_why_not(void **state)
{
    pair p;
    tc_options *opts;
    tc_context *insisting;
    tc_ep *ep;
    tc_error error = {0};
    pair_open(&p, no_memory);
    assert_int_equal(tc_options_create(&opts, NULL), TC_OK);
    for (size_t i = 0; only_direct[i] != NULL; i += 2)
        assert_int_equal(tc_options_set(opts, only_direct[i], only_direct[i + 1], NULL), TC_OK);
    assert_int_equal(tc_context_create(opts, &insisting, NULL), TC_OK);
    tc_options_destroy(opts);
    assert_int_equal(tc_ep_connect(insisting, p.host_port, PAIR_TIMEOUT_NS, &ep, &error),
                     TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cannot be mapped"));
    tc_context_destroy(insisting);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_stay_within_their_memory),
        cmocka_unit_test(memory_that_is_given_back_is_given_again),
        cmocka_unit_test(without_ring_memory_all_go_by_message),
        cmocka_unit_test(who_insists_on_direct_hears_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
