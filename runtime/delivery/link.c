#include "link.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/live_process.h"
#include "base/logger.h"
#include "delivery/worker_private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAIL_BYTES 4096u
#define LOOK_NS 400000000ull

struct tci_link {
    tci_worker *worker;
    ucp_ep_h ucp_ep;
    ucp_rkey_h rkey;
    bool aside; /* frames do not use it */
    tci_am_header peer;
    tci_live_process process;
    tci_link_ends ends;
    uint64_t looked_ns;
    enum { PEER_LIVES, PEER_SEEMS_ENDED, PEER_ENDED } found;
    ucs_status_t failure;
    ucs_status_ptr_t connecting; /* a flush: it ends when the workers are connected. NULL: they
                                    are, or will never be */
    ucs_status_ptr_t flushing;   /* by tci_link_flush_begin; NULL: none, or it has ended */
    tci_link *next_lingering;
};

typedef struct posted_message {
    tci_am_header header;
    uint8_t bytes[];
} posted_message;

static void on_peer_failure(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    tci_link *link = arg;
    (void)ep;
    TC_LOG(TC_LOG_DEBUG, "link: UCX reports %s", ucs_status_string(status));
    if (link->failure == UCS_OK)
        link->failure = status;
}

/* What a peer should hear about why there is no way: which of the two has no network. */
static const char *way_out(const tci_worker *worker)
{
    switch (worker->network) {
    case TCI_WORKER_NETWORK_NONE:
        return "this side has shared memory alone; its option network=yes gives it UCX's "
               "network";
    case TCI_WORKER_NETWORK_KEPT:
        return "UCX_TLS gives this side no network";
    default:
        return "this side has a network, so that side has none (its option network=yes gives "
               "it "
               "one) or another";
    }
}

static tc_status cannot_open(const tci_worker *worker, ucs_status_t status, tc_error *err)
{
    /* The memory of a process that has ended, or that belongs to another user. */
    if (status == UCS_ERR_SHMEM_SEGMENT)
        status = UCS_ERR_UNREACHABLE;
    if (status != UCS_ERR_UNREACHABLE)
        return tci_ucx_error(err, status, "UCX endpoint");
    return tci_error_set(err, TC_E_UNREACHABLE, "UCX reaches no address of the peer's: %s",
                         way_out(worker));
}

/* UCX is not told how long a peer's bytes are and reads as long as they tell it to; what no check
 * finds must not lead it out of memory. */
static uint8_t *copy_with_tail(const void *bytes, size_t size)
{
    uint8_t *copy = calloc(1, size + TAIL_BYTES);
    if (copy != NULL)
        memcpy(copy, bytes, size);
    return copy;
}

static ucs_status_t create_ep(tci_link *link, const tci_ucx_address *address)
{
    uint8_t *padded = copy_with_tail(address->bytes, address->size);
    if (padded == NULL)
        return UCS_ERR_NO_MEMORY;
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)padded,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = on_peer_failure, .arg = link},
    };
    ucs_status_t status = ucp_ep_create(link->worker->ucp_worker, &params, &link->ucp_ep);
    free(padded);
    return status;
}

tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer, tci_link **link_out,
                        tc_error *err)
{
    const tci_ucx_address own = {worker->address, worker->address_size, getpid()};
    TC_TRY(tci_ucx_address_check(&peer->address, &own, err));
    tci_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "link: out of memory");
    link->worker = worker;
    link->peer.connection = TCI_AM_NO_CONNECTION;
    link->ends =
        (tci_link_ends){worker, peer->address.pid, tci_ucx_address_posix(&peer->address, &own)};
    ucs_status_t status = create_ep(link, &peer->address);
    if (status != UCS_OK) {
        free(link);
        return cannot_open(worker, status, err);
    }
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    link->connecting = ucp_ep_flush_nbx(link->ucp_ep, &plain);
    if (!UCS_PTR_IS_PTR(link->connecting)) {
        link->failure = UCS_PTR_RAW_STATUS(link->connecting);
        link->connecting = NULL;
    }
    link->process = tci_live_process_find(peer->same_host ? peer->address.pid : 0);
    *link_out = link;
    return TC_OK;
}

void tci_link_look_for_peer(tci_link *link, uint64_t now_ns, bool closely)
{
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

static bool is_connecting(tci_link *link)
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

tc_status tci_link_ready(tci_link *link, tc_error *err)
{
    bool wait = !link->aside && is_connecting(link);
    return wait ? TC_E_AGAIN : tci_link_error(link, err);
}

static bool wait_for_request(tci_worker *worker, ucs_status_ptr_t request, uint64_t timeout_ns)
{
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    tci_backoff backoff = {0};
    while (ucp_request_check_status(request) == UCS_INPROGRESS) {
        if (tci_clock_ns() > deadline_ns)
            return false;
        if (ucp_worker_progress(worker->ucp_worker) == 0)
            tci_backoff_pause(&backoff, deadline_ns);
    }
    ucp_request_free(request);
    return true;
}

static void close_now(tci_link *link, uint64_t timeout_ns)
{
    if (link->connecting != NULL)
        ucp_request_free(link->connecting);
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t request = ucp_ep_close_nbx(link->ucp_ep, &param);
    if (UCS_PTR_IS_PTR(request) && !wait_for_request(link->worker, request, timeout_ns)) {
        /* The error handler may still name this link, so its memory stays until the process
         * ends. */
        TC_LOG(TC_LOG_WARN, "link: UCX did not close the endpoint in time; it is abandoned");
        return;
    }
    free(link);
}

static void forget_flush(tci_link *link)
{
    if (link->flushing != NULL)
        ucp_request_free(link->flushing);
    link->flushing = NULL;
}

void tci_link_close(tci_link *link, uint64_t timeout_ns)
{
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
    link->next_lingering = link->worker->lingering;
    link->worker->lingering = link;
}

void tci_link_reap(tci_worker *worker)
{
    tci_link **at = &worker->lingering;
    while (*at != NULL) {
        tci_link *link = *at;
        tci_link_look_for_peer(link, tci_clock_ns(), true);
        if (link->found != PEER_ENDED && is_connecting(link)) {
            at = &link->next_lingering;
            continue;
        }
        *at = link->next_lingering;
        close_now(link, 0);
    }
}

void tci_link_flush_begin(tci_link *link)
{
    const ucp_request_param_t param = {.op_attr_mask = 0};
    forget_flush(link); /* the new one ends later */
    ucs_status_ptr_t request = ucp_ep_flush_nbx(link->ucp_ep, &param);
    link->flushing = UCS_PTR_IS_PTR(request) ? request : NULL;
}

bool tci_link_flush_ended(tci_link *link)
{
    if (link->flushing != NULL && ucp_request_check_status(link->flushing) == UCS_INPROGRESS)
        return false;
    forget_flush(link);
    return true;
}

tc_status tci_link_error(const tci_link *link, tc_error *err)
{
    if (link->failure == UCS_OK)
        return TC_OK;
    if (link->found == PEER_ENDED)
        return tci_error_set(err, TC_E_PEER_LOST, "peer lost: process %d has ended",
                             (int)link->process.pid);
    return tci_error_set(err, TC_E_PEER_LOST, "peer lost: UCX reports %s",
                         ucs_status_string(link->failure));
}

void tci_link_put_aside(tci_link *link)
{
    link->aside = true;
}

_Static_assert(sizeof(tci_am_header) == 12 && sizeof(tci_payload_header) == 28,
               "headers travel as they are");

void tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token)
{
    link->peer.connection = connection;
    memcpy(link->peer.token, &token, sizeof token);
}

static tci_am_header header_for(const tci_link *link, uint16_t place)
{
    tci_am_header header = link->peer;
    header.place = place;
    return header;
}

/* Sends one message without a copy. What does not end at once, `done` hears of with `user`. */
static ucs_status_ptr_t send_message(tci_link *link, tci_am kind, const void *header,
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

tc_status tci_link_post(tci_link *link, tci_am kind, const void *bytes, size_t size,
                        tc_error *err)
{
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

static void finish_send(void *request, ucs_status_t status, void *user)
{
    tci_link_op *op = user;
    (void)status; /* a failed peer is reported once, by the endpoint's error handler */
    op->done(op);
    ucp_request_free(request);
}

static tc_status send_in_place(tci_link *link, tci_am kind, const void *header,
                               size_t header_size, tci_link_op *op, const void *bytes,
                               size_t size, bool *under_way_out)
{
    ucs_status_ptr_t request =
        send_message(link, kind, header, header_size, bytes, size, finish_send, op);
    *under_way_out = UCS_PTR_IS_PTR(request);
    return *under_way_out ? TC_OK : tci_ucx_error(NULL, UCS_PTR_RAW_STATUS(request), "message");
}

tc_status tci_link_send(tci_link *link, tci_am kind, uint16_t place, tci_link_op *op,
                        const void *bytes, size_t size, bool *under_way_out)
{
    op->header = header_for(link, place);
    return send_in_place(link, kind, &op->header, sizeof op->header, op, bytes, size,
                         under_way_out);
}

tc_status tci_link_send_payload(tci_link *link, uint16_t number, tci_payload_header *header,
                                tci_link_op *op, const void *bytes, size_t size,
                                bool *under_way_out)
{
    header->to = header_for(link, number);
    return send_in_place(link, TCI_AM_PAYLOAD, header, sizeof *header, op, bytes, size,
                         under_way_out);
}

tci_link_ends tci_link_ends_of(const tci_link *link)
{
    return link->ends;
}

tc_status tci_link_prepare_puts(tci_link *link, const void *rkey, size_t size, tc_error *err)
{
    uint8_t *padded;
    if (!link->worker->params.puts)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "put: the application's UCX context was made without "
                             "UCP_FEATURE_RMA");
    if ((padded = copy_with_tail(rkey, size)) == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "put: out of memory");
    ucs_status_t status = ucp_ep_rkey_unpack(link->ucp_ep, padded, &link->rkey);
    free(padded);
    if (status == UCS_OK)
        return TC_OK;
    return tci_error_set(err, TC_E_UNSUPPORTED, "put: UCX cannot use the peer's rkey: %s",
                         ucs_status_string(status));
}

void *tci_link_mapped_here(const tci_link *link, uint64_t address)
{
    void *here = NULL;
    ucs_status_t status = ucp_rkey_ptr(link->rkey, address, &here);
    return status == UCS_OK ? here : NULL;
}

/* Nothing else tells of an operation that UCX refuses to start, and what it carried is lost. */
static tc_status refused(tci_link *link, ucs_status_t status, const char *what)
{
    if (link->failure == UCS_OK)
        link->failure = status;
    return tci_ucx_error(NULL, status, what);
}

tc_status tci_link_put(tci_link *link, uint64_t address, tci_link_op *op, const void *bytes,
                       size_t size, bool *under_way_out)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = finish_send},
        .user_data = op,
    };
    ucs_status_ptr_t request =
        ucp_put_nbx(link->ucp_ep, bytes, size, address, link->rkey, &param);
    *under_way_out = UCS_PTR_IS_PTR(request);
    return UCS_PTR_IS_ERR(request) ? refused(link, UCS_PTR_STATUS(request), "put") : TC_OK;
}

tc_status tci_link_fence(tci_link *link)
{
    ucs_status_t status = ucp_worker_fence(link->worker->ucp_worker);
    return status == UCS_OK ? TC_OK : refused(link, status, "fence");
}

static void finish_flush(void *request, ucs_status_t status, void *user)
{
    tci_link_op *op = user;
    tci_link *link = op->link;
    if (link->failure == UCS_OK)
        link->failure = status;
    op->failed = link->failure != UCS_OK;
    op->done(op);
    ucp_request_free(request);
}

tc_status tci_link_flush_puts(tci_link *link, tci_link_op *op, bool *under_way_out)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = finish_flush},
        .user_data = op,
    };
    op->link = link;
    ucs_status_ptr_t request = ucp_ep_flush_nbx(link->ucp_ep, &param);
    *under_way_out = UCS_PTR_IS_PTR(request);
    return UCS_PTR_IS_ERR(request) ? refused(link, UCS_PTR_STATUS(request), "flush") : TC_OK;
}
