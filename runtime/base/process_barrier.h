/* A memory barrier that one process executes in all others.
 *
 * Two sides that each store and then load the other's store need a full barrier between store
 * and load, on both sides. If one side does that millions of times per second and the other
 * rarely, the rare side can pay for both: after tci_process_barrier, every thread of every
 * process that has registered has passed a full barrier since the call began. So the caller
 * sees everything that such a thread stored before that point, and the thread's loads after
 * that point see everything that the caller had stored. */
#ifndef TCI_PROCESS_BARRIER_H
#define TCI_PROCESS_BARRIER_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Registers this process. Returns false when the kernel has no such barrier. */
static inline bool tci_process_barrier_register(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* Executes the barrier, by a system call of a few microseconds. Returns false when it was not
 * executed. */
static inline bool tci_process_barrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

#endif
