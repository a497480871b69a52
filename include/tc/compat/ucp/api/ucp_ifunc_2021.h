/* The API's edition of 2021: that of "UCX Programming Interface for Remote Function Injection
 * and Invocation" (Pena, Lu, Shamis, Poole), Listing 1.1. <ucp/api/ucp.h> includes it when
 * TC_COMPAT_UCX_IFUNC is 2021; nothing else does. It changes four calls and adds a name; all
 * others, the types and the functions that are sent are those of <ucp/api/ucp.h>.
 *
 * The calls are names of this header for those of libtchains-compat, so both editions may be in
 * one program, each in files of its own, and their processes talk to one another.
 *
 * This edition knows no NAME_payload_bound. An ifunc NAME defines, as Listing 1.2 has it,
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *   size_t NAME_payload_get_max_size(void *source_args, size_t source_args_size);
 *   int    NAME_payload_init(void *payload, size_t payload_size, void *source_args,
 *                            size_t source_args_size);
 *
 * and a message has as many bytes of payload as the second says. */
#pragma GCC system_header

#ifndef TC_COMPAT_UCP_IFUNC_2021_H
#define TC_COMPAT_UCP_IFUNC_2021_H

#ifdef __cplusplus
extern "C" {
#endif

/* Registers NAME.so of the folder UCX_IFUNC_LIB_DIR, or NAME.tca where there is no such file.
 * Statuses as in the edition of 2022. */
static inline ucs_status_t tc_compat_register_ifunc_2021(ucp_context_h context,
                                                         const char *ifunc_name,
                                                         ucp_ifunc_h *ifunc_p)
{
    ucp_ifunc_reg_param_t param;
    param.name = (char *)(uintptr_t)ifunc_name; /* the name is not changed */
    param.pure = 0;
    param.llvm_bc = 0;
    return ucp_register_ifunc(context, param, ifunc_p);
}

/* A failure is logged (TC_LOG_LEVEL), and changes nothing. */
static inline void tc_compat_deregister_ifunc_2021(ucp_context_h context, ucp_ifunc_h ifunc_h)
{
    (void)ucp_deregister_ifunc(context, ifunc_h);
}

/* The same. */
static inline void tc_compat_ifunc_msg_free_2021(ucp_ifunc_msg_t msg)
{
    (void)ucp_ifunc_msg_free(msg);
}

/* The name in Listing 1.1; in Listing 1.4, and in the edition of 2022, it is
 * ucp_ifunc_send_nbix. */
static inline ucs_status_t ucp_ifunc_msg_send_nbix(ucp_ep_h ep, ucp_ifunc_msg_t msg,
                                                   uint64_t remote_addr, ucp_rkey_h rkey)
{
    return ucp_ifunc_send_nbix(ep, msg, remote_addr, rkey);
}

/* Statuses as in the edition of 2022. It has no worker and progresses none: where a put needs
 * the target's processor (tcp; shared memory that UCX cannot map), the program progresses its
 * worker itself, between two calls or in another thread. */
static inline ucs_status_t tc_compat_poll_ifunc_2021(ucp_context_h context, void *buffer,
                                                     size_t buffer_size, void *target_args)
{
    return ucp_poll_ifunc(context, buffer, buffer_size, target_args, NULL);
}

#ifdef __cplusplus
}
#endif

#define ucp_register_ifunc tc_compat_register_ifunc_2021
#define ucp_deregister_ifunc tc_compat_deregister_ifunc_2021
#define ucp_ifunc_msg_free tc_compat_ifunc_msg_free_2021
#define ucp_poll_ifunc tc_compat_poll_ifunc_2021

#endif
