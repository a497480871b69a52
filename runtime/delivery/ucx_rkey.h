/* A look at a key to a peer's memory before UCX parses it.
 *
 * UCX believes what is in a key: before 1.19 it ends the process where the memory of one on this
 * host cannot be attached, and it maps what the key says, whatever that is. Like a worker's
 * address (ucx_address.h) the key's layout is no promise, so the process's own key is read first;
 * where that does not look as expected nothing is checked.
 *
 *   map of memory domains u64; kind of memory u8
 *   each domain of the map: length u8, so many bytes. posix: the number of the file, the memory's
 *     address in its process, and its length, u64 each; then the number of the namespace of
 *     processes where the file's number says so
 */
#ifndef TCI_UCX_RKEY_H
#define TCI_UCX_RKEY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <tc/status.h>

typedef struct tci_ucx_rkey {
    const void *bytes;
    size_t size;
    uint64_t address; /* where the memory begins in its process, as that says */
    pid_t pid;        /* that process, as it says */
    /* Its memory domains that posix can reach from here, a bit each, as its worker's address
     * says (tci_ucx_address_posix). UCX takes the others of shared memory for out of reach. */
    uint64_t posix_domains;
} tci_ucx_rkey;

/* TC_E_CORRUPT: it cannot be what a UCX like `own`'s has made for at least `bytes` of memory at
 * that place. TC_E_PEER_LOST: the memory is gone. What is right may still lead to a file that
 * changes, or to something else in another one. */
TC_MUST_CHECK tc_status tci_ucx_rkey_check(const tci_ucx_rkey *key, size_t bytes,
                                           const tci_ucx_rkey *own, tc_error *err);

#endif
