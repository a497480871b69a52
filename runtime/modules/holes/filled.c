/* The registry knows a filled function by the id of its filled archive. Its archive is a view:
 * name, entries and slices are those of the code's, and the loader of an image finds the values
 * there. It holds the code's function, so that the code stays as long as a function of it does;
 * that one is never loaded itself. At the end of a registry functions go in any order, so a
 * filled one looks in the table whether its code's is still there. */
#include "modules/holes/filled.h"

#include "archive_dictionary.h"
#include "base/error_text.h"
#include "core/ep.h"
#include "image.h"

#include <stdlib.h>

struct tci_filled {
    tc_ifunc *code; /* held */
    uint16_t index; /* of it, in the registry */
    tci_values values;
};

/* --- code with holes --------------------------------------------------------------------- */

static bool is_image_with_holes(const tci_archive *archive, size_t slice)
{
    const tci_slice *info = tci_archive_slice(archive, slice);
    return info->form == TCI_FORM_IMAGE &&
           tci_image_has_holes(tci_archive_slice_bytes(archive, slice), info->size);
}

static bool has_holes(const tci_archive *archive)
{
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        if (is_image_with_holes(archive, i))
            return true;
    }
    return false;
}

/* Peers know the code by this archive's id alone. */
tc_status tci_filled_check_code(const tci_archive *archive, tc_error *err)
{
    const char *name = tci_archive_name(archive);
    if (tci_archive_is_library(archive))
        return tci_error_set(err, TC_E_UNSUPPORTED, "%s: a library has no holes", name);
    if (tci_archive_dictionary(archive) != TCI_DICTIONARY_NONE)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "%s: it is packed with a dictionary, which code with holes is not",
                             name);
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        if (!is_image_with_holes(archive, i))
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "%s: slice %zu is no image with holes, expected images alone",
                                 name, i);
    }
    return TC_OK;
}

tc_status tci_filled_refuse(const tc_ifunc *fn, tc_error *err)
{
    return tci_error_set(err, TC_E_INVALID,
                         "%s has holes, whose values are not set: tc_ifunc_fill sets them",
                         tci_archive_name(fn->archive));
}

/* --- filled archives --------------------------------------------------------------------- */

/* The list of libraries is a part of the code's id, and travels with each filled archive. */
static tc_status check_deps(const tc_ifunc *fn, const tc_ifunc *code, tc_error *err)
{
    const tci_code_bytes own = tci_registry_bytes(fn), its = tci_registry_bytes(code);
    if (own.deps_size == its.deps_size && memcmp(own.deps, its.deps, own.deps_size) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "%s: a filled archive with %zu bytes of libraries, its code has %zu%s",
                         tci_archive_name(code->archive), own.deps_size, its.deps_size,
                         own.deps_size == its.deps_size ? " others" : "");
}

static tc_status miss(const tc_ifunc *fn, const tci_filled_archive *read, tc_error *err)
{
    char id[TCI_CONTENT_ID_TEXT];
    tci_content_id_text(&read->code, id);
    tci_filled_state(fn->registry)->missing =
        (tci_code_section){.id = read->code,
                           .archive_size = read->archive_size,
                           .deps_size = (uint32_t)tci_registry_bytes(fn).deps_size};
    return tci_error_set(err, TC_E_ABSENT, "values for code %s, which is not here", id);
}

static tc_status fill(tc_ifunc *fn, tc_ifunc *code, const tci_values *values, tc_error *err)
{
    if (code->filled != NULL)
        return tci_error_set(err, TC_E_CORRUPT, "%s: values for code that has values already",
                             tci_archive_name(code->archive));
    TC_TRY(tci_filled_check_code(code->archive, err));
    TC_TRY(check_deps(fn, code, err));
    struct tci_filled *filled = malloc(sizeof *filled);
    if (filled == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    *filled = (struct tci_filled){code, code->index, *values};
    fn->archive = tci_archive_fill(code->archive, &filled->values);
    if (fn->archive == NULL) {
        free(filled);
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    }
    fn->filled = filled;
    tci_registry_retain(code);
    return TC_OK;
}

static tc_status open_filled(tc_ifunc *fn, const uint8_t *bytes, tc_error *err)
{
    tci_filled_archive read;
    TC_TRY(tci_filled_archive_read(bytes, fn->archive_size, &read, err));
    tc_ifunc *code = tci_registry_find(fn->registry, &read.code);
    return code != NULL ? fill(fn, code, &read.values, err) : miss(fn, &read, err);
}

tc_status tci_filled_open(tc_ifunc *fn, tc_error *err)
{
    const uint8_t *bytes = fn->code + TCI_CODE_SECTION_BYTES;
    if (tci_filled_archive_is(bytes, fn->archive_size))
        return open_filled(fn, bytes, err);
    TC_TRY(tci_archive_open(bytes, fn->archive_size, &fn->archive, err));
    fn->unfilled = has_holes(fn->archive);
    return TC_OK;
}

void tci_filled_forget(tc_ifunc *fn)
{
    struct tci_filled *filled = fn->filled;
    tci_archive_unfill(fn->archive);
    if (fn->registry->table[filled->index] == filled->code)
        tci_registry_release(filled->code);
    fn->filled = NULL;
    fn->archive = NULL;
    free(filled);
}

tc_ifunc *tci_filled_code_of(const tc_ifunc *fn)
{
    return fn->filled->code;
}

bool tci_filled_is_announced(const tc_ep *ep, const tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    for (size_t i = 0; i < registry->capacity; i++) {
        const tc_ifunc *other = registry->table[i];
        if (other != NULL && other->filled != NULL && other->filled->code == fn &&
            ep->tx.bindings[i] != TCI_TX_UNKNOWN)
            return true;
    }
    return false;
}
