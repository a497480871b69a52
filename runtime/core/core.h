/* The core of a context's progress: the state that all its endpoints share.
 *
 * Layers above keep their own state elsewhere. The core has a pointer for each layer, followed
 * by its owner only, and one table of events by which endpoints notify those layers. */
#ifndef TCI_CORE_H
#define TCI_CORE_H

#include "base/counter_list.h"
#include "base/landing.h"
#include "base/logger.h"
#include "base/option_table.h"
#include "bootstrap/credentials.h"
#include "core/awaited_frame.h"
#include "core/pending.h"
#include "delivery/link_am.h"
#include "engine/injector.h"
#include "ifunc/registry.h"
#include "wire/hello.h"

#include <tc/context.h>
#include <tc/group.h>

/* The fields needed to poll one open endpoint's ring, in one array with those of all others: so
 * an idle ring costs one cache line of its own and no more (docs/decisions/idle-peers.md). A
 * ring that UCX's handler fills is listed only while it holds frames: an idle one costs
 * nothing. */
typedef struct tci_watched_ring {
    const uint8_t *frame; /* address of the next frame */
    uint64_t signal;      /* its sequence word once it has arrived */
    tc_ep *ep;
} tci_watched_ring;

/* Modules that watch batches. */
#define TCI_WATCHED_BY_LIMITS 1u
#define TCI_WATCHED_BY_USAGE 2u

struct tci_queued;
typedef struct tci_worker tci_worker;

/* Notifications from endpoints to the layers above. Set once, by the context; all are called
 * outside UCX's handlers. */
typedef struct tci_ep_events {
    /* The endpoint is open from now on. */
    void (*opened)(tc_ep *ep);
    /* The endpoint has failed, was closed, or is about to be freed: called once. */
    void (*ended)(tc_ep *ep, const tc_error *error);
    /* The endpoint is being freed, and nothing more arrives for it. Frees the state that those
     * layers keep in it. */
    void (*freed)(tc_ep *ep);
    /* The endpoint belongs to a group, and its stream reached no peer (or does not exist yet):
     * try again. */
    void (*retry)(tc_ep *ep, uint64_t now_ns);
    /* A queued message will never leave. */
    void (*unsent)(tc_ep *ep, const struct tci_queued *item, tc_status status);
} tci_ep_events;

/* The number of peers that send much by UCX's shared memory: modules/ucx/ucx_share.h. */
typedef struct tci_shares {
    uint64_t round;
    uint64_t begun_ns;
    unsigned seen;    /* in this round */
    unsigned senders; /* in this round and earlier ones, with decreasing weight */
} tci_shares;

typedef struct tci_core {
    /* Members in the order in which tc_progress touches them. */
    tci_awaited_frame awaited;
    tci_watched_ring *watched; /* rings of open endpoints, in no order */
    size_t watched_count;
    size_t watched_capacity;
    tc_ep *used; /* endpoints that sent since the last tc_progress, by tx.used_next */
    tci_pending pending;
    void *target_args;
    tci_worker *worker; /* core/network_ops.h; NULL: there is no network beside connections */
    unsigned (*progress_worker)(tci_worker *worker);
    tci_registry registry;

    struct tc_options options;
    tci_credentials credentials;   /* of listeners and of connecting streams */
    tci_injector *injector;        /* NULL until a message brings its own code */
    int epoll_fd;                  /* streams and listeners */
    struct tci_record_in *streams; /* of open endpoints that receive records: record_in.h */
    unsigned stream_count;
    struct tci_stream_spares *spares; /* their empty buffers: bootstrap/stream_buffer.h */
    tc_ep *first;                     /* all endpoints, in no order */
    tc_ep **by_connection;            /* connection id -> endpoint or NULL */
    size_t connection_capacity;
    /* Ids are assigned in rotation, so that a late message does not reach a new owner. */
    uint16_t connection_next;
    unsigned handshakes; /* endpoints that are not open yet */
    unsigned am_peers;   /* open ones that send or receive by messages: UCX's, or records */
    unsigned ucx_peers;  /* those of them whose messages are UCX's */
    tci_shares shares;
    unsigned storing_peers; /* open ones with stores that no message announces */
    tci_log_ration log;     /* lines that unauthenticated peers cause */
    uint64_t ring_memory;   /* bytes of rings that peers may write */
    uint64_t copy_memory;   /* bytes of copies of peers' rings, which this side fills */
    tci_hello self;         /* this side's hello without the ring */
    uint8_t *own_address;   /* an ADDRESS message; NULL: there is no network */
    size_t own_address_size;
    void (*load_callback)(void *user, const tc_load_report *report);
    void *load_user;
    uint64_t counters[TCI_COUNTER_COUNT];
    struct tci_started *ended_sends; /* transfer/started.h: to be reported, newest first */
    tc_status send_status; /* transfer/send_error.h: the newest failure; TC_OK: not yet */
    tc_error *send_error;  /* its text; NULL: none yet, or there was no memory for it */

    const tci_ep_events *events;
    const struct tci_network_ops *network; /* core/network_ops.h; NULL without that module */
    tc_context *context;                   /* the owner of this core */
    struct tci_calls_head *calls;          /* calls_ops.h; NULL without the module */
    tci_landing copied;  /* dispatch/payload_place.h: unset until a payload has to be moved */
    tci_landing guarded; /* the same for functions that ask for a read-only payload */
    uint8_t batch_watchers;    /* TCI_WATCHED_BY_ bits: batches are limited, timed, counted */
    struct tci_limits *limits; /* core/limits.h; NULL: no option needs that module */
    bool drains; /* it ends: no call of a function that may wait begins (tc_context_drain) */
    bool checks_users;     /* the option check_threads; the rest is of core/sole_user.h: */
    int user;              /* id of the thread that is inside, or 0 */
    const char *user_call; /* the call that it is in, approximately */
    size_t ended_count;    /* of ended_sends */
    struct tci_windows *windows;       /* modules/windows/windows.h; NULL without the module */
    struct tci_tasks_head *tasks;      /* core/tasks_ops.h; NULL without the module */
    const struct tci_usage_ops *usage; /* core/usage_ops.h; NULL: it is off */
} tci_core;

/* Returns whether code of the program is running, or this is a forked child. */
static inline bool tci_core_is_busy(const tci_core *core)
{
    return tci_pending_has(&core->pending, TCI_BUSY);
}

/* Returns whether this is a forked child of the process that made the context. */
static inline bool tci_core_is_forked(const tci_core *core)
{
    return tci_pending_has(&core->pending, TCI_FORKED);
}

/* Returns the endpoint that messages to a connection id are for, or NULL. */
static inline tc_ep *tci_core_find(const tci_core *core, uint64_t connection)
{
    return connection < core->connection_capacity ? core->by_connection[connection] : NULL;
}

/* Assigns the endpoint a connection id. TC_E_NO_MEMORY, TC_E_TOO_LARGE (65,000 connections). */
TC_MUST_CHECK tc_status tci_core_add_connection(tci_core *core, tc_ep *ep, uint16_t *id_out,
                                                tc_error *err);

/* The data of an epoll event: a connection id, or a listener's number with TCI_WATCH_LISTENER,
 * or one of the other bits. */
#define TCI_WATCH_LISTENER (1ull << 32)
#define TCI_WATCH_LOADS (1ull << 33)
#define TCI_WATCH_WAKE (1ull << 34)
#define TCI_WATCH_GUEST (1ull << 35)

/* Adds a descriptor to the epoll set: tc_progress handles it when it is readable. TC_E_IO. */
TC_MUST_CHECK tc_status tci_core_watch(tci_core *core, int fd, uint64_t data, tc_error *err);

/* Removes a descriptor from the epoll set. */
void tci_core_unwatch(tci_core *core, int fd);

/* Changes whether such a descriptor is also watched for being writable. */
void tci_core_watch_room(tci_core *core, int fd, uint64_t data, bool on);

#endif
