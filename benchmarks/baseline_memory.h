/* Memory of the target's that the source puts into. */
#ifndef TC_PERF_BASELINE_MEMORY_H
#define TC_PERF_BASELINE_MEMORY_H

#include "baseline_link.h"

typedef struct baseline_memory {
    ucp_mem_h handle;
    unsigned char *base; /* here */
    uint64_t remote;     /* the other process's, for puts */
    ucp_rkey_h rkey;
} baseline_memory;

/* Zeroed memory, whose key the other side takes. Both return false after a complaint;
 * baseline_memory_free is owed in any case, before the link's. */
bool baseline_memory_offer(baseline_memory *memory, baseline_link *link, size_t size);
bool baseline_memory_take(baseline_memory *memory, baseline_link *link);
void baseline_memory_free(baseline_memory *memory, baseline_link *link);

#endif
