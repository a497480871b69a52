/* Makes a key to a sample region of this side's own and checks the peer's key against it. */
#include "modules/ucx/put_key.h"

#include "base/error_text.h"
#include "modules/ucx/link_ucx.h"
#include "modules/ucx/ucx_region.h"
#include "modules/ucx/ucx_rkey.h"
#include "ring/ring_layout.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* UCX takes whole pages. */
#define SAMPLE_BYTES 4096u
#define PAGES_BESIDE 65536u /* UCX may take these, too, before it maps */

static tci_ucx_rkey key_of(tci_region *sample, const tci_worker *worker)
{
    tci_ucx_address address = {.pid = getpid()};
    address.bytes = tci_worker_address(worker, &address.size);
    tci_ucx_rkey key = {.address = (uintptr_t)tci_region_base(sample),
                        .pid = address.pid,
                        .posix_domains = tci_ucx_address_posix(&address, &address)};
    key.bytes = tci_region_rkey(sample, &key.size);
    return key;
}

/* Checks for address space: UCX before 1.19 ends the process if it cannot map the region. */
static tc_status check_room(size_t bytes, tc_error *err)
{
    void *reserved = mmap(NULL, bytes + PAGES_BESIDE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return tci_error_errno(err, TC_E_NO_MEMORY, errno,
                               "put: no room to map the peer's ring of %zu bytes", bytes);
    (void)munmap(reserved, bytes + PAGES_BESIDE);
    return TC_OK;
}

/* Compares with the key of a sample: this side's ring may have no key, if there was no memory
 * for one. */
tc_status tci_put_key_check(const tci_delivery_peer *peer, tc_error *err)
{
    const tci_link_ends ends = tci_link_ends_of(peer->link);
    const tci_ucx_rkey key = {.bytes = peer->rkey,
                              .size = peer->rkey_size,
                              .address = peer->ring_address,
                              .pid = ends.peer_pid,
                              .posix_domains = ends.posix_domains};
    tci_region *sample;
    TC_TRY(
        tci_ucx_region_create(ends.worker, SAMPLE_BYTES, TCI_REGION_PUT, false, &sample, err));
    const tci_ucx_rkey own = key_of(sample, ends.worker);
    tc_status status =
        tci_ucx_rkey_check(&key, tci_ring_region_bytes(peer->ring_bytes), &own, err);
    tci_region_destroy(sample);
    if (status == TC_OK)
        status = check_room(tci_ring_region_bytes(peer->ring_bytes), err);
    return status;
}
