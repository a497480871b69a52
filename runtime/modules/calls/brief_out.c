#include "modules/calls/brief_out.h"

#include "base/small_copy.h"
#include "transfer/frame_out.h"
#include "transfer/short_out.h"

/* At most 8 bytes and the number behind them: two words, the payload of a granule. */
static inline tc_status put_words(tc_ep *ep, uint64_t word, uint64_t call, const void *bytes,
                                  size_t size, bool gathers)
{
    const unsigned shift = 8 * (unsigned)size;
    uint64_t first = tci_small_load(bytes, size), second = call;
    if (size < sizeof first) {
        first |= call << shift;
        second = size == 0 ? 0 : call >> (64 - shift);
    }
    return tci_short_out_words(ep, word, first, second, gathers);
}

/* The frame of a longer one, or of one that a delivery carries. */
static bool put(tc_ep *ep, uint64_t word, uint64_t call, const void *bytes, size_t size)
{
    const uint64_t frame_bytes = TCI_FRAME_HEADER_BYTES + size + TCI_BRIEF_BYTES;
    const uint64_t position = ep->tx.ring.tail;
    uint8_t *frame = tci_producer_try_reserve(&ep->tx.ring, frame_bytes);
    if (frame == NULL)
        return false;
    tci_small_copy_any(frame + TCI_FRAME_HEADER_BYTES, bytes, size);
    memcpy(frame + TCI_FRAME_HEADER_BYTES + size, &call, sizeof call);
    tci_producer_commit(&ep->tx.ring, frame, frame_bytes, word);
    if (ep->tx.push != NULL) {
        tci_frame_out_push(ep, position, frame_bytes);
        ep->tx.message_end = ep->tx.ring.tail;
    }
    tci_doorbell_after_frames(ep);
    return true;
}

bool tci_brief_out(tc_ep *ep, uint64_t word, uint64_t call, const void *bytes, size_t size,
                   bool gathers)
{
    if (size + TCI_BRIEF_BYTES >= ep->tx.frame_limit)
        return false;
    word += size + TCI_BRIEF_BYTES;
    if (size <= sizeof(uint64_t) && ep->tx.push == NULL)
        return tci_producer_has_granules(&ep->tx.ring, ep->tx.coalesced_count + 1) &&
               put_words(ep, word, call, bytes, size, gathers) == TC_OK;
    if (tci_sender_gathers(&ep->tx))
        (void)tci_short_out_all(ep);
    return put(ep, word, call, bytes, size);
}

bool tci_brief_out_answer(tc_ep *ep, uint64_t call, const void *bytes, size_t size)
{
    static const tci_frame header = {.kind = TCI_FRAME_REPLY, .flags = TCI_BRIEF};
    if (!ep->tx.takes_brief ||
        !tci_brief_out(ep, tci_frame_word(&header), call, bytes, size, false))
        return false;
    ep->tx.control_frames++;
    return true;
}
