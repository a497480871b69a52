/* Two nodes open endpoints to each other, and a man in the middle delivers, repeats, swaps,
 * cuts, changes and invents messages, while connections and links break or wait. In every case
 * an endpoint opens at most once and never after its end, an open one has everything needed for
 * sending, a failed one has a reason, and all resources counted for them are released. Without
 * interference both sides are open in the end. The first byte chooses how they meet; each two
 * after it are a step: action, side and argument. */
#include "../support/fake_node.h"
#include "../support/fuzz_random.h"
#include "hello_lies.h"
#include "fuzzer.h"

#include "core/ep_state.h"
#include "core/network.h"
#include "modules/limits/limits_module.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#define STEPS_MAX 80u
#define PAIRS_MAX 2u

/* Bits of the first byte. */
#define BY_STREAM 1u  /* else by active messages alone */
#define CARRIED 2u    /* the delivery; else mapped */
#define LARGE_RING 4u /* of which copies are counted */
#define NO_MEMORY 8u  /* for rings of that size */
#define QUOTA 16u     /* two connections, and one is allowed of each identity */
#define RANK 32u      /* a member of a group is expected */
#define SAME_HOST 64u
#define IDENTITY 128u

typedef struct side {
    tc_ep *ep;
    tci_ep_state state; /* as it was last seen */
} side;

typedef struct world {
    fake_node *nodes[2];
    side sides[PAIRS_MAX][2];
    unsigned pairs;
    bool interfered;
} world;

static fake_outbox *sent_by(const tc_ep *ep)
{
    static fake_outbox none;
    return ep->stream != NULL ? &ep->stream->sent : ep->link != NULL ? &ep->link->sent : &none;
}

/* --- invariants -------------------------------------------------------------------------- */

static void check_side(side *s)
{
    tc_error error = {0};
    MUST(s->ep->state >= s->state);
    MUST(s->ep->life.opened || s->ep->state != TCI_EP_OPEN);
    if (s->ep->state == TCI_EP_OPEN)
        MUST(s->ep->link != NULL && s->ep->tx.delivery != NULL && s->ep->rx.region != NULL &&
             s->ep->peer.triple[0] != '\0' && s->ep->hs.ready_sent && s->ep->hs.peer_ready);
    if (s->ep->state == TCI_EP_FAILED)
        MUST(tc_ep_error(s->ep, &error) != TC_OK && error.text[0] != '\0');
    s->state = s->ep->state;
}

static void check(world *w)
{
    for (unsigned i = 0; i < w->pairs; i++) {
        check_side(&w->sides[i][0]);
        check_side(&w->sides[i][1]);
    }
}

static const tci_account *accounts_of(const tci_core *core)
{
    return core->limits != NULL ? tci_limits_state_of(core)->accounts : NULL;
}

static void check_accounts(const world *w, unsigned opened)
{
    for (unsigned i = 0; i < 2; i++) {
        const tci_core *core = &w->nodes[i]->core;
        MUST(core->first == NULL && core->handshakes == 0 && core->am_peers == 0);
        MUST(core->ring_memory == 0 && core->copy_memory == 0 && core->watched_count == 0);
        for (const tci_account *a = accounts_of(core); a != NULL; a = a->next)
            MUST(a->endpoints == 0 && a->connections == 0);
    }
    MUST(opened <= 2 * w->pairs && fake_links == 0 && fake_streams == 0);
}

/* --- messages to a side ---------------------------------------------------------------- */

static void arrive(tc_ep *to, const uint8_t *bytes, size_t size)
{
    tci_hello_preamble preamble;
    if (to->state >= TCI_EP_CLOSED)
        return;
    if (to->stream != NULL)
        fake_stream_arrive(to->stream, bytes, size);
    else if (tci_hello_preamble_decode(bytes, size, &preamble, NULL) == TC_OK)
        tci_handshake_message(to, preamble.kind, bytes, size);
}

/* As runtime/context/progress.c has it go on. */
static void go_on(tc_ep *ep)
{
    if (ep->state < TCI_EP_CLOSED && ep->stream != NULL && !ep->peer.said_bye)
        tci_handshake_stream(ep);
    tci_handshake_turn(ep);
}

static void part(tc_ep *ep)
{
    if (ep->peer.said_bye && ep->state < TCI_EP_CLOSED)
        tci_ep_part(ep);
}

/* One message of the other's: the next one, or by `how` one from before. */
static const fake_post *choose(tc_ep *from, uint8_t how, bool again)
{
    fake_outbox *sent = sent_by(from);
    if (!again)
        return fake_outbox_take(sent);
    return sent->count > 0 ? &sent->posts[how % sent->count] : NULL;
}

static void deliver(tc_ep *from, tc_ep *to, uint8_t how, bool again)
{
    const fake_post *post = choose(from, how, again);
    if (post != NULL && post->kind == TCI_AM_HELLO)
        arrive(to, post->bytes, post->size);
}

/* A copy of the exact size, cut or with bits turned over. */
static void deliver_changed(tc_ep *from, tc_ep *to, uint8_t how, bool cut)
{
    const fake_post *post = choose(from, how, (how & 1) != 0);
    if (post == NULL || post->kind != TCI_AM_HELLO)
        return;
    size_t size = cut ? post->size * (how / 2) / 128 : post->size;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    MUST(copy != NULL);
    memcpy(copy, post->bytes, size);
    if (!cut)
        copy[post->size * (how / 4) / 64] ^= (uint8_t)(1u << how % 8);
    if ((how & 2) != 0 && size >= TCI_HELLO_PREAMBLE_BYTES)
        hello_lies_seal(copy, size);
    arrive(to, copy, size);
    free(copy);
}

/* --- invented messages ------------------------------------------------------------------- */

/* The other's HELLO, with something else in it. */
static void lie(tc_ep *from, tc_ep *to, uint8_t how, bool numbers)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    const fake_post *post = choose(from, 0, true);
    size_t size = 0;
    if (post != NULL)
        size = hello_lies_change(post->bytes, post->size, how, numbers, bytes);
    if (size > 0)
        arrive(to, bytes, size);
}

static void make_up(tc_ep *to, uint8_t how)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size = hello_lies_make_up(how, bytes);
    if (size > 0)
        arrive(to, bytes, size);
}

/* --- connections ----------------------------------------------------------------------- */

static void set_link(tc_ep *ep, uint8_t how)
{
    static const tc_status all[] = {TC_OK, TC_E_AGAIN, TC_E_PEER_LOST, TC_E_UCX};
    if (ep->link == NULL)
        return;
    if (how & 16)
        ep->link->posts = how & 32 ? TC_E_PEER_LOST : TC_OK;
    else
        ep->link->ready = all[how % 4];
}

static void set_stream(tc_ep *ep, uint8_t how)
{
    static const tc_status all[] = {TC_OK,        TC_E_AGAIN,   TC_E_UNREACHABLE,
                                    TC_E_REFUSED, TC_E_TIMEOUT, TC_E_PEER_LOST,
                                    TC_E_CORRUPT, TC_E_VERSION};
    if (ep->stream == NULL)
        return;
    if (how & 16)
        (void)tci_error_set(&ep->stream->connected, all[how % 5], "connecting");
    else
        (void)tci_error_set(&ep->stream->end, how % 8 == 0 ? TC_E_AGAIN : all[how % 8],
                            "the end");
}

static void expire(tc_ep *ep, uint8_t how)
{
    tci_handshake_begin(ep, how & 1 ? 100 : 50);
    tci_handshake_expire(ep, how & 2 ? 100 : 60);
}

/* --- steps ------------------------------------------------------------------------------- */

/* Actions on a side stay within the usual events. */
static bool step_in_order(tc_ep *from, tc_ep *to, unsigned what, uint8_t how)
{
    switch (what) {
    case 0:
    case 1:
        deliver(from, to, how, false);
        go_on(to);
        return true;
    case 2:
        deliver(from, to, how, false); /* and is looked at later */
        return true;
    case 3:
        go_on(to);
        return true;
    default:
        return false;
    }
}

static void step(world *w, uint8_t what, uint8_t how)
{
    const unsigned pair = (what >> 7) % w->pairs;
    tc_ep *to = w->sides[pair][what >> 6 & 1].ep, *from = w->sides[pair][~what >> 6 & 1].ep;
    if (step_in_order(from, to, what % 16, how))
        return;
    w->interfered = true;
    switch (what % 16) {
    case 4:
        deliver(from, to, how, true);
        break;
    case 5:
    case 6:
        deliver_changed(from, to, how, what % 16 == 5);
        break;
    case 7:
    case 8:
        lie(from, to, how, what % 16 == 7);
        break;
    case 9:
    case 10:
        make_up(to, how);
        break;
    case 11:
        set_link(to, how);
        break;
    case 12:
        set_stream(to, how);
        break;
    case 13:
        expire(to, how);
        break;
    case 14:
        part(to);
        return;
    default:
        deliver(to, to, how, true); /* its own, thrown back */
        break;
    }
    if (how & 64)
        go_on(to);
}

/* --- worlds ------------------------------------------------------------------------------ */

/* Nodes outlive an input: nothing of an endpoint stays in them, which the fuzzer also
 * checks. */
static fake_node *node_at(unsigned index, uint8_t mode)
{
    static fake_node *nodes[2];
    if (nodes[index] == NULL)
        nodes[index] = fake_node_create();
    tci_core *core = &nodes[index]->core;
    core->options.delivery = mode & CARRIED ? FAKE_CARRIED : FAKE_MAPPED;
    core->options.ring_bytes = mode & LARGE_RING ? 32768 : 4096;
    core->options.ring_memory_max = mode & NO_MEMORY ? 40000 : 1u << 20;
    core->options.quota_connections = mode & QUOTA ? 1 : 0;
    core->self.host_id[0] = mode & SAME_HOST ? 1 : (uint8_t)(index + 1);
    core->pending = (tci_pending){0};
    fake_node_attach(nodes[index], &tci_limits_module);
    core->connection_next = 0;
    nodes[index]->seen = (fake_events){0};
    return nodes[index];
}

static tc_ep *make_ep(fake_node *node, uint8_t mode, bool calls)
{
    tc_ep *ep;
    if ((mode & BY_STREAM) == 0) {
        ep = fake_node_ep(node);
    } else {
        MUST(tci_ep_create(&node->core, TCI_OWNER_PROGRAM, &ep, NULL) == TC_OK);
        ep->stream = fake_stream_create();
        ep->stream->is_remote = (mode & SAME_HOST) == 0;
        ep->state = calls ? TCI_EP_CONNECTING : TCI_EP_AWAITING_HELLO;
        if (ep->stream->is_remote) /* as a listener does */
            MUST(tci_network_open(&node->core, &node->core.credentials,
                                  "it came from another host", NULL) == TC_OK);
    }
    tci_handshake_begin(ep, UINT64_MAX);
    if (mode & IDENTITY)
        (void)snprintf(ep->peer.identity, sizeof ep->peer.identity, "key:fuzz");
    if (!calls)
        ep->life.owner = TCI_OWNER_CONTEXT;
    if (calls && (mode & RANK))
        tci_handshake_expect_rank(ep, 1);
    return ep;
}

static void begin(world *w, uint8_t mode)
{
    tc_error error;
    for (unsigned i = 0; i < 2; i++)
        w->nodes[i] = node_at(i, mode);
    w->pairs = mode & QUOTA ? PAIRS_MAX : 1;
    for (unsigned i = 0; i < w->pairs; i++) {
        for (unsigned j = 0; j < 2; j++) {
            tc_ep *ep = make_ep(w->nodes[j], mode, j == 0);
            w->sides[i][j] = (side){.ep = ep, .state = ep->state};
        }
        if ((mode & BY_STREAM) == 0)
            MUST(tci_handshake_send_hello(w->sides[i][0].ep, &error) == TC_OK);
    }
}

static bool all_is_said(const world *w)
{
    for (unsigned i = 0; i < 2 * w->pairs; i++) {
        const fake_outbox *sent = sent_by(w->sides[i / 2][i % 2].ep);
        if (sent->taken < sent->count)
            return false;
    }
    return true;
}

/* All messages arrive. */
static void settle(world *w)
{
    for (unsigned rounds = 0; rounds < 8 || !all_is_said(w); rounds++) {
        for (unsigned i = 0; i < 2 * w->pairs; i++)
            (void)step_in_order(w->sides[i / 2][i % 2].ep, w->sides[i / 2][~i & 1].ep, 0, 0);
        check(w);
    }
}

static void end(world *w, uint8_t mode)
{
    const bool must_open = !w->interfered && (mode & (NO_MEMORY | QUOTA)) == 0;
    settle(w);
    for (unsigned i = 0; i < 2 * w->pairs; i++) {
        tc_ep *ep = w->sides[i / 2][i % 2].ep;
        MUST(!must_open || tci_ep_is_open(ep));
        part(ep);
        check(w);
    }
    const unsigned opened = w->nodes[0]->seen.opened + w->nodes[1]->seen.opened;
    for (unsigned i = 0; i < 2 * w->pairs; i++)
        tci_ep_free(w->sides[i / 2][i % 2].ep);
    MUST(w->nodes[0]->seen.ended == w->pairs && w->nodes[1]->seen.ended == w->pairs);
    check_accounts(w, opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = {.interfered = false};
    const uint8_t mode = size > 0 ? data[0] : 0;
    tc_log_set_level(TC_LOG_OFF);
    fuzz_random_restart();
    begin(&w, mode);
    for (size_t i = 1; i + 1 < size && i < 2 * STEPS_MAX; i += 2) {
        step(&w, data[i], data[i + 1]);
        check(&w);
    }
    end(&w, mode);
    return 0;
}
