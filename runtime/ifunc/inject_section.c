#include "inject_section.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

static size_t names_size(const tci_archive *archive, size_t index)
{
    size_t size = 0;
    for (size_t i = 0; i < tci_archive_slice(archive, index)->symbol_count; i++)
        size += strlen(tci_archive_symbol(archive, index, i)) + 1;
    return size;
}

static void write_section(const tc_ifunc *fn, size_t index, size_t rest_size, uint8_t *out)
{
    const tci_slice *slice = tci_archive_slice(fn->archive, index);
    const uint8_t *deps = fn->code + TCI_CODE_SECTION_BYTES + fn->archive_size;
    size_t deps_size = fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size;
    tci_inject_section_encode((uint32_t)slice->size, (uint32_t)rest_size, out);
    out += TCI_INJECT_SECTION_BYTES;
    memcpy(out, tci_archive_slice_bytes(fn->archive, index), slice->size);
    out += slice->size;
    if (deps_size > 0)
        memcpy(out, deps, deps_size);
    out += deps_size;
    *out++ = '\0';
    for (size_t i = 0; i < slice->symbol_count; i++) {
        const char *name = tci_archive_symbol(fn->archive, index, i);
        size_t size = strlen(name) + 1;
        memcpy(out, name, size);
        out += size;
    }
}

static tc_status make_section(tc_ifunc *fn, unsigned target, tci_injected_code *code,
                              tc_error *err)
{
    size_t index;
    TC_TRY(tci_archive_select_image(fn->archive, tci_target_triple(target), TCI_CPU_ANY, &index,
                                    err));
    size_t deps_size = fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size;
    size_t rest_size = deps_size + 1 + names_size(fn->archive, index);
    size_t size =
        TCI_INJECT_SECTION_BYTES + tci_archive_slice(fn->archive, index)->size + rest_size;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "injected code: out of memory");
    write_section(fn, index, rest_size, bytes);
    *code = (tci_injected_code){.bytes = bytes, .size = size};
    return TC_OK;
}

tc_status tci_inject_section(tc_ifunc *fn, unsigned target, const uint8_t **bytes_out,
                             size_t *size_out, tc_error *err)
{
    if (target == TCI_TARGET_TEXT || target > TCI_ARCH_COUNT)
        return tci_error_set(err, TC_E_NO_SLICE,
                             "%s: no images are made for the peer's architecture",
                             tci_archive_name(fn->archive));
    tci_injected_code *code = &fn->injected[target - 1];
    if (code->bytes == NULL)
        TC_TRY(make_section(fn, target, code, err));
    *bytes_out = code->bytes;
    *size_out = code->size;
    return TC_OK;
}

void tci_inject_sections_free(tc_ifunc *fn)
{
    for (size_t i = 0; i < TCI_ARCH_COUNT; i++)
        free(fn->injected[i].bytes);
}
