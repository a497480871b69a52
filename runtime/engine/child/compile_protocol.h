/* The messages between a process and its compiler over a stream socket: one hello, then a
 * request and a reply at a time.
 *
 * Pure functions on bytes. A message is a prefix of TCI_COMPILE_PREFIX_BYTES with the kind and
 * the size of the body, and a body. Both sides run on one machine and are of one version of
 * this library (the hello has the versions), so numbers are sent as they are used there. Still
 * each side checks all data of the other: the process because a compiler of hostile code may
 * send anything, the compiler because it costs nothing. */
#ifndef TCI_COMPILE_PROTOCOL_H
#define TCI_COMPILE_PROTOCOL_H

#include "archive.h"
#include "engine/child/compile_wall.h"
#include "engine/engine_ops.h"

#include <stdbool.h>

#define TCI_COMPILE_PROTOCOL 3u
#define TCI_COMPILE_PREFIX_BYTES 8u
/* The largest bitcode, or an object as large, with the data beside it. */
#define TCI_COMPILE_BODY_MAX (TCI_ARCHIVE_SLICE_BYTES_MAX + (32u << 20))
#define TCI_COMPILE_NAMES_MAX (16u << 20) /* bytes of all undefined symbols */
#define TCI_COMPILE_HELLO_TEXT_MAX 8192u  /* bytes of each of its texts */
/* Bytes of a body before the parts that are only bytes. */
#define TCI_COMPILE_REQUEST_HEAD_MAX (32u + TCI_ARCHIVE_NAME_MAX)
#define TCI_COMPILE_REPLY_HEAD_BYTES 52u

typedef enum tci_compile_kind {
    TCI_COMPILE_HELLO = 1,
    TCI_COMPILE_REQUEST = 2,
    TCI_COMPILE_REPLY = 3 /* instead of a hello: why the compiler cannot start */
} tci_compile_kind;

/* The identity of the compiler, which has to be the same as this process's own. */
typedef struct tci_compile_hello {
    uint32_t abi; /* TCI_ENGINE_ABI */
    char llvm[TCI_COMPILE_HELLO_TEXT_MAX];
    char cpu[TCI_COMPILE_HELLO_TEXT_MAX];
    char features[TCI_COMPILE_HELLO_TEXT_MAX];
    tci_compile_wall wall; /* that it has set up */
} tci_compile_hello;

/* The result of a compile. The parts are views of the message. */
typedef struct tci_compile_reply {
    tc_status status;
    const char *text; /* of an error; no terminator */
    size_t text_size;
    /* Undefined symbols that the caller has to look up, each with its terminator; also with an
     * error, which counts only if all of them are found. */
    const char *names;
    size_t names_size;
    const uint8_t *object; /* with TC_OK */
    size_t object_size;
    uint32_t writable; /* these as in tci_object */
    uint64_t parse_ns;
    uint64_t verify_ns;
    uint64_t passes_ns;
    uint64_t codegen_ns;
} tci_compile_reply;

void tci_compile_prefix_encode(tci_compile_kind kind, size_t body_size,
                               uint8_t out[TCI_COMPILE_PREFIX_BYTES]);
/* TC_E_CORRUPT: no such kind, or above TCI_COMPILE_BODY_MAX. */
TC_MUST_CHECK tc_status tci_compile_prefix_decode(const uint8_t bytes[TCI_COMPILE_PREFIX_BYTES],
                                                  tci_compile_kind *kind_out,
                                                  size_t *body_size_out, tc_error *err);

/* Encodes the body; TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_compile_hello_encode(const tci_compile_hello *hello, void *out,
                                                 size_t out_size, size_t *size_out,
                                                 tc_error *err);
TC_MUST_CHECK tc_status tci_compile_hello_decode(const void *body, size_t size,
                                                 tci_compile_hello *hello_out, tc_error *err);

/* Encodes the part of the body before the bitcode itself. TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_compile_request_encode(const tci_engine_code *code,
                                                   uint8_t out[TCI_COMPILE_REQUEST_HEAD_MAX],
                                                   size_t *size_out, tc_error *err);
/* The code's bytes are a view of the body; its name is written to `name`; it has no resolver.
 */
TC_MUST_CHECK tc_status tci_compile_request_decode(const void *body, size_t size,
                                                   char name[TCI_ARCHIVE_NAME_MAX],
                                                   tci_engine_code *code_out, tc_error *err);

/* Encodes the part of the body before text, names and object, which follow in this order. */
void tci_compile_reply_encode(const tci_compile_reply *reply,
                              uint8_t out[TCI_COMPILE_REPLY_HEAD_BYTES]);
/* TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_compile_reply_decode(const void *body, size_t size,
                                                 tci_compile_reply *reply_out, tc_error *err);

#endif
