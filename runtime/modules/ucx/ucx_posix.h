/* How UCX's transport `posix` names a file of shared memory: one number, made of the process
 * that has it open and the descriptor there. UCX opens the file through /proc. */
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
#define TCI_UCX_POSIX_IN_NAMESPACE (1ull << 60) /* of processes; its number follows */

static inline uint64_t tci_ucx_posix_read(const uint8_t *bytes)
{
    uint64_t id;
    memcpy(&id, bytes, sizeof id);
    return le64toh(id);
}

bool tci_ucx_posix_is_of(uint64_t id, pid_t pid);
/* Returns whether this process may read and write the file. */
bool tci_ucx_posix_opens(uint64_t id);
bool tci_ucx_posix_look(uint64_t id, struct stat *about_out);

#endif
