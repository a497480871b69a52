#include "kv.h"
#include <stdlib.h>
#include <tc/entry.h>

void kv_filter_main(void *payload, size_t size, void *target_args)
{
    const kv_store *store = target_args;
    kv_page *page = payload;
    if (size != sizeof *page)
        return;
    for (page->count = 0; page->next < store->count && page->count < 4; page->next++)
        if (atof(store->entries[page->next].value) >= 1.5) /* the question */
            page->entries[page->count++] = store->entries[page->next];
    tc_reply(page, sizeof *page);
}
