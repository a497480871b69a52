/* Answers with the stock of the member where it runs. */
#include "warehouse.h"
#include <tc/entry.h>

void stock_take_main(void *payload, size_t payload_size, void *target_args)
{
    const warehouse *here = target_args;
    (void)payload, (void)payload_size;
    tc_reply(&here->stock, sizeof here->stock);
}
