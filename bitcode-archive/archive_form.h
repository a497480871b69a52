/* The outer form of an archive: header, content as it is packed, checksum. */
#ifndef TCI_ARCHIVE_FORM_H
#define TCI_ARCHIVE_FORM_H

#include "archive_pack.h"

/* Both return the bytes of an archive, for free(). TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_form_pack(const uint8_t *content, size_t content_size,
                                              tci_pack_effort effort, void **bytes_out,
                                              size_t *size_out, tc_error *err);
TC_MUST_CHECK tc_status tci_archive_form_store(const uint8_t *content, size_t content_size,
                                               void **bytes_out, size_t *size_out,
                                               tc_error *err);

#endif
