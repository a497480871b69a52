/* The servers and the client of a pointer chase, as their leader sees them. */
#ifndef TC_PERF_DAPC_CREW_H
#define TC_PERF_DAPC_CREW_H

#include "dapc.h"

typedef struct dapc_crew {
    unsigned server_count;
    unsigned started; /* processes that perf_session_end is owed for */
    dapc_table table;
    dapc_member_config configs[DAPC_MEMBERS_MAX];
    perf_session members[DAPC_MEMBERS_MAX]; /* the client is the last */
} dapc_crew;

/* All of these return false after a complaint; the crew is of no more use then, and only
 * dapc_crew_stop is owed, as it is in any case. The crew stays where it is. */
bool dapc_crew_start(dapc_crew *crew, const perf_options *options, unsigned server_count,
                     const dapc_plan *plans, unsigned plan_count);
bool dapc_crew_stop(dapc_crew *crew);

/* One lane, of all members: from open to close. */
bool dapc_crew_open(dapc_crew *crew, unsigned lane);
bool dapc_crew_close(dapc_crew *crew, unsigned lane);

/* Between these two the servers take turns at the lane. */
bool dapc_crew_begin(dapc_crew *crew, unsigned lane);
bool dapc_crew_end(dapc_crew *crew);
/* Meanwhile, the client: see dapc_mode. */
bool dapc_crew_prepare(dapc_crew *crew, unsigned lane, bool known);
bool dapc_crew_run(dapc_crew *crew, unsigned lane, const dapc_batch *batch,
                   uint64_t *took_ns_out);

#endif
