/* The connection ids of a context's endpoints, and the epoll set of its descriptors. */
#include "core/core.h"

#include "base/assertion.h"
#include "base/error_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define CONNECTIONS_MAX 65000u

tc_status tci_core_watch(tci_core *core, int fd, uint64_t data, tc_error *err)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = data}};
    if (epoll_ctl(core->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "a connection cannot be watched");
    return TC_OK;
}

void tci_core_unwatch(tci_core *core, int fd)
{
    (void)epoll_ctl(core->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

void tci_core_watch_room(tci_core *core, int fd, uint64_t data, bool on)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (on ? EPOLLOUT : 0),
                                .data = {.u64 = data}};
    (void)epoll_ctl(core->epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

static tc_status grow_connections(tci_core *core, tc_error *err)
{
    size_t capacity = core->connection_capacity == 0 ? 16 : 2 * core->connection_capacity;
    if (capacity > CONNECTIONS_MAX)
        capacity = CONNECTIONS_MAX;
    if (capacity == core->connection_capacity) /* bound: CONNECTIONS_MAX */
        return tci_error_set(err, TC_E_TOO_LARGE, "%u endpoints are open, no more are possible",
                             CONNECTIONS_MAX);
    tc_ep **table = realloc(core->by_connection, capacity * sizeof *table);
    if (table == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    memset(table + core->connection_capacity, 0,
           (capacity - core->connection_capacity) * sizeof *table);
    core->by_connection = table;
    core->connection_capacity = capacity;
    return TC_OK;
}

static uint16_t give_id(tci_core *core, tc_ep *ep, size_t id)
{
    TCI_INVARIANT_IS(ep_connection, id, <, core->connection_capacity);
    TCI_INVARIANT(ep_connection, core->by_connection[id] == NULL);
    core->by_connection[id] = ep;
    core->connection_next = (uint16_t)(id + 1);
    return (uint16_t)id;
}

tc_status tci_core_add_connection(tci_core *core, tc_ep *ep, uint16_t *id_out, tc_error *err)
{
    for (size_t i = 0; i < core->connection_capacity; i++) {
        size_t id = (core->connection_next + i) % core->connection_capacity;
        if (core->by_connection[id] == NULL) {
            *id_out = give_id(core, ep, id);
            return TC_OK;
        }
    }
    size_t id = core->connection_capacity;
    TC_TRY(grow_connections(core, err));
    *id_out = give_id(core, ep, id);
    return TC_OK;
}
