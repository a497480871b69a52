/* The socket of the module `ucx` (core/module.h): a network that carries messages and frames to
 * peers beside their connections. Without the module all that does not go by memory that both
 * sides have mapped goes over the endpoint's connection.
 *
 * A worker is the module's object for one context, or for the endpoints that keep an earlier
 * one: a context begins without a network port, and an operation that needs one (`open`) may
 * replace its worker. */
#ifndef TCI_NETWORK_OPS_H
#define TCI_NETWORK_OPS_H

#include "core/ep.h"

struct tc_ucx_objects;

typedef struct tci_network_ops {
    /* Deliveries over this network, ended by NULL: `auto` tries them after those of
     * tci_delivery_table, in this order. */
    const tci_delivery_ops *const *deliveries;
    /* Makes the core's worker, sets core->progress_worker, and writes the core's own address.
     * Statuses of tci_worker_create. */
    tc_status (*start)(tci_core *core, const struct tc_ucx_objects *given, int epoll_fd,
                       const tci_am_receiver *receiver, tc_error *err);
    /* Destroys the core's worker, if it has one. */
    void (*stop)(tci_core *core);
    /* See tci_network_open. */
    tc_status (*open)(tci_core *core, const char *cause, tc_error *err);
    /* Fills in the ways to this worker, in a hello with its address. */
    void (*describe)(const tci_worker *worker, tci_hello *hello);
    /* Returns whether connections are better than its network: no RDMA adapter is here, and the
     * application has not chosen UCX's transports itself. */
    bool (*yields)(const tci_worker *worker);
    /* Opens a link to the peer that `theirs` describes. Never blocks. TC_E_UCX,
     * TC_E_UNREACHABLE, TC_E_NO_MEMORY, TC_E_CORRUPT. */
    tc_status (*link)(tci_worker *worker, const tci_hello *theirs, bool same_host,
                      tci_link **link_out, tc_error *err);
    /* Makes a region that peers may put to. Statuses of tci_ucx_region_create. */
    tc_status (*region)(tci_worker *worker, size_t bytes, tci_region_use use, bool twice,
                        tci_region **region_out, tc_error *err);
    /* Returns the share for credit that is about to leave; called where the peer's messages
     * come by a queue that peers share (tci_delivery_arrival). */
    uint64_t (*share)(tc_ep *ep);
    /* Returns whether the worker wakes a sleeper. */
    bool (*wakes)(const tci_worker *worker);
    /* False: it has work already. `unused`: no endpoint has or awaits a way by it, and
     * is_event is asked after each sleep. */
    bool (*arm)(tci_worker *worker, bool unused);
    /* Returns whether the data of an epoll event stands for this worker. */
    bool (*is_event)(tci_worker *worker, const void *data);
} tci_network_ops;

/* Returns an option that needs the module, or NULL. */
static inline const char *tci_network_wanted(const struct tc_options *o)
{
    return o->delivery == TCI_DELIVERY_AM    ? "option delivery=am"
           : o->delivery == TCI_DELIVERY_PUT ? "option delivery=put"
           : o->network == TCI_NETWORK_YES   ? "option network=yes"
                                             : NULL;
}

/* --- for the files of the layers above: the operations, with or without the module -------- */

/* Makes the core's worker and address. The epoll set `epoll_fd` becomes readable when progress
 * has something to do, after tci_network_arm returned true; `receiver` gets what arrives.
 * `given`: the application's UCX objects, or NULL. */
TC_MUST_CHECK static inline tc_status
tci_network_start(tci_core *core, const struct tc_ucx_objects *given, int epoll_fd,
                  const tci_am_receiver *receiver, tc_error *err)
{
    return core->network != NULL ? core->network->start(core, given, epoll_fd, receiver, err)
                                 : TC_OK;
}

static inline void tci_network_stop(tci_core *core)
{
    if (core->network != NULL)
        core->network->stop(core);
}

/* Returns the number of events. */
static inline unsigned tci_network_progress(tci_core *core)
{
    return core->worker != NULL ? core->progress_worker(core->worker) : 0;
}

static inline const tci_delivery_ops *const *tci_network_deliveries(const tci_core *core)
{
    return core->network != NULL ? core->network->deliveries : NULL;
}

/* Returns false if messages of the network wake no sleeper. */
static inline bool tci_network_wakes(const tci_core *core)
{
    return core->worker == NULL || core->network->wakes(core->worker);
}

/* Returns false if there is something to do already. `asks`: the caller asks
 * tci_network_is_event after its sleep. */
static inline bool tci_network_arm(tci_core *core, bool asks)
{
    bool unused = core->ucx_peers + core->handshakes == 0;
    return core->worker == NULL || core->network->arm(core->worker, asks && unused);
}

static inline bool tci_network_is_event(const tci_core *core, const void *data)
{
    return core->worker != NULL && core->network->is_event(core->worker, data);
}

/* Returns how many messages with frames the endpoint's peer may have under way, for credit that
 * is about to leave. 0: any number. */
static inline uint64_t tci_network_share(tc_ep *ep)
{
    return ep->rx.arrival.queue_is_shared && ep->worker != NULL ? ep->core->network->share(ep)
                                                                : 0;
}

#endif
