/* Writes a package into an OCI image layout. */
#ifndef OCI_WRITER_H
#define OCI_WRITER_H

#include <stddef.h>
#include <tc/status.h>

#define OCI_TAG_DEFAULT "latest"

/* Adds a package to the layout DIR[:TAG], which is made if it is missing; an earlier package of
 * the tag is replaced, but its blobs stay. The index is replaced last, so a reader sees the one
 * before or this one. Without a tag it is "latest".
 *
 *   name        the package's name
 *   content_id  its content id, as text
 *
 * Statuses: TC_E_INVALID, TC_E_CORRUPT (the folder has files of another layout), TC_E_VERSION,
 * TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY; err begins with the folder. */
TC_MUST_CHECK tc_status oci_writer_add(const char *reference, const char *name,
                                       const char *content_id, const void *bytes, size_t size,
                                       tc_error *err);

#endif
