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

/* Implements tc_context_create. Programs that find the library at run time (dlsym, another
 * language) call it with the TC_VERSION_NUMBER that they were written for.
 *
 *   as tc_context_create */
TC_MUST_CHECK TC_API tc_status tc_context_create_for(unsigned header_version,
                                                     const tc_options *opts,
                                                     tc_context **ctx_out, tc_error *err);

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

/* Sets the third argument of every NAME_main that runs here. The library passes the pointer on
 * and never dereferences it. NULL at first. */
TC_API void tc_context_set_target_args(tc_context *ctx, void *target_args);

/* Reads the keys of the option trust and the lists of code_allow and code_revoked again.
 * Functions that may not run any more are unloaded, whatever they have in memory; their objects
 * in the object cache are deleted; peers that sent them receive the reason with TC_E_REFUSED,
 * and their endpoints stay open. Functions that may run again do so when they are sent again.
 *
 *   TC_OK           all was read; keys that cannot be used are left out, and logged
 *   TC_E_INVALID    a folder, key list or its owner or mode cannot be believed: no key counts
 *                   any more, nothing is allowed by a list, and everything revoked stays
 *                   revoked
 *   TC_E_NOT_FOUND  the folder or a list does not exist; likewise
 *   TC_E_IO         it cannot be read; likewise
 *   TC_E_NO_MEMORY  an allocation failed; likewise
 *   TC_E_BUSY       called from inside an ifunc or a callback: nothing is read */
TC_MUST_CHECK TC_API tc_status tc_context_reload_trust(tc_context *ctx, tc_error *err);

/* Opens the file of the option `audit` again by its name: for use after a rename, so that
 * further lines go into a new file. Does nothing without such a file.
 *
 *   TC_OK           lines go into the file that has the name now
 *   TC_E_INVALID    it is not a regular file of this user's that no other user can access, or
 *                   it is a symbolic link: lines still go into the previous file
 *   TC_E_IO         it cannot be opened: the same */
TC_MUST_CHECK TC_API tc_status tc_context_reopen_audit(tc_context *ctx, tc_error *err);

/* Gives functions that run here access to data by name (tc_self_data). Every function of every
 * peer can read and write it.
 *
 *   name            at most 63 bytes; copied
 *   data            not copied; must stay until it is withdrawn; NULL withdraws the name
 *   size            bytes at data, as tc_self_data reports them
 *
 *   TC_OK           the name is set or withdrawn
 *   TC_E_INVALID    the name is longer than 63 bytes
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_context_publish(tc_context *ctx, const char *name, void *data,
                                                  size_t size, tc_error *err);

/* Sets the callback for endpoint events; NULL: none. */
TC_API void tc_context_set_ep_callback(tc_context *ctx, tc_ep_callback callback, void *user);

/* Called by calls that block, in their thread. Not 0: the call is to end. */
typedef int (*tc_interrupt_callback)(void *user);

/* Lets a program end calls that block before their deadlines, as an interpreter must when its
 * user presses Ctrl-C. Such a call invokes the callback after a twentieth of a second, and then
 * every twentieth of a second. When the callback returns a number other than 0, the call ends
 * as if its deadline had passed, with TC_E_TIMEOUT and a text that states the interruption, or
 * with its result if that has arrived by then. These calls invoke it: tc_ep_connect,
 * tc_ep_connect_address, tc_group_join (except while PMIx itself starts), tc_group_connect,
 * tc_group_barrier; and the flush of tc_ep_flush, tc_ep_close, tc_group_destroy and
 * tc_context_destroy, which then loses messages as at its deadline. Other calls that block can
 * be made with short timeouts, again and again: tc_wait, also after tc_ep_prepare and
 * tc_call_start.
 *
 *   callback   must not use the context; NULL: none */
TC_API void tc_context_set_interrupt(tc_context *ctx, tc_interrupt_callback callback,
                                     void *user);

/* Returns this context's address for tc_ep_connect_address and stores its size. The bytes are
 * opaque, owned by the context and valid while it lives. From the first call on peers can
 * connect by address; before it only a listener accepts them. The first call opens UCX's
 * network port, as said above; if UCX cannot, the log has the reason, and the address is one
 * for this host. */
TC_API const void *tc_context_address(tc_context *ctx, size_t *size_out);

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

/* The instruction by which this processor waits for a line of memory: "umwait", "mwaitx", "wfe"
 * or "wfet". NULL: it has none, or hides it from this machine, as many hypervisors do; then
 * tc_context_create refuses the option `wait` at `line` with TC_E_UNSUPPORTED. The text is
 * static. "wfe" has no bound of its own: with several peers that store, or beside UCX, `line`
 * pauses there instead. Any thread. */
TC_API const char *tc_wait_instruction(void);

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

/* The descriptor for an event loop of the program's own. poll and epoll report it readable when
 * tc_progress has work to do, if tc_context_arm returned TC_OK since the last tc_progress. The
 * loop is: tc_progress; tc_context_arm; on TC_OK wait for the descriptor, on TC_E_AGAIN
 * continue at once. Wait one second at most, so that deadlines are kept and dead peers are
 * noticed. Never read from the descriptor. The context owns it. */
TC_API int tc_context_fd(const tc_context *ctx);

/* Asks peers to make the descriptor readable. The next tc_progress, or any call that
 * progresses, disarms it.
 *
 *   TC_OK             armed: wait for the descriptor
 *   TC_E_AGAIN        work is pending already: call tc_progress
 *   TC_E_UNSUPPORTED  some peer cannot wake this side (the kernel lacks membarrier(2), or the
 *                     two directions use different transports): call tc_progress after one
 *                     millisecond at most
 *   TC_E_BUSY         called from inside an ifunc, or a thread serves the context */
TC_MUST_CHECK TC_API tc_status tc_context_arm(tc_context *ctx);

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

/* Takes a connection instead of the context: a socket, which the callback owns and has to
 * close, and the address at its other end, "127.0.0.1:40212". Called from tc_progress and from
 * calls that progress; it may call nothing that progresses. */
typedef void (*tc_connection_callback)(void *user, int connection, const char *peer);

/* Has the listener give every connection that comes from now on to the callback, unread, for
 * another process to serve it (tc_listener_open_handed).
 *
 *   callback  NULL: the context serves them again
 *   user      passed on to it */
TC_API void tc_listener_hand_over(tc_listener *listener, tc_connection_callback callback,
                                  void *user);

/* Serves connections that another process has accepted. The accepting process sends them over a
 * Unix socket, each with a message of its own (SCM_RIGHTS); other contents of a message are
 * ignored, and so is a descriptor that is not a connected TCP socket. A peer of another host
 * opens UCX's network port as a listener beyond loopback does.
 *
 *   channel         of type SOCK_SEQPACKET; duplicated, and stays the caller's
 *   listener_out    as tc_listener_open; its port is 0
 *
 *   TC_OK           connections are taken
 *   TC_E_INVALID    channel is another kind of descriptor
 *   TC_E_IO         the operating system refused; the text says why
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_listener_open_handed(tc_context *ctx, int channel,
                                                       tc_listener **listener_out,
                                                       tc_error *err);

/* Ends a connection that was given to another process (tc_listener_hand_over) after that
 * process has died: the peer's endpoint fails with TC_E_PEER_LOST and this reason; with keys,
 * where nothing may be sent in clear text, without the reason. The process that gave the
 * connection away keeps a duplicate of the socket for this; otherwise the peer only sees the
 * connection end. Does not block.
 *
 *   ctx         the context of the listener that took it
 *   connection  is closed
 *   reason      at most 512 bytes; bytes that are not printable ASCII become '?' */
TC_API void tc_connection_end(tc_context *ctx, int connection, const char *reason);

/* The port that the listener is bound to. */
TC_API uint16_t tc_listener_port(const tc_listener *listener);

/* Accepts no further peers and frees the listener. Endpoints that it accepted stay open. NULL
 * is allowed. */
TC_API void tc_listener_close(tc_listener *listener);

/* Starts the compiler, and the processes that it compiles in, as many as are kept for the next
 * functions: for a program that cannot open files or start processes later, because it confines
 * itself. When such a process dies then, it is not replaced; without any, bitcode is refused.
 * With the option form=image nothing is ever compiled, and none is started.
 *
 *   TC_OK             it is ready, or about to be, or not needed
 *   TC_E_UNSUPPORTED  the library has no compiler here: images run all the same
 *   TC_E_VERSION      the compiler's module is of another version
 *   TC_E_COMPILE      LLVM does not work here
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_context_start_compiler(tc_context *ctx, tc_error *err);

/* The counters of a context, by index from 0 to tc_stats_count() - 1. Names ("messages_run",
 * "code_sent") and indices are stable; later versions append. tc_stats_name returns NULL and
 * tc_stats_value 0 for other indices. The manual page tc_context(3) explains every counter. */
TC_API size_t tc_stats_count(void);
TC_API const char *tc_stats_name(size_t index);
TC_API uint64_t tc_stats_value(const tc_context *ctx, size_t index);

#ifdef __cplusplus
}
#endif
#endif
