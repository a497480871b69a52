/* A link over a UCX endpoint. Failures, also the end of the peer's process, are kept in
 * `failure` and reported by error_of. */
#include "modules/ucx/link_ucx.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "modules/ucx/link_ucx_object.h"
#include "modules/ucx/ucx_endpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tci_link_ops ucx_ops;

#define LOOK_NS 400000000ull
/* Over tcp UCX sends this much in one part, its own header included. It assembles larger
 * messages in fresh memory, from which they would have to be copied again. A rendezvous of
 * UCX's is slower there: its request waits behind all data that the sockets hold, and the
 * sender waits for it. And UCX 1.13 continues one after the endpoint was closed by force. */
#define PART_BYTES 64000u

typedef struct posted_message {
    tci_am_header header;
    uint8_t bytes[];
} posted_message;

static void on_peer_failure(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    tci_link_ucx *link = arg;
    (void)ep;
    TC_LOG(TC_LOG_DEBUG, "link: UCX reports %s", ucs_status_string(status));
    if (link->failure == UCS_OK)
        link->failure = status;
}

tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer, tci_link **link_out,
                        tc_error *err)
{
    const tci_ucx_address own = {worker->address, worker->address_size, getpid()};
    TC_TRY(tci_ucx_address_check(&peer->address, &own, err));
    if (worker->lingering_count >= TCI_LINGERING_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "link: %u links of peers that left are still with UCX, expected "
                             "fewer than %u",
                             worker->lingering_count, TCI_LINGERING_MAX);
    tci_link_ucx *link = calloc(1, sizeof *link);
    if (link == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "link: out of memory");
    link->base.ops = &ucx_ops;
    link->worker = worker;
    link->peer.connection = TCI_AM_NO_CONNECTION;
    link->ends =
        (tci_link_ends){worker, peer->address.pid, tci_ucx_address_posix(&peer->address, &own)};
    link->process = tci_live_process_find(peer->same_host ? peer->address.pid : 0);
    const ucp_err_handler_t on_failure = {.cb = on_peer_failure, .arg = link};
    tc_status status = tci_ucx_endpoint_create(worker, &peer->address, &link->process,
                                               &on_failure, &link->ucp_ep, err);
    if (status != TC_OK) {
        free(link);
        return status;
    }
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    link->connecting = ucp_ep_flush_nbx(link->ucp_ep, &plain);
    if (!UCS_PTR_IS_PTR(link->connecting)) {
        link->failure = UCS_PTR_RAW_STATUS(link->connecting);
        link->connecting = NULL;
    }
    *link_out = &link->base;
    return TC_OK;
}

static void look_for_peer(tci_link *base, uint64_t now_ns, bool closely)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    if (link->process.pid == 0 || now_ns - link->looked_ns < LOOK_NS)
        return;
    link->looked_ns = now_ns;
    bool ended = closely ? tci_live_process_has_ended(&link->process)
                         : tci_live_process_is_gone(&link->process);
    if (!ended)
        return;
    link->found = link->found == PEER_LIVES ? PEER_SEEMS_ENDED : PEER_ENDED;
    if (link->found == PEER_ENDED && link->failure == UCS_OK)
        link->failure = UCS_ERR_CONNECTION_RESET;
}

static bool is_connecting(tci_link_ucx *link)
{
    if (link->connecting == NULL)
        return false;
    ucs_status_t status = ucp_request_check_status(link->connecting);
    if (status == UCS_INPROGRESS)
        return true;
    ucp_request_free(link->connecting);
    link->connecting = NULL;
    if (link->failure == UCS_OK)
        link->failure = status;
    return false;
}

static tc_status ucx_ready(tci_link *base, tc_error *err)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    bool wait = !link->aside && is_connecting(link);
    return wait ? TC_E_AGAIN : tci_link_error(base, err);
}

static void begin_close(tci_link_ucx *link)
{
    if (link->connecting != NULL)
        ucp_request_free(link->connecting);
    link->connecting = NULL;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t request = ucp_ep_close_nbx(link->ucp_ep, &param);
    link->closing = UCS_PTR_IS_PTR(request) ? request : NULL;
    link->closes = true;
}

static bool has_closed(tci_link_ucx *link)
{
    if (!link->closes ||
        (link->closing != NULL && ucp_request_check_status(link->closing) == UCS_INPROGRESS))
        return false;
    if (link->closing != NULL)
        ucp_request_free(link->closing);
    link->closing = NULL;
    return true;
}

static void linger(tci_link_ucx *link)
{
    link->next_lingering = link->worker->lingering;
    link->worker->lingering = link;
    link->worker->lingering_count++;
}

/* The error handler may name the link until UCX has closed the endpoint. */
static void close_now(tci_link_ucx *link, uint64_t timeout_ns)
{
    const uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    tci_backoff backoff = {0};
    begin_close(link);
    while (!has_closed(link)) {
        if (tci_clock_ns() > deadline_ns) {
            TC_LOG(TC_LOG_WARN, "link: UCX did not close the endpoint in time");
            linger(link);
            return;
        }
        if (ucp_worker_progress(link->worker->ucp_worker) == 0)
            tci_backoff_pause(&backoff, deadline_ns);
    }
    free(link);
}

static void forget_flush(tci_link_ucx *link)
{
    if (link->flushing != NULL)
        ucp_request_free(link->flushing);
    link->flushing = NULL;
}

static void ucx_close(tci_link *base, uint64_t timeout_ns)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    /* Flushes that end meanwhile start nothing new. */
    if (link->failure == UCS_OK)
        link->failure = UCS_ERR_CANCELED;
    forget_flush(link);
    if (link->rkey != NULL)
        ucp_rkey_destroy(link->rkey);
    if (link->aside || !is_connecting(link)) {
        close_now(link, timeout_ns);
        return;
    }
    linger(link);
}

void tci_link_reap(tci_worker *worker)
{
    tci_link_ucx **at = &worker->lingering;
    while (*at != NULL) {
        tci_link_ucx *link = *at;
        look_for_peer(&link->base, tci_clock_ns(), true);
        if (!link->closes && (link->found == PEER_ENDED || !is_connecting(link)))
            begin_close(link);
        if (!has_closed(link)) {
            at = &link->next_lingering;
            continue;
        }
        *at = link->next_lingering;
        worker->lingering_count--;
        free(link);
    }
}

static void flush_begin(tci_link *base)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    const ucp_request_param_t param = {.op_attr_mask = 0};
    forget_flush(link); /* the new one ends later */
    ucs_status_ptr_t request = ucp_ep_flush_nbx(link->ucp_ep, &param);
    link->flushing = UCS_PTR_IS_PTR(request) ? request : NULL;
}

static bool flush_ended(tci_link *base)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    if (link->flushing != NULL && ucp_request_check_status(link->flushing) == UCS_INPROGRESS)
        return false;
    forget_flush(link);
    return true;
}

static tc_status error_of(const tci_link *base, tc_error *err)
{
    const tci_link_ucx *link = tci_link_ucx_of_const(base);
    if (link->failure == UCS_OK)
        return TC_OK;
    if (link->found == PEER_ENDED)
        return tci_error_set(err, TC_E_PEER_LOST, "peer lost: process %d has ended",
                             (int)link->process.pid);
    return tci_error_set(err, TC_E_PEER_LOST, "peer lost: UCX reports %s",
                         ucs_status_string(link->failure));
}

static void put_aside(tci_link *base)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    link->aside = true;
}

_Static_assert(sizeof(tci_am_header) == 12 && sizeof(tci_payload_header) == 28,
               "headers travel as they are");

static void set_peer(tci_link *base, uint16_t connection, uint64_t token)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    link->peer.connection = connection;
    memcpy(link->peer.token, &token, sizeof token);
}

static tci_am_header header_for(const tci_link_ucx *link, uint16_t position)
{
    tci_am_header header = link->peer;
    header.position = position;
    return header;
}

/* Sends one message without a copy. If it does not end at once, `done` is called with `user`.
 */
static ucs_status_ptr_t send_message(tci_link_ucx *link, tci_am kind, const void *header,
                                     size_t header_size, const void *bytes, size_t size,
                                     ucp_send_nbx_callback_t done, void *user)
{
    const ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = UCP_AM_SEND_FLAG_EAGER,
        .cb = {.send = done},
        .user_data = user,
    };
    return ucp_am_send_nbx(link->ucp_ep, TCI_AM_ID_BASE + (unsigned)kind, header, header_size,
                           bytes, size, &param);
}

static void free_posted(void *request, ucs_status_t status, void *user)
{
    (void)status;
    free(user);
    ucp_request_free(request);
}

static tc_status post(tci_link *base, tci_am kind, const void *bytes, size_t size,
                      tc_error *err)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    posted_message *message = malloc(sizeof *message + size);
    if (message == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "message: out of memory");
    message->header = header_for(link, 0);
    memcpy(message->bytes, bytes, size);
    ucs_status_ptr_t request =
        send_message(link, kind, &message->header, sizeof message->header, message->bytes, size,
                     free_posted, message);
    if (UCS_PTR_IS_PTR(request))
        return TC_OK;
    free(message);
    return tci_ucx_error(err, UCS_PTR_RAW_STATUS(request), "message");
}

void tci_link_finish_send(void *request, ucs_status_t status, void *user)
{
    tci_link_op *op = user;
    (void)status; /* a failed peer is reported once, by the endpoint's error handler */
    op->done(op);
    ucp_request_free(request);
}

/* A send that UCX does not start is reported here alone. Frames are lost by it, and so is the
 * link; senders of other kinds try again, or fail their endpoint. */
static tc_status send_in_place(tci_link_ucx *link, tci_am kind, const void *header,
                               size_t header_size, tci_link_op *op, const void *bytes,
                               size_t size, bool *under_way_out)
{
    ucs_status_ptr_t request =
        send_message(link, kind, header, header_size, bytes, size, tci_link_finish_send, op);
    *under_way_out = UCS_PTR_IS_PTR(request);
    if (UCS_PTR_IS_ERR(request) && kind == TCI_AM_FRAMES && link->failure == UCS_OK)
        link->failure = UCS_PTR_STATUS(request);
    return *under_way_out ? TC_OK : tci_ucx_error(NULL, UCS_PTR_RAW_STATUS(request), "message");
}

static tc_status send_plain(tci_link *base, tci_am kind, uint16_t position, tci_link_op *op,
                            const void *bytes, size_t size, bool *under_way_out)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    op->header = header_for(link, position);
    return send_in_place(link, kind, &op->header, sizeof op->header, op, bytes, size,
                         under_way_out);
}

static tc_status send_payload(tci_link *base, uint16_t number, tci_payload_header *header,
                              tci_link_op *op, const void *bytes, size_t size,
                              bool *under_way_out)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    header->to = header_for(link, number);
    return send_in_place(link, TCI_AM_PAYLOAD, header, sizeof *header, op, bytes, size,
                         under_way_out);
}

static const tci_link_ops ucx_ops = {
    .carries = TCI_LINK_MESSAGES | TCI_LINK_PUTS,
    .lacks = "no connection leads to this peer but UCX's",
    .part_bytes = PART_BYTES,
    .ready = ucx_ready,
    .close = ucx_close,
    .flush_begin = flush_begin,
    .flush_ended = flush_ended,
    .look_for_peer = look_for_peer,
    .error = error_of,
    .put_aside = put_aside,
    .set_peer = set_peer,
    .post = post,
    .send = send_plain,
    .send_payload = send_payload,
};
