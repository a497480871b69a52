/* Lists UCX's transports that write a peer's memory by themselves; `auto` takes puts for these.
 *
 * UCX has several lanes to a peer and names the transport of each. It gives a put to a lane
 * that can write, and only without such a lane does it emulate puts by messages. So one lane
 * that counts is enough:
 *
 *   counts        rc_verbs, rc_mlx5, dc_mlx5 (reliable connections of InfiniBand and RoCE),
 *                 ugni_rdma
 *   does not      ud_verbs, ud_mlx5 (datagrams: no remote writes; UCX uses them to check
 *                 whether a peer lives), srd (not every device of it writes), tcp
 *   is not asked  posix, sysv, xpmem, cma, knem, self: a ring within a host is mapped, or its
 *                 key is not for them; gdr_copy, cuda_..., rocm_..., ze_...: memory of
 *                 accelerators, where no ring lies
 *
 * An unknown transport does not count: then active messages carry frames, which is right for
 * every peer. */
#ifndef TCI_UCX_LANES_H
#define TCI_UCX_LANES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether one of these names, as UCX spells them, counts. */
bool tci_ucx_lanes_write(const char *const *names, size_t count);

#endif
