/* Runs functions that may wait, and those that have waited. */
#ifndef TCI_TASK_RUN_H
#define TCI_TASK_RUN_H

#include "modules/tasks/tasks_state.h"

/* The arguments of tc_task_run, and the payload's copy. */
typedef struct tci_job {
    void (*body)(void *payload, size_t size, void *args);
    void *(*exceptions)(void);
    void *payload;
    size_t size;
    void *args;
    void *block;  /* that holds the payload, or NULL */
    uint8_t *top; /* of the body's frames */
} tci_job;

/* See tc_task_run. Changes *job. */
void tci_task_run(tci_tasks *tasks, tci_job *job);
/* Runs the task until it waits again, or returns and is freed. No function is running. */
void tci_task_run_resume(tci_core *core, tci_task *task);
/* Frees a task that has returned or is abandoned, and hands over its objects. */
void tci_task_run_end(tci_core *core, tci_task *task);

/* See tci_tasks_ops.turn. */
#define TCI_TASKS_A_TURN 64u
void tci_task_run_turn(tci_core *core);

#endif
