#include "dispatch/needs.h"

#include "dispatch/control.h"
#include "transfer/frame_out.h"

#include <string.h>

static bool is_need(const tci_frame *f)
{
    return f->kind == TCI_FRAME_CONTROL && f->flags == TCI_CONTROL_NEED &&
           f->payload_size <= TCI_CONTROL_PAYLOAD_MAX;
}

static void answer(tc_ep *ep, const tci_frame *f, const uint8_t *frame)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX];
    memcpy(payload, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    tci_control_need(ep, f, payload);
}

/* A frame that breaks the format ends the endpoint when it is at the head. */
void tci_needs_answer(tc_ep *ep)
{
    tci_consumer ahead = ep->rx.ring; /* reads on, and publishes nothing */
    const uint64_t begin = ahead.head, looked_ahead = ep->rx.looked_ahead;
    tci_code_section section;
    uint64_t word;
    size_t bytes;
    uint8_t *frame;
    while ((frame = tci_consumer_peek(&ahead, &word)) != NULL &&
           ahead.head - begin <= ahead.mask) {
        const tci_frame f = tci_frame_of_word(word);
        const bool is_new = ahead.head >= looked_ahead;
        if (tci_frame_check(&f, frame, tci_consumer_room(&ahead), &bytes, &section, NULL) !=
            TC_OK) {
            ep->rx.looked_ahead = TCI_LOOKED_AT_ALL;
            return;
        }
        tci_consumer_advance(&ahead, bytes);
        if (is_new && is_need(&f))
            answer(ep, &f, frame);
    }
    ep->rx.looked_ahead = ahead.head;
    ep->rx.looked_signal = ahead.signal;
}
