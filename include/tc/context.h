/* A context: one UCX worker, the functions it knows, and the endpoints that it serves.
 *
 * Threads: a context and everything made from it belong to one thread at a time (any thread,
 * under the caller's own lock). Two contexts in one process are independent. */
#ifndef TC_CONTEXT_H
#define TC_CONTEXT_H

#include <stdint.h>
#include <tc/options.h>
#include <tc/status.h>
#include <tc/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_context tc_context;
typedef struct tc_listener tc_listener;
typedef struct tc_ep tc_ep;

typedef enum tc_ep_event {
    /* a peer connected to a listener, or by address bytes; tc_send may be used */
    TC_EP_OPENED = 1,
    TC_EP_CLOSED = 2, /* the peer closed in order, after all its messages were run */
    TC_EP_FAILED = 3  /* the peer died or broke the protocol; tc_ep_error has the text */
} tc_ep_event;

/* Called from tc_progress and from blocking calls that progress. An accepted endpoint is freed
 * when the callback returns from CLOSED or FAILED; an endpoint made by tc_ep_connect* stays
 * until its owner closes it. */
typedef void (*tc_ep_callback)(void *user, tc_ep *ep, tc_ep_event event);

/* What tc_context_create calls, and what programs call that find the library at run time, by
 * dlsym or from another language. header_version: the TC_VERSION_NUMBER that the program was
 * compiled with. */
TC_MUST_CHECK TC_API tc_status tc_context_create_for(unsigned header_version,
                                                     const tc_options *opts,
                                                     tc_context **ctx_out, tc_error *err);

/* opts NULL: environment and defaults; otherwise copied. TC_E_INVALID (a bad option in the
 * environment), TC_E_UCX, TC_E_NO_MEMORY. TC_E_VERSION when the library that is running is
 * older than these headers (the text has both versions): the program may count on what it
 * lacks. A newer one of the same soname will do. err may be NULL. */
TC_MUST_CHECK static inline tc_status tc_context_create(const tc_options *opts,
                                                        tc_context **ctx_out, tc_error *err)
{
    return tc_context_create_for(TC_VERSION_NUMBER, opts, ctx_out, err);
}

/* Closes listeners and endpoints that are still open (peers see TC_EP_CLOSED), frees all code.
 * All handles made from the context are gone afterwards. From inside an ifunc or a callback
 * it does nothing but log an error. NULL is allowed. */
TC_API void tc_context_destroy(tc_context *ctx);

/* The third argument of every NAME_main that runs here. The library never looks behind it. */
TC_API void tc_context_set_target_args(tc_context *ctx, void *target_args);

/* Gives functions that run here data by name, for tc_self_data; NULL takes it back. The name
 * (63 bytes at most) is copied, the data is not. TC_E_INVALID, TC_E_NO_MEMORY. */
TC_MUST_CHECK TC_API tc_status tc_context_publish(tc_context *ctx, const char *name, void *data,
                                                  size_t size);

TC_API void tc_context_set_ep_callback(tc_context *ctx, tc_ep_callback callback, void *user);

/* This context's address for tc_ep_connect_address: opaque bytes, valid while the context
 * lives. Carried to the peer by any means. The pointer is owned by the context. From this call
 * on peers may connect so; before it only those that come to a listener. */
TC_API const void *tc_context_address(tc_context *ctx, size_t *size_out);

/* Runs what has arrived, sends what waits, watches peers. Returns how many messages were run; 0
 * also when called from inside an ifunc (which is not allowed and logged). Never blocks longer
 * than the ifuncs it runs: a function that is new here is compiled by other threads, and holds
 * up its endpoint alone. */
TC_API unsigned tc_progress(tc_context *ctx);

/* tc_progress until a message was run, an endpoint changed state or a call ended. The option
 * `wait` says how: `adaptive` polls for the time `spin` (not where others wait for the
 * processor and all peers send by messages), yields a few times, then sleeps until a peer wakes
 * it; `block` sleeps at once; `spin` never does. It looks around every `sleep_max` whatever
 * happens. TC_E_TIMEOUT when nothing came in timeout_ns. TC_E_BUSY from inside an ifunc. */
TC_MUST_CHECK TC_API tc_status tc_wait(tc_context *ctx, uint64_t timeout_ns);

/* For programs with an event loop of their own: a descriptor that poll and epoll show readable
 * when tc_progress has something to do, if tc_context_arm gave TC_OK since the last call of
 * tc_progress. The loop is: tc_progress; tc_context_arm; on TC_OK wait for the descriptor, on
 * TC_E_AGAIN go on at once. Wait at most a second, so that deadlines are kept and dead peers
 * noticed. Nothing is to be read from the descriptor; it belongs to the context, and lives as
 * long. */
TC_API int tc_context_fd(const tc_context *ctx);

/* Asks peers to make the descriptor readable. The next tc_progress, or call that progresses,
 * ends that. TC_OK: wait for the descriptor. TC_E_AGAIN: there is something to do already, call
 * tc_progress. TC_E_UNSUPPORTED: some peer cannot wake this side (the kernel lacks
 * membarrier(2), or the two sides send by different ways), so call tc_progress again after a
 * millisecond at most, though others do wake it. TC_E_BUSY from inside an ifunc. */
TC_MUST_CHECK TC_API tc_status tc_context_arm(tc_context *ctx);

/* Accepts peers on "host:port" ("127.0.0.1:7000", "[::1]:0"; port 0: the system chooses).
 * Whoever connects can run code here, so addresses outside loopback are refused with
 * TC_E_INVALID unless the option listen_any is set. TC_E_IN_USE, TC_E_INVALID, TC_E_IO,
 * TC_E_NO_MEMORY. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_listener_open(tc_context *ctx, const char *host_port,
                                                tc_listener **listener_out, tc_error *err);
TC_API uint16_t tc_listener_port(const tc_listener *listener);
/* Endpoints that were accepted stay open. */
TC_API void tc_listener_close(tc_listener *listener);

/* Counters of a context: index 0 .. tc_stats_count()-1; names are stable ("messages_run",
 * "code_sent", ...). */
TC_API size_t tc_stats_count(void);
TC_API const char *tc_stats_name(size_t index);
TC_API uint64_t tc_stats_value(const tc_context *ctx, size_t index);

#ifdef __cplusplus
}
#endif
#endif
