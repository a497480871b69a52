#include "baseline_memory.h"

#include <string.h>

#define RKEY_MAX 1024u

typedef struct memory_key {
    uint64_t address;
    uint64_t size;
    unsigned char bytes[RKEY_MAX];
} memory_key;

bool baseline_memory_offer(baseline_memory *memory, baseline_link *link, size_t size)
{
    memory_key key = {0};
    void *packed;
    size_t packed_size = 0;
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = size,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(link->context, &params, &memory->handle);
    if (status == UCS_OK)
        status = ucp_mem_query(memory->handle, &attr);
    if (status == UCS_OK)
        status = ucp_rkey_pack(link->context, memory->handle, &packed, &packed_size);
    if (status != UCS_OK || packed_size > RKEY_MAX)
        return baseline_link_complain(link, "memory", status);
    memory->base = attr.address;
    memset(memory->base, 0, size);
    memcpy(key.bytes, packed, packed_size);
    ucp_rkey_buffer_release(packed);
    key.address = (uintptr_t)memory->base;
    key.size = packed_size;
    return perf_session_send(link->session, &key, sizeof key);
}

bool baseline_memory_take(baseline_memory *memory, baseline_link *link)
{
    memory_key key;
    size_t size;
    if (!perf_session_recv(link->session, &key, sizeof key, &size))
        return false;
    memory->remote = key.address;
    ucs_status_t status = ucp_ep_rkey_unpack(link->peer, key.bytes, &memory->rkey);
    return status == UCS_OK || baseline_link_complain(link, "rkey", status);
}

void baseline_memory_free(baseline_memory *memory, baseline_link *link)
{
    if (memory->rkey != NULL)
        ucp_rkey_destroy(memory->rkey);
    if (memory->handle != NULL)
        (void)ucp_mem_unmap(link->context, memory->handle);
}
