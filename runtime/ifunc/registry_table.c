/* Makes the tables of functions larger. */
#include "ifunc/registry_table.h"

#include "base/assertion.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 16u

tc_ifunc **tci_registry_table_bucket(const tci_registry *registry, const tci_content_id *id)
{
    uint32_t key;
    memcpy(&key, id->bytes, sizeof key);
    return &registry->buckets[key % registry->capacity];
}

/* Takes new tables, and puts all functions in. */
static void move_functions(tci_registry *registry, tc_ifunc **table, tc_ifunc **buckets,
                           size_t capacity)
{
    tc_ifunc **old = registry->table;
    const size_t count = registry->capacity;
    free(registry->buckets);
    registry->table = table;
    registry->buckets = buckets;
    registry->capacity = capacity;
    for (size_t i = 0; i < count; i++) {
        tc_ifunc *fn = table[i] = old[i];
        if (fn == NULL)
            continue;
        tc_ifunc **bucket = tci_registry_table_bucket(registry, &fn->id);
        fn->bucket_next = *bucket;
        *bucket = fn;
    }
    free(old);
}

bool tci_registry_table_grow(tci_registry *registry)
{
    const size_t max = registry->options->functions_max;
    size_t capacity = registry->capacity == 0 ? CAPACITY_FIRST : 2 * registry->capacity;
    if (capacity > max)
        capacity = max;
    TCI_INVARIANT_IS(fn_capacity, capacity, >, registry->capacity);
    if (registry->events != NULL && !registry->events->grow(registry->events_user, capacity))
        return false;
    tc_ifunc **table = calloc(capacity, sizeof(tc_ifunc *));   /* bound: functions_max */
    tc_ifunc **buckets = calloc(capacity, sizeof(tc_ifunc *)); /* bound: functions_max */
    if (table == NULL || buckets == NULL) {
        free(table);
        free(buckets);
        return false;
    }
    move_functions(registry, table, buckets, capacity);
    return true;
}
