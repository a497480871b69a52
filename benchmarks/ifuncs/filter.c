/* Counts rows above a threshold, which is a hole; or, as `filter_whole`, comes with them. */
#include "filter.h"

#include <tc/call.h>
#include <tc/entry.h>

#ifdef WHOLE
void filter_whole_main(void *payload, size_t payload_size, void *target_args)
#else
TC_HOLE(threshold, uint64_t);

void filter_main(void *payload, size_t payload_size, void *target_args)
#endif
{
    const filter_request *request = payload;
    (void)target_args;
    if (payload_size != sizeof *request)
        return;
#ifdef WHOLE
    const uint64_t threshold = request->threshold;
#endif
    const uint64_t count = filter_count(request, threshold);
    (void)!tc_reply(&count, sizeof count);
}
