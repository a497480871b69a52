/* The common part of deliveries that carry frames over a network: a ring of this side's own, in
 * which the producer writes and of which the peer's ring becomes a copy, and credit that
 * arrives by message. Each delivery carries a batch of frames in its own way. */
#ifndef TCI_CARRIED_DELIVERY_H
#define TCI_CARRIED_DELIVERY_H

#include "delivery/delivery.h"
#include "delivery/frame_batches.h"

/* The first member of such a delivery. */
typedef struct tci_carried_delivery {
    tci_delivery base;
    tci_link *link;
    size_t ring_bytes;
    tci_ring_word consumed; /* as the peer's credit messages state it */
    tci_frame_batches batches;
} tci_carried_delivery;

/* Makes a zeroed delivery of `bytes`, with `batch_ops` operations for each batch; `carry` gets
 * it as its user. NULL: out of memory (err filled). */
void *tci_carried_create(const tci_delivery_ops *ops, const tci_delivery_peer *peer,
                         size_t bytes, unsigned batch_ops, tci_batch_carrier carry,
                         tc_error *err);

/* A tci_batch_carrier: sends one FRAMES message over the link. */
void tci_carried_by_message(void *user, tci_batch *batch);

/* For tci_delivery_ops. */
void tci_carried_close(tci_delivery *delivery);
void tci_carried_push(tci_delivery *delivery, uint64_t position, uint64_t bytes);
bool tci_carried_turn(tci_delivery *delivery);
/* Batches that the link does not have yet; its messages keep the order. */
uint64_t tci_carried_under_way(const tci_delivery *delivery, uint64_t *made_out);
void tci_carried_credit(tci_delivery *delivery, uint64_t consumed, uint64_t share);
void tci_carried_lift_share(tci_delivery *delivery);

#endif
