#include "ifunc_frame.h"

#include <string.h>

#define TAG_SHIFT 48
#define LOW_BITS ((1ull << TAG_SHIFT) - 1)
#define KIND_SHIFT 56

/* No text, no pointer and no small number begins with one of these tags. */
enum { TAG_KNOWN = 0xa917, TAG_REFUSED = 0xa929, TAG_SEALED = 0xa95d, TAG_CHECKED = 0xa9e3 };

enum {
    AT_PAYLOAD_SIZE = 8,
    AT_CODE_SIZE = 12,
    AT_ID = 16,
    AT_CHECK = TCI_IFUNC_CHECK_OFFSET,
    AT_TAIL = 40, /* sequence and kind */
};

static uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void store64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static void store32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

/* --- sizes ---------------------------------------------------------------------------- */

uint64_t tci_ifunc_code_offset(uint32_t payload_size)
{
    return TCI_IFUNC_HEADER_BYTES + (((uint64_t)payload_size + 15) & ~15ull);
}

uint64_t tci_ifunc_frame_bytes(uint32_t payload_size, uint32_t code_size)
{
    uint64_t end = tci_ifunc_code_offset(payload_size) + code_size + sizeof(tci_ifunc_end);
    return (end + 63) & ~63ull;
}

/* --- checks --------------------------------------------------------------------------- */

#define MIX 0x9e3779b97f4a7c15ull

/* Each step can be undone, so one word that differs is always detected. */
static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * MIX;
    return sum ^ sum >> 29;
}

/* Returns the check of the header without its word. */
static uint64_t header_check(const uint8_t *header)
{
    uint64_t sum = MIX;
    for (size_t at = sizeof(uint64_t); at < TCI_IFUNC_HEADER_BYTES; at += sizeof(uint64_t))
        sum = mix(sum, load64(header + at));
    return (sum ^ sum >> TAG_SHIFT) & LOW_BITS;
}

/* Computes four sums side by side, because each waits for its own multiplication. */
static uint64_t bytes_check(const uint8_t *bytes, uint64_t size)
{
    uint64_t sums[4] = {1, 2, 3, 4}, last = 0, at = 0;
    for (; at + 4 * sizeof(uint64_t) <= size; at += 4 * sizeof(uint64_t)) {
        for (size_t i = 0; i < 4; i++)
            sums[i] = mix(sums[i], load64(bytes + at + i * sizeof(uint64_t)));
    }
    for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t))
        sums[0] = mix(sums[0], load64(bytes + at));
    memcpy(&last, bytes + at, size - at);
    return mix(mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]), last);
}

uint64_t tci_ifunc_code_check(const uint8_t *code, size_t size)
{
    return bytes_check(code, size);
}

uint64_t tci_ifunc_payload_check(const uint8_t *padded, uint32_t payload_size,
                                 uint64_t code_check)
{
    uint64_t size = tci_ifunc_code_offset(payload_size) - TCI_IFUNC_HEADER_BYTES;
    return mix(bytes_check(padded, size), code_check);
}

/* --- words ---------------------------------------------------------------------------- */

static unsigned tag_of(uint64_t word)
{
    return (unsigned)(word >> TAG_SHIFT);
}

static uint64_t word_of(uint64_t tag, uint64_t low)
{
    return tag << TAG_SHIFT | (low & LOW_BITS);
}

bool tci_ifunc_id_is_none(const uint8_t id[TCI_IFUNC_ID_BYTES])
{
    return (load64(id) | load64(id + 8)) == 0;
}

bool tci_ifunc_word_is_message(uint64_t word)
{
    return tag_of(word) == TAG_SEALED || tag_of(word) == TAG_CHECKED;
}

bool tci_ifunc_word_is_free(uint64_t word)
{
    return word == 0 || tag_of(word) == TAG_KNOWN || tag_of(word) == TAG_REFUSED;
}

uint64_t tci_ifunc_word_known(const uint8_t id[TCI_IFUNC_ID_BYTES])
{
    return word_of(TAG_KNOWN, load64(id));
}

uint64_t tci_ifunc_word_refused(void)
{
    return word_of(TAG_REFUSED, 0);
}

/* --- writing -------------------------------------------------------------------------- */

static uint64_t write_header(const tci_ifunc_header *header, uint64_t tag, uint8_t *out)
{
    store32(out + AT_PAYLOAD_SIZE, header->payload_size);
    store32(out + AT_CODE_SIZE, header->code_size);
    memcpy(out + AT_ID, header->id, sizeof header->id);
    store64(out + AT_CHECK, header->check);
    store64(out + AT_TAIL, (header->sequence & ((1ull << KIND_SHIFT) - 1)) |
                               (uint64_t)header->kind << KIND_SHIFT);
    uint64_t word = word_of(tag, header_check(out));
    store64(out, word);
    return word;
}

uint64_t tci_ifunc_header_seal(const tci_ifunc_header *header,
                               uint8_t out[TCI_IFUNC_HEADER_BYTES])
{
    return write_header(header, TAG_SEALED, out);
}

void tci_ifunc_frame_check(const tci_ifunc_header *header, uint64_t code_check, uint8_t *frame)
{
    const tci_ifunc_end end = {code_check, header->sequence};
    uint64_t size = tci_ifunc_frame_bytes(header->payload_size, header->code_size);
    memcpy(frame + size - sizeof end, &end, sizeof end);
    (void)write_header(header, TAG_CHECKED, frame);
}

/* --- judging -------------------------------------------------------------------------- */

static bool read_header(const uint8_t *bytes, tci_ifunc_header *out)
{
    uint64_t tail = load64(bytes + AT_TAIL);
    out->payload_size = load32(bytes + AT_PAYLOAD_SIZE);
    out->code_size = load32(bytes + AT_CODE_SIZE);
    memcpy(out->id, bytes + AT_ID, sizeof out->id);
    out->check = load64(bytes + AT_CHECK);
    out->sequence = tail & ((1ull << KIND_SHIFT) - 1);
    out->kind = (tci_code_kind)(tail >> KIND_SHIFT);
    return out->payload_size <= TCI_IFUNC_PAYLOAD_MAX && out->code_size <= TCI_IFUNC_CODE_MAX &&
           (out->kind == TCI_CODE_ARCHIVE || out->kind == TCI_CODE_LIBRARY);
}

tci_slot_state tci_ifunc_frame_judge(const uint8_t bytes[TCI_IFUNC_HEADER_BYTES], size_t room,
                                     tci_ifunc_header *header_out)
{
    const uint64_t word = load64(bytes);
    const bool checked = tag_of(word) == TAG_CHECKED;
    tci_ifunc_header header;
    if (!tci_ifunc_word_is_message(word))
        return TCI_SLOT_EMPTY;
    if (header_check(bytes) != (word & LOW_BITS))
        return checked ? TCI_SLOT_PARTIAL : TCI_SLOT_DAMAGED;
    /* The check shows that the header was written as it is: from here on it is valid or
     * damaged. */
    if (!read_header(bytes, &header) || (checked && header.code_size == 0))
        return TCI_SLOT_DAMAGED;
    uint64_t size = checked || header.code_size > 0
                        ? tci_ifunc_frame_bytes(header.payload_size, header.code_size)
                        : tci_ifunc_code_offset(header.payload_size);
    if (size > room)
        return TCI_SLOT_TOO_LONG;
    *header_out = header;
    return checked ? TCI_SLOT_CHECKED : TCI_SLOT_SEALED;
}

tci_ifunc_end tci_ifunc_frame_end(const uint8_t *slot, const tci_ifunc_header *header)
{
    tci_ifunc_end end;
    uint64_t size = tci_ifunc_frame_bytes(header->payload_size, header->code_size);
    memcpy(&end, slot + size - sizeof end, sizeof end);
    return end;
}

bool tci_ifunc_payload_is_whole(const uint8_t *padded, const tci_ifunc_end *end,
                                const tci_ifunc_header *header)
{
    return end->sequence == header->sequence &&
           tci_ifunc_payload_check(padded, header->payload_size, end->code_check) ==
               header->check;
}

/* --- the code section ----------------------------------------------------------------- */

void tci_ifunc_frame_parts_encode(const tci_code_parts *parts, uint8_t *out)
{
    store32(out, (uint32_t)parts->first_size);
    store32(out + 4, (uint32_t)parts->second_size);
    memcpy(out + TCI_CODE_PARTS_BYTES, parts->first, parts->first_size);
    if (parts->second_size > 0)
        memcpy(out + TCI_CODE_PARTS_BYTES + parts->first_size, parts->second,
               parts->second_size);
}

bool tci_ifunc_frame_parts_decode(const uint8_t *bytes, size_t size, tci_code_parts *parts_out)
{
    if (size < TCI_CODE_PARTS_BYTES)
        return false;
    uint64_t first = load32(bytes), second = load32(bytes + 4);
    if (first + second != size - TCI_CODE_PARTS_BYTES)
        return false;
    *parts_out = (tci_code_parts){bytes + TCI_CODE_PARTS_BYTES, first,
                                  bytes + TCI_CODE_PARTS_BYTES + first, second};
    return true;
}
