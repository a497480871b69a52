#include "kv.h"
#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

void kv_put_main(void *payload, size_t size, void *target_args)
{
    kv_store *store = target_args;
    kv_entry *entry = payload, *at, *grown;
    if (size != sizeof *entry ||
        !(grown = realloc(store->entries, (store->count + 1) * sizeof *grown))) {
        tc_reply_error(TC_E_INVALID, "this is no entry, or there is no memory for it");
        return;
    }
    entry->key[23] = entry->value[23] = '\0'; /* any connected peer can send any bytes */
    store->entries = grown;
    grown[store->count] = *entry; /* where the search ends at the latest */
    for (at = grown; strcmp(at->key, entry->key) != 0; at++)
        continue;
    store->count += at == &grown[store->count];
    *at = *entry;
}
