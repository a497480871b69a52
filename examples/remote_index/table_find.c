/* Looks a key up in the table of the rank that it runs at, and answers with the value, or 0. */
#include "index.h"

#include <string.h>

void table_find_main(void *payload, size_t size, void *target_args)
{
    const index_rank *own = index_here();
    index_order order;
    (void)target_args;
    if (own == NULL || size != sizeof order) {
        tc_self_fail(TC_E_INVALID, "no index here, or a damaged order");
        return;
    }
    memcpy(&order, payload, sizeof order);
    const char *window = (const char *)own->part;
    const index_entry *entry =
        (const void *)(window + own->part->buckets[index_bucket(order.key)]);
    while (entry != own->part->entries && entry->key != order.key)
        entry = (const void *)(window + entry->next);
    tc_reply(&entry->value, sizeof entry->value);
}
