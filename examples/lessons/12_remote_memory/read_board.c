/* Reads a board that lies in another process's memory, and increments its counter. It uses the
 * UCX worker of the process that it runs in: target_args is that worker. */
#include "board.h"
#include <tc/entry.h>
#include <ucp/api/ucp.h>

typedef struct connection {
    ucp_worker_h worker;
    ucp_ep_h ep;
    ucp_rkey_h rkey;
} connection;

static ucs_status_t finish(const connection *c, ucs_status_ptr_t request)
{
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (!UCS_PTR_IS_PTR(request))
        return status;
    while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
        ucp_worker_progress(c->worker);
    ucp_request_free(request);
    return status;
}

static void failed(void *user, ucp_ep_h ep, ucs_status_t status)
{
    (void)user, (void)ep, (void)status; /* requests end with the status */
}

/* So that the board's end ends the requests, too. */
static ucs_status_t connect_to(connection *c, const board_place *place)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = (const ucp_address_t *)place->worker,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {failed, NULL}};
    ucs_status_t status = ucp_ep_create(c->worker, &params, &c->ep);
    return status == UCS_OK ? ucp_ep_rkey_unpack(c->ep, place->key, &c->rkey) : status;
}

static void disconnect(const connection *c)
{
    const ucp_request_param_t none = {0};
    if (c->rkey != NULL)
        ucp_rkey_destroy(c->rkey);
    if (c->ep != NULL)
        (void)finish(c, ucp_ep_close_nbx(c->ep, &none));
}

/* Adds 1 to the remote counter and fetches the old value; then fetches the text. */
static ucs_status_t read_and_count(const connection *c, uint64_t at, board_visit *visit)
{
    static const uint64_t one = 1;
    const ucp_request_param_t fetch = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE |
                                                       UCP_OP_ATTR_FIELD_REPLY_BUFFER,
                                       .datatype = ucp_dt_make_contig(sizeof one),
                                       .reply_buffer = &visit->visits};
    const ucp_request_param_t none = {0};
    ucs_status_t status =
        finish(c, ucp_atomic_op_nbx(c->ep, UCP_ATOMIC_OP_ADD, &one, 1,
                                    at + offsetof(board, visits), c->rkey, &fetch));
    if (status == UCS_OK)
        status = finish(c, ucp_get_nbx(c->ep, visit->text, sizeof visit->text,
                                       at + offsetof(board, text), c->rkey, &none));
    return status;
}

void read_board_main(void *payload, size_t payload_size, void *target_args)
{
    connection c = {.worker = target_args};
    const board_place *place = payload;
    board_visit visit;
    if (payload_size != sizeof *place || c.worker == NULL) {
        tc_reply_error(TC_E_INVALID, "expected the place of a board, and a worker here");
        return;
    }
    ucs_status_t status = connect_to(&c, place);
    if (status == UCS_OK)
        status = read_and_count(&c, place->board, &visit);
    disconnect(&c);
    if (status == UCS_OK)
        tc_reply(&visit, sizeof visit);
    else
        tc_reply_error(TC_E_UCX, ucs_status_string(status));
}
