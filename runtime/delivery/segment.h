/* A segment of shared memory that peers on this host attach by its number.
 *
 * It is a System V segment, for three reasons: its size is fixed, so a mapping never faults
 * because the owner shrank it; it vanishes with the last process that has it attached, however
 * that process ends; and attaching one that is gone is an error and nothing worse. (UCX's keys
 * for the same memory end the process in that case before 1.19, so mapped rings do not go
 * through UCX.) A process that is killed between making a segment and marking it, three system
 * calls in all, leaves it behind: `ipcs -m` shows it with no process attached, and `ipcrm`
 * removes it. */
#ifndef TCI_SEGMENT_H
#define TCI_SEGMENT_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_SEGMENT_NONE UINT32_MAX /* as TCI_HELLO_NO_SEGMENT */

typedef struct tci_segment {
    uint8_t *base; /* NULL: no segment */
    size_t bytes;
    uint32_t id;
} tci_segment;

/* Makes zeroed memory that only this user's processes may attach. TC_E_NO_MEMORY, also when the
 * system has no segment left (kernel.shmmni, kernel.shmall). */
TC_MUST_CHECK tc_status tci_segment_create(size_t bytes, tci_segment *segment_out,
                                           tc_error *err);

/* Attaches a peer's segment. The number may come from an unauthenticated peer, so the caller
 * checks for something in the memory that only the right segment can hold before it writes to
 * it. TC_E_NOT_FOUND: there is no such segment here. TC_E_UNSUPPORTED: it is smaller than
 * `bytes`, or not for this user. */
TC_MUST_CHECK tc_status tci_segment_attach(uint32_t id, size_t bytes, tci_segment *segment_out,
                                           tc_error *err);

/* The same, read-only: a store faults. */
TC_MUST_CHECK tc_status tci_segment_attach_view(uint32_t id, size_t bytes,
                                                tci_segment *segment_out, tc_error *err);

/* Does nothing without a segment. The memory is freed when every process has detached it. */
void tci_segment_detach(tci_segment *segment);

#endif
