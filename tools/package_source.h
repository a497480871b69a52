/* The sources that tc-package writes: a header for those who send, and the vector of a local
 * library. */
#ifndef PACKAGE_SOURCE_H
#define PACKAGE_SOURCE_H

#include "package_plan.h"

#include <stdio.h>

/* NAME.h: numbers, content id, senders and callers of the right types. */
void package_source_header(const package_plan *plan, const tci_content_id *id, FILE *out);

/* What <tc/package.h> says of tc_package_vector, with the package's own bytes. */
void package_source_vector(const package_plan *plan, const void *bytes, size_t size, FILE *out);

#endif
