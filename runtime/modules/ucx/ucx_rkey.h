/* Checks a key to a peer's memory before UCX parses it.
 *
 * UCX trusts the contents of a key: before 1.19 it ends the process if the memory of a key for
 * this host cannot be attached, and it maps the memory that the key names, whatever that is.
 * UCX does not promise the layout of a key, as with a worker's address (ucx_address.h), so the
 * process's own key is read first; if that does not look as expected, nothing is checked.
 *
 *   map of memory domains u64; kind of memory u8
 *   each domain of the map: length u8, so many bytes. posix: the number of the file, the
 *     memory's address in its process, and its length, u64 each; then the number of the
 *     namespace of processes if the file's number has that flag */
#ifndef TCI_UCX_RKEY_H
#define TCI_UCX_RKEY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <tc/status.h>

typedef struct tci_ucx_rkey {
    const void *bytes;
    size_t size;
    uint64_t address; /* start of the memory in its process, as the peer states it */
    pid_t pid;        /* that process, as the peer states it */
    /* Its memory domains that posix can reach from here, a bit each, according to its worker's
     * address (tci_ucx_address_posix). UCX treats the others of shared memory as unreachable.
     */
    uint64_t posix_domains;
} tci_ucx_rkey;

/* TC_E_CORRUPT: a UCX like `own`'s cannot have made the key for at least `bytes` of memory at
 * that address. TC_E_PEER_LOST: the memory is gone. A key that passes may still lead to a file
 * that changes, or to something else in another one. */
TC_MUST_CHECK tc_status tci_ucx_rkey_check(const tci_ucx_rkey *key, size_t bytes,
                                           const tci_ucx_rkey *own, tc_error *err);

#endif
