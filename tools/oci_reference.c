#include "oci_reference.h"

#include "base/error_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* [A-Za-z0-9_][A-Za-z0-9_.-]{0,127}, as registries have it. */
static bool is_tag(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && size < OCI_TAG_MAX && strspn(text, WORD) > 0 &&
           strspn(text, WORD ".-") == size;
}

tc_status oci_reference_parse(const char *text, oci_reference *reference_out, tc_error *err)
{
    const char *colon = strchr(text, ':');
    size_t size = colon != NULL ? (size_t)(colon - text) : strlen(text);
    *reference_out = (oci_reference){.tag = ""};
    if (size == 0)
        return tci_error_set(err, TC_E_INVALID, "'%s' names no folder, expected DIR[:TAG]",
                             text);
    if (size >= sizeof reference_out->folder)
        return tci_error_set(err, TC_E_TOO_LARGE, "the folder's path has %zu bytes, limit %zu",
                             size, sizeof reference_out->folder - 1);
    memcpy(reference_out->folder, text, size);
    if (colon == NULL)
        return TC_OK;
    if (!is_tag(colon + 1))
        return tci_error_set(
            err, TC_E_INVALID,
            "the tag is '%s', expected 1 to %d of letters, digits, '_', '.' and "
            "'-', the first neither '.' nor '-'",
            colon + 1, OCI_TAG_MAX - 1);
    (void)snprintf(reference_out->tag, sizeof reference_out->tag, "%s", colon + 1);
    return TC_OK;
}
