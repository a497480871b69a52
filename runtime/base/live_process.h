/* Another process of this host, and whether it still runs.
 *
 * Its number alone can be given to another one, so the time of its start is kept with it. That is
 * in /proc, which takes a descriptor to read: where there is none left, or no /proc, a process
 * counts as running until its number is free. */
#ifndef TCI_LIVE_PROCESS_H
#define TCI_LIVE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct tci_live_process {
    pid_t pid;        /* 0: none, which never ends */
    uint64_t started; /* in ticks since the system's start; 0: not known */
} tci_live_process;

/* The one that has this number now. */
tci_live_process tci_live_process_find(pid_t pid);

/* Its number is free. Takes no descriptor and next to no time. */
bool tci_live_process_is_gone(const tci_live_process *process);
/* That, or the number is another's; also when nobody has waited for it yet. */
bool tci_live_process_has_ended(const tci_live_process *process);

#endif
