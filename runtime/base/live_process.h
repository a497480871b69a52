/* Another process of this host, and a check that it still runs.
 *
 * A process number may be given to another process, so the start time is kept with it. It is
 * read from /proc, which takes a descriptor. Without a free descriptor or without /proc, a
 * process counts as running until its number is free. */
#ifndef TCI_LIVE_PROCESS_H
#define TCI_LIVE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct tci_live_process {
    pid_t pid;        /* 0: no process, which never ends */
    uint64_t started; /* in ticks since the system's start; 0: not known */
} tci_live_process;

/* Returns the process that has this number now. */
tci_live_process tci_live_process_find(pid_t pid);

/* Returns whether its number is free. Takes no descriptor and next to no time. */
bool tci_live_process_is_gone(const tci_live_process *process);
/* Returns whether its number is free or belongs to another process, or it has ended and was not
 * waited for yet. */
bool tci_live_process_has_ended(const tci_live_process *process);

#endif
