/* A table of chains. Records are reserved before a task is made, as one that has been made must
 * wait. Wakeups are handed over: the task that waits for longest holds the lock, or has the
 * unit of the semaphore, from the moment in which it is woken. */
#include "modules/tasks/task_objects.h"

#include "base/assertion.h"
#include "modules/tasks/task_queue.h"

#include <stdlib.h>

#define BUCKETS_MIN 64u

/* --- the table ---------------------------------------------------------------------------- */

/* Addresses differ in the middle, numbers at the end: the product's upper half has both. */
static tci_task_object **bucket_of(const tci_task_objects *objects, tci_task_object_id id)
{
    const uint64_t mixed = (id.key * TCI_TASK_OBJECT_KINDS + id.kind) * 0x9e3779b97f4a7c15u;
    return &objects->buckets[(mixed >> 32) & (objects->bucket_count - 1)];
}

static tci_task_object **link_of(const tci_task_objects *objects, tci_task_object_id id)
{
    tci_task_object **link = bucket_of(objects, id);
    while (*link != NULL && ((*link)->id.key != id.key || (*link)->id.kind != id.kind))
        link = &(*link)->next;
    return link;
}

tci_task_object *tci_task_objects_find(const tci_task_objects *objects, tci_task_object_id id)
{
    return objects->count > 0 ? *link_of(objects, id) : NULL;
}

static void grow(tci_task_objects *objects)
{
    const tci_task_objects old = *objects;
    const size_t count = old.bucket_count == 0 ? BUCKETS_MIN : 2 * old.bucket_count;
    /* bound: TCI_TASK_OBJECTS_MAX */
    tci_task_object **buckets = calloc(count, sizeof(tci_task_object *));
    if (buckets == NULL)
        return;
    objects->buckets = buckets;
    objects->bucket_count = count;
    for (size_t i = 0; i < old.bucket_count; i++) {
        for (tci_task_object *object = old.buckets[i], *next; object != NULL; object = next) {
            tci_task_object **bucket = bucket_of(objects, object->id);
            next = object->next;
            object->next = *bucket;
            *bucket = object;
        }
    }
    free(old.buckets);
}

tc_status tci_task_objects_reserve(tci_task_objects *objects)
{
    if (objects->count == TCI_TASK_OBJECTS_MAX)
        return TC_E_TOO_LARGE;
    if (objects->count == objects->bucket_count)
        grow(objects); /* without memory its chains get longer */
    if (objects->bucket_count == 0)
        return TC_E_NO_MEMORY;
    if (objects->spares != NULL)
        return TC_OK;
    objects->spares = calloc(1, sizeof *objects->spares);
    objects->spare_count = objects->spares != NULL;
    return objects->spares != NULL ? TC_OK : TC_E_NO_MEMORY;
}

static void enter_holder(tci_task_object *object, tci_task_holder *holder)
{
    object->holder = holder;
    object->of_holder = holder->first;
    object->of_holder_before = &holder->first;
    if (holder->first != NULL)
        holder->first->of_holder_before = &object->of_holder;
    holder->first = object;
}

static void leave_holder(tci_task_object *object)
{
    TCI_INVARIANT(task_holder, *object->of_holder_before == object);
    *object->of_holder_before = object->of_holder;
    if (object->of_holder != NULL)
        object->of_holder->of_holder_before = object->of_holder_before;
    object->holder = NULL;
}

tci_task_object *tci_task_objects_add(tci_task_objects *objects, tci_task_object_id id,
                                      tci_task_holder *holder)
{
    tci_task_object *object = objects->spares, **bucket = bucket_of(objects, id);
    TCI_INVARIANT(task_object, *link_of(objects, id) == NULL);
    TCI_INVARIANT(task_object, object != NULL && objects->spare_count > 0);
    objects->spares = object->next;
    objects->spare_count--;
    object->next = *bucket;
    object->id = id;
    object->holder = NULL;
    object->first = NULL;
    object->last = &object->first;
    object->waiting = 0;
    *bucket = object;
    objects->count++;
    TCI_INVARIANT(task_holder, tci_task_objects_has_holder(object) == (holder != NULL));
    TCI_INVARIANT_IS(task_object, objects->count, <=, TCI_TASK_OBJECTS_MAX);
    if (holder != NULL)
        enter_holder(object, holder);
    return object;
}

static void take_out(tci_task_objects *objects, tci_task_object *object)
{
    tci_task_object **link = link_of(objects, object->id);
    TCI_INVARIANT(task_object, *link == object && objects->count > 0);
    TCI_INVARIANT(task_object, object->first == NULL && object->holder == NULL);
    *link = object->next;
    objects->count--;
    if (objects->spare_count == TCI_TASK_OBJECT_SPARES_MAX) {
        free(object);
        return;
    }
    object->next = objects->spares;
    objects->spares = object;
    objects->spare_count++;
}

void tci_task_objects_free(tci_task_objects *objects, tci_task_holder *program)
{
    for (tci_task_object *object; (object = program->first) != NULL;) {
        leave_holder(object);
        take_out(objects, object);
    }
    TCI_INVARIANT_IS(task_object, objects->count, ==, 0);
    for (tci_task_object *object; (object = objects->spares) != NULL;) {
        objects->spares = object->next;
        free(object);
    }
    free(objects->buckets);
}

/* --- waiting ------------------------------------------------------------------------------ */

void tci_task_objects_wait(tci_task_object *object, tci_task *task)
{
    tci_task_waiter *waiter = &task->waiter;
    TCI_INVARIANT(task_waiter, waiter->object == NULL);
    waiter->next = NULL;
    waiter->before = object->last;
    waiter->object = object;
    waiter->task = task;
    waiter->status = TC_E_TIMEOUT;
    *object->last = waiter;
    object->last = &waiter->next;
    object->waiting++;
}

static void leave_queue(tci_task_waiter *waiter)
{
    tci_task_object *object = waiter->object;
    TCI_INVARIANT(task_waiter, object != NULL && *waiter->before == waiter);
    *waiter->before = waiter->next;
    if (waiter->next != NULL)
        waiter->next->before = waiter->before;
    else
        object->last = waiter->before;
    waiter->object = NULL;
    object->waiting--;
    TCI_INVARIANT(task_waiter, (object->first == NULL) == (object->waiting == 0));
}

static void free_unused(tci_task_objects *objects, tci_task_object *object)
{
    if (object->first == NULL && object->holder == NULL)
        take_out(objects, object);
}

void tci_task_objects_leave(tci_task_objects *objects, tci_task_waiter *waiter)
{
    tci_task_object *object = waiter->object;
    leave_queue(waiter);
    free_unused(objects, object);
}

/* Its time may be over already, or its endpoint's: then it goes on with this status still. */
static void wake_first(tci_core *core, tci_task_object *object, tc_status status)
{
    tci_task_waiter *waiter = object->first;
    leave_queue(waiter);
    waiter->status = status;
    tci_task_queue_wake(core, &waiter->task->nap);
}

void tci_task_objects_wake(tci_core *core, tci_task_object *object, tc_status status)
{
    TCI_INVARIANT(task_holder, object->holder == NULL && object->first != NULL);
    wake_first(core, object, status);
    free_unused(&tci_tasks_of(core)->objects, object);
}

void tci_task_objects_forget(tci_core *core, tci_task_object *object, tc_status status)
{
    if (object->holder != NULL)
        leave_holder(object);
    while (object->first != NULL)
        wake_first(core, object, status);
    take_out(&tci_tasks_of(core)->objects, object);
}

/* --- holding ------------------------------------------------------------------------------ */

void tci_task_objects_hand_over(tci_core *core, tci_task_object *object)
{
    tci_task_waiter *next = object->first;
    TCI_INVARIANT(task_holder, tci_task_objects_has_holder(object) && object->holder != NULL);
    leave_holder(object);
    if (next == NULL) {
        take_out(&tci_tasks_of(core)->objects, object);
        return;
    }
    enter_holder(object, &next->task->holder);
    wake_first(core, object, TC_OK);
}

size_t tci_task_objects_hand_over_all(tci_core *core, tci_task_holder *holder)
{
    size_t locks = 0;
    while (holder->first != NULL) {
        locks += holder->first->id.kind == TCI_TASK_LOCK;
        tci_task_objects_hand_over(core, holder->first);
    }
    return locks;
}

void tci_task_objects_move(tci_task_holder *from, tci_task_holder *to)
{
    TCI_INVARIANT(task_holder, to->first == NULL);
    to->first = from->first;
    from->first = NULL;
    if (to->first != NULL)
        to->first->of_holder_before = &to->first;
    for (tci_task_object *object = to->first; object != NULL; object = object->of_holder)
        object->holder = to;
}

bool tci_task_objects_closes_circle(const tci_task_object *object,
                                    const tci_task_holder *holder)
{
    for (unsigned i = 0; i < TCI_TASK_CIRCLE_MAX && object != NULL; i++) {
        const tci_task_holder *other = object->holder;
        if (other == holder)
            return true;
        if (other == NULL || other->task == NULL || other->task->event == NULL)
            return false; /* it does not wait, or not any more */
        object = other->task->waiter.object;
    }
    return false;
}
