/* A slot of the original's API with anything in it. The first byte chooses the parts that are
 * made right, so that inputs come past the checks: the header's, the whole frame's. */
#include "../../compat/ifunc_frame.h"
#include "fuzzer.h"

#include <string.h>

static void read_code(const uint8_t *slot, const tci_ifunc_header *header, size_t room)
{
    tci_code_parts parts;
    uint64_t at = tci_ifunc_code_offset(header->payload_size);
    MUST(at + header->code_size <= room);
    if (!tci_ifunc_frame_parts_decode(slot + at, header->code_size, &parts))
        return;
    MUST(parts.first + parts.first_size == parts.second);
    MUST(parts.second + parts.second_size == slot + at + header->code_size);
}

static bool is_whole(const uint8_t *slot, const tci_ifunc_header *header)
{
    tci_ifunc_end end = tci_ifunc_frame_end(slot, header);
    const uint8_t *code = slot + tci_ifunc_code_offset(header->payload_size);
    return tci_ifunc_payload_is_whole(slot + TCI_IFUNC_HEADER_BYTES, &end, header) &&
           tci_ifunc_code_check(code, header->code_size) == end.code_check;
}

static void look_at(const uint8_t *slot, size_t room)
{
    tci_ifunc_header header;
    switch (tci_ifunc_frame_judge(slot, room, &header)) {
    case TCI_SLOT_SEALED:
        MUST(tci_ifunc_code_offset(header.payload_size) <= room);
        if (header.code_size > 0)
            read_code(slot, &header, room);
        break;
    case TCI_SLOT_CHECKED:
        MUST(tci_ifunc_frame_bytes(header.payload_size, header.code_size) <= room);
        if (is_whole(slot, &header))
            read_code(slot, &header, room);
        break;
    default:
        break;
    }
}

/* A message of the input's own sizes, if the slot has space for it. */
static void make_right(uint8_t *slot, size_t room, uint8_t what)
{
    tci_ifunc_header header = {.kind = what & 4 ? TCI_CODE_LIBRARY : TCI_CODE_ARCHIVE};
    memcpy(&header.payload_size, slot + 8, sizeof header.payload_size);
    memcpy(&header.code_size, slot + 12, sizeof header.code_size);
    memcpy(header.id, slot + 16, sizeof header.id);
    memcpy(&header.sequence, slot + 40, sizeof header.sequence);
    if (what & 1) {
        header.sequence = 0;
        (void)tci_ifunc_header_seal(&header, slot);
    } else if (tci_ifunc_frame_bytes(header.payload_size, header.code_size) <= room) {
        header.sequence &= (1ull << 56) - 1;
        const uint8_t *code = slot + tci_ifunc_code_offset(header.payload_size);
        uint64_t code_check = tci_ifunc_code_check(code, header.code_size);
        header.check = tci_ifunc_payload_check(slot + TCI_IFUNC_HEADER_BYTES,
                                               header.payload_size, code_check);
        tci_ifunc_frame_check(&header, code_check, slot);
        MUST(header.payload_size > TCI_IFUNC_PAYLOAD_MAX || header.code_size == 0 ||
             (tci_ifunc_frame_judge(slot, room, &header) == TCI_SLOT_CHECKED &&
              is_whole(slot, &header)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 + TCI_IFUNC_FRAME_MIN)
        return 0;
    const size_t room = size - 1;
    uint8_t *slot = malloc(room); /* of just that size, so that one byte too far is seen */
    if (slot == NULL)
        return 0;
    memcpy(slot, data + 1, room);
    look_at(slot, room);
    if (data[0] & 3) {
        make_right(slot, room, data[0]);
        look_at(slot, room);
    }
    free(slot);
    return 0;
}
