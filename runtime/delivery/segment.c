#include "segment.h"

#include "base/error_text.h"
#include "base/sanitized.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/ipc.h>
#include <sys/shm.h>

/* Orders calls for ThreadSanitizer: one thread may attach a segment at an address where another
 * has detached one. */
static char order;

static void *attach(int id, int flags)
{
    void *base = shmat(id, NULL, flags);
    TCI_RACE_BEHIND(&order);
    return (intptr_t)base == -1 ? NULL : base;
}

static void detach(const void *base)
{
    TCI_RACE_BEFORE(&order);
    (void)shmdt(base);
}

tc_status tci_segment_create(size_t bytes, tci_segment *segment_out, tc_error *err)
{
    int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0)
        return tci_error_errno(err, TC_E_NO_MEMORY, errno, "shared memory of %zu bytes", bytes);
    void *base = attach(id, 0);
    int cause = errno;
    /* Marked at once, so that it cannot outlive its users. Linux still lets others attach. */
    (void)shmctl(id, IPC_RMID, NULL);
    if (base == NULL)
        return tci_error_errno(err, TC_E_NO_MEMORY, cause, "shared memory of %zu bytes", bytes);
    *segment_out = (tci_segment){.base = base, .bytes = bytes, .id = (uint32_t)id};
    return TC_OK;
}

static tc_status attach_as(int flags, uint32_t id, size_t bytes, tci_segment *segment_out,
                           tc_error *err)
{
    struct shmid_ds about;
    errno = EINVAL;
    void *base = id <= INT32_MAX ? attach((int)id, flags) : NULL;
    if (base == NULL) {
        bool gone = errno == EINVAL || errno == EIDRM;
        return tci_error_errno(err, gone ? TC_E_NOT_FOUND : TC_E_UNSUPPORTED, errno,
                               "peer's shared memory %" PRIu32, id);
    }
    /* Asked after attaching: before that the number could get another meaning. */
    if (shmctl((int)id, IPC_STAT, &about) != 0 || about.shm_segsz < bytes) {
        detach(base);
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "peer's shared memory %" PRIu32 ": smaller than %zu bytes", id,
                             bytes);
    }
    *segment_out = (tci_segment){.base = base, .bytes = bytes, .id = id};
    return TC_OK;
}

tc_status tci_segment_attach(uint32_t id, size_t bytes, tci_segment *segment_out, tc_error *err)
{
    return attach_as(0, id, bytes, segment_out, err);
}

tc_status tci_segment_attach_view(uint32_t id, size_t bytes, tci_segment *segment_out,
                                  tc_error *err)
{
    return attach_as(SHM_RDONLY, id, bytes, segment_out, err);
}

void tci_segment_detach(tci_segment *segment)
{
    if (segment->base != NULL)
        detach(segment->base);
    *segment = (tci_segment){.id = TCI_SEGMENT_NONE};
}
