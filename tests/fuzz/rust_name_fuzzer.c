/* A symbol of bitcode as a name of Rust. An accepted name is made of parts of the symbol, in
 * its order, and fits its buffer. */
#include "../../compiler/rust_name.h"
#include "fuzzer.h"

#include <string.h>

static void check_parts(const char *symbol, char *name)
{
    for (char *part = name, *next; part != NULL; part = next) {
        next = strstr(part, "::");
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        symbol = strstr(symbol, part);
        MUST(symbol != NULL);
        symbol += strlen(part);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[TCI_RUST_NAME_MAX + 1];
    char *symbol = malloc(size + 1); /* of its very size: a byte beyond it is seen */
    MUST(symbol != NULL);
    memcpy(symbol, data, size);
    symbol[size] = '\0';
    memset(name, 'x', sizeof name);
    if (tci_rust_name_read(symbol, name)) {
        MUST(strncmp(symbol, "_ZN", 3) == 0 || strncmp(symbol, "_R", 2) == 0);
        MUST(memchr(name, '\0', TCI_RUST_NAME_MAX) != NULL && name[0] != '\0');
        check_parts(symbol, name);
    }
    MUST(name[TCI_RUST_NAME_MAX] == 'x');
    free(symbol);
    return 0;
}
