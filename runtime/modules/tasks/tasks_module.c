/* The module tasks: its public functions, and its state in a core. */
#include "base/error_text.h"
#include "context/context_object.h"
#include "core/module.h"
#include "modules/tasks/task_layout.h"
#include "modules/tasks/task_run.h"
#include "modules/tasks/tasks.h"

#include <stdlib.h>
#include <tc/task_sync.h>

void tc_task_run(void (*body)(void *payload, size_t payload_size, void *target_args),
                 void *(*exceptions)(void), void *payload, size_t payload_size,
                 void *target_args)
{
    const tci_current *current = tci_current_get();
    tci_job job = {.body = body,
                   .exceptions = exceptions,
                   .payload = payload,
                   .size = payload_size,
                   .args = target_args};
    if (current->ep != NULL && current->fn != NULL && current->ep->core->tasks != NULL)
        tci_task_run(tci_tasks_of(current->ep->core), &job);
    else
        body(payload, payload_size, target_args);
}

tc_status tc_task_sleep(uint64_t ns)
{
    const tc_ep *ep = tci_current_get()->ep;
    if (ep == NULL || !tci_tasks_may_wait(ep->core))
        return TC_E_BUSY;
    return tci_tasks_sleep(ep->core, ns);
}

size_t tc_task_count(const tc_context *ctx)
{
    return tci_tasks_of(&ctx->core)->count;
}

static tc_status attach(tci_core *core, tc_error *err)
{
    tci_tasks *tasks = malloc(sizeof *tasks);
    if (tasks == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "tasks: out of memory");
    tci_tasks_init(tasks);
    tc_status status = tci_module_take((const void **)&core->tasks, &tasks->head, "tasks", err);
    if (status != TC_OK) {
        free(tasks);
        return status;
    }
    tasks->core = core;
    tci_fork_guard_add(&tasks->guard, tci_task_layout_table.give_up);
    return TC_OK;
}

static void detach(tci_core *core)
{
    if (core->tasks == NULL || core->tasks->ops->turn != tci_task_run_turn)
        return;
    tci_tasks *tasks = tci_tasks_of(core);
    tci_tasks_fini(tasks);
    tci_fork_guard_remove(&tasks->guard);
    core->tasks = NULL;
    free(tasks);
}

static const tci_host_symbol symbols[] = {
    TCI_HOST_SYMBOL(tc_task_run),
    TCI_HOST_SYMBOL(tc_task_sleep),
    TCI_HOST_SYMBOL(tc_task_count),
    TCI_HOST_SYMBOL(tc_task_lock_acquire),
    TCI_HOST_SYMBOL(tc_task_lock_release),
    TCI_HOST_SYMBOL(tc_task_condition_wait),
    TCI_HOST_SYMBOL(tc_task_condition_signal),
    TCI_HOST_SYMBOL(tc_task_semaphore_acquire),
    TCI_HOST_SYMBOL(tc_task_semaphore_release),
    TCI_HOST_SYMBOL(tc_task_enter),
    TCI_HOST_SYMBOL(tc_task_leave),
    TCI_HOST_SYMBOL(tc_task_forget),
};

const tci_module tci_tasks_module = {.name = "tasks",
                                     .attach = attach,
                                     .detach = detach,
                                     .turn = tci_task_run_turn,
                                     .symbols = symbols,
                                     .symbol_count = sizeof symbols / sizeof symbols[0]};
