/* A library without dictionaries: it refuses archives that are packed with one, and peers learn
 * from its HELLO that it has none. */
#include "archive.h"
#include "archive_dictionary.h"
#include "base/module_absent.h"

extern const tci_dictionary_file tci_dictionary_files[];
extern const size_t tci_dictionary_file_count;
const tci_dictionary_file tci_dictionary_files[] = {{0, 0, NULL, 0}};
const size_t tci_dictionary_file_count = 0;

/* Every archive is open for every peer as it is, so none asks for these. */
tc_status tci_archive_plain_form(const tci_archive *archive, void **bytes_out, size_t *size_out,
                                 tc_error *err)
{
    (void)archive, (void)bytes_out, (void)size_out;
    return tci_module_absent("another form of an archive", "dictionaries", err);
}

tc_status tci_archive_stored_form(const tci_archive *archive, void **bytes_out,
                                  size_t *size_out, tc_error *err)
{
    return tci_archive_plain_form(archive, bytes_out, size_out, err);
}
