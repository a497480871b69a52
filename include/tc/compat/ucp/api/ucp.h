/* The system's <ucp/api/ucp.h> with the functions of the original Three-Chains' API added, for
 * programs that were written for it. They are compiled with -I<prefix>/include/tc/compat and
 * linked with libtchains-compat. docs/original-api.md lists the similarities and the
 * differences.
 *
 * An ifunc NAME is searched for in the folder that UCX_IFUNC_LIB_DIR names: as NAME.tca, or as
 * NAME.<triple>.bc (one or more) with NAME.deps, or as NAME.so. It defines
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *   size_t NAME_payload_bound(void *source_args, size_t size);
 *   int    NAME_payload_init(void *source_args, size_t size, void *payload,
 *                            size_t *payload_size);
 *
 * Without the last two, the source arguments are the payload. An ifunc may call all functions
 * below. Any thread may call them as far as UCX lets it use the worker; two threads must not
 * poll one buffer at the same time.
 *
 * ucp_ep_rkey_unpack and ucp_rkey_destroy are UCX's, but in libtchains-compat they also keep
 * account of the code that was sent by each key, so that it travels once: link it before UCX.
 *
 * The structs are those of the original's API and never change.
 *
 * These calls are the edition of 2022. With TC_COMPAT_UCX_IFUNC defined as 2021 before this
 * header is included first, those of ucp_ifunc_2021.h replace four of them. */
#pragma GCC system_header /* include_next is no standard C */
#include_next <ucp/api/ucp.h>

#ifndef TC_COMPAT_UCP_H
#define TC_COMPAT_UCP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_COMPAT_API __attribute__((visibility("default")))

typedef struct ucp_ifunc *ucp_ifunc_h;

/* A message: the bytes that UCX puts into the target's memory. Its slot has frame_size bytes or
 * more. */
typedef struct ucp_ifunc_msg {
    ucp_ifunc_h ifunc_h;
    void *frame;
    size_t frame_size;
} ucp_ifunc_msg_t;

typedef struct ucp_ifunc_reg_param {
    char *name;
    int pure;    /* ignored */
    int llvm_bc; /* 0: NAME.so is preferred; else it comes last */
} ucp_ifunc_reg_param_t;

typedef struct ucp_llvm_bc {
    char *triple;
    void *bc;
    uint32_t size;
} ucp_llvm_bc_t;

/* Registers an ifunc of the folder UCX_IFUNC_LIB_DIR. Every registration gives a handle of its
 * own. The reason of a failure is logged (TC_LOG_LEVEL).
 *
 *   UCS_OK                 *ifunc_p can be used
 *   UCS_ERR_INVALID_PARAM  param.name is NULL or no C identifier, UCX_IFUNC_LIB_DIR is not set,
 *                          or a file is damaged
 *   UCS_ERR_NO_ELEM        the folder has no such ifunc
 *   UCS_ERR_IO_ERROR       the folder or a file cannot be read
 *   UCS_ERR_UNSUPPORTED    the ifunc has no code for this machine, or needs a library, a symbol
 *                          or a compiler that is missing
 *   UCS_ERR_EXCEEDS_LIMIT  the ifunc is too large, or too many are registered
 *   UCS_ERR_NO_MEMORY      an allocation failed */
TC_COMPAT_API ucs_status_t ucp_register_ifunc(ucp_context_h context,
                                              ucp_ifunc_reg_param_t param,
                                              ucp_ifunc_h *ifunc_p);

/* Registers an ifunc from memory. All arguments are copied. Statuses as ucp_register_ifunc.
 *
 *   bcs   bitcode of n_bcs targets
 *   deps  names of the n_deps libraries that it needs ("libz.so.1") */
TC_COMPAT_API ucs_status_t ucp_register_ifunc_im(ucp_context_h context,
                                                 ucp_ifunc_reg_param_t param,
                                                 ucp_llvm_bc_t *bcs, int n_bcs, char **deps,
                                                 int n_deps, ucp_ifunc_h *ifunc_p);

/* Ends a registration. Messages that were sent still run; other messages of this handle can
 * only be freed.
 *
 *   UCS_OK                 the handle is invalid now
 *   UCS_ERR_NO_ELEM        it was deregistered before
 *   UCS_ERR_INVALID_PARAM  it belongs to another context */
TC_COMPAT_API ucs_status_t ucp_deregister_ifunc(ucp_context_h context, ucp_ifunc_h ifunc_h);

/* Creates a message. Calls NAME_payload_bound and NAME_payload_init. A failure leaves an empty
 * message in *msg_p, which may be freed and cannot be sent.
 *
 *   UCS_OK                 *msg_p can be sent; see ucp_ifunc_msg_free
 *   UCS_ERR_NO_ELEM        the handle was deregistered
 *   UCS_ERR_INVALID_PARAM  msg_p is NULL, or source_args is NULL and its size is not 0
 *   UCS_ERR_CANCELED       NAME_payload_init returned non-zero
 *   UCS_ERR_EXCEEDS_LIMIT  the payload exceeds 1 GiB or the result of NAME_payload_bound
 *   UCS_ERR_NO_MEMORY      an allocation failed */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_create(ucp_ifunc_h ifunc_h, void *source_args,
                                                size_t source_args_size,
                                                ucp_ifunc_msg_t *msg_p);

/* Gets the payload, which is aligned to 16 bytes. It may be changed between two sends once the
 * first one was flushed.
 *
 *   payload_size_p         NULL: its size is not wanted
 *
 *   UCS_OK                 *payload_p and *payload_size_p are written
 *   UCS_ERR_INVALID_PARAM  the message is empty, or msg_p or payload_p is NULL */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_get_payload_ptr(ucp_ifunc_msg_t *msg_p,
                                                         void **payload_p,
                                                         size_t *payload_size_p);

/* Frees a message, at any time: a message that was sent still arrives. An argument that is no
 * message is left alone, so a program may free a message that it failed to create.
 *
 *   UCS_OK           the message is freed, or was empty
 *   UCS_ERR_NO_ELEM  it is none of this process, or was freed before */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_free(ucp_ifunc_msg_t msg);

/* Writes a message to the target's memory. ucp_ep_flush_nbx reports when it has arrived. UCX's
 * own statuses of a put are returned, too.
 *
 *   remote_addr            8-byte aligned; frame_size bytes there belong to the message
 *
 *   UCS_OK                 the message is sent
 *   UCS_INPROGRESS         the message is being sent
 *   UCS_ERR_NO_RESOURCE    the slot holds a message that has not run yet (detected on this host
 *                          only)
 *   UCS_ERR_NO_ELEM        the handle was deregistered
 *   UCS_ERR_INVALID_PARAM  an argument is malformed */
TC_COMPAT_API ucs_status_t ucp_ifunc_send_nbix(ucp_ep_h ep, ucp_ifunc_msg_t msg,
                                               uint64_t remote_addr, ucp_rkey_h rkey);

/* Runs the message at `buffer`, if there is one. The slot can be reused as soon as the function
 * starts. Without a message it progresses the worker. A message that cannot run is dropped: the
 * reason is logged and the slot can be reused. Bytes that are no message are left as they are,
 * so memory may hold a pattern before its first message, and a program may write over a slot
 * after its message has run.
 *
 *   buffer                     8-byte aligned memory
 *   buffer_size                bytes at buffer
 *   target_args                third argument of NAME_main
 *   worker                     NULL: the program progresses it elsewhere
 *
 *   UCS_OK                     a message ran
 *   UCS_ERR_NO_MESSAGE         there is no message, or not all of it
 *   UCS_ERR_TIMED_OUT          the rest of a message is seconds late; polling continues to wait
 *   UCS_ERR_INVALID_PARAM      buffer is NULL, misaligned or too small, or the code is damaged
 *   UCS_ERR_IO_ERROR           a message is damaged
 *   UCS_ERR_MESSAGE_TRUNCATED  the message is longer than buffer_size
 *   UCS_ERR_UNSUPPORTED        its code cannot run here: it is for another machine, or needs a
 *                              library, a symbol or a compiler that is missing
 *   UCS_ERR_NO_ELEM            it has no code and its function is unknown here, or a shared
 *                              object lacks the entry points
 *   UCS_ERR_EXCEEDS_LIMIT      its code is too large
 *   UCS_ERR_NO_MEMORY          an allocation failed */
TC_COMPAT_API ucs_status_t ucp_poll_ifunc(ucp_context_h context, void *buffer,
                                          size_t buffer_size, void *target_args,
                                          ucp_worker_h worker);

#undef TC_COMPAT_API

#ifdef __cplusplus
}
#endif
#endif

#ifdef TC_COMPAT_UCX_IFUNC
#if TC_COMPAT_UCX_IFUNC == 2021
#include "ucp_ifunc_2021.h"
#elif TC_COMPAT_UCX_IFUNC != 2022
#error "TC_COMPAT_UCX_IFUNC: expected 2021 or 2022"
#endif
#endif
