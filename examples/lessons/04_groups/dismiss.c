/* Ends tc_serve of the member that it comes to. */
#include "warehouse.h"
#include <tc/entry.h>

void dismiss_main(void *payload, size_t payload_size, void *target_args)
{
    warehouse *here = target_args;
    (void)payload, (void)payload_size;
    here->dismissed = 1;
}
