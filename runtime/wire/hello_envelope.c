#include "hello_envelope.h"

#include "base/content_id.h"
#include "base/error_text.h"

#include <inttypes.h>

/* Limits of the bodies. A carrier knows from the preamble alone how many bytes to wait for, and
 * closes the connection when a size is outside them. */
static const struct {
    const char *name;
    uint32_t body_min;
    uint32_t body_max;
} kind_table[] = {
    [TCI_HELLO_HELLO] = {"HELLO", TCI_HELLO_FIXED_BYTES, TCI_HELLO_BODY_MAX},
    [TCI_HELLO_READY] = {"READY", 1, 1},
    [TCI_HELLO_REFUSE] = {"REFUSE", TCI_HELLO_REFUSE_FIXED_BYTES,
                          TCI_HELLO_REFUSE_FIXED_BYTES + TCI_HELLO_REFUSE_TEXT_MAX},
    [TCI_HELLO_BYE] = {"BYE", 0, 0},
    [TCI_HELLO_ADDRESS] = {"ADDRESS", TCI_HELLO_FIXED_BYTES, TCI_HELLO_BODY_MAX},
    [TCI_HELLO_WAKEUP] = {"WAKEUP", 0, 0},
};
#define KIND_LAST TCI_HELLO_WAKEUP

static uint32_t body_checksum(const void *body, size_t size)
{
    uint8_t hash[16];
    tci_reader r;
    tci_hash128(body, size, hash);
    tci_reader_init(&r, hash, sizeof hash);
    return tci_read_u32(&r);
}

tc_status tci_hello_preamble_decode(const void *bytes, size_t size,
                                    tci_hello_preamble *preamble_out, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    uint32_t magic = tci_read_u32(&r);
    uint16_t protocol = tci_read_u16(&r);
    uint16_t kind = tci_read_u16(&r);
    uint32_t body_bytes = tci_read_u32(&r);
    uint32_t checksum = tci_read_u32(&r);
    if (r.failed)
        return tci_error_set(err, TC_E_CORRUPT, "message of %zu bytes, expected at least %u",
                             size, TCI_HELLO_PREAMBLE_BYTES);
    if (magic != TCI_HELLO_MAGIC)
        return tci_error_set(err, TC_E_CORRUPT,
                             "not a Three-Chains peer: begins with 0x%08" PRIx32
                             ", expected 0x%08x (\"TCHI\")",
                             magic, TCI_HELLO_MAGIC);
    if (protocol != TC_PROTOCOL_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "the peer speaks protocol version %u, this side version %u",
                             protocol, TC_PROTOCOL_VERSION);
    if (kind < TCI_HELLO_HELLO || kind > KIND_LAST)
        return tci_error_set(err, TC_E_CORRUPT, "message of kind %u, expected %d to %d", kind,
                             TCI_HELLO_HELLO, KIND_LAST);
    if (body_bytes < kind_table[kind].body_min || body_bytes > kind_table[kind].body_max)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s message with a body of %" PRIu32 " bytes, expected %" PRIu32
                             " to %" PRIu32,
                             kind_table[kind].name, body_bytes, kind_table[kind].body_min,
                             kind_table[kind].body_max);
    *preamble_out = (tci_hello_preamble){
        .kind = (tci_hello_kind)kind, .body_bytes = body_bytes, .checksum = checksum};
    return TC_OK;
}

tc_status tci_hello_open(const void *bytes, size_t size, tci_hello_kind kind,
                         tci_reader *body_out, tc_error *err)
{
    tci_hello_preamble preamble;
    TC_TRY(tci_hello_preamble_decode(bytes, size, &preamble, err));
    if (preamble.kind != kind)
        return tci_error_set(err, TC_E_CORRUPT, "%s message, expected %s",
                             kind_table[preamble.kind].name, kind_table[kind].name);
    size_t body_bytes = size - TCI_HELLO_PREAMBLE_BYTES;
    if (preamble.body_bytes != body_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s message says that its body has %" PRIu32 " bytes, found %zu",
                             kind_table[kind].name, preamble.body_bytes, body_bytes);
    const uint8_t *body = (const uint8_t *)bytes + TCI_HELLO_PREAMBLE_BYTES;
    uint32_t checksum = body_checksum(body, body_bytes);
    if (preamble.checksum != checksum)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s message is damaged: its checksum is 0x%08" PRIx32
                             ", expected 0x%08" PRIx32,
                             kind_table[kind].name, checksum, preamble.checksum);
    tci_reader_init(body_out, body, body_bytes);
    return TC_OK;
}

void tci_hello_begin(void *buf, size_t size, tci_writer *body_out)
{
    tci_writer_init(body_out, buf, size);
    static const uint8_t preamble_comes_last[TCI_HELLO_PREAMBLE_BYTES];
    tci_write_bytes(body_out, preamble_comes_last, sizeof preamble_comes_last);
}

tc_status tci_hello_end(const tci_writer *body, tci_hello_kind kind, size_t *size_out)
{
    if (body->failed)
        return TC_E_TOO_LARGE;
    size_t body_bytes = body->at - TCI_HELLO_PREAMBLE_BYTES;
    tci_writer w;
    tci_writer_init(&w, body->data, TCI_HELLO_PREAMBLE_BYTES);
    tci_write_u32(&w, TCI_HELLO_MAGIC);
    tci_write_u16(&w, TC_PROTOCOL_VERSION);
    tci_write_u16(&w, (uint16_t)kind);
    tci_write_u32(&w, (uint32_t)body_bytes);
    tci_write_u32(&w, body_checksum(body->data + TCI_HELLO_PREAMBLE_BYTES, body_bytes));
    *size_out = body->at;
    return TC_OK;
}

size_t tci_hello_printable(const void *text, size_t size)
{
    const uint8_t *bytes = text;
    size_t n = 0;
    while (n < size && bytes[n] >= 0x20 && bytes[n] <= 0x7e)
        n++;
    return n;
}
