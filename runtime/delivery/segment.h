/* A segment of shared memory that peers on this host attach by its number.
 *
 * System V's, for three reasons: its size is fixed, so a mapping never faults because the owner
 * shrank it; it vanishes with the last process that has it attached, however that process ends;
 * and attaching one that is gone is an error and nothing worse. (UCX's keys for the same memory
 * take the process down in that case before 1.19, so rings that are mapped do not go through
 * UCX.) A process that is killed between making one and marking it, three system calls in all,
 * leaves it behind: `ipcs -m` shows it with nobody attached, and `ipcrm` takes it away. */
#ifndef TCI_SEGMENT_H
#define TCI_SEGMENT_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_SEGMENT_NONE UINT32_MAX /* as TCI_HELLO_NO_SEGMENT */

typedef struct tci_segment {
    uint8_t *base; /* NULL: none */
    size_t bytes;
    uint32_t id;
} tci_segment;

/* Zeroed memory that only this user's processes may attach. TC_E_NO_MEMORY, also when the
 * system has no segment left (kernel.shmmni, kernel.shmall). */
TC_MUST_CHECK tc_status tci_segment_create(size_t bytes, tci_segment *segment_out,
                                           tc_error *err);

/* A peer's. Its number may come from a stranger, so the caller looks for something in the
 * memory that only the right segment can hold before it writes to it. TC_E_NOT_FOUND: there is
 * no such segment here. TC_E_UNSUPPORTED: it is smaller than `bytes`, or not for this user. */
TC_MUST_CHECK tc_status tci_segment_attach(uint32_t id, size_t bytes, tci_segment *segment_out,
                                           tc_error *err);

/* The same for who only reads it: a store faults. */
TC_MUST_CHECK tc_status tci_segment_attach_view(uint32_t id, size_t bytes,
                                                tci_segment *segment_out, tc_error *err);

/* Does nothing for none. The memory is freed when every process has let go. */
void tci_segment_detach(tci_segment *segment);

#endif
