#include "modules/windows/window_share.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#define PAGE 4096u /* before the window: the mark */
#define WORD 8u

static const char magic[WORD] = {'t', 'c', 'w', 'i', 'n', 'd', 'o', 'w'};

tc_status tci_window_share_create(uint64_t bytes, tci_segment *segment_out, tc_error *err)
{
    uint8_t mark[TCI_WINDOW_MARK_BYTES];
    if (bytes > SIZE_MAX - PAGE)
        return tci_error_set(err, TC_E_TOO_LARGE, "window: %" PRIu64 " bytes to share", bytes);
    memcpy(mark, magic, sizeof magic);
    if (getrandom(mark + sizeof magic, sizeof mark - sizeof magic, 0) !=
        (ssize_t)(sizeof mark - sizeof magic))
        return tci_error_errno(err, TC_E_NO_MEMORY, errno, "window: random bytes");
    TC_TRY(tci_segment_create(PAGE + (size_t)bytes, segment_out, err));
    memcpy(segment_out->base, mark, sizeof mark);
    return TC_OK;
}

uint8_t *tci_window_share_memory(const tci_segment *segment)
{
    return segment->base + PAGE;
}

void tci_window_share_encode(const tci_segment *segment, uint32_t rights, uint64_t bytes,
                             uint8_t out[TCI_WINDOW_SHARE_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_WINDOW_SHARE_BYTES);
    tci_write_u32(&w, segment->id);
    tci_write_u32(&w, rights);
    tci_write_u64(&w, bytes);
    tci_write_bytes(&w, segment->base, TCI_WINDOW_MARK_BYTES);
}

tc_status tci_window_share_decode(const uint8_t in[TCI_WINDOW_SHARE_BYTES],
                                  tci_window_share *share_out, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, in, TCI_WINDOW_SHARE_BYTES);
    share_out->segment = tci_read_u32(&r);
    share_out->rights = tci_read_u32(&r);
    share_out->bytes = tci_read_u64(&r);
    memcpy(share_out->mark, tci_read_bytes(&r, TCI_WINDOW_MARK_BYTES), TCI_WINDOW_MARK_BYTES);
    if (share_out->bytes == 0 || share_out->bytes > SIZE_MAX - PAGE || share_out->rights == 0 ||
        (share_out->rights & ~TCI_WINDOW_RIGHTS) != 0 ||
        memcmp(share_out->mark, magic, sizeof magic) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "a window to map of %" PRIu64
                             " bytes, rights %#x, expected 1 byte "
                             "at least, some of %#x and a mark",
                             share_out->bytes, share_out->rights, TCI_WINDOW_RIGHTS);
    return TC_OK;
}

tc_status tci_window_share_attach(const tci_window_share *share, tci_segment *segment_out,
                                  tc_error *err)
{
    const bool writes = (share->rights & (TC_WINDOW_WRITE | TC_WINDOW_ATOMIC)) != 0;
    const size_t bytes = PAGE + (size_t)share->bytes;
    tc_status status = writes
                           ? tci_segment_attach(share->segment, bytes, segment_out, err)
                           : tci_segment_attach_view(share->segment, bytes, segment_out, err);
    if (status == TC_E_NOT_FOUND)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "the window's shared memory %" PRIu32 " is not on this host",
                             share->segment);
    if (status != TC_OK)
        return status;
    if (memcmp(segment_out->base, share->mark, TCI_WINDOW_MARK_BYTES) == 0)
        return TC_OK;
    tci_segment_detach(segment_out);
    return tci_error_set(err, TC_E_UNSUPPORTED,
                         "shared memory %" PRIu32 " on this host is another one than the "
                         "window's",
                         share->segment);
}
