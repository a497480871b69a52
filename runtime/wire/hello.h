/* The messages by which two processes connect: pure functions on bytes, the same on every
 * carrier (a TCP stream, a UCX active message, address bytes that a user carries by hand).
 * docs/wire-format.md, chapter "Hello messages", is the specification.
 *
 * Both sides send HELLO, check the other's, and answer READY (or REFUSE). BYE ends the
 * connection in order. WAKEUP wakes a peer that sleeps. ADDRESS is the message that
 * tc_context_address returns: a HELLO without a ring. Every byte may come from an
 * unauthenticated peer: all checks of a message's bytes are here. */
#ifndef TCI_HELLO_H
#define TCI_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>
#include <tc/version.h>

#define TCI_HELLO_MAGIC 0x49484354u /* "TCHI" in little-endian bytes */
#define TCI_HELLO_PREAMBLE_BYTES 16u
#define TCI_HELLO_BODY_MAX 8192u
#define TCI_HELLO_MESSAGE_MAX (TCI_HELLO_PREAMBLE_BYTES + TCI_HELLO_BODY_MAX)

#define TCI_HELLO_NO_SEGMENT UINT32_MAX
#define TCI_HELLO_RKEY_MAX 1024u
#define TCI_HELLO_WORKER_ADDRESS_MAX 4096u
#define TCI_HELLO_TRIPLE_MAX 63u /* texts travel without a terminator */
#define TCI_HELLO_CPU_MAX 63u
#define TCI_HELLO_FEATURES_MAX 2048u
#define TCI_HELLO_REFUSE_TEXT_MAX 512u
#define TCI_HELLO_RING_BYTES_MIN 4096u
#define TCI_HELLO_RING_BYTES_MAX (2u << 20)
/* Large enough for the largest items that are sent in one piece: an answer's head with a path
 * and half a KiB, an error's text, a first message's code section. The smallest ring takes
 * 1,664. */
#define TCI_HELLO_FRAME_BYTES_MIN 1024u
#define TCI_HELLO_CODE_BYTES_MAX (1u << 30)
#define TCI_HELLO_HOST_ID_BYTES 16u
#define TCI_HELLO_DICTIONARIES_MAX 16u
/* Stands among the ids of dictionaries of a side that reads frames in their short form
 * (TCI_BRIEF). Release 0.1.0 ignores an id that it does not know. No dictionary's id is above
 * TCI_HELLO_DICTIONARY_LAST. */
#define TCI_HELLO_DICTIONARY_LAST 0xfffffeffu
#define TCI_HELLO_BRIEF 0xffffff01u
/* The value of ring_address by which a side without an rkey offers its connection. Releases
 * before the offer look at no address without an rkey. */
#define TCI_HELLO_STREAM_OFFER 64u

typedef enum tci_hello_kind {
    TCI_HELLO_HELLO = 1,
    TCI_HELLO_READY = 2,
    TCI_HELLO_REFUSE = 3,
    TCI_HELLO_BYE = 4,
    TCI_HELLO_ADDRESS = 5,
    TCI_HELLO_WAKEUP = 6
} tci_hello_kind;

typedef enum tci_hello_isa { TCI_HELLO_X86_64 = 1, TCI_HELLO_AARCH64 = 2 } tci_hello_isa;

/* How the sender of a READY will fill the receiver's ring. A number is never reused for another
 * delivery. delivery/delivery_table.c and modules/ucx/ucx_deliveries.c list the deliveries of
 * this library. */
typedef enum tci_hello_delivery {
    TCI_HELLO_DIRECT = 1,
    TCI_HELLO_AM = 2,
    TCI_HELLO_PUT = 3,
    TCI_HELLO_STREAM = 4
} tci_hello_delivery;

typedef struct tci_hello_version {
    uint8_t major;
    uint8_t minor;
    uint8_t patch;
} tci_hello_version;

/* Bytes owned by another object; in a decoded hello, by the message that it was decoded
 * from. */
typedef struct tci_hello_view {
    const void *data;
    size_t size;
} tci_hello_view;

typedef struct tci_hello {
    /* All messages have to use the connection that the HELLO came by; this side then offers no
     * way by UCX. Always false in an ADDRESS. */
    bool stream;
    bool ucx_network;       /* other hosts can reach the sender's UCX */
    bool ucx_shared_memory; /* processes of the sender's host can, without a network */
    tci_hello_version library;
    tci_hello_version ucx;  /* 0.0.0: built without UCX */
    tci_hello_version llvm; /* 0.0.0: no code engine */
    tci_hello_isa isa;
    uint32_t page_bytes;     /* a power of two */
    uint32_t code_bytes_max; /* largest archive with deps that this side accepts; 1..2^30 */
    uint64_t pid;            /* 1..2^31-1, in the namespace that host_id identifies */
    uint8_t host_id[TCI_HELLO_HOST_ID_BYTES]; /* see bootstrap/host_id.h */
    uint64_t context_id; /* random; distinguishes contexts of one process */

    /* The ring that this side receives in. An ADDRESS has no ring: the fields are not written,
     * and are decoded as zero and no segment. */
    /* the number by which the peer names this side's endpoint in active messages */
    uint16_t connection_id;
    uint64_t connection_token; /* random; such messages without it are dropped */
    uint32_t ring_bytes;       /* a power of two, 4 KiB to 2 MiB */
    uint64_t ring_nonce;       /* first signal of the ring's sequence */
    /* in this side's memory; a multiple of 64; without an rkey 0 or TCI_HELLO_STREAM_OFFER */
    uint64_t ring_address;
    /* largest frame the ring takes, header included; 1024..ring_bytes */
    uint32_t frame_bytes_max;
    /* number of the shared memory that contains the ring; 2^32-1: not shared */
    uint32_t segment;
    /* packed by UCX, <= 1024 bytes; empty when UCX cannot put into the ring */
    tci_hello_view rkey;

    /* 1..4096 bytes, opaque to all but UCX; may be empty where `stream` is set */
    tci_hello_view worker_address;
    /* "x86_64-linux"; 1..63 bytes of printable ASCII, like the next two */
    tci_hello_view triple;
    tci_hello_view cpu;      /* "znver4"; <= 63 */
    tci_hello_view features; /* LLVM's feature string; <= 2048 */

    /* Ids of the dictionaries that archives sent here may be packed with: ascending, no 0. */
    uint32_t dictionaries[TCI_HELLO_DICTIONARIES_MAX];
    uint8_t dictionary_count;
} tci_hello;

typedef struct tci_hello_preamble {
    tci_hello_kind kind;
    uint32_t body_bytes; /* size of the rest of the message; within the limits of the kind */
    uint32_t checksum;   /* of the body; checked when the whole message is decoded */
} tci_hello_preamble;

/* Checks the first 16 bytes of a message (size >= 16 or TC_E_CORRUPT), so that a carrier knows
 * how many bytes follow. TC_E_CORRUPT (not a peer at all, unknown kind, a body size outside the
 * kind's limits), TC_E_VERSION (another protocol; found before any byte behind the protocol
 * number is checked). err may be NULL here and below. */
TC_MUST_CHECK tc_status tci_hello_preamble_decode(const void *bytes, size_t size,
                                                  tci_hello_preamble *preamble_out,
                                                  tc_error *err);

/* Encodes a message; kind is HELLO or ADDRESS. A buffer of TCI_HELLO_MESSAGE_MAX always
 * suffices. TC_E_INVALID: a field outside its range (this side's own mistake, or a feature
 * string above the limit); TC_E_TOO_LARGE: buf is too small. */
TC_MUST_CHECK tc_status tci_hello_encode(const tci_hello *hello, tci_hello_kind kind, void *buf,
                                         size_t size, size_t *size_out, tc_error *err);

/* Decodes the exact bytes of one whole message of that kind (HELLO or ADDRESS), preamble
 * included. Views point into bytes. Decoding and encoding are each other's inverse: each hello
 * has one encoding. Returns the preamble's statuses, and TC_E_CORRUPT for a damaged body or a
 * field outside its range. */
TC_MUST_CHECK tc_status tci_hello_decode(const void *bytes, size_t size, tci_hello_kind kind,
                                         tci_hello *hello_out, tc_error *err);

/* TC_E_TOO_LARGE when buf is too small, here and in the next two encoders. */
TC_MUST_CHECK tc_status tci_hello_ready_encode(uint8_t delivery, void *buf, size_t size,
                                               size_t *size_out);
/* *delivery_out may be a number that tci_hello_delivery does not have. */
TC_MUST_CHECK tc_status tci_hello_ready_decode(const void *bytes, size_t size,
                                               uint8_t *delivery_out, tc_error *err);

/* status must not be TC_OK (then TC_E_INVALID). The text is cut to its limit; bytes that are
 * not printable ASCII become '?'. */
TC_MUST_CHECK tc_status tci_hello_refuse_encode(tc_status status, const char *text, void *buf,
                                                size_t size, size_t *size_out);
/* *refusal_out gets the peer's status and text. A status that only a newer peer knows is kept
 * as its number. A peer may claim any status: show it, but base no decision on it. */
TC_MUST_CHECK tc_status tci_hello_refuse_decode(const void *bytes, size_t size,
                                                tc_error *refusal_out, tc_error *err);

TC_MUST_CHECK tc_status tci_hello_bye_encode(void *buf, size_t size, size_t *size_out);
TC_MUST_CHECK tc_status tci_hello_bye_decode(const void *bytes, size_t size, tc_error *err);

TC_MUST_CHECK tc_status tci_hello_wakeup_encode(void *buf, size_t size, size_t *size_out);

/* Returns whether the side would have messages use the connection where UCX shares no memory
 * with the peer. */
bool tci_hello_offers_stream(const tci_hello *hello);

/* Returns whether all messages between the two sides have to use their connection: one side
 * asks for it, or their UCX have no way in common (different versions, or no transport that
 * both have), or no shared memory and both offer the connection. Both sides get the same
 * result. */
bool tci_hello_needs_stream(const tci_hello *mine, const tci_hello *theirs);

/* Checks that the two sides may communicate by UCX. TC_E_VERSION: UCX of another major.minor
 * (its shared-memory messages hang and its keys cannot be unpacked across minors), or without
 * UCX; the text names both. Architectures may differ. */
TC_MUST_CHECK tc_status tci_hello_compatible(const tci_hello *mine, const tci_hello *theirs,
                                             tc_error *err);

/* Returns whether both sides have one kernel and the same namespaces, as far as is known: the
 * peer's pid is valid here. */
bool tci_hello_same_host(const tci_hello *mine, const tci_hello *theirs);

/* Returns the instruction set of the calling process. */
tci_hello_isa tci_hello_own_isa(void);

#endif
