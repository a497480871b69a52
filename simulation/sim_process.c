/* Processes of a world: each node is one. A node that starts again keeps its number, as
 * processes may; its life tells them apart. */
#include "sim_process.h"

#include "sim_world.h"

#include <unistd.h>

#define PID_FIRST 1000

pid_t __wrap_getpid(void)
{
    const tc_sim_node *node = sim_world_node();
    return node != NULL ? PID_FIRST + (pid_t)node->number : __real_getpid();
}

static const tc_sim_node *node_of(pid_t pid)
{
    const tc_sim_world *world = sim_world_node()->world;
    const unsigned number = (unsigned)(pid - PID_FIRST);
    const tc_sim_node *node =
        pid >= PID_FIRST && number < world->node_count ? world->nodes[number] : NULL;
    return node != NULL && tc_sim_node_is_running(node) ? node : NULL;
}

tci_live_process __wrap_tci_live_process_find(pid_t pid)
{
    if (sim_world_node() == NULL)
        return __real_tci_live_process_find(pid);
    const tc_sim_node *node = node_of(pid);
    return (tci_live_process){.pid = pid, .started = node != NULL ? node->life + 1u : 0};
}

bool __wrap_tci_live_process_is_gone(const tci_live_process *process)
{
    if (sim_world_node() == NULL)
        return __real_tci_live_process_is_gone(process);
    return process->pid > 0 && node_of(process->pid) == NULL;
}

bool __wrap_tci_live_process_has_ended(const tci_live_process *process)
{
    if (sim_world_node() == NULL)
        return __real_tci_live_process_has_ended(process);
    if (process->pid <= 0)
        return false;
    const tc_sim_node *node = node_of(process->pid);
    return node == NULL || (process->started != 0 && process->started != node->life + 1u);
}

/* All nodes are processes of one user. */
tc_status __wrap_tci_socket_user_of_peer(int fd, bool accepted, uid_t *user_out, tc_error *err)
{
    if (sim_world_node() == NULL)
        return __real_tci_socket_user_of_peer(fd, accepted, user_out, err);
    *user_out = geteuid();
    return TC_OK;
}
