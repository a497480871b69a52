/* tc/code.h: the name of the shipped code at an address. A signal handler may ask for it. */
#include "base/signal_text.h"
#include "engine/code_map.h"

#include <tc/code.h>

size_t tc_code_name(const void *address, char *text, size_t size)
{
    tci_signal_text out = {.at = text, .capacity = size};
    tci_found_code found;
    if (!tci_code_map_find((uintptr_t)address, &found))
        return tci_signal_text_end(&out);
    tci_signal_text_add(&out, found.name);
    tci_signal_text_add(&out, "+0x");
    tci_signal_text_add_number(&out, found.offset, 16);
    tci_signal_text_add(&out, " of ");
    tci_signal_text_add_id(&out, &found.id);
    return tci_signal_text_end(&out);
}
