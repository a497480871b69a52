/* Active messages: eager ones carry their bytes, those with rendezvous are asked for them. */
#include "sim_memory.h"
#include "sim_network.h"
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <stdlib.h>
#include <string.h>

#define RENDEZVOUS_BYTES 8192u /* from so many bytes on, where the sender allows it */
#define SHORT_BYTES 2048u      /* up to so many a send may end at once */
#define LEAVE_NS 20000u        /* until a send has left, at most */
#define ALIGNMENTS 8u

/* --- sending ----------------------------------------------------------------------------- */

uint64_t sim_ucx_sum(const sim_ucx_request *request)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; request->bytes != NULL && i < request->size; i++)
        sum = (sum ^ request->bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; request->header != NULL && i < request->header_size; i++)
        sum = (sum ^ request->header[i]) * 0x100000001b3u;
    return sum;
}

static void copy(void *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
}

void sim_ucx_message_send(ucp_ep_h ep, sim_ucx_request *request)
{
    sim_ucx_way *way = ep->way;
    const size_t carried = request->is_kept ? 0 : request->size;
    sim_ucx_news *news =
        sim_ucx_way_news(way, request->is_kept ? SIM_UCX_RENDEZVOUS : SIM_UCX_MESSAGE,
                         request->header_size + carried);
    if (news == NULL) {
        sim_world_stop(way->world, TC_E_NO_MEMORY, "simulation: no memory for a message");
        return;
    }
    news->id = request->id;
    news->serial = request->serial;
    news->header_size = request->header_size;
    news->size = request->size;
    copy(news->bytes, request->header, request->header_size);
    copy(news->bytes + request->header_size, request->bytes, carried);
    ep->under_way += request->size;
    request->sum = sim_ucx_sum(request);
    request->is_copied = !request->is_kept && request->size <= SHORT_BYTES;
    sim_ucx_way_send(way, news);
    if (!request->is_kept)
        sim_ucx_signal_after(way->world, sim_ucx_draw(LEAVE_NS), ep->base.number,
                             SIM_UCX_SIGNAL_ENDED, request->serial);
}

ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                        size_t header_size, const void *buffer, size_t count,
                                        const ucp_request_param_t *param)
{
    if (ep->failed != UCS_OK)
        return UCS_STATUS_PTR(ep->failed);
    sim_ucx_request *request = sim_ucx_request_make(ep->worker, SIM_UCX_SEND, param);
    if (request == NULL)
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    const bool is_eager = (param->op_attr_mask & UCP_OP_ATTR_FIELD_FLAGS) != 0 &&
                          (param->flags & UCP_AM_SEND_FLAG_EAGER) != 0;
    request->id = id;
    request->header = header;
    request->header_size = header_size;
    request->bytes = buffer;
    request->size = count;
    request->is_kept = !is_eager && count >= RENDEZVOUS_BYTES;
    return sim_ucx_endpoint_add(ep, request);
}

/* --- receiving --------------------------------------------------------------------------- */

static void answer(ucp_worker_h worker, const sim_ucx_news *news, sim_ucx_signal_kind kind,
                   uint64_t value)
{
    const tc_sim_node *node = worker->base.node;
    sim_ucx_signal(node->world, node->host, news->from_host, news->from_ep, kind, value);
}

/* The bytes are valid during the call alone, and aligned or not. */
static ucs_status_t call_eager(const sim_ucx_handler *handler, const sim_ucx_news *news)
{
    const size_t at = (size_t)sim_ucx_draw(ALIGNMENTS);
    const ucp_am_recv_param_t param = {.recv_attr = 0};
    uint8_t *header = sim_memory_real_resize(NULL, news->header_size + 1);
    uint8_t *bytes = sim_memory_real_resize(NULL, at + news->size + 1);
    ucs_status_t status = UCS_ERR_NO_MEMORY;
    if (header != NULL && bytes != NULL) {
        copy(header, news->bytes, news->header_size);
        copy(bytes + at, news->bytes + news->header_size, news->size);
        status = handler->call(handler->argument, header, news->header_size, bytes + at,
                               news->size, &param);
    }
    sim_memory_real_resize(header, 0);
    sim_memory_real_resize(bytes, 0);
    return status;
}

static void handle_rendezvous(ucp_worker_h worker, const sim_ucx_handler *handler,
                              sim_ucx_news *news)
{
    const ucp_am_recv_param_t param = {.recv_attr = UCP_AM_RECV_ATTR_FLAG_RNDV};
    news->next = worker->kept;
    worker->kept = news;
    (void)handler->call(handler->argument, news->bytes, news->header_size, news, news->size,
                        &param);
    if (!news->is_kept) { /* not wanted */
        worker->kept = news->next;
        answer(worker, news, SIM_UCX_SIGNAL_ENDED, news->serial);
    }
    sim_memory_real_resize(news, 0);
}

void sim_ucx_message_handle(ucp_worker_h worker, sim_ucx_news *news)
{
    const sim_ucx_handler *handler = worker->handlers;
    while (handler != NULL && handler->id != news->id)
        handler = handler->next;
    if (news->size > 0)
        answer(worker, news, SIM_UCX_SIGNAL_TAKEN, news->size);
    if (handler != NULL && news->kind == SIM_UCX_RENDEZVOUS) {
        handle_rendezvous(worker, handler, news);
        return;
    }
    if (handler != NULL)
        (void)call_eager(handler, news);
    sim_memory_real_resize(news, 0);
}

/* --- rendezvous -------------------------------------------------------------------------- */

/* Bytes on their way from a send to a receive, both named by numbers. */
typedef struct fetch {
    tc_sim_world *world;
    uint64_t worker, receive, ep, send;
    unsigned from_host, to_host; /* of the bytes */
    uint8_t *to;
} fetch;

static sim_ucx_request *find(const sim_ucx_list *list, uint64_t serial)
{
    sim_ucx_request *request = list->first;
    while (request != NULL && request->serial != serial)
        request = request->next;
    return request;
}

static void arrive(void *subject, uint64_t argument)
{
    fetch *f = subject;
    (void)argument;
    const bool runs = f->world->ucx != NULL;
    if (runs && sim_network_is_cut(f->world, f->from_host, f->to_host)) {
        sim_world_after(f->world, f->world->params.delay_ns * 1000, arrive, f, 0);
        return;
    }
    ucp_worker_h worker = runs ? sim_ucx_worker_of(f->world, f->worker) : NULL;
    const ucp_ep_h ep = runs ? sim_ucx_endpoint_of(f->world, f->ep) : NULL;
    const sim_ucx_request *send = ep != NULL ? find(&ep->sent, f->send) : NULL;
    sim_ucx_request *receive = worker != NULL ? find(&worker->receives, f->receive) : NULL;
    if (receive != NULL) {
        (void)sim_ucx_list_remove(&worker->receives, receive);
        if (send != NULL)
            copy(f->to, send->bytes, send->size);
        sim_ucx_request_end(receive, send != NULL ? UCS_OK : UCS_ERR_CONNECTION_RESET);
    }
    if (send != NULL)
        sim_ucx_signal(f->world, f->to_host, f->from_host, f->ep, SIM_UCX_SIGNAL_ENDED,
                       f->send);
    sim_memory_real_resize(f, 0);
}

ucs_status_ptr_t __wrap_ucp_am_recv_data_nbx(ucp_worker_h worker, void *data_desc, void *buffer,
                                             size_t count, const ucp_request_param_t *param)
{
    sim_ucx_news *news = data_desc, **link = &worker->kept;
    const tc_sim_node *node = worker->base.node;
    while (*link != news)
        link = &(*link)->next;
    sim_ucx_request *request = sim_ucx_request_make(worker, SIM_UCX_RECEIVE, param);
    fetch *f = request != NULL ? sim_memory_real_resize(NULL, sizeof *f) : NULL;
    if (f == NULL || count < news->size) {
        free(request);
        return UCS_STATUS_PTR(f == NULL ? UCS_ERR_NO_MEMORY : UCS_ERR_MESSAGE_TRUNCATED);
    }
    request->serial = ++worker->receives_made;
    request->size = news->size;
    sim_ucx_list_add(&worker->receives, request);
    *f = (fetch){node->world,  worker->base.number, request->serial, news->from_ep,
                 news->serial, news->from_host,     node->host,      buffer};
    sim_world_after(node->world,
                    sim_network_delay(node->world, node->host, news->from_host) +
                        sim_network_delay(node->world, news->from_host, node->host) +
                        news->size / node->world->params.bytes_per_us * 1000,
                    arrive, f, 0);
    news->is_kept = true; /* its data are the request's now; the handler's caller frees it */
    *link = news->next;
    return request;
}
