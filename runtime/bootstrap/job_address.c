#include "job_address.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "run_protocol.h"

#include <string.h>

#define MARK_BYTES 2u /* 0 and a letter */

static const uint8_t program_mark[MARK_BYTES] = {0, 'P'};
static const uint8_t key_mark[MARK_BYTES] = {0, 'K'};

size_t tci_job_address_encode(const tci_job_address *address,
                              uint8_t out[TCI_RENDEZVOUS_ADDRESS_MAX])
{
    tci_writer w;
    if (address->size > TCI_JOB_ADDRESS_TEXT_MAX)
        return 0;
    tci_writer_init(&w, out, TCI_RENDEZVOUS_ADDRESS_MAX);
    tci_write_bytes(&w, address->text, address->size);
    if (address->name != NULL) {
        tci_write_bytes(&w, program_mark, sizeof program_mark);
        tci_write_u8(&w, (uint8_t)address->program);
        tci_write_u8(&w, (uint8_t)address->name_size);
        tci_write_bytes(&w, address->name, address->name_size);
    }
    if (address->key != NULL) {
        tci_write_bytes(&w, key_mark, sizeof key_mark);
        tci_write_bytes(&w, address->key, TCI_TLS_KEY_BYTES);
    }
    return w.failed ? 0 : w.at;
}

static size_t text_size(const uint8_t *bytes, size_t size)
{
    size_t n = 0;
    while (n < size && bytes[n] > ' ' && bytes[n] < 0x7f)
        n++;
    return n;
}

/* Reads the mark if it is the next one. */
static bool read_mark(tci_reader *r, const void *bytes, const uint8_t mark[MARK_BYTES])
{
    const uint8_t *next = (const uint8_t *)bytes + r->at;
    return tci_reader_left(r) >= MARK_BYTES && memcmp(next, mark, MARK_BYTES) == 0 &&
           tci_read_bytes(r, MARK_BYTES) != NULL;
}

static tc_status read_program(tci_reader *r, tci_job_address *address, tc_error *err)
{
    address->program = tci_read_u8(r);
    address->name_size = tci_read_u8(r);
    address->name = (const char *)tci_read_bytes(r, address->name_size);
    if (r->failed || (address->program < TCI_RUN_PROGRAM_MAX &&
                      tci_run_name_is_sound(address->name, address->name_size)))
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "program %u with a name of %zu bytes, expected a number below %u and "
                         "1 to %u characters of printable ASCII",
                         address->program, address->name_size, TCI_RUN_PROGRAM_MAX,
                         TCI_RUN_NAME_MAX);
}

tc_status tci_job_address_decode(const void *bytes, size_t size, tci_job_address *address_out,
                                 tc_error *err)
{
    tci_reader r;
    tci_job_address address = {.text = bytes, .size = text_size(bytes, size)};
    tci_reader_init(&r, bytes, size);
    (void)tci_read_bytes(&r, address.size);
    if (read_mark(&r, bytes, program_mark))
        TC_TRY(read_program(&r, &address, err));
    if (read_mark(&r, bytes, key_mark))
        address.key = tci_read_bytes(&r, TCI_TLS_KEY_BYTES);
    if (r.failed || tci_reader_left(&r) > 0 || address.size == 0 ||
        address.size > TCI_JOB_ADDRESS_TEXT_MAX)
        return tci_error_set(
            err, TC_E_CORRUPT,
            "%zu bytes, expected \"host:port\", and perhaps a program and a key "
            "of %u bytes",
            size, TCI_TLS_KEY_BYTES);
    *address_out = address;
    return TC_OK;
}
