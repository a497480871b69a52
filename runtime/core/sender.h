/* The sending part of an endpoint: the peer's ring, and data that waits to go there. */
#ifndef TCI_SENDER_H
#define TCI_SENDER_H

#include "base/assertion.h"
#include "delivery/delivery.h"

#include <tc/ifunc.h>

/* The peer's knowledge of a function of ours. */
typedef enum tci_binding {
    TCI_TX_UNKNOWN = 0,
    TCI_TX_PLAIN,   /* bound; its payload is a copy of the source arguments */
    TCI_TX_BUILT,   /* bound; NAME_payload_init makes its payload */
    TCI_TX_ALIGNED, /* bound; its payload needs more alignment than frames have by themselves */
    TCI_TX_REFUSED
} tci_binding;

/* Short calls that go into the ring together. Four cache lines: more gain nothing. */
#define TCI_COALESCED_MAX 8u

#define TCI_PREPARING_NONE UINT32_MAX

typedef struct tci_sender {
    /* Members in the order in which tc_send touches them. */
    uint8_t *bindings;  /* tci_binding by function index; registry.capacity */
    size_t fast_limit;  /* payloads below it may take tc_send's fast path; tci_ep_set_fast */
    size_t frame_limit; /* payloads below it may become a frame at once, given credit */
    tci_producer ring;
    const tci_ring_word *doorbell; /* the peer's; see core/doorbell.h */
    uint64_t doorbell_seen;        /* its value that was handled last */
    bool used;        /* a message left since the last tc_progress: others may join */
    bool takes_brief; /* the peer reads TCI_BRIEF */
    unsigned coalesced_count;
    tc_ep *used_next; /* see tci_core.used */
    tci_short_call coalesced[TCI_COALESCED_MAX];
    /* frame_limit for tc_send's other quick paths. Where threads are checked first, it and
     * fast_limit are 0: core/sole_user.h. */
    size_t quick_limit;
    tci_delivery *delivery;                           /* NULL until the peer's hello */
    void (*push)(tci_delivery *, uint64_t, uint64_t); /* delivery->ops->push */
    struct tci_queued *queue;                         /* transfer/send_queue.h */
    struct tci_large_request *large; /* transfer/large_send.h; goes before the queue */
    size_t payload_max;              /* of one frame */
    bool building; /* a payload is being made in the ring: nothing else may be sent */
    struct tci_frame_hold *hold; /* transfer/frame_out.h; NULL until space is held */
    bool queues_unopened;        /* messages are queued while the endpoint is not open yet */
    /* Frames that are not messages of their own: control frames and replies; and fragments but
     * the last, and bindings. */
    uint64_t control_frames;
    uint64_t part_frames;
    uint64_t pushed_bytes; /* of frames that a delivery carried, and payloads beside the ring */

    uint64_t copy_memory; /* the ring copy's part of the core's copy_memory */
    struct tci_queued **queue_last;
    struct tci_queued **queue_control; /* behind the control frames at its front */
    size_t queue_bytes;                /* of all queued items */
    uint64_t message_end;          /* where the last frame ends that carried a user's message */
    bool space_wanted;             /* a send found no space: transfer/send_space.h */
    uint64_t space_at;             /* there is space once this position is consumed */
    uint64_t flush_target;         /* the position that a flush waits for; 0: no flush */
    struct tci_staging *staging;   /* transfer/staging.h; NULL until a payload needs it */
    struct tci_outbound *outbound; /* transfer/payload_out.h; NULL until first used */
    struct tci_code_out *code;     /* transfer/code_out.h; NULL: the peer has all code */
    struct tci_single_message *wakeup; /* by the link; NULL until one is sent */
    uint32_t preparing;                /* index of the function that tc_ep_prepare waits for */
    unsigned refusals;                 /* functions and payloads that the peer refused */
    tc_error *refusal;                 /* the newest, or NULL */
    unsigned coalesced_lost; /* coalesced calls that the end of the endpoint dropped */
    uint64_t all_run_at;     /* the registry's clock when all messages had run */
} tci_sender;

/* Returns whether frames wait for tci_sender_commit_coalesced. */
static inline bool tci_sender_gathers(const tci_sender *tx)
{
    return tx->ring.unsignalled_count + tx->coalesced_count > 0;
}

/* Puts coalesced calls into the ring, where no frame is unsignalled. */
static inline void tci_sender_commit_calls(tci_sender *tx)
{
    TCI_INVARIANT_IS(send_coalesced, tx->coalesced_count, <=, TCI_COALESCED_MAX);
    TCI_INVARIANT(send_coalesced, tci_producer_has_granules(&tx->ring, tx->coalesced_count) ||
                                      tx->coalesced_count == 0);
    tci_producer_commit_calls(&tx->ring, tx->coalesced, tx->coalesced_count);
    tx->coalesced_count = 0;
}

/* Signals frames of the ring, and puts coalesced calls behind them. All others follow these. */
static inline void tci_sender_commit_coalesced(tci_sender *tx)
{
    if (__builtin_expect(tx->ring.unsignalled_count > 0, 0))
        tci_producer_signal(&tx->ring);
    tci_sender_commit_calls(tx);
}

#endif
