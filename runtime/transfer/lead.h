/* Leads: padding in a frame in front of a payload, for a function that asks for more alignment
 * than frames have by themselves (TC_PAYLOAD_ALIGN). Both sides' rings begin on pages, so a
 * frame's position in the ring determines the length of its lead.
 *
 * A payload that begins a cache line has its header in the line before. Two kinds of payloads
 * arrive sooner without a lead: those that would share the header's line, and those much
 * shorter than their lead. The receiver copies a payload that does not lie as its function
 * wants it. Functions with read-only payloads get no leads, because the receiver copies all
 * their payloads. */
#ifndef TCI_LEAD_H
#define TCI_LEAD_H

#include "core/ep.h"

/* Shorter payloads may share a line with their header. */
#define TCI_LEAD_PAYLOAD_MIN 49u
/* Length of a lead that pays off beside any longer payload. */
#define TCI_LEAD_ALWAYS 64u
/* A lead in a carried frame may take this share (a shift) of the payload's own time. */
#define TCI_LEAD_CARRIED_SHIFT 3

/* Returns the longest lead that a message with such a payload may get, which is the additional
 * space that the message needs; 0: it gets no lead. */
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

/* Writes the lead of a frame that was reserved with lead_max additional bytes, and returns its
 * length; 0 if no lead is needed or it would be longer. */
static inline uint32_t tci_lead_write(const tc_ep *ep, const tc_ifunc *fn, uint8_t *frame,
                                      size_t lead_max)
{
    if (lead_max == 0)
        return 0;
    const uint64_t offset = TCI_RING_DATA_OFFSET + (uint64_t)(frame - ep->tx.ring.ring);
    const uint32_t lead =
        (uint32_t)(0 - (offset + TCI_FRAME_HEADER_BYTES)) & (fn->alignment - 1);
    if (lead == 0 || lead > lead_max)
        return 0;
    tci_frame_lead_encode(lead, frame + TCI_FRAME_HEADER_BYTES);
    return lead;
}

#endif
