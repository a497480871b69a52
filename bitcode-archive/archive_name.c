#include "archive_name.h"

#include "archive_exports.h"
#include "archive_layout.h"
#include "base/error_text.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_identifier(const char *name)
{
    if (!is_letter(*name))
        return false;
    while (is_letter(*name) || is_digit(*name))
        name++;
    return *name == '\0';
}

tc_status tci_archive_check_name(const char *name, tc_status failure, tc_error *err)
{
    if (strnlen(name, TCI_ARCHIVE_NAME_MAX) == TCI_ARCHIVE_NAME_MAX || !is_identifier(name))
        return tci_error_set(err, failure,
                             "archive name '%.*s': expected a C identifier of at most %d bytes",
                             TCI_ARCHIVE_NAME_MAX, name, TCI_ARCHIVE_NAME_MAX - 1);
    return TC_OK;
}

tc_status tci_archive_check_entries(unsigned entries, tc_status failure, tc_error *err)
{
    if ((entries & TCI_ENTRY_MAIN) == 0)
        return tci_error_set(err, failure, "archive entries 0x%x: no main function", entries);
    bool max_size = (entries & TCI_ENTRY_MAX_SIZE) != 0;
    bool init = (entries & TCI_ENTRY_INIT) != 0;
    if (max_size != init)
        return tci_error_set(
            err, failure,
            "archive entries 0x%x: %s alone, expected payload_get_max_size and "
            "payload_init or neither",
            entries, init ? "payload_init" : "payload_get_max_size");
    if ((entries & TCI_ENTRY_ORIGINAL) != 0 && !init)
        return tci_error_set(err, failure,
                             "archive entries 0x%x: of the original's API, expected its "
                             "payload_bound and payload_init",
                             entries);
    return TC_OK;
}

unsigned tci_archive_alignment_of(unsigned upper)
{
    if (upper == TCI_READONLY_MARK)
        return TCI_PAYLOAD_ALIGNMENT_MAX;
    if (upper == TCI_LIBRARY_MARK)
        return TCI_PAYLOAD_ALIGNMENT_MIN;
    return TCI_PAYLOAD_ALIGNMENT_MIN << (upper < TCI_LIBRARY_MARK ? upper : TCI_LIBRARY_MARK);
}

tc_status tci_archive_check_alignment(uint64_t alignment, tc_status failure, tc_error *err)
{
    if (alignment >= TCI_PAYLOAD_ALIGNMENT_MIN && alignment <= TCI_PAYLOAD_ALIGNMENT_MAX &&
        (alignment & (alignment - 1)) == 0)
        return TC_OK;
    return tci_error_set(
        err, failure, "payload alignment of %llu bytes, expected a power of two from %u to %u",
        (unsigned long long)alignment, TCI_PAYLOAD_ALIGNMENT_MIN, TCI_PAYLOAD_ALIGNMENT_MAX);
}

tc_status tci_archive_check_symbol(const char *symbol, tc_status failure, tc_error *err)
{
    size_t n = strnlen(symbol, TCI_ARCHIVE_SYMBOL_MAX);
    if (n == 0)
        return tci_error_set(err, failure, "archive: an empty symbol name");
    if (n == TCI_ARCHIVE_SYMBOL_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "archive: symbol '%.40s...' is longer than %d bytes", symbol,
                             TCI_ARCHIVE_SYMBOL_MAX - 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)symbol[i];
        if (c < 0x20 || c == 0x7f)
            return tci_error_set(err, failure,
                                 "archive: symbol '%.200s' has a control character (0x%02x)",
                                 symbol, c);
    }
    return TC_OK;
}

int tci_slice_compare(const tci_slice *a, const tci_slice *b)
{
    int order = strcmp(a->triple, b->triple);
    if (order != 0)
        return order;
    if (a->form != b->form)
        return a->form < b->form ? -1 : 1;
    return (int)a->cpu_level - (int)b->cpu_level;
}
