/* A listener accepts a bounded number of peers in a turn. One that cannot accept drops an
 * endpoint that has not opened, and rests for a moment. */
#include "context/listener.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "bootstrap/handed_socket.h"
#include "bootstrap/host_port.h"
#include "context/describe.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "core/network.h"
#include "endpoint/connecting.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define ACCEPTED_MAX 64u /* of one listener in one turn */
/* Endpoints that are not open may use one in so many descriptors. */
#define UNOPENED_PART 4u

static tc_status watch(const tc_listener *listener, tc_error *err)
{
    return tci_core_watch(&listener->ctx->core, tci_stream_listener_fd(listener->streams),
                          TCI_WATCH_LISTENER | listener->number, err);
}

static const tci_listener_ops ops;

/* Takes over the streams, also on failure. */
static tc_status open_on(tc_context *ctx, tci_stream_listener *streams,
                         tc_listener **listener_out, tc_error *err)
{
    tc_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        tci_stream_listener_close(streams);
        return tci_error_set(err, TC_E_NO_MEMORY, "listener: out of memory");
    }
    listener->ops = &ops;
    listener->ctx = ctx;
    listener->streams = streams;
    listener->number = ctx->listener_numbers++;
    tc_status status = watch(listener, err);
    if (status != TC_OK) {
        tci_stream_listener_close(streams);
        free(listener);
        return status;
    }
    if (ctx->core.registry.loading != NULL)
        ctx->core.registry.loading->prepare(ctx->core.registry.engine);
    tci_describe_engine(&ctx->core);
    listener->next = ctx->listeners;
    ctx->listeners = listener;
    if (listener_out != NULL)
        *listener_out = listener;
    return TC_OK;
}

tc_status tci_listener_open_on(tc_context *ctx, tci_stream_listener *streams,
                               const tci_credentials *credentials, tc_listener **listener_out,
                               tc_error *err)
{
    tc_status status = TC_OK;
    if (!tci_stream_listener_is_local(streams))
        status =
            tci_network_prepare(&ctx->core, credentials, "it listens beyond loopback", err);
    if (status != TC_OK) {
        tci_stream_listener_close(streams);
        return status;
    }
    return open_on(ctx, streams, listener_out, err);
}

tc_status tc_listener_open(tc_context *ctx, const char *host_port, tc_listener **listener_out,
                           tc_error *err)
{
    tci_credentials *credentials = &ctx->core.credentials;
    tci_stream_listener *streams;
    tc_listener *listener;
    TC_TRY(tci_stream_listen(host_port, ctx->core.options.listen_any != 0, credentials,
                             &streams, err));
    TC_TRY(tci_listener_open_on(ctx, streams, credentials, &listener, err));
    tc_status status = tci_limits_listen(&ctx->core, listener->streams, err);
    if (status != TC_OK) {
        tc_listener_close(listener);
        return status;
    }
    if (listener_out != NULL)
        *listener_out = listener;
    return TC_OK;
}

tc_status tc_listener_open_handed(tc_context *ctx, int channel, tc_listener **listener_out,
                                  tc_error *err)
{
    tci_stream_listener *streams;
    TC_TRY(tci_stream_listen_handed(channel, &ctx->core.credentials, &streams, err));
    return open_on(ctx, streams, listener_out, err);
}

void tc_listener_hand_over(tc_listener *listener, tc_connection_callback callback, void *user)
{
    listener->taker = callback;
    listener->taker_user = user;
}

void tc_connection_end(tc_context *ctx, int connection, const char *reason)
{
    tci_host_address peer = {.size = sizeof peer.storage};
    char text[TCI_HOST_PORT_TEXT_MAX] = "";
    tc_error error;
    (void)tci_error_set(&error, TC_E_PEER_LOST, "%s", reason);
    if (getpeername(connection, (struct sockaddr *)&peer.storage, &peer.size) == 0)
        (void)tci_host_address_text(&peer, text);
    tci_limits_note_stranger(&ctx->core, text, &error, true);
    tci_handed_socket_end(connection, reason,
                          !tci_credentials_has_keys(&ctx->core.credentials));
}

uint16_t tc_listener_port(const tc_listener *listener)
{
    return tci_stream_listener_port(listener->streams);
}

int tc_listener_fd(const tc_listener *listener)
{
    return tci_stream_listener_socket(listener->streams);
}

void tc_listener_close(tc_listener *listener)
{
    if (listener == NULL)
        return;
    tci_limits_unlisten(&listener->ctx->core, listener->streams);
    tc_listener **link = &listener->ctx->listeners;
    while (*link != listener)
        link = &(*link)->next;
    *link = listener->next;
    listener->ctx->listeners_resting -= listener->rests_until_ns > 0;
    tci_stream_listener_close(listener->streams);
    free(listener);
}

static tc_status accept_peer(tci_core *core, tci_stream *stream, tc_error *err)
{
    tc_ep *ep;
    tc_status status = tci_ep_create(core, TCI_OWNER_CONTEXT, &ep, err);
    if (status != TC_OK) {
        tci_stream_close(stream);
        return status;
    }
    ep->stream = stream;
    tci_connecting_keep_identity(ep);
    tci_handshake_begin(ep, tci_deadline_after(core->options.connect_timeout));
    status = tci_core_watch(core, tci_stream_fd(stream), ep->connection, err);
    if (status != TC_OK)
        tci_ep_free(ep);
    return status;
}

/* --- without capacity -------------------------------------------------------------------- */

/* Returns how many endpoints may be not open yet. A peer that connects and sends nothing keeps
 * a descriptor for the option connect_timeout. */
static unsigned unopened_max(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / UNOPENED_PART > UINT_MAX)
        return UINT_MAX;
    return (unsigned)(limit.rlim_cur / UNOPENED_PART);
}

/* Drops the oldest endpoint that is not open: of those without a HELLO, or of all where each
 * peer has sent its HELLO. The newest is the first in the core's list. */
static void drop_unopened(tci_core *core)
{
    tc_ep *silent = NULL, *oldest = NULL;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->life.owner != TCI_OWNER_CONTEXT || ep->state >= TCI_EP_OPEN)
            continue;
        oldest = ep;
        if (ep->state == TCI_EP_AWAITING_HELLO)
            silent = ep;
    }
    if (oldest == NULL)
        return;
    (void)tci_ep_fail_with(silent != NULL ? silent : oldest, TC_E_TIMEOUT,
                           "connecting: others came later, and there is no room for more");
}

/* Stops watching the listener for a moment, as a descriptor may be free later. Until then a
 * socket that stays readable would make every turn try again. */
static void rest(tc_context *ctx, tc_listener *listener, const tc_error *why)
{
    TC_LOG(listener->has_failed ? TC_LOG_DEBUG : TC_LOG_WARN, "listener: %s; trying again",
           why->text);
    listener->has_failed = true;
    drop_unopened(&ctx->core);
    tci_core_unwatch(&ctx->core, tci_stream_listener_fd(listener->streams));
    if (listener->rests_until_ns == 0)
        ctx->listeners_resting++;
    listener->rests_until_ns = tci_deadline_after(TCI_LISTENER_REST_NS);
}

static void wake(tc_listener *listener)
{
    tc_error error;
    listener->rests_until_ns = 0;
    listener->ctx->listeners_resting--;
    if (watch(listener, &error) != TC_OK)
        rest(listener->ctx, listener, &error);
}

/* --- serving ----------------------------------------------------------------------------- */

static tc_status hand_over_next(const tc_listener *listener, tc_error *err)
{
    tci_host_address peer;
    char text[TCI_HOST_PORT_TEXT_MAX];
    int connection;
    tc_status status = tci_stream_take(listener->streams, &connection, &peer, err);
    if (status == TC_OK)
        listener->taker(listener->taker_user, connection, tci_host_address_text(&peer, text));
    return status;
}

/* A connection that another process passed here may come from any host. */
static tc_status open_network_for(tci_core *core, const tc_listener *listener,
                                  const tci_stream *stream, tc_error *err)
{
    if (tci_stream_listener_is_local(listener->streams) || tci_stream_is_local(stream))
        return TC_OK;
    return tci_network_prepare(core, tci_stream_credentials(stream),
                               "a peer of another host was handed over", err);
}

static tc_status accept_next(tc_context *ctx, tc_listener *listener, unsigned unopened,
                             tc_error *err)
{
    tci_stream *stream;
    if (listener->taker != NULL)
        return hand_over_next(listener, err);
    tc_status status = tci_stream_accept(listener->streams, &stream, err);
    if (status == TC_E_REFUSED) {
        ctx->core.counters[TCI_STRANGERS_REFUSED]++;
        TC_LOG_RATIONED(&ctx->core.log, TC_LOG_WARN, "listener: refused: %s", err->text);
        tci_limits_note_stranger(&ctx->core, tci_stream_listener_turned_away(listener->streams),
                                 err, false);
        return TC_OK;
    }
    TC_TRY(status);
    status = open_network_for(&ctx->core, listener, stream, err);
    if (status != TC_OK) {
        tci_stream_close(stream);
        return status;
    }
    TC_TRY(accept_peer(&ctx->core, stream, err));
    listener->has_failed = false;
    if (ctx->core.handshakes > unopened)
        drop_unopened(&ctx->core);
    return TC_OK;
}

/* Accepts a bounded number, so that others are served too; epoll reports the rest again. */
static void serve(tc_listener *listener)
{
    tc_error error;
    if (listener->rests_until_ns > 0)
        return;
    unsigned unopened = unopened_max();
    tc_status status = TC_OK;
    for (unsigned i = 0; i < ACCEPTED_MAX && status == TC_OK; i++)
        status = accept_next(listener->ctx, listener, unopened, &error);
    if (status != TC_OK && status != TC_E_AGAIN)
        rest(listener->ctx, listener, &error);
}

static const tci_listener_ops ops = {.serve = serve, .wake = wake};
