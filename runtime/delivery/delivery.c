/* Finds deliveries in tci_delivery_table and in a network's table, opens the one that the
 * option names or the first that reaches the peer, and attaches a peer's ring if it has the
 * right identity. */
#include "delivery.h"

#include "base/error_text.h"
#include "base/option_table.h"
#include "ring/consumer.h"

#include <stdio.h>

/* The rows that are left of the two tables. */
typedef struct rows {
    const tci_delivery_ops *const *next, *const *more;
} rows;

static const tci_delivery_ops *next_row(rows *left)
{
    if (*left->next == NULL && left->more != NULL) {
        left->next = left->more;
        left->more = NULL;
    }
    return *left->next != NULL ? *left->next++ : NULL;
}

const tci_delivery_ops *tci_delivery_find(const tci_delivery_ops *const *more, uint64_t wire_id)
{
    rows left = {tci_delivery_table, more};
    const tci_delivery_ops *ops = next_row(&left);
    while (ops != NULL && (uint64_t)ops->wire_id != wire_id)
        ops = next_row(&left);
    return ops;
}

static void list_deliveries(const tci_delivery_ops *const *more, char *text, size_t size)
{
    rows left = {tci_delivery_table, more};
    const tci_delivery_ops *ops = next_row(&left);
    const char *comma = "";
    size_t used = 0;
    text[0] = '\0';
    while (ops != NULL && used < size) {
        const tci_delivery_ops *next = next_row(&left);
        used += (size_t)snprintf(text + used, size - used, "%s%u (%s)", comma,
                                 (unsigned)ops->wire_id, ops->name);
        rows after = left;
        comma = next != NULL && next_row(&after) == NULL ? " or " : ", ";
        ops = next;
    }
}

tc_status tci_delivery_arrival_of(const tci_delivery_ops *const *more, uint8_t wire_id,
                                  tci_delivery_arrival *arrival_out, tc_error *err)
{
    const tci_delivery_ops *ops = tci_delivery_find(more, wire_id);
    if (ops == NULL) {
        char known[128];
        list_deliveries(more, known, sizeof known);
        return tci_error_set(err, TC_E_CORRUPT, "ready: delivery %u, expected %s", wire_id,
                             known);
    }
    *arrival_out = ops->arrival;
    return TC_OK;
}

tci_region_use tci_delivery_region_use(const tci_delivery_ops *const *more, uint64_t wanted)
{
    const tci_delivery_ops *ops = tci_delivery_find(more, wanted);
    return ops != NULL ? ops->region_use : TCI_REGION_MAPPED;
}

static tc_status open_one(const tci_delivery_ops *ops, const tci_delivery_peer *peer,
                          tci_delivery **delivery_out, tc_error *err)
{
    if (!tci_link_carries(peer->link, ops->link_uses))
        return tci_error_set(err, TC_E_UNSUPPORTED, "delivery %s: %s", ops->name,
                             tci_link_lacks(peer->link));
    return ops->open(peer, delivery_out, err);
}

static tc_status open_first(const tci_delivery_ops *const *more, const tci_delivery_peer *peer,
                            tci_delivery **delivery_out, tc_error *err)
{
    rows left = {tci_delivery_table, more};
    const tci_delivery_ops *ops;
    tc_status status = TC_E_UNSUPPORTED;
    while ((ops = next_row(&left)) != NULL) {
        if (!tci_link_carries(peer->link, ops->link_uses) ||
            (ops->suits != NULL && !ops->suits(peer)))
            continue;
        status = ops->open(peer, delivery_out, err);
        if (status == TC_OK || status == TC_E_PEER_LOST ||
            (status != TC_E_UNSUPPORTED && ops->suits == NULL))
            break;
    }
    return status;
}

tc_status tci_delivery_open(const tci_delivery_ops *const *more, uint64_t wanted,
                            const tci_delivery_peer *peer, tci_delivery **delivery_out,
                            tc_error *err)
{
    const tci_delivery_ops *ops = tci_delivery_find(more, wanted);
    return ops != NULL ? open_one(ops, peer, delivery_out, err)
                       : open_first(more, peer, delivery_out, err);
}

static tc_status gone(const tci_delivery_peer *peer, tc_error *err)
{
    if (peer->same_host)
        return tci_error_set(err, TC_E_PEER_LOST, "peer lost: its ring is gone");
    return tci_error_set(err, TC_E_UNSUPPORTED, "the peer's ring is not on this host");
}

tc_status tci_delivery_attach_ring(const tci_delivery_peer *peer, size_t bytes,
                                   tci_segment *segment_out, tc_error *err)
{
    if (peer->segment == TCI_SEGMENT_NONE)
        return tci_error_set(err, TC_E_UNSUPPORTED, "the peer's ring cannot be mapped");
    tc_status status = tci_segment_attach(peer->segment, bytes, segment_out, err);
    if (status == TC_E_NOT_FOUND)
        return gone(peer, err);
    if (status != TC_OK)
        return status;
    if (tci_consumer_identity_matches(segment_out->base, peer->ring_bytes, peer->ring_nonce))
        return TC_OK;
    tci_segment_detach(segment_out);
    return gone(peer, err);
}
