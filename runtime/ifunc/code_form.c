#include "code_form.h"

#include "archive_dictionary.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

/* The plain archive has an id of its own, and the same libraries. */
static tc_status make_plain(tc_ifunc *fn, tc_error *err)
{
    const uint8_t *deps = fn->code + TCI_CODE_SECTION_BYTES + fn->archive_size;
    size_t deps_size = fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size;
    void *archive;
    size_t archive_size;
    TC_TRY(tci_archive_plain_form(fn->archive, &archive, &archive_size, err));
    tci_code_section section = {.archive_size = (uint32_t)archive_size,
                                .deps_size = (uint32_t)deps_size};
    tci_content_id_of(archive, archive_size, deps, deps_size, &section.id);
    size_t size = TCI_CODE_SECTION_BYTES + archive_size + deps_size;
    uint8_t *bytes = malloc(size);
    if (bytes != NULL) {
        tci_code_section_encode(&section, bytes);
        memcpy(bytes + TCI_CODE_SECTION_BYTES, archive, archive_size);
        if (deps_size > 0)
            memcpy(bytes + TCI_CODE_SECTION_BYTES + archive_size, deps, deps_size);
        fn->plain = bytes;
        fn->plain_bytes = size;
    }
    free(archive);
    return bytes != NULL ? TC_OK : TC_E_NO_MEMORY;
}

tc_status tci_code_form_for(tc_ifunc *fn, uint32_t dictionaries, tci_code_form *form_out)
{
    tc_error error;
    size_t dictionary = tci_archive_dictionary(fn->archive);
    if (dictionary == TCI_DICTIONARY_NONE || (dictionaries >> dictionary & 1) != 0) {
        *form_out = (tci_code_form){fn->code, fn->code_bytes};
        return TC_OK;
    }
    if (fn->plain == NULL) {
        TC_TRY(make_plain(fn, &error));
        TC_LOG(TC_LOG_DEBUG, "%s: %zu bytes of code for a peer without its dictionary, not %zu",
               tci_archive_name(fn->archive), fn->plain_bytes, fn->code_bytes);
    }
    *form_out = (tci_code_form){fn->plain, fn->plain_bytes};
    return TC_OK;
}

static bool plain_has_id(const tc_ifunc *fn, const tci_content_id *id)
{
    tci_code_section section;
    if (fn == NULL || fn->plain == NULL)
        return false;
    tci_code_section_decode(fn->plain, &section);
    return tci_content_id_equal(&section.id, id);
}

/* Plain forms are in no table: few peers need them, and few of those ask. */
tc_ifunc *tci_code_form_find(tci_registry *registry, const tci_content_id *id,
                             tci_code_form *form_out)
{
    tc_ifunc *fn = tci_registry_find(registry, id);
    if (fn != NULL) {
        *form_out = (tci_code_form){fn->code, fn->code_bytes};
        return fn;
    }
    for (size_t i = 0; i < registry->options->functions_max; i++) {
        fn = registry->table[i];
        if (plain_has_id(fn, id)) {
            *form_out = (tci_code_form){fn->plain, fn->plain_bytes};
            return fn;
        }
    }
    return NULL;
}
