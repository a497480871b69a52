/* Which slice runs where. */
#include "archive.h"

#include "base/error_text.h"

#include <stdio.h>
#include <string.h>

const char *tci_slice_form_text(tci_slice_form form)
{
    switch (form) {
    case TCI_FORM_BITCODE:
        return "bitcode";
    case TCI_FORM_IMAGE:
        return "image";
    default:
        return NULL;
    }
}

static bool is_selectable(const tci_slice *slice)
{
    return slice->form == TCI_FORM_BITCODE && slice->cpu_level == 0;
}

/* "x86_64-linux, aarch64-linux (form 9, cpu level 0)", cut to size. */
static void list_slices(const tci_archive *archive, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < tci_archive_slice_count(archive) && at < size; i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        int n = snprintf(text + at, size - at, "%s%s", i > 0 ? ", " : "", slice->triple);
        at += (size_t)n;
        if (is_selectable(slice) || at >= size)
            continue;
        n = snprintf(text + at, size - at, " (form %u, cpu level %u)", (unsigned)slice->form,
                     slice->cpu_level);
        at += (size_t)n;
    }
}

tc_status tci_archive_select(const tci_archive *archive, const char *triple, size_t *index_out,
                             tc_error *err)
{
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        if (is_selectable(slice) && strcmp(slice->triple, triple) == 0) {
            *index_out = i;
            return TC_OK;
        }
    }
    char present[TC_ERROR_TEXT_MAX / 2];
    list_slices(archive, present, sizeof present);
    return tci_error_set(err, TC_E_NO_SLICE, "archive %s: no code for %s, it has: %s",
                         tci_archive_name(archive), triple, present);
}
