/* Peers with another UCX, or one without a common transport: ways that still work between the
 * two are taken automatically, and others are refused with both versions named. */
#include "../support/pair.h"
#include "../support/test.h"

#include "context/context_object.h"

static void expect_delivery(const tc_ep *ep, const char *name)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, name);
}

/* Rings that are not attached, as on another host. */
static const char *const unmapped[] = {"ring_memory_max", "0", NULL};

/* Messages, code beside the ring and payloads beside it. */
static void send_all_kinds(pair *p, tc_ep *ep)
{
    static uint8_t payload[200000];
    tc_ifunc *check = pair_ifunc(p, "check"), *bulky = pair_ifunc(p, "bulky");
    for (uint64_t n = 0; n < 1000; n++)
        pair_send_check(ep, check, n, (size_t)n);
    assert_ok(pair_send(ep, bulky, payload, 8));
    assert_ok(pair_send(ep, bulky, payload, sizeof payload));
    pair_flush(ep);
    assert_int_equal(p->target_state.next, 1002); /* bulky counts there, too */
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(tc_ep_refusal(ep, NULL), 0);
}

PAIR_TEST(another_ucx_on_this_host_stores_as_ever)
{
    p->source->core.self.ucx.minor++;
    tc_ep *ep = pair_connect(p);
    expect_delivery(ep, "direct");
    send_all_kinds(p, ep);
    tc_ep_close(ep);
}

/* Both offer their connections, as neither has an adapter. */
TEST(another_ucx_elsewhere_is_served_over_the_connection)
{
    pair p;
    pair_open(&p, unmapped);
    tci_hello *self = &p.source->core.self;
    self->ucx.minor++;
    self->host_id[0] ^= 1;
    tc_ep *ep = pair_connect(&p);
    expect_delivery(ep, "stream");
    send_all_kinds(&p, ep);
    tc_ep_close(ep);
    pair_close(&p);
}

/* Neither has a network: before, this was refused. */
TEST(without_a_transport_in_common_the_connection_serves)
{
    pair p;
    pair_open(&p, unmapped);
    p.source->core.self.host_id[0] ^= 1;
    tc_ep *ep = pair_connect(&p);
    expect_delivery(ep, "stream");
    send_all_kinds(&p, ep);
    tc_ep_close(ep);
    pair_close(&p);
}

PAIR_TEST(who_insists_on_ucx_is_told_both_versions)
{
    tc_ep *ep;
    tc_error error = {0};
    char own[16], other[16];
    tci_hello *self = &p->source->core.self;
    (void)snprintf(own, sizeof own, "%u.%u.", self->ucx.major, self->ucx.minor++);
    (void)snprintf(other, sizeof other, "%u.%u.", self->ucx.major, self->ucx.minor);
    p->source->core.options.delivery = TCI_DELIVERY_AM;
    assert_status(tc_ep_connect(p->source, p->host_port, PAIR_TIMEOUT_NS, &ep, &error),
                  TC_E_VERSION);
    assert_non_null(strstr(error.text, own));
    assert_non_null(strstr(error.text, other));
}
