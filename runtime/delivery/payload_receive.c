/* PAYLOAD messages: their bytes go where the endpoint wants them, by UCX's rendezvous when the
 * sender's UCX has chosen that. */
#include "delivery/payload_receive.h"

#include "base/logger.h"
#include "delivery/worker_private.h"

#include <stdlib.h>
#include <string.h>

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

ucs_status_t tci_payload_receive(void *arg, const void *header, size_t header_size, void *data,
                                 size_t size, const ucp_am_recv_param_t *param)
{
    const tci_am_binding *binding = arg;
    tci_worker *worker = binding->worker;
    tci_payload_header parts;
    tci_sink sink;
    if (header_size != sizeof parts) {
        TC_LOG(TC_LOG_WARN, "payload: header of %zu bytes, expected %zu", header_size,
               sizeof parts);
        return UCS_OK;
    }
    memcpy(&parts, header, sizeof parts);
    if (worker->payload_handler == NULL ||
        !worker->payload_handler(worker->user, &parts, size, &sink))
        return UCS_OK; /* UCX drops it, and tells the sender's UCX so */
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
