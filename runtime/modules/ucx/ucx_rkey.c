#include "modules/ucx/ucx_rkey.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "modules/ucx/ucx_posix.h"

#include <inttypes.h>
#include <unistd.h>

#define POSIX_BYTES (3 * sizeof(uint64_t))

/* A key's entry for one file. */
typedef struct posix_entry {
    uint64_t id, address, length;
    size_t size;
} posix_entry;

typedef struct key_view {
    uint8_t memory_kind;
    size_t entry_count; /* of posix; the last one is in `entry` */
    posix_entry entry;
} key_view;

/* --- reading ----------------------------------------------------------------------------- */

static void read_posix(const uint8_t *bytes, size_t size, key_view *view)
{
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    view->entry.id = tci_read_u64(&r);
    view->entry.address = tci_read_u64(&r);
    view->entry.length = tci_read_u64(&r);
    view->entry.size = size;
    view->entry_count++;
}

/* False: the key is truncated or has trailing bytes. */
static bool read_key(const tci_ucx_rkey *key, key_view *view_out)
{
    tci_reader r;
    tci_reader_init(&r, key->bytes, key->size);
    uint64_t domains = tci_read_u64(&r);
    *view_out = (key_view){.memory_kind = tci_read_u8(&r)};
    for (unsigned i = 0; i < 64 && !r.failed; i++) {
        if ((domains >> i & 1) == 0)
            continue;
        size_t size = tci_read_u8(&r);
        const uint8_t *bytes = tci_read_bytes(&r, size);
        if (bytes != NULL && (key->posix_domains >> i & 1) != 0)
            read_posix(bytes, size, view_out);
    }
    return !r.failed && r.at == r.size;
}

/* --- checks ------------------------------------------------------------------------------ */

static bool is_posix_of(const posix_entry *entry, const tci_ucx_rkey *key)
{
    size_t size =
        POSIX_BYTES + ((entry->id & TCI_UCX_POSIX_IN_NAMESPACE) ? sizeof(uint64_t) : 0);
    return entry->size == size && tci_ucx_posix_is_of(entry->id, key->pid) &&
           entry->address == key->address;
}

/* The length in the key is rounded up to whole pages. */
static bool is_filled(uint64_t length, uint64_t file_bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return length <= file_bytes || length - file_bytes < page;
}

static tc_status check_file(const posix_entry *entry, size_t bytes, tc_error *err)
{
    struct stat about;
    if (!tci_ucx_posix_look(entry->id, &about))
        return tci_error_set(err, TC_E_PEER_LOST, "peer lost: its ring is gone");
    uint64_t size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    if (size < bytes || entry->length < bytes || !is_filled(entry->length, size))
        return tci_error_set(err, TC_E_CORRUPT,
                             "key: names %" PRIu64 " bytes of a file of %" PRIu64
                             ", expected %zu or more of both",
                             entry->length, size, bytes);
    return TC_OK;
}

tc_status tci_ucx_rkey_check(const tci_ucx_rkey *key, size_t bytes, const tci_ucx_rkey *own,
                             tc_error *err)
{
    key_view theirs, ours;
    if (!read_key(own, &ours) || ours.entry_count != 1 || !is_posix_of(&ours.entry, own))
        return TC_OK;
    if (!read_key(key, &theirs) || theirs.memory_kind != ours.memory_kind)
        return tci_error_set(err, TC_E_CORRUPT, "key: %zu bytes are not what UCX writes",
                             key->size);
    if (theirs.entry_count == 0)
        return TC_OK; /* UCX asks the peer to write */
    if (theirs.entry_count != 1 || !is_posix_of(&theirs.entry, key) ||
        ((theirs.entry.id ^ ours.entry.id) & TCI_UCX_POSIX_FLAGS) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "key: its shared memory is not the peer's at 0x%" PRIx64,
                             key->address);
    return check_file(&theirs.entry, bytes, err);
}
