/* Nodes of release 0.1.0: the world as their program sees it. */
#include "traffic_node.h"

#include "old/old_peer.h"
#include "sim_process.h"
#include "sim_world.h"

#include <string.h>
#include <unistd.h>

bool old_peers_are_there(void)
{
    return true;
}

void old_peers_prepare(void)
{
    size_t bytes;
    void *state = old_peer_state(&bytes);
    sim_world_keep(state, bytes);
}

static traffic_node *self(void)
{
    return tc_sim_node_argument(tc_sim_self());
}

/* --- the process ------------------------------------------------------------------------- */

void old_host_id(uint8_t id_out[16])
{
    __wrap_tci_host_id(id_out);
}

uint64_t old_process_started(pid_t pid)
{
    return __wrap_tci_live_process_find(pid).started;
}

bool old_process_has_ended(pid_t pid, uint64_t since)
{
    const tci_live_process process = {.pid = pid, .started = since};
    return since == 0 ? __wrap_tci_live_process_is_gone(&process)
                      : __wrap_tci_live_process_has_ended(&process);
}

uid_t old_user(void)
{
    return geteuid();
}

/* --- the world --------------------------------------------------------------------------- */

uint64_t old_draw(uint64_t limit)
{
    return tc_sim_random(tc_sim_node_world(tc_sim_self())) % limit;
}

bool old_has_failed(void)
{
    return flows_error() != NULL;
}

bool old_is_over(void)
{
    return old_has_failed() || node_all_are_done(self()->all);
}

bool old_may_fail(void)
{
    return plan_is_disturbed(self()->all->plan);
}

bool old_may_refuse(void)
{
    return plan_may_refuse(self()->all->plan);
}

unsigned old_number(void)
{
    return self()->number;
}

unsigned old_nodes(void)
{
    return self()->all->plan->nodes;
}

unsigned old_actions(void)
{
    return self()->all->plan->actions;
}

bool old_is_shared(void)
{
    return plan_has(self()->all->plan, PLAN_shared);
}

bool old_has_small_rings(void)
{
    return plan_has(self()->all->plan, PLAN_small_rings);
}

static const char *address_of(unsigned number, char text[24])
{
    return tc_sim_address(self()->all->nodes[number], (uint16_t)(PORT + number), text);
}

const char *old_address(unsigned number, char text[24])
{
    return plan_is_outsider(self()->all->plan, number) ? NULL : address_of(number, text);
}

const char *old_own_address(char text[24])
{
    return address_of(self()->number, text);
}

void old_fail(const char *what, int status, const char *text)
{
    if (self()->all->plan->fail_at == 0)
        flows_fail("node %u of 0.1.0: %s: %s: %s", self()->number, what,
                   tc_status_name((tc_status)status), text);
}

void old_listens(void)
{
    self()->all->listens[self()->number] = true;
}

void old_is_done(void)
{
    self()->all->busy[self()->number] = false;
}

const void *old_archive(unsigned function, size_t *size_out)
{
    const tc_code code = node_code(0, function);
    *size_out = code.size;
    return code.bytes;
}
