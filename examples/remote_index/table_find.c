/* Looks a key up in the table of the owner that it runs at, and answers with the value. */
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
    const char *part = (const char *)own->part;
    const index_entry *entry =
        (const void *)(part + own->part->buckets[index_bucket(&own->shape, order.key)]);
    while (entry->key != order.key && entry->key != INDEX_NO_KEY)
        entry = (const void *)(part + entry->next);
    const int is_found = entry->key == order.key && order.key != INDEX_NO_KEY;
    index_answer(&own->shape, is_found ? entry->value : NULL);
}
