/* Selects the slice that runs on a target. */
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
    case TCI_FORM_SHARED:
        return "shared object";
    default:
        return NULL;
    }
}

static const struct {
    const char *architecture; /* with its dash */
    unsigned level;
    const char *text;
} cpu_levels[] = {
    {"x86_64-", TCI_CPU_X86_64_V2, "x86-64-v2"},
    {"x86_64-", TCI_CPU_X86_64_V3, "x86-64-v3"},
    {"x86_64-", TCI_CPU_X86_64_V4, "x86-64-v4"},
    {"aarch64-", TCI_CPU_AARCH64_LSE, "armv8-a+lse"},
    {"aarch64-", TCI_CPU_AARCH64_SVE, "armv8-a+lse+sve"},
};

const char *tci_cpu_level_text(const char *triple, unsigned level)
{
    if (level == TCI_CPU_ANY)
        return "any";
    for (size_t i = 0; i < sizeof cpu_levels / sizeof cpu_levels[0]; i++) {
        const char *architecture = cpu_levels[i].architecture;
        if (cpu_levels[i].level == level &&
            strncmp(triple, architecture, strlen(architecture)) == 0)
            return cpu_levels[i].text;
    }
    return NULL;
}

/* "x86_64-linux bitcode, aarch64-linux image cpu level 3, x86_64-linux form 9", cut to size. */
static void list_slices(const tci_archive *archive, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < tci_archive_slice_count(archive) && at < size; i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        const char *form = tci_slice_form_text(slice->form);
        char number[16] = "";
        char level[32] = "";
        if (form == NULL)
            (void)snprintf(number, sizeof number, "form %u", (unsigned)slice->form);
        if (slice->cpu_level != TCI_CPU_ANY)
            (void)snprintf(level, sizeof level, " cpu level %u", slice->cpu_level);
        int n = snprintf(text + at, size - at, "%s%s %s%s", i > 0 ? ", " : "", slice->triple,
                         form != NULL ? form : number, level);
        at += (size_t)n;
    }
}

static tc_status no_slice(const tci_archive *archive, const char *form, const char *triple,
                          tc_error *err)
{
    char present[TC_ERROR_TEXT_MAX / 2];
    list_slices(archive, present, sizeof present);
    return tci_error_set(err, TC_E_NO_SLICE, "archive %s: no %s for %s, it has: %s",
                         tci_archive_name(archive), form, triple, present);
}

tc_status tci_archive_select(const tci_archive *archive, const char *triple, size_t *index_out,
                             tc_error *err)
{
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        if (slice->form == TCI_FORM_BITCODE && slice->cpu_level == TCI_CPU_ANY &&
            strcmp(slice->triple, triple) == 0) {
            *index_out = i;
            return TC_OK;
        }
    }
    return no_slice(archive, "bitcode", triple, err);
}

tc_status tci_archive_select_image(const tci_archive *archive, const char *triple,
                                   unsigned level, size_t *index_out, tc_error *err)
{
    bool found = false;
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        if (slice->form != TCI_FORM_IMAGE || strcmp(slice->triple, triple) != 0 ||
            slice->cpu_level > level || tci_cpu_level_text(triple, slice->cpu_level) == NULL)
            continue;
        *index_out = i; /* slices of a triple have ascending levels */
        found = true;
    }
    return found ? TC_OK : no_slice(archive, "image that fits", triple, err);
}

tc_status tci_archive_select_shared(const tci_archive *archive, const char *triple,
                                    size_t *index_out, tc_error *err)
{
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        const tci_slice *slice = tci_archive_slice(archive, i);
        if (tci_archive_is_library(archive) && slice->form == TCI_FORM_SHARED &&
            slice->cpu_level == TCI_CPU_ANY && strcmp(slice->triple, triple) == 0) {
            *index_out = i;
            return TC_OK;
        }
    }
    return no_slice(archive, "shared object", triple, err);
}
