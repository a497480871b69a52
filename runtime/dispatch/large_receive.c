#include "large_receive.h"

#include <stdlib.h>

/* Kept for the next payload; more goes back, so that one large message does not cost its memory
 * for ever. */
#define KEEP_BYTES (4u << 20)
#define ALIGNMENT 64u

/* Memory is claimed at once and touched only as pieces arrive, so a peer that claims much and
 * sends little costs little. */
static tc_status make_room(tci_assembly *assembly, uint64_t total, uint64_t max, tc_error *err)
{
    if (total > max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "payload of %llu bytes, option payload_bytes_max is %llu",
                             (unsigned long long)total, (unsigned long long)max);
    if (total <= assembly->room)
        return TC_OK;
    size_t room = ((size_t)total + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *bytes = aligned_alloc(ALIGNMENT, room);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "payload of %llu bytes: out of memory",
                             (unsigned long long)total);
    free(assembly->bytes);
    assembly->bytes = bytes;
    assembly->room = room;
    return TC_OK;
}

static tc_status begin(tc_ep *ep, const tci_piece *piece, tc_error *err)
{
    tci_assembly *assembly = &ep->assembly;
    if (piece->total == 0 || piece->offset != 0)
        return tci_error_set(
            err, TC_E_CORRUPT, "piece at %llu of %llu bytes, expected the first",
            (unsigned long long)piece->offset, (unsigned long long)piece->total);
    tc_status status =
        make_room(assembly, piece->total, ep->hub->options.payload_bytes_max, err);
    assembly->total = piece->total;
    assembly->received = 0;
    assembly->dropped = status != TC_OK;
    return status;
}

tc_status tci_large_receive(tc_ep *ep, const tci_frame *frame, const uint8_t *payload,
                            bool *complete_out, tc_error *err)
{
    tci_assembly *assembly = &ep->assembly;
    const size_t n = frame->payload_size - TCI_PIECE_HEADER_BYTES;
    tc_status status = TC_OK;
    tci_piece piece;
    tci_piece_decode(payload, &piece);
    if (assembly->total == 0)
        status = begin(ep, &piece, err);
    if (status == TC_E_CORRUPT)
        return status;
    if (piece.total != assembly->total || piece.offset != assembly->received || n == 0 ||
        n > assembly->total - assembly->received)
        return tci_error_set(
            err, TC_E_CORRUPT, "piece of %zu bytes at %llu of %llu, expected at %llu of %llu",
            n, (unsigned long long)piece.offset, (unsigned long long)piece.total,
            (unsigned long long)assembly->received, (unsigned long long)assembly->total);
    if (!assembly->dropped)
        memcpy(assembly->bytes + assembly->received, payload + TCI_PIECE_HEADER_BYTES, n);
    assembly->received += n;
    bool whole = assembly->received == assembly->total;
    *complete_out = whole && !assembly->dropped;
    if (whole && assembly->dropped)
        tci_large_done(ep);
    return status;
}

void tci_large_done(tc_ep *ep)
{
    tci_assembly *assembly = &ep->assembly;
    assembly->total = 0;
    if (assembly->room > KEEP_BYTES) {
        free(assembly->bytes);
        *assembly = (tci_assembly){0};
    }
}
