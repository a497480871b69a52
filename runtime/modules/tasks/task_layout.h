/* The layout of the records of tasks, for debuggers: a table in the library's data.
 *
 * scripts/gdb/tchains.py finds the table by its section, `tchains_tasks`, in a process or its
 * core, and reads the records by the table's offsets. So it needs no debug information and no
 * symbol, and serves a stripped library, too. A change of the members' order or number, or of
 * the registers that shared_stack.c pushes, takes another version here and there. */
#ifndef TCI_TASK_LAYOUT_H
#define TCI_TASK_LAYOUT_H

#include "base/fork_guard.h"

#include <stdint.h>

#define TCI_TASK_LAYOUT_VERSION 1u

typedef struct tci_task_layout {
    char magic[8]; /* "tctasks" */
    uint32_t version;
    uint32_t size; /* of the table */
    /* The list with the guard of each context's tasks; others in it have another give_up. */
    tci_fork_guard *const *guards;
    void (*give_up)(tci_fork_guard *guard);
    /* Bounds. */
    uint32_t stack_bytes, used_max, tasks_max, endpoints_max, name_max, peer_max, identity_max;
    /* Offsets of members, by the object that has them. */
    uint32_t guard_next, guard_give_up;
    uint32_t tasks_guard, tasks_core, tasks_memory, tasks_count, tasks_fn, tasks_task;
    uint32_t core_first, ep_next, ep_connection, ep_stream, ep_pid, ep_identity, ep_tasks;
    uint32_t stream_peer, fn_archive, fn_id, archive_name;
    uint32_t task_bytes, /* of a whole record */
        task_of_ep, task_fn, task_event, task_nap, task_sp, task_kept, task_capacity,
        task_due_ns, task_ended, task_is_abandoned;
} tci_task_layout;

extern const tci_task_layout tci_task_layout_table;

#endif
