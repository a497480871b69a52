/* epoll and poll over simulated descriptors. */
#ifndef SIM_EPOLL_H
#define SIM_EPOLL_H

#include "sim_descriptor.h"

#include <sys/epoll.h>

/* As the system calls, with -1 and errno; timeouts in nanoseconds, UINT64_MAX: for ever. */
int sim_epoll_create(void);
int sim_epoll_change(int set, int operation, int number, const struct epoll_event *event);
int sim_epoll_wait(int set, struct epoll_event *events, int max, uint64_t timeout_ns);
int sim_epoll_poll(struct pollfd *fds, nfds_t count, uint64_t timeout_ns);

/* Notices that a descriptor may have become ready. */
void sim_epoll_notice(sim_descriptor *descriptor);
/* Takes a descriptor that is closed out of all sets. */
void sim_epoll_forget(sim_descriptor *descriptor);

#endif
