#include "context/listener.h"

#include "base/clock.h"
#include "base/logger.h"
#include "context/describe.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#include <stdlib.h>

tc_status tc_listener_open(tc_context *ctx, const char *host_port, tc_listener **listener_out,
                           tc_error *err)
{
    tc_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listener: out of memory");
    tc_status status = tci_stream_listen(host_port, ctx->core.options.listen_any != 0,
                                         &listener->streams, err);
    if (status == TC_OK) {
        listener->number = ctx->listener_numbers++;
        status = tci_core_watch(&ctx->core, tci_stream_listener_fd(listener->streams),
                                TCI_WATCH_LISTENER | listener->number, err);
    }
    if (status != TC_OK) {
        tci_stream_listener_close(listener->streams);
        free(listener);
        return status;
    }
    tci_engine_prepare(ctx->core.registry.engine);
    tci_describe_engine(&ctx->core);
    listener->ctx = ctx;
    listener->next = ctx->listeners;
    ctx->listeners = listener;
    *listener_out = listener;
    return TC_OK;
}

uint16_t tc_listener_port(const tc_listener *listener)
{
    return tci_stream_listener_port(listener->streams);
}

void tc_listener_close(tc_listener *listener)
{
    if (listener == NULL)
        return;
    tc_listener **link = &listener->ctx->listeners;
    while (*link != listener)
        link = &(*link)->next;
    *link = listener->next;
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
    tci_handshake_set_deadline(ep, tci_deadline_after(core->options.connect_timeout));
    status = tci_core_watch(core, tci_stream_fd(stream), ep->connection, err);
    if (status != TC_OK)
        tci_ep_free(ep);
    return status;
}

void tci_listener_serve(tc_context *ctx, uint64_t number)
{
    tc_listener *listener = ctx->listeners;
    tci_stream *stream;
    tc_error error;
    while (listener != NULL && listener->number != number)
        listener = listener->next;
    if (listener == NULL)
        return;
    tc_status status = tci_stream_accept(listener->streams, &stream, &error);
    while (status == TC_OK) {
        if ((status = accept_peer(&ctx->core, stream, &error)) == TC_OK)
            status = tci_stream_accept(listener->streams, &stream, &error);
    }
    if (status != TC_E_AGAIN)
        TC_LOG(TC_LOG_WARN, "listener: %s", error.text);
}
