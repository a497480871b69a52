/* A package in an OCI image layout, by name: DIR[:TAG], as other tools of OCI write it. */
#ifndef OCI_REFERENCE_H
#define OCI_REFERENCE_H

#include <limits.h>
#include <tc/status.h>

#define OCI_TAG_MAX 129 /* with the zero behind it */
#define OCI_PREFIX "oci:"

typedef struct oci_reference {
    char folder[PATH_MAX];
    char tag[OCI_TAG_MAX]; /* "" without one */
} oci_reference;

/* Takes DIR[:TAG] apart, at its first colon. Statuses: TC_E_INVALID (it has no folder, or a
 * malformed tag; err has it), TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status oci_reference_parse(const char *text, oci_reference *reference_out,
                                            tc_error *err);

#endif
