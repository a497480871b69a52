/* UCX's remote writes over a link of UCX's: of no other has any of these calls. */
#ifndef TCI_LINK_PUTS_H
#define TCI_LINK_PUTS_H

#include "delivery/link_ucx.h"

/* Takes a peer's key, which has been judged, so that its region can be put to. TC_E_UNSUPPORTED:
 * not with this key, or with the application's UCX context. TC_E_NO_MEMORY. The region must still
 * be there: UCX before 1.19 crashes on the key of memory on this host that is gone. Once per link.
 */
TC_MUST_CHECK tc_status tci_link_prepare_puts(tci_link *link, const void *rkey, size_t size,
                                              tc_error *err);

/* Where a put to that address of the peer's is written by this process itself, because UCX has
 * the peer's memory mapped here: UCX adds the address to its mapping and checks nothing. NULL:
 * something else writes it, where the peer says. Behind tci_link_prepare_puts. */
void *tci_link_mapped_here(const tci_link *link, uint64_t address);

/* Whether puts go by an RDMA adapter, as far as UCX tells (ucx_rdma.h). */
bool tci_link_puts_by_rdma(const tci_link *link);

/* Writes to the peer's memory. The rules for op and the bytes are those of tci_link_send;
 * op->header is not used. Nothing is said about when or in what order bytes arrive. */
TC_MUST_CHECK tc_status tci_link_put(tci_link *link, uint64_t address, tci_link_op *op,
                                     const void *bytes, size_t size, bool *under_way_out);

/* Puts from before arrive before puts from after. Only where tci_ucx_fences_block says that it
 * does not block. */
TC_MUST_CHECK tc_status tci_link_fence(tci_link *link);

/* Ends op when the puts from before have arrived, or, with op->failed, when the link has failed
 * or is closed. They have when *under_way_out is false (then done is not called). Never blocks.
 */
TC_MUST_CHECK tc_status tci_link_flush_puts(tci_link *link, tci_link_op *op,
                                            bool *under_way_out);

#endif
