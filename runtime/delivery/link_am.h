/* The messages that travel beside a ring, over a link (link.h): their kinds, their headers as
 * they travel, and the functions that take them at the receiver. Over UCX they are active
 * messages, over a connection they are records. */
#ifndef TCI_LINK_AM_H
#define TCI_LINK_AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* The contents of active messages. Each has a tci_am_header, PAYLOAD a longer one; see
 * docs/wire-format.md. */
typedef enum tci_am {
    TCI_AM_FRAMES = 0,  /* a range of a ring */
    TCI_AM_CREDIT = 1,  /* tci_am_credit */
    TCI_AM_HELLO = 2,   /* a hello message, see wire/hello.h */
    TCI_AM_CODE = 3,    /* a fragment of code outside the ring */
    TCI_AM_PAYLOAD = 4, /* with a tci_payload_header; a part of a payload outside the ring */
    TCI_AM_COUNT = 5
} tci_am;

#define TCI_AM_NO_CONNECTION 0xffffu /* of a HELLO to a peer that has sent nothing yet */

typedef struct tci_am_credit {
    uint64_t consumed; /* bytes */
    /* How many FRAMES messages may be sent and not consumed yet; 0: any number. */
    uint64_t share;
} tci_am_credit;

/* The destination of a message, as it travels: 12 bytes, without padding. Numbers of
 * connections are small and assigned in sequence, so they alone would let any peer write to any
 * endpoint. */
typedef struct tci_am_header {
    uint8_t token[8]; /* random; from the receiver's HELLO */
    uint16_t connection;
    /* FRAMES: ring offset, in granules; PAYLOAD: the payload's number; or 0 */
    uint16_t position;
} tci_am_header;

/* `bytes` are valid during the call, 8-byte aligned or not, and unchecked. */
typedef void (*tci_am_handler)(void *user, tci_am kind, const tci_am_header *header,
                               const uint8_t *bytes, size_t size);

/* As it travels: 28 bytes, without padding. */
typedef struct tci_payload_header {
    tci_am_header to;
    uint8_t fragment[16]; /* a tci_fragment */
} tci_payload_header;

/* The destination of the bytes of a PAYLOAD message. */
typedef struct tci_sink {
    uint8_t *to;
    void (*done)(void *user, size_t size, bool ok); /* inside tc_progress, once */
    void *user;
} tci_sink;

/* Checks a PAYLOAD message with `size` bytes behind its header; inside UCX's handler. False:
 * the message is not wanted. True: its bytes are written to sink_out->to, which stays valid
 * until sink_out->done is called. */
typedef bool (*tci_am_payload_handler)(void *user, const tci_payload_header *header,
                                       size_t size, tci_sink *sink_out);

/* The receiver of all messages of a context. The handlers are called while the carrier is
 * progressed, and may not progress it: so they only copy and record. */
typedef struct tci_am_receiver {
    tci_am_handler handler;
    tci_am_payload_handler payload_handler;
    void *user;
} tci_am_receiver;

#endif
