/* What all endpoints of one context share. A tc_context is a core and the public calls around
 * it. */
#ifndef TCI_CORE_H
#define TCI_CORE_H

#include "base/option_table.h"
#include "delivery/worker.h"
#include "rpc/calls.h"
#include "engine/injector.h"
#include "ifunc/registry.h"
#include "wire/hello.h"

#include <tc/context.h>
#include <tc/group.h>

/* Counters; tc_stats_name gives each its text, in this order. */
typedef enum tci_counter {
    TCI_MESSAGES_RUN, /* of endpoints that are gone; each counts its own */
    TCI_MESSAGES_DROPPED,
    TCI_CODE_RECEIVED,
    TCI_CODE_SENT,
    TCI_CODE_REFUSED,
    TCI_SENDS_QUEUED,
    TCI_CREDITS_SENT,
    TCI_ENDPOINTS_OPENED,
    TCI_ENDPOINTS_FAILED,
    TCI_RINGS_CLOSED, /* for lack of ring memory */
    TCI_CODE_EVICTED, /* to keep to code_memory_max */
    TCI_CODE_IMPROVED,
    TCI_CALLS_STARTED,
    TCI_MESSAGES_FORWARDED,
    TCI_ANSWERS_LATE,   /* that no call waited for any more */
    TCI_ANSWERS_UNSENT, /* whose origin could not be reached */
    TCI_COUNTER_COUNT
} tci_counter;

/* One word, so that tc_progress asks once why it may not just look at rings. */
typedef enum tci_attention {
    TCI_RUNNING =
        1, /* inside an ifunc or a callback of the user's: no progress, nothing blocks */
    TCI_BUILDING = 2, /* inside NAME_payload_init: the same */
    TCI_CHORES = 4,   /* some endpoint, or the core, needs more than that */
    TCI_MESSAGES = 8  /* UCX has to be asked on every turn: am_peers > 0 */
} tci_attention;

/* A hello message that came by active message; handled outside UCX's handler. */
typedef struct tci_inbox_item {
    struct tci_inbox_item *next;
    uint16_t connection;
    size_t size;
    uint8_t bytes[];
} tci_inbox_item;

/* What a look at one open endpoint's ring needs, side by side with all others': so an idle ring
 * costs one line of its own and no more (docs/decisions/idle-peers.md). A ring that UCX's
 * handler fills is here only while it has something: an idle one costs nothing. */
typedef struct tci_watched_ring {
    const uint8_t *frame; /* where the next one will be, and */
    uint64_t signal;      /* what it will say when it is there */
    tc_ep *ep;
} tci_watched_ring;

typedef struct tci_core {
    tci_watched_ring *watched; /* rings of open endpoints, in no order */
    size_t watched_count;
    size_t watched_room;
    tc_ep *used; /* endpoints with turn_used, by used_next */
    struct tc_options options;
    tci_worker *worker;
    tci_registry registry;
    tci_injector *injector; /* NULL until a message brings its own code */
    int epoll_fd;           /* streams, listeners, and */
    int loads_fd;           /* what loader threads say when they have finished */
    tc_ep *first;           /* all endpoints, in no order */
    tc_ep **by_connection;  /* connection id -> endpoint or NULL */
    size_t connection_places;
    uint16_t connection_next; /* ids are given out in turn, so that a late message meets no new
                                 owner */
    unsigned handshakes;      /* endpoints that are not open yet */
    unsigned am_peers;        /* open ones that send or receive with UCX's help */
    unsigned storing_peers;   /* open ones where somebody stores what no message tells of */
    bool starved;             /* a message found no room: its sender may wait for credit */
    unsigned attention;       /* tci_attention bits */
    bool news;    /* something came that is no message, and that a blocking call may wait for */
    bool changed; /* an endpoint opened, closed, failed or wants to be closed */
    void *target_args;
    tc_ep_callback callback;
    void *callback_user;
    tci_inbox_item *inbox;
    tci_inbox_item **inbox_last;
    unsigned inbox_count;
    tci_hello self;             /* this side's hello but for the ring */
    const uint8_t *own_address; /* an ADDRESS message */
    size_t own_address_size;
    bool address_given;   /* peers may greet by active message: somebody was told how */
    uint64_t ring_memory; /* bytes of rings that peers may write */
    void (*load_callback)(void *user, const tc_load_report *report);
    void *load_user;
    tci_calls calls;
    tc_group *groups;
    struct tci_local_answer *answers; /* see rpc/answer.h */
    struct tci_local_answer **answers_last;
    struct tci_published *published; /* see context/node_data.c */
    struct tci_kept_state *states;
    uint64_t counters[TCI_COUNTER_COUNT];
} tci_core;

/* How a function became callable, or got better code (total_ns 0), for the log and for
 * tc_context_set_load_callback. */
void tci_core_report(tci_core *core, const tc_ifunc *fn, uint64_t execution_ns, uint64_t total_ns);

/* Inside code of the user's. */
static inline bool tci_core_is_busy(const tci_core *core)
{
    return (core->attention & (TCI_RUNNING | TCI_BUILDING)) != 0;
}

/* What epoll's data says: a connection id, or with this bit a listener's number, or this. */
#define TCI_WATCH_LISTENER (1ull << 32)
#define TCI_WATCH_LOADS (1ull << 33)

/* Has serve look at a descriptor when it has something to read. TC_E_IO. */
TC_MUST_CHECK tc_status tci_core_watch(tci_core *core, int fd, uint64_t data, tc_error *err);

/* Who is running: what tc_self_endpoint and tc_self_ifunc answer. */
typedef struct tci_current {
    tc_ep *ep;
    tc_ifunc *fn;
    struct tci_visit *visit; /* of a message with a route; NULL */
} tci_current;

/* Of this thread. */
extern _Thread_local tci_current tci_current_call __attribute__((tls_model("initial-exec")));

static inline tci_current *tci_current_get(void)
{
    return &tci_current_call;
}

#endif
