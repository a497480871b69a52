#include "core/network.h"

#include "base/logger.h"
#include "core/stream_link.h"
#include "delivery/link_ucx.h"

static tc_status describe(tci_core *core, tc_error *err)
{
    tci_hello_view *address = &core->self.worker_address;
    address->data = tci_worker_address(core->worker, &address->size);
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

tc_status tci_network_init(tci_core *core, tci_worker_params params, tc_error *err)
{
    params.network = core->options.network == TCI_NETWORK_YES;
    params.puts = core->options.delivery == TCI_DELIVERY_PUT;
    params.rdma_puts = core->options.delivery == TCI_DELIVERY_AUTO;
    TC_TRY(tci_worker_create(&params, &core->worker, err));
    switch (tci_worker_network(core->worker)) {
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
    return describe(core, err);
}

static bool worker_is_used(const tci_core *core)
{
    const tc_ep *ep = core->first;
    while (ep != NULL && ep->worker != core->worker)
        ep = ep->next;
    return ep != NULL;
}

/* Returns whether everything has to go over connections. With keys they are protected, so all
 * data of other hosts goes over them. */
static bool wants_stream(const tci_core *core, bool local, const tci_credentials *credentials)
{
    return core->options.delivery == TCI_DELIVERY_STREAM ||
           (core->options.delivery == TCI_DELIVERY_AUTO && !local &&
            tci_credentials_has_keys(credentials));
}

/* UCX's shared memory belongs to one user, and its network is not announced to local peers of
 * other users. */
static bool is_between_users(const tc_ep *ep)
{
    return ep->core->options.delivery == TCI_DELIVERY_AUTO && tci_stream_is_foreign(ep->stream);
}

tc_status tci_network_open(tci_core *core, const tci_credentials *credentials,
                           const char *cause, tc_error *err)
{
    if (core->options.network == TCI_NETWORK_NO || wants_stream(core, false, credentials) ||
        tci_worker_network(core->worker) != TCI_WORKER_NETWORK_NONE)
        return TC_OK;
    TC_TRY(tci_worker_add_network(core->worker, worker_is_used(core), &core->worker, err));
    tell(core, false, cause);
    return describe(core, err);
}

void tci_network_describe(tc_ep *ep, tci_hello *hello)
{
    const tci_worker *worker = tci_network_worker(ep);
    tci_worker_network_state network = tci_worker_network(worker);
    hello->stream =
        ep->stream != NULL && (wants_stream(ep->core, tci_stream_is_local(ep->stream),
                                            tci_stream_credentials(ep->stream)) ||
                               is_between_users(ep));
    hello->ucx_network = !hello->stream && network != TCI_WORKER_NETWORK_NONE &&
                         network != TCI_WORKER_NETWORK_KEPT;
    hello->ucx_shared_memory = !hello->stream && tci_worker_shares_memory(worker);
    if (hello->stream)
        hello->worker_address.size = 0;
}

static bool needs_stream(tc_ep *ep, const tci_hello *theirs)
{
    tci_hello mine = ep->core->self;
    tci_network_describe(ep, &mine);
    if (ep->stream == NULL || !tci_hello_needs_stream(&mine, theirs))
        return false;
    if (!mine.stream && !theirs->stream)
        TC_LOG(TC_LOG_INFO,
               "endpoint %u: everything goes over the connection, since UCX %u.%u.%u here and "
               "%u.%u.%u there have no way in common",
               ep->connection, mine.ucx.major, mine.ucx.minor, mine.ucx.patch,
               theirs->ucx.major, theirs->ucx.minor, theirs->ucx.patch);
    return true;
}

tc_status tci_network_link(tc_ep *ep, const tci_hello *theirs, tc_error *err)
{
    if (needs_stream(ep, theirs))
        return tci_stream_link_open(ep, &ep->link, err);
    TC_TRY(tci_hello_compatible(&ep->core->self, theirs, err));
    const tci_link_peer peer = {
        .address = {theirs->worker_address.data, theirs->worker_address.size,
                    (pid_t)theirs->pid},
        .same_host = tci_hello_same_host(&ep->core->self, theirs),
    };
    return tci_link_open(tci_network_worker(ep), &peer, &ep->link, err);
}

tci_worker *tci_network_worker(tc_ep *ep)
{
    if (ep->worker == NULL)
        ep->worker = ep->core->worker;
    return ep->worker;
}
