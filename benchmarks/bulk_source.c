#include "bulk_source.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u

unsigned char *bulk_source_pages(size_t size)
{
    size_t room = (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    unsigned char *payload = aligned_alloc(PAGE_BYTES, room);
    if (payload != NULL)
        memset(payload, 1, room);
    return payload;
}

bool bulk_source_init(bulk_source *source, const perf_options *options)
{
    bool ok = true;
    *source = (bulk_source){.size = options->payload_bytes, .unread = options->unread};
    for (unsigned i = 0; i < BULK_PAYLOADS; i++)
        ok &= (source->payloads[i] = bulk_source_pages(source->size)) != NULL;
    return ok;
}

void bulk_source_free(bulk_source *source)
{
    for (unsigned i = 0; i < BULK_PAYLOADS; i++)
        free(source->payloads[i]);
}

unsigned char *bulk_source_next(bulk_source *source)
{
    uint64_t word = ++source->count;
    unsigned char *payload = source->payloads[word % BULK_PAYLOADS];
    for (size_t i = 0; !source->unread && i + sizeof word <= source->size; i += 64)
        memcpy(payload + i, &word, sizeof word);
    return payload;
}
