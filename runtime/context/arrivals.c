/* Arrivals by active message. Frames, credit and code are handled inside UCX's handlers;
 * hellos wait in an inbox until the next turn, because they make endpoints. */
#include "context/arrivals.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "transfer/code_in.h"
#include "transfer/payload_in.h"

#include <stdlib.h>

#define INBOX_MAX 1024u

/* --- inside UCX's handlers --------------------------------------------------------------- */

typedef struct tci_inbox_item {
    struct tci_inbox_item *next; /* bound: INBOX_MAX */
    uint16_t connection;
    size_t size;
    uint8_t bytes[];
} tci_inbox_item;

static void keep_for_later(tc_context *ctx, uint16_t connection, const uint8_t *bytes,
                           size_t size)
{
    if (ctx->inbox.count >= INBOX_MAX || size > TCI_HELLO_MESSAGE_MAX) {
        TC_LOG_RATIONED(&ctx->core.log, TC_LOG_WARN,
                        "a hello of %zu bytes was dropped: %u are queued already", size,
                        ctx->inbox.count);
        return;
    }
    tci_inbox_item *item = calloc(1, sizeof *item + size);
    if (item == NULL)
        return;
    item->connection = connection;
    item->size = size;
    memcpy(item->bytes, bytes, size);
    TCI_INVARIANT(inbox_list, *ctx->inbox.last == NULL);
    *ctx->inbox.last = item;
    ctx->inbox.last = &item->next;
    ctx->inbox.count++;
    TCI_INVARIANT_IS(inbox_count, ctx->inbox.count, <=, INBOX_MAX);
    tci_pending_add(&ctx->core.pending, TCI_WORK_HELLO);
}

/* Returns the endpoint that a message is for, or NULL: there is no such endpoint, or its token
 * is wrong. */
static tc_ep *find_addressee(const tc_context *ctx, const tci_am_header *header)
{
    tc_ep *ep = tci_core_find(&ctx->core, header->connection);
    if (ep != NULL && ep->rx.records == NULL &&
        memcmp(header->token, &ep->token, sizeof ep->token) == 0)
        return ep;
    TC_LOG(TC_LOG_DEBUG, "a message for the unknown connection %u", header->connection);
    return NULL;
}

void tci_arrivals_take(void *user, tci_am kind, const tci_am_header *header,
                       const uint8_t *bytes, size_t size)
{
    tc_context *ctx = user;
    tc_ep *ep = NULL;
    if ((kind != TCI_AM_HELLO || header->connection != TCI_AM_NO_CONNECTION) &&
        (ep = find_addressee(ctx, header)) == NULL)
        return;
    if (kind == TCI_AM_HELLO) {
        keep_for_later(ctx, header->connection, bytes, size);
        return;
    }
    if (ep->rx.region == NULL)
        return;
    switch (kind) {
    case TCI_AM_FRAMES:
        tci_ep_take_frames(ep, header->position, bytes, size);
        return;
    case TCI_AM_CREDIT:
        tci_credit_take(ep, bytes, size);
        return;
    case TCI_AM_CODE:
        tci_code_in_fragment(ep, bytes, size);
        return;
    case TCI_AM_HELLO:   /* above */
    case TCI_AM_PAYLOAD: /* tci_arrivals_take_payload */
    case TCI_AM_COUNT:
        return;
    }
}

bool tci_arrivals_take_payload(void *user, const tci_payload_header *header, size_t size,
                               tci_sink *sink_out)
{
    const tc_context *ctx = user;
    tc_ep *ep = find_addressee(ctx, &header->to);
    return ep != NULL && tci_payload_in_take(ep, header, size, sink_out);
}

/* --- the inbox --------------------------------------------------------------------------- */

/* Accepts a HELLO by active message that belongs to no endpoint here. UCX's own port is open to
 * any process that finds it. So until the program asks for this context's address, only the
 * context itself is accepted. */
static tc_status accept_unknown_peer(tc_context *ctx, const tci_inbox_item *item,
                                     tc_ep **ep_out, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_hello theirs;
    if (!ctx->address_given) {
        TC_TRY(tci_hello_decode(item->bytes, item->size, TCI_HELLO_HELLO, &theirs, err));
        if (theirs.context_id != core->self.context_id || theirs.pid != core->self.pid)
            return tci_error_set(err, TC_E_REFUSED,
                                 "it came by UCX alone, and nobody was given this address");
    }
    TC_TRY(tci_ep_create(core, TCI_OWNER_CONTEXT, ep_out, err));
    tci_handshake_begin(*ep_out, tci_deadline_after(core->options.connect_timeout));
    return TC_OK;
}

/* Refuses an unauthenticated peer. UCX does not report its address. */
static void refuse_stranger(tc_context *ctx, const tc_error *error)
{
    ctx->core.counters[TCI_STRANGERS_REFUSED]++;
    TC_LOG_RATIONED(&ctx->core.log, TC_LOG_WARN, "a hello was dropped: %s", error->text);
    tci_limits_note_stranger(&ctx->core, "", error, false);
}

static void handle_inbox_item(tc_context *ctx, const tci_inbox_item *item)
{
    tci_hello_preamble preamble;
    tc_error error = {0};
    tc_ep *ep = NULL;
    tc_status status = tci_hello_preamble_decode(item->bytes, item->size, &preamble, &error);
    if (status == TC_OK && item->connection != TCI_AM_NO_CONNECTION) {
        ep = tci_core_find(&ctx->core, item->connection);
        if (ep == NULL || ep->stream != NULL)
            return;
    } else if (status == TC_OK && preamble.kind == TCI_HELLO_HELLO) {
        status = accept_unknown_peer(ctx, item, &ep, &error);
    }
    if (ep != NULL)
        tci_handshake_message(ep, preamble.kind, item->bytes, item->size);
    else if (status != TC_OK)
        refuse_stranger(ctx, &error);
}

static void handle_hellos(tc_context *ctx)
{
    while (ctx->inbox.first != NULL) {
        tci_inbox_item *item = ctx->inbox.first;
        ctx->inbox.first = item->next;
        if (ctx->inbox.first == NULL)
            ctx->inbox.last = &ctx->inbox.first;
        TCI_INVARIANT_IS(inbox_count, ctx->inbox.count, >, 0);
        TCI_INVARIANT(inbox_list, (ctx->inbox.first == NULL) == (ctx->inbox.count == 1));
        ctx->inbox.count--;
        handle_inbox_item(ctx, item);
        free(item);
    }
}

void tci_arrivals_init(tc_context *ctx)
{
    ctx->inbox.last = &ctx->inbox.first;
    ctx->inbox.handle = handle_hellos;
}

void tci_arrivals_free(tc_context *ctx)
{
    while (ctx->inbox.first != NULL) {
        tci_inbox_item *item = ctx->inbox.first;
        ctx->inbox.first = item->next;
        free(item);
    }
}
