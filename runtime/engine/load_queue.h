/* The loader's threads: what takes longer than a message may wait is done here, so that only
 * the endpoint that needs it stands. */
#ifndef TCI_LOAD_QUEUE_H
#define TCI_LOAD_QUEUE_H

#include "engine/code_unit.h"

/* A load that loader threads do. */
typedef struct tci_load_job tci_load_job;

/* Loads the function: at once if that takes microseconds, which gives TC_OK and the unit, else
 * by a loader's thread, which gives TC_E_AGAIN and the job. Otherwise a status of
 * tci_code_unit_load, and neither. */
TC_MUST_CHECK tc_status tci_load_queue_begin(tci_engine_handle *handle,
                                             const tci_load_source *source,
                                             tci_code_unit **unit_out, tci_load_job **job_out,
                                             tc_error *err);

/* Has a thread of low priority make optimised code for a unit that tci_code_unit_may_tier_up
 * says it of. The unit stays as it is until tci_load_queue_finish. */
TC_MUST_CHECK tc_status tci_load_queue_begin_tier_up(tci_engine_handle *handle,
                                                     const tci_load_source *source,
                                                     tci_code_unit *unit,
                                                     tci_load_job **job_out, tc_error *err);

bool tci_load_queue_is_done(const tci_load_job *job);
/* Whether a thread has taken it up: until then tci_load_queue_cancel need not wait. */
bool tci_load_queue_is_begun(const tci_load_job *job);

/* Waits for the job's end and frees it. Its statuses are tci_code_unit_load's. With optimised
 * code for a unit, *unit_out is that unit after tci_code_unit_replace; on failure it is as it
 * was.
 */
TC_MUST_CHECK tc_status tci_load_queue_finish(tci_load_job *job, tci_code_unit **unit_out,
                                              tc_error *err);
/* Lets it go, done or not; waits only for what is under way. NULL is allowed. */
void tci_load_queue_cancel(tci_load_job *job);

/* Before the first job. */
void tci_load_queue_limit(unsigned threads);
/* The loader's threads end; no job is left. */
void tci_load_queue_stop(void);

#endif
