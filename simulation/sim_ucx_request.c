/* Requests, in lists. */
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <stdlib.h>

sim_ucx_request *sim_ucx_request_make(ucp_worker_h worker, sim_ucx_operation operation,
                                      const ucp_request_param_t *param)
{
    sim_ucx_request *request = sim_ucx_allocate(sizeof *request);
    if (request == NULL)
        return NULL;
    request->operation = operation;
    request->worker = worker;
    request->status = UCS_INPROGRESS;
    if ((param->op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA) != 0)
        request->user = param->user_data;
    if ((param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK) == 0)
        return request;
    if (operation == SIM_UCX_RECEIVE)
        request->received = param->cb.recv_am;
    else
        request->done = param->cb.send;
    return request;
}

void sim_ucx_list_init(sim_ucx_list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

void sim_ucx_list_add(sim_ucx_list *list, sim_ucx_request *request)
{
    request->next = NULL;
    *list->last = request;
    list->last = &request->next;
}

sim_ucx_request *sim_ucx_list_take(sim_ucx_list *list)
{
    sim_ucx_request *request = list->first;
    if (request != NULL)
        (void)sim_ucx_list_remove(list, request);
    return request;
}

bool sim_ucx_list_remove(sim_ucx_list *list, const sim_ucx_request *request)
{
    sim_ucx_request **link = &list->first;
    while (*link != NULL && *link != request)
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    *link = request->next;
    if (*link == NULL)
        list->last = link;
    return true;
}

void sim_ucx_request_end(sim_ucx_request *request, ucs_status_t result)
{
    request->result = result;
    sim_ucx_list_add(&request->worker->ending, request);
    sim_ucx_worker_wake(request->worker);
}

void sim_ucx_request_finish(sim_ucx_request *request)
{
    request->status = request->result;
    if (request->released)
        free(request);
    else if (request->received != NULL)
        request->received(request, request->status, request->size, request->user);
    else if (request->done != NULL)
        request->done(request, request->status, request->user);
}

ucs_status_t __wrap_ucp_request_check_status(void *request)
{
    return ((const sim_ucx_request *)request)->status;
}

/* One that is under way goes on, and is freed at its end, without its callback. */
void __wrap_ucp_request_free(void *released)
{
    sim_ucx_request *request = released;
    if (request->status != UCS_INPROGRESS)
        free(request);
    else
        request->released = true;
}
