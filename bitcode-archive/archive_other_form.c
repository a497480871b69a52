/* Other forms of an archive that is packed with a dictionary, for peers that lack that one. */
#include "archive.h"
#include "archive_form.h"

tc_status tci_archive_plain_form(const tci_archive *archive, void **bytes_out, size_t *size_out,
                                 tc_error *err)
{
    return tci_archive_form_pack(tci_archive_content(archive),
                                 tci_archive_content_size(archive), TCI_PACK_QUICK, bytes_out,
                                 size_out, err);
}

tc_status tci_archive_stored_form(const tci_archive *archive, void **bytes_out,
                                  size_t *size_out, tc_error *err)
{
    return tci_archive_form_store(tci_archive_content(archive),
                                  tci_archive_content_size(archive), bytes_out, size_out, err);
}
