/* UCX's remote writes. These calls are only for UCX's links. */
#ifndef TCI_LINK_PUTS_H
#define TCI_LINK_PUTS_H

#include "modules/ucx/link_ucx.h"

/* Takes a peer's key, which has been checked, for puts to the peer's region. TC_E_UNSUPPORTED:
 * not with this key, or with the application's UCX context. TC_E_NO_MEMORY. The region must
 * still exist: UCX before 1.19 crashes on the key of memory on this host that is gone. Once per
 * link. */
TC_MUST_CHECK tc_status tci_link_prepare_puts(tci_link *link, const void *rkey, size_t size,
                                              tc_error *err);

/* Returns the address at which this process itself writes a put to that address of the peer's,
 * because UCX has the peer's memory mapped here: UCX adds the address to its mapping and checks
 * nothing. NULL: something else writes it, at the address that the peer states. Called after
 * tci_link_prepare_puts. */
void *tci_link_mapped_here(const tci_link *link, uint64_t address);

/* Returns whether an RDMA adapter carries puts, as far as UCX reports it (ucx_rdma.h). */
bool tci_link_puts_by_rdma(const tci_link *link);

/* Writes to the peer's memory. The rules for op and the bytes are those of tci_link_send;
 * op->header is not used. The time and the order in which bytes arrive are undefined. */
TC_MUST_CHECK tc_status tci_link_put(tci_link *link, uint64_t address, tci_link_op *op,
                                     const void *bytes, size_t size, bool *under_way_out);

/* Makes earlier puts arrive before later puts. Only allowed where tci_ucx_fences_block returns
 * false. */
TC_MUST_CHECK tc_status tci_link_fence(tci_link *link);

/* Ends op when the earlier puts have arrived, or, with op->failed, when the link has failed or
 * is closed. They have arrived when *under_way_out is false (then done is not called). Never
 * blocks. */
TC_MUST_CHECK tc_status tci_link_flush_puts(tci_link *link, tci_link_op *op,
                                            bool *under_way_out);

#endif
