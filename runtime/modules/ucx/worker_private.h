/* The members of a worker, shared by the files of this folder. */
#ifndef TCI_WORKER_PRIVATE_H
#define TCI_WORKER_PRIVATE_H

#include "base/logger.h"
#include "modules/ucx/ucx_compat.h"
#include "modules/ucx/worker.h"

#include <tc/ucx.h>

/* Above the low numbers that applications like to use. */
#define TCI_AM_ID_BASE TC_UCX_AM_ID_FIRST
_Static_assert(TCI_AM_COUNT <= TC_UCX_AM_ID_COUNT, "no message takes an application's id");

typedef struct tci_am_binding {
    tci_worker *worker;
    tci_am kind;
} tci_am_binding;

struct tci_worker {
    ucp_context_h ucp_context;
    ucp_worker_h ucp_worker;
    tci_worker_params params; /* epoll_fd: a duplicate; UCX names it as long as there is one */
    bool owns_context;        /* else both are an application's, and stay when this ends */
    bool owns_worker;
    bool special;     /* an application's worker, or one with another beside it */
    bool progressing; /* an application's worker: its callbacks may call us */
    ucp_address_t *address;
    size_t address_size;
    tci_worker_network_state network;
    bool wakes;         /* UCX's events are in the epoll set */
    bool shares_memory; /* the environment does not keep UCX, and so us, from it */
    bool yields;        /* tci_worker_yields */
    bool stays_armed;   /* unused since it was armed, without a wakeup */
    tci_log_ration log; /* lines that unauthenticated peers cause */
    tci_am_binding bindings[TCI_AM_COUNT];
    struct tci_link_ucx *lingering; /* closed before UCX had connected them */
    unsigned lingering_count;
    struct tci_ucx_region *put_regions; /* that peers put to: tci_ucx_region_begins */
    tci_worker *beside;         /* the worker without a network that it took over, or NULL */
    tci_worker *next_abandoned; /* bound: RLIMIT_NOFILE */
};

#endif
