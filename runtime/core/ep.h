/* An endpoint from the inside: both rings, what each side knows of the other's functions, and
 * the way to its end.
 *
 * Life: made (by a call or an accepted stream), greeting (hellos are exchanged), open, then
 * closed or failed; freed by its owner: the user for endpoints that tc_ep_connect* made, the
 * core for accepted ones. */
#ifndef TCI_EP_H
#define TCI_EP_H

#include "base/error_text.h"
#include "bootstrap/stream.h"
#include "delivery/delivery.h"
#include "delivery/region.h"
#include "delivery/segment.h"
#include "core/core.h"
#include "ring/consumer.h"
#include "wire/route.h"

#include <tc/endpoint.h>

typedef enum tci_ep_state {
    TCI_EP_CONNECTING, /* the stream is not connected yet */
    TCI_EP_GREETING,   /* the peer's HELLO is awaited */
    TCI_EP_AGREEING,   /* both READYs are awaited: ours waits for UCX to connect the link */
    TCI_EP_OPEN,
    TCI_EP_CLOSED, /* in order */
    TCI_EP_FAILED
} tci_ep_state;

/* What the peer knows of a function of ours. */
typedef enum tci_tx_state {
    TCI_TX_UNKNOWN = 0,
    TCI_TX_PLAIN, /* bound; its payload is a copy of the source arguments */
    TCI_TX_BUILT, /* bound; NAME_payload_init makes its payload */
    TCI_TX_REFUSED
} tci_tx_state;

/* Short calls that go into the ring together. Four cache lines: more gain nothing. */
#define TCI_GATHER_MAX 8u

/* What a slot number of the peer's means here; see dispatch/slots.h. */
typedef struct tci_rx_slot {
    void (*main)(void *payload, size_t payload_size,
                 void *target_args); /* NULL: not callable */
    tc_ifunc *fn;                    /* held; NULL: never bound, refused, or left */
    tci_code_section *left;          /* what it was bound to until that left; NULL: nothing */
    bool announce;                   /* the peer waits for word that it is callable */
} tci_rx_slot;

#define TCI_PREPARING_NONE UINT32_MAX

/* A message that waits for room at the peer. */
typedef struct tci_queued {
    struct tci_queued *next;
    tc_ifunc *fn; /* held; NULL: a control frame, or a reply */
    tci_frame frame;
    bool with_code;
    uint8_t payload[];
} tci_queued;

/* Code that comes outside the ring, while its frame waits at the ring's head. */
typedef struct tci_incoming_code {
    bool wanted;
    tci_code_section section;
    uint8_t *bytes; /* archive, then deps */
    size_t received;
} tci_incoming_code;

/* A payload that leaves in pieces. */
typedef struct tci_partial {
    tc_ifunc *fn;     /* held */
    const void *args; /* of the call that began it, which goes on when it is repeated */
    size_t args_size;
    uint8_t *owned; /* NULL, or the payload's own memory */
    const uint8_t *payload;
    size_t size;
    size_t start;    /* where in the whole `payload` begins */
    size_t offset;   /* bytes of the whole that have left */
    bool announced;  /* it goes outside the ring, and its frame is in there already */
    uint16_t number; /* then */
    bool refused;    /* the peer said that it is too large */
    bool queued;     /* the call has returned; tc_progress goes on with it */
    uint8_t routed;  /* TCI_ROUTED: the payload ends with a route; or 0 */
} tci_partial;

/* A payload that comes in pieces. */
typedef struct tci_assembly {
    uint8_t *bytes; /* kept from one payload to the next, within bounds */
    size_t room;
    uint64_t total; /* 0: none is under way */
    uint64_t received;
    bool dropped; /* refused: the rest is passed over */
} tci_assembly;

struct tc_ep {
    /* Sending, in the order that tc_send touches it. */
    uint8_t *tx_state; /* tci_tx_state by function index */
    size_t fast_limit; /* payloads below it may take tc_send's fast path; see tci_ep_set_fast */
    size_t frame_limit; /* payloads below it may become a frame at once, if there is room */
    tci_producer tx;
    const tci_ring_word *bell; /* the peer's; see core/bell.h */
    uint64_t bell_seen;        /* its value that was answered last */
    bool turn_used;            /* one left since the last tc_progress: others may join */
    unsigned gathered;         /* calls in `gather` */
    tc_ep *used_next;          /* see tci_core.used */
    tci_short_call gather[TCI_GATHER_MAX];
    tci_delivery *delivery;                           /* NULL until the peer's hello */
    void (*push)(tci_delivery *, uint64_t, uint64_t); /* delivery->ops->push */
    tci_queued *queue;
    tci_partial *partial; /* goes before the queue */
    size_t payload_max;   /* of one frame */
    bool building;        /* a payload is being made in the ring: nothing else may be sent */
    uint64_t control_frames;
    uint64_t part_frames; /* that are no message of their own: pieces but the last, bindings */
    uint64_t
        pushed_bytes; /* of frames that a delivery carried over, payloads beside the ring */

    /* Receiving. */
    tci_consumer rx;
    tc_ep *next;
    size_t watched_at; /* in the core's list, or */
#define TCI_UNWATCHED SIZE_MAX
    tci_ep_state state;
    tci_hello_delivery peer_delivery; /* how the peer writes our ring, and learns of credit */
    tci_rx_slot *rx_slots;
    size_t rx_slot_count;
    bool loading; /* the frame at the head waits for its function to be loaded */
    uint64_t run_messages;
    tci_core *core;

    /* The rest is cold. */
    struct {
        bool due, again; /* waits; and was asked for once more meanwhile */
        uint64_t mark;   /* for so many batches of frames to have arrived */
        uint64_t head;   /* what it says */
    } credit;
    bool accepted; /* the core owns it */
    bool peer_said_bye;
    bool announced;     /* TC_EP_OPENED was called */
    unsigned pins;      /* blocking calls that stand on it: not freed meanwhile */
    bool end_announced; /* and the callback heard of its end */
    bool end_told;      /* and so did whoever waited for it inside: tci_ep_tell_end */
    bool close_wanted;  /* tc_ep_close from inside an ifunc or a callback */
    tc_ep **previous_next;
    tci_queued **queue_last;
    size_t queue_bytes;
    tci_region *region;
    uint64_t ring_memory;  /* what it takes of the core's */
    uint64_t own_bell;     /* what our bell word says */
    uint64_t awaited;      /* and its position, in this sleep */
    uint64_t message_end;  /* where the last frame ends that a delivery carried for a user */
    uint64_t flush_target; /* the position that a flush waits for; 0: none */
    uint64_t nonce;
    tci_link *link;
    tci_stream *stream;  /* NULL: hellos go by active message */
    uint16_t connection; /* ours, in messages to us */
    uint16_t peer_connection;
    bool hello_sent;
    bool ready_sent;
    bool peer_ready;
    uint64_t deadline_ns;       /* of the handshake */
    uint64_t peer_pid;          /* 0: not on this host */
    unsigned peer_target;       /* number of peer_triple, see archive_layout.h */
    uint32_t peer_dictionaries; /* bit i: the peer has the one of index i here */
    tci_incoming_code incoming;
    tci_assembly assembly;
    struct tci_landing *landing;   /* NULL until a payload wants one */
    tci_segment landed;            /* the peer's, where its payloads land */
    struct tci_outbound *outbound; /* NULL until a payload goes outside the ring */
    struct tci_inbound *inbound;   /* NULL until one comes so */
    tc_group *group;               /* that it leads to a member of; NULL: none */
    uint32_t rank;                 /* that member; TC_RANK_NONE */
    bool member_told;              /* the peer knows which member this side is */
    bool unconfirmed;       /* it has not said yet that it is the member that was expected */
    tci_membership claimed; /* of a group that is not known here (yet); group 0: none */
    uint64_t arrived;       /* barriers that the peer has come to */
    uint64_t retry_ns;      /* when to look for the member again, while there is no stream */
    unsigned refusals;
    tc_error *refusal;
    uint32_t preparing; /* index of the function that tc_ep_prepare waits for */
    tc_error *error;
    void *user;
    char peer_triple[TCI_HELLO_TRIPLE_MAX + 1];
    char peer_cpu[TCI_HELLO_CPU_MAX + 1];
    char peer_library[16];
    char peer_ucx[16];
    char peer_llvm[16];
};

/* In the core's list, with a connection id and nothing else. TC_E_NO_MEMORY, TC_E_TOO_LARGE
 * (65,000 connections). */
TC_MUST_CHECK tc_status tci_ep_create(tci_core *core, bool accepted, tc_ep **ep_out,
                                      tc_error *err);
/* Lets everything go without another word to the peer. */
void tci_ep_free(tc_ep *ep);

/* Ends an endpoint with an error: nothing more is sent or run. The first error stays. */
void tci_ep_fail(tc_ep *ep, const tc_error *error);
/* The same, with a formatted text. Returns status. */
tc_status tci_ep_fail_with(tc_ep *ep, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);
/* Ends it in order. */
void tci_ep_finish(tc_ep *ep);

/* Tells those who counted on an endpoint that has ended: calls, its group, the origins of
 * messages that wait. Calls back users, so from tc_progress. */
void tci_ep_tell_end(tc_ep *ep);

/* TC_OK, or ends an open endpoint whose peer's word on what it has consumed ran wild, which no
 * credit ever heals: TC_E_PEER_LOST. */
tc_status tci_ep_check_credit(tc_ep *ep);

/* Decides anew which payloads may take the fast paths: none unless the endpoint is open,
 * nothing waits in the queue and no payload is being made; and tc_send's only into mapped
 * rings. Called whenever one of these changes. */
void tci_ep_set_fast(tc_ep *ep);

/* Opens it: from now on its ring is looked at. Ends it when there is no memory for that. */
void tci_ep_open(tc_ep *ep);

/* UCX's handler has put frames into the ring. */
void tci_ep_frames_came(tc_ep *ep);
/* The ring of an open endpoint need not be looked at before that. */
void tci_ep_unwatch(tc_ep *ep);

/* The ring's head has moved. */
static inline void tci_ep_watch_head(tc_ep *ep)
{
    if (ep->watched_at == TCI_UNWATCHED)
        return;
    if (ep->peer_delivery == TCI_HELLO_AM && !tci_consumer_has_frame(&ep->rx)) {
        tci_ep_unwatch(ep);
        return;
    }
    tci_watched_ring *watched = &ep->core->watched[ep->watched_at];
    watched->frame = ep->rx.ring + (ep->rx.head & ep->rx.mask);
    watched->signal = ep->rx.signal;
}

/* It sent something since the last tc_progress, which looks at it once more. */
static inline void tci_ep_note_use(tc_ep *ep)
{
    if (ep->turn_used)
        return;
    ep->turn_used = true;
    ep->used_next = ep->core->used;
    ep->core->used = ep;
}

/* Publishes what was consumed, by the way that the peer's delivery needs: at once, or when
 * frames that left before have arrived. */
void tci_ep_give_credit(tc_ep *ep);

/* Whether credit that had to wait may leave now; then the second sends it. */
bool tci_ep_credit_may_leave(const tc_ep *ep);
void tci_ep_give_due_credit(tc_ep *ep);

/* Waits, progressing, for a goodbye that must not overtake frames that have left. Credit that
 * was to wait for them is forgotten: the caller gives it now. */
void tci_ep_let_frames_arrive(tc_ep *ep, uint64_t timeout_ns);

/* Puts gathered calls into the ring. Whatever else is sent comes after them. */
static inline void tci_ep_send_gathered(tc_ep *ep)
{
    tci_producer_commit_calls(&ep->tx, ep->gather, ep->gathered);
    ep->gathered = 0;
}

/* An item that was taken out of the queue. */
void tci_queued_free(tc_ep *ep, tci_queued *item);

/* Something waits for room that tc_progress will send. */
static inline bool tci_ep_has_waiting(const tc_ep *ep)
{
    return ep->queue != NULL || (ep->partial != NULL && ep->partial->queued);
}

static inline bool tci_ep_is_open(const tc_ep *ep)
{
    return ep->state == TCI_EP_OPEN;
}

/* Messages may leave: whoever answers at a member's address has to be that member first. */
static inline bool tci_ep_takes_messages(const tc_ep *ep)
{
    return ep->state == TCI_EP_OPEN && !ep->unconfirmed;
}

#endif
