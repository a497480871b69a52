/* A look at a worker's address before UCX parses it.
 *
 * UCX is not told how long an address is, and takes what is in it for granted: it ends the process
 * where a length, a cost or the number of a file is not what it would have written. Its layout is
 * no promise of UCX's, so the process's own address is read first: where that does not look as
 * expected, or this side's format is another one, nothing is checked.
 *
 *   header: version u4 (0 here), flags u4; worker u64; client u64 and name, by flags
 *   each device: memory domain u8 (0x1f: its number; 0x80: it has no transports); length u8 (0x80: the last one;
 *     0x40, 0x20: a byte more each), those bytes, its address
 *     each transport: name u16, overhead, bandwidth, latency as floats, flags u32; length u8
 *       (0x80: the device's last; 0x40: an endpoint's address follows, not in a worker's), its
 *       address. posix: one number, flags u4, file u30, process u30; then, with flag 1, the number of the
 *       namespace of processes, u64
 */
#ifndef TCI_UCX_ADDRESS_H
#define TCI_UCX_ADDRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <tc/status.h>

typedef struct tci_ucx_address {
    const void *bytes;
    size_t size;
    pid_t pid; /* of its process, as that says */
} tci_ucx_address;

/* TC_E_CORRUPT: it cannot be what a UCX like `own`'s has made. What is right may still lead to
 * something else: a network address of anybody's, or a file that changes. */
TC_MUST_CHECK tc_status tci_ucx_address_check(const tci_ucx_address *address,
                                              const tci_ucx_address *own, tc_error *err);

/* The memory domains of what passed the check that UCX's posix reaches from here, a bit each; also of
 * `own` itself. None where nothing was checked. */
uint64_t tci_ucx_address_posix(const tci_ucx_address *address, const tci_ucx_address *own);

#endif
