/* The module `ucx`: attaches UCX to a core, by the table of core/network_ops.h. */
#include "core/module.h"
#include "core/network_ops.h"
#include "modules/ucx/link_ucx.h"
#include "modules/ucx/ucx_region.h"
#include "modules/ucx/ucx_share.h"
#include "modules/ucx/worker.h"
#include "modules/ucx/ucx_deliveries.h"
#include "modules/ucx/ucx_port.h"

static tc_status open_link(tci_worker *worker, const tci_hello *theirs, bool same_host,
                           tci_link **link_out, tc_error *err)
{
    const tci_link_peer peer = {
        .address = {theirs->worker_address.data, theirs->worker_address.size,
                    (pid_t)theirs->pid},
        .same_host = same_host,
    };
    return tci_link_open(worker, &peer, link_out, err);
}

static const tci_network_ops table = {
    .deliveries = tci_ucx_deliveries,
    .start = tci_ucx_port_start,
    .stop = tci_ucx_port_stop,
    .open = tci_ucx_port_open,
    .describe = tci_ucx_port_describe,
    .yields = tci_worker_yields,
    .link = open_link,
    .region = tci_ucx_region_create,
    .share = tci_ucx_share_of,
    .wakes = tci_worker_wakes,
    .arm = tci_worker_arm,
    .is_event = tci_worker_is_event,
};

static tc_status attach(tci_core *core, tc_error *err)
{
    return tci_module_take((const void **)&core->network, &table, "ucx", err);
}

const tci_module tci_ucx_module = {.name = "ucx",
                                   .attach = attach,
                                   .service = tci_ucx_share_end_round,
                                   .ucx_version = tci_worker_ucx_version};
