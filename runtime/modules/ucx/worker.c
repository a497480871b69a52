/* Runs one UCX worker, its own or an application's, with handlers for the library's active
 * messages. */
#include "modules/ucx/worker.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "modules/ucx/link_ucx.h"
#include "modules/ucx/ucx_rdma.h"
#include "modules/ucx/ucx_shared_memory.h"
#include "modules/ucx/ucx_transports.h"
#include "modules/ucx/worker_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LINGER_NS 100000000ull

void tci_worker_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    ucp_get_version(major_out, minor_out, patch_out);
}

/* --- PAYLOAD messages -------------------------------------------------------------------- */

/* A PAYLOAD message's bytes go to the endpoint's buffer, by UCX's rendezvous if the sender's
 * UCX has chosen that. */
typedef struct receive {
    tci_sink sink;
    size_t size;
} receive;

static void end_receive(receive *r, ucs_status_t status)
{
    if (status != UCS_OK)
        TC_LOG(TC_LOG_DEBUG, "payload: UCX reports %s", ucs_status_string(status));
    r->sink.done(r->sink.user, r->size, status == UCS_OK);
    free(r);
}

static void on_received(void *request, ucs_status_t status, size_t size, void *user)
{
    (void)size;
    end_receive(user, status);
    ucp_request_free(request);
}

/* A receive that is complete at once has no callback of UCX's. */
static void start_receive(tci_worker *worker, receive *r, void *descriptor)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .cb = {.recv_am = on_received},
        .user_data = r,
    };
    ucs_status_ptr_t request =
        ucp_am_recv_data_nbx(worker->ucp_worker, descriptor, r->sink.to, r->size, &param);
    if (!UCS_PTR_IS_PTR(request))
        end_receive(r, UCS_PTR_RAW_STATUS(request));
}

/* UCX's handler of PAYLOAD messages; arg is a tci_am_binding. */
static ucs_status_t on_payload(void *arg, const void *header, size_t header_size, void *data,
                               size_t size, const ucp_am_recv_param_t *param)
{
    const tci_am_binding *binding = arg;
    tci_worker *worker = binding->worker;
    tci_payload_header parts;
    tci_sink sink;
    if (header_size != sizeof parts) {
        TC_LOG_RATIONED(&worker->log, TC_LOG_WARN, "payload: header of %zu bytes, expected %zu",
                        header_size, sizeof parts);
        return UCS_OK;
    }
    memcpy(&parts, header, sizeof parts);
    if (!worker->params.receiver.payload_handler(worker->params.receiver.user, &parts, size,
                                                 &sink))
        return UCS_OK; /* UCX drops it and notifies the sender's UCX */
    if (!(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        memcpy(sink.to, data, size);
        sink.done(sink.user, size, true);
        return UCS_OK;
    }
    receive *r = malloc(sizeof *r);
    if (r == NULL) {
        sink.done(sink.user, size, false);
        return UCS_OK;
    }
    *r = (receive){.sink = sink, .size = size};
    start_receive(worker, r, data);
    return UCS_INPROGRESS;
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_size, void *data,
                               size_t size, const ucp_am_recv_param_t *param)
{
    const tci_am_binding *binding = arg;
    tci_am_header parts;
    if (header_size != sizeof parts || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        TC_LOG_RATIONED(&binding->worker->log, TC_LOG_WARN,
                        "message %d: header of %zu bytes, expected %zu and no rendezvous",
                        (int)binding->kind, header_size, sizeof parts);
        return UCS_OK;
    }
    memcpy(&parts, header, sizeof parts);
    const tci_am_receiver *to = &binding->worker->params.receiver;
    to->handler(to->user, binding->kind, &parts, data, size);
    return UCS_OK;
}

/* UCX's transports go into the caller's epoll set: one descriptor less between arriving data
 * and a sleeper. */
static ucs_status_t open_worker(tci_worker *worker)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED,
        .event_fd = worker->params.epoll_fd,
        .user_data = worker,
    };
    if (worker->ucp_worker != NULL)
        return UCS_OK;
    if (worker->wakes)
        params.field_mask |= UCP_WORKER_PARAM_FIELD_EVENT_FD | UCP_WORKER_PARAM_FIELD_USER_DATA;
    worker->owns_worker = true;
    return ucp_worker_create(worker->ucp_context, &params, &worker->ucp_worker);
}

/* Takes a message for a context that has gone. UCX keeps the data that it received of it until
 * this returns, and notifies the sender of a rendezvous that it is not wanted. */
static ucs_status_t on_late(void *arg, const void *header, size_t header_size, void *data,
                            size_t size, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header;
    (void)header_size;
    (void)data;
    (void)size;
    (void)param;
    return UCS_OK;
}

static ucs_status_t set_handler(tci_worker *worker, tci_am kind,
                                ucp_am_recv_callback_t callback, void *arg)
{
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
        .id = TCI_AM_ID_BASE + (unsigned)kind,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = callback,
        .arg = arg,
    };
    return ucp_worker_set_am_recv_handler(worker->ucp_worker, &handler);
}

static ucs_status_t set_handlers(tci_worker *worker)
{
    ucs_status_t status = UCS_OK;
    for (tci_am kind = 0; kind < TCI_AM_COUNT && status == UCS_OK; kind++) {
        worker->bindings[kind] = (tci_am_binding){.worker = worker, .kind = kind};
        status = set_handler(worker, kind, kind == TCI_AM_PAYLOAD ? on_payload : on_message,
                             &worker->bindings[kind]);
    }
    return status;
}

/* Peers may continue to send to an application's worker until they are notified of the end. UCX
 * warns of a message without a handler, so a handler that needs nothing of this worker stays.
 */
static void leave_handlers(tci_worker *worker)
{
    for (tci_am kind = 0; kind < TCI_AM_COUNT; kind++)
        (void)set_handler(worker, kind, on_late, NULL);
}

/* Adds an application's worker to the epoll set. An application that waits by its own means may
 * have left out UCX's events. */
static bool join_events(tci_worker *worker)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = worker}};
    int fd;
    return ucp_worker_get_efd(worker->ucp_worker, &fd) == UCS_OK &&
           epoll_ctl(worker->params.epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static ucs_status_t start(tci_worker *worker)
{
    ucs_status_t status = UCS_OK;
    /* Without posix it would reach no peer. */
    if (worker->network == TCI_WORKER_NETWORK_NONE && !tci_ucx_shared_memory_is_usable())
        return UCS_ERR_NO_RESOURCE;
    if (worker->owns_context)
        status = tci_ucx_transports_open(&worker->params, &worker->ucp_context);
    if (status == UCS_OK)
        status = open_worker(worker);
    if (status == UCS_OK)
        status = set_handlers(worker);
    if (status != UCS_OK)
        return status;
    if (worker->wakes && !worker->owns_worker)
        worker->wakes = join_events(worker);
    return ucp_worker_get_address(worker->ucp_worker, &worker->address, &worker->address_size);
}

/* Checks the application's objects. UCX cannot be asked for a context's features, but a worker
 * without active messages takes no header. */
static tc_status check_given(const tc_ucx_objects *given, tc_error *err)
{
    ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER};
    if (given->context == NULL)
        return tci_error_set(err, TC_E_INVALID, "UCX objects: no ucp_context_h");
    if ((given->features & UCP_FEATURE_AM) == 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "UCX objects: the context has features 0x%llx, expected "
                             "UCP_FEATURE_AM (0x%x) among them",
                             (unsigned long long)given->features, (unsigned)UCP_FEATURE_AM);
    if (given->worker == NULL)
        return TC_OK;
    if (ucp_worker_query(given->worker, &attr) != UCS_OK ||
        attr.max_am_header < sizeof(tci_payload_header))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "UCX objects: the worker takes active messages with headers of "
                             "%zu bytes, expected %zu at least: is UCP_FEATURE_AM among its "
                             "context's features?",
                             attr.max_am_header, sizeof(tci_payload_header));
    return TC_OK;
}

static tci_worker_network_state network_state(const tci_worker_params *params)
{
    if (params->given != NULL)
        return TCI_WORKER_NETWORK_GIVEN;
    if (tci_ucx_transports_are_set())
        return tci_ucx_transports_set_network() ? TCI_WORKER_NETWORK_SET
                                                : TCI_WORKER_NETWORK_KEPT;
    return params->network ? TCI_WORKER_NETWORK_ADDED : TCI_WORKER_NETWORK_NONE;
}

static bool has_rdma_puts(const tci_worker *worker)
{
    return worker->params.rdma_puts && tci_ucx_rdma_can_be_told() && tci_ucx_rdma_is_here() &&
           (worker->network == TCI_WORKER_NETWORK_ADDED ||
            worker->network == TCI_WORKER_NETWORK_SET);
}

static tci_worker *make_worker(const tci_worker_params *params)
{
    const tc_ucx_objects *given = params->given;
    tci_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->params = *params;
    worker->params.given = NULL; /* only its contents outlive this call */
    worker->wakes = given == NULL || (given->features & UCP_FEATURE_WAKEUP) != 0;
    worker->shares_memory = tci_ucx_transports_share_memory();
    worker->owns_context = given == NULL;
    worker->yields = given == NULL && !tci_ucx_rdma_is_here();
    worker->network = network_state(params);
    worker->params.puts |= has_rdma_puts(worker);
    if (given != NULL) {
        worker->params.puts = (given->features & UCP_FEATURE_RMA) != 0;
        worker->ucp_context = given->context;
        worker->ucp_worker = given->worker;
    }
    return worker;
}

tc_status tci_worker_create(const tci_worker_params *params, tci_worker **worker_out,
                            tc_error *err)
{
    if (params->given != NULL)
        TC_TRY(check_given(params->given, err));
    tci_worker *worker = make_worker(params);
    if (worker == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "worker: out of memory");
    worker->params.epoll_fd = fcntl(params->epoll_fd, F_DUPFD_CLOEXEC, 0);
    if (worker->params.epoll_fd < 0) {
        tci_worker_destroy(worker);
        return tci_error_errno(err, TC_E_IO, errno, "worker: no descriptor");
    }
    ucs_status_t status = start(worker);
    worker->special = !worker->owns_worker;
    if (status != UCS_OK) {
        bool by_shared_memory = worker->owns_context && worker->shares_memory;
        tci_worker_destroy(worker);
        return by_shared_memory ? tci_ucx_shared_memory_error(err, status)
                                : tci_ucx_error(err, status, "UCX start");
    }
    *worker_out = worker;
    return TC_OK;
}

tci_worker_network_state tci_worker_network(const tci_worker *worker)
{
    return worker->network;
}

bool tci_worker_shares_memory(const tci_worker *worker)
{
    return worker->shares_memory;
}

bool tci_worker_yields(const tci_worker *worker)
{
    return worker->yields;
}

tc_status tci_worker_add_network(tci_worker *local, bool used, tci_worker **worker_out,
                                 tc_error *err)
{
    tci_worker_params params = local->params;
    tci_worker *worker;
    params.network = true;
    TC_TRY(tci_worker_create(&params, &worker, err));
    if (used || local->lingering != NULL) {
        worker->beside = local;
        worker->special = true;
    } else {
        tci_worker_destroy(local);
    }
    *worker_out = worker;
    return TC_OK;
}

/* Waits at most LINGER_NS for endpoints that may not be ended yet, because ending the worker
 * ends them, and returns whether some are left. The rest of such a worker stays, reachable for
 * leak checkers, until the process ends. */
static bool must_be_abandoned(tci_worker *worker)
{
    static _Atomic(tci_worker *) abandoned;
    uint64_t deadline_ns = tci_deadline_after(LINGER_NS);
    tci_backoff backoff = {0};
    while (worker->lingering != NULL && tci_clock_ns() < deadline_ns) {
        if (tci_worker_progress(worker) == 0)
            tci_backoff_pause(&backoff, deadline_ns);
    }
    if (worker->lingering == NULL)
        return false;
    TC_LOG(TC_LOG_INFO, "worker: a peer never finished connecting; UCX keeps its memory");
    worker->next_abandoned = atomic_load(&abandoned);
    while (!atomic_compare_exchange_weak(&abandoned, &worker->next_abandoned, worker))
        ;
    return true;
}

void tci_worker_destroy(tci_worker *worker)
{
    if (worker->beside != NULL)
        tci_worker_destroy(worker->beside);
    worker->beside = NULL;
    bool abandoned = must_be_abandoned(worker);
    if (worker->ucp_worker != NULL && !worker->owns_worker)
        leave_handlers(worker);
    if (abandoned)
        return;
    if (worker->address != NULL)
        ucp_worker_release_address(worker->ucp_worker, worker->address);
    if (worker->ucp_worker != NULL && worker->owns_worker)
        ucp_worker_destroy(worker->ucp_worker);
    if (worker->ucp_context != NULL && worker->owns_context)
        ucp_cleanup(worker->ucp_context);
    if (worker->params.epoll_fd >= 0)
        close(worker->params.epoll_fd);
    free(worker);
}

static unsigned progress_ucx(tci_worker *worker)
{
    unsigned events = ucp_worker_progress(worker->ucp_worker);
    if (__builtin_expect(worker->lingering != NULL, 0))
        tci_link_reap(worker);
    return events;
}

/* UCX takes no progress from inside its callbacks; some of an application's may try. */
static unsigned progress_special(tci_worker *worker)
{
    if (worker->progressing) {
        TC_LOG(TC_LOG_ERROR, "progress was asked for from inside a UCX callback");
        return 0;
    }
    worker->progressing = !worker->owns_worker;
    unsigned events = progress_ucx(worker);
    worker->progressing = false;
    return worker->beside != NULL ? events + progress_ucx(worker->beside) : events;
}

tci_worker_progressing tci_worker_progress_of(const tci_worker *worker)
{
    return worker->special ? progress_special : progress_ucx;
}

unsigned tci_worker_progress(tci_worker *worker)
{
    return tci_worker_progress_of(worker)(worker);
}

const void *tci_worker_address(const tci_worker *worker, size_t *size_out)
{
    *size_out = worker->address_size;
    return worker->address;
}

bool tci_worker_wakes(const tci_worker *worker)
{
    return worker->wakes;
}

static bool arm(tci_worker *worker)
{
    return !worker->wakes || ucp_worker_arm(worker->ucp_worker) == UCS_OK;
}

/* An application arms and progresses its own worker as it likes. */
bool tci_worker_arm(tci_worker *worker, bool unused)
{
    if (unused && worker->stays_armed)
        return true;
    bool armed = arm(worker) && (worker->beside == NULL || arm(worker->beside));
    worker->stays_armed = armed && unused && worker->owns_worker;
    return armed;
}

bool tci_worker_is_event(tci_worker *worker, const void *data)
{
    bool woke = data == worker || (worker->beside != NULL && data == worker->beside);
    worker->stays_armed &= !woke;
    return woke;
}
