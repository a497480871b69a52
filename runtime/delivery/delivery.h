/* How frames reach a peer's ring: the seam behind which every delivery lives.
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
#include "delivery/region.h"
#include "delivery/segment.h"
#include "ring/producer.h"
#include "wire/hello.h"

typedef struct tci_delivery tci_delivery;

/* The peer's end, from its hello; views live during open only. What it says of its memory is
 * its word alone. */
typedef struct tci_delivery_peer {
    tci_link *link; /* outlives the delivery */
    uint32_t ring_bytes;
    uint64_t ring_nonce;
    uint64_t ring_address;
    const void *rkey; /* NULL: cannot be put to */
    size_t rkey_size;
    uint32_t segment; /* or TCI_SEGMENT_NONE; see tci_region_segment */
    bool same_host;   /* its segment can be attached here, if it still is */
} tci_delivery_peer;

/* What the side that receives needs to know of the delivery that its peer sends by. The
 * endpoint keeps a copy among its receiving fields, because the path of each message asks it.
 * With neither of the two, frames appear in the ring unseen (a network writes them), credit
 * goes by message, and who sleeps must look at the ring now and then. */
typedef struct tci_delivery_arrival {
    /* The sender has the ring's region mapped. Credit is one store there; otherwise it is a
     * message. A sleeper's doorbell word is seen, which needs a barrier before the sleep. Segments
     * that the sender offers can be attached. */
    bool ring_is_mapped;
    /* Frames come as UCX messages, whose handler puts them into the ring: they wake a sleeper,
     * and nobody need look at a ring that is empty. */
    bool frames_by_message;
    /* And not as UCX's messages but as records of the connection. */
    bool by_stream;
} tci_delivery_arrival;

typedef struct tci_delivery_ops {
    const char *name;              /* as the option `delivery` has it */
    tci_hello_delivery wire_id;    /* as READY says it; also the value of the option */
    uint32_t frame_overhead_bytes; /* that travel beside a lone frame */
    uint32_t batch_bytes;          /* of frames that travel together, if they are carried */
    tci_delivery_arrival arrival;
    /* The memory of the ring of a side that asks for this delivery: it expects peers to send as
     * it does. */
    tci_region_use region_use;

    /* NULL: `auto` may take it where it opens. Whether it may, to this peer; where it then does
     * not open, `auto` goes on, too. */
    bool (*suits)(const tci_delivery_peer *peer);
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
    /* NULL when arrival.ring_is_mapped: credit comes by message or by store. `share` messages
     * with frames may be on their way and not consumed; 0: as many as fit. May be called inside
     * a UCX handler. */
    void (*credit)(tci_delivery *delivery, uint64_t consumed, uint64_t share);
} tci_delivery_ops;

/* What every delivery starts with. */
struct tci_delivery {
    const tci_delivery_ops *ops;
    uint8_t *ring;
    const tci_ring_word *consumed;
    const tci_ring_word *doorbell; /* the peer's, or NULL: what is sent wakes it anyway */
};

extern const tci_delivery_ops tci_delivery_direct;
extern const tci_delivery_ops tci_delivery_am;
extern const tci_delivery_ops tci_delivery_put;
extern const tci_delivery_ops tci_delivery_stream;

/* All of them, ended by NULL, in the order in which `auto` tries them. */
extern const tci_delivery_ops *const tci_delivery_table[];

/* By the number that READY and the option use. NULL: there is none of that number. */
const tci_delivery_ops *tci_delivery_find(uint64_t wire_id);

/* Which one the peer sends by, from its READY. TC_E_CORRUPT: none of that number. */
TC_MUST_CHECK tc_status tci_delivery_arrival_of(uint8_t wire_id,
                                                tci_delivery_arrival *arrival_out,
                                                tc_error *err);

/* The memory for a ring of a side whose option is `wanted`. */
tci_region_use tci_delivery_region_use(uint64_t wanted);

/* Opens the delivery that the option asks for; with TCI_DELIVERY_AUTO the first that can reach
 * this peer. The statuses are those of tci_delivery_ops.open. */
TC_MUST_CHECK tc_status tci_delivery_open(uint64_t wanted, const tci_delivery_peer *peer,
                                          tci_delivery **delivery_out, tc_error *err);

/* Attaches the segment that shows a peer's ring, as its hello names it, if it holds the ring's identity in the first of at least `bytes` bytes. Nobody
 * but the peer knows the nonce, so what matches is the peer's and not something else of this
 * user's that the peer would like to see written. TC_E_PEER_LOST: it was on this host and is
 * gone, because the peer has given the connection up, or has ended. TC_E_UNSUPPORTED: nothing
 * can be attached here. */
TC_MUST_CHECK tc_status tci_delivery_attach_ring(const tci_delivery_peer *peer, size_t bytes,
                                                 tci_segment *segment_out, tc_error *err);

#endif
