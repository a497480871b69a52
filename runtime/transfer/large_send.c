/* Sends the one large payload that an endpoint may have under way: beside the ring if a
 * delivery carries frames (payload_out.h), else through the staging segment (staging.h), else
 * in fragments. */
#include "transfer/large_send.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/payload_out.h"
#include "transfer/staging.h"
#include "transfer/started.h"

#include <stdlib.h>

/* Small enough that several fragments are in a ring at once and both sides copy at the same
 * time; large enough that the cost of headers is negligible. */
#define FRAGMENT_BYTES_MAX 16384u
#define CLOSE_LINK_TIMEOUT_NS 1000000000ull

static void end(tc_ep *ep, tc_status status)
{
    tci_large_request *large = ep->tx.large;
    TCI_INVARIANT(large_progress, large->offset <= large->size);
    ep->tx.large = NULL;
    if (large->started != NULL)
        tci_started_end(ep->core, large->started, status);
    tci_registry_release(large->fn);
    free(large->owned);
    free(large);
    tci_ep_set_fast(ep);
}

void tci_large_abandon(tc_ep *ep)
{
    if (ep->tx.large != NULL)
        end(ep, tci_started_reason(ep));
}

/* Stops the link, if it still reads the payload. */
static void stop_leaving(tc_ep *ep)
{
    if (!tci_payload_out_is_leaving(ep))
        return;
    tci_link_close(ep->link, CLOSE_LINK_TIMEOUT_NS);
    ep->link = NULL;
}

void tci_large_lose_started(tc_ep *ep)
{
    if (ep->tx.large == NULL || ep->tx.large->started == NULL)
        return;
    stop_leaving(ep);
    tci_large_abandon(ep);
}

bool tci_large_give_up(tc_ep *ep)
{
    if (ep->tx.large == NULL || ep->tx.large->queued)
        return true;
    if (tci_payload_out_is_leaving(ep) && tci_ep_is_open(ep))
        return false;
    if (ep->tx.large->owned == NULL)
        stop_leaving(ep);
    if (!tci_payload_out_is_leaving(ep))
        tci_large_abandon(ep);
    return true;
}

static tc_status begin(tc_ep *ep, const tci_outgoing *out, bool keep)
{
    const bool owns = keep || out->made || out->tail.size > 0;
    TCI_INVARIANT(large_single, ep->tx.large == NULL);
    if (out->payload_size > ep->core->options.payload_bytes_max)
        return TC_E_TOO_LARGE;
    tci_large_request *large = calloc(1, sizeof *large);
    uint8_t *owned = NULL;
    tc_status status = large == NULL ? TC_E_NO_MEMORY : TC_OK;
    if (status == TC_OK && owns)
        status = tci_outgoing_copy(ep, out, &owned);
    if (status != TC_OK) {
        free(large);
        return status;
    }
    *large = (tci_large_request){.fn = out->fn,
                                 .args = out->args,
                                 .args_size = out->args_size,
                                 .owned = owned,
                                 .payload = owned != NULL ? owned : out->args,
                                 .size = out->payload_size,
                                 .routed = out->flags};
    tci_registry_retain(out->fn);
    TCI_INVARIANT(large_single, ep->tx.large == NULL);
    ep->tx.large = large;
    tci_ep_set_fast(ep);
    return TC_OK;
}

static size_t fragment_bytes(const tc_ep *ep, const tci_large_request *large)
{
    TCI_INVARIANT_IS(large_fragment, ep->tx.payload_max, >, TCI_FRAGMENT_HEADER_BYTES);
    TCI_INVARIANT_IS(large_progress, large->offset, <, large->size);
    size_t most = ep->tx.payload_max - TCI_FRAGMENT_HEADER_BYTES;
    size_t left = large->size - large->offset;
    if (most > FRAGMENT_BYTES_MAX)
        most = FRAGMENT_BYTES_MAX;
    return left < most ? left : most;
}

static void advance(tc_ep *ep, tci_large_request *large, size_t n)
{
    large->offset += n;
    TCI_INVARIANT_IS(large_fragment, n, >, 0);
    TCI_INVARIANT_IS(large_progress, large->start, <=, large->offset);
    TCI_INVARIANT_IS(large_progress, large->offset, <=, large->size);
    if (large->offset < large->size)
        ep->tx.part_frames++;
}

/* Copies the next part, or all of it, to the staging segment. The function runs there on a
 * payload that was staged as a whole. */
static tc_status stage_fragment(tc_ep *ep, tci_large_request *large)
{
    size_t n = tci_staging_part(ep, large->size, large->size - large->offset);
    const tci_staged staged = {.fragment = {.total = large->size, .offset = large->offset},
                               .size = n};
    const tci_frame header = {.slot = large->fn->index,
                              .kind = TCI_FRAME_FRAGMENT,
                              .flags = TCI_FRAGMENT_STAGED | large->routed};
    if (!tci_staging_send(ep, header, staged, large->payload + (large->offset - large->start),
                          large->fn->alignment, (tci_span){0}))
        return TC_E_AGAIN;
    advance(ep, large, n);
    return TC_OK;
}

static tc_status send_fragment(tc_ep *ep, tci_large_request *large)
{
    size_t n = fragment_bytes(ep, large);
    uint8_t head[TCI_FRAGMENT_HEADER_BYTES];
    const tci_fragment fragment = {.total = large->size, .offset = large->offset};
    const tci_frame header = {
        .slot = large->fn->index, .kind = TCI_FRAME_FRAGMENT, .flags = large->routed};
    const tci_span part = {large->payload + (large->offset - large->start), n};
    tci_fragment_encode(&fragment, head);
    if (!tci_frame_out_put(ep, header, (tci_span){head, sizeof head}, part, (tci_span){0}))
        return TC_E_AGAIN;
    advance(ep, large, n);
    return TC_OK;
}

/* Sends some of the payload, by the best way to this peer at the moment. */
static tc_status send_some(tc_ep *ep, tci_large_request *large)
{
    if (ep->tx.push != NULL)
        return tci_payload_out_send(ep, large);
    return tci_staging_prepare(ep) ? stage_fragment(ep, large) : send_fragment(ep, large);
}

static tc_status go_on(tc_ep *ep)
{
    tci_large_request *large = ep->tx.large;
    TCI_INVARIANT(large_queued,
                  !large->queued || large->owned != NULL || large->started != NULL);
    tc_status status =
        large->refused != TC_OK ? large->refused : tci_frame_out_binding(ep, large->fn);
    while (status == TC_OK && large->offset < large->size)
        status = send_some(ep, large);
    if (tci_payload_out_is_leaving(ep))
        return TC_E_AGAIN;
    /* A payload that could have gone in a frame does not oblige its caller to call again. */
    bool tied = large->queued || large->offset > 0 || large->size > ep->tx.payload_max;
    if (status != TC_E_AGAIN || !tied)
        end(ep, status);
    return status;
}

tc_status tci_large_send(tc_ep *ep, const tci_outgoing *out, bool keep)
{
    const tc_status status = ep->tx.large == NULL ? begin(ep, out, keep) : TC_OK;
    return status == TC_OK ? go_on(ep) : status;
}

tc_status tci_large_queue(tc_ep *ep)
{
    tci_large_request *large = ep->tx.large;
    TCI_INVARIANT(large_queued, !large->queued);
    TCI_INVARIANT_IS(large_progress, large->offset, <=, large->size);
    /* Nothing has left yet, so the caller may be asked to call again. Later that is no longer
     * possible. */
    if (large->offset == 0 && !large->framed && large->routed == 0 &&
        large->size > ep->core->options.send_queue_bytes) {
        tci_large_abandon(ep);
        return TC_E_AGAIN;
    }
    if (tci_payload_out_own(large) != TC_OK)
        return tci_ep_fail_with(ep, TC_E_NO_MEMORY, "payload in fragments: out of memory");
    large->queued = true;
    tci_pending_add(&ep->core->pending, TCI_WORK_QUEUE);
    return TC_OK;
}

bool tci_large_turn(tc_ep *ep)
{
    if (ep->tx.large == NULL)
        return true;
    return ep->tx.large->queued && go_on(ep) != TC_E_AGAIN;
}
