/* All data that the target has for functions: a path, and a variable for a handle.
 *
 * Loaded by `tc-node --lib librecord_target.so --args-symbol record_target_args`. Links nothing
 * but the C library. */
#include "record_batch.h"

#include <stdlib.h>

extern record_target record_target_args;
__attribute__((visibility("default"))) record_target record_target_args;

__attribute__((constructor)) static void find_path(void)
{
    const char *path = getenv("RECORD_DATABASE");
    record_target_args.path = path != NULL ? path : "records.db";
}
