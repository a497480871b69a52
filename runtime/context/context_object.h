/* A context: the core of its progress, and the state of each layer above it. */
#ifndef TCI_CONTEXT_OBJECT_H
#define TCI_CONTEXT_OBJECT_H

#include "base/fork_guard.h"
#include "base/hand_lock.h"
#include "core/ep.h"

#include <tc/advanced.h>

/* The operations of a listener, for housekeeping: a program without listeners does not need
 * that code (context/listener.h). */
typedef struct tci_listener_ops {
    /* Accepts the peers that wait. */
    void (*serve)(tc_listener *listener);
    /* Watches it again after it has rested. */
    void (*wake)(tc_listener *listener);
} tci_listener_ops;

struct tc_listener {
    const tci_listener_ops *ops;
    tc_context *ctx;
    tci_stream_listener *streams;
    tc_connection_callback taker; /* of its connections; NULL: they are served here */
    void *taker_user;
    uint32_t number;
    uint64_t rests_until_ns; /* it could not accept; 0: it is watched */
    bool has_failed;         /* since it last accepted a connection: logged once */
    tc_listener *next;       /* bound: RLIMIT_NOFILE */
};

/* Hello messages that came by active message; they are handled outside UCX's handler, because
 * they make endpoints. */
typedef struct tci_inbox {
    struct tci_inbox_item *first;
    struct tci_inbox_item **last;
    unsigned count;
    void (*handle)(tc_context *ctx); /* all of them: context/arrivals.h */
} tci_inbox;

/* Threads that use the context while another thread serves it: context/guests.h. */
typedef struct tci_guests {
    const struct tci_guests_ops *ops; /* NULL: without the module serving */
    tci_hand_lock lock;
    bool forked; /* this is a fork, where the lock has no meaning */
    /* The rest belongs to the holder of the lock. */
    pthread_t thread; /* the serving one; joined by the thread that stops it */
    bool runs;        /* false: it is to end */
    uintptr_t server; /* its tci_thread_id_mark, once it has begun */
    int wake_fd;      /* ends its sleep; -1 before the first thread */
    bool asleep;      /* it has released the lock to sleep */
    bool visited;     /* another thread has held the lock since */
    uint64_t sleeps_until_ns;
    struct tci_guest *first; /* waiting threads */
} tci_guests;

struct tc_ucx_objects;

struct tc_context {
    tci_core core;
    tci_fork_guard guard; /* a fork leaves it to the parent */
    tci_inbox inbox;
    bool address_given; /* peers may connect by active message alone */
    int loads_fd;       /* loader threads write to it when they have finished */
    int wake_fd;        /* tc_wake writes to it */
    tc_ep_callback callback;
    void *callback_user;
    bool events_ended;               /* the callback was taken away, as the context ends */
    tc_interrupt_callback interrupt; /* NULL: blocking calls end by themselves */
    void *interrupt_user;
    struct tci_published *published; /* see node_data.c */
    struct tci_kept_state *states;
    tc_listener *listeners;
    uint32_t listener_numbers;
    unsigned listeners_resting;
    int countdown; /* calls of tc_progress until the next housekeeping */
    uint64_t serviced_ns;
    uint64_t idle_since_ns; /* 0: not idle; for tci_wait_idle */
    unsigned yields;
    unsigned yields_saved; /* yields left out before a sleep, as sleeps are long */
    size_t spoke_last;     /* index of the ring with the last frame; approximate: they move */
    bool shares_cpu;       /* others ran during the last yield */
    unsigned yields_well;  /* made since one took too long */
    unsigned yield_rest;   /* in multiples of the last long yield */
    uint64_t yields_again_ns; /* when that rest ends */
    uint64_t nap_ns;
    int wait_fd;      /* epoll set of all wakeup sources, for others to wait on */
    bool armed;       /* the doorbells mark this side as asleep */
    bool can_be_rung; /* the machine has the barrier that doorbells need */
    tci_guests guests;
    unsigned published_count, state_count;
};

/* Creates a context on UCX objects of the application (<tc/ucx.h>), or of the library's own:
 * NULL. Statuses of tc_context_create. */
TC_MUST_CHECK tc_status tci_context_create(const tc_options *opts,
                                           const struct tc_ucx_objects *ucx,
                                           tc_context **ctx_out, tc_error *err);

#endif
