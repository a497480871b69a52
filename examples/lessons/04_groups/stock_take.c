/* Answers with what the member has in stock that it comes to. */
#include "warehouse.h"
#include <tc/entry.h>

void stock_take_main(void *payload, size_t payload_size, void *target_args)
{
    const warehouse *here = target_args;
    (void)payload, (void)payload_size;
    tc_reply(&here->stock, sizeof here->stock);
}
