/* The manifest of a package: a text of lines, in words.
 *
 *   package NAME
 *   include HEADER
 *   function ID NAME [from FILE...] [uses LIBRARY...] [takes TYPE | takes TYPE[]]
 *   library ID NAME [from FILE...] [uses LIBRARY...]
 *
 * '#' begins a comment. Without `from` the source is NAME.c, or lib_NAME.c for a library. */
#ifndef PACKAGE_MANIFEST_H
#define PACKAGE_MANIFEST_H

#include "package_plan.h"

/* Reads `text`, which it changes, into the plan. Statuses: TC_E_INVALID (err has the number of
 * the line), TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status package_manifest_read(char *text, package_plan *plan, tc_error *err);

#endif
