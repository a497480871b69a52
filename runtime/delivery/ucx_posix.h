/* How UCX's transport `posix` names a file of shared memory: one number, with the process that
 * has it open, and the descriptor there. It opens the file by way of /proc. */
#ifndef TCI_UCX_POSIX_H
#define TCI_UCX_POSIX_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#define TCI_UCX_POSIX_FLAGS (15ull << 60)
#define TCI_UCX_POSIX_BY_PROC (1ull << 63)
#define TCI_UCX_POSIX_IN_NAMESPACE (1ull << 60) /* of processes, whose number follows */

static inline uint64_t tci_ucx_posix_read(const uint8_t *bytes)
{
    uint64_t id;
    memcpy(&id, bytes, sizeof id);
    return le64toh(id);
}

bool tci_ucx_posix_is_of(uint64_t id, pid_t pid);
/* Whether this process may read and write it. */
bool tci_ucx_posix_opens(uint64_t id);
bool tci_ucx_posix_look(uint64_t id, struct stat *about_out);

#endif
