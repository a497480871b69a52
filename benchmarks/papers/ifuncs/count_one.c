/* As small as tsi, by a call of a library. */
#include "catalogue.h"

#include <stddef.h>

void count_one_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size;
    catalogue_count(target_args);
}
