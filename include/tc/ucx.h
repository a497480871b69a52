/* A context on UCX objects that the application has made: for programs that use UCX themselves,
 * and want one worker to serve both. */
#ifndef TC_UCX_H
#define TC_UCX_H

#include <tc/context.h>
#include <ucp/api/ucp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The active messages of the library have these ids; the application's have others. */
#define TC_UCX_AM_ID_FIRST 960u
#define TC_UCX_AM_ID_COUNT 16u

typedef struct tc_ucx_objects {
    ucp_context_h context;
    ucp_worker_h worker; /* made from it; NULL: the library makes one of its own there */
    /* as ucp_init got them, because UCX does not tell: UCP_FEATURE_AM at least;
     * UCP_FEATURE_RMA for the delivery `put`, also of peers; UCP_FEATURE_WAKEUP for waits
     * that sleep until a message comes, and otherwise nap for a millisecond at most */
    uint64_t features;
} tc_ucx_objects;

/* What tc_context_create_on_ucx calls; see tc_context_create_for. */
TC_MUST_CHECK TC_API tc_status tc_context_create_on_ucx_for(
    unsigned header_version, const tc_options *opts, const tc_ucx_objects *ucx, size_t ucx_size,
    tc_context **ctx_out, tc_error *err);

/* tc_context_create on the application's objects, which live longer than the context, and which
 * tc_context_destroy leaves as they are, without endpoints and handlers of the library's.
 *
 * Both sides may progress the worker: ucp_worker_progress takes in what peers send, tc_progress
 * runs it, and the application's callbacks are called inside tc_progress too, as inside every
 * call of the library that progresses. From UCX's callbacks no call of the library may be made
 * that progresses. The thread that uses the context is the one that may use the worker; with a
 * worker of the library's own and the application's in another thread, the UCX context needs
 * mt_workers_shared.
 *
 * Settings that the library makes for a UCX context of its own are the application's here:
 * MM_ERROR_HANDLING=y lets UCX use shared memory for the library's endpoints, which otherwise
 * take tcp and, where UCX_TLS has no tcp, cannot be made; KEEPALIVE_INTERVAL says how soon dead
 * peers are noticed.
 *
 * TC_E_INVALID: no context. TC_E_UNSUPPORTED: UCP_FEATURE_AM is not among the features, or the
 * worker takes no active messages. Otherwise as tc_context_create. */
TC_MUST_CHECK static inline tc_status tc_context_create_on_ucx(const tc_options *opts,
                                                               const tc_ucx_objects *ucx,
                                                               tc_context **ctx_out,
                                                               tc_error *err)
{
    return tc_context_create_on_ucx_for(TC_VERSION_NUMBER, opts, ucx, sizeof *ucx, ctx_out,
                                        err);
}

#ifdef __cplusplus
}
#endif
#endif
