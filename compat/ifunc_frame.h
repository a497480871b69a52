/* The frame of one message in a slot of the target's memory: pure functions on bytes.
 *
 *   header   word u64, payload_size u32, code_size u32, id 16 bytes, check u64, tail u64
 *   payload  at offset 48, up to the next multiple of 16
 *   code     code_size bytes
 *   end      code_check u64, sequence u64: the last 16 bytes of the frame, whose size is a
 *            multiple of 64
 *
 * All numbers are little-endian. A target polls the word. Its upper 16 bits define the content
 * of the slot:
 *
 *   SEALED   a message whose word was stored last, with release: all of it is there.
 *   CHECKED  a message that came by a put, which a network may write in any order: it is there
 *            when the header agrees with the word, the sequence at the end with the header, and
 *            the check with the payload. A target that needs the code compares that with its
 *            check, too; one that has it need not read it. No two messages have the same
 *            sequence, so the end of an earlier message is no end of this one.
 *   KNOWN    no message, and the process that polls here has the function whose id begins with
 *            the lower 48 bits; it keeps it for good. Messages for it that can be SEALED come
 *            without code. This is how the code travels once although this API has no replies:
 *            the word that reports the reading also identifies the code.
 *
 *   REFUSED  no message, and the code of the last one could not be loaded.
 *
 * An id of zeros is that of no function: its message reports that the sender has no function to
 * send, because it could not be registered or its payload could not be made.
 *
 * 0 is no message, and neither is any other value: memory holds the data that its program left
 * there. The lower 48 bits of a message's word are a check of the header. */
#ifndef TCI_IFUNC_FRAME_H
#define TCI_IFUNC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCI_IFUNC_HEADER_BYTES 48u
#define TCI_IFUNC_FRAME_MIN 64u
#define TCI_IFUNC_CHECK_OFFSET 32u /* in the header */
#define TCI_IFUNC_ID_BYTES 16u
#define TCI_IFUNC_PAYLOAD_MAX (1u << 30)
#define TCI_IFUNC_CODE_MAX (1u << 30)

typedef enum tci_code_kind { TCI_CODE_ARCHIVE = 1, TCI_CODE_LIBRARY = 2 } tci_code_kind;

typedef struct tci_ifunc_header {
    uint32_t payload_size;
    uint32_t code_size; /* 0: the target has it */
    uint8_t id[TCI_IFUNC_ID_BYTES];
    uint64_t check;    /* of the payload and its end; CHECKED only, else 0 */
    uint64_t sequence; /* CHECKED only, else 0; 56 bits */
    tci_code_kind kind;
} tci_ifunc_header;

typedef enum tci_slot_state {
    TCI_SLOT_EMPTY,
    TCI_SLOT_SEALED,
    TCI_SLOT_CHECKED, /* tci_ifunc_payload_is_whole decides */
    TCI_SLOT_PARTIAL, /* a CHECKED frame with an incomplete header */
    TCI_SLOT_TOO_LONG,
    TCI_SLOT_DAMAGED
} tci_slot_state;

/* Returns the size of the whole frame with its code; below 2^32. */
uint64_t tci_ifunc_frame_bytes(uint32_t payload_size, uint32_t code_size);
uint64_t tci_ifunc_code_offset(uint32_t payload_size);

/* Returns whether the id is that of no function. */
bool tci_ifunc_id_is_none(const uint8_t id[TCI_IFUNC_ID_BYTES]);
bool tci_ifunc_word_is_message(uint64_t word);
/* Returns whether the word is 0 or one that a target leaves. A word of no message may be
 * neither. */
bool tci_ifunc_word_is_free(uint64_t word);
uint64_t tci_ifunc_word_known(const uint8_t id[TCI_IFUNC_ID_BYTES]);
uint64_t tci_ifunc_word_refused(void);

/* Writes the header and returns its word, which is in `out` too. */
uint64_t tci_ifunc_header_seal(const tci_ifunc_header *header,
                               uint8_t out[TCI_IFUNC_HEADER_BYTES]);
/* Returns the check of a code section, which travels after the section. */
uint64_t tci_ifunc_code_check(const uint8_t *code, size_t size);
/* Returns the check of a payload, whose padding up to the code is in `padded`, and of the check
 * that follows its code. */
uint64_t tci_ifunc_payload_check(const uint8_t *padded, uint32_t payload_size,
                                 uint64_t code_check);
/* Completes a CHECKED frame that has its payload and code: writes the header, with its check
 * and its sequence, and the end. */
void tci_ifunc_frame_check(const tci_ifunc_header *header, uint64_t code_check, uint8_t *frame);

/* Judges a copy of a slot's header whose word is that of a message: received headers are
 * accepted or rejected only here. Returns EMPTY for any other word. `room` is the slot's size.
 * header_out is written for SEALED and CHECKED, whose sizes then fit the slot. */
tci_slot_state tci_ifunc_frame_judge(const uint8_t bytes[TCI_IFUNC_HEADER_BYTES], size_t room,
                                     tci_ifunc_header *header_out);
/* The end of a CHECKED frame, copied out of its slot. */
typedef struct tci_ifunc_end {
    uint64_t code_check;
    uint64_t sequence;
} tci_ifunc_end;

tci_ifunc_end tci_ifunc_frame_end(const uint8_t *slot, const tci_ifunc_header *header);
/* Returns whether the payload is complete. `padded` is a copy of the payload of a CHECKED
 * frame, with its padding up to the code. */
bool tci_ifunc_payload_is_whole(const uint8_t *padded, const tci_ifunc_end *end,
                                const tci_ifunc_header *header);

/* --- the code section ----------------------------------------------------------------- */

/* Two byte ranges after their two sizes: archive and .deps text, or a name and a library. */
typedef struct tci_code_parts {
    const uint8_t *first;
    size_t first_size;
    const uint8_t *second;
    size_t second_size;
} tci_code_parts;

#define TCI_CODE_PARTS_BYTES 8u

void tci_ifunc_frame_parts_encode(const tci_code_parts *parts, uint8_t *out);
/* Returns false if the sizes are not those of the section. */
bool tci_ifunc_frame_parts_decode(const uint8_t *bytes, size_t size, tci_code_parts *parts_out);

#endif
