#include "record.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "wire/frame.h"
#include "wire/hello.h"

#include <inttypes.h>

static const struct {
    const char *name;
    uint32_t body_min;
    uint32_t body_max;
    bool has_position;
} kind_table[] = {
    {"FRAMES", TCI_FRAME_HEADER_BYTES, TCI_HELLO_RING_BYTES_MAX, true},
    {"CREDIT", TCI_RECORD_CREDIT_BYTES, TCI_RECORD_CREDIT_BYTES, false},
    {"CODE", 29, TCI_RECORD_CODE_BYTES_MAX, false},
    {"PAYLOAD", TCI_RECORD_PAYLOAD_HEAD_BYTES + 1,
     TCI_RECORD_PAYLOAD_HEAD_BYTES + TCI_RECORD_PAYLOAD_BYTES_MAX, true},
};

void tci_record_encode(const tci_record *record, uint8_t to[TCI_RECORD_HEADER_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, to, TCI_RECORD_HEADER_BYTES);
    tci_write_u8(&w, (uint8_t)record->kind);
    tci_write_u8(&w, 0);
    tci_write_u16(&w, record->position);
    tci_write_u32(&w, record->size);
    tci_write_u32(&w, record->sequence);
}

tc_status tci_record_decode(const uint8_t from[TCI_RECORD_HEADER_BYTES], uint32_t sequence,
                            tci_record *record_out, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, from, TCI_RECORD_HEADER_BYTES);
    uint8_t kind = tci_read_u8(&r);
    uint8_t reserved = tci_read_u8(&r);
    uint16_t position = tci_read_u16(&r);
    uint32_t size = tci_read_u32(&r);
    uint32_t number = tci_read_u32(&r);
    if (kind < TCI_RECORD_FRAMES || kind > TCI_RECORD_PAYLOAD)
        return tci_error_set(err, TC_E_CORRUPT,
                             "record of kind 0x%02x, expected 0x%02x to 0x%02x", kind,
                             TCI_RECORD_FRAMES, TCI_RECORD_PAYLOAD);
    unsigned row = kind - TCI_RECORD_FRAMES;
    if (size < kind_table[row].body_min || size > kind_table[row].body_max)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s record of %" PRIu32 " bytes, expected %" PRIu32 " to %" PRIu32,
                             kind_table[row].name, size, kind_table[row].body_min,
                             kind_table[row].body_max);
    if (reserved != 0 || (position != 0 && !kind_table[row].has_position))
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s record with 0x%02x and position %u, expected 0 and %s",
                             kind_table[row].name, reserved, position,
                             kind_table[row].has_position ? "a position" : "none");
    if (number != sequence)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s record is number %" PRIu32 ", expected %" PRIu32,
                             kind_table[row].name, number, sequence);
    *record_out = (tci_record){
        .kind = (tci_record_kind)kind, .position = position, .size = size, .sequence = number};
    return TC_OK;
}
