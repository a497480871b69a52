/* Puts: an adapter writes the peer's memory in pieces, in any order, and confirms each. Within
 * a host the memory is mapped, and small puts are stores. */
#include "sim_memory.h"
#include "sim_network.h"
#include "sim_trace.h"
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <string.h>

#define PIECES_MAX 4u
#define SPREAD_NS 20000u   /* pieces arrive at most so much later than they may */
#define MAPPED_BYTES 4435u /* from so many bytes on newer versions have the kernel copy */
#define SHORT_BYTES 2048u
#define RETRY_NS 200000000ull

/* It belongs to the world, and is in its endpoint's list until it is confirmed. */
typedef struct sim_ucx_piece {
    struct sim_ucx_piece *next;
    tc_sim_world *world;
    uint64_t ep, serial, fence;
    uint64_t memory, offset, held_ns;
    unsigned from_host, to_host;
    bool has_landed, is_lost; /* lost: no event has it any more */
    size_t size;
    uint8_t bytes[];
} sim_ucx_piece;

/* --- arrival ----------------------------------------------------------------------------- */

/* Returns the endpoint of a piece; NULL: it has gone, and its pieces arrive no more. */
static ucp_ep_h endpoint_of(const sim_ucx_piece *piece)
{
    ucp_ep_h ep =
        piece->world->ucx != NULL ? sim_ucx_endpoint_of(piece->world, piece->ep) : NULL;
    const sim_ucx_piece *p = ep != NULL ? ep->pieces : NULL;
    while (p != NULL && p != piece)
        p = p->next;
    return p != NULL ? ep : NULL;
}

static void drop(ucp_ep_h ep, sim_ucx_piece *piece)
{
    sim_ucx_piece **link = &ep->pieces;
    while (*link != piece)
        link = &(*link)->next;
    *link = piece->next;
    sim_memory_real_resize(piece, 0);
}

static void end_put(ucp_ep_h ep, uint64_t serial)
{
    sim_ucx_request *request = ep->sent.first;
    while (request != NULL && request->serial != serial)
        request = request->next;
    if (request != NULL && --request->pieces == 0)
        sim_ucx_endpoint_take(ep, SIM_UCX_SIGNAL_ENDED, serial);
}

static void confirm(void *subject, uint64_t argument)
{
    sim_ucx_piece *piece = subject;
    ucp_ep_h ep = endpoint_of(piece);
    (void)argument;
    if (ep == NULL) {
        sim_memory_real_resize(piece, 0);
        return;
    }
    if (sim_network_is_cut(piece->world, piece->to_host, piece->from_host)) {
        sim_world_after(piece->world, RETRY_NS, confirm, piece, 0);
        return;
    }
    const uint64_t serial = piece->serial;
    drop(ep, piece);
    end_put(ep, serial);
    sim_ucx_endpoint_look(ep);
}

/* Returns whether a fence keeps a piece behind another one. */
static bool is_held(const ucp_ep_h ep, const sim_ucx_piece *piece)
{
    const sim_ucx_piece *p = ep->pieces;
    while (p != NULL && (p->has_landed || p->fence >= piece->fence))
        p = p->next;
    return p != NULL;
}

static bool write_memory(tc_sim_world *world, uint64_t number, uint64_t offset,
                         const uint8_t *bytes, size_t size)
{
    const ucp_mem_h memory = sim_ucx_memory_of(world, number);
    if (memory == NULL)
        return false;
    const uint64_t at = offset - (uintptr_t)memory->bytes;
    if (at > memory->size || size > memory->size - at)
        sim_world_stop(world, TC_E_INVALID, "a put of %zu bytes beyond the memory of node %u",
                       size, memory->base.node->number);
    else
        memcpy(memory->bytes + at, bytes, size);
    return true;
}

static void land(void *subject, uint64_t argument)
{
    sim_ucx_piece *piece = subject;
    ucp_ep_h ep = endpoint_of(piece);
    (void)argument;
    if (ep == NULL) {
        sim_memory_real_resize(piece, 0);
        return;
    }
    const bool cut = sim_network_is_cut(piece->world, piece->from_host, piece->to_host);
    if (cut || is_held(ep, piece)) {
        piece->held_ns = sim_ucx_longer(piece->held_ns);
        sim_world_after(piece->world, cut ? RETRY_NS : piece->held_ns, land, piece, 0);
        return;
    }
    piece->has_landed = true;
    sim_ucx_endpoint_check(piece->world, piece->ep, piece->serial);
    sim_trace_event(piece->world, SIM_TRACE_ARRIVES,
                    sim_trace_pair(ep->way->from_node, ep->way->to_node),
                    sim_trace_size(SIM_TRACE_BYTES, piece->size));
    if (!write_memory(piece->world, piece->memory, piece->offset, piece->bytes, piece->size) &&
        ep->tells_end) {
        sim_ucx_signal(piece->world, piece->to_host, piece->from_host, piece->ep,
                       SIM_UCX_SIGNAL_LOST, (uint64_t)-UCS_ERR_ENDPOINT_TIMEOUT);
        piece->is_lost = true; /* it stays unconfirmed until that has arrived */
        return;
    }
    sim_world_after(piece->world,
                    sim_network_delay(piece->world, piece->to_host, piece->from_host), confirm,
                    piece, 0);
}

/* --- sending ----------------------------------------------------------------------------- */

static bool send_piece(ucp_ep_h ep, const sim_ucx_request *request, size_t from, size_t to)
{
    tc_sim_world *world = ep->way->world;
    sim_ucx_piece *piece = sim_memory_real_resize(NULL, sizeof *piece + to - from);
    if (piece == NULL)
        return false;
    *piece = (sim_ucx_piece){.next = ep->pieces,
                             .world = world,
                             .ep = ep->base.number,
                             .serial = request->serial,
                             .fence = request->fence,
                             .memory = request->memory,
                             .offset = request->offset + from,
                             .from_host = ep->way->from_host,
                             .to_host = ep->way->to_host,
                             .size = to - from};
    memcpy(piece->bytes, request->bytes + from, to - from);
    ep->pieces = piece;
    sim_world_after(world,
                    request->size / world->params.bytes_per_us * 1000 +
                        sim_network_delay(world, piece->from_host, piece->to_host) +
                        sim_ucx_draw(SPREAD_NS),
                    land, piece, 0);
    return true;
}

void sim_ucx_put_send(ucp_ep_h ep, sim_ucx_request *request)
{
    const uint64_t count = 1 + sim_ucx_draw(PIECES_MAX);
    size_t from = 0;
    request->sum = sim_ucx_sum(request);
    request->is_copied = request->size <= SHORT_BYTES;
    while (from < request->size) {
        const size_t left = request->size - from;
        const size_t size = request->pieces + 1 == count ? left : 1 + sim_ucx_draw(left);
        if (!send_piece(ep, request, from, from + size)) {
            sim_world_stop(ep->way->world, TC_E_NO_MEMORY, "simulation: no memory for a put");
            return;
        }
        request->pieces++;
        from += size;
    }
}

bool sim_ucx_put_is_ahead(const tc_sim_world *world, uint64_t ep, uint64_t serial)
{
    const ucp_ep_h sender = sim_ucx_endpoint_of(world, ep);
    const sim_ucx_piece *piece = sender != NULL ? sender->pieces : NULL;
    while (piece != NULL && (piece->has_landed || piece->serial > serial))
        piece = piece->next;
    return piece != NULL;
}

bool sim_ucx_put_is_under_way(const ucp_ep_h ep, uint64_t serial)
{
    const sim_ucx_piece *piece = ep->pieces;
    while (piece != NULL && piece->serial > serial)
        piece = piece->next;
    return piece != NULL;
}

/* Their events free them, but for those that wait for an endpoint's failure. */
void sim_ucx_put_forget(ucp_ep_h ep)
{
    while (ep->pieces != NULL) {
        sim_ucx_piece *piece = ep->pieces;
        ep->pieces = piece->next;
        if (piece->is_lost)
            sim_memory_real_resize(piece, 0);
    }
}

ucs_status_ptr_t __wrap_ucp_put_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                    uint64_t address, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    tc_sim_world *world = ep->base.node->world;
    if (ep->failed != UCS_OK)
        return UCS_STATUS_PTR(ep->failed);
    if (!ep->tells_end && (world->ucx->minor < 16 || count < MAPPED_BYTES)) {
        (void)write_memory(world, sim_ucx_key_memory(rkey), address, buffer, count);
        return NULL;
    }
    if (count == 0)
        return NULL;
    sim_ucx_request *request = sim_ucx_request_make(ep->worker, SIM_UCX_PUT, param);
    if (request == NULL)
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    request->bytes = buffer;
    request->size = count;
    request->memory = sim_ucx_key_memory(rkey);
    request->offset = address;
    request->fence = ep->worker->fences;
    return sim_ucx_endpoint_add(ep, request);
}
