/* A task: a function that has waited, and its message. */
#ifndef TCI_TASK_RECORD_H
#define TCI_TASK_RECORD_H

#include "modules/tasks/shared_stack.h"
#include "modules/tasks/task_objects.h"
#include "core/calls_ops.h"
#include "core/current.h"
#include "core/tasks_ops.h"

/* Tasks of a context. One endpoint's take three quarters of those that others leave. */
#define TCI_TASKS_MAX (1u << 20)
/* Bytes of stack that a task may use while it waits. */
#define TCI_TASK_STACK_MAX (64u << 10)

/* The words that C++ keeps about exceptions for each thread. */
typedef struct tci_task_exceptions {
    void *words[2];
} tci_task_exceptions;

/* The most records that are kept for further tasks. */
#define TCI_TASK_SPARES_MAX 256u

typedef struct tci_task {
    /* A wake reads and writes these: one line. */
    struct tci_task *next;    /* of those that can go on; bound: TCI_TASKS_MAX */
    struct tci_task **before; /* NULL: it is not among them */
    tci_awaited_event *event; /* NULL: it can go on, or runs */
    tci_awaited_event nap;    /* the end of its sleep, or of its wait for an object */
    size_t timer;             /* its offset in the heap of timers, or 0 */
    uint64_t due_ns;
    /* Going on reads and writes these. */
    tci_stack_mark mark;
    uint8_t *bytes; /* of its stack, while it waits */
    size_t capacity;
    tci_current current;                 /* its message; the invocation is the task's own */
    int error_number;                    /* its errno */
    uintptr_t thread;                    /* that it began in */
    void *(*exceptions_of_thread)(void); /* NULL: it is not C++ */
    tci_task_exceptions exceptions;
    struct tci_task *of_ep, **of_ep_before; /* in ep->tasks; bound: TCI_TASKS_MAX */
    tci_task_waiter waiter;
    tci_task_holder holder;
    tci_invocation *invocation; /* memory for one, or NULL */
    void *payload;     /* a block that holds its payload, or NULL: that is on its stack */
    tc_status ended;   /* of its waits from now on; TC_OK: they wait */
    unsigned refusals; /* waits that returned that at once */
    bool is_abandoned; /* it never goes on */
} tci_task;

/* Records that are kept for further tasks, by `next`. */
typedef struct tci_task_spares {
    tci_task *first; /* bound: TCI_TASK_SPARES_MAX */
    size_t count;
} tci_task_spares;

/* Makes a task of the running message, with capacity for `stack_bytes`. It takes the message's
 * invocation, so the dispatcher owes no reply any more. TC_E_NO_MEMORY, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_task_record_create(tci_task_spares *spares,
                                               const tci_current *current, size_t stack_bytes,
                                               tci_task **task_out);
/* Makes its capacity that large at least. It has to be running. TC_E_NO_MEMORY,
 * TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_task_record_reserve(tci_task *task, size_t stack_bytes);
/* Frees it: its function has returned, or is abandoned. No function is running. */
void tci_task_record_free(tci_task_spares *spares, tci_task *task);
/* Frees those that are kept. */
void tci_task_record_free_spares(tci_task_spares *spares);

#endif
