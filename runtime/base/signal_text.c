#include "base/signal_text.h"

static void add_byte(tci_signal_text *out, char byte)
{
    if (out->length + 1 < out->capacity)
        out->at[out->length] = byte;
    out->length++;
}

void tci_signal_text_add(tci_signal_text *out, const char *text)
{
    while (*text != '\0')
        add_byte(out, *text++);
}

void tci_signal_text_add_number(tci_signal_text *out, uint64_t number, unsigned base)
{
    char digits[24];
    unsigned count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    while (count > 0)
        add_byte(out, digits[--count]);
}

void tci_signal_text_add_id(tci_signal_text *out, const tci_content_id *id)
{
    for (size_t i = 0; i < sizeof id->bytes; i++) {
        add_byte(out, "0123456789abcdef"[id->bytes[i] >> 4]);
        add_byte(out, "0123456789abcdef"[id->bytes[i] & 15]);
    }
}

size_t tci_signal_text_end(tci_signal_text *out)
{
    if (out->capacity > 0)
        out->at[out->length < out->capacity ? out->length : out->capacity - 1] = '\0';
    return out->length;
}
