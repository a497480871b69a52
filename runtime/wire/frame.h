/* Frames: the units that a ring holds. docs/wire-format.md is the specification; these are pure
 * functions on bytes.
 *
 * A frame is a 16-byte header of two little-endian words and a body:
 *
 *     word 0   signal: the keyed sequence number of this frame; stored last, with release order
 *     word 1   bits 0-31 payload bytes, 32-47 slot, 48-55 kind, 56-63 flags
 *
 * The peer can change mapped ring memory at any time. So a header is loaded once, into a
 * tci_frame, and checked there; no code reads the ring's copy again. */
#ifndef TCI_FRAME_H
#define TCI_FRAME_H

#include "base/content_id.h"
#include "wire/route.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_FRAME_HEADER_BYTES 16u
#define TCI_FRAME_GRANULE 32u /* frames start at multiples of it */
#define TCI_CODE_SECTION_BYTES 24u

/* The step between the signals of two frames. Odd, so that a ring's signals repeat only after
 * 2^64 frames; large and irregular, so that neither small integers nor the signals of an
 * earlier lap are near the next one. */
#define TCI_SIGNAL_STEP 0x9e3779b97f4a7c15ull

typedef enum tci_frame_kind {
    TCI_FRAME_CALL = 1,     /* payload for the function in `slot` */
    TCI_FRAME_CODE = 2,     /* the same, and the code that `slot` names from now on */
    TCI_FRAME_WRAP = 3,     /* padding: the next frame is at the start of the ring */
    TCI_FRAME_FRAGMENT = 4, /* a part of a payload that is larger than a frame; tci_fragment */
    TCI_FRAME_CONTROL = 5,  /* flags: tci_control; about `slot` */
    TCI_FRAME_INJECT = 6,   /* payload, and the image to run for it once; tci_code_section */
    TCI_FRAME_REPLY = 7     /* a part of a call's answer; tci_reply in route.h */
} tci_frame_kind;
#define TCI_FRAME_KIND_LAST TCI_FRAME_REPLY

/* Flag of CODE frames: archive and deps are in the frame. Without it the frame only has their
 * id and sizes, and the bytes arrive outside the ring (TCI_AM_CODE). */
#define TCI_CODE_ATTACHED 1u
/* Flag of CODE frames: the frame only binds the slot; no function is called. */
#define TCI_CODE_BIND_ONLY 2u
/* With BIND_ONLY: the frames behind it need not wait until the function is callable. A PREPARED
 * frame reports that it is, or a REFUSED frame that it never will be. */
#define TCI_CODE_NOTIFY 4u
/* Flag of CODE frames: the code has a signature, which follows the code's bytes wherever they
 * are sent. */
#define TCI_CODE_SIGNED 8u
#define TCI_CODE_SIGNATURE_BYTES 104u

/* Flag of CALL and CODE frames: their payload begins with a lead, so that the function's part
 * of it begins at the alignment that the function asked for. The first 4 bytes of a lead are
 * its length. */
#define TCI_ALIGNED 0x40u
#define TCI_LEAD_UNIT 16u /* leads are multiples of it, at least one unit */
#define TCI_LEAD_MAX 4080u

/* Flags of FRAGMENT frames, one at most: the location of the fragment's bytes. Without a flag
 * they are in the frame. */
#define TCI_FRAGMENT_STAGED 1u /* in the segment that the sender shares; tci_staged */
/* The whole payload arrives in PAYLOAD messages. The frame has a tci_fragment; its offset is
 * the payload's number, which counts such payloads modulo 2^16. */
#define TCI_FRAGMENT_OUT_OF_LINE 2u

typedef enum tci_control {
    /* payload: content id, and one more byte if the signature is wanted, too. Asks for this
     * code outside the ring: its frame waits at the head */
    TCI_CONTROL_NEED = 1,
    /* payload: status i32, text. The function in `slot` does not run here */
    TCI_CONTROL_REFUSED = 2,
    /* no payload: asks the receiver to report at once how far it has consumed */
    TCI_CONTROL_CREDIT = 3,
    /* payload: status i32, text. A payload in fragments was dropped */
    TCI_CONTROL_TOO_LARGE = 4,
    TCI_CONTROL_SEGMENT = 5,  /* payload: tci_segment_offer. Payloads may be staged there */
    TCI_CONTROL_ATTACHED = 6, /* no payload: that segment is attached */
    TCI_CONTROL_PREPARED = 7, /* no payload: the function in `slot` is callable */
    TCI_CONTROL_MEMBER = 8,   /* payload: tci_membership. The sender is that member */
    /* payload: u64. The number of barriers that the sender has entered */
    TCI_CONTROL_ARRIVED = 9,
    TCI_CONTROL_RELEASED = 10, /* payload: u64. The number of barriers that are over */
    /* payload: u64, status i32, text (the reason). The barrier of that number will never be
     * over */
    TCI_CONTROL_ABANDONED = 11
} tci_control;

/* A header as loaded from a ring. */
typedef struct tci_frame {
    uint32_t payload_size;
    uint16_t slot;
    uint8_t kind;
    uint8_t flags;
} tci_frame;

/* Returns whether the payload ends with a route, or its short form. */
static inline bool tci_frame_has_route(const tci_frame *frame)
{
    return (frame->flags & TCI_ROUTED) != 0 ||
           (frame->kind == TCI_FRAME_CALL && (frame->flags & TCI_BRIEF) != 0);
}

/* The part of a CODE frame behind its payload: 16 bytes of id, two u32 sizes, then (if
 * attached) both byte ranges. */
typedef struct tci_code_section {
    tci_content_id id;
    uint32_t archive_size;
    uint32_t deps_size;
    uint32_t signature_size; /* not in these bytes: follows from the frame's flags */
} tci_code_section;

/* Returns the bytes that follow the section, in the frame or in CODE messages. */
static inline size_t tci_code_section_attached(const tci_code_section *section)
{
    return (size_t)section->archive_size + section->deps_size + section->signature_size;
}

/* The same part of an INJECT frame is 8 bytes: the size of the image (archive_size) and the
 * size of its link information (deps_size): the .deps text and the names of undefined symbols,
 * in the order of the slice's list, each with a terminator. Both byte ranges follow. There is
 * no id. */
#define TCI_INJECT_SECTION_BYTES 8u

/* Flag of INJECT frames: a tci_staged stands for the payload, which is complete at that
 * offset. */
#define TCI_INJECT_STAGED 1u
/* The bits above the flag: how often 16, the least alignment of payloads, is doubled for this
 * one. */
#define TCI_INJECT_ALIGNMENT_SHIFT 4u
#define TCI_INJECT_ALIGNMENT_MAX 8u

void tci_inject_section_encode(uint32_t image_size, uint32_t rest_size,
                               uint8_t out[TCI_INJECT_SECTION_BYTES]);

/* The first 16 bytes of a FRAGMENT frame's payload. Fragments of one payload follow each other
 * without another call between them; the last one makes the call. */
typedef struct tci_fragment {
    uint64_t total;  /* bytes of the whole payload */
    uint64_t offset; /* of this part in the payload */
} tci_fragment;

#define TCI_FRAGMENT_HEADER_BYTES 16u

/* A STAGED fragment: 32 bytes. */
typedef struct tci_staged {
    tci_fragment fragment;
    uint64_t offset; /* in the segment */
    uint64_t size;
} tci_staged;

/* A segment of shared memory on this host: 20 bytes. */
typedef struct tci_segment_offer {
    uint32_t id;
    uint64_t bytes;
    uint64_t nonce; /* the segment's first 8 bytes */
} tci_segment_offer;

#define TCI_STAGED_BYTES 32u
#define TCI_SEGMENT_OFFER_BYTES 20u
/* The first offset for payloads in a segment; all such offsets are multiples of 64. */
#define TCI_STAGING_OFFSET 4096u
#define TCI_STAGING_BYTES_MAX (256u << 20)
/* Limits for payloads that arrive outside the ring and were not run yet: their count, and, if
 * there is more than one, their bytes together. */
#define TCI_OUT_OF_LINE_COUNT_MAX 8u
#define TCI_OUT_OF_LINE_BYTES_MAX (4u << 20)

void tci_staged_encode(const tci_staged *staged, uint8_t out[TCI_STAGED_BYTES]);
void tci_staged_decode(const uint8_t bytes[TCI_STAGED_BYTES], tci_staged *out);
void tci_segment_offer_encode(const tci_segment_offer *offer,
                              uint8_t out[TCI_SEGMENT_OFFER_BYTES]);
void tci_segment_offer_decode(const uint8_t bytes[TCI_SEGMENT_OFFER_BYTES],
                              tci_segment_offer *out);

void tci_fragment_encode(const tci_fragment *fragment, uint8_t out[TCI_FRAGMENT_HEADER_BYTES]);
void tci_fragment_decode(const uint8_t bytes[TCI_FRAGMENT_HEADER_BYTES], tci_fragment *out);

static inline uint64_t tci_frame_word(const tci_frame *f)
{
    return (uint64_t)f->payload_size | (uint64_t)f->slot << 32 | (uint64_t)f->kind << 48 |
           (uint64_t)f->flags << 56;
}

static inline tci_frame tci_frame_of_word(uint64_t word)
{
    return (tci_frame){.payload_size = (uint32_t)word,
                       .slot = (uint16_t)(word >> 32),
                       .kind = (uint8_t)(word >> 48),
                       .flags = (uint8_t)(word >> 56)};
}

static inline uint64_t tci_frame_align(uint64_t bytes)
{
    return (bytes + TCI_FRAME_GRANULE - 1) & ~(uint64_t)(TCI_FRAME_GRANULE - 1);
}

/* Returns the offset of a CODE frame's code section. */
static inline size_t tci_frame_code_offset(uint32_t payload_size)
{
    return TCI_FRAME_HEADER_BYTES + (((size_t)payload_size + 7) & ~(size_t)7);
}

/* Returns the bytes of a whole CODE frame. */
static inline size_t tci_frame_code_bytes(uint32_t payload_size, size_t attached_bytes)
{
    return tci_frame_code_offset(payload_size) + TCI_CODE_SECTION_BYTES + attached_bytes;
}

void tci_frame_lead_encode(uint32_t lead, uint8_t *payload);
/* Finds how many bytes of an ALIGNED frame's payload are the lead. Reads the lead's length
 * once. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_frame_lead(const uint8_t *payload, size_t payload_size,
                                       size_t *lead_out, tc_error *err);

void tci_code_section_encode(const tci_code_section *section,
                             uint8_t out[TCI_CODE_SECTION_BYTES]);
void tci_code_section_decode(const uint8_t bytes[TCI_CODE_SECTION_BYTES],
                             tci_code_section *out);

/* Checks a frame that was loaded from a ring and is no WRAP to skip, with `space` bytes from
 * its header to the ring's end. Finds the frame's bytes, unaligned, and for CODE and INJECT
 * frames their section (section_out is written for no other kind). TC_E_CORRUPT: unknown kind,
 * or more bytes than `space`. */
TC_MUST_CHECK tc_status tci_frame_check(const tci_frame *frame, const uint8_t *header,
                                        size_t space, size_t *bytes_out,
                                        tci_code_section *section_out, tc_error *err);

#endif
