/* The objects that tasks hold or wait for: locks, conditions, semaphores, and the objects of
 * functions that run one at a time. A table of the context's has those in use, by their
 * addresses or numbers. A lock and the object of such a function are in it while they have a
 * holder, the others while a task waits for them. */
#ifndef TCI_TASK_OBJECTS_H
#define TCI_TASK_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* Objects of a context that are held or waited for. */
#define TCI_TASK_OBJECTS_MAX (1u << 16)
/* Records that are kept for further objects. */
#define TCI_TASK_OBJECT_SPARES_MAX 256u
/* Holders that are looked at, one waiting for the next, before a wait begins. */
#define TCI_TASK_CIRCLE_MAX 64u

struct tci_core;
struct tci_task;

typedef enum tci_task_object_kind {
    TCI_TASK_LOCK,
    TCI_TASK_ENTERED, /* the object of functions that run one at a time */
    TCI_TASK_CONDITION,
    TCI_TASK_SEMAPHORE
} tci_task_object_kind;

#define TCI_TASK_OBJECT_KINDS 4u

typedef struct tci_task_object_id {
    uint64_t key; /* an address or a number */
    tci_task_object_kind kind;
} tci_task_object_id;

/* A task, a function that has not waited yet, or the program. */
typedef struct tci_task_holder {
    struct tci_task_object *first; /* bound: TCI_TASK_OBJECTS_MAX */
    struct tci_task *task;         /* NULL: of the other two */
} tci_task_holder;

/* The wait of a task for an object. */
typedef struct tci_task_waiter {
    struct tci_task_waiter *next, **before; /* bound: TCI_TASKS_MAX */
    struct tci_task_object *object;         /* NULL: it is in no queue */
    struct tci_task *task;
    tc_status status; /* of the wait, once it is over: of its time until another one is there */
} tci_task_waiter;

typedef struct tci_task_object {
    struct tci_task_object *next; /* in its bucket; bound: TCI_TASK_OBJECTS_MAX */
    tci_task_object_id id;
    tci_task_holder *holder; /* NULL: of a condition or semaphore */
    struct tci_task_object *of_holder, **of_holder_before;
    tci_task_waiter *first, **last; /* the oldest first; bound: TCI_TASKS_MAX */
    size_t waiting;                 /* their number */
} tci_task_object;

/* Returns whether its kind is one that is in use while it has a holder. */
static inline bool tci_task_objects_has_holder(const tci_task_object *object)
{
    return object->id.kind == TCI_TASK_LOCK || object->id.kind == TCI_TASK_ENTERED;
}

/* A zeroed one is empty. */
typedef struct tci_task_objects {
    tci_task_object **buckets;
    size_t bucket_count; /* 0, or a power of 2 */
    size_t count;
    tci_task_object *spares; /* bound: TCI_TASK_OBJECT_SPARES_MAX */
    size_t spare_count;
} tci_task_objects;

/* Returns NULL if nothing holds it or waits for it. */
tci_task_object *tci_task_objects_find(const tci_task_objects *objects, tci_task_object_id id);
/* Makes capacity for one more. TC_E_NO_MEMORY, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_task_objects_reserve(tci_task_objects *objects);
/* Adds one that is not in the table, which has capacity. The holder is NULL for a condition or
 * semaphore: a waiter has to follow. */
tci_task_object *tci_task_objects_add(tci_task_objects *objects, tci_task_object_id id,
                                      tci_task_holder *holder);

/* Adds a task behind those that wait. */
void tci_task_objects_wait(tci_task_object *object, struct tci_task *task);
/* Ends the wait of a task that is in a queue, without waking it. The object may be freed. */
void tci_task_objects_leave(tci_task_objects *objects, tci_task_waiter *waiter);
/* Wakes the task that waits for longest, with that status. The object may be freed. */
void tci_task_objects_wake(struct tci_core *core, tci_task_object *object, tc_status status);
/* Wakes all with that status, and frees the object. */
void tci_task_objects_forget(struct tci_core *core, tci_task_object *object, tc_status status);

/* Gives an object that is held to the task that waits for longest, or frees it. */
void tci_task_objects_hand_over(struct tci_core *core, tci_task_object *object);
/* Hands over all objects of a holder. Returns the number of locks. */
size_t tci_task_objects_hand_over_all(struct tci_core *core, tci_task_holder *holder);
/* Makes `to`, which holds nothing, the holder of everything that `from` holds. */
void tci_task_objects_move(tci_task_holder *from, tci_task_holder *to);
/* Returns whether the object's holder waits, itself or by others, for `holder`:
 * TCI_TASK_CIRCLE_MAX of them are looked at. */
bool tci_task_objects_closes_circle(const tci_task_object *object,
                                    const tci_task_holder *holder);

/* Frees the memory. No task is left, and the objects of the program are forgotten. */
void tci_task_objects_free(tci_task_objects *objects, tci_task_holder *program);

#endif
