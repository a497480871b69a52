/* Which of UCX's transports write a peer's memory by themselves: what `auto` takes puts for.
 *
 * UCX has several lanes to a peer and names the transport of each. It gives a put to a lane that
 * can write, and only where none can does it emulate puts by messages. So one lane is enough that
 * counts:
 *
 *   counts      rc_verbs, rc_mlx5, dc_mlx5 (reliable connections of InfiniBand and RoCE), ugni_rdma
 *   does not    ud_verbs, ud_mlx5 (datagrams: no remote writes; UCX has them for looking whether
 *               a peer lives), srd (not every device of it writes), tcp
 *   is not asked   posix, sysv, xpmem, cma, knem, self: a ring within a host is mapped, or its
 *               key is to none of them; gdr_copy, cuda_..., rocm_..., ze_...: memory of
 *               accelerators, where no ring lies
 *
 * What is not known here does not count: then active messages carry frames, which is right
 * everywhere. */
#ifndef TCI_UCX_LANES_H
#define TCI_UCX_LANES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether one of these names, as UCX has them, counts. */
bool tci_ucx_lanes_write(const char *const *names, size_t count);

#endif
