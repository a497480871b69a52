/* UCX of a world, by its own calls: messages, puts with their freedoms, and ends. */
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/sim.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#define MS 1000000ull
#define AM_ID 7u
#define LARGE 50000u
#define MESSAGES 20u
#define BODY 3000u
#define ROUNDS 20u

/* A node's UCX. Addresses and keys pass by static variables. */
typedef struct side {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_size;
    ucp_ep_h ep;
    ucs_status_t failed;
    unsigned got;
    bool out_of_order;
} side;

static side sides[2];
static uint8_t large[LARGE], received[LARGE];
static bool rendezvous_ended;
static uint64_t key_address;
static void *key;
static size_t key_size;
static bool uses_fence, uses_flush;
static unsigned torn; /* rounds in which the signal came before the body */

static void open_side(side *s)
{
    ucp_config_t *config;
    const ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                   .features =
                                       UCP_FEATURE_AM | UCP_FEATURE_WAKEUP | UCP_FEATURE_RMA};
    const ucp_worker_params_t params = {.field_mask = 0};
    *s = (side){0};
    assert_int_equal(ucp_config_read(NULL, NULL, &config), UCS_OK);
    assert_int_equal(ucp_config_modify(config, "TLS", "^sysv"), UCS_OK);
    assert_int_equal(ucp_init(&features, config, &s->context), UCS_OK);
    ucp_config_release(config);
    assert_int_equal(ucp_worker_create(s->context, &params, &s->worker), UCS_OK);
    assert_int_equal(ucp_worker_get_address(s->worker, &s->address, &s->address_size), UCS_OK);
}

static void on_failure(void *argument, ucp_ep_h ep, ucs_status_t status)
{
    side *s = argument;
    assert_ptr_equal(ep, s->ep);
    s->failed = status;
}

static void connect_to(side *s, const side *peer)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = peer->address,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {on_failure, s}};
    assert_int_equal(ucp_ep_create(s->worker, &params, &s->ep), UCS_OK);
}

static void close_ep(side *s)
{
    const ucp_request_param_t force = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t request = ucp_ep_close_nbx(s->ep, &force);
    while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS)
        (void)ucp_worker_progress(s->worker);
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
}

static void close_side(side *s)
{
    ucp_worker_release_address(s->worker, s->address);
    ucp_worker_destroy(s->worker);
    ucp_cleanup(s->context);
}

/* Sleeps by the worker's descriptor until there is something to do, and does it. */
static void turn(side *s, int timeout_ms)
{
    struct pollfd one = {.events = POLLIN};
    assert_int_equal(ucp_worker_get_efd(s->worker, &one.fd), UCS_OK);
    if (ucp_worker_arm(s->worker) == UCS_OK)
        (void)poll(&one, 1, timeout_ms);
    (void)ucp_worker_progress(s->worker);
}

static void await_request(side *s, ucs_status_ptr_t request)
{
    assert_false(UCS_PTR_IS_ERR(request));
    while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS)
        turn(s, 1000);
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
}

static void run_world(uint64_t seed, unsigned hosts, void (*first)(tc_sim_node *, void *),
                      void (*second)(tc_sim_node *, void *), uint64_t connection_ns)
{
    tc_sim_world *world;
    tc_sim_node *nodes[2];
    tc_error error = {0};
    unsigned descriptors;
    const tc_sim_params params = {.seed = seed, .connection_ns = connection_ns};
    must(tc_sim_world_create(&params, &world, &error), &error, "world");
    must(tc_sim_node_create(world, 0, first, NULL, &nodes[0], &error), &error, "node");
    must(tc_sim_node_create(world, hosts - 1, second, NULL, &nodes[1], &error), &error, "node");
    must(tc_sim_run_until(world, 100000 * MS, &error), &error, "run");
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tc_sim_node_memory(nodes[i], &descriptors), 0);
        assert_int_equal(descriptors, 0);
    }
    tc_sim_world_destroy(world);
}

/* --- messages ---------------------------------------------------------------------------- */

static void on_received(void *request, ucs_status_t status, size_t size, void *user)
{
    (void)user;
    assert_int_equal(status, UCS_OK);
    assert_int_equal(size, LARGE);
    rendezvous_ended = true;
    ucp_request_free(request);
}

static ucs_status_t on_message(void *argument, const void *header, size_t header_size,
                               void *data, size_t size, const ucp_am_recv_param_t *param)
{
    side *s = argument;
    unsigned number;
    assert_int_equal(header_size, sizeof number);
    memcpy(&number, header, sizeof number);
    s->out_of_order |= number != s->got++;
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
        return UCS_OK;
    assert_int_equal(size, LARGE);
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                     UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                     .cb = {.recv_am = on_received}};
    assert_true(UCS_PTR_IS_PTR(ucp_am_recv_data_nbx(s->worker, data, received, size, &how)));
    return UCS_INPROGRESS;
}

static void receive(tc_sim_node *node, void *argument)
{
    side *s = &sides[0];
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                            .id = AM_ID,
                                            .cb = on_message,
                                            .arg = s};
    (void)node, (void)argument;
    open_side(s);
    assert_int_equal(ucp_worker_set_am_recv_handler(s->worker, &handler), UCS_OK);
    while (s->got < MESSAGES || !rendezvous_ended)
        turn(s, 1000);
    (void)poll(NULL, 0, 100);
    close_side(s);
}

static void send_all(tc_sim_node *node, void *argument)
{
    side *s = &sides[1];
    (void)node, (void)argument;
    tc_sim_sleep(MS);
    open_side(s);
    connect_to(s, &sides[0]);
    for (unsigned i = 0; i < MESSAGES; i++) {
        const ucp_request_param_t eager = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                           .flags = UCP_AM_SEND_FLAG_EAGER};
        const ucp_request_param_t any = {.op_attr_mask = 0};
        await_request(s, ucp_am_send_nbx(s->ep, AM_ID, &i, sizeof i, large,
                                         i == 3 ? LARGE : i * 100, i == 3 ? &any : &eager));
    }
    close_ep(s);
    close_side(s);
}

TEST(messages_keep_their_order_and_bytes)
{
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (uint8_t)(i * 7);
    for (unsigned seed = 1; seed <= 20; seed++) {
        memset(received, 0, LARGE);
        rendezvous_ended = false;
        run_world(seed, 1 + seed % 2, receive, send_all, 0);
        assert_int_equal(sides[0].got, MESSAGES);
        assert_false(sides[0].out_of_order);
        assert_memory_equal(received, large, LARGE);
    }
}

/* --- puts -------------------------------------------------------------------------------- */

static uint8_t *ring; /* a signal, then a body */

/* Looks at the memory without UCX, as an adapter writes it. */
static void be_put_to(tc_sim_node *node, void *argument)
{
    side *s = &sides[0];
    ucp_mem_h memory;
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                 UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                   .length = BODY + 1,
                                   .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    (void)node, (void)argument;
    open_side(s);
    assert_int_equal(ucp_mem_map(s->context, &params, &memory), UCS_OK);
    assert_int_equal(ucp_mem_query(memory, &attr), UCS_OK);
    ring = attr.address;
    memset(ring, 0, BODY + 1);
    key_address = (uintptr_t)ring;
    assert_int_equal(ucp_rkey_pack(s->context, memory, &key, &key_size), UCS_OK);
    for (uint8_t round = 1; round <= ROUNDS; round++) {
        while (*(volatile uint8_t *)ring != round) {
            tc_sim_sleep(500);
            (void)ucp_worker_progress(s->worker); /* it takes a part in connecting */
        }
        bool whole = true;
        for (size_t i = 1; i <= BODY; i++)
            whole &= ring[i] == round;
        torn += !whole;
    }
    tc_sim_sleep(10 * MS);
    ucp_rkey_buffer_release(key);
    assert_int_equal(ucp_mem_unmap(s->context, memory), UCS_OK);
    close_side(s);
}

static void put_all(tc_sim_node *node, void *argument)
{
    side *s = &sides[1];
    ucp_rkey_h rkey;
    uint8_t body[BODY], signal;
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    (void)node, (void)argument;
    tc_sim_sleep(MS);
    open_side(s);
    connect_to(s, &sides[0]);
    assert_int_equal(ucp_ep_rkey_unpack(s->ep, key, &rkey), UCS_OK);
    for (uint8_t round = 1; round <= ROUNDS; round++) {
        memset(body, round, sizeof body);
        signal = round;
        ucs_status_ptr_t put = ucp_put_nbx(s->ep, body, BODY, key_address + 1, rkey, &plain);
        if (uses_fence)
            assert_int_equal(ucp_worker_fence(s->worker), UCS_OK);
        if (uses_flush)
            await_request(s, ucp_ep_flush_nbx(s->ep, &plain));
        ucs_status_ptr_t last = ucp_put_nbx(s->ep, &signal, 1, key_address, rkey, &plain);
        await_request(s, put);
        await_request(s, last);
        await_request(s, ucp_ep_flush_nbx(s->ep, &plain));
        tc_sim_sleep(MS);
    }
    ucp_rkey_destroy(rkey);
    close_ep(s);
    close_side(s);
}

TEST(puts_are_ordered_by_fences_and_flushes_alone)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        uses_fence = kind == 1;
        uses_flush = kind == 2;
        torn = 0;
        for (unsigned seed = 1; seed <= 10; seed++)
            run_world(seed, 2, be_put_to, put_all, 0);
        if (kind == 0)
            assert_true(torn > 10);
        else
            assert_int_equal(torn, 0);
    }
}

/* --- ends -------------------------------------------------------------------------------- */

static bool is_cut;

static void stay(tc_sim_node *node, void *argument)
{
    (void)node, (void)argument;
    open_side(&sides[0]);
    for (unsigned i = 0; i < 100; i++)
        turn(&sides[0], 100);
    close_side(&sides[0]);
}

static void lose(tc_sim_node *node, void *argument)
{
    side *s = &sides[1];
    tc_sim_world *world = tc_sim_node_world(node);
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    tc_error error;
    (void)argument;
    tc_sim_sleep(MS);
    open_side(s);
    connect_to(s, &sides[0]);
    await_request(s, ucp_ep_flush_nbx(s->ep, &plain));
    if (is_cut)
        must(tc_sim_cut(world, 1, 0, true, &error), &error, "cut");
    for (unsigned i = 0; i < 60 && s->failed == UCS_OK; i++)
        turn(s, 100);
    tc_sim_heal(world);
    if (s->failed != UCS_OK)
        assert_ptr_equal(ucp_ep_flush_nbx(s->ep, &plain), UCS_STATUS_PTR(s->failed));
    close_ep(s);
    close_side(s);
}

static void end_soon(tc_sim_node *node, void *argument)
{
    (void)node, (void)argument;
    open_side(&sides[0]);
    for (unsigned i = 0; i < 5; i++)
        turn(&sides[0], 10);
    close_side(&sides[0]);
}

TEST(a_peer_that_ends_is_missed_from_other_hosts)
{
    run_world(1, 2, end_soon, lose, 0);
    assert_int_equal(sides[1].failed, UCS_ERR_CONNECTION_RESET);
    run_world(1, 1, end_soon, lose, 0);
    assert_int_equal(sides[1].failed, UCS_OK);
}

TEST(a_long_cut_fails_endpoints)
{
    is_cut = true;
    run_world(1, 2, stay, lose, 2000 * MS);
    assert_int_equal(sides[1].failed, UCS_ERR_ENDPOINT_TIMEOUT);
    run_world(1, 2, stay, lose, 20000 * MS);
    assert_int_equal(sides[1].failed, UCS_OK);
    is_cut = false;
}
