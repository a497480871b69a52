/* An endpoint, in parts. Each part belongs to the modules that the table "Parts of an endpoint"
 * in docs/architecture.md names.
 *
 * Life: made (by a call or an accepted stream), connecting (hellos are exchanged), open, then
 * closed or failed. Its owner frees it: the program for endpoints that tc_ep_connect* made, the
 * context for accepted ones and those of groups. */
#ifndef TCI_EP_H
#define TCI_EP_H

#include "base/error_text.h"
#include "base/logger.h"
#include "bootstrap/stream.h"
#include "core/core.h"
#include "core/peer.h"
#include "core/receiver.h"
#include "core/sender.h"
#include "wire/route.h"

#include <tc/endpoint.h>

typedef enum tci_ep_state {
    TCI_EP_CONNECTING,     /* the stream is not connected yet */
    TCI_EP_AWAITING_HELLO, /* the peer's HELLO is awaited */
    TCI_EP_AWAITING_READY, /* both READYs are awaited: ours waits for UCX to connect the link */
    TCI_EP_OPEN,
    TCI_EP_CLOSED, /* in order */
    TCI_EP_FAILED
} tci_ep_state;

/* endpoint/handshake.h */
typedef struct tci_handshake {
    const struct tci_handshake_ops *ops; /* core/handshake_ops.h; NULL: not begun */
    bool watched;                        /* the stream is, from when it is connected */
    bool hello_sent, ready_sent, peer_ready;
    uint64_t deadline_ns;
    uint64_t stalls_ns;     /* when an attempt without an answer is given up; 0: not set */
    unsigned redials;       /* attempts that were given up */
    uint64_t nonce;         /* of our ring */
    uint32_t expected_rank; /* of the member that it should reach; TC_RANK_NONE: no group */
} tci_handshake;

/* endpoint/wakeup.h: the value of our own doorbell word while this side sleeps. */
typedef struct tci_wakeup {
    uint64_t doorbell;
    uint64_t awaited; /* the position in the peer's ring that this side sleeps for */
} tci_wakeup;

/* modules/calls/member.h */
typedef struct tci_member_link {
    tc_group *group;           /* of the member that it leads to, or NULL */
    uint32_t rank;             /* of that member, or TC_RANK_NONE */
    bool notified;             /* the peer knows which member this side is */
    tci_membership advertised; /* in a group that is not known here (yet); group 0: unset */
    uint64_t arrived;          /* barriers that the peer has reached */
    uint64_t retry_ns;         /* when to try the member again, while there is no stream */
} tci_member_link;

/* The maker of the endpoint. The program frees its own; the others are freed when they end. */
typedef enum tci_ep_owner {
    TCI_OWNER_PROGRAM, /* tc_ep_connect */
    TCI_OWNER_CONTEXT, /* a peer connected: the program is notified when it is open */
    TCI_OWNER_GROUP    /* tc_group_ep gave it to the program before it opened */
} tci_ep_owner;

/* The owner, the notifications about its end so far, and the conditions for freeing it. */
typedef struct tci_ep_life {
    tci_ep_owner owner;
    bool opened;
    bool ended_notified;    /* the program's callback was called for its end */
    bool ended;             /* tci_ep_events.ended was called */
    uint64_t lost;          /* messages that the peer had not consumed when it ended */
    bool gave_up;           /* it ends, and some of its messages may not have arrived */
    bool close_wanted;      /* tc_ep_close from inside an ifunc or a callback */
    bool closed_here;       /* this side sent its goodbye first */
    uint64_t link_ended_ns; /* when that was first seen; 0: not yet */
    unsigned pins;          /* blocking calls that use it: not freed meanwhile */
    tc_error *error;        /* why it failed; NULL also when there was no memory */
    void *user;             /* tc_ep_set_user */
} tci_ep_life;

struct tc_ep {
    tci_sender tx; /* first: tc_send reads it from its first byte on */

    tci_core *core;
    tc_ep *next; /* in the core's list; bound: CONNECTIONS_MAX */
    tci_ep_state state;
    uint16_t connection;         /* our id of it, in messages to us */
    uint64_t token;              /* carried by such messages; known to the peer only */
    struct tci_account *account; /* of its identity, with quotas: core/limits.h */
    bool unconfirmed; /* the peer has not confirmed yet that it is the expected member */

    tci_receiver rx;
    tci_log_ration log; /* lines that the peer causes */

    tc_ep **previous_next;
    tci_worker *worker; /* of its ring and link; see core/network.h */
    tci_link *link;
    tci_stream *stream; /* NULL: hellos go by active message */
    tci_peer peer;
    tci_handshake hs;
    tci_wakeup wake;
    tci_member_link member;
    tci_ep_life life;
    struct tci_task *tasks; /* functions of its messages that wait: core/tasks_ops.h */
    unsigned task_count;
    struct tci_usage_item *usage; /* core/usage_ops.h; NULL: never counted */
};

static inline bool tci_ep_is_open(const tc_ep *ep)
{
    return ep->state == TCI_EP_OPEN;
}

/* Returns whether it is to be closed when no function runs. */
static inline bool tci_ep_is_leaving(const tc_ep *ep)
{
    return ep->life.close_wanted;
}

/* Returns whether messages may leave: it is open, and the process at a member's address has
 * confirmed that it is that member. */
static inline bool tci_ep_takes_messages(const tc_ep *ep)
{
    return ep->state == TCI_EP_OPEN && !ep->unconfirmed;
}

/* Records that it sent something since the last tc_progress. The next one handles it once
 * more. */
static inline void tci_ep_note_use(tc_ep *ep)
{
    if (ep->tx.used)
        return;
    TCI_INVARIANT(ep_used, ep->core->used != ep);
    ep->tx.used = true;
    ep->tx.used_next = ep->core->used;
    ep->core->used = ep;
}

#endif
