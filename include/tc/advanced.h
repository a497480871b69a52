/* Rare calls of contexts, endpoints and functions: for programs with an event loop of their
 * own, for nodes, and for measurements. <tc/tc.h> has the others. */
#ifndef TC_ADVANCED_H
#define TC_ADVANCED_H

#include <tc/tc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- an event loop of the program --------------------------------------------------------- */

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

/* The instruction by which this processor waits for a line of memory: "umwait", "mwaitx", "wfe"
 * or "wfet". NULL: it has none, or hides it from this machine, as many hypervisors do; then
 * tc_context_create refuses the option `wait` at `line` with TC_E_UNSUPPORTED. The text is
 * static. "wfe" has no bound of its own: with several peers that store, or beside UCX, `line`
 * pauses there instead. Any thread. */
TC_API const char *tc_wait_instruction(void);

/* --- blocking calls that end early -------------------------------------------------------- */

/* Called by calls that block, in their thread. Not 0: the call is to end. */
typedef int (*tc_interrupt_callback)(void *user);

/* Lets a program end calls that block before their deadlines, as an interpreter must when its
 * user presses Ctrl-C. Such a call invokes the callback after a twentieth of a second, and then
 * every twentieth of a second. When the callback returns a number other than 0, the call ends
 * as if its deadline had passed, with TC_E_TIMEOUT and a text that states the interruption, or
 * with its result if that has arrived by then. These calls invoke it: tc_ep_connect,
 * tc_ep_connect_address, tc_group_join (except while PMIx itself starts), tc_group_connect,
 * tc_group_barrier; and the flush of tc_ep_flush, tc_ep_close, tc_ep_finish,
 * tc_group_destroy, tc_context_destroy and tc_context_finish, which then loses messages as at
 * its deadline. Other calls that block can
 * be made with short timeouts, again and again: tc_wait, also after tc_ep_prepare and
 * tc_call_start.
 *
 *   callback   must not use the context; NULL: none */
TC_API void tc_context_set_interrupt(tc_context *ctx, tc_interrupt_callback callback,
                                     void *user);

/* --- connecting by address ---------------------------------------------------------------- */

/* Returns this context's address for tc_ep_connect_address and stores its size. The bytes are
 * opaque, owned by the context and valid while it lives. From the first call on peers can
 * connect by address; before it only a listener accepts them. The first call opens UCX's
 * network port, as said above; if UCX cannot, the log has the reason, and the address is one
 * for this host. A library that was built without the module ucx has no address: size 0. */
TC_API const void *tc_context_address(tc_context *ctx, size_t *size_out);

/* Connects to the peer's worker address, the bytes of its tc_context_address. Blocks,
 * progressing ctx; the peer must progress, too. Damaged bytes are detected. Bytes that an
 * attacker made reach the address parser of UCX, once their layout was checked, and make this
 * side connect to any destination that they name: take them only from a channel that you trust.
 * Neither side proves its identity this way, whatever keys are set (options key_file,
 * tls_cert): the network has to be trusted, and the identity is "".
 *
 *   address         the bytes; not needed after the call
 *   size            their number
 *
 *   TC_OK             the endpoint is open
 *   TC_E_CORRUPT      the bytes are not an address, or damaged
 *   TC_E_VERSION      the peer's protocol or UCX is another one; the text has both versions
 *   TC_E_UNSUPPORTED  the library was built without the module ucx
 *   TC_E_UNREACHABLE  UCX has no way there, because one of the two has no network port (option
 *                     network; with keys or delivery=stream there is none): the text says which
 *   as tc_ep_connect */
TC_MUST_CHECK TC_API tc_status tc_ep_connect_address(tc_context *ctx, const void *address,
                                                     size_t size, uint64_t timeout_ns,
                                                     tc_ep **ep_out, tc_error *err);

/* --- a socket of another process -------------------------------------------------------- */

/* Listens on a socket that another process has bound, and that listens already: that of a
 * systemd.socket(5) unit, or of the process that this one replaces. Peers that wait at it are
 * taken. From then on it blocks no process that has it.
 *
 *   socket          a TCP socket; duplicated, and stays the caller's
 *   listener_out    as tc_listener_open
 *
 *   TC_OK             peers can connect
 *   TC_E_INVALID      it is another kind of descriptor, or bound to an address outside loopback
 *                     without keys: tc_listener_open
 *   TC_E_UNSUPPORTED  the library was built without the module `serving`
 *   as tc_listener_open */
TC_MUST_CHECK TC_API tc_status tc_listener_open_socket(tc_context *ctx, int socket,
                                                       tc_listener **listener_out,
                                                       tc_error *err);

/* --- connections that another process serves ---------------------------------------------- */

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

/* --- trust and audit of a node ------------------------------------------------------------ */

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
 *   TC_E_BUSY       called from inside an ifunc or a callback: nothing is read
 *   TC_E_UNSUPPORTED  the library was built without its module trust */
TC_MUST_CHECK TC_API tc_status tc_context_reload_trust(tc_context *ctx, tc_error *err);

/* Opens the file of the option `audit` again by its name: for use after a rename, so that
 * further lines go into a new file. Does nothing without such a file.
 *
 *   TC_OK           lines go into the file that has the name now
 *   TC_E_INVALID    it is not a regular file of this user's that no other user can access, or
 *                   it is a symbolic link: lines still go into the previous file
 *   TC_E_IO         it cannot be opened: the same */
TC_MUST_CHECK TC_API tc_status tc_context_reopen_audit(tc_context *ctx, tc_error *err);

/* --- the compiler ------------------------------------------------------------------------- */

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

/* --- counters ----------------------------------------------------------------------------- */

/* The counters of a context, by index from 0 to tc_stats_count() - 1. Names ("messages_run",
 * "code_sent") and indices are stable; later versions append. tc_stats_name returns NULL and
 * tc_stats_value 0 for other indices. The manual page tc_context(3) explains every counter. */
TC_API size_t tc_stats_count(void);
TC_API const char *tc_stats_name(size_t index);
TC_API uint64_t tc_stats_value(const tc_context *ctx, size_t index);

/* --- functions ---------------------------------------------------------------------------- */

/* Writes the content id. */
TC_API void tc_ifunc_id(const tc_ifunc *fn, uint8_t id_out[TC_IFUNC_ID_BYTES]);

/* The name of the key of the option trust that has signed the function; "" when none has, or no
 * signature came with it. Valid until fn is closed, or trust is read again. */
TC_API const char *tc_ifunc_signer(const tc_ifunc *fn);

/* The size of archive and dependency list, bytes. */
TC_API size_t tc_ifunc_code_size(const tc_ifunc *fn);

/* The alignment that the function asks of its payloads by TC_PAYLOAD_ALIGN (<tc/entry.h>),
 * bytes; 4096 if it asks for read-only ones (TC_PAYLOAD_READONLY), 16 if for nothing. */
TC_API size_t tc_ifunc_payload_alignment(const tc_ifunc *fn);

/* Registers code of this process for a function: messages for it run `main`, and the archive's
 * code is not loaded. Peers that send the same archive, or with the option code_push off only
 * its id, run it from then on. After "local function" of the Two-Chains paper, III.
 *
 *   main          must stay callable until the context is destroyed
 *
 *   TC_OK         messages run `main`; also when they did so already
 *   TC_E_INVALID  main is NULL, the function was loaded already, it has holes without values,
 *                 or it defines more entry points than NAME_main: tc_ifunc_use_local_entries
 *                 takes those, too */
TC_MUST_CHECK TC_API tc_status tc_ifunc_use_local(
    tc_ifunc *fn, void (*main)(void *payload, size_t payload_size, void *target_args),
    tc_error *err);

/* tc_ifunc_use_local of a function that makes its payloads, or of any other: all that its
 * archive defines. Payloads that this context sends are made by these functions then, so a
 * source and a target that both run local code compile none.
 *
 *   main                  as for tc_ifunc_use_local, like the two others
 *   payload_get_max_size  NULL if the archive has no NAME_payload_get_max_size
 *   payload_init          NULL if the archive has no NAME_payload_init
 *
 *   TC_OK         messages run `main`; also when they did so already
 *   TC_E_INVALID  main is NULL, the function was loaded already or has holes without values,
 *                 the archive defines payload functions that were not given or does not define
 *                 those that were, or they are of the original's API */
TC_MUST_CHECK TC_API tc_status tc_ifunc_use_local_entries(
    tc_ifunc *fn, void (*main)(void *payload, size_t payload_size, void *target_args),
    size_t (*payload_get_max_size)(void *source_args, size_t source_args_size),
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size),
    tc_error *err);

/* --- other ways to send ------------------------------------------------------------------- */

/* tc_send with a message that carries the code even if the peer has it: the cost of a system
 * without a code cache.
 *
 *   as tc_send */
TC_MUST_CHECK TC_API tc_status tc_send_uncached(tc_ep *ep, tc_ifunc *fn,
                                                const void *source_args, size_t size);

/* tc_send with a message that brings an image of the function, which runs for this message and
 * is dropped afterwards: the target looks nothing up, keeps nothing and needs no compiler.
 * After "injected function" of the Two-Chains paper, III. Static data starts afresh in each
 * invocation, tc_self_ifunc() returns NULL, and no exception may leave the function. The image
 * is the one for every CPU of the peer's architecture.
 *
 *   TC_OK           the message is sent
 *   TC_E_AGAIN      no credit at the peer; never queued, also not inside an ifunc
 *   TC_E_NO_SLICE   the archive has no image for every CPU of the peer's architecture
 *   TC_E_UNSUPPORTED  also: the function is of C++ and may throw or catch exceptions, it asks
 *                     for read-only payloads (TC_PAYLOAD_READONLY), or the library was built
 *                     without the module `injected`
 *   TC_E_TOO_LARGE  payload and code together exceed tc_ep_info.frame_payload_max, and the
 *                   payload cannot lie in the memory for large ones: option staging_bytes has
 *                   less than twice its size, or the peer is not on this host, or has not
 *                   attached that memory yet (which is offered with the first large payload)
 *   as tc_send */
TC_MUST_CHECK TC_API tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn,
                                                const void *source_args, size_t size);

/* --- payloads that are built once --------------------------------------------------------- */

typedef struct tc_message tc_message;

/* Builds a payload once, to be sent to many endpoints.
 *
 *   message_out       owned by the caller; see tc_message_destroy
 *
 *   TC_OK             the payload is built
 *   TC_E_PAYLOAD      NAME_payload_init returned non-zero
 *   TC_E_UNSUPPORTED  as tc_send
 *   TC_E_NO_MEMORY    an allocation failed
 *
 * If NAME_payload_init cannot be loaded here, the status is one of tc_loader_resolve. */
TC_MUST_CHECK TC_API tc_status tc_message_create(tc_ifunc *fn, const void *source_args,
                                                 size_t size, tc_message **message_out,
                                                 tc_error *err);

/* The payload and its size. It may be changed between sends. */
TC_API void *tc_message_payload(tc_message *message, size_t *size_out);

/* tc_send of a payload that was built before.
 *
 *   as tc_send */
TC_MUST_CHECK TC_API tc_status tc_message_send(tc_ep *ep, const tc_message *message);

/* Frees the payload. Not while tc_message_send of it returns TC_E_AGAIN. NULL is allowed. */
TC_API void tc_message_destroy(tc_message *message);

#ifdef __cplusplus
}
#endif
#endif
