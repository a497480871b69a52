/* Declarations of the functions that sim_process.c wraps. */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include "sim_system.h"

#include "base/live_process.h"
#include "bootstrap/socket_user.h"

SIM_WRAPPED(pid_t, getpid, void)
SIM_WRAPPED(tci_live_process, tci_live_process_find, pid_t pid)
SIM_WRAPPED(bool, tci_live_process_is_gone, const tci_live_process *process)
SIM_WRAPPED(bool, tci_live_process_has_ended, const tci_live_process *process)
SIM_WRAPPED(tc_status, tci_socket_user_of_peer, int fd, bool accepted, uid_t *user_out,
            tc_error *err)

#endif
