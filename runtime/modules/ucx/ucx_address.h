/* Checks a worker's address before UCX parses it.
 *
 * UCX is not given the length of an address, and trusts its contents: it ends the process if a
 * length, a cost or the number of a file differs from the values that it would have written.
 * UCX does not promise the layout, so the process's own address is read first: if that does not
 * look as expected, or this side's format is another one, nothing is checked.
 *
 *   header: version u4 (0 here), flags u4; worker u64; client u64 and name, by flags
 *   each device: memory domain u8 (0x1f: its number; 0x80: it has no transports); length u8
 *     (0x80: the last one; 0x40, 0x20: a byte more each), those bytes, its address
 *     each transport: name u16, overhead, bandwidth, latency as floats, flags u32; length u8
 *       (0x80: the device's last; 0x40: an endpoint's address follows, not in a worker's), its
 *       address. posix: one number, flags u4, file u30, process u30; then, with flag 1, the
 *       number of the namespace of processes, u64 */
#ifndef TCI_UCX_ADDRESS_H
#define TCI_UCX_ADDRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <tc/status.h>

typedef struct tci_ucx_address {
    const void *bytes;
    size_t size;
    pid_t pid; /* of its process, as the peer states it */
} tci_ucx_address;

/* TC_E_CORRUPT: a UCX like `own`'s cannot have made the address. An address that passes may
 * still lead to something else: an arbitrary network address, or a file that changes. */
TC_MUST_CHECK tc_status tci_ucx_address_check(const tci_ucx_address *address,
                                              const tci_ucx_address *own, tc_error *err);

/* Returns the memory domains of an address that passed the check, also of `own` itself, that
 * UCX's posix reaches from here, a bit each. Empty if nothing was checked. */
uint64_t tci_ucx_address_posix(const tci_ucx_address *address, const tci_ucx_address *own);

#endif
