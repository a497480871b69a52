/* An ifunc: a function that can be sent. Its name is for people. Its identity is its content
 * id, the first 128 bits of BLAKE2b over the archive and its dependency list, so changed code
 * under an old name is another function.
 *
 * An archive (NAME.tca, made by tc-clang or tc-ar) defines NAME_main and may define
 * NAME_payload_get_max_size and NAME_payload_init; see <tc/entry.h>.
 *
 * Archives are validated when they are opened: malformed bytes are TC_E_CORRUPT and touch
 * nothing. Their code is not checked: the author of an archive decides which code runs. Handles
 * belong to the thread of their context. */
#ifndef TC_IFUNC_H
#define TC_IFUNC_H

#include <tc/endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_ifunc tc_ifunc;
typedef struct tc_message tc_message;

#define TC_IFUNC_ID_BYTES 16

/* Opens an archive by the function's name. Reads NAME.tca and, if they exist, NAME.deps and the
 * signature NAME.tca.minisig from the first folder of the option ifunc_path that has NAME.tca.
 * Every call reads the files again. The same content gives the same handle, reference-counted:
 * close it as often as it was opened.
 *
 *   name            at most 63 characters, no '/', no '.' in front
 *   fn_out          see tc_ifunc_close
 *
 *   TC_OK           the function can be sent
 *   TC_E_NOT_FOUND  no folder of ifunc_path has NAME.tca; the text names the folders
 *   TC_E_INVALID    the name is malformed, or the path too long
 *   TC_E_CORRUPT    the archive is malformed, truncated or damaged; the text says where
 *   TC_E_VERSION    the archive's format is newer, or needs a dictionary that this library
 *                   lacks
 *   TC_E_TOO_LARGE  the archive exceeds the option code_bytes_max or a limit of the format, the
 *                   .deps file exceeds 64 KiB, or functions_max functions are in use: open,
 *                   bound by peers, or sent to a peer that has not run all its messages
 *   TC_E_REFUSED    its signature is not that of the key it names, the option code_revoked
 *                   lists it, or require_signature is `all` and no key of trust has signed it
 *   TC_E_IO         a file exists and cannot be read
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open(tc_context *ctx, const char *name,
                                             tc_ifunc **fn_out, tc_error *err);

/* Opens the archive at a path. Its .deps file has the same path with .deps for .tca, its
 * signature the same with .minisig behind it.
 *
 *   TC_OK           the function can be sent
 *   TC_E_NOT_FOUND  there is no such file
 *   as tc_ifunc_open */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_file(tc_context *ctx, const char *path,
                                                  tc_ifunc **fn_out, tc_error *err);

/* Opens an archive in memory. Both byte ranges are copied.
 *
 *   archive         archive_size bytes of a .tca file
 *   deps            deps_size bytes of a .deps file, one library per line; or NULL
 *
 *   TC_OK           the function can be sent
 *   TC_E_CORRUPT    as tc_ifunc_open
 *   TC_E_VERSION    as tc_ifunc_open
 *   TC_E_TOO_LARGE  as tc_ifunc_open
 *   TC_E_REFUSED    as tc_ifunc_open
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive,
                                                    size_t archive_size, const char *deps,
                                                    size_t deps_size, tc_ifunc **fn_out,
                                                    tc_error *err);

/* Opens an archive in memory with its signature, as tc_ifunc_open does with NAME.tca.minisig:
 * the signature goes along wherever the function is sent.
 *
 *   signature       signature_size bytes of a .minisig file, as `tc-ar sign` writes it; or NULL
 *
 *   TC_E_CORRUPT    also: the signature is malformed
 *   TC_E_VERSION    also: it is of minisign's older kind
 *   as tc_ifunc_open_memory */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_signed(tc_context *ctx, const void *archive,
                                                    size_t archive_size, const char *deps,
                                                    size_t deps_size, const char *signature,
                                                    size_t signature_size, tc_ifunc **fn_out,
                                                    tc_error *err);

/* An archive that is part of the program: `tc-ar embed NAME.tca -o FILE.c` writes a source that
 * defines `const tc_embedded NAME_tca`, and tc_add_ifunc(NAME ... EMBED) makes a library of it
 * that a target links. Declare it with `extern const tc_embedded NAME_tca;`. */
typedef struct tc_embedded {
    const void *archive;
    size_t archive_size;
    const char *deps; /* NULL: none */
    size_t deps_size;
    const char *signature; /* NULL: none */
    size_t signature_size;
} tc_embedded;

/* Opens an archive that is part of the program; no file is needed where the program runs.
 *
 *   as tc_ifunc_open_signed */
TC_MUST_CHECK static inline tc_status tc_ifunc_open_embedded(tc_context *ctx,
                                                             const tc_embedded *embedded,
                                                             tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_signed(ctx, embedded->archive, embedded->archive_size, embedded->deps,
                                embedded->deps_size, embedded->signature,
                                embedded->signature_size, fn_out, err);
}

/* LLVM bitcode for one target, from any compiler. */
typedef struct tc_bitcode {
    const char *triple; /* any spelling: "x86_64-pc-linux-gnu" */
    const void *bytes;
    size_t size; /* bytes at bytes */
} tc_bitcode;

/* Implements tc_ifunc_open_bitcode; takes the size of the caller's tc_bitcode.
 *
 *   as tc_ifunc_open_bitcode */
TC_MUST_CHECK TC_API tc_status tc_ifunc_open_bitcode_sized(tc_context *ctx, const char *name,
                                                           const tc_bitcode *slices,
                                                           size_t count, size_t slice_size,
                                                           const char *deps, size_t deps_size,
                                                           tc_ifunc **fn_out, tc_error *err);

/* Makes an archive of bitcode and opens it: of the output of another compiler, or of bitcode
 * that a program or a function has made at run time. The slices define NAME_main and, if the
 * first slice has the names, the two functions that make payloads. The same bitcode gives the
 * same handle, wherever it was opened before.
 *
 * The bitcode is not read here. A process that is to run it verifies it; bitcode that does not
 * verify is refused there, as any function, with a text that has LLVM's findings.
 *
 *   name              a C identifier
 *   slices            `count` of them, one per target; copied
 *   deps              deps_size bytes of a .deps file, or NULL
 *
 *   TC_OK             the function can be sent
 *   TC_E_INVALID      name is no C identifier, count is 0, a slice is empty or a triple
 *                     malformed
 *   TC_E_IN_USE       two slices are for one target
 *   TC_E_UNSUPPORTED  a slice has a field that this library does not know
 *   as tc_ifunc_open_memory */
TC_MUST_CHECK static inline tc_status
tc_ifunc_open_bitcode(tc_context *ctx, const char *name, const tc_bitcode *slices, size_t count,
                      const char *deps, size_t deps_size, tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_bitcode_sized(ctx, name, slices, count, sizeof *slices, deps,
                                       deps_size, fn_out, err);
}

/* The name of the key of the option trust that has signed the function; "" when none has, or no
 * signature came with it. Valid until fn is closed, or trust is read again. */
TC_API const char *tc_ifunc_signer(const tc_ifunc *fn);

/* Gives one reference back. Messages that were sent still run. NULL is allowed. */
TC_API void tc_ifunc_close(tc_ifunc *fn);

/* The function's name, valid while fn is open. */
TC_API const char *tc_ifunc_name(const tc_ifunc *fn);

/* Writes the content id. */
TC_API void tc_ifunc_id(const tc_ifunc *fn, uint8_t id_out[TC_IFUNC_ID_BYTES]);

/* The size of archive and dependency list, bytes. */
TC_API size_t tc_ifunc_code_size(const tc_ifunc *fn);

/* The alignment that the function asks of its payloads by TC_PAYLOAD_ALIGN (<tc/entry.h>),
 * bytes; 4096 if it asks for read-only ones (TC_PAYLOAD_READONLY), 16 if for nothing. */
TC_API size_t tc_ifunc_payload_alignment(const tc_ifunc *fn);

/* Sends one message. NAME_payload_init makes the payload from the source arguments; if the
 * library does not define it, the payload is a copy of them. The first message of a function to
 * an endpoint carries the code. It never blocks, except for the first payload that
 * NAME_payload_init makes: the function is loaded here then (0.5 ms and more for bitcode).
 *
 * The first message after a tc_progress is sent at once. Later ones may be coalesced until the
 * next tc_progress, tc_wait or tc_ep_flush, so a program that sends has to call one of these.
 *
 *   source_args       bytes for NAME_payload_init, or the payload itself
 *   size              bytes at source_args
 *
 *   TC_OK             the message is sent or queued; source_args may be reused
 *   TC_E_AGAIN        no credit at the peer: call tc_wait, which returns when there is some,
 *                     or tc_progress, and retry. Inside an ifunc the message is queued
 *                     instead, up to the option send_queue_bytes. A payload
 *                     above tc_ep_info.frame_payload_max may be partly sent: leave source_args
 *                     unchanged and repeat the same call until it returns another status, or
 *                     close the endpoint
 *   TC_E_BUSY         such a payload is partly sent, and this is another message; or called
 *                     from NAME_payload_init
 *   TC_E_TOO_LARGE    the payload exceeds tc_ep_info.payload_max, or the peer's limit
 *   TC_E_REFUSED      the peer has refused this function, for another reason than lack of
 *                     memory; see tc_ep_refusal
 *   TC_E_PAYLOAD      NAME_payload_init returned non-zero, or the two that make payloads failed
 *   TC_E_UNSUPPORTED  NAME_payload_init is of the original's API, or this build cannot load it
 *   TC_E_NO_MEMORY    an allocation failed here, or at the peer for a payload above
 *                     tc_ep_info.frame_payload_max
 *   TC_E_PEER_LOST    the peer died or broke the protocol
 *   TC_E_CLOSED       the peer, or this side, closed the endpoint
 *
 * If NAME_payload_init cannot be loaded here, the status is one of tc_loader_resolve.
 * tc_send_error has a text for all of these but TC_E_AGAIN. */
TC_MUST_CHECK TC_API tc_status tc_send(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                       size_t size);

/* Returns why the newest message of this context that could not be sent failed: the status and,
 * in err, the text of tc_send, tc_send_uncached, tc_send_injected, tc_message_send or
 * tc_group_send, which take no tc_error because every message passes through them.
 *
 *   TC_OK    no message has failed, and err stays as it was; TC_E_AGAIN is no failure
 *   as tc_send */
TC_API tc_status tc_send_error(const tc_context *ctx, tc_error *err);

/* tc_send that waits for capacity at the peer instead of returning TC_E_AGAIN. Blocks,
 * progressing.
 *
 *   timeout_ns      how long to wait for capacity; 0: not at all
 *
 *   TC_OK           the message is sent or queued; source_args may be reused
 *   TC_E_TIMEOUT    there was no capacity in time. A payload above tc_ep_info.frame_payload_max
 *                   may be partly sent: repeat the same call, or close the endpoint
 *   TC_E_BUSY       called from inside an ifunc, or another message is partly sent
 *   as tc_send      with a text in err */
TC_MUST_CHECK TC_API tc_status tc_send_wait(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                            size_t size, uint64_t timeout_ns, tc_error *err);

/* Sends the code of a function ahead and has the peer load it. Messages on this endpoint run
 * meanwhile. Blocks, progressing.
 *
 *   timeout_ns      0: return as soon as the code is sent
 *
 *   TC_OK           fn is callable at the peer; with timeout_ns 0: the code is sent
 *   TC_E_REFUSED    the peer refused the function; err has its reason
 *   TC_E_TIMEOUT    the peer did not report in time; it may still load the function
 *   TC_E_PEER_LOST  the peer died or broke the protocol
 *   TC_E_CLOSED     the peer, or this side, closed the endpoint
 *   TC_E_BUSY       called from inside an ifunc */
TC_MUST_CHECK TC_API tc_status tc_ep_prepare(tc_ep *ep, tc_ifunc *fn, uint64_t timeout_ns,
                                             tc_error *err);

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
 *   TC_E_UNSUPPORTED  also: the function is of C++ and may throw or catch exceptions, or it
 *                     asks for read-only payloads (TC_PAYLOAD_READONLY)
 *   TC_E_TOO_LARGE  payload and code together exceed tc_ep_info.frame_payload_max, and the
 *                   payload cannot lie in the memory for large ones: option staging_bytes has
 *                   less than twice its size, or the peer is not on this host, or has not
 *                   attached that memory yet (which is offered with the first large payload)
 *   as tc_send */
TC_MUST_CHECK TC_API tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn,
                                                const void *source_args, size_t size);

/* Registers code of this process for a function: messages for it run `main`, and the archive's
 * code is not loaded. Peers that send the same archive, or with the option code_push off only
 * its id, run it from then on. After "local function" of the Two-Chains paper, III.
 *
 *   main          must stay callable until the context is destroyed
 *
 *   TC_OK         messages run `main`
 *   TC_E_INVALID  main is NULL, the function was loaded already, or it defines more entry
 *                 points than NAME_main: tc_ifunc_use_local_entries takes those, too */
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
 *   TC_OK         messages run `main`
 *   TC_E_INVALID  main is NULL, the function was loaded already, the archive defines payload
 *                 functions that were not given or does not define those that were, or they are
 *                 of the original's API */
TC_MUST_CHECK TC_API tc_status tc_ifunc_use_local_entries(
    tc_ifunc *fn, void (*main)(void *payload, size_t payload_size, void *target_args),
    size_t (*payload_get_max_size)(void *source_args, size_t source_args_size),
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size),
    tc_error *err);

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
