/* The system's <ucp/api/ucp.h>, and with it the calls of the original Three-Chains' API: for
 * programs written for that, found by -I<prefix>/include/tc/compat, linked with
 * libtchains-compat. docs/original-api.md says what is as it was and what is not.
 *
 * A function NAME is found in the folder that UCX_IFUNC_LIB_DIR names: as NAME.tca, or as
 * NAME.<triple>.bc (one or more) with NAME.deps, or as NAME.so. It defines
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *   size_t NAME_payload_bound(void *source_args, size_t size);
 *   int    NAME_payload_init(void *source_args, size_t size, void *payload,
 *                            size_t *payload_size);
 *
 * where the last two may both be left out: then the source arguments are the payload. The
 * functions may make all the calls below. Any thread may, too, as far as UCX lets it use the
 * worker, but two threads may not poll one buffer at once. */
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

/* A message: what UCX puts into the target's memory. A slot for it has frame_size bytes. */
typedef struct ucp_ifunc_msg {
    ucp_ifunc_h ifunc_h;
    void *frame;
    size_t frame_size;
} ucp_ifunc_msg_t;

typedef struct ucp_ifunc_reg_param {
    char *name;
    int pure;    /* not looked at */
    int llvm_bc; /* 0: NAME.so is taken before the others; otherwise after them */
} ucp_ifunc_reg_param_t;

typedef struct ucp_llvm_bc {
    char *triple;
    void *bc;
    uint32_t size;
} ucp_llvm_bc_t;

/* Each registration gives a handle of its own. UCS_ERR_INVALID_PARAM (no name, or no C
 * identifier; UCX_IFUNC_LIB_DIR is not set), UCS_ERR_IO_ERROR (the folder or a file cannot be
 * read), UCS_ERR_NO_ELEM (no such function there), UCS_ERR_UNSUPPORTED (not for this machine),
 * UCS_ERR_EXCEEDS_LIMIT, UCS_ERR_NO_MEMORY. The reason is logged (TC_LOG_LEVEL). */
TC_COMPAT_API ucs_status_t ucp_register_ifunc(ucp_context_h context,
                                              ucp_ifunc_reg_param_t param,
                                              ucp_ifunc_h *ifunc_p);

/* The same from memory: n_bcs targets' bitcode, and the libraries that it needs by their names
 * ("libz.so.1"). All is copied. */
TC_COMPAT_API ucs_status_t ucp_register_ifunc_im(ucp_context_h context,
                                                 ucp_ifunc_reg_param_t param,
                                                 ucp_llvm_bc_t *bcs, int n_bcs, char **deps,
                                                 int n_deps, ucp_ifunc_h *ifunc_p);

/* Messages that are under way still run; those of this handle that are left can only be freed.
 * UCS_ERR_NO_ELEM: it was deregistered before. UCS_ERR_INVALID_PARAM: it is of another context.
 */
TC_COMPAT_API ucs_status_t ucp_deregister_ifunc(ucp_context_h context, ucp_ifunc_h ifunc_h);

/* Calls NAME_payload_bound and NAME_payload_init. UCS_ERR_NO_ELEM (deregistered),
 * UCS_ERR_CANCELED (NAME_payload_init gave something else than 0), UCS_ERR_EXCEEDS_LIMIT (a
 * payload above 1 GiB, or above what NAME_payload_bound said), UCS_ERR_NO_MEMORY. */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_create(ucp_ifunc_h ifunc_h, void *source_args,
                                                size_t source_args_size,
                                                ucp_ifunc_msg_t *msg_p);

/* 16-byte aligned. It may be changed between two sends, when the first one was flushed. */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_get_payload_ptr(ucp_ifunc_msg_t *msg_p,
                                                         void **payload_p,
                                                         size_t *payload_size_p);

/* At any time: what was sent still arrives. */
TC_COMPAT_API ucs_status_t ucp_ifunc_msg_free(ucp_ifunc_msg_t msg);

/* Writes the message to remote_addr in the target's memory, which is free for frame_size bytes
 * and 8-byte aligned. ucp_ep_flush_nbx says when it is there. UCS_OK or UCS_INPROGRESS: it is
 * on its way. UCS_ERR_NO_RESOURCE: the slot holds a message that was not run yet (seen on this
 * host only). UCS_ERR_NO_ELEM: its function was deregistered. UCS_ERR_INVALID_PARAM, or what
 * UCX says to a put. */
TC_COMPAT_API ucs_status_t ucp_ifunc_send_nbix(ucp_ep_h ep, ucp_ifunc_msg_t msg,
                                               uint64_t remote_addr, ucp_rkey_h rkey);

/* Looks whether a message begins at `buffer` (8-byte aligned, in memory that is zero before its
 * first message), and if so takes it out and runs it; the slot is free as soon as the function
 * begins. Without one it progresses `worker`, which may be NULL when somebody else does.
 *
 * UCS_OK: one was run. UCS_ERR_NO_MESSAGE: none, or not the whole of it, is there. Anything
 * else: what was there cannot run; its reason is logged, and the slot is free:
 * UCS_ERR_IO_ERROR (no message), UCS_ERR_MESSAGE_TRUNCATED (longer than buffer_size),
 * UCS_ERR_UNSUPPORTED, UCS_ERR_NO_ELEM, UCS_ERR_EXCEEDS_LIMIT, UCS_ERR_NO_MEMORY (its code
 * cannot run here). UCS_ERR_TIMED_OUT: the rest of a message has not come for seconds; it is
 * still waited for. UCS_ERR_INVALID_PARAM: buffer. */
TC_COMPAT_API ucs_status_t ucp_poll_ifunc(ucp_context_h context, void *buffer,
                                          size_t buffer_size, void *target_args,
                                          ucp_worker_h worker);

#undef TC_COMPAT_API

#ifdef __cplusplus
}
#endif
#endif
