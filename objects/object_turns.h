/* Admits methods to an object: beside others, alone, or after a wait. */
#ifndef TCO_OBJECT_TURNS_H
#define TCO_OBJECT_TURNS_H

#include "objects_state.h"

/* Enters the object if that needs no wait. */
bool tco_turns_try(tc_objects *objects, tco_record *record, bool is_exclusive);

/* Waits to enter, in a task, behind all that wait already.
 *
 *   TC_OK           entered
 *   TC_E_NOT_FOUND  the object has gone from this rank: it has to be looked for again, and
 *                   `record` is void
 *   as tc_task_sleep  the wait was ended; `record` may be void
 *   TC_E_TOO_LARGE, TC_E_NO_MEMORY  as tc_task_semaphore_acquire */
TC_MUST_CHECK tc_status tco_turns_wait(tc_objects *objects, tco_record *record,
                                       bool is_exclusive);

/* Leaves the object and admits those that may enter now. */
void tco_turns_leave(tc_objects *objects, tco_record *record);

/* Admits those that may enter, of an object that has arrived. */
void tco_turns_admit(tc_objects *objects, tco_record *record);

/* Ends the waits for an object that goes from this rank. */
void tco_turns_dismiss(tco_record *record);

#endif
