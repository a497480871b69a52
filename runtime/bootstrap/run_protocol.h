/* The messages between tc-run and the processes that it starts, as bytes.
 *
 * The socket is a SOCK_SEQPACKET, so a packet is a message. A member publishes its address,
 * then asks for those of others; tc-run answers when it knows. A request that has no answer
 * yet is replaced by the next one. Numbers are little-endian; docs/groups.md has the layout.
 * Pure functions: another form is TC_E_CORRUPT, another version TC_E_VERSION. */
#ifndef TCI_RUN_PROTOCOL_H
#define TCI_RUN_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_RUN_PROTOCOL 1u
#define TCI_RUN_SECRET_BYTES 16u
#define TCI_RUN_SIZE_MAX 1024u /* processes of one tc-run */
#define TCI_RUN_ROUND_MAX 1024u
#define TCI_RUN_ADDRESS_MAX 512u
#define TCI_RUN_PACKET_MAX 1536u /* more than any message has */
#define TCI_RUN_PROGRAM_MAX 64u  /* programs of one tc-run */
#define TCI_RUN_NAME_MAX 63u     /* characters of a program's name */

/* Variables that a process finds in its environment. */
#define TCI_RUN_ENV_SOCKET "TC_RUN_SOCKET" /* "@NAME": abstract */
#define TCI_RUN_ENV_SECRET "TC_RUN_SECRET" /* 32 hex digits */
#define TCI_RUN_ENV_RANK "TC_RUN_RANK"
#define TCI_RUN_ENV_SIZE "TC_RUN_SIZE"
/* Both are set, or neither is. */
#define TCI_RUN_ENV_PROGRAM "TC_RUN_PROGRAM"
#define TCI_RUN_ENV_PROGRAM_NAME "TC_RUN_PROGRAM_NAME"

typedef enum tci_run_kind {
    TCI_RUN_PUBLISH = 1,
    TCI_RUN_LOOKUP = 2,
    TCI_RUN_DONE = 3,
    TCI_RUN_ADDRESS = 4,
    TCI_RUN_REFUSAL = 5,
    TCI_RUN_WATCH = 6, /* a TCI_RUN_REFUSAL for each process that has ended or ends */
    TCI_RUN_SERVE = 7  /* the sender only serves: it is ended when no other process runs */
} tci_run_kind;

/* From a member: TCI_RUN_PUBLISH, TCI_RUN_LOOKUP, TCI_RUN_WATCH or TCI_RUN_SERVE. */
typedef struct tci_run_request {
    tci_run_kind kind;
    uint8_t secret[TCI_RUN_SECRET_BYTES];
    uint32_t round;         /* 1 to TCI_RUN_ROUND_MAX */
    uint32_t rank;          /* of the sender */
    uint32_t wanted;        /* lookup: the rank that has the wanted address */
    uint8_t wait;           /* lookup: 1: answer when it is published; 0: answer at once */
    const uint8_t *address; /* of a publish; a view of the packet */
    size_t address_size;
} tci_run_request;

/* From tc-run: TCI_RUN_DONE, TCI_RUN_ADDRESS or TCI_RUN_REFUSAL. */
typedef struct tci_run_reply {
    tci_run_kind kind;
    uint32_t rank;        /* the one that was published, or wanted */
    tc_status status;     /* of a refusal */
    const uint8_t *bytes; /* an address, or a refusal's text without terminator; a view */
    size_t size;
} tci_run_reply;

/* Returns whether these bytes may be a program's name: 1 to TCI_RUN_NAME_MAX characters of
 * printable ASCII. */
bool tci_run_name_is_sound(const char *name, size_t size);

/* Both return the packet's size. The caller limits the sizes of views: an address has at most
 * TCI_RUN_ADDRESS_MAX bytes, a text less than TC_ERROR_TEXT_MAX. */
size_t tci_run_request_encode(const tci_run_request *request, uint8_t out[TCI_RUN_PACKET_MAX]);
size_t tci_run_reply_encode(const tci_run_reply *reply, uint8_t out[TCI_RUN_PACKET_MAX]);

TC_MUST_CHECK tc_status tci_run_request_decode(const void *packet, size_t size,
                                               tci_run_request *request_out, tc_error *err);
TC_MUST_CHECK tc_status tci_run_reply_decode(const void *packet, size_t size,
                                             tci_run_reply *reply_out, tc_error *err);

#endif
