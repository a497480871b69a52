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

#include <stdint.h>
#include <tc/abi.h>
#include <tc/endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_ifunc tc_ifunc;
struct iovec; /* of <sys/uio.h> */

#define TC_IFUNC_ID_BYTES 16

/* Opens a function by its name. Reads NAME.tca and, if they exist, NAME.deps and the
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

/* LLVM bitcode for one target, from any compiler. */
typedef struct tc_bitcode {
    const char *triple; /* any spelling: "x86_64-pc-linux-gnu" */
    const void *bytes;
    size_t size; /* bytes at bytes */
} tc_bitcode;

/* Code to open: of a function, a library or a package. A zeroed struct is valid as soon as one
 * source is set: `name` alone, `path`, `bytes`, or `slices` with `name`. */
typedef struct tc_code {
    const char *name;  /* as for tc_ifunc_open; with slices the name to give: a C identifier */
    const char *path;  /* of a .tca or .tcp file */
    const void *bytes; /* the content of such a file; "" is an empty one */
    size_t size;       /* bytes at bytes */
    const char *deps;  /* with bytes or slices: a .deps file, one library per line; or NULL */
    size_t deps_size;  /* bytes at deps */
    const char *signature; /* with bytes: a .minisig file, as `tc-ar sign` writes it; or NULL */
    size_t signature_size; /* bytes at signature */
    const tc_bitcode *slices; /* bitcode, one for each target */
    size_t slice_count;
    const uint8_t *id;     /* the content id that the code must have, 16 bytes; or NULL */
    const char *prototype; /* with slices: the function's, as TC_PROTOTYPE has it; or NULL */
} tc_code;

/* Describes an archive that is part of the program, for the functions that take a tc_code. */
static inline tc_code tc_code_embedded(const tc_embedded *embedded)
{
    tc_code code = {NULL,
                    NULL,
                    embedded->archive,
                    embedded->archive_size,
                    embedded->deps,
                    embedded->deps_size,
                    embedded->signature,
                    embedded->signature_size,
                    NULL,
                    0,
                    NULL,
                    NULL};
    return code;
}

/* Opens a function from any source. The same content gives the same handle as tc_ifunc_open
 * does.
 *
 * An archive at a path has its .deps file at the same path with .deps for .tca, its signature
 * at the same with .minisig behind it. An archive in memory has them in the struct; the
 * signature goes along wherever the function is sent.
 *
 * Of slices an archive is made: of the output of another compiler, or of bitcode that a program
 * or a function has made at run time. They define NAME_main and, if the first slice has the
 * names, the two functions that make payloads. The bitcode is not read here. A process that is
 * to run it verifies it; bitcode that does not verify is refused there, as any function, with a
 * text that has LLVM's findings.
 *
 *   code              all that it points to is copied
 *   fn_out            see tc_ifunc_close
 *
 *   TC_OK             the function can be sent
 *   TC_E_NOT_FOUND    also: there is no file at the path
 *   TC_E_INVALID      also: not exactly one source is set, or a field that does not belong to
 *                     it is; the archive is a library's; a slice is empty, `slice_count` is
 *                     0, or a triple or the prototype is malformed
 *   TC_E_CORRUPT      also: the signature is malformed
 *   TC_E_VERSION      also: the signature is of minisign's older kind, or the content id is
 *                     another one than `id`
 *   TC_E_IN_USE       two slices are for one target
 *   TC_E_UNSUPPORTED  code or a slice has a field that this library does not know; there are
 *                     slices, and the library was built without the module `engine`
 *   as tc_ifunc_open */
TC_MUST_CHECK static inline tc_status tc_ifunc_open_code(tc_context *ctx, const tc_code *code,
                                                         tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_code_sized(ctx, code, sizeof *code, sizeof *code->slices, fn_out, err);
}

/* Opens an archive that is part of the program; no file is needed where the program runs.
 *
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status tc_ifunc_open_embedded(tc_context *ctx,
                                                             const tc_embedded *embedded,
                                                             tc_ifunc **fn_out, tc_error *err)
{
    tc_code code = tc_code_embedded(embedded);
    return tc_ifunc_open_code(ctx, &code, fn_out, err);
}

/* The kind of a hole, or of its value. */
typedef enum tc_hole_kind {
    TC_HOLE_BYTES = 0, /* not stated: a struct, an array, an old archive */
    TC_HOLE_INTEGER = 1,
    TC_HOLE_FLOATING = 2 /* IEEE 754 */
} tc_hole_kind;

/* A hole: a constant of a function that its sender sets (TC_HOLE of <tc/entry.h>). */
typedef struct tc_hole_info {
    const char *name; /* valid while the function is open */
    size_t size;      /* bytes of its value */
    tc_hole_kind kind;
} tc_hole_info;

/* Returns the number of holes that want values: 0 for a function without holes, for one that
 * has its values, for one that tc_ifunc_fill refuses as TC_E_UNSUPPORTED, and without the
 * module `holes`.
 *
 *   infos  gets the first `count` of them, in the byte order of their names; NULL with 0 */
static inline size_t tc_ifunc_holes(const tc_ifunc *fn, tc_hole_info *infos, size_t count)
{
    return tc_ifunc_holes_sized(fn, infos, count, sizeof *infos);
}

/* A value for a hole. */
typedef struct tc_hole_value {
    const char *name;  /* of the hole */
    const void *value; /* its bytes, as the target's processor has them in memory */
    size_t size;       /* bytes at value */
    tc_hole_kind kind; /* of the value; TC_HOLE_BYTES fits any hole of its size */
} tc_hole_value;

#ifndef __cplusplus
/* Initialises a tc_hole_value by a variable, with the size and kind of its type:
 *
 *   const tc_hole_value value = TC_HOLE_VALUE("threshold", threshold);
 *
 * C++ has tc::hole of <tc/handles.hpp>. */
#define TC_HOLE_VALUE(name, variable)                                                          \
    {                                                                                          \
        (name), &(variable), sizeof(variable), TC_HOLE_KIND(variable)                          \
    }
#define TC_HOLE_KIND(variable)                                                                 \
    _Generic((variable), float                                                                 \
             : TC_HOLE_FLOATING, double                                                        \
             : TC_HOLE_FLOATING, _Bool                                                         \
             : TC_HOLE_INTEGER, char                                                           \
             : TC_HOLE_INTEGER, signed char                                                    \
             : TC_HOLE_INTEGER, unsigned char                                                  \
             : TC_HOLE_INTEGER, short                                                          \
             : TC_HOLE_INTEGER, unsigned short                                                 \
             : TC_HOLE_INTEGER, int                                                            \
             : TC_HOLE_INTEGER, unsigned                                                       \
             : TC_HOLE_INTEGER, long                                                           \
             : TC_HOLE_INTEGER, unsigned long                                                  \
             : TC_HOLE_INTEGER, long long                                                      \
             : TC_HOLE_INTEGER, unsigned long long                                             \
             : TC_HOLE_INTEGER, default                                                        \
             : TC_HOLE_BYTES)
#endif

/* Sets the holes of a function. The result is a function of its own, with an id that follows
 * from the code's and the values; the same values give the same handle. It is sent and called
 * like any other, and two of one code are two functions at one target. A target that has the
 * code gets the values alone, writes them into a copy, and needs no compiler: some
 * microseconds. One that lacks the code asks for it.
 *
 * The code of fn travels as one archive of images. Values are not signed: a sender of signed
 * code chooses them, as it chooses payloads. A peer of an older release refuses the function
 * with TC_E_VERSION.
 *
 *   values            one for each hole of fn, in any order; copied
 *   count             of values
 *   filled_out        see tc_ifunc_close. Closing either handle leaves the other
 *
 *   TC_OK             the function can be sent
 *   TC_E_NOT_FOUND    fn has no hole of that name; the text has one that it has
 *   TC_E_INVALID      fn has no holes, or is filled; a hole has no value or two, or a value of
 *                     another size or kind; the text has the name and both
 *   TC_E_UNSUPPORTED  the archive of fn has bitcode beside its images, or is packed with a
 *                     dictionary (tc-clang makes neither of code with holes); a field of
 *                     tc_hole_value is not known to this library; the library was built without
 *                     the module `holes`
 *   TC_E_CORRUPT      the image of fn is malformed
 *   TC_E_TOO_LARGE    functions_max functions are in use
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK static inline tc_status tc_ifunc_fill(tc_ifunc *fn, const tc_hole_value *values,
                                                    size_t count, tc_ifunc **filled_out,
                                                    tc_error *err)
{
    return tc_ifunc_fill_sized(fn, values, count, sizeof *values, filled_out, err);
}

/* Gives one reference back. Messages that were sent still run. NULL is allowed. */
TC_API void tc_ifunc_close(tc_ifunc *fn);

/* The function's name, valid while fn is open. */
TC_API const char *tc_ifunc_name(const tc_ifunc *fn);

/* The types of the function's arguments and of its answer, as TC_PROTOTYPE (tc/entry.h) stated
 * them, or NULL. Valid while fn is open. The maker of the archive chose the text: it has 2 to
 * 511 printable characters, and may be no prototype. */
TC_API const char *tc_ifunc_prototype(const tc_ifunc *fn);

/* Compares a caller's prototype with the function's. Typed callers do so before their messages;
 * tc_send and tc_call send any bytes. A struct may stand as `?size:alignment`,
 * which agrees with any type of that size and alignment. The library remembers the address of
 * the last text that agreed, so the next call with it costs a comparison.
 *
 *   prototype         see docs/payload-layout.md; it must stay, unchanged, while fn is open
 *
 *   TC_OK             they agree, or the function has none
 *   TC_E_VERSION      they do not; the text has both
 *   TC_E_INVALID      `prototype` is NULL or no prototype; the text has the offset
 *   TC_E_CORRUPT      the function's own text is malformed
 *   TC_E_UNSUPPORTED  the library was built without the module `calls` */
TC_MUST_CHECK TC_API tc_status tc_ifunc_check_prototype(tc_ifunc *fn, const char *prototype,
                                                        tc_error *err);

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
 * Without memory for the text, err receives tc_status_text of the status.
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
 *   TC_E_BUSY       called from inside an ifunc that is not TC_THREADED (tc/task.h), or another
 *                   message is partly sent
 *   as tc_task_sleep  called from inside one that is TC_THREADED, and that could not wait
 *   as tc_send      with a text in err */
TC_MUST_CHECK TC_API tc_status tc_send_wait(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                            size_t size, uint64_t timeout_ns, tc_error *err);

#define TC_SEND_PARTS_MAX 16u

/* Called once for a send that has ended, in a call that progresses or closes. It must not call
 * functions that block. It may start further sends. */
typedef void (*tc_send_callback)(void *user, tc_status status);

/* A zeroed struct is valid. */
typedef struct tc_send_params {
    tc_send_callback done; /* or NULL */
    void *user;            /* first argument of done */
    uint64_t *ended;       /* one is added when the send ends, before done; or NULL */
} tc_send_params;

/* Starts to send one message, whose payload is the parts, one behind the other. The library
 * reads the parts where they are, then or later: they must stay unchanged until the send has
 * ended. It ends in a later call that progresses the context, also if the message has left
 * before this returns; or in the call that closes the endpoint (tc_ep_close,
 * tc_context_destroy). A payload of one part leaves without another copy in memory, however
 * large; several parts above tc_ep_info.frame_payload_max are put together first. Messages of
 * this call and of tc_send run in the order of the calls. Never blocks. Allowed inside an
 * ifunc.
 *
 *   parts             the list is copied, the bytes are not; parts may be empty
 *   count             at most TC_SEND_PARTS_MAX; 0: an empty payload
 *   params            copied; NULL: as if it were zeroed. tc_ep_flush then shows the end
 *
 *   TC_OK             the send is under way. It ends with TC_OK when the message is sent, as
 *                     for tc_send; else with the status for which it was dropped: TC_E_REFUSED,
 *                     TC_E_TOO_LARGE or TC_E_NO_MEMORY as for tc_send, that of tc_ep_error when
 *                     the endpoint ended first
 *   TC_E_AGAIN        records of sends that wait fill the option send_queue_bytes, 65,536 sends
 *                     have ended and are not reported yet, or the endpoint is not open yet:
 *                     call tc_wait or tc_progress, and retry
 *   TC_E_INVALID      there are more than TC_SEND_PARTS_MAX parts
 *   TC_E_BUSY         a payload of tc_send is partly sent; or called from NAME_payload_init
 *   TC_E_TOO_LARGE    the payload exceeds tc_ep_info.payload_max
 *   TC_E_REFUSED      the peer has refused this function; see tc_ep_refusal
 *   TC_E_UNSUPPORTED  the function has a NAME_payload_init, or params has a field that this
 *                     library does not know
 *   TC_E_NO_MEMORY    an allocation failed
 *   TC_E_PEER_LOST    the peer died or broke the protocol
 *   TC_E_CLOSED       the peer, or this side, closed the endpoint */
TC_MUST_CHECK static inline tc_status tc_send_start(tc_ep *ep, tc_ifunc *fn,
                                                    const struct iovec *parts, size_t count,
                                                    const tc_send_params *params, tc_error *err)
{
    return tc_send_start_sized(ep, fn, parts, count, params, sizeof *params, err);
}

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

#ifdef __cplusplus
}
#endif
#endif
