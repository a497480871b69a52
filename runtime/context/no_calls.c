/* The public functions of the module calls in a build without it: they report that it is
 * absent. */
#include "context/absent.h"

#include <tc/call.h>
#include <tc/entry.h>
#include <tc/group.h>
#include <tc/log.h>

TCI_ABSENT("calls", tc_call_start_sized, tc_ep *ep, tc_ifunc *fn, const void *source_args,
           size_t size, const tc_call_params *params, size_t params_size, tc_call_id *call_out)
TCI_ABSENT("calls", tc_call, tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
           void *result, size_t *result_size, uint64_t timeout_ns)
TCI_ABSENT("calls", tc_ifunc_check_prototype, tc_ifunc *fn, const char *prototype)
TCI_ABSENT_VALUE(NULL, const char *, tc_ifunc_prototype, const tc_ifunc *fn)
TCI_ABSENT_VALUE(TC_E_NOT_FOUND, tc_status, tc_call_cancel, tc_context *ctx, tc_call_id call)
TCI_ABSENT_VALUE(0, size_t, tc_call_count, const tc_context *ctx)
TCI_ABSENT_VALUE(TC_OK, tc_status, tc_calls_wait, tc_context *ctx, uint64_t timeout_ns)

/* No group is ever made: the functions that take one are not called. */
TCI_ABSENT("calls", tc_group_create_sized, tc_context *ctx, const tc_group_params *params,
           size_t params_size, size_t member_size, tc_group **group_out)
TCI_ABSENT("calls", tc_group_create_hosts, tc_context *ctx, const char *hosts, uint32_t rank,
           tc_group **group_out)
TCI_ABSENT("calls", tc_group_join, tc_context *ctx, uint64_t timeout_ns, tc_group **group_out)
TCI_ABSENT("calls", tc_group_ep, tc_group *group, uint32_t rank, tc_ep **ep_out)
TCI_ABSENT("calls", tc_group_call_all_sized, tc_group *group, tc_ifunc *fn,
           const void *source_args, size_t size, const tc_group_call_params *params,
           size_t params_size)
TCI_ABSENT("calls", tc_group_connect, tc_group *group, uint64_t timeout_ns)
TCI_ABSENT("calls", tc_group_barrier, tc_group *group, uint64_t timeout_ns)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_group_send, tc_group *group, uint32_t rank,
                 tc_ifunc *fn, const void *source_args, size_t size)
TCI_ABSENT_VALUE(TC_RANK_NONE, uint32_t, tc_group_rank, const tc_group *group)
TCI_ABSENT_VALUE(0, uint32_t, tc_group_size, const tc_group *group)
TCI_ABSENT_VALUE(0, uint64_t, tc_group_id, const tc_group *group)
TCI_ABSENT_VALUE(NULL, tc_context *, tc_group_context, const tc_group *group)
TCI_ABSENT_VALUE(0, uint64_t, tc_group_failures, const tc_group *group, tc_error *err)
void tc_group_destroy(tc_group *group)
{
}
uint32_t tc_group_program(const tc_group *group, uint32_t rank, const char **name_out)
{
    (void)group, (void)rank;
    if (name_out != NULL)
        *name_out = "";
    return TC_PROGRAM_NONE;
}

/* Shipped code does not get these: it is refused by their names. */
TCI_ABSENT_VALUE(TC_RANK_NONE, uint32_t, tc_self_rank, void)
TCI_ABSENT_VALUE(0, uint32_t, tc_self_size, void)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_forward, uint32_t rank, const void *payload,
                 size_t size)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_forward_function, tc_ifunc *fn, uint32_t rank,
                 const void *payload, size_t size)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply, const void *data, size_t size)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply_begin, size_t size, void **memory_out)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply_commit, size_t size)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply_error, tc_status status,
                 const char *text)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_detach, tc_call_ticket *ticket_out)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply_to, const tc_call_ticket *ticket,
                 const void *data, size_t size)
TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_reply_error_to, const tc_call_ticket *ticket,
                 tc_status status, const char *text)
