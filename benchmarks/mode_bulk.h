/* The modes of the bandwidth experiment. They have no latency functions. */
#ifndef TC_PERF_MODE_BULK_H
#define TC_PERF_MODE_BULK_H

#include "perf_mode.h"

/* Plain UCX: puts into a buffer of the target's, each followed by a fence and a put that says
 * so. */
extern const perf_mode perf_mode_bulk_put;
/* Plain UCX: active messages by whatever protocol UCX chooses for their size. */
extern const perf_mode perf_mode_bulk_am;
/* The same, of endpoints that notice a peer's death (UCP_ERR_HANDLING_MODE_PEER), as the
 * library's do. Over some transports UCX has fewer protocols for these. */
extern const perf_mode perf_mode_bulk_am_safe;
/* tc_send. */
extern const perf_mode perf_mode_bulk_cached;

#define BULK_PAYLOADS 4u

/* What a source sends: payloads of real memory (untouched memory would be one page of zeros,
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

/* The next payload, made anew: a word of each cache line is written, as somebody must have
 * written what is sent. Valid until BULK_PAYLOADS more were made. */
unsigned char *bulk_source_next(bulk_source *source);

/* Memory of whole pages, touched. NULL: out of memory. */
unsigned char *bulk_pages(size_t size);

#endif
