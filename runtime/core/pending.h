/* Pending work: why tc_progress has to do more than look at rings, and why nobody may sleep
 * yet.
 *
 * Each kind of work is a cause, a bit of one word, so tc_progress tests one word. Only the
 * thread that owns the context touches it. Three rules keep a wake-up from being lost
 * (tests/model has them as a model that is searched):
 *
 * 1. The code that makes work adds its cause in the same call, after the work is in its list.
 * 2. Housekeeping takes all causes first and looks at the lists then. What it leaves unfinished
 *    it adds again, so a cause is clear only when its list was seen empty after the clearing.
 * 3. A sleep begins only when none of TCI_WORK_AT_ONCE is set. Each other cause waits for
 *    something that wakes the sleeper; the comment beside it says what. */
#ifndef TCI_PENDING_H
#define TCI_PENDING_H

#include <stdbool.h>

typedef enum tci_cause {
    /* Inside a shipped function or a callback of the program: no progress, nothing blocks. */
    TCI_RUNNING = 1 << 0,
    /* Inside NAME_payload_init: the same. */
    TCI_BUILDING = 1 << 1,
    /* UCX or a connection brings what some peer sends, so every turn looks there. */
    TCI_POLL_UCX = 1 << 2,

    /* Messages wait for credit. A doorbell or a CREDIT message wakes. */
    TCI_WORK_QUEUE = 1 << 3,
    /* Credit, or code that the peer needs, waits for what left before it, or a connection took not
     * all that was sent. UCX wakes when it has let go of that, the connection when it takes more. */
    TCI_WORK_LINK = 1 << 4,
    /* A peer has said BYE; what it sent before is run first. */
    TCI_WORK_GOODBYE = 1 << 5,
    /* An endpoint is connecting. Its stream or UCX wakes; the sleep is a short one. */
    TCI_WORK_HANDSHAKE = 1 << 6,
    /* A hello came by active message. */
    TCI_WORK_HELLO = 1 << 7,
    /* A reply to this context itself waits until no function runs. */
    TCI_WORK_REPLY = 1 << 8,
    /* An endpoint opened, ended, or is to be closed; the program has not been called for it. */
    TCI_WORK_STATE = 1 << 9,
    /* Descriptors and deadlines have to be looked at, whatever the clock says. A sleep looks at
     * the descriptors itself. */
    TCI_WORK_SERVICE = 1 << 10,

    /* A connection holds bytes of its peer's that no descriptor tells of. */
    TCI_WORK_STREAM = 1 << 12,

    /* A ring stands until its peer may have more messages run (core/quota.h). Nobody tells when:
     * the sleep is a short one. */
    TCI_WORK_RATE = 1 << 13,

    /* This is a fork of the context's process: nothing is done here any more. */
    TCI_FORKED = 1 << 11,

    /* A thread of the library's progresses the context, and no other does (context/serving.h). No
     * work: that thread's own turns leave it out. */
    TCI_SERVED = 1 << 14,

    /* Code has come with a message, and may come again: the next turn in which nothing runs gets
     * ahead of it (engine/injector.h). No work: nobody waits for it, and a sleep may begin. */
    TCI_CODE_AHEAD = 1 << 15,

    /* The option check_threads is on: each call says which thread is inside (core/sole_user.h).
     * No work, and set for good: it keeps tc_progress from its shortest way, which pays nothing
     * for the option. tci_pending_causes leaves it out. */
    TCI_CHECKED = 1 << 16
} tci_cause;

#define TCI_BUSY ((unsigned)(TCI_RUNNING | TCI_BUILDING | TCI_FORKED))
#define TCI_WORK_AT_ONCE                                                                       \
    ((unsigned)(TCI_WORK_GOODBYE | TCI_WORK_HELLO | TCI_WORK_REPLY | TCI_WORK_STATE |          \
                TCI_WORK_STREAM))
/* What is somewhere in a list: all work but SERVICE. */
#define TCI_WORK_LISTED                                                                        \
    (TCI_WORK_AT_ONCE |                                                                        \
     (unsigned)(TCI_WORK_QUEUE | TCI_WORK_LINK | TCI_WORK_HANDSHAKE | TCI_WORK_RATE))
#define TCI_WORK (TCI_WORK_LISTED | (unsigned)TCI_WORK_SERVICE)

typedef struct tci_pending {
    unsigned causes;     /* tci_cause bits */
    bool credit_blocked; /* a send found no credit: its sender may sleep until some comes */
    bool room_wanted;    /* by some endpoint: the next tc_wait returns when there is room */
    bool activity;       /* something came that is no message; a blocking call looks again */
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

/* All causes that say something of the context's state. */
static inline unsigned tci_pending_causes(const tci_pending *pending)
{
    return pending->causes & ~(unsigned)TCI_CHECKED;
}

/* Takes some work: the causes that were set, which are clear afterwards. */
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

/* Runs code of the program from here on. Returns what tci_pending_leave wants. */
static inline unsigned tci_pending_enter(tci_pending *pending, tci_cause busy)
{
    unsigned outer = pending->causes & (unsigned)busy;
    pending->causes |= (unsigned)busy;
    return outer;
}

static inline void tci_pending_leave(tci_pending *pending, tci_cause busy, unsigned outer)
{
    pending->causes &= ~(unsigned)busy | outer;
}

/* Has the next tc_wait return, and a blocking call look again. */
static inline void tci_pending_note_event(tci_pending *pending)
{
    pending->event = true;
    pending->activity = true;
}

#endif
