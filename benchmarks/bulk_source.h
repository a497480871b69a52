/* The payloads of a source of large payloads. */
#ifndef TC_PERF_BULK_SOURCE_H
#define TC_PERF_BULK_SOURCE_H

#include "perf_options.h"

#define BULK_PAYLOADS 4u

/* Payloads of real memory (untouched memory would be one page of zeros,
 * which is in every cache) that take turns. */
typedef struct bulk_source {
    unsigned char *payloads[BULK_PAYLOADS];
    size_t size;
    uint64_t count;
    bool unread;
} bulk_source;

/* False: out of memory; bulk_source_free is owed in any case. */
bool bulk_source_init(bulk_source *source, const perf_options *options);
void bulk_source_free(bulk_source *source);

/* The next payload, made again: a word of each cache line is written, as a program writes its
 * payloads. Valid until BULK_PAYLOADS more were made. */
unsigned char *bulk_source_next(bulk_source *source);

/* Memory of whole pages, touched. NULL: out of memory. */
unsigned char *bulk_source_pages(size_t size);

#endif
