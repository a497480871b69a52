/* The module `ucx` in a world: a context has it where its options need it, or the world's
 * params want it. The module's questions to the system are answered here, too. */
#include "sim_ucx.h"

#include "base/error_text.h"
#include "base/shared_mappings.h"
#include "core/module.h"
#include "core/network_ops.h"
#include "modules/ucx/ucx_endpoint.h"
#include "modules/ucx/ucx_rdma.h"
#include "modules/ucx/ucx_shared_memory.h"

#include <stdlib.h>
#include <string.h>

extern const tci_module tci_ucx_module;
extern const tci_module tci_sim_ucx_module;

static tc_status attach(tci_core *core, tc_error *err)
{
    tc_sim_node *node = sim_world_node();
    if (node == NULL ||
        (!node->world->params.ucx && tci_network_wanted(&core->options) == NULL))
        return TC_OK;
    if (!sim_ucx_begin(node->world))
        return tci_error_set(err, TC_E_NO_MEMORY, "UCX: out of memory");
    return tci_ucx_module.attach(core, err);
}

static void service(tci_core *core, uint64_t now_ns)
{
    if (core->network != NULL)
        tci_ucx_module.service(core, now_ns);
}

/* 0.0.0 in a world where no context has had UCX. */
static void version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    const tc_sim_node *node = sim_world_node();
    if (node != NULL && node->world->ucx != NULL)
        tci_ucx_module.ucx_version(major_out, minor_out, patch_out);
}

const tci_module tci_sim_ucx_module = {
    .name = "ucx", .attach = attach, .service = service, .ucx_version = version};

/* --- adapters and shared memory ---------------------------------------------------------- */

#define SIM_UCX_OWN(name) __typeof__(name) __wrap_##name, __real_##name;

SIM_UCX_OWN(tci_ucx_rdma_is_here)
SIM_UCX_OWN(tci_ucx_rdma_can_be_told)
SIM_UCX_OWN(tci_ucx_rdma_carries)
SIM_UCX_OWN(tci_ucx_shared_memory_sweep)
SIM_UCX_OWN(tci_ucx_shared_memory_is_usable)
SIM_UCX_OWN(tci_ucx_shared_memory_error)
SIM_UCX_OWN(tci_shared_mappings_list)
SIM_UCX_OWN(tci_shared_mappings_added)
SIM_UCX_OWN(tci_shared_mappings_begin)
SIM_UCX_OWN(tci_shared_mappings_peek)
SIM_UCX_OWN(secure_getenv)

/* Every host has an adapter, which carries puts to other hosts. */
bool __wrap_tci_ucx_rdma_is_here(void)
{
    return true;
}

bool __wrap_tci_ucx_rdma_can_be_told(void)
{
    return true;
}

bool __wrap_tci_ucx_rdma_carries(ucp_ep_h ep)
{
    return ep->tells_end;
}

void __wrap_tci_ucx_shared_memory_sweep(void)
{
}

bool __wrap_tci_ucx_shared_memory_is_usable(void)
{
    return true;
}

tc_status __wrap_tci_ucx_shared_memory_error(tc_error *err, ucs_status_t status)
{
    return tci_ucx_error(err, status, "UCX start");
}

/* Memory of another node is mapped before UCX maps it. */
bool __wrap_tci_shared_mappings_list(tci_shared_mappings *list_out)
{
    if (sim_world_node() == NULL)
        return __real_tci_shared_mappings_list(list_out);
    *list_out = (tci_shared_mappings){0};
    return true;
}

bool __wrap_tci_shared_mappings_added(const tci_shared_mappings *before, uint64_t address,
                                      size_t bytes)
{
    return sim_world_node() != NULL || __real_tci_shared_mappings_added(before, address, bytes);
}

bool __wrap_tci_shared_mappings_begin(const tci_shared_mappings *list, uint64_t address,
                                      size_t bytes)
{
    return sim_world_node() != NULL || __real_tci_shared_mappings_begin(list, address, bytes);
}

bool __wrap_tci_shared_mappings_peek(uint64_t address, void *bytes_out, size_t size)
{
    if (sim_world_node() == NULL)
        return __real_tci_shared_mappings_peek(address, bytes_out, size);
    memcpy(bytes_out, (const void *)(uintptr_t)address, size); // NOLINT: as the process
    return true;
}

/* Nodes have no environment for UCX. */
char *__wrap_secure_getenv(const char *name)
{
    return sim_world_node() != NULL && strncmp(name, "UCX_", 4) == 0
               ? NULL
               : __real_secure_getenv(name);
}
