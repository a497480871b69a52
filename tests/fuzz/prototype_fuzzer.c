/* Two lines as prototypes. Agreement of those that are good does not depend on their order, and
 * each agrees with itself. A line as a symbol has a good prototype behind its name, or none. */
#include "fuzzer.h"
#include "prototype.h"

#include <string.h>

static bool is_good(const char *text)
{
    tc_error err = {.text = ""};
    const tc_status status = tci_prototype_check(text, TC_E_CORRUPT, &err);
    MUST(status == TC_OK || (status == TC_E_CORRUPT && err.text[0] != '\0'));
    return status == TC_OK;
}

static void check_symbol(const char *symbol)
{
    const char *prototype = tci_prototype_of_symbol(symbol);
    MUST(prototype == NULL || (prototype > symbol && *prototype == '(' && is_good(prototype)));
    MUST(prototype == NULL || memchr(symbol, '(', (size_t)(prototype - symbol)) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *second = strchr(text, '\n');
    if (second != NULL)
        *second++ = '\0';
    const bool first = is_good(text);
    check_symbol(text);
    MUST(!first || tci_prototype_agrees(text, text));
    if (second != NULL && is_good(second) && first)
        MUST(tci_prototype_agrees(text, second) == tci_prototype_agrees(second, text));
    free(text);
    return 0;
}
