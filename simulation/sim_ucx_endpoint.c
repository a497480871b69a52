/* Endpoints: they connect, send as much as their peer takes, fail and end. */
#include "sim_network.h"
#include "sim_ucx.h"
#include "sim_ucx_calls.h"
#include "sim_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_NS 10000u /* until an operation has left, at most */

static void note(const ucp_ep_h ep, const char *what)
{
    tc_sim_note("UCX's endpoint %u to node %" PRIu32 ": %s", (unsigned)ep->base.number,
                ep->way->to_node, what);
}

/* --- connecting -------------------------------------------------------------------------- */

typedef struct target {
    uint64_t worker;
    unsigned host;
    bool network;
} target;

static target read_address(const ucp_address_t *address)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)address;
    target t = {.network = bytes[1] != 0};
    for (unsigned i = 0; i < 8; i++)
        t.worker |= (uint64_t)bytes[8 + i] << (8 * i);
    for (unsigned i = 0; i < 4; i++)
        t.host |= (unsigned)bytes[16 + i] << (8 * i);
    return t;
}

static bool open_way(ucp_ep_h ep, const target *to)
{
    const tc_sim_world *world = ep->base.node->world;
    const ucp_worker_h theirs = sim_ucx_worker_of(world, to->worker);
    ep->way = sim_ucx_way_make(ep);
    if (ep->way == NULL)
        return false;
    ep->way->to = to->worker;
    ep->way->to_host = to->host;
    ep->way->to_node = theirs != NULL ? theirs->base.node->number : UINT32_MAX;
    return true;
}

/* Within a host the peer takes no part. Between hosts it has to progress. */
static bool begin_connecting(ucp_ep_h ep)
{
    sim_ucx_way *way = ep->way;
    if (!ep->tells_end) {
        sim_ucx_signal(way->world, way->to_host, way->from_host, ep->base.number,
                       SIM_UCX_SIGNAL_ACCEPTED, 0);
        return true;
    }
    sim_ucx_news *news = sim_ucx_way_news(way, SIM_UCX_CONNECT, 0);
    if (news != NULL)
        sim_ucx_way_send(way, news);
    return news != NULL;
}

static void free_endpoint(ucp_ep_h ep)
{
    sim_ucx_remove(&ep->base);
    if (ep->way != NULL)
        sim_ucx_way_leave(ep->way);
    free(ep);
}

ucs_status_t __wrap_ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                                  ucp_ep_h *ep_out)
{
    const target to = read_address(params->address);
    const tc_sim_node *node = worker->base.node;
    const bool local = to.host == node->host;
    if (!local && (!to.network || !worker->context->network))
        return UCS_ERR_UNREACHABLE;
    if (local && sim_ucx_worker_of(node->world, to.worker) == NULL)
        return UCS_ERR_SHMEM_SEGMENT;
    ucp_ep_h ep = sim_ucx_allocate(sizeof *ep);
    if (ep == NULL)
        return UCS_ERR_NO_MEMORY;
    ep->worker = worker;
    ep->tells_end = !local;
    ep->failed = UCS_OK;
    if ((params->field_mask & UCP_EP_PARAM_FIELD_ERR_HANDLER) != 0)
        ep->on_failure = params->err_handler;
    sim_ucx_list_init(&ep->queue);
    sim_ucx_list_init(&ep->sent);
    sim_ucx_list_init(&ep->flushes);
    if (!sim_ucx_add(&ep->base, SIM_UCX_ENDPOINT) || !open_way(ep, &to) ||
        !begin_connecting(ep)) {
        free_endpoint(ep);
        return UCS_ERR_NO_MEMORY;
    }
    ep->next = worker->endpoints;
    worker->endpoints = ep;
    note(ep, "begins");
    *ep_out = ep;
    return UCS_OK;
}

void sim_ucx_endpoint_met(ucp_worker_h worker, const sim_ucx_news *news)
{
    const tc_sim_node *node = worker->base.node;
    sim_ucx_signal(node->world, node->host, news->from_host, news->from_ep,
                   SIM_UCX_SIGNAL_ACCEPTED, 0);
}

void sim_ucx_endpoint_parted(ucp_worker_h worker, const sim_ucx_news *news)
{
    for (ucp_ep_h ep = worker->endpoints; ep != NULL; ep = ep->next) {
        if (ep->way->to == news->from)
            sim_ucx_endpoint_fail(ep, UCS_ERR_CONNECTION_RESET);
    }
}

/* --- operations -------------------------------------------------------------------------- */

static bool takes_more(const ucp_ep_h ep, const sim_ucx_request *request)
{
    const size_t window = ep->base.node->world->params.window_bytes;
    return request->operation != SIM_UCX_SEND || ep->under_way == 0 ||
           ep->under_way + request->size <= window;
}

void sim_ucx_endpoint_send(ucp_ep_h ep)
{
    while (ep->connected && ep->failed == UCS_OK && ep->queue.first != NULL &&
           takes_more(ep, ep->queue.first)) {
        sim_ucx_request *request = sim_ucx_list_take(&ep->queue);
        sim_ucx_list_add(&ep->sent, request);
        if (request->operation == SIM_UCX_PUT)
            sim_ucx_put_send(ep, request);
        else
            sim_ucx_message_send(ep, request);
    }
    sim_ucx_endpoint_look(ep);
}

/* An operation that needs its bytes no more may have ended at once. */
ucs_status_ptr_t sim_ucx_endpoint_add(ucp_ep_h ep, sim_ucx_request *request)
{
    request->ep = ep->base.number;
    request->serial = ++ep->serial;
    const uint64_t serial = request->serial;
    sim_ucx_list_add(&ep->queue, request);
    sim_ucx_endpoint_send(ep);
    if (ep->failed != UCS_OK || ep->sent.first == NULL || sim_ucx_draw(2) == 0)
        return request;
    sim_ucx_request *last = ep->sent.first;
    while (last->next != NULL)
        last = last->next;
    if (last->serial != serial || !last->is_copied)
        return request;
    (void)sim_ucx_list_remove(&ep->sent, last);
    free(last);
    return NULL;
}

ucs_status_ptr_t __wrap_ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    if (ep->failed != UCS_OK)
        return UCS_STATUS_PTR(ep->failed);
    if (ep->connected && ep->queue.first == NULL && ep->pieces == NULL && sim_ucx_draw(2) == 0)
        return NULL;
    sim_ucx_request *request = sim_ucx_request_make(ep->worker, SIM_UCX_FLUSH, param);
    if (request == NULL)
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    request->ep = ep->base.number;
    request->serial = ep->serial;
    sim_ucx_list_add(&ep->flushes, request);
    sim_ucx_endpoint_look(ep);
    return request;
}

/* Returns whether all that was queued before a flush has left, and all puts have arrived. */
static bool is_flushed(const ucp_ep_h ep, const sim_ucx_request *flush)
{
    return ep->connected &&
           (ep->queue.first == NULL || ep->queue.first->serial > flush->serial) &&
           !sim_ucx_put_is_under_way(ep, flush->serial);
}

void sim_ucx_endpoint_look(ucp_ep_h ep)
{
    for (sim_ucx_request *flush = ep->flushes.first, *next; flush != NULL; flush = next) {
        next = flush->next;
        if (!is_flushed(ep, flush))
            continue;
        (void)sim_ucx_list_remove(&ep->flushes, flush);
        sim_ucx_request_end(flush, UCS_OK);
    }
}

static void end_sent(ucp_ep_h ep, uint64_t serial)
{
    sim_ucx_request *request = ep->sent.first;
    while (request != NULL && request->serial != serial)
        request = request->next;
    if (request == NULL)
        return;
    (void)sim_ucx_list_remove(&ep->sent, request);
    sim_ucx_request_end(request, UCS_OK);
}

void sim_ucx_endpoint_check(const tc_sim_world *world, uint64_t number, uint64_t serial)
{
    const ucp_ep_h ep = sim_ucx_endpoint_of(world, number);
    const sim_ucx_request *request = ep != NULL ? ep->sent.first : NULL;
    while (request != NULL && request->serial != serial)
        request = request->next;
    if (request != NULL && request->sum != sim_ucx_sum(request))
        sim_world_stop(ep->base.node->world, TC_E_INVALID,
                       "node %u changed the bytes of a send that was under way",
                       ep->base.node->number);
}

void sim_ucx_endpoint_take(ucp_ep_h ep, sim_ucx_signal_kind kind, uint64_t value)
{
    switch (kind) {
    case SIM_UCX_SIGNAL_LOST:
        sim_ucx_endpoint_fail(ep, (ucs_status_t) - (int64_t)value);
        return;
    case SIM_UCX_SIGNAL_ENDED:
        end_sent(ep, value);
        return;
    case SIM_UCX_SIGNAL_ACCEPTED:
        ep->connected = true;
        note(ep, "is connected");
        break;
    case SIM_UCX_SIGNAL_TAKEN:
        ep->under_way -= value;
        break;
    }
    sim_ucx_endpoint_look(ep);
    if (ep->queue.first != NULL) {
        ep->worker->may_send = true;
        sim_ucx_worker_wake(ep->worker);
    }
}

/* --- ends -------------------------------------------------------------------------------- */

static void end_all(sim_ucx_list *list, sim_ucx_list *ends, ucs_status_t status)
{
    sim_ucx_request *request;
    while ((request = sim_ucx_list_take(list)) != NULL) {
        request->result = status;
        sim_ucx_list_add(ends, request);
    }
}

/* Takes out those that the worker's progress would end. */
static void take_ending(ucp_ep_h ep, sim_ucx_list *ends)
{
    for (sim_ucx_request *request = ep->worker->ending.first, *next; request != NULL;
         request = next) {
        next = request->next;
        if (request->ep == ep->base.number) {
            (void)sim_ucx_list_remove(&ep->worker->ending, request);
            sim_ucx_list_add(ends, request);
        }
    }
}

static void end_operations(ucp_ep_h ep, sim_ucx_list *ends, ucs_status_t status)
{
    sim_ucx_put_forget(ep);
    end_all(&ep->sent, ends, status);
    end_all(&ep->queue, ends, status);
    end_all(&ep->flushes, ends, status);
}

void sim_ucx_endpoint_fail(ucp_ep_h ep, ucs_status_t status)
{
    if (ep->failed != UCS_OK)
        return;
    ep->failed = status;
    note(ep, __wrap_ucs_status_string(status));
    end_operations(ep, &ep->worker->ending, status);
    sim_ucx_news *news = sim_ucx_way_news(ep->way, SIM_UCX_FAILED, 0);
    if (news == NULL)
        sim_world_stop(ep->way->world, TC_E_NO_MEMORY, "simulation: no memory for an end");
    else
        sim_ucx_worker_tell(ep->worker, news);
}

void sim_ucx_endpoint_report(ucp_worker_h worker, const sim_ucx_news *news)
{
    const ucp_ep_h ep = sim_ucx_endpoint_of(worker->base.node->world, news->from_ep);
    if (ep != NULL && ep->on_failure.cb != NULL)
        ep->on_failure.cb(ep->on_failure.arg, ep, ep->failed);
}

void sim_ucx_endpoint_part(ucp_ep_h ep)
{
    sim_ucx_put_forget(ep);
    sim_ucx_remove(&ep->base);
    sim_ucx_way_leave(ep->way);
    ep->way = NULL;
}

void sim_ucx_endpoint_destroy(ucp_ep_h ep)
{
    ucp_worker_h worker = ep->worker;
    ucp_ep_h *link = &worker->endpoints;
    while (*link != ep)
        link = &(*link)->next;
    *link = ep->next;
    note(ep, "is closed");
    sim_ucx_endpoint_part(ep);
    free(ep);
}

/* Closes by force, as the library does: operations are canceled, and their callbacks run here
 * or in the worker's progress. */
ucs_status_ptr_t __wrap_ucp_ep_close_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    ucp_worker_h worker = ep->worker;
    sim_ucx_list ends;
    sim_ucx_request *close = NULL;
    if ((param->op_attr_mask & UCP_OP_ATTR_FIELD_FLAGS) == 0 ||
        (param->flags & UCP_EP_CLOSE_FLAG_FORCE) == 0)
        return UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED);
    sim_ucx_list_init(&ends);
    take_ending(ep, &ends);
    end_operations(ep, &ends, UCS_ERR_CANCELED);
    sim_ucx_endpoint_destroy(ep);
    if (sim_ucx_draw(2) == 0)
        close = sim_ucx_request_make(worker, SIM_UCX_CLOSE, param);
    for (sim_ucx_request *request; (request = sim_ucx_list_take(&ends)) != NULL;) {
        if (close != NULL)
            sim_ucx_request_end(request, request->result);
        else
            sim_ucx_request_finish(request);
    }
    if (close != NULL)
        sim_ucx_request_end(close, UCS_OK);
    return close;
}

ucs_status_t __wrap_ucp_ep_query(ucp_ep_h ep, ucp_ep_attr_t *attr)
{
    (void)ep;
    (void)attr;
    return UCS_ERR_UNSUPPORTED; /* the library asks for lanes alone: sim_ucx_module.c */
}
