/* tc/code.h: names of the code that was shipped here. A signal handler must not format texts
 * with the C library, so they are put together here. */
#include "context/context_object.h"

#include "core/current.h"
#include "engine/code_map.h"

#include <tc/code.h>

typedef struct text_out {
    char *at;
    size_t capacity;
    size_t length; /* of the whole text, also where it does not fit */
} text_out;

static void add_byte(text_out *out, char byte)
{
    if (out->length + 1 < out->capacity)
        out->at[out->length] = byte;
    out->length++;
}

static void add_text(text_out *out, const char *text)
{
    while (*text != '\0')
        add_byte(out, *text++);
}

static void add_number(text_out *out, uint64_t number, unsigned base)
{
    char digits[24];
    unsigned count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    while (count > 0)
        add_byte(out, digits[--count]);
}

static void add_id(text_out *out, const tci_content_id *id)
{
    for (size_t i = 0; i < sizeof id->bytes; i++) {
        add_byte(out, "0123456789abcdef"[id->bytes[i] >> 4]);
        add_byte(out, "0123456789abcdef"[id->bytes[i] & 15]);
    }
}

static size_t finish(text_out *out)
{
    if (out->capacity > 0)
        out->at[out->length < out->capacity ? out->length : out->capacity - 1] = '\0';
    return out->length;
}

size_t tc_code_name(const void *address, char *text, size_t size)
{
    text_out out = {.at = text, .capacity = size};
    tci_found_code found;
    if (!tci_code_map_find((uintptr_t)address, &found))
        return finish(&out);
    add_text(&out, found.name);
    add_text(&out, "+0x");
    add_number(&out, found.offset, 16);
    add_text(&out, " of ");
    add_id(&out, &found.id);
    return finish(&out);
}

static void add_peer(text_out *out, const tc_ep *ep)
{
    add_text(out, " from ");
    if (ep->stream != NULL) {
        add_text(out, tci_stream_peer(ep->stream));
    } else {
        add_text(out, "connection ");
        add_number(out, ep->connection, 10);
    }
    if (ep->peer.pid != 0) {
        add_text(out, ", process ");
        add_number(out, ep->peer.pid, 10);
    }
}

size_t tc_code_running(char *text, size_t size)
{
    text_out out = {.at = text, .capacity = size};
    const tci_current *current = tci_current_get();
    if (current->ep == NULL)
        return finish(&out);
    if (current->fn != NULL) {
        add_text(&out, "function '");
        add_text(&out, tci_archive_name(current->fn->archive));
        add_text(&out, "' ");
        add_id(&out, &current->fn->id);
    } else {
        add_text(&out, "injected code");
    }
    add_peer(&out, current->ep);
    return finish(&out);
}
