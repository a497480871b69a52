/* What arrives by active message: frames and credit go where they belong inside UCX's handlers;
 * hellos wait in an inbox until the next turn, because they make endpoints. */
#include "context_private.h"

#include "base/clock.h"
#include "base/logger.h"
#include "transfer/code_transfer.h"
#include "endpoint/handshake.h"
#include "transfer/payload_transfer.h"

#include <stdlib.h>

#define INBOX_MAX 1024u

/* --- inside UCX's handlers ---------------------------------------------------------------- */

static void keep_for_later(tci_core *core, uint16_t connection, const uint8_t *bytes, size_t size)
{
    if (core->inbox_count >= INBOX_MAX || size > TCI_HELLO_MESSAGE_MAX) {
        TC_LOG(TC_LOG_WARN, "a hello of %zu bytes was dropped: %u wait already", size,
               core->inbox_count);
        return;
    }
    tci_inbox_item *item = calloc(1, sizeof *item + size);
    if (item == NULL)
        return;
    item->connection = connection;
    item->size = size;
    memcpy(item->bytes, bytes, size);
    *core->inbox_last = item;
    core->inbox_last = &item->next;
    core->inbox_count++;
    core->attention |= TCI_CHORES;
}

static void on_credit(tc_ep *ep, const uint8_t *bytes, size_t size)
{
    uint64_t consumed;
    if (size != sizeof consumed || ep->delivery == NULL || ep->delivery->ops->credit == NULL)
        return;
    memcpy(&consumed, bytes, sizeof consumed);
    ep->delivery->ops->credit(ep->delivery, consumed);
    ep->core->news = true;
}

void tci_arrivals_take(void *user, tci_am kind, uint16_t connection, uint16_t granule,
                       const uint8_t *bytes, size_t size)
{
    tci_core *core = user;
    if (kind == TCI_AM_HELLO) {
        keep_for_later(core, connection, bytes, size);
        return;
    }
    tc_ep *ep = connection < core->connection_places ? core->by_connection[connection] : NULL;
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

bool tci_arrivals_take_payload(void *user, const tci_payload_header *header, size_t size,
                               tci_sink *sink_out)
{
    const tci_core *core = user;
    tc_ep *ep = header->connection < core->connection_places
                    ? core->by_connection[header->connection]
                    : NULL;
    return ep != NULL && tci_payload_take(ep, header, size, sink_out);
}

/* --- the inbox --------------------------------------------------------------------------- */

/* A HELLO by active message that belongs to no endpoint here. UCX's own port is open to whoever
 * finds it, so before this context's address was given to anybody only it itself may come. */
static tc_status take_stranger(tci_core *core, const tci_inbox_item *item, tc_ep **ep_out,
                               tc_error *err)
{
    tci_hello theirs;
    if (!core->address_given) {
        TC_TRY(tci_hello_decode(item->bytes, item->size, TCI_HELLO_HELLO, &theirs, err));
        if (theirs.context_id != core->self.context_id || theirs.pid != core->self.pid)
            return tci_error_set(err, TC_E_REFUSED,
                                 "it came by UCX alone, and nobody was given this address");
    }
    TC_TRY(tci_ep_create(core, true, ep_out, err));
    (*ep_out)->deadline_ns = tci_deadline_after(core->options.connect_timeout);
    return TC_OK;
}

static void handle_inbox_item(tci_core *core, const tci_inbox_item *item)
{
    tci_hello_preamble preamble;
    tc_error error = {0};
    tc_ep *ep = NULL;
    tc_status status = tci_hello_preamble_decode(item->bytes, item->size, &preamble, &error);
    if (status == TC_OK && item->connection != TCI_AM_NO_CONNECTION) {
        ep = item->connection < core->connection_places ? core->by_connection[item->connection]
                                                       : NULL;
        if (ep == NULL || ep->stream != NULL)
            return;
    } else if (status == TC_OK && preamble.kind == TCI_HELLO_HELLO) {
        status = take_stranger(core, item, &ep, &error);
    }
    if (ep != NULL)
        tci_handshake_message(ep, preamble.kind, item->bytes, item->size);
    else if (status != TC_OK)
        TC_LOG(TC_LOG_WARN, "a hello was dropped: %s", error.text);
}

void tci_arrivals_greet(tci_core *core)
{
    while (core->inbox != NULL) {
        tci_inbox_item *item = core->inbox;
        core->inbox = item->next;
        if (core->inbox == NULL)
            core->inbox_last = &core->inbox;
        core->inbox_count--;
        handle_inbox_item(core, item);
        free(item);
    }
}

void tci_arrivals_free(tci_core *core)
{
    while (core->inbox != NULL) {
        tci_inbox_item *item = core->inbox;
        core->inbox = item->next;
        free(item);
    }
}
