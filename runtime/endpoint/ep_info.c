/* Queries of a program about an endpoint. */
#include "base/sized_struct.h"
#include "core/current.h"
#include "core/ep.h"

#include <tc/entry.h>

static uint64_t sent_messages(const tc_ep *ep)
{
    return ep->tx.delivery == NULL
               ? 0
               : tci_producer_frames(&ep->tx.ring) - ep->tx.ring.padding_frames -
                     ep->tx.control_frames - ep->tx.part_frames + ep->tx.coalesced_count;
}

/* Counts whole granules where the peer's ring is mapped; elsewhere the frames as they are, and
 * the bytes that a message adds to them. */
static uint64_t sent_bytes(const tc_ep *ep)
{
    if (ep->tx.push != NULL)
        return ep->tx.pushed_bytes;
    return tci_producer_bytes(&ep->tx.ring) +
           (uint64_t)ep->tx.coalesced_count * TCI_FRAME_GRANULE + ep->tx.pushed_bytes;
}

void tc_ep_query_sized(const tc_ep *ep, tc_ep_info *info_out, size_t info_size)
{
    const tc_ep_info info = {
        .delivery = ep->tx.delivery != NULL ? ep->tx.delivery->ops->name : "none",
        .peer_triple = ep->peer.triple,
        .peer_library = ep->peer.library,
        .peer_ucx = ep->peer.ucx,
        .peer_llvm = ep->peer.llvm,
        .peer_cpu = ep->peer.cpu,
        .payload_max = ep->tx.delivery != NULL ? ep->core->options.payload_bytes_max : 0,
        .frame_payload_max = ep->tx.payload_max,
        .sent_messages = sent_messages(ep),
        .sent_bytes = sent_bytes(ep),
        .run_messages = ep->rx.run_messages,
        .peer_identity = ep->peer.identity,
    };
    tci_sized_struct_fill(info_out, info_size, &info, sizeof info);
}

void tc_ep_set_user(tc_ep *ep, void *user)
{
    ep->life.user = user;
}

void *tc_ep_user(const tc_ep *ep)
{
    return ep->life.user;
}

tc_context *tc_ep_context(const tc_ep *ep)
{
    return ep->core->context;
}

const char *tc_self_identity(void)
{
    const tc_ep *ep = tci_current_get()->ep;
    return ep != NULL ? ep->peer.identity : "";
}
