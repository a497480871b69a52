/* Records: the messages that a connection carries beside hello messages, once both HELLOs have
 * agreed that everything goes over it. docs/wire-format.md, chapter "Stream", is the
 * specification.
 *
 * A record is 12 bytes and a body. No hello message begins with a record's first byte, so the
 * receiver distinguishes the two by one byte. */
#ifndef TCI_RECORD_H
#define TCI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_RECORD_HEADER_BYTES 12u
#define TCI_RECORD_PAYLOAD_HEAD_BYTES 16u /* a tci_fragment: offset of the bytes behind it */
/* Limit for the bytes behind that head in the body of a PAYLOAD record. */
#define TCI_RECORD_PAYLOAD_BYTES_MAX (1u << 20)
#define TCI_RECORD_CODE_BYTES_MAX (28u + 32768u) /* code section, offset, bytes */
#define TCI_RECORD_CREDIT_BYTES 16u

typedef enum tci_record_kind {
    TCI_RECORD_FRAMES = 0xe1,
    TCI_RECORD_CREDIT = 0xe2,
    TCI_RECORD_CODE = 0xe3,
    TCI_RECORD_PAYLOAD = 0xe4
} tci_record_kind;

typedef struct tci_record {
    tci_record_kind kind;
    /* FRAMES: offset in the ring, in granules; PAYLOAD: the payload's number; else 0 */
    uint16_t position;
    uint32_t size;     /* of the body */
    uint32_t sequence; /* counts the records of one direction, from 0 on */
} tci_record;

/* Returns whether a message with this first byte is a record. */
static inline bool tci_record_begins(uint8_t first)
{
    return first >= 0x80;
}

void tci_record_encode(const tci_record *record, uint8_t to[TCI_RECORD_HEADER_BYTES]);

/* Checks a header: kind, size within the limits of the kind, reserved fields zero, and that it
 * is number `sequence`. TC_E_CORRUPT. err may be NULL. */
TC_MUST_CHECK tc_status tci_record_decode(const uint8_t from[TCI_RECORD_HEADER_BYTES],
                                          uint32_t sequence, tci_record *record_out,
                                          tc_error *err);

#endif
