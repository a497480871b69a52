/* One UCX worker and the active messages that the library uses on it.
 *
 * Handlers are called inside tci_worker_progress; UCX allows no progress from there, so they
 * only copy and record. */
#ifndef TCI_WORKER_H
#define TCI_WORKER_H

#include "delivery/link_am.h"

typedef struct tci_worker tci_worker;
struct tc_ucx_objects;

typedef struct tci_worker_params {
    /* NULL: the worker has a UCX context and worker of its own. Otherwise it uses these, which
     * outlive it; their owner decides on which addresses they listen. */
    const struct tc_ucx_objects *given;
    bool network; /* other hosts can be reached, and any host can reach UCX's port here */
    bool puts;    /* UCX's remote writes, by peers and to them */
    /* The same, if there is a network, an adapter that writes by itself, and a UCX that reports
     * the endpoints that it carries. */
    bool rdma_puts;
    int epoll_fd; /* becomes readable as in tci_worker_arm */
    tci_am_receiver receiver;
} tci_worker_params;

/* The epoll set becomes readable when progress has something to do, after tci_worker_arm
 * returned true. UCX_TLS in the environment, if set, decides about the network instead of the
 * parameter. TC_E_UCX, TC_E_NO_MEMORY, TC_E_IO; TC_E_INVALID, TC_E_UNSUPPORTED: the given
 * objects are unsuitable. */
TC_MUST_CHECK tc_status tci_worker_create(const tci_worker_params *params,
                                          tci_worker **worker_out, tc_error *err);

typedef enum tci_worker_network_state {
    TCI_WORKER_NETWORK_NONE,  /* nothing listens; tci_worker_add_network may help */
    TCI_WORKER_NETWORK_ADDED, /* it has a network, because the caller wanted it */
    TCI_WORKER_NETWORK_SET,   /* it has a network, because UCX_TLS selects one */
    TCI_WORKER_NETWORK_KEPT,  /* it has no network, because UCX_TLS excludes it */
    TCI_WORKER_NETWORK_GIVEN  /* unknown: the UCX context is the application's */
} tci_worker_network_state;
tci_worker_network_state tci_worker_network(const tci_worker *worker);

/* Returns whether the worker reaches peers of this host by shared memory. */
bool tci_worker_shares_memory(const tci_worker *worker);

/* Returns whether its network is slower than a connection, as far as is known: no RDMA adapter
 * is here, and UCX is not the application's. */
bool tci_worker_yields(const tci_worker *worker);

/* Makes a worker with the network, otherwise like `local`. It takes over `local`, which serves
 * the links that it has and is progressed, armed and destroyed with the new one; if `local` is
 * not `used`, it is destroyed at once. On failure `local` stays as it was. Not inside UCX's
 * handlers. */
TC_MUST_CHECK tc_status tci_worker_add_network(tci_worker *local, bool used,
                                               tci_worker **worker_out, tc_error *err);

/* Destroys the worker and the one that it took over. */
void tci_worker_destroy(tci_worker *worker);

/* Returns the number of UCX events; 0 when called from inside a UCX callback. */
unsigned tci_worker_progress(tci_worker *worker);
/* Returns the function that progresses this worker as tci_worker_progress does; the same one as
 * long as the worker lives. */
typedef unsigned (*tci_worker_progressing)(tci_worker *worker);
tci_worker_progressing tci_worker_progress_of(const tci_worker *worker);

/* The worker's UCX address; owned by the worker. */
const void *tci_worker_address(const tci_worker *worker, size_t *size_out);

/* False: it wakes no sleeper (an application's choice), and arming it does nothing. */
bool tci_worker_wakes(const tci_worker *worker);
/* False: there is something to do already. A worker that is `unused`, armed and has not
 * woken a sleeper since stays armed, which saves a system call. */
bool tci_worker_arm(tci_worker *worker, bool unused);
/* Returns whether the data of an epoll event stands for this worker, which then has woken. */
bool tci_worker_is_event(tci_worker *worker, const void *data);

/* Returns the version of the loaded UCX. */
void tci_worker_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out);

#endif
