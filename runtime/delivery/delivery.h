/* How frames reach a peer's ring: the interface that every delivery implements.
 *
 * A delivery gives the producer a ring to write in and a word that shows the peer's progress.
 * With `direct` both are the peer's own memory, mapped, and a committed frame has arrived. With
 * `am`, `put` and `stream` they are this side's memory, and `push` carries each frame over. In
 * both cases the peer reads the same ring, so everything above is written once.
 *
 * All calls come from the thread that owns the context, outside UCX's handlers unless stated
 * otherwise. */
#ifndef TCI_DELIVERY_H
#define TCI_DELIVERY_H

#include "delivery/link.h"
#include "delivery/region.h"
#include "delivery/segment.h"
#include "ring/producer.h"
#include "wire/hello.h"

typedef struct tci_delivery tci_delivery;

/* The peer's end, from its hello; views live during open only. The peer's statements about its
 * memory are unverified. */
typedef struct tci_delivery_peer {
    tci_link *link; /* outlives the delivery */
    uint32_t ring_bytes;
    uint64_t ring_nonce;
    uint64_t ring_address;
    const void *rkey; /* NULL: the peer accepts no puts */
    size_t rkey_size;
    uint32_t segment; /* or TCI_SEGMENT_NONE; see tci_region_segment */
    bool same_host;   /* its segment can be attached here, if it still exists */
} tci_delivery_peer;

/* Properties of the delivery by which the peer sends, as the receiver needs them. The endpoint
 * keeps a copy among its receiving fields, because the path of each message reads it. Without
 * ring_is_mapped and frames_by_message, frames appear in the ring unnoticed (a network writes
 * them), credit goes by message, and a sleeper must poll the ring from time to time. */
typedef struct tci_delivery_arrival {
    /* The sender has the ring's region mapped. Credit is one store there; otherwise it is a
     * message. The sender sees a sleeper's doorbell word, which needs a barrier before the
     * sleep. Segments that the sender offers can be attached. */
    bool ring_is_mapped;
    /* Frames arrive as messages over the link, and their handler puts them into the ring: they
     * wake a sleeper, and an empty ring need not be polled. */
    bool frames_by_message;
    /* They arrive by a queue of UCX's that is shared with other peers of this host
     * (modules/ucx/ucx_share.h). */
    bool queue_is_shared;
} tci_delivery_arrival;

typedef struct tci_delivery_ops {
    const char *name;              /* as in the option `delivery` */
    tci_hello_delivery wire_id;    /* as in READY; also the value of the option */
    uint32_t frame_overhead_bytes; /* that travel beside a lone frame */
    uint32_t batch_bytes;          /* of frames that travel together, if they are carried */
    tci_delivery_arrival arrival;
    /* The memory for the ring of a side that asks for this delivery: that side expects its
     * peers to send by the same delivery. */
    tci_region_use region_use;
    unsigned link_uses; /* the bits of tci_link_use without which it cannot be opened */

    /* Returns whether `auto` may use this delivery for this peer; NULL: it may. If open then
     * fails, `auto` tries the next one, unless the peer is lost. */
    bool (*suits)(const tci_delivery_peer *peer);
    /* TC_E_UNSUPPORTED: not possible with this peer (err has the reason), try another delivery.
     * TC_E_PEER_LOST, TC_E_NO_MEMORY. */
    tc_status (*open)(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                      tc_error *err);
    /* Called after the link is closed: nothing is under way any more. */
    void (*close)(tci_delivery *delivery);

    /* NULL when a committed frame needs nothing more. Called after each commit of a frame of
     * `bytes` at `position`; never blocks, keeps frames that cannot leave now. */
    void (*push)(tci_delivery *delivery, uint64_t position, uint64_t bytes);
    /* NULL as above. Called by the tc_progress that follows a push: sends the frames that push
     * kept. False: the next tc_progress has to call again. */
    bool (*turn)(tci_delivery *delivery);
    /* Returns how many of the batches of frames made until now messages over the link may
     * overtake: the last ones. NULL when frames are stores into the peer's ring. */
    uint64_t (*under_way)(const tci_delivery *delivery, uint64_t *made_out);
    /* Takes the credit of a CREDIT message. NULL when arrival.ring_is_mapped: credit is a store
     * then. `share` messages with frames may be under way and not consumed; 0: as many as fit.
     * May be called inside a UCX handler. */
    void (*credit)(tci_delivery *delivery, uint64_t consumed, uint64_t share);
    /* Sends the frames that the share keeps back; the next credit limits later ones again. NULL
     * when there are no shares. */
    void (*lift_share)(tci_delivery *delivery);
} tci_delivery_ops;

/* The first member of every delivery. */
struct tci_delivery {
    const tci_delivery_ops *ops;
    uint8_t *ring;
    const tci_ring_word *consumed;
    const tci_ring_word *doorbell; /* the peer's, or NULL: messages wake it anyway */
};

extern const tci_delivery_ops tci_delivery_direct;
extern const tci_delivery_ops tci_delivery_stream;

/* The deliveries that need no network, ended by NULL, in the order in which `auto` tries them.
 * The functions below get a network's further ones as `more`, a table of the same kind, which
 * is tried after this one, or NULL. */
extern const tci_delivery_ops *const tci_delivery_table[];

/* Finds a delivery by the number that READY and the option use. NULL: no such number. */
const tci_delivery_ops *tci_delivery_find(const tci_delivery_ops *const *more,
                                          uint64_t wire_id);

/* Returns the properties of the delivery by which the peer sends, as its READY states.
 * TC_E_CORRUPT: unknown number. */
TC_MUST_CHECK tc_status tci_delivery_arrival_of(const tci_delivery_ops *const *more,
                                                uint8_t wire_id,
                                                tci_delivery_arrival *arrival_out,
                                                tc_error *err);

/* Returns the memory for a ring of a side with the option value `wanted`. */
tci_region_use tci_delivery_region_use(const tci_delivery_ops *const *more, uint64_t wanted);

/* Opens the delivery that the option asks for; with TCI_DELIVERY_AUTO the first that can reach
 * this peer. The statuses are those of tci_delivery_ops.open. */
TC_MUST_CHECK tc_status tci_delivery_open(const tci_delivery_ops *const *more, uint64_t wanted,
                                          const tci_delivery_peer *peer,
                                          tci_delivery **delivery_out, tc_error *err);

/* Attaches the segment that shows a peer's ring, as its hello names it, if it holds the ring's
 * identity in the first of at least `bytes` bytes. Only the peer knows the nonce, so a match is
 * the peer's ring and not other memory of this user that the peer wants to have written.
 * TC_E_PEER_LOST: the ring was on this host and is gone, because the peer has given the
 * connection up, or has ended. TC_E_UNSUPPORTED: the segment cannot be attached here. */
TC_MUST_CHECK tc_status tci_delivery_attach_ring(const tci_delivery_peer *peer, size_t bytes,
                                                 tci_segment *segment_out, tc_error *err);

#endif
