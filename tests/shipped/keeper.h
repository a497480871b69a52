/* Orders for the functions `keeper` and `porter`, which use the locks of one process. */
#ifndef KEEPER_H
#define KEEPER_H

#include <tc/task_sync.h>

/* In the target's process. */
typedef struct keeper_hall {
    tc_task_lock lock;
    tc_task_condition condition;
    tc_task_semaphore semaphore;
    uint32_t inside; /* that have it now */
    uint32_t most;
    uint32_t ready;  /* what the condition announces */
    uint32_t next;   /* the place of the next one */
    uint32_t failed; /* waits of those that stay */
} keeper_hall;

typedef enum keeper_kind {
    KEEPER_HOLD,    /* acquires the lock, has it for `turns`, and releases it */
    KEEPER_LEAK,    /* the same, but does not release it */
    KEEPER_ENTER,   /* enters `object`, sleeps for `ns`, and ends in it */
    KEEPER_CROSS,   /* enters `object`, acquires a unit, and enters `other` */
    KEEPER_STAY,    /* holds the lock until its endpoint ends */
    KEEPER_INSIST,  /* holds it and sleeps for ever, whatever its waits return */
    KEEPER_AWAIT,   /* waits with the lock until something is ready, and takes it */
    KEEPER_SIGNAL,  /* makes `object` things ready, and signals as often */
    KEEPER_TAKE,    /* acquires a unit, has it for `turns`, and releases it */
    KEEPER_GIVE,    /* releases `object` units */
    KEEPER_FORGET,  /* forgets the lock */
    KEEPER_MISTAKES /* answers with the number of mistakes that are not found */
} keeper_kind;

typedef struct keeper_order {
    uint64_t hall; /* its address */
    uint32_t kind;
    uint32_t turns; /* waits of no time */
    uint64_t ns;
    uint64_t timeout_ns;
    uint64_t object;
    uint64_t other;
} keeper_order;

typedef struct keeper_answer {
    int32_t status;
    uint32_t place; /* how many had it before */
} keeper_answer;

#endif
