/* Bytes as a .deps list, at a node that has two libraries that travel, "a" and "b". No name
 * that reaches the dynamic linker is a path; every refusal has a text; opened libraries are
 * closed and references released, also after a rest. */
#include "engine/symbols.h"
#include "fuzzer.h"

#include <string.h>

/* Replace the dynamic linker's (--wrap). */
void *__wrap_dlopen(const char *name, int flags);
int __wrap_dlclose(void *library);
char *__wrap_dlerror(void);

static size_t opened;

void *__wrap_dlopen(const char *name, int flags)
{
    (void)flags;
    if (strcmp(name, "libgcc_s.so.1") == 0) /* every scope asks for it, and it stays */
        return NULL;
    MUST(name[0] != '\0' && name[0] != '.' && name[0] != '-' && strchr(name, '/') == NULL);
    MUST(strlen(name) < TCI_DEPS_SONAME_MAX);
    if (name[0] != 'l')
        return NULL;
    opened++;
    return &opened;
}

int __wrap_dlclose(void *library)
{
    MUST(library == &opened && opened > 0);
    opened--;
    return 0;
}

char *__wrap_dlerror(void)
{
    return NULL;
}

static void check(tci_library_set *set, const char *text, size_t size)
{
    const tci_symbol_scope scope = {.libraries = set};
    tci_symbols *symbols;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_symbols_create(text, size, &scope, &symbols, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return;
    }
    MUST(tci_symbols_library(symbols, TCI_DEPS_MAX) == NULL);
    tci_symbols_rest(symbols);
    MUST(tci_symbols_library(symbols, 0) == NULL);
    MUST(tci_symbols_resume(symbols, &err) == TC_OK);
    MUST(!tci_symbols_are_old(symbols));
    tci_symbols_destroy(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_library libraries[] = {{.title = TCI_LIBRARY_PREFIX "a"},
                               {.title = TCI_LIBRARY_PREFIX "b"}};
    tci_library_set *set;
    char *text = malloc(size > 0 ? size : 1);
    MUST(text != NULL && tci_library_set_create(&set, NULL) == TC_OK);
    memcpy(text, data, size);
    for (size_t i = 0; i < 2; i++)
        MUST(tci_library_set_put(set, &libraries[i], NULL) == TC_OK);
    check(set, text, size);
    MUST(opened == 0 && libraries[0].holders == 0 && libraries[1].holders == 0);
    for (size_t i = 0; i < 2; i++) {
        tci_library_set_take_out(set, &libraries[i]);
        MUST(tci_library_set_take_unused(set) == &libraries[i]);
    }
    tci_library_set_destroy(set);
    free(text);
    return 0;
}
