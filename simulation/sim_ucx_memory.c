/* Memory that peers may put to, and keys to it. */
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u
#define GARBAGE 0xa5
#define KEY_BYTES 24u
#define KEY_NUMBER 16u /* behind the bytes that the library checks */

struct ucp_rkey {
    uint64_t memory;
};

static bool give_bytes(ucp_mem_h memory, const ucp_mem_map_params_t *params)
{
    memory->size = params->length;
    if ((params->field_mask & UCP_MEM_MAP_PARAM_FIELD_ADDRESS) != 0) {
        memory->bytes = params->address;
        return true;
    }
    memory->size = (params->length + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    memory->bytes = aligned_alloc(PAGE_BYTES, memory->size);
    memory->owned = memory->bytes != NULL;
    if (memory->owned)
        memset(memory->bytes, GARBAGE, memory->size);
    return memory->owned;
}

ucs_status_t __wrap_ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params,
                                ucp_mem_h *memory_out)
{
    (void)context;
    ucp_mem_h memory = sim_ucx_allocate(sizeof *memory);
    if (memory == NULL)
        return UCS_ERR_NO_MEMORY;
    if (!give_bytes(memory, params) || !sim_ucx_add(&memory->base, SIM_UCX_MEMORY)) {
        if (memory->owned)
            free(memory->bytes);
        free(memory);
        return UCS_ERR_NO_MEMORY;
    }
    *memory_out = memory;
    return UCS_OK;
}

ucs_status_t __wrap_ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory)
{
    (void)context;
    sim_ucx_remove(&memory->base);
    if (memory->owned)
        free(memory->bytes);
    free(memory);
    return UCS_OK;
}

ucs_status_t __wrap_ucp_mem_query(const ucp_mem_h memory, ucp_mem_attr_t *attr)
{
    if ((attr->field_mask & UCP_MEM_ATTR_FIELD_ADDRESS) != 0)
        attr->address = memory->bytes;
    if ((attr->field_mask & UCP_MEM_ATTR_FIELD_LENGTH) != 0)
        attr->length = memory->size;
    return UCS_OK;
}

/* --- keys -------------------------------------------------------------------------------- */

/* A key names no file of posix, so the library has nothing to check in it. */
ucs_status_t __wrap_ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void **key_out,
                                  size_t *size_out)
{
    (void)context;
    uint8_t *key = sim_ucx_allocate(KEY_BYTES);
    if (key == NULL)
        return UCS_ERR_NO_MEMORY;
    for (unsigned i = 0; i < 8; i++)
        key[KEY_NUMBER + i] = (uint8_t)(memory->base.number >> (8 * i));
    *key_out = key;
    *size_out = KEY_BYTES;
    return UCS_OK;
}

void __wrap_ucp_rkey_buffer_release(void *key)
{
    free(key);
}

ucs_status_t __wrap_ucp_ep_rkey_unpack(ucp_ep_h ep, const void *bytes, ucp_rkey_h *rkey_out)
{
    const uint8_t *key = bytes;
    uint64_t number = 0;
    for (unsigned i = 0; i < 8; i++)
        number |= (uint64_t)key[KEY_NUMBER + i] << (8 * i);
    if (!ep->tells_end && sim_ucx_memory_of(ep->way->world, number) == NULL)
        return UCS_ERR_SHMEM_SEGMENT;
    ucp_rkey_h rkey = sim_ucx_allocate(sizeof *rkey);
    if (rkey == NULL)
        return UCS_ERR_NO_MEMORY;
    rkey->memory = number;
    *rkey_out = rkey;
    return UCS_OK;
}

uint64_t sim_ucx_key_memory(const ucp_rkey_h rkey)
{
    return rkey->memory;
}

/* Memory of UCX's own is mapped within a host. Here the mapping is the memory itself. */
ucs_status_t __wrap_ucp_rkey_ptr(ucp_rkey_h rkey, uint64_t address, void **here_out)
{
    const tc_sim_node *node = sim_world_node();
    const ucp_mem_h memory = sim_ucx_memory_of(node->world, rkey->memory);
    if (memory == NULL || memory->base.node->host != node->host || !memory->owned)
        return UCS_ERR_UNREACHABLE;
    *here_out = (void *)(uintptr_t)address; // NOLINT: as UCX
    return UCS_OK;
}

void __wrap_ucp_rkey_destroy(ucp_rkey_h rkey)
{
    free(rkey);
}
