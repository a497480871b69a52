/* Encodes and decodes the hello messages that answer a HELLO, or end its conversation: READY,
 * REFUSE, BYE and WAKEUP. */
#include "hello.h"

#include "base/error_text.h"
#include "hello_envelope.h"

#include <string.h>

/* --- READY ------------------------------------------------------------------------------- */

tc_status tci_hello_ready_encode(uint8_t delivery, void *buf, size_t size, size_t *size_out)
{
    tci_writer w;
    tci_hello_begin(buf, size, &w);
    tci_write_u8(&w, delivery);
    return tci_hello_end(&w, TCI_HELLO_READY, size_out);
}

tc_status tci_hello_ready_decode(const void *bytes, size_t size, uint8_t *delivery_out,
                                 tc_error *err)
{
    tci_reader r;
    TC_TRY(tci_hello_open(bytes, size, TCI_HELLO_READY, &r, err));
    *delivery_out = tci_read_u8(&r);
    return TC_OK;
}

/* --- REFUSE ------------------------------------------------------------------------------ */

tc_status tci_hello_refuse_encode(tc_status status, const char *text, void *buf, size_t size,
                                  size_t *size_out)
{
    if (status >= TC_OK)
        return TC_E_INVALID;
    tci_writer w;
    tci_hello_begin(buf, size, &w);
    tci_write_u32(&w, (uint32_t)status);
    size_t text_size = strnlen(text, TCI_HELLO_REFUSE_TEXT_MAX);
    for (size_t i = 0; i < text_size; i++)
        tci_write_u8(&w, tci_hello_printable(text + i, 1) == 1 ? (uint8_t)text[i] : '?');
    return tci_hello_end(&w, TCI_HELLO_REFUSE, size_out);
}

tc_status tci_hello_refuse_decode(const void *bytes, size_t size, tc_error *refusal_out,
                                  tc_error *err)
{
    tci_reader r;
    TC_TRY(tci_hello_open(bytes, size, TCI_HELLO_REFUSE, &r, err));
    int32_t status = (int32_t)tci_read_u32(&r);
    size_t text_size = tci_reader_left(&r);
    const char *text = (const char *)tci_read_bytes(&r, text_size);
    if (status >= 0)
        return tci_error_set(err, TC_E_CORRUPT, "refuse: status %d, expected a negative one",
                             status);
    size_t printable = tci_hello_printable(text, text_size);
    if (printable != text_size)
        return tci_error_set(err, TC_E_CORRUPT,
                             "refuse: text has byte 0x%02x at %zu, expected printable ASCII",
                             (unsigned char)text[printable], printable);
    (void)tci_error_set(refusal_out, (tc_status)status, "%.*s", (int)text_size, text);
    return TC_OK;
}

/* --- BYE --------------------------------------------------------------------------------- */

tc_status tci_hello_bye_encode(void *buf, size_t size, size_t *size_out)
{
    tci_writer w;
    tci_hello_begin(buf, size, &w);
    return tci_hello_end(&w, TCI_HELLO_BYE, size_out);
}

tc_status tci_hello_bye_decode(const void *bytes, size_t size, tc_error *err)
{
    tci_reader r;
    return tci_hello_open(bytes, size, TCI_HELLO_BYE, &r, err);
}

/* --- WAKEUP ------------------------------------------------------------------------------ */

tc_status tci_hello_wakeup_encode(void *buf, size_t size, size_t *size_out)
{
    tci_writer w;
    tci_hello_begin(buf, size, &w);
    return tci_hello_end(&w, TCI_HELLO_WAKEUP, size_out);
}
