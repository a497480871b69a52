#include "job_address.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <string.h>

static const uint8_t key_mark[2] = {0, 'K'};

size_t tci_job_address_encode(const tci_job_address *address,
                              uint8_t out[TCI_RENDEZVOUS_ADDRESS_MAX])
{
    tci_writer w;
    if (address->size > TCI_JOB_ADDRESS_TEXT_MAX)
        return 0;
    tci_writer_init(&w, out, TCI_RENDEZVOUS_ADDRESS_MAX);
    tci_write_bytes(&w, address->text, address->size);
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

tc_status tci_job_address_decode(const void *bytes, size_t size, tci_job_address *address_out,
                                 tc_error *err)
{
    tci_reader r;
    tci_job_address address = {.text = bytes, .size = text_size(bytes, size)};
    tci_reader_init(&r, bytes, size);
    (void)tci_read_bytes(&r, address.size);
    if (tci_reader_left(&r) > 0) {
        const uint8_t *mark = tci_read_bytes(&r, sizeof key_mark);
        address.key = tci_read_bytes(&r, TCI_TLS_KEY_BYTES);
        if (mark != NULL && memcmp(mark, key_mark, sizeof key_mark) != 0)
            r.failed = true;
    }
    if (r.failed || tci_reader_left(&r) > 0 || address.size == 0 ||
        address.size > TCI_JOB_ADDRESS_TEXT_MAX)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%zu bytes, expected \"host:port\", and perhaps a key of %u bytes",
                             size, TCI_TLS_KEY_BYTES);
    *address_out = address;
    return TC_OK;
}
