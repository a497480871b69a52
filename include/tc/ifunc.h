/* An ifunc: a function that can be sent. Its name is for people; its identity is the 128-bit
 * BLAKE2b hash of its archive and dependency list, so changed code under an old name is another
 * function.
 *
 * An archive (NAME.tca, made by tc-clang or tc-ar) holds NAME_main and may hold
 * NAME_payload_get_max_size and NAME_payload_init; see <tc/entry.h>. */
#ifndef TC_IFUNC_H
#define TC_IFUNC_H

#include <tc/endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_ifunc tc_ifunc;
typedef struct tc_message tc_message;

#define TC_IFUNC_ID_BYTES 16

/* Reads NAME.tca and, when present, NAME.deps from the first folder of the option ifunc_path
 * that has NAME.tca. The files are read anew by each call. The same content gives the same
 * handle, counted: close it as often as it was opened. TC_E_NOT_FOUND (the text names the
 * folders), TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY. err may be
 * NULL. */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open(tc_context *ctx, const char *name,
                                             tc_ifunc **fn_out, tc_error *err);

/* From one file's path; its .deps file is the path with the suffix replaced. */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_file(tc_context *ctx, const char *path,
                                                  tc_ifunc **fn_out, tc_error *err);

/* From memory; both byte ranges are copied. deps is the text of a .deps file (one library per
 * line) or NULL. */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive,
                                                    size_t archive_size, const char *deps,
                                                    size_t deps_size, tc_ifunc **fn_out,
                                                    tc_error *err);

/* Messages that were sent already still run. */
TC_API void tc_ifunc_close(tc_ifunc *fn);

TC_API const char *tc_ifunc_name(const tc_ifunc *fn);
TC_API void tc_ifunc_id(const tc_ifunc *fn, uint8_t id_out[TC_IFUNC_ID_BYTES]);
/* Size of archive and dependency list, bytes. */
TC_API size_t tc_ifunc_code_size(const tc_ifunc *fn);

/* Sends one message: the payload is what NAME_payload_init makes of the source arguments, or a
 * copy of them when the library defines no such function. The first message to an endpoint
 * carries the code. Never blocks, but for the first payload that a function's
 * NAME_payload_init makes: that is loaded here then (0.5 ms and more for bitcode).
 *
 * Of the messages sent between two calls of tc_progress the first leaves at once. Those behind
 * it may leave together, at the latest with the next tc_progress, tc_wait or tc_ep_flush; so a
 * program that sends has to call one of these.
 *
 * TC_E_AGAIN: no room at the peer now; tc_progress and try again (from inside an ifunc the
 * message is queued, up to the option send_queue_bytes, before that is said). With a payload
 * above tc_ep_info.frame_payload_max part of it may be on its way, read where it is: leave it
 * there, unchanged, and repeat the call until it gives something else, or close the endpoint.
 * Another message gives TC_E_BUSY meanwhile. TC_E_TOO_LARGE:
 * payload above tc_ep_info.payload_max. TC_E_REFUSED: the peer has refused this function;
 * tc_ep_refusal has its reason. TC_E_PAYLOAD, TC_E_UNSUPPORTED, TC_E_COMPILE, ...:
 * NAME_payload_init failed or could not be loaded here. TC_E_PEER_LOST, TC_E_CLOSED: the
 * endpoint is of no more use. */
TC_MUST_CHECK TC_API tc_status tc_send(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                       size_t size);

/* Sends the code ahead, so that no message has to wait for it: TC_OK when fn is callable at the
 * peer, where messages on this endpoint go on meanwhile. Blocks, progressing, for timeout_ns at
 * most; 0: returns as soon as the code is on its way. TC_E_REFUSED (err has the peer's reason),
 * TC_E_TIMEOUT, TC_E_PEER_LOST, TC_E_CLOSED, TC_E_BUSY (from inside an ifunc). err may be NULL.
 */
TC_MUST_CHECK TC_API tc_status tc_ep_prepare(tc_ep *ep, tc_ifunc *fn, uint64_t timeout_ns,
                                             tc_error *err);

/* tc_send that carries the code though the peer has it: what a system without a code cache
 * pays. */
TC_MUST_CHECK TC_API tc_status tc_send_uncached(tc_ep *ep, tc_ifunc *fn,
                                                const void *source_args, size_t size);

/* tc_send whose message brings an image of the function along, which runs for this one message
 * and is then forgotten: the target looks nothing up, keeps nothing, and needs no compiler.
 * After "injected function" of the Two-Chains paper, III. Static data begins anew in each call;
 * inside, tc_self_ifunc() is NULL; nothing can be thrown through it. The image is the one that
 * any CPU of the peer's architecture runs. Statuses of tc_send; TC_E_NO_SLICE: the archive has
 * no such image; TC_E_TOO_LARGE: payload and code exceed one frame (tc_ep_info,
 * frame_payload_max). From inside an ifunc it is never queued: TC_E_AGAIN. */
TC_MUST_CHECK TC_API tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn,
                                                const void *source_args, size_t size);

/* This process has the function already, as code of its own: messages for it run `main`, and
 * what the archive holds is not loaded. Peers that send the same archive (with option code_push
 * off: only its id) call it from then on. For functions without NAME_payload_init. After "local
 * function" of the Two-Chains paper, III. TC_E_INVALID: it was loaded already, or has more
 * entry points than NAME_main. */
TC_MUST_CHECK TC_API tc_status tc_ifunc_use_local(
    tc_ifunc *fn, void (*main)(void *payload, size_t payload_size, void *target_args));

/* Builds a payload once, to be sent to many endpoints. Statuses as tc_send's about payloads;
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK TC_API tc_status tc_message_create(tc_ifunc *fn, const void *source_args,
                                                 size_t size, tc_message **message_out);
/* The payload, which may be changed between sends. */
TC_API void *tc_message_payload(tc_message *message, size_t *size_out);
TC_MUST_CHECK TC_API tc_status tc_message_send(tc_ep *ep, const tc_message *message);
TC_API void tc_message_destroy(tc_message *message);

#ifdef __cplusplus
}
#endif
#endif
