/* A context on UCX objects of the application: for programs that use UCX themselves and want
 * one worker to serve both. */
#ifndef TC_UCX_H
#define TC_UCX_H

#include <tc/abi.h>
#include <tc/context.h>
#include <ucp/api/ucp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ids of the library's active messages. The application uses others. */
#define TC_UCX_AM_ID_FIRST 960u
#define TC_UCX_AM_ID_COUNT 16u

typedef struct tc_ucx_objects {
    ucp_context_h context;
    ucp_worker_h worker; /* made from context; NULL: the library creates one there */
    /* The features that ucp_init got; UCX cannot be asked. UCP_FEATURE_AM is required.
     * UCP_FEATURE_RMA is for the delivery put, also of peers. UCP_FEATURE_WAKEUP lets tc_wait
     * sleep until a message arrives; without it tc_wait naps for a millisecond at most. */
    uint64_t features;
} tc_ucx_objects;

/* Creates a context on the application's objects. They must outlive it, and a worker has one
 * context at a time.
 *
 * tc_context_destroy leaves no endpoints of the library there, and the worker may have another
 * context afterwards. Messages that peers still send to the destroyed context are dropped in
 * silence whenever the worker is progressed: for that, a handler of the library stays for each
 * of its ids until the worker is destroyed. The handler needs no memory of the context's, but
 * it needs its code: the shared library is never unloaded; the static one, as part of a module,
 * must not be unloaded before the worker is destroyed.
 *
 * Both sides may progress the worker: ucp_worker_progress receives the messages of peers,
 * tc_progress runs them. The application's UCX callbacks are called inside tc_progress and
 * every other call that progresses; they must not make such calls. The worker belongs to the
 * thread that uses the context. If the library has a worker of its own and the application uses
 * its worker in another thread, the UCX context needs mt_workers_shared.
 *
 * The application decides where its UCX listens: the option `network` and the description of
 * UCX's port in tc_context(3) do not hold here. With UCX's default transports the port is open
 * at every address of the machine, and any process that reaches it can read and write this
 * process's memory. UCX_TLS=self,posix closes it.
 *
 * Two UCX settings that the library makes for a context of its own are the application's here:
 * MM_ERROR_HANDLING=y lets UCX use shared memory for the library's endpoints (they use tcp
 * otherwise, and cannot be created if UCX_TLS has no tcp); KEEPALIVE_INTERVAL determines how
 * soon dead peers are noticed.
 *
 *   TC_OK             the context is ready
 *   TC_E_INVALID      ucx->context is NULL
 *   TC_E_UNSUPPORTED  features lacks UCP_FEATURE_AM, the worker takes no active messages,
 *                     ucx has a field that this library does not know, or the library was
 *                     built without the module ucx
 *   as tc_context_create */
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
