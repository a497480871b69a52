/* Looks a key up in the table of the owner that it runs at, and answers with the value. */
#include "index.h"

void table_find_main(void *payload, size_t size, void *target_args)
{
    index_order order;
    const index_rank *own = index_take(payload, size, &order);
    (void)target_args;
    if (own == NULL)
        return;
    const char *part = (const char *)own->part;
    const index_entry *entry =
        (const void *)(part + own->part->buckets[index_bucket(&own->shape, order.key)]);
    while (entry->key != order.key && entry->key != INDEX_NO_KEY)
        entry = (const void *)(part + entry->next);
    const int is_found = entry->key == order.key && order.key != INDEX_NO_KEY;
    index_answer(&own->shape, is_found ? entry->value : NULL);
}
