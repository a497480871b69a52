/* How frames reach a peer's ring: the seam behind which direct, am and put live.
 *
 * A delivery gives the producer a ring to write in and a word where the peer's progress shows.
 * With `direct` both are the peer's own memory, mapped, and a committed frame has arrived. With
 * `am` and `put` they are this side's memory, and `push` carries each frame over. Either way
 * the peer reads the same ring, so everything above is written once.
 *
 * All calls come from the thread that owns the context, outside UCX's handlers unless said
 * otherwise. */
#ifndef TCI_DELIVERY_H
#define TCI_DELIVERY_H

#include "delivery/link.h"
#include "delivery/segment.h"
#include "ring/producer.h"
#include "wire/hello.h"

typedef struct tci_delivery tci_delivery;

/* The peer's end, from its hello; views live during open only. What it says of its memory is
 * its word alone. */
typedef struct tci_delivery_peer {
    tci_link *link; /* outlives the delivery */
    uint16_t connection;
    uint32_t ring_bytes;
    uint64_t ring_nonce;
    uint64_t ring_address;
    const void *rkey; /* NULL: cannot be put to */
    uint32_t segment; /* or TCI_SEGMENT_NONE; see tci_region_segment */
    bool same_host;   /* its segment can be attached here, if it still is */
} tci_delivery_peer;

typedef struct tci_delivery_ops {
    const char *name;
    tci_hello_delivery wire_id;    /* as READY says it */
    uint32_t frame_overhead_bytes; /* that travel beside a lone frame */

    /* TC_E_UNSUPPORTED: not to this peer (err says why), try another. TC_E_PEER_LOST,
     * TC_E_NO_MEMORY. */
    tc_status (*open)(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                      tc_error *err);
    /* After the link is closed: nothing is under way any more. */
    void (*close)(tci_delivery *delivery);

    /* NULL when a committed frame needs nothing more. Called after each commit of a frame of
     * `bytes` at `position`; never blocks, keeps what cannot leave now. */
    void (*push)(tci_delivery *delivery, uint64_t position, uint64_t bytes);
    /* NULL as above. Called by the tc_progress that follows a push: sends what that kept.
     * False: the next one has to call again. */
    bool (*turn)(tci_delivery *delivery);
    /* NULL when messages over the link do not overtake frames. How many of the batches of
     * frames that were made until now may be overtaken: the last ones. */
    uint64_t (*under_way)(const tci_delivery *delivery, uint64_t *made_out);
    /* NULL unless credit comes by message. May be called inside a UCX handler. */
    void (*credit)(tci_delivery *delivery, uint64_t consumed);
} tci_delivery_ops;

/* What every delivery starts with. */
struct tci_delivery {
    const tci_delivery_ops *ops;
    uint8_t *ring;
    const tci_ring_word *consumed;
    const tci_ring_word *bell; /* the peer's, or NULL: what is sent wakes it anyway */
};

extern const tci_delivery_ops tci_delivery_direct;
extern const tci_delivery_ops tci_delivery_am;
extern const tci_delivery_ops tci_delivery_put;

#endif
