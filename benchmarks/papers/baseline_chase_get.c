/* The pointer chase by the client alone: one UCX GET for each entry ("GBPC" of the paper,
 * IV-D). A server only makes progress. */
#include "baseline_chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data that a server sends the client, before the worker's address. */
typedef struct get_window {
    uint64_t address; /* of its entries */
    uint32_t key_size;
    unsigned char key[DAPC_BLOB_MAX / 2];
} get_window;

typedef struct get_state get_state;

typedef struct get_chase {
    get_state *state;
    dapc_step left;
    ucp_request_param_t params;
} get_chase;

struct get_state {
    baseline_chase ucx;
    ucp_mem_h memory;  /* a server's part of the table; the client's buffers */
    uint64_t *entries; /* likewise */
    uint64_t remote[DAPC_SERVERS_MAX];
    ucp_rkey_h keys[DAPC_SERVERS_MAX];
    get_chase chases[DAPC_INFLIGHT_MAX];
};

/* UCX's own memory, which peers on this host can map. */
static bool map_memory(get_state *state, size_t size)
{
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = size,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(state->ucx.context, &params, &state->memory);
    if (status == UCS_OK)
        status = ucp_mem_query(state->memory, &attributes);
    if (status != UCS_OK)
        return baseline_chase_complain(&state->ucx, "ucp_mem_map", status);
    state->entries = attributes.address;
    return true;
}

static bool open_window(get_state *state, dapc_blob *blob)
{
    dapc_series *series = state->ucx.series;
    size_t size = sizeof(uint64_t) << series->shard.place_bits, key_size;
    get_window window = {0};
    void *key;
    if (!map_memory(state, size))
        return false;
    memcpy(state->entries, series->shard.entries, size);
    ucs_status_t status = ucp_rkey_pack(state->ucx.context, state->memory, &key, &key_size);
    if (status != UCS_OK)
        return baseline_chase_complain(&state->ucx, "ucp_rkey_pack", status);
    bool fits = key_size <= sizeof window.key;
    window.address = (uint64_t)(uintptr_t)state->entries;
    window.key_size = (uint32_t)key_size;
    if (fits)
        memcpy(window.key, key, key_size);
    ucp_rkey_buffer_release(key);
    memcpy(blob->bytes, &window, sizeof window);
    blob->size = sizeof window;
    return fits || baseline_chase_complain(&state->ucx, "ucp_rkey_pack", UCS_ERR_EXCEEDS_LIMIT);
}

static void entry_came(void *request, ucs_status_t status, void *user);

static bool open_chases(get_state *state)
{
    if (!map_memory(state, DAPC_INFLIGHT_MAX * sizeof(uint64_t)))
        return false;
    for (unsigned i = 0; i < DAPC_INFLIGHT_MAX; i++) {
        get_chase *chase = &state->chases[i];
        chase->state = state;
        chase->params = (ucp_request_param_t){
            .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                            UCP_OP_ATTR_FIELD_MEMH,
            .cb.send = entry_came,
            .user_data = chase,
            .memh = state->memory,
        };
    }
    return true;
}

static bool open_get(dapc_series *series, dapc_blob *mine_out)
{
    get_state *state = series->state;
    mine_out->size = 0;
    if (!baseline_chase_open(&state->ucx, series, UCP_FEATURE_RMA))
        return false;
    bool is_server = series->rank < series->server_count;
    return (is_server ? open_window(state, mine_out) : open_chases(state)) &&
           baseline_chase_add_address(&state->ucx, mine_out);
}

static bool connect_server(get_state *state, unsigned rank, const dapc_blob *blob)
{
    get_window window;
    memcpy(&window, blob->bytes, sizeof window);
    state->remote[rank] = window.address;
    if (!baseline_chase_connect(&state->ucx, rank, blob, sizeof window))
        return false;
    ucs_status_t status =
        ucp_ep_rkey_unpack(state->ucx.peers[rank], window.key, &state->keys[rank]);
    return status == UCS_OK ||
           baseline_chase_complain(&state->ucx, "ucp_ep_rkey_unpack", status);
}

static bool connect_get(dapc_series *series, const dapc_blob *blobs)
{
    get_state *state = series->state;
    if (series->rank < series->server_count)
        return true;
    for (unsigned i = 0; i < series->server_count; i++) {
        if (!connect_server(state, i, &blobs[i]))
            return false;
    }
    return baseline_chase_flush(&state->ucx);
}

static bool turn_get(dapc_series *series)
{
    get_state *state = series->state;
    baseline_chase_turn(&state->ucx);
    return true;
}

/* Loads until UCX reports that an entry will come later. */
static bool chase_on(get_chase *chase)
{
    get_state *state = chase->state;
    dapc_series *series = state->ucx.series;
    unsigned slot = (unsigned)(chase - state->chases);
    const uint64_t place_mask = ((uint64_t)1 << DAPC_PLACE_BITS) - 1;
    while (chase->left.depth > 0) {
        uint64_t owner = chase->left.address >> DAPC_PLACE_BITS;
        uint64_t place = chase->left.address & place_mask;
        void *request =
            ucp_get_nbx(state->ucx.peers[owner], &state->entries[slot], sizeof(uint64_t),
                        state->remote[owner] + 8 * place, state->keys[owner], &chase->params);
        if (UCS_PTR_IS_ERR(request))
            return baseline_chase_complain(&state->ucx, "ucp_get_nbx", UCS_PTR_STATUS(request));
        if (request != NULL)
            return true;
        chase->left.address = state->entries[slot];
        chase->left.depth--;
    }
    dapc_client_done(series->client, slot, chase->left.address);
    return true;
}

static void entry_came(void *request, ucs_status_t status, void *user)
{
    get_chase *chase = user;
    get_state *state = chase->state;
    ucp_request_free(request);
    if (status != UCS_OK) {
        (void)baseline_chase_complain(&state->ucx, "get", status);
        dapc_client_failed(state->ucx.series->client);
        return;
    }
    chase->left.address = state->entries[chase - state->chases];
    chase->left.depth--;
    if (!chase_on(chase))
        dapc_client_failed(state->ucx.series->client);
}

/* The client fetches every entry from its owner, the first one too. */
static bool start_get(dapc_series *series, unsigned slot, unsigned server,
                      const dapc_step *step)
{
    (void)server;
    get_state *state = series->state;
    state->chases[slot].left = *step;
    return chase_on(&state->chases[slot]);
}

static void close_get(dapc_series *series)
{
    get_state *state = series->state;
    for (unsigned i = 0; i < DAPC_SERVERS_MAX; i++) {
        if (state->keys[i] != NULL)
            ucp_rkey_destroy(state->keys[i]);
    }
    if (state->memory != NULL)
        (void)ucp_mem_unmap(state->ucx.context, state->memory);
    baseline_chase_close(&state->ucx);
}

const dapc_mode dapc_mode_get = {
    .name = "get",
    .state_bytes = sizeof(get_state),
    .open = open_get,
    .connect = connect_get,
    .turn = turn_get,
    .close = close_get,
    .start = start_get,
};
