/* A waiter is memory of its own, as a task's stack is not there while it waits. The method that
 * leaves decides for those that wait: it takes the first ones out of the queue, counts them as
 * active, and releases the semaphore of each. So nothing passes between the release and the
 * moment when they go on. A wait that is ended from outside (its endpoint is lost) may have
 * been admitted before: then it leaves at once. */
#include "object_turns.h"

#include "object_moves.h"

#include <assert.h>
#include <stdlib.h>
#include <tc/task_sync.h>

/* Between the questions whether an object still arrives. */
#define ARRIVAL_NS TC_SECONDS(1)

typedef enum tco_outcome { TCO_QUEUED = 0, TCO_ADMITTED, TCO_DISMISSED } tco_outcome;

typedef struct tco_waiter {
    struct tco_waiter *next; /* bound: that of tasks of a context */
    tc_task_semaphore semaphore;
    tco_outcome outcome;
    bool is_exclusive;
} tco_waiter;

static bool may_enter(const tco_record *record, bool is_exclusive)
{
    return !record->is_arriving && !record->is_exclusive &&
           (!is_exclusive || record->active == 0);
}

static void enter(tc_objects *objects, tco_record *record, bool is_exclusive)
{
    assert(may_enter(record, is_exclusive));
    record->active++;
    record->is_exclusive = is_exclusive;
    objects->users++;
}

bool tco_turns_try(tc_objects *objects, tco_record *record, bool is_exclusive)
{
    if (record->first != NULL || !may_enter(record, is_exclusive))
        return false;
    enter(objects, record, is_exclusive);
    return true;
}

static tco_waiter *pop(tco_record *record)
{
    tco_waiter *waiter = record->first;
    record->first = waiter->next;
    if (record->first == NULL)
        record->last = &record->first;
    return waiter;
}

static void wake(tco_waiter *waiter, tco_outcome outcome)
{
    waiter->outcome = outcome;
    const tc_status status = tc_task_semaphore_release(&waiter->semaphore, 1);
    assert(status == TC_OK);
    (void)status;
}

void tco_turns_admit(tc_objects *objects, tco_record *record)
{
    while (record->first != NULL && may_enter(record, record->first->is_exclusive)) {
        tco_waiter *waiter = pop(record);
        enter(objects, record, waiter->is_exclusive);
        wake(waiter, TCO_ADMITTED);
    }
}

void tco_turns_leave(tc_objects *objects, tco_record *record)
{
    assert(record->active > 0 && objects->users > 0);
    objects->users--;
    record->active--;
    record->is_exclusive = false;
    tco_turns_admit(objects, record);
}

void tco_turns_dismiss(tco_record *record)
{
    while (record->first != NULL)
        wake(pop(record), TCO_DISMISSED);
}

static void take_out(tco_record *record, const tco_waiter *waiter)
{
    tco_waiter **link = &record->first;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    if (*link == NULL)
        record->last = link;
}

/* Behind the end of the wait; a failed one may have been admitted, or dismissed, before. */
static tc_status conclude(tc_objects *objects, tco_record *record, const tco_waiter *waiter,
                          tc_status status)
{
    if (waiter->outcome == TCO_DISMISSED)
        return status == TC_OK ? TC_E_NOT_FOUND : status;
    if (status == TC_OK) {
        assert(waiter->outcome == TCO_ADMITTED);
        return TC_OK;
    }
    if (waiter->outcome == TCO_ADMITTED) {
        tco_turns_leave(objects, record);
        return status;
    }
    take_out(record, waiter);
    tco_turns_admit(objects, record);
    return status;
}

/* The record is there as long as the waiter is in its queue. */
static tc_status wait_for(tc_objects *objects, tc_gptr object, const tco_record *record,
                          tco_waiter *waiter)
{
    for (;;) {
        const bool arrives = waiter->outcome == TCO_QUEUED && record->is_arriving;
        tc_status status =
            tc_task_semaphore_acquire(&waiter->semaphore, arrives ? ARRIVAL_NS : TC_FOREVER);
        if (status != TC_E_TIMEOUT)
            return status;
        tco_moves_probe(objects, object);
    }
}

tc_status tco_turns_wait(tc_objects *objects, tco_record *record, bool is_exclusive)
{
    tco_waiter *waiter = calloc(1, sizeof *waiter);
    if (waiter == NULL)
        return TC_E_NO_MEMORY;
    waiter->is_exclusive = is_exclusive;
    if (record->first == NULL)
        record->last = &record->first;
    *record->last = waiter;
    record->last = &waiter->next;
    objects->users++;
    tc_status status = wait_for(objects, record->object, record, waiter);
    objects->users--;
    status = conclude(objects, record, waiter, status);
    free(waiter);
    return status;
}
