/* The loader's threads do the loads that take longer than a message may wait, so that only the
 * endpoint that needs the function stalls. */
#ifndef TCI_LOAD_QUEUE_H
#define TCI_LOAD_QUEUE_H

#include "engine/code_unit.h"

/* A load done by a loader's thread. */
typedef struct tci_load_job tci_load_job;

/* Loads the function: at once if that takes microseconds, which gives TC_OK and the unit, else
 * by a loader's thread, which gives TC_E_AGAIN and the job. Failures are those of
 * tci_code_unit_load, without unit or job. */
TC_MUST_CHECK tc_status tci_load_queue_begin(tci_engine_handle *handle,
                                             const tci_load_source *source,
                                             tci_code_unit **unit_out, tci_load_job **job_out,
                                             tc_error *err);

/* Lets a thread of low priority make optimised code for a unit for which
 * tci_code_unit_may_tier_up returns true. The unit stays unchanged until
 * tci_load_queue_finish. */
TC_MUST_CHECK tc_status tci_load_queue_begin_tier_up(tci_engine_handle *handle,
                                                     const tci_load_source *source,
                                                     tci_code_unit *unit,
                                                     tci_load_job **job_out, tc_error *err);

bool tci_load_queue_is_done(const tci_load_job *job);
/* Returns whether a thread has begun it; before that, tci_load_queue_cancel need not wait. */
bool tci_load_queue_is_begun(const tci_load_job *job);

/* Waits for the job's end and frees it. Its statuses are tci_code_unit_load's. After a tier-up,
 * *unit_out is the unit as changed by tci_code_unit_replace, and *old_out its old code, which
 * the caller unloads; on failure that unit is unchanged. Otherwise *old_out is NULL. */
TC_MUST_CHECK tc_status tci_load_queue_finish(tci_load_job *job, tci_code_unit **unit_out,
                                              tci_code_unit **old_out, tc_error *err);
/* Drops the job, done or not; waits only if a thread has begun it. NULL is allowed. */
void tci_load_queue_cancel(tci_load_job *job);

/* Limits the threads for jobs that callers wait for; called before the first job. */
void tci_load_queue_limit(unsigned threads);
/* Ends the loader's threads. No job may be left. */
void tci_load_queue_stop(void);

#endif
