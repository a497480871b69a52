/* Blobs of an OCI image layout: files blobs/sha256/DIGITS, named by the digest of their
 * bytes. */
#ifndef OCI_BLOB_H
#define OCI_BLOB_H

#include "oci_json.h"

/* Describes bytes: their digest and their number. */
void oci_blob_describe(const void *bytes, size_t size, oci_descriptor *out);

/* Reads FOLDER/NAME, a regular file of at most `max` bytes, into malloc'ed memory, without
 * waiting for a fifo. Statuses: TC_E_NOT_FOUND, TC_E_IO, TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status oci_blob_file(const char *folder, const char *name, size_t max,
                                      void **bytes_out, size_t *size_out, tc_error *err);

/* Reads the blob that a descriptor names. Statuses: TC_E_CORRUPT (it has another size or
 * digest; err has both), as oci_blob_file. */
TC_MUST_CHECK tc_status oci_blob_read(const char *folder, const oci_descriptor *blob,
                                      void **bytes_out, tc_error *err);

/* Writes a blob under its own digest. Statuses: TC_E_IO, TC_E_INVALID (the path is too
 * long). */
TC_MUST_CHECK tc_status oci_blob_write(const char *folder, const void *bytes, size_t size,
                                       oci_descriptor *out, tc_error *err);

#endif
