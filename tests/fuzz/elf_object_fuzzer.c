/* Any bytes as an object file. All its reported parts lie within it, and every walk over it
 * ends. */
#include "engine/orc/elf_object.h"
#include "fuzzer.h"

#include <string.h>

#define WALK_MAX (1u << 20)

static void check_text(const uint8_t *bytes, size_t size, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    MUST(at >= bytes && at < bytes + size);
    MUST(memchr(at, 0, (size_t)(bytes + size - at)) != NULL);
}

static void check_sections(const tci_elf_object *object)
{
    static volatile unsigned sink;
    tci_elf_section section;
    for (size_t i = 0; tci_elf_object_section(object, i, &section); i++) {
        MUST(i < object->count);
        sink += (unsigned)strlen(section.name);
        if (section.content == NULL || section.size == 0)
            continue;
        MUST(section.content >= object->bytes && section.size <= object->size);
        sink += section.content[0];
        sink += section.content[section.size - 1];
    }
}

static void check_symbols(const tci_elf_object *object)
{
    tci_elf_function function;
    const char *name;
    size_t at = 0, count = 0;
    while (tci_elf_object_next_function(object, &at, &function)) {
        check_text(object->bytes, object->size, function.name);
        MUST(count++ < WALK_MAX);
    }
    for (at = 0; (name = tci_elf_object_next_undefined(object, &at)) != NULL;) {
        check_text(object->bytes, object->size, name);
        MUST(count++ < WALK_MAX);
    }
}

static void check_names(const tci_elf_object *object)
{
    const tci_engine_code code = {.name = "f"};
    tci_code_symbol *symbols = NULL;
    size_t count = tci_elf_object_names(object, &code, 0x10000, &symbols);
    MUST((count > 0) == (symbols != NULL) || count == 0);
    free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    MUST(bytes != NULL);
    memcpy(bytes, data, size);
    const tci_elf_object object = tci_elf_object_open(bytes, size);
    check_sections(&object);
    check_symbols(&object);
    check_names(&object);
    (void)tci_elf_object_memory(&object);
    (void)tci_elf_object_has_debug_info(&object);
    free(bytes);
    return 0;
}
