#include "library_search.h"

#include "base/error_text.h"
#include "prototype.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tci_library_search_split(tci_symbol_words *words, const char *symbol)
{
    const char *prototype = tci_prototype_of_symbol(symbol);
    const size_t length = prototype != NULL ? (size_t)(prototype - symbol) : 0;
    words->name = symbol;
    words->prototype = NULL;
    if (length == 0 || length >= sizeof words->copy)
        return;
    memcpy(words->copy, symbol, length);
    words->copy[length] = '\0';
    words->name = words->copy;
    words->prototype = prototype;
}

TC_PRINTF(3, 4)
static void keep(tci_library_clash *clash, tc_status status, const char *format, ...)
{
    va_list values;
    if (clash == NULL)
        return;
    clash->status = status;
    va_start(values, format);
    (void)vsnprintf(clash->text, sizeof clash->text, format, values);
    va_end(values);
}

const tci_library *tci_library_search(tci_library *const *libraries, size_t count,
                                      const tci_symbol_words *symbol, void **address_out,
                                      tci_library_clash *clash)
{
    const tci_library *found = NULL;
    const char *prototype = NULL;
    void *address = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool is_first = found == NULL;
        void *here = tci_library_find(libraries[i], symbol->name, is_first ? &prototype : NULL);
        if (here != NULL && !is_first) {
            keep(clash, TC_E_UNRESOLVED,
                 "symbol %.400s is defined by %s and by %s, and both are in the list",
                 symbol->name, tci_library_title(found), tci_library_title(libraries[i]));
            address = NULL;
            break;
        }
        address = is_first ? here : address;
        found = here != NULL ? libraries[i] : found;
    }
    if (address != NULL && symbol->prototype != NULL && prototype != NULL &&
        !tci_prototype_agrees(symbol->prototype, prototype)) {
        keep(clash, TC_E_VERSION,
             "symbol %.200s is used as '%.160s', and %s has it as '%.160s'", symbol->name,
             symbol->prototype, tci_library_title(found), prototype);
        address = NULL;
    }
    *address_out = address;
    return found;
}
