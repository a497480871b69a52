/* Adds the amount in its payload to the stock of its node, and answers with the total. */
#include <tc/entry.h>

extern uint64_t stock_total;
uint64_t stock_add(uint64_t n);

void call_stock_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    if (size == sizeof(uint64_t))
        (void)stock_add(*(uint64_t *)payload);
    (void)tc_reply(&stock_total, sizeof stock_total);
}
