/* When UCX gets a network port, and which worker an endpoint uses. */
#include "core/network.h"

#include "../support/fake_node.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#include <tc/log.h>

static bool has_network(const fake_node *node)
{
    return tci_worker_network(node->core.worker) == TCI_WORKER_NETWORK_ADDED;
}

/* Its HELLO for connecting peers, and for peers with its address. */
static void assert_says(const fake_node *node, const char *worker_address)
{
    const tci_core *core = &node->core;
    tci_hello said;
    assert_int_equal(tci_hello_decode(core->own_address, core->own_address_size,
                                      TCI_HELLO_ADDRESS, &said, NULL),
                     TC_OK);
    assert_int_equal(said.worker_address.size, strlen(worker_address));
    assert_memory_equal(said.worker_address.data, worker_address, said.worker_address.size);
    assert_int_equal(core->self.worker_address.size, strlen(worker_address));
    assert_memory_equal(core->self.worker_address.data, worker_address,
                        said.worker_address.size);
}

NODE_TEST(there_is_none_at_first)
{
    assert_false(has_network(node));
    assert_false(node->core.worker->puts);
    assert_says(node, "local");
}

NODE_TEST(options_decide_about_network_and_puts)
{
    tci_network_stop(&node->core);
    node->core.options.network = TCI_NETWORK_YES;
    node->core.options.delivery = TCI_DELIVERY_PUT;
    const tci_am_receiver receiver = {.user = node};
    assert_int_equal(tci_network_start(&node->core, NULL, -1, &receiver, NULL), TC_OK);
    assert_true(has_network(node));
    assert_true(node->core.worker->puts);
    assert_says(node, "network");
}

NODE_TEST(a_worker_that_nobody_uses_is_replaced)
{
    (void)fake_node_ep(node); /* it has sent nothing yet */
    assert_int_equal(tci_network_open(&node->core, &node->core.credentials, "a test", NULL),
                     TC_OK);
    assert_true(has_network(node));
    assert_null(node->core.worker->beside);
    assert_says(node, "network");
    const tci_worker *worker = node->core.worker;
    assert_int_equal(tci_network_open(&node->core, &node->core.credentials, "a test", NULL),
                     TC_OK);
    assert_ptr_equal(node->core.worker, worker);
}

NODE_TEST(endpoints_that_are_there_keep_their_worker)
{
    tc_ep *early = fake_node_ep(node), *late = fake_node_ep(node);
    tci_worker *local = node->core.worker;
    assert_int_equal(tci_handshake_send_hello(early, NULL), TC_OK);
    assert_ptr_equal(tci_network_worker(early), local);
    assert_int_equal(tci_network_open(&node->core, &node->core.credentials, "a test", NULL),
                     TC_OK);
    assert_ptr_equal(node->core.worker->beside, local);
    assert_ptr_equal(tci_network_worker(early), local);
    assert_ptr_equal(tci_network_worker(late), node->core.worker);
}

NODE_TEST(the_option_no_keeps_it_closed)
{
    node->core.options.network = TCI_NETWORK_NO;
    assert_int_equal(tci_network_open(&node->core, &node->core.credentials, "a test", NULL),
                     TC_OK);
    assert_false(has_network(node));
}

NODE_TEST(what_fails_leaves_everything_as_it_was)
{
    const tci_worker *local = node->core.worker;
    fake_connect_status = TC_E_UCX;
    assert_int_equal(tci_network_open(&node->core, &node->core.credentials, "a test", NULL),
                     TC_E_UCX);
    fake_connect_status = TC_OK;
    assert_ptr_equal(node->core.worker, local);
    assert_says(node, "local");
}

static void connect(fake_node *node, bool is_remote)
{
    tc_ep *ep;
    assert_int_equal(tci_ep_create(&node->core, false, &ep, NULL), TC_OK);
    ep->stream = fake_stream_create();
    ep->stream->is_remote = is_remote;
    ep->state = TCI_EP_CONNECTING;
    tci_handshake_begin(ep, UINT64_MAX);
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_AWAITING_HELLO);
    assert_ptr_equal(ep->worker, node->core.worker);
}

static tci_hello described(tc_ep *ep)
{
    tci_hello hello = ep->core->self;
    tci_network_describe(ep, &hello);
    return hello;
}

NODE_TEST(without_an_adapter_auto_offers_the_connection_instead)
{
    fake_network_yields = true;
    connect(node, true);
    assert_false(has_network(node));
    assert_true(node->core.first->stream != NULL);
    tci_hello hello = described(node->core.first);
    assert_true(tci_hello_offers_stream(&hello));
    node->core.options.delivery = TCI_DELIVERY_AM;
    hello = described(node->core.first);
    assert_false(tci_hello_offers_stream(&hello));
    connect(node, true);
    assert_true(has_network(node));
    fake_network_yields = false;
}

/* One that has its HELLO from a peer with a network of UCX's. */
static void answer(fake_node *node, bool is_remote, uint64_t ring_address)
{
    tc_ep *ep;
    tci_hello theirs = node->core.self;
    assert_int_equal(tci_ep_create(&node->core, false, &ep, NULL), TC_OK);
    ep->stream = fake_stream_create();
    ep->stream->is_remote = is_remote;
    tci_handshake_begin(ep, UINT64_MAX);
    theirs.ucx_network = true;
    theirs.ring_address = ring_address;
    assert_int_equal(tci_network_agree(ep, &theirs, NULL), TC_OK);
}

static char logged[512];

static void keep_line(void *user, tc_log_level level, const char *line)
{
    (void)user, (void)level;
    (void)snprintf(logged, sizeof logged, "%s", line);
}

/* Links with a peer whose UCX cannot talk to this one's, and keeps the line about it. */
static void link_to_another_ucx(fake_node *node, uint64_t ring_address)
{
    tc_ep *ep;
    tci_hello theirs = node->core.self;
    theirs.ucx.minor++;
    theirs.ring_address = ring_address;
    assert_int_equal(tci_ep_create(&node->core, false, &ep, NULL), TC_OK);
    ep->stream = fake_stream_create();
    tci_handshake_begin(ep, UINT64_MAX);
    logged[0] = '\0';
    tc_log_set_level(TC_LOG_INFO);
    tc_log_set_sink(keep_line, NULL);
    const tc_status status = tci_network_link(ep, &theirs, NULL);
    tc_log_set_sink(NULL, NULL);
    tc_log_set_level(TC_LOG_ERROR);
    assert_int_equal(status, TC_E_UNSUPPORTED); /* a fake stream carries no frames */
}

NODE_TEST(a_connection_that_nobody_offered_is_explained_by_both_versions)
{
    char own[16], other[16];
    const tci_hello *self = &node->core.self;
    (void)snprintf(own, sizeof own, "%u.%u.", self->ucx.major, self->ucx.minor);
    (void)snprintf(other, sizeof other, "%u.%u.", self->ucx.major, self->ucx.minor + 1u);
    link_to_another_ucx(node, 0);
    assert_non_null(strstr(logged, own));
    assert_non_null(strstr(logged, other));
    fake_network_yields = true;
    link_to_another_ucx(node, 0); /* this side offers it, the peer does not */
    assert_non_null(strstr(logged, other));
    link_to_another_ucx(node, TCI_HELLO_STREAM_OFFER);
    assert_string_equal(logged, "");
    fake_network_yields = false;
}

NODE_TEST(an_earlier_release_on_another_host_gets_its_network)
{
    fake_network_yields = true;
    answer(node, true, TCI_HELLO_STREAM_OFFER);
    assert_false(has_network(node));
    answer(node, false, 0);
    assert_false(has_network(node));
    answer(node, true, 0);
    assert_true(has_network(node));
    fake_network_yields = false;
}

NODE_TEST(a_stream_opens_it_when_it_leaves_the_host)
{
    connect(node, false);
    assert_false(has_network(node));
    connect(node, true);
    assert_true(has_network(node));
    assert_non_null(node->core.worker->beside); /* the first endpoint's */
}
