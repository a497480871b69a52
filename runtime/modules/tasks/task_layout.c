#include "modules/tasks/task_layout.h"

#include "archive.h"
#include "bootstrap/stream_object.h"
#include "modules/tasks/tasks_state.h"

/* A forked child keeps the parent's records, as its context does. It marks the guards of tasks
 * among others. */
static void keep(tci_fork_guard *guard)
{
    (void)guard;
}

#define OFFSET(type, member) (uint32_t) offsetof(type, member)

/* Without relocations it would be in a section of constants. */
__attribute__((section("tchains_tasks"), used)) const tci_task_layout tci_task_layout_table = {
    .magic = "tctasks",
    .version = TCI_TASK_LAYOUT_VERSION,
    .size = sizeof(tci_task_layout),
    .guards = &tci_fork_guard_first,
    .give_up = keep,
    .stack_bytes = TCI_SHARED_STACK_BYTES,
    .used_max = TCI_TASK_STACK_MAX,
    .tasks_max = TCI_TASKS_MAX,
    .endpoints_max = 1u << 16, /* ids are of 16 bits */
    .name_max = TCI_ARCHIVE_NAME_MAX,
    .peer_max = sizeof(((tci_channel *)NULL)->peer),
    .identity_max = sizeof(((tci_peer *)NULL)->identity),
    .guard_next = OFFSET(tci_fork_guard, next),
    .guard_give_up = OFFSET(tci_fork_guard, give_up),
    .tasks_guard = OFFSET(tci_tasks, guard),
    .tasks_core = OFFSET(tci_tasks, core),
    .tasks_memory = OFFSET(tci_tasks, stack.memory),
    .tasks_count = OFFSET(tci_tasks, count),
    .tasks_fn = OFFSET(tci_tasks, fn),
    .tasks_task = OFFSET(tci_tasks, task),
    .core_first = OFFSET(tci_core, first),
    .ep_next = OFFSET(tc_ep, next),
    .ep_connection = OFFSET(tc_ep, connection),
    .ep_stream = OFFSET(tc_ep, stream),
    .ep_pid = OFFSET(tc_ep, peer.pid),
    .ep_identity = OFFSET(tc_ep, peer.identity),
    .ep_tasks = OFFSET(tc_ep, tasks),
    .stream_peer = OFFSET(tci_stream, channel.peer),
    .fn_archive = OFFSET(tc_ifunc, archive),
    .fn_id = OFFSET(tc_ifunc, id),
    .archive_name = 0, /* as archive_reader.c asserts */
    .task_bytes = sizeof(tci_task),
    .task_of_ep = OFFSET(tci_task, of_ep),
    .task_fn = OFFSET(tci_task, current.fn),
    .task_event = OFFSET(tci_task, event),
    .task_nap = OFFSET(tci_task, nap),
    .task_sp = OFFSET(tci_task, mark.sp),
    .task_kept = OFFSET(tci_task, bytes),
    .task_capacity = OFFSET(tci_task, capacity),
    .task_due_ns = OFFSET(tci_task, due_ns),
    .task_ended = OFFSET(tci_task, ended),
    .task_is_abandoned = OFFSET(tci_task, is_abandoned),
};
