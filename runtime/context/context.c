/* A context: makes the hub, serves its endpoints, and is the one file that knows every module.
 */
#include "context_private.h"

#include "base/clock.h"
#include "base/logger.h"
#include "bootstrap/host_id.h"
#include "dispatch/dispatch.h"
#include "endpoint/bell.h"
#include "endpoint/code_transfer.h"
#include "endpoint/handshake.h"
#include "endpoint/payload_transfer.h"
#include "endpoint/send.h"
#include "group/answer.h"
#include "group/group_private.h"

#include <sodium.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <tc/ucx.h>
#include <unistd.h>

#define INBOX_MAX 1024u
#define CHORES_EVERY                                                                           \
    64 /* calls of tc_progress: with only direct peers UCX carries next to nothing */
#define EVENTS_MAX 64

/* --- what arrives by active message, inside UCX's handlers --------------------------- */

static void keep_for_later(tci_hub *hub, uint16_t connection, const uint8_t *bytes, size_t size)
{
    if (hub->inbox_count >= INBOX_MAX || size > TCI_HELLO_MESSAGE_MAX) {
        TC_LOG(TC_LOG_WARN, "a hello of %zu bytes was dropped: %u wait already", size,
               hub->inbox_count);
        return;
    }
    tci_inbox_item *item = calloc(1, sizeof *item + size);
    if (item == NULL)
        return;
    item->connection = connection;
    item->size = size;
    memcpy(item->bytes, bytes, size);
    *hub->inbox_last = item;
    hub->inbox_last = &item->next;
    hub->inbox_count++;
    hub->attention |= TCI_CHORES;
}

static void on_credit(tc_ep *ep, const uint8_t *bytes, size_t size)
{
    uint64_t consumed;
    if (size != sizeof consumed || ep->delivery == NULL || ep->delivery->ops->credit == NULL)
        return;
    memcpy(&consumed, bytes, sizeof consumed);
    ep->delivery->ops->credit(ep->delivery, consumed);
    ep->hub->news = true;
}

static void on_message(void *user, tci_am kind, uint16_t connection, uint16_t granule,
                       const uint8_t *bytes, size_t size)
{
    tci_hub *hub = user;
    if (kind == TCI_AM_HELLO) {
        keep_for_later(hub, connection, bytes, size);
        return;
    }
    tc_ep *ep = connection < hub->connection_places ? hub->by_connection[connection] : NULL;
    if (ep == NULL || ep->region == NULL) {
        TC_LOG(TC_LOG_DEBUG, "a message for connection %u, which is not there", connection);
        return;
    }
    if (kind == TCI_AM_FRAMES) {
        if (tci_consumer_place(&ep->rx, (uint64_t)granule * TCI_FRAME_GRANULE, bytes, size))
            tci_ep_frames_came(ep);
        else
            (void)tci_ep_fail_with(ep, TC_E_CORRUPT,
                                   "peer sent %zu bytes for place %u of its ring", size,
                                   granule * TCI_FRAME_GRANULE);
    } else if (kind == TCI_AM_CREDIT) {
        on_credit(ep, bytes, size);
    } else {
        tci_code_piece(ep, bytes, size);
    }
}

static bool on_payload(void *user, const tci_payload_header *header, size_t size,
                       tci_sink *sink_out)
{
    const tci_hub *hub = user;
    tc_ep *ep = header->connection < hub->connection_places
                    ? hub->by_connection[header->connection]
                    : NULL;
    return ep != NULL && tci_payload_take(ep, header, size, sink_out);
}

/* --- making and ending --------------------------------------------------------------- */

static tc_status describe_self(tc_context *ctx, tc_error *err)
{
    tci_hub *hub = &ctx->hub;
    tci_hello *self = &hub->self;
    unsigned major, minor, patch;
    tci_ucx_version(&major, &minor, &patch);
    self->library = (tci_hello_version){TC_VERSION_MAJOR, TC_VERSION_MINOR, TC_VERSION_PATCH};
    self->ucx = (tci_hello_version){(uint8_t)major, (uint8_t)minor, (uint8_t)patch};
    self->isa = tci_hello_own_isa();
    self->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    self->code_bytes_max = (uint32_t)hub->options.code_bytes_max;
    self->pid = (uint64_t)getpid();
    tci_host_id(self->host_id);
    randombytes_buf(&self->context_id, sizeof self->context_id);
    self->triple = (tci_hello_view){tci_triple_host(), strlen(tci_triple_host())};
    tci_describe_engine(hub);
    tci_describe_dictionaries(hub);
    self->worker_address.data = tci_worker_address(hub->worker, &self->worker_address.size);
    hub->own_address = ctx->address;
    return tci_hello_encode(self, TCI_HELLO_ADDRESS, ctx->address, sizeof ctx->address,
                            &hub->own_address_size, err);
}

static tc_status init_context(tc_context *ctx, const tc_ucx_objects *ucx, tc_error *err)
{
    tci_hub *hub = &ctx->hub;
    hub->inbox_last = &hub->inbox;
    hub->answers_last = &hub->answers;
    tci_calls_init(&hub->calls);
    if (sodium_init() < 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "libsodium could not be started");
    hub->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (hub->epoll_fd < 0)
        return tci_error_set(err, TC_E_IO, "epoll could not be started");
    TC_TRY(tci_registry_init(&hub->registry, &hub->options, err));
    hub->registry.host_symbols = tci_host_symbols(&hub->registry.host_symbol_count);
    TC_TRY(tci_context_watch_functions(ctx, err));
    TC_TRY(tci_context_init_wait(ctx, err));
    TC_TRY(tci_worker_create(ucx, ctx->wait_fd, on_message, hub, &hub->worker, err));
    tci_worker_set_payload_handler(hub->worker, on_payload);
    return describe_self(ctx, err);
}

tc_status tc_context_create_on_ucx_for(unsigned header_version, const tc_options *opts,
                                       const tc_ucx_objects *ucx, tc_context **ctx_out,
                                       tc_error *err)
{
    TC_TRY(tci_context_check_headers(header_version, err));
    tc_context *ctx = calloc(1, sizeof *ctx);
    tc_options *from_environment = NULL;
    tc_status status = TC_OK;
    if (ctx == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "context: out of memory");
    ctx->hub.epoll_fd = -1;
    ctx->hub.loads_fd = -1;
    ctx->wait_fd = -1;
    if (opts == NULL)
        status = tc_options_create(&from_environment, err);
    if (status == TC_OK) {
        ctx->hub.options = opts != NULL ? *opts : *from_environment;
        status = init_context(ctx, ucx, err);
    }
    tc_options_destroy(from_environment);
    if (status != TC_OK) {
        tc_context_destroy(ctx);
        return status;
    }
    *ctx_out = ctx;
    return TC_OK;
}

tc_status tc_context_create_for(unsigned header_version, const tc_options *opts,
                                tc_context **ctx_out, tc_error *err)
{
    return tc_context_create_on_ucx_for(header_version, opts, NULL, ctx_out, err);
}

static void free_inbox(tci_hub *hub)
{
    while (hub->inbox != NULL) {
        tci_inbox_item *item = hub->inbox;
        hub->inbox = item->next;
        free(item);
    }
}

void tc_context_destroy(tc_context *ctx)
{
    if (ctx == NULL)
        return;
    tci_hub *hub = &ctx->hub;
    if (tci_hub_is_busy(hub)) {
        /* What calls this would return into memory that is gone. */
        TC_LOG(TC_LOG_ERROR, "tc_context_destroy was called from inside an ifunc; ignored");
        return;
    }
    hub->callback = NULL;
    tci_calls_fini(&hub->calls);
    while (ctx->listeners != NULL)
        tc_listener_close(ctx->listeners);
    while (hub->first != NULL)
        tc_ep_close(hub->first);
    if (hub->answers != NULL)
        tci_answers_forget(hub, NULL);
    tci_groups_free(hub);
    tci_node_data_free(hub);
    tci_injector_destroy(hub->injector);
    tci_registry_fini(&hub->registry);
    if (ctx->wait_fd >= 0)
        close(ctx->wait_fd);
    if (hub->worker != NULL)
        tci_worker_destroy(hub->worker);
    free_inbox(hub);
    free(hub->by_connection);
    free(hub->watched);
    if (hub->epoll_fd >= 0)
        close(hub->epoll_fd);
    if (hub->loads_fd >= 0)
        close(hub->loads_fd);
    free(ctx);
}

void tc_context_set_target_args(tc_context *ctx, void *target_args)
{
    ctx->hub.target_args = target_args;
}

void tc_context_set_ep_callback(tc_context *ctx, tc_ep_callback callback, void *user)
{
    ctx->hub.callback = callback;
    ctx->hub.callback_user = user;
}

/* --- progress ------------------------------------------------------------------------ */

/* A HELLO by active message that belongs to no endpoint here. UCX's own port is open to whoever
 * finds it, so before this context's address was given to anybody only it itself may come. */
static tc_status take_stranger(tci_hub *hub, const tci_inbox_item *item, tc_ep **ep_out,
                               tc_error *err)
{
    tci_hello theirs;
    if (!hub->address_given) {
        TC_TRY(tci_hello_decode(item->bytes, item->size, TCI_HELLO_HELLO, &theirs, err));
        if (theirs.context_id != hub->self.context_id || theirs.pid != hub->self.pid)
            return tci_error_set(err, TC_E_REFUSED,
                                 "it came by UCX alone, and nobody was given this address");
    }
    TC_TRY(tci_ep_create(hub, true, ep_out, err));
    (*ep_out)->deadline_ns = tci_deadline_after(hub->options.connect_timeout);
    return TC_OK;
}

static void handle_inbox_item(tci_hub *hub, const tci_inbox_item *item)
{
    tci_hello_preamble preamble;
    tc_error error = {0};
    tc_ep *ep = NULL;
    tc_status status = tci_hello_preamble_decode(item->bytes, item->size, &preamble, &error);
    if (status == TC_OK && item->connection != TCI_AM_NO_CONNECTION) {
        ep = item->connection < hub->connection_places ? hub->by_connection[item->connection]
                                                       : NULL;
        if (ep == NULL || ep->stream != NULL)
            return;
    } else if (status == TC_OK && preamble.kind == TCI_HELLO_HELLO) {
        status = take_stranger(hub, item, &ep, &error);
    }
    if (ep != NULL)
        tci_handshake_message(ep, preamble.kind, item->bytes, item->size);
    else if (status != TC_OK)
        TC_LOG(TC_LOG_WARN, "a hello was dropped: %s", error.text);
}

static void handle_inbox(tci_hub *hub)
{
    while (hub->inbox != NULL) {
        tci_inbox_item *item = hub->inbox;
        hub->inbox = item->next;
        if (hub->inbox == NULL)
            hub->inbox_last = &hub->inbox;
        hub->inbox_count--;
        handle_inbox_item(hub, item);
        free(item);
    }
}

/* A stream that ends says nothing about what its peer wrote into the ring before, so that is
 * run first. */
static unsigned serve_stream(tc_ep *ep)
{
    unsigned run = 0;
    if (tci_ep_is_open(ep)) {
        /* What it wrote before lies in the ring now, so one lap is all; a peer that goes on
         * writing must not hold everybody else up. */
        const uint64_t end = ep->rx.head + ep->rx.mask + 1;
        unsigned n;
        while (ep->rx.head < end && (n = tci_dispatch_run(ep)) > 0)
            run += n;
    }
    tci_handshake_stream(ep);
    if (ep->state >= TCI_EP_CLOSED || ep->peer_said_bye)
        (void)epoll_ctl(ep->hub->epoll_fd, EPOLL_CTL_DEL, tci_stream_fd(ep->stream), NULL);
    return run;
}

static unsigned serve_descriptors(tc_context *ctx)
{
    struct epoll_event events[EVENTS_MAX];
    unsigned run = 0;
    int n = epoll_wait(ctx->hub.epoll_fd, events, EVENTS_MAX, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 & TCI_WATCH_LOADS)
            tci_context_note_loads(ctx);
        else if (events[i].data.u64 & TCI_WATCH_LISTENER)
            tci_listener_serve(ctx, events[i].data.u64 & ~(uint64_t)TCI_WATCH_LISTENER);
        else if (ctx->hub.by_connection[events[i].data.u64] != NULL)
            run += serve_stream(ctx->hub.by_connection[events[i].data.u64]);
    }
    return run;
}

static void check_endpoint(tc_ep *ep, uint64_t now_ns)
{
    tc_error error;
    tci_handshake_expire(ep, now_ns);
    if (ep->state == TCI_EP_CONNECTING)
        tci_handshake_stream(
            ep); /* a name with several addresses changes its descriptor on the way */
    tci_handshake_turn(ep);
    (void)tci_ep_check_credit(ep); /* a flush only waits, and queued messages have no caller */
    /* A goodbye by active message may still lie in the inbox. */
    if (ep->link != NULL && ep->state < TCI_EP_CLOSED && !ep->peer_said_bye &&
        ep->hub->inbox == NULL && tci_link_error(ep->link, &error) != TC_OK)
        tci_ep_fail(ep, &error);
}

/* The rare work: descriptors, deadlines, peers that UCX found dead. */
static unsigned service(tc_context *ctx, uint64_t now_ns)
{
    tci_hub *hub = &ctx->hub;
    ctx->serviced_ns = now_ns;
    (void)tci_worker_progress(hub->worker);
    unsigned run = serve_descriptors(ctx);
    for (tc_ep *ep = hub->first; ep != NULL; ep = ep->next)
        check_endpoint(ep, now_ns);
    tci_calls_expire(hub, now_ns);
    return run;
}

/* What the user does in a callback follows the rules of an ifunc: no progress, and closing
 * waits until it is over. */
static void call_user(tc_ep *ep, tc_ep_event event)
{
    tci_hub *hub = ep->hub;
    if (hub->callback == NULL)
        return;
    hub->attention |= TCI_RUNNING;
    hub->callback(hub->callback_user, ep, event);
    hub->attention &= ~(unsigned)TCI_RUNNING;
}

static void announce_end(tc_ep *ep)
{
    ep->end_announced = true;
    if (ep->announced || !ep->accepted)
        call_user(ep, ep->state == TCI_EP_CLOSED ? TC_EP_CLOSED : TC_EP_FAILED);
}

/* Calls the user for what became of endpoints, and frees those that are the hub's. */
static void announce(tc_context *ctx)
{
    tc_ep *next;
    for (tc_ep *ep = ctx->hub.first; ep != NULL; ep = next) {
        next = ep->next;
        if (ep->state >= TCI_EP_OPEN && ep->accepted && !ep->announced &&
            ep->delivery != NULL && ep->state != TCI_EP_FAILED) {
            ep->announced = true;
            call_user(ep, TC_EP_OPENED);
        }
        bool ended = ep->state >= TCI_EP_CLOSED;
        if (ended)
            tci_ep_tell_end(ep);
        if (ended && !ep->end_announced)
            announce_end(ep);
        if (ep->pins == 0 && (ep->close_wanted || (ended && ep->accepted)))
            tci_context_end_endpoint(ep);
    }
}

/* What an endpoint needs beside a look at its ring. Returns whether it will need it again on
 * the next turn. */
static bool turn_endpoint(tc_ep *ep)
{
    if (ep->state != TCI_EP_OPEN)
        return false;
    if (tci_ep_has_waiting(ep))
        tci_send_queued(ep);
    if (ep->credit.due && tci_ep_credit_may_leave(ep))
        tci_ep_give_due_credit(ep);
    if (ep->peer_said_bye && tci_dispatch_run(ep) == 0 && !ep->loading)
        tci_ep_finish(ep);
    return tci_ep_has_waiting(ep) || ep->credit.due || ep->peer_said_bye;
}

/* Looking at the clock takes as long as a message does, so peers that UCX serves do not have it
 * looked at on every turn. */
static unsigned service_when_due(tc_context *ctx)
{
    uint64_t now_ns = tci_clock_ns();
    ctx->countdown = CHORES_EVERY;
    if (ctx->hub.handshakes == 0 && !ctx->look_now &&
        now_ns - ctx->serviced_ns <= TCI_SERVICE_INTERVAL_NS)
        return 0;
    ctx->look_now = false;
    return service(ctx, now_ns);
}

/* Everything but rings and UCX. TCI_CHORES stays set as long as any of it has to be looked at
 * on every turn: handshakes, queues, goodbyes, news for the user. */
static unsigned do_chores(tc_context *ctx)
{
    tci_hub *hub = &ctx->hub;
    unsigned run = 0;
    bool again = false;
    /* Whoever needs another turn says so below, or meanwhile. */
    hub->attention &= ~(unsigned)TCI_CHORES;
    for (tc_ep *ep = hub->first; ep != NULL; ep = ep->next)
        again |= turn_endpoint(ep);
    if (hub->handshakes > 0 || ctx->look_now || ctx->countdown < 0)
        run += service_when_due(ctx);
    if (hub->registry.jobs != NULL)
        tci_registry_take_finished(&hub->registry);
    if (hub->inbox != NULL)
        handle_inbox(hub);
    if (hub->answers != NULL)
        tci_answers_take_local(hub);
    if (hub->changed) {
        hub->changed = false;
        ctx->changed_seen = true;
        hub->news = true;
        announce(ctx);
    }
    again |= hub->changed || hub->handshakes > 0;
    if (again)
        hub->attention |= TCI_CHORES;
    return run;
}

/* What was sent since the last turn, and gathered, leaves now. */
static void end_turns(tci_hub *hub)
{
    tc_ep *next = hub->used;
    hub->used = NULL;
    while (next != NULL) {
        tc_ep *ep = next;
        next = ep->used_next;
        ep->turn_used = false;
        tci_ep_send_gathered(ep);
        tci_bell_after_frames(ep);
        if (ep->push != NULL && !ep->delivery->ops->turn(ep->delivery))
            tci_ep_note_use(ep);
    }
}

static unsigned poll_rings(tci_hub *hub)
{
    unsigned run = 0;
    for (size_t i = 0; i < hub->watched_count; i++) {
        const tci_watched_ring *watched = &hub->watched[i];
        if (__builtin_expect(tci_ring_load_signal(watched->frame) == watched->signal, 0))
            run += tci_dispatch_run(watched->ep);
    }
    if (hub->used != NULL)
        end_turns(hub);
    return run;
}

static bool has_chores(tc_context *ctx)
{
    const tci_hub *hub = &ctx->hub;
    bool due = --ctx->countdown < 0;
    return due || (hub->attention & TCI_CHORES) || hub->registry.jobs != NULL || hub->changed;
}

/* More than rings. With peers that UCX serves this is every turn, so it goes to no endpoint
 * that has nothing to do. */
static __attribute__((noinline)) unsigned progress_with_ucx(tc_context *ctx)
{
    if (tci_hub_is_busy(&ctx->hub)) {
        TC_LOG(TC_LOG_ERROR, "tc_progress was called from inside an ifunc");
        return 0;
    }
    tci_context_get_up(ctx);
    /* UCX first, so that what it puts into rings is run by this very call. */
    (void)tci_worker_progress(ctx->hub.worker);
    unsigned run = poll_rings(&ctx->hub);
    return has_chores(ctx) ? run + do_chores(ctx) : run;
}

unsigned tc_progress(tc_context *ctx)
{
    if (__builtin_expect(ctx->hub.attention != 0 || --ctx->countdown < 0, 0))
        return progress_with_ucx(ctx);
    return poll_rings(&ctx->hub);
}
