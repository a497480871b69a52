#include "fake_node.h"

#include "base/triple.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "dispatch/large_receive.h"
#include "dispatch/slots.h"
#include "endpoint/ep_life.h"
#include "core/network_ops.h"
#include "endpoint/handshake.h"
#include "modules/calls/member.h"
#include "modules/calls/reply.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

#include <sodium.h>
#include <sys/epoll.h>
#include <unistd.h>

/* --- events ------------------------------------------------------------------------------ */

static fake_node *node_of(const tc_ep *ep)
{
    return (fake_node *)(void *)ep->core;
}

static const tci_ep_events no_layers;
uint64_t fake_ring_bytes = 4096;

static fake_events *note(tc_ep *ep, const tci_ep_events **then_out)
{
    fake_events *seen = &node_of(ep)->seen;
    seen->ep = ep;
    *then_out = seen->then != NULL ? seen->then : &no_layers;
    return seen;
}

static void on_opened(tc_ep *ep)
{
    const tci_ep_events *then;
    note(ep, &then)->opened++;
    if (then->opened != NULL)
        then->opened(ep);
}

static void on_ended(tc_ep *ep, const tc_error *error)
{
    const tci_ep_events *then;
    fake_events *seen = note(ep, &then);
    seen->ended++;
    seen->error = *error;
    if (then->ended != NULL)
        then->ended(ep, error);
}

/* Data of the layers above in an endpoint are freed in any case. */
static void on_freed(tc_ep *ep)
{
    const tci_ep_events *then;
    note(ep, &then)->freed++;
    tci_slots_free(ep);
    tci_large_receive_free(ep);
}

static void on_retry(tc_ep *ep, uint64_t now_ns)
{
    const tci_ep_events *then;
    note(ep, &then)->retried++;
    if (then->retry != NULL)
        then->retry(ep, now_ns);
}

static void on_unsent(tc_ep *ep, const tci_queued *item, tc_status status)
{
    const tci_ep_events *then;
    fake_events *seen = note(ep, &then);
    seen->unsent++;
    seen->unsent_status = status;
    if (then->unsent != NULL)
        then->unsent(ep, item, status);
}

static const tci_ep_events events = {.opened = on_opened,
                                     .ended = on_ended,
                                     .freed = on_freed,
                                     .retry = on_retry,
                                     .unsent = on_unsent};

/* As runtime/context/events.c. */
static void layers_ended(tc_ep *ep, const tc_error *error)
{
    tci_member_ended(ep, error);
    if (ep->state >= TCI_EP_CLOSED)
        tci_reply_unsent(ep);
    tci_calls_lose(ep->core, ep, error);
}

const tci_ep_events fake_layers = {.opened = tci_member_opened,
                                   .ended = layers_ended,
                                   .retry = tci_member_retry,
                                   .unsent = tci_reply_item_unsent};

static void forget(void *user, uint16_t index)
{
    const tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        ep->tx.bindings[index] = TCI_TX_UNKNOWN;
}

static bool is_wanted(void *user, const tc_ifunc *fn)
{
    (void)fn;
    return ((fake_node *)user)->code_is_wanted;
}

static void changed(void *user, tc_ifunc *fn, bool better)
{
    (void)better;
    ((fake_node *)user)->changed++;
    tci_slots_changed(user, fn);
}

static void evict(void *user, tc_ifunc *fn)
{
    ((fake_node *)user)->evicted++;
    tci_slots_evict(user, fn);
}

static const tci_registry_events registry_events = {
    .forget = forget, .is_wanted = is_wanted, .changed = changed, .evict = evict};

/* --- nodes ------------------------------------------------------------------------------- */

static void describe_self(fake_node *node)
{
    tci_hello *self = &node->core.self;
    self->library = (tci_hello_version){TC_VERSION_MAJOR, TC_VERSION_MINOR, TC_VERSION_PATCH};
    self->ucx = (tci_hello_version){1, 13, 1};
    self->isa = tci_hello_own_isa();
    self->page_bytes = 4096;
    self->code_bytes_max = 1u << 20;
    self->pid = (uint64_t)getpid();
    memset(self->host_id, 7, sizeof self->host_id);
    self->context_id = (uintptr_t)node;
    self->triple = (tci_hello_view){tci_triple_host(), strlen(tci_triple_host())};
    node->core.own_address = node->address;
}

/* Read once: fuzzers make a node for each input. */
static const tc_options *default_options(void)
{
    static tc_options *options;
    if (options == NULL)
        assert_int_equal(tc_options_create(&options, NULL), TC_OK);
    return options;
}

fake_node *fake_node_create(void)
{
    fake_node *node = calloc(1, sizeof *node);
    tc_error error;
    assert_non_null(node);
    assert_true(sodium_init() >= 0);
    tci_core *core = &node->core;
    core->options = *default_options();
    core->options.ring_bytes = fake_ring_bytes;
    core->options.functions_max = 16;
    tci_calling_init(&node->calling);
    core->calls = &node->calling.calls.head;
    core->events = &events;
    core->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    assert_true(core->epoll_fd >= 0);
    core->registry.loading = &fake_engine_table;
    assert_int_equal(tci_registry_init(&core->registry, &core->options, &error), TC_OK);
    core->registry.events = &registry_events;
    core->registry.events_user = core;
    describe_self(node);
    core->network = &fake_network_table;
    const tci_am_receiver receiver = {.user = node};
    assert_int_equal(tci_network_start(core, NULL, -1, &receiver, &error), TC_OK);
    return node;
}

void fake_node_destroy(fake_node *node)
{
    tci_core *core = &node->core;
    tci_calls_fini(&node->calling.calls);
    while (core->first != NULL)
        tci_ep_free(core->first);
    tci_calling_fini(&node->calling);
    tci_landing_free(&core->copied);
    tci_registry_fini(&core->registry);
    tci_network_stop(core);
    if (node->module != NULL)
        node->module->detach(core);
    free(core->by_connection);
    free(core->watched);
    free(core->send_error);
    close(core->epoll_fd);
    free(node);
}

tc_ep *fake_node_ep(fake_node *node)
{
    tc_ep *ep;
    tc_error error;
    assert_int_equal(tci_ep_create(&node->core, TCI_OWNER_PROGRAM, &ep, &error), TC_OK);
    ep->link = fake_link_create();
    tci_handshake_begin(ep, UINT64_MAX);
    return ep;
}

tc_ifunc *fake_node_function(fake_node *node, const char *name,
                             void (*main)(void *payload, size_t size, void *target_args))
{
    fake_code_of(name)->entries.main = main;
    return fake_function(&node->core.registry, name, TCI_ENTRY_MAIN, 64);
}

static unsigned turn_endpoint(tc_ep *ep)
{
    if (ep->state != TCI_EP_OPEN)
        return 0;
    if (tci_ep_is_held(ep))
        tci_ep_announced(ep);
    if (tci_queue_waits(ep))
        tci_queue_drain(ep);
    unsigned run = tci_dispatch_paused(ep);
    (void)tci_credit_turn(ep);
    (void)tci_code_out_turn(ep);
    return run;
}

unsigned fake_node_turn(fake_node *node)
{
    tci_core *core = &node->core;
    unsigned run = 0;
    for (size_t i = 0; i < core->watched_count; i++) {
        tc_ep *ep = core->watched[i].ep;
        if (tci_consumer_has_frame(&ep->rx.ring))
            run += tci_dispatch_run(ep);
    }
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        run += turn_endpoint(ep);
    tci_local_replies_take(core);
    tci_frame_out_end_turns(core);
    return run;
}

/* --- pairs ------------------------------------------------------------------------------- */

void fake_pair_make(fake_pair *pair, uint64_t delivery)
{
    pair->near = fake_node_create();
    pair->far = fake_node_create();
    pair->near->core.options.delivery = delivery;
    pair->far->core.options.delivery = delivery;
    pair->ep = fake_node_ep(pair->near);
    pair->peer = fake_node_ep(pair->far);
}

void fake_pair_connect(fake_pair *pair)
{
    tc_error error;
    assert_int_equal(tci_handshake_send_hello(pair->ep, &error), TC_OK);
    fake_pair_carry(pair);
    assert_true(tci_ep_is_open(pair->ep));
    assert_true(tci_ep_is_open(pair->peer));
    tci_ep_announced(pair->ep);
    tci_ep_announced(pair->peer);
}

void fake_pair_open(fake_pair *pair, uint64_t delivery)
{
    fake_pair_make(pair, delivery);
    fake_pair_connect(pair);
}

void fake_pair_add(fake_pair *pair, const fake_pair *first)
{
    pair->near = fake_node_create();
    pair->far = first->far;
    pair->near->core.options.delivery = first->near->core.options.delivery;
    pair->ep = fake_node_ep(pair->near);
    pair->peer = fake_node_ep(pair->far);
    fake_pair_connect(pair);
}

void fake_pair_remove(fake_pair *pair)
{
    tci_ep_free(pair->peer);
    fake_node_destroy(pair->near);
}

tc_group *fake_group_create(fake_node *node, uint32_t rank, uint32_t size,
                            const fake_node *first, const fake_node *second)
{
    static const tc_group_member nobody = {"127.0.0.1:9", 11};
    tc_group_member members[16];
    const tc_group_params params = {
        .id = FAKE_GROUP, .rank = rank, .size = size, .members = members};
    tc_group *group;
    tc_error error = {0};
    assert_in_range(size, 2, 16);
    members[0] = (tc_group_member){first->address, first->core.own_address_size};
    members[1] = (tc_group_member){second->address, second->core.own_address_size};
    for (uint32_t i = 2; i < size; i++)
        members[i] = nobody;
    if (tci_group_create(&node->core, &params, sizeof members[0], &group, &error) != TC_OK)
        fail_msg("%s", error.text);
    return group;
}

void fake_pair_join(fake_pair *pair, uint64_t delivery, uint32_t size)
{
    tc_error error;
    pair->near = fake_node_create();
    pair->far = fake_node_create();
    pair->near->core.options.delivery = pair->far->core.options.delivery = delivery;
    pair->near->seen.then = pair->far->seen.then = &fake_layers;
    tc_group *group = fake_group_create(pair->near, 0, size, pair->near, pair->far);
    (void)fake_group_create(pair->far, 1, size, pair->near, pair->far);
    pair->peer = fake_node_ep(pair->far);
    assert_int_equal(tc_group_ep(group, 1, &pair->ep, &error), TC_OK);
    fake_pair_connect(pair);
    fake_pair_settle(pair);
    assert_ptr_equal(pair->peer->member.group, pair->far->calling.groups.first);
    assert_true(tci_ep_takes_messages(pair->ep));
}

void fake_pair_close(fake_pair *pair)
{
    fake_node_destroy(pair->near);
    fake_node_destroy(pair->far);
    fake_engine_reset();
    assert_int_equal(fake_links, 0);
    assert_int_equal(fake_streams, 0);
}

/* As runtime/context/arrivals.c. */
static void arrive(tc_ep *ep, const fake_post *post)
{
    tci_hello_preamble preamble;
    if (post->kind == TCI_AM_CREDIT) {
        tci_credit_take(ep, post->bytes, post->size);
    } else if (post->kind == TCI_AM_CODE) {
        tci_code_in_fragment(ep, post->bytes, post->size);
    } else if (post->kind == TCI_AM_HELLO) {
        assert_int_equal(tci_hello_preamble_decode(post->bytes, post->size, &preamble, NULL),
                         TC_OK);
        tci_handshake_message(ep, preamble.kind, post->bytes, post->size);
    }
}

void fake_carry(tc_ep *from, tc_ep *to)
{
    const fake_post *post;
    while ((post = fake_outbox_take(&from->link->sent)) != NULL)
        arrive(to, post);
}

void fake_pair_carry(fake_pair *pair)
{
    fake_outbox *there = &pair->ep->link->sent, *back = &pair->peer->link->sent;
    while (there->taken < there->count || back->taken < back->count) {
        fake_carry(pair->ep, pair->peer);
        fake_carry(pair->peer, pair->ep);
    }
}

/* UCX reports frames of a delivery with a ring that is not polled. */
static void tell_of_frames(tc_ep *ep)
{
    if (tci_ep_is_open(ep) && tci_consumer_has_frame(&ep->rx.ring))
        tci_ep_frames_came(ep);
}

void fake_pair_settle(fake_pair *pair)
{
    for (int quiet = 0; quiet < 3; quiet++) {
        fake_pair_carry(pair);
        tell_of_frames(pair->ep);
        tell_of_frames(pair->peer);
        if (fake_node_turn(pair->near) + fake_node_turn(pair->far) > 0)
            quiet = 0;
    }
}

unsigned fake_fill_ring(tc_ep *ep, tc_ifunc *fn)
{
    unsigned n = 0;
    while (tc_send(ep, fn, &n, sizeof n) == TC_OK)
        n++;
    return n;
}

/* --- hostile peers ----------------------------------------------------------------------- */

void fake_frame(tc_ep *ep, uint8_t kind, uint8_t flags, uint16_t slot, const void *payload,
                size_t size)
{
    const tci_frame header = {
        .payload_size = (uint32_t)size, .slot = slot, .kind = kind, .flags = flags};
    uint8_t *frame =
        tci_producer_reserve(&ep->tx.ring, TCI_FRAME_HEADER_BYTES + size, ep->tx.ring.reserve);
    assert_non_null(frame);
    if (size > 0)
        memcpy(frame + TCI_FRAME_HEADER_BYTES, payload, size);
    tci_producer_commit(&ep->tx.ring, frame, TCI_FRAME_HEADER_BYTES + size,
                        tci_frame_word(&header));
}

bool fake_read(tc_ep *ep, tci_frame *frame_out, const uint8_t **payload_out)
{
    uint64_t word;
    size_t bytes;
    tci_code_section section;
    const uint8_t *frame = tci_consumer_peek(&ep->rx.ring, &word);
    if (frame == NULL)
        return false;
    *frame_out = tci_frame_of_word(word);
    *payload_out = frame + TCI_FRAME_HEADER_BYTES;
    assert_int_equal(tci_frame_check(frame_out, frame, tci_consumer_room(&ep->rx.ring), &bytes,
                                     &section, NULL),
                     TC_OK);
    tci_consumer_advance(&ep->rx.ring, bytes);
    return true;
}

void fake_expect_failed(const tc_ep *ep, tc_status status, const char *text)
{
    tc_error error = {0};
    assert_int_equal(ep->state, TCI_EP_FAILED);
    assert_int_equal(tc_ep_error(ep, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}
