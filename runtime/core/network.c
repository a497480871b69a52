#include "core/network.h"

#include "base/logger.h"
#include "base/module_absent.h"
#include "core/stream_link.h"

/* Returns whether everything has to go over connections. With keys they are protected, so all
 * data of other hosts goes over them. */
static bool wants_stream(const tci_core *core, bool local, const tci_credentials *credentials)
{
    return core->network == NULL || core->options.delivery == TCI_DELIVERY_STREAM ||
           (core->options.delivery == TCI_DELIVERY_AUTO && !local &&
            tci_credentials_has_keys(credentials));
}

/* Returns whether `auto` would have connections do the work of UCX's network. */
static bool prefers_stream(const tci_core *core, const tci_worker *worker)
{
    return core->options.delivery == TCI_DELIVERY_AUTO && worker != NULL &&
           core->network->yields(worker);
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
    if (core->options.network == TCI_NETWORK_NO || wants_stream(core, false, credentials))
        return TC_OK;
    return core->network->open(core, cause, err);
}

tc_status tci_network_prepare(tci_core *core, const tci_credentials *credentials,
                              const char *cause, tc_error *err)
{
    return prefers_stream(core, core->worker) ? TC_OK
                                              : tci_network_open(core, credentials, cause, err);
}

tc_status tci_network_agree(tc_ep *ep, const tci_hello *theirs, tc_error *err)
{
    if (ep->stream == NULL || tci_stream_is_local(ep->stream) || ep->hs.hello_sent ||
        theirs->stream || !theirs->ucx_network || tci_hello_offers_stream(theirs) ||
        tci_hello_compatible(&ep->core->self, theirs, NULL) != TC_OK)
        return TC_OK;
    return tci_network_open(ep->core, tci_stream_credentials(ep->stream),
                            "a peer of another host has no other way", err);
}

void tci_network_describe(tc_ep *ep, tci_hello *hello)
{
    const tci_worker *worker = tci_network_worker(ep);
    hello->stream =
        ep->stream != NULL && (wants_stream(ep->core, tci_stream_is_local(ep->stream),
                                            tci_stream_credentials(ep->stream)) ||
                               is_between_users(ep));
    if (hello->stream || worker == NULL)
        hello->worker_address.size = 0;
    else
        ep->core->network->describe(worker, hello);
    if (ep->stream != NULL && prefers_stream(ep->core, worker))
        hello->ring_address = TCI_HELLO_STREAM_OFFER;
}

static bool needs_stream(tc_ep *ep, const tci_hello *theirs)
{
    tci_hello mine = ep->core->self;
    tci_network_describe(ep, &mine);
    if (ep->stream == NULL || !tci_hello_needs_stream(&mine, theirs))
        return false;
    if (!mine.stream && !theirs->stream &&
        !(tci_hello_offers_stream(&mine) && tci_hello_offers_stream(theirs)))
        TC_LOG(TC_LOG_INFO,
               "endpoint %u: all goes over the connection, since UCX %u.%u.%u here and "
               "%u.%u.%u there have no way in common",
               ep->connection, mine.ucx.major, mine.ucx.minor, mine.ucx.patch,
               theirs->ucx.major, theirs->ucx.minor, theirs->ucx.patch);
    return true;
}

tc_status tci_network_link(tc_ep *ep, const tci_hello *theirs, tc_error *err)
{
    const tci_core *core = ep->core;
    if (needs_stream(ep, theirs))
        return tci_stream_link_open(ep, &ep->link, err);
    if (core->network == NULL)
        return tci_module_absent("a peer without a connection", "ucx", err);
    TC_TRY(tci_hello_compatible(&core->self, theirs, err));
    return core->network->link(tci_network_worker(ep), theirs,
                               tci_hello_same_host(&core->self, theirs), &ep->link, err);
}

tc_status tci_network_region(tc_ep *ep, size_t bytes, tci_region_use use, bool twice,
                             tci_region **region_out, tc_error *err)
{
    tci_worker *worker = tci_network_worker(ep);
    return worker != NULL
               ? ep->core->network->region(worker, bytes, use, twice, region_out, err)
               : tci_region_create(bytes, use, twice, region_out, err);
}

tci_worker *tci_network_worker(tc_ep *ep)
{
    if (ep->worker == NULL)
        ep->worker = ep->core->worker;
    return ep->worker;
}
