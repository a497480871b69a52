#include "code_form.h"

#include "archive_dictionary.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "ifunc/trust_ops.h"
#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

static tci_code_form form_of(const tc_ifunc *fn, const uint8_t *bytes, size_t size)
{
    return (tci_code_form){bytes, size, fn->signature != NULL ? TCI_CODE_SIGNATURE_BYTES : 0};
}

static tci_code_form own_form(const tc_ifunc *fn)
{
    return form_of(fn, fn->code, fn->code_bytes);
}

/* Makes a code section of `archive`. The bytes behind the archive are the same in each form. */
static tc_status make_section(const tc_ifunc *fn, const void *archive, size_t archive_size,
                              uint8_t **bytes_out, size_t *size_out)
{
    tci_code_bytes code = tci_registry_bytes(fn);
    code.archive = archive;
    code.archive_size = archive_size;
    tci_code_section section = {.archive_size = (uint32_t)archive_size,
                                .deps_size = (uint32_t)code.deps_size};
    tci_content_id_of(archive, archive_size, code.deps, code.deps_size, &section.id);
    size_t size = TCI_CODE_SECTION_BYTES + archive_size + code.deps_size;
    uint8_t *bytes = malloc(size + TCI_CODE_SIGNATURE_BYTES);
    if (bytes == NULL)
        return TC_E_NO_MEMORY;
    tci_code_section_encode(&section, bytes);
    memcpy(bytes + TCI_CODE_SECTION_BYTES, archive, archive_size);
    if (code.deps_size > 0)
        memcpy(bytes + TCI_CODE_SECTION_BYTES + archive_size, code.deps, code.deps_size);
    if (fn->signature != NULL)
        fn->registry->trust->ops->encode(fn, &code, bytes + size);
    *bytes_out = bytes;
    *size_out = size;
    return TC_OK;
}

/* Makes a form once. Each form has an id of its own, and the same libraries. The output of
 * zstd differs by its version, so a signature could not cover it: signed code is sent
 * uncompressed. */
static tc_status make_form(tc_ifunc *fn, uint8_t **bytes, size_t *size)
{
    void *archive;
    size_t archive_size;
    tc_error error;
    if (*bytes != NULL)
        return TC_OK;
    TC_TRY(fn->signature != NULL
               ? tci_archive_stored_form(fn->archive, &archive, &archive_size, &error)
               : tci_archive_plain_form(fn->archive, &archive, &archive_size, &error));
    tc_status status = make_section(fn, archive, archive_size, bytes, size);
    free(archive);
    if (status == TC_OK)
        TC_LOG(TC_LOG_DEBUG, "%s: %zu bytes of code for a peer without its dictionary, not %zu",
               tci_archive_name(fn->archive), *size, fn->code_bytes);
    return status;
}

tc_status tci_code_form_for(tc_ifunc *fn, uint32_t dictionaries, tci_code_form *form_out)
{
    size_t dictionary = tci_archive_dictionary(fn->archive);
    bool is_signed = fn->signature != NULL;
    uint8_t **bytes = is_signed ? &fn->stored : &fn->plain;
    size_t *size = is_signed ? &fn->stored_bytes : &fn->plain_bytes;
    if (dictionary == TCI_DICTIONARY_NONE || (dictionaries >> dictionary & 1) != 0) {
        *form_out = own_form(fn);
        return TC_OK;
    }
    TC_TRY(make_form(fn, bytes, size));
    *form_out = form_of(fn, *bytes, *size);
    return TC_OK;
}

static bool has_id(const uint8_t *bytes, const tci_content_id *id)
{
    tci_code_section section;
    if (bytes == NULL)
        return false;
    tci_code_section_decode(bytes, &section);
    return tci_content_id_equal(&section.id, id);
}

/* Searches all functions: these forms are in no table, as few peers need them, and few of those
 * ask for code. */
tc_ifunc *tci_code_form_find(tci_registry *registry, const tci_content_id *id,
                             tci_code_form *form_out)
{
    tc_ifunc *fn = tci_registry_find(registry, id);
    if (fn != NULL) {
        *form_out = own_form(fn);
        return fn;
    }
    for (size_t i = 0; i < registry->capacity; i++) {
        fn = registry->table[i];
        if (fn != NULL && has_id(fn->stored, id)) {
            *form_out = form_of(fn, fn->stored, fn->stored_bytes);
            return fn;
        }
        if (fn != NULL && has_id(fn->plain, id)) {
            *form_out = (tci_code_form){fn->plain, fn->plain_bytes, 0};
            return fn;
        }
    }
    return NULL;
}
