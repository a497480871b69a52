/* Workers: news wait for their progress. */
#include "sim_memory.h"
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MAX_AM_HEADER 1024u
#define ADDRESS_BYTES 40u
#define STEPS_MAX 6u /* that one call of progress does */

/* --- life -------------------------------------------------------------------------------- */

static bool open_event(ucp_worker_h worker, const ucp_worker_params_t *params)
{
    worker->event_number = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->event_number < 0)
        return false;
    worker->event = sim_descriptor_of(worker->event_number);
    if ((params->field_mask & UCP_WORKER_PARAM_FIELD_EVENT_FD) == 0)
        return true;
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = params->user_data}};
    return epoll_ctl(params->event_fd, EPOLL_CTL_ADD, worker->event_number, &event) == 0;
}

static void free_worker(ucp_worker_h worker)
{
    sim_ucx_worker_forget(worker);
    while (worker->handlers != NULL) {
        sim_ucx_handler *handler = worker->handlers;
        worker->handlers = handler->next;
        free(handler);
    }
    if (worker->event_number >= 0)
        (void)close(worker->event_number);
    free(worker);
}

ucs_status_t __wrap_ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
                                      ucp_worker_h *worker_out)
{
    ucp_worker_h worker = sim_ucx_allocate(sizeof *worker);
    if (worker == NULL)
        return UCS_ERR_NO_MEMORY;
    worker->context = context;
    worker->event_number = -1;
    worker->last = &worker->first;
    sim_ucx_list_init(&worker->ending);
    sim_ucx_list_init(&worker->receives);
    if (!sim_ucx_add(&worker->base, SIM_UCX_WORKER) || !open_event(worker, params)) {
        free_worker(worker);
        return UCS_ERR_NO_RESOURCE;
    }
    *worker_out = worker;
    return UCS_OK;
}

/* Peers on other hosts notice the end, also those that this side has no endpoint to. All
 * messages arrive before. */
static void tell_end(const ucp_worker_h worker)
{
    const tc_sim_world *world = worker->base.node->world;
    for (ucp_ep_h ep = worker->endpoints; ep != NULL; ep = ep->next) {
        if (ep->tells_end && ep->failed == UCS_OK)
            sim_ucx_way_end(ep->way, worker->last_arrival_ns);
    }
    for (size_t i = 0; i < world->ucx->count; i++) {
        const ucp_ep_h theirs = sim_ucx_endpoint_of(world, i + 1);
        if (theirs == NULL || theirs->way->to != worker->base.number || !theirs->tells_end)
            continue;
        ucp_ep_h own = worker->endpoints;
        while (own != NULL && (own->failed != UCS_OK || own->way->to != theirs->way->from))
            own = own->next;
        if (own == NULL)
            sim_ucx_signal_end(theirs, worker->last_arrival_ns);
    }
}

void sim_ucx_worker_forget(ucp_worker_h worker)
{
    if (worker->base.number != 0)
        tell_end(worker);
    for (ucp_ep_h ep = worker->endpoints, next; ep != NULL; ep = next) {
        next = ep->next;
        sim_ucx_endpoint_part(ep);
        if (sim_world_node() == worker->base.node)
            free(ep);
    }
    worker->endpoints = NULL;
    sim_ucx_remove(&worker->base);
    while (worker->first != NULL) {
        sim_ucx_news *news = worker->first;
        worker->first = news->next;
        sim_memory_real_resize(news, 0);
    }
    worker->last = &worker->first;
    while (worker->kept != NULL) {
        sim_ucx_news *news = worker->kept;
        worker->kept = news->next;
        sim_memory_real_resize(news, 0);
    }
}

void __wrap_ucp_worker_destroy(ucp_worker_h worker)
{
    free_worker(worker);
}

/* --- address ----------------------------------------------------------------------------- */

/* The first byte is of no version that UCX has, so that the library checks no addresses. */
ucs_status_t __wrap_ucp_worker_get_address(ucp_worker_h worker, ucp_address_t **address_out,
                                           size_t *size_out)
{
    uint8_t *bytes = sim_ucx_allocate(ADDRESS_BYTES);
    if (bytes == NULL)
        return UCS_ERR_NO_MEMORY;
    bytes[0] = 0xff;
    bytes[1] = worker->context->network;
    for (unsigned i = 0; i < 8; i++)
        bytes[8 + i] = (uint8_t)(worker->base.number >> (8 * i));
    for (unsigned i = 0; i < 4; i++)
        bytes[16 + i] = (uint8_t)(worker->base.node->host >> (8 * i));
    *address_out = (ucp_address_t *)(void *)bytes;
    *size_out = ADDRESS_BYTES;
    return UCS_OK;
}

void __wrap_ucp_worker_release_address(ucp_worker_h worker, ucp_address_t *address)
{
    (void)worker;
    free(address);
}

ucs_status_t __wrap_ucp_worker_query(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    if ((attr->field_mask & UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER) != 0)
        attr->max_am_header =
            (worker->context->features & UCP_FEATURE_AM) != 0 ? MAX_AM_HEADER : 0;
    if ((attr->field_mask & UCP_WORKER_ATTR_FIELD_THREAD_MODE) != 0)
        attr->thread_mode = UCS_THREAD_MODE_SERIALIZED;
    if ((attr->field_mask & UCP_WORKER_ATTR_FIELD_ADDRESS) != 0)
        return __wrap_ucp_worker_get_address(worker, &attr->address, &attr->address_length);
    return UCS_OK;
}

/* --- sleeping ---------------------------------------------------------------------------- */

ucs_status_t __wrap_ucp_worker_get_efd(ucp_worker_h worker, int *fd_out)
{
    *fd_out = worker->event_number;
    return UCS_OK;
}

void sim_ucx_worker_wake(ucp_worker_h worker)
{
    const uint64_t one = 1;
    if (!worker->armed)
        return;
    worker->armed = false;
    (void)worker->event->ops->write(worker->event, &one, sizeof one);
}

ucs_status_t __wrap_ucp_worker_arm(ucp_worker_h worker)
{
    uint64_t count;
    if (worker->first != NULL || worker->ending.first != NULL || worker->may_send)
        return UCS_ERR_BUSY;
    (void)worker->event->ops->read(worker->event, &count, sizeof count, 0);
    worker->armed = true;
    return UCS_OK;
}

/* --- progress ---------------------------------------------------------------------------- */

void sim_ucx_worker_tell(ucp_worker_h worker, sim_ucx_news *news)
{
    news->next = NULL;
    *worker->last = news;
    worker->last = &news->next;
    sim_ucx_worker_wake(worker);
}

ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
                                                   const ucp_am_handler_param_t *param)
{
    sim_ucx_handler *handler = worker->handlers;
    while (handler != NULL && handler->id != param->id)
        handler = handler->next;
    if (handler == NULL) {
        handler = sim_ucx_allocate(sizeof *handler);
        if (handler == NULL)
            return UCS_ERR_NO_MEMORY;
        handler->next = worker->handlers;
        handler->id = param->id;
        worker->handlers = handler;
    }
    handler->call = param->cb;
    handler->argument = param->arg;
    return UCS_OK;
}

static void take_news(ucp_worker_h worker)
{
    sim_ucx_news *news = worker->first;
    worker->first = news->next;
    if (worker->first == NULL)
        worker->last = &worker->first;
    switch (news->kind) {
    case SIM_UCX_MESSAGE:
    case SIM_UCX_RENDEZVOUS:
        sim_ucx_message_handle(worker, news);
        return;
    case SIM_UCX_CONNECT:
        sim_ucx_endpoint_met(worker, news);
        break;
    case SIM_UCX_GONE:
        sim_ucx_endpoint_parted(worker, news);
        break;
    case SIM_UCX_FAILED:
        sim_ucx_endpoint_report(worker, news);
        break;
    }
    sim_memory_real_resize(news, 0);
}

static void send_all(ucp_worker_h worker)
{
    worker->may_send = false;
    for (ucp_ep_h ep = worker->endpoints; ep != NULL; ep = ep->next)
        sim_ucx_endpoint_send(ep);
}

/* Handles an operation or news. Returns whether there were any. */
static bool step(ucp_worker_h worker)
{
    const bool ends = worker->ending.first != NULL, has_news = worker->first != NULL;
    if (ends && (!has_news || sim_ucx_draw(2) == 0))
        sim_ucx_request_finish(sim_ucx_list_take(&worker->ending));
    else if (has_news)
        take_news(worker);
    return ends || has_news;
}

unsigned __wrap_ucp_worker_progress(ucp_worker_h worker)
{
    unsigned done = worker->may_send;
    if (worker->progressing) {
        sim_world_stop(worker->base.node->world, TC_E_INVALID,
                       "node %u progresses UCX inside a callback of UCX",
                       worker->base.node->number);
        return 0;
    }
    if (!worker->may_send && worker->first == NULL && worker->ending.first == NULL)
        return 0;
    worker->progressing = true;
    if (worker->may_send)
        send_all(worker);
    for (uint64_t left = 1 + sim_ucx_draw(STEPS_MAX); left > 0 && step(worker); left--)
        done++;
    worker->progressing = false;
    return done;
}

/* Puts behind it arrive behind those before it. */
ucs_status_t __wrap_ucp_worker_fence(ucp_worker_h worker)
{
    worker->fences++;
    return UCS_OK;
}
