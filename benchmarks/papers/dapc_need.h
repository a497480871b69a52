/* The resources that a pointer chase of many servers takes, compared with the machine's: before
 * any process is started, as a shortage later occurs in the midst of UCX. */
#ifndef TC_PERF_DAPC_NEED_H
#define TC_PERF_DAPC_NEED_H

#include "dapc.h"

typedef struct dapc_need {
    uint64_t descriptors;  /* of the process that takes most */
    uint64_t memory_bytes; /* of all processes */
    uint64_t segments;     /* of System V, of all processes */
} dapc_need;

/* From above; docs/decisions/pointer-chase.md has the measurements. */
dapc_need dapc_need_of(const dapc_plan *plans, unsigned plan_count, const perf_options *options,
                       unsigned servers);

/* Returns whether there is enough of everything. False: the text names the missing resource,
 * the need and the amount available. */
bool dapc_need_fits(const dapc_need *need, const dapc_need *limits, unsigned servers,
                    char *text, size_t text_size);

/* The same on this machine now; raises this process's limit of descriptors, which others
 * inherit, as far as that is allowed. False after a complaint. */
bool dapc_need_ensure(const dapc_plan *plans, unsigned plan_count, const perf_options *options,
                      unsigned servers);

#endif
