/* Reads a package from an OCI image layout. */
#ifndef OCI_READER_H
#define OCI_READER_H

#include <stddef.h>
#include <tc/status.h>

/* Reads the package of DIR[:TAG] into malloc'ed memory. Everything that it goes through has the
 * size and the digest that were announced. Statuses: TC_E_NOT_FOUND, TC_E_INVALID,
 * TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY; err begins with the
 * folder. */
TC_MUST_CHECK tc_status oci_reader_read(const char *reference, void **bytes_out,
                                        size_t *size_out, tc_error *err);

#endif
