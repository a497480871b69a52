/* A context: one UCX worker, the functions it has loaded, its endpoints and its listeners.
 *
 * A context begins without a network port of UCX's: by shared memory it reaches processes of
 * its user on this host, and they reach it. Any process that reaches such a port, peer or not,
 * can read and write the memory of this process, so the network behind it has to be trusted.
 * With the option `network` at `auto` the first call that needs the port opens it, for as long
 * as the context lives, and a warning in the log says so: tc_listener_open beyond loopback,
 * tc_context_address, and connecting to another host. `yes` opens it with the context, `no`
 * never does: endpoints to other hosts then fail with TC_E_UNREACHABLE, or with TC_E_REFUSED
 * where the peer sees it first. UCX_TLS in the environment overrides the option.
 *
 * A context and everything made from it belong to one thread at a time: any thread, under a
 * lock of the caller's or the context's own. A thread of the library's may progress it
 * (<tc/thread.h>). Contexts of one process are independent. */
#ifndef TC_CONTEXT_H
#define TC_CONTEXT_H

#include <stdint.h>
#include <tc/abi.h>
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
    TC_EP_OPENED = 1, /* a peer connected; tc_send may be used */
    TC_EP_CLOSED = 2, /* the peer closed in order, after all its messages ran */
    TC_EP_FAILED = 3 /* the peer died, gave up, broke the protocol or never came: tc_ep_error */
} tc_ep_event;

/* Called from tc_progress and from blocking calls that progress. An accepted endpoint is freed
 * when the callback returns from TC_EP_CLOSED or TC_EP_FAILED. An endpoint made by
 * tc_ep_connect or tc_ep_connect_address stays until its owner closes it.
 *
 * An endpoint's events enclose its messages, over every transport: TC_EP_OPENED is called
 * before the first function of its peer's runs here, TC_EP_CLOSED and TC_EP_FAILED after the
 * last. So a program can allocate its data for a peer in the first (tc_ep_set_user) and free it
 * in the second. An endpoint made by tc_ep_connect or tc_ep_connect_address has no
 * TC_EP_OPENED: its peer's functions run after that call has returned, in the next call that
 * progresses. */
typedef void (*tc_ep_callback)(void *user, tc_ep *ep, tc_ep_event event);

/* Creates a context. The library may be newer than the headers that the program was compiled
 * with, as long as the soname is the same.
 *
 *   opts              copied; NULL: environment and defaults
 *   ctx_out           owned by the caller; see tc_context_destroy
 *
 *   TC_OK             the context is ready; no peer can connect to it yet
 *   TC_E_INVALID      an option in the environment is outside its range
 *   TC_E_VERSION      the library is older than the headers; the text has both versions
 *   TC_E_UCX          UCX could not create a context or a worker
 *   TC_E_IO           the operating system gave no descriptor
 *   TC_E_UNSUPPORTED  libsodium could not be started, this processor lacks what the option
 *                     `wait` names, or this build of the library lacks the module that an
 *                     option needs; the text says which
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK static inline tc_status tc_context_create(const tc_options *opts,
                                                        tc_context **ctx_out, tc_error *err)
{
    return tc_context_create_for(TC_VERSION_NUMBER, opts, ctx_out, err);
}

/* Closes all listeners and endpoints (peers see TC_EP_CLOSED), unloads all code and frees the
 * context. Endpoints are flushed and closed together, within the time that tc_ep_close takes
 * for one, those of groups also if they are not open yet (tc_group_destroy); the callback is
 * not called. Every handle made from it becomes invalid. A thread that serves it is ended
 * first. Called from inside an ifunc or a callback it only logs an error. NULL is allowed. */
TC_API void tc_context_destroy(tc_context *ctx);

/* Ends the context as tc_context_destroy does, within a time of the caller's own for all
 * endpoints together, and reports how many messages may not have run, as tc_ep_finish does for
 * one. Endpoints that the context had freed before do not count: their end was an event.
 *
 * ctx is freed whatever the status, but for TC_E_BUSY.
 *
 *   ctx             NULL is allowed
 *   timeout_ns      for all messages to run; goodbyes may take a tenth of a second more; 0: the
 *                   option close_timeout
 *   lost_out        the number of messages of all endpoints that may not have run, set whatever
 *                   the status, but for TC_E_BUSY; NULL is allowed
 *
 *   TC_OK           the peers have run, or refused, every message
 *   TC_E_BUSY       called from inside an ifunc or a callback, or in a fork: ctx stays as it is
 *   as tc_ep_finish for the endpoint that lost most, which the text names */
TC_MUST_CHECK TC_API tc_status tc_context_finish(tc_context *ctx, uint64_t timeout_ns,
                                                 uint64_t *lost_out, tc_error *err);

/* Ends the endpoints of a context that serves others so that no call loses its answer. Closes
 * the listeners, runs messages that have arrived, goes on until no function waits (TC_THREADED)
 * and the peers have taken all answers, and says goodbye to all of them at once. Then each call
 * of a peer has its answer, or fails at its caller with TC_E_CLOSED and has not run. Functions
 * are served meanwhile, but for calls of functions that may wait: those are answered with
 * TC_E_CLOSED. A call that a function has detached (tc_detach) without an answer so far is not
 * waited for; its caller gets TC_E_CLOSED, too.
 *
 * ctx stays, without listeners and endpoints, for its counters and tc_context_destroy. The
 * callback is not called for the endpoints that end here. A thread that serves ctx is ended
 * first. Functions that wait go on in the thread that they began in, so that is the one to call
 * this.
 *
 *   timeout_ns      for functions to end and answers to be taken, and a third of a second more
 *                   at most, but for a function that does not return; 0: the option
 *                   close_timeout, which also bounds the time for a peer that takes nothing
 *   lost_out        the number of messages and answers that peers may not have taken, which the
 *                   log explains; such a peer reads that the time was over. NULL is allowed
 *
 *   TC_OK           every function that had begun has ended by itself
 *   TC_E_TIMEOUT    some still waited, and the text names one: their waits have ended with
 *                   TC_E_CLOSED, and their callers have the answers to that
 *   TC_E_BUSY       called from inside an ifunc or a callback, or in a fork: nothing is done
 *   TC_E_UNSUPPORTED  the library was built without the module `serving` */
TC_MUST_CHECK TC_API tc_status tc_context_drain(tc_context *ctx, uint64_t timeout_ns,
                                                uint64_t *lost_out, tc_error *err);

/* Sets the third argument of every NAME_main that runs here. The library passes the pointer on
 * and never dereferences it. NULL at first. */
TC_API void tc_context_set_target_args(tc_context *ctx, void *target_args);

/* Gives functions that run here access to data by name (tc_self_data). Every function of every
 * peer can read and write it.
 *
 *   name            at most 63 bytes; copied
 *   data            not copied; must stay until it is withdrawn; NULL withdraws the name
 *   size            bytes at data, as tc_self_data reports them
 *
 *   TC_OK           the name is set or withdrawn
 *   TC_E_INVALID    the name is longer than 63 bytes
 *   TC_E_TOO_LARGE  4096 names are published
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_context_publish(tc_context *ctx, const char *name, void *data,
                                                  size_t size, tc_error *err);

/* Sets the callback for endpoint events; NULL: none. */
TC_API void tc_context_set_ep_callback(tc_context *ctx, tc_ep_callback callback, void *user);

/* Runs arrived messages, sends queued messages, and watches peers. Returns the number of
 * messages that ran. It blocks no longer than the functions that it runs: a function that is
 * new here is compiled by other threads and delays only its own endpoint. From inside an ifunc,
 * where it is not allowed, it returns 0 and logs an error. While a thread serves the context,
 * it lets that thread have a turn and returns 0. */
TC_API unsigned tc_progress(tc_context *ctx);

/* Progresses until a message ran, an endpoint changed its state, a call ended, there is
 * capacity for a send that returned TC_E_AGAIN, or tc_wake was called since the last tc_wait.
 * The option `wait` selects how: `adaptive` polls for the time `spin` (unless other threads
 * want the CPU and every peer sends by UCX messages), yields a few times and then sleeps until
 * a peer wakes it; `block` sleeps at once. The others never sleep: `spin` polls without a
 * pause, `pause` has the processor pause between polls, `yield` lets other threads run after
 * each poll, and `line` has the processor wait for a write to the cache line where the next
 * message of the peer that sent last begins (tc_wait_instruction); it detects messages of other
 * peers, or through UCX, 0.1 to 2 microseconds later than `spin`. A sleep ends after
 * `sleep_max` at the latest.
 *
 *   TC_OK         something happened
 *   TC_E_TIMEOUT  nothing happened in timeout_ns; 0 looks once
 *   TC_E_BUSY     called from inside an ifunc */
TC_API tc_status tc_wait(tc_context *ctx, uint64_t timeout_ns);

/* Has tc_wait return TC_OK: the one that waits now, or else the next. It also makes the
 * descriptor of tc_context_fd readable. Other calls that block go on. Any thread may call this,
 * and so may a signal handler (it is async-signal-safe and leaves errno alone), as long as the
 * context lives. */
TC_API void tc_wake(tc_context *ctx);

/* Runs the messages of peers, sleeping between messages as tc_wait does, until a number is not
 * 0. The code that sets it (a signal handler, another thread, a function that ran here) calls
 * tc_wake afterwards; without that the return takes up to half a second more.
 *
 *   until      `volatile sig_atomic_t` will do; NULL: for ever
 *
 *   TC_OK      *until is not 0; at once if it is not 0 before
 *   TC_E_BUSY  called from inside an ifunc, or a thread serves the context */
TC_API tc_status tc_serve(tc_context *ctx, const volatile int *until);

/* Runs the messages of peers, as tc_serve does, until SIGINT or SIGTERM comes to the process:
 * the main loop of a program that serves. While it runs it has handlers of its own for the two,
 * which work in every thread; then the program's are back. The same signal once more, before
 * this returns, has its default action: so a function that does not end can be ended with the
 * process. A signal that the process ignores stays ignored.
 *
 *   signal_out   the number of the signal that came; NULL is allowed
 *
 *   TC_OK        a signal came: destroy the context, which peers see as TC_EP_CLOSED
 *   TC_E_BUSY    called from inside an ifunc
 *   TC_E_IN_USE  another thread is in this function: signals come to the process, so that
 *                thread has them, and the others call tc_serve with a number that it sets */
TC_API tc_status tc_serve_until_signal(tc_context *ctx, int *signal_out);

/* Accepts peers. Every process that can connect can run code here, so addresses outside
 * loopback are refused unless the options set keys (key_file, or tls_ca, tls_cert and tls_key)
 * or listen_any. With keys a connection is TLS 1.3 and both sides prove themselves before
 * anything of the context is reached; at most 64 unauthenticated peers may be in that
 * handshake, for two seconds each (or connect_timeout); one more replaces the oldest that has
 * sent nothing, or else the oldest of the network with most. Without keys, processes of other
 * local users are refused (option local_users); a connecting process likewise checks the user
 * of the listening process. A connection is served by tc_progress; data from an unauthenticated
 * peer, before its handshake is complete, is validated, bounded and dropped after the option
 * connect_timeout. Connections without a complete handshake take a quarter of the process's
 * descriptors (RLIMIT_NOFILE) at most; then the oldest is dropped. Without a free
 * descriptor the listener tries again ten times a second.
 *
 *   host_port       "127.0.0.1:7000" or "[::1]:0"; port 0: the system chooses
 *   listener_out    owned by the context; closed by tc_listener_close or with the context, and
 *                   with the context alone if this is NULL
 *
 *   TC_OK           peers can connect
 *   TC_E_INVALID    host_port is malformed, names no address of this host, or one outside
 *                   loopback without keys and listen_any
 *   TC_E_IN_USE     the port is taken
 *   TC_E_IO         the operating system refused; the text says why
 *   TC_E_UCX        UCX could not open its network port
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_listener_open(tc_context *ctx, const char *host_port,
                                                tc_listener **listener_out, tc_error *err);

/* The port that the listener is bound to. */
TC_API uint16_t tc_listener_port(const tc_listener *listener);

/* Returns the descriptor of the socket that the listener accepts from, for a process that is to
 * accept there, too, or instead: duplicate it, and pass it to that process, which calls
 * tc_listener_open_socket. Returns -1 if another process accepts (tc_listener_open_handed).
 * Each process that has the socket takes some of the peers; those that wait are lost once the
 * last one has closed it. The descriptor belongs to the listener and is valid until
 * tc_listener_close: never close it, accept from it, make it block or call shutdown(2) for it.
 * It is closed by execve(2), and in children of fork(2). */
TC_API int tc_listener_fd(const tc_listener *listener);

/* Accepts no further peers and frees the listener. Endpoints that it accepted stay open. NULL
 * is allowed. */
TC_API void tc_listener_close(tc_listener *listener);

#ifdef __cplusplus
}
#endif
#endif
