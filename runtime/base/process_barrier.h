/* A memory barrier that one process has all others execute.
 *
 * Two sides that each store and then look at what the other stored need a full barrier between
 * store and load, on both sides. Where one side does that millions of times per second and the
 * other rarely, the rare side can pay for both: after tci_process_barrier, every thread of
 * every process that has registered has passed a full barrier since the call began. So whatever
 * such a thread stored before that point is seen by the caller, and whatever it loads after
 * that point sees what the caller had stored. */
#ifndef TCI_PROCESS_BARRIER_H
#define TCI_PROCESS_BARRIER_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* This process takes part. False: the kernel has no such barrier. */
static inline bool tci_process_barrier_register(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* A system call of a few microseconds. False: no barrier took place. */
static inline bool tci_process_barrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

#endif
