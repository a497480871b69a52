#include "dispatch/control.h"

#include "base/cursor.h"
#include "base/logger.h"
#include "core/calls_ops.h"
#include "core/credit.h"
#include "transfer/code_out.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/staging.h"

#include <stdlib.h>

/* Puts the function's name in front of the text: a peer that has not read the code knows only
 * its id. */
static void name_function(const tc_ep *ep, uint16_t slot, tc_error *refusal)
{
    const tc_ifunc *fn = ep->core->registry.table[slot];
    if (fn == NULL)
        return;
    const char *name = tci_archive_name(fn->archive);
    if (strncmp(refusal->text, name, strlen(name)) != 0)
        tci_error_prefix(refusal, "%s", name);
}

/* A shortage of memory, or a missing library: the next message comes with the code again. */
static bool may_be_over(int32_t status)
{
    return status == TC_E_NO_MEMORY || status == TC_E_ABSENT;
}

/* Handles the peer's refusal of a function (or, with `payload_only`, of one payload). The
 * status may be passed on to other peers, so a status that reports success is refused. */
static tc_status on_refused(tc_ep *ep, const tci_frame *f, const uint8_t *payload,
                            bool payload_only, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, payload, f->payload_size);
    int32_t status = (int32_t)tci_read_u32(&r);
    size_t text_size = tci_reader_left(&r);
    const uint8_t *text = tci_read_bytes(&r, text_size);
    if (r.failed || f->slot >= ep->core->registry.capacity)
        return TC_OK;
    if (status >= 0)
        return tci_error_set(err, TC_E_CORRUPT, "refusal: status %d, expected a negative one",
                             status);
    if (ep->tx.refusal == NULL && (ep->tx.refusal = calloc(1, sizeof *ep->tx.refusal)) == NULL)
        return TC_OK;
    tci_error_set(ep->tx.refusal, (tc_status)status, "%.*s", (int)text_size,
                  (const char *)text);
    name_function(ep, f->slot, ep->tx.refusal);
    ep->tx.refusals++;
    if (ep->tx.preparing == f->slot)
        ep->tx.preparing = TCI_PREPARING_NONE;
    if (!payload_only)
        ep->tx.bindings[f->slot] = may_be_over(status) ? TCI_TX_UNKNOWN : TCI_TX_REFUSED;
    else if (ep->tx.large != NULL && ep->tx.large->fn->index == f->slot)
        ep->tx.large->refused =
            ep->tx.refusal->status == TC_E_NO_MEMORY ? TC_E_NO_MEMORY : TC_E_TOO_LARGE;
    if (ep->core->calls != NULL)
        ep->core->calls->ops->refused(ep, f->slot, payload_only);
    TC_LOG_RATIONED(&ep->log, TC_LOG_WARN, "endpoint %u: the peer refused a %s: %s",
                    ep->connection, payload_only ? "payload" : "function",
                    ep->tx.refusal->text);
    return TC_OK;
}

void tci_control_need(tc_ep *ep, const tci_frame *f, const uint8_t *payload)
{
    tci_content_id id;
    if (f->payload_size < sizeof id.bytes || f->payload_size > sizeof id.bytes + 1)
        return;
    memcpy(id.bytes, payload, sizeof id.bytes);
    tci_code_out_begin(ep, &id, f->payload_size > sizeof id.bytes);
}

tc_status tci_control_run(tc_ep *ep, const tci_frame *f, const uint8_t *payload, tc_error *err)
{
    switch ((tci_control)f->flags) {
    case TCI_CONTROL_NEED:
        if (ep->rx.ring.head > ep->rx.looked_ahead) /* or it is answered: dispatch/needs.h */
            tci_control_need(ep, f, payload);
        return TC_OK;
    case TCI_CONTROL_REFUSED:
    case TCI_CONTROL_TOO_LARGE:
        return on_refused(ep, f, payload, f->flags == TCI_CONTROL_TOO_LARGE, err);
    case TCI_CONTROL_PREPARED:
        if (f->slot == ep->tx.preparing)
            ep->tx.preparing = TCI_PREPARING_NONE;
        return TC_OK;
    case TCI_CONTROL_CREDIT:
        tci_credit_return(ep);
        return TC_OK;
    case TCI_CONTROL_SEGMENT:
        tci_staging_attach(ep, payload, f->payload_size);
        return TC_OK;
    case TCI_CONTROL_ATTACHED:
        tci_staging_open(ep);
        return TC_OK;
    case TCI_CONTROL_MEMBER:
    case TCI_CONTROL_ARRIVED:
    case TCI_CONTROL_RELEASED:
    case TCI_CONTROL_ABANDONED:
        if (ep->core->calls == NULL)
            break;
        return ep->core->calls->ops->control(ep, f->flags, payload, f->payload_size, err);
    }
    TC_LOG(TC_LOG_DEBUG, "endpoint %u: control %u is unknown here", ep->connection, f->flags);
    return TC_OK;
}

tc_status tci_control_take(tc_ep *ep, const tci_frame *f, const uint8_t *frame, size_t bytes,
                           tc_error *err)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX];
    if (f->payload_size > sizeof payload)
        return tci_error_set(err, TC_E_CORRUPT,
                             "control frame of %u bytes, expected at most %zu", f->payload_size,
                             sizeof payload);
    memcpy(payload, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    tci_consumer_advance(&ep->rx.ring, bytes);
    ep->core->pending.activity = true;
    return tci_control_run(ep, f, payload, err);
}
