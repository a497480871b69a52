/* Leads: what stands in a frame in front of a payload whose function asks for more alignment than
 * frames have by themselves (TC_PAYLOAD_ALIGN). Both sides' rings begin on pages, so where a frame
 * lies in the ring says how long the lead has to be.
 *
 * A payload that begins a cache line has its header in the line before. One that would share the
 * header's line comes sooner without a lead, and one that is much shorter than its lead, too: the
 * receiver copies whatever does not lie as its function wants it. Where it copies all, because the
 * function's payloads are read-only, there are none. */
#ifndef TCI_LEAD_H
#define TCI_LEAD_H

#include "core/ep.h"

/* Up to so many bytes share a line with their header. */
#define TCI_LEAD_PAYLOAD_MIN 49u
/* A lead that is worth it beside any longer payload. */
#define TCI_LEAD_ALWAYS 64u
/* Where frames are carried, a lead may take this part of the payload's own time. */
#define TCI_LEAD_CARRIED_SHIFT 3

/* The longest lead that a message with such a payload may get: so much more room it needs. 0: it
 * gets none. */
static inline size_t tci_lead_max(const tc_ep *ep, const tc_ifunc *fn, size_t payload_size)
{
    if (fn->alignment <= TCI_PAYLOAD_ALIGNMENT_MIN || payload_size < TCI_LEAD_PAYLOAD_MIN ||
        fn->payload_readonly)
        return 0;
    const size_t most = fn->alignment - TCI_LEAD_UNIT;
    const size_t worth =
        ep->tx.push != NULL ? payload_size >> TCI_LEAD_CARRIED_SHIFT : payload_size;
    const size_t limit = worth > TCI_LEAD_ALWAYS ? worth : TCI_LEAD_ALWAYS;
    const size_t lead = most < limit ? most : limit;
    return payload_size + lead <= ep->tx.payload_max ? lead : 0;
}

/* Of a frame that is reserved with room for lead_max: writes its lead and gives its length, or 0
 * where it would be longer. */
static inline uint32_t tci_lead_write(const tc_ep *ep, const tc_ifunc *fn, uint8_t *frame,
                                      size_t lead_max)
{
    if (lead_max == 0)
        return 0;
    const uint64_t place = TCI_RING_DATA_OFFSET + (uint64_t)(frame - ep->tx.ring.ring);
    const uint32_t lead =
        (uint32_t)(0 - (place + TCI_FRAME_HEADER_BYTES)) & (fn->alignment - 1);
    if (lead == 0 || lead > lead_max)
        return 0;
    tci_frame_lead_encode(lead, frame + TCI_FRAME_HEADER_BYTES);
    return lead;
}

#endif
