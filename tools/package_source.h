/* Writes the sources that tc-package generates: a header for senders, and the vector of a local
 * library. */
#ifndef PACKAGE_SOURCE_H
#define PACKAGE_SOURCE_H

#include "package_plan.h"

#include <stdio.h>

/* Writes NAME.h: numbers, content id, and functions with the right types that send and call. */
void package_source_header(const package_plan *plan, const tci_content_id *id, FILE *out);

/* Writes a tc_package_vector as documented in <tc/package.h>, with the package's own bytes. */
void package_source_vector(const package_plan *plan, const void *bytes, size_t size, FILE *out);

#endif
