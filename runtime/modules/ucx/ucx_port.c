#include "modules/ucx/ucx_port.h"

#include "base/logger.h"
#include "modules/ucx/worker.h"

/* Sets the core's worker, and writes its address. */
static tc_status take_worker(tci_core *core, tci_worker *worker, tc_error *err)
{
    tci_hello_view *address = &core->self.worker_address;
    core->worker = worker;
    core->progress_worker = tci_worker_progress_of(worker);
    address->data = tci_worker_address(worker, &address->size);
    return tci_hello_encode(&core->self, TCI_HELLO_ADDRESS, core->own_address,
                            TCI_HELLO_MESSAGE_MAX, &core->own_address_size, err);
}

/* Logs that the port is open. It is no warning where the program asked for the port. */
static void tell(const tci_core *core, bool asked_for, const char *cause)
{
    bool warn = !asked_for && core->options.network != TCI_NETWORK_YES;
    TC_LOG(warn ? TC_LOG_WARN : TC_LOG_INFO,
           "UCX's network port is open, because %s: any host that reaches it can read "
           "and write this process's memory, so the network has to be trusted; "
           "UCX_NET_DEVICES=NAME keeps it to one, network=yes silences this",
           cause);
}

tc_status tci_ucx_port_start(tci_core *core, const struct tc_ucx_objects *given, int epoll_fd,
                             const tci_am_receiver *receiver, tc_error *err)
{
    const tci_worker_params params = {
        .given = given,
        .network = core->options.network == TCI_NETWORK_YES,
        .puts = core->options.delivery == TCI_DELIVERY_PUT,
        .rdma_puts = core->options.delivery == TCI_DELIVERY_AUTO,
        .epoll_fd = epoll_fd,
        .receiver = *receiver,
    };
    tci_worker *worker;
    TC_TRY(tci_worker_create(&params, &worker, err));
    switch (tci_worker_network(worker)) {
    case TCI_WORKER_NETWORK_SET:
        tell(core, true, "UCX_TLS in the environment names transports that have one");
        break;
    case TCI_WORKER_NETWORK_ADDED:
        tell(core, true, "the option network is yes");
        break;
    case TCI_WORKER_NETWORK_NONE:
    case TCI_WORKER_NETWORK_KEPT:
    case TCI_WORKER_NETWORK_GIVEN: /* the application's business */
        break;
    }
    return take_worker(core, worker, err);
}

void tci_ucx_port_stop(tci_core *core)
{
    if (core->worker != NULL)
        tci_worker_destroy(core->worker);
    core->worker = NULL;
}

static bool worker_is_used(const tci_core *core)
{
    const tc_ep *ep = core->first;
    while (ep != NULL && ep->worker != core->worker)
        ep = ep->next;
    return ep != NULL;
}

tc_status tci_ucx_port_open(tci_core *core, const char *cause, tc_error *err)
{
    tci_worker *worker;
    if (tci_worker_network(core->worker) != TCI_WORKER_NETWORK_NONE)
        return TC_OK;
    TC_TRY(tci_worker_add_network(core->worker, worker_is_used(core), &worker, err));
    tell(core, false, cause);
    return take_worker(core, worker, err);
}

void tci_ucx_port_describe(const tci_worker *worker, tci_hello *hello)
{
    tci_worker_network_state network = tci_worker_network(worker);
    hello->ucx_network =
        network != TCI_WORKER_NETWORK_NONE && network != TCI_WORKER_NETWORK_KEPT;
    hello->ucx_shared_memory = tci_worker_shares_memory(worker);
}
