/* Pending work: the reasons for tc_progress to do more than poll rings, and for a wait not to
 * sleep yet.
 *
 * Each kind of work is a cause, a bit of one word, so tc_progress tests one word. Only the
 * thread that owns the context touches it. Three rules keep a wakeup from being lost
 * (tests/model searches a model of them):
 *
 * 1. The code that makes work adds its cause in the same call, after the work is in its list.
 * 2. Housekeeping takes all causes first and reads the lists then. It adds the causes of
 *    unfinished work again, so a cause is clear only when its list was seen empty after the
 *    clearing.
 * 3. A sleep begins only when no bit of TCI_WORK_AT_ONCE is set. Each other cause waits for an
 *    event that wakes the sleeper; the comment beside it names the event. */
#ifndef TCI_PENDING_H
#define TCI_PENDING_H

#include "base/assertion.h"

#include <stdbool.h>

typedef enum tci_cause {
    /* Inside a shipped function or a callback of the program: no progress, nothing blocks. */
    TCI_RUNNING = 1 << 0,
    /* Inside NAME_payload_init: the same. */
    TCI_BUILDING = 1 << 1,
    /* Data of some peer arrives by UCX or a connection, so every turn polls those. */
    TCI_POLL_UCX = 1 << 2,

    /* Messages wait for credit. A doorbell or a CREDIT message wakes. */
    TCI_WORK_QUEUE = 1 << 3,
    /* Credit, or code that the peer needs, waits for earlier sends to finish, or a connection
     * did not take all data. UCX wakes when it releases those sends, the connection when it
     * takes more. */
    TCI_WORK_LINK = 1 << 4,
    /* A peer has sent BYE; its earlier messages are run first. */
    TCI_WORK_GOODBYE = 1 << 5,
    /* An endpoint is connecting. Its stream or UCX wakes; the sleep is a short one. */
    TCI_WORK_HANDSHAKE = 1 << 6,
    /* A hello came by active message. */
    TCI_WORK_HELLO = 1 << 7,
    /* A reply to this context itself waits until no function runs. */
    TCI_WORK_REPLY = 1 << 8,
    /* An endpoint opened, ended, or is to be closed; the program has not been called for it. */
    TCI_WORK_STATE = 1 << 9,
    /* Descriptors and deadlines have to be checked, whatever the time. A sleep polls the
     * descriptors itself. */
    TCI_WORK_SERVICE = 1 << 10,

    /* A connection holds bytes of its peer that no descriptor reports. */
    TCI_WORK_STREAM = 1 << 12,

    /* A ring is paused until its peer may have more messages run (core/limits.h). No event
     * reports this: the sleep is a short one. */
    TCI_WORK_RATE = 1 << 13,

    /* This is a forked child of the context's process: it does no work for the context. */
    TCI_FORKED = 1 << 11,

    /* A thread of the library progresses the context, and no other does (context/serving.h).
     * Not work: that thread's own turns leave it out. */
    TCI_SERVED = 1 << 14,

    /* Code has come with a message, and may come again: the next turn that runs no message
     * prepares for it (engine/injector.h). Not work: no call waits for it, and a sleep may
     * begin. */
    TCI_CODE_AHEAD = 1 << 15,

    /* Functions that waited can go on (core/tasks_ops.h). Each turn lets them, so this alone is
     * no reason for housekeeping. */
    TCI_WORK_TASKS = 1 << 17,

    /* The option check_threads is on: each call records the thread inside (core/sole_user.h).
     * Not work, and set for good: it keeps tc_progress from its shortest path, which pays
     * nothing for the option. tci_pending_causes leaves it out. */
    TCI_CHECKED = 1 << 16
} tci_cause;

#define TCI_BUSY ((unsigned)(TCI_RUNNING | TCI_BUILDING | TCI_FORKED))
#define TCI_WORK_AT_ONCE                                                                       \
    ((unsigned)(TCI_WORK_GOODBYE | TCI_WORK_HELLO | TCI_WORK_REPLY | TCI_WORK_STATE |          \
                TCI_WORK_STREAM | TCI_WORK_TASKS))
/* Work that is in some list: all work but SERVICE. */
#define TCI_WORK_LISTED                                                                        \
    (TCI_WORK_AT_ONCE |                                                                        \
     (unsigned)(TCI_WORK_QUEUE | TCI_WORK_LINK | TCI_WORK_HANDSHAKE | TCI_WORK_RATE))
#define TCI_WORK (TCI_WORK_LISTED | (unsigned)TCI_WORK_SERVICE)

typedef struct tci_pending {
    unsigned causes;     /* tci_cause bits */
    bool credit_blocked; /* a send found no credit: its sender may sleep until some comes */
    bool space_wanted;   /* by some endpoint: the next tc_wait returns when it has space */
    bool activity;       /* something other than a message came; a blocking call checks again */
    bool event;          /* something ended or opened; the next tc_wait returns at once */
} tci_pending;

static inline void tci_pending_add(tci_pending *pending, tci_cause cause)
{
    pending->causes |= (unsigned)cause;
}

static inline bool tci_pending_has(const tci_pending *pending, unsigned causes)
{
    return (pending->causes & causes) != 0;
}

/* Returns all causes that describe the context's state. */
static inline unsigned tci_pending_causes(const tci_pending *pending)
{
    return pending->causes & ~(unsigned)TCI_CHECKED;
}

/* Takes some work: clears these causes and returns those that were set. */
static inline unsigned tci_pending_take(tci_pending *pending, unsigned causes)
{
    unsigned taken = pending->causes & causes;
    pending->causes &= ~causes;
    return taken;
}

static inline void tci_pending_set(tci_pending *pending, tci_cause cause, bool on)
{
    pending->causes =
        on ? pending->causes | (unsigned)cause : pending->causes & ~(unsigned)cause;
}

/* Marks that code of the program runs from here on. Returns `outer` for tci_pending_leave. */
static inline unsigned tci_pending_enter(tci_pending *pending, tci_cause busy)
{
    unsigned outer = pending->causes & (unsigned)busy;
    TCI_INVARIANT(pending_busy, !tci_pending_has(pending, TCI_FORKED));
    pending->causes |= (unsigned)busy;
    return outer;
}

static inline void tci_pending_leave(tci_pending *pending, tci_cause busy, unsigned outer)
{
    TCI_INVARIANT(pending_busy, tci_pending_has(pending, (unsigned)busy));
    pending->causes &= ~(unsigned)busy | outer;
}

/* Makes the next tc_wait return, and a blocking call check again. */
static inline void tci_pending_note_event(tci_pending *pending)
{
    pending->event = true;
    pending->activity = true;
}

#endif
