/* A ring with untrusted bytes: for all bytes, frames are found, checked and skipped inside
 * it. */
#include "fuzzer.h"
#include "ring/consumer.h"
#include "wire/frame.h"

#define RING_BYTES 4096u
#define STEPS 256
#define NONCE 0x0101000101010101ull /* frames begin where the ring does */

/* Accepted parts lie inside the frame as a whole. */
static void decode_piece(const tci_frame *header, const uint8_t *payload)
{
    tci_fragment fragment;
    tci_staged staged;
    size_t lead;
    if ((header->kind == TCI_FRAME_CALL || header->kind == TCI_FRAME_CODE) &&
        (header->flags & TCI_ALIGNED) &&
        tci_frame_lead(payload, header->payload_size, &lead, NULL) == TC_OK &&
        (lead == 0 || lead > header->payload_size || lead % TCI_LEAD_UNIT != 0))
        abort();
    if (header->kind != TCI_FRAME_FRAGMENT)
        return;
    if (header->flags == TCI_FRAGMENT_STAGED)
        tci_staged_decode(payload, &staged);
    else
        tci_fragment_decode(payload, &fragment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *region = aligned_alloc(4096, 8192);
    tci_consumer rx;
    uint64_t word;
    if (region == NULL)
        abort();
    memset(region, 0, 8192);
    tci_consumer_init(&rx, region, RING_BYTES, NONCE);
    (void)tci_consumer_place(&rx, 0, data, size < RING_BYTES ? size : RING_BYTES);
    /* Behind the input there are zeros alone, of which two are as good as all. */
    size_t steps = size / TCI_FRAME_GRANULE + 3 < STEPS ? size / TCI_FRAME_GRANULE + 3 : STEPS;
    for (size_t i = 0; i < steps; i++) {
        /* Every granule is offered as a frame: the signal is the input's own. */
        rx.signal = tci_ring_load_signal(rx.ring + (rx.head & rx.mask));
        uint8_t *frame = tci_consumer_peek(&rx, &word);
        if (frame == NULL)
            break;
        const tci_frame header = tci_frame_of_word(word);
        tci_code_section section;
        size_t bytes, room = tci_consumer_room(&rx);
        if (tci_frame_check(&header, frame, room, &bytes, &section, NULL) == TC_OK) {
            if (bytes > room || bytes < TCI_FRAME_HEADER_BYTES)
                abort();
            decode_piece(&header, frame + TCI_FRAME_HEADER_BYTES);
            tci_consumer_advance(&rx, bytes);
        } else {
            tci_consumer_advance(&rx, TCI_FRAME_GRANULE);
        }
        if (tci_consumer_room(&rx) > RING_BYTES)
            abort();
    }
    free(region);
    return 0;
}
