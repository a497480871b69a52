#include "dispatch/large_receive.h"

#include "base/assertion.h"
#include "transfer/payload_in.h"
#include "transfer/staging.h"

/* Memory kept for the next payload. More is freed, so that one large message does not keep its
 * memory for ever. */
#define KEEP_BYTES (4u << 20)
#define ALIGNMENT_MIN 64u

static tc_status too_large(uint64_t total, uint64_t max, tc_error *err)
{
    return tci_error_set(err, TC_E_TOO_LARGE,
                         "payload of %llu bytes, option payload_bytes_max is %llu",
                         (unsigned long long)total, (unsigned long long)max);
}

/* Memory is reserved at once and touched only as fragments arrive, so a peer that announces
 * much and sends little costs little. */
static tc_status make_room(tc_ep *ep, uint64_t total, tc_error *err)
{
    const uint64_t max = ep->core->options.payload_bytes_max;
    const size_t asked = ep->rx.payload_alignment;
    const size_t alignment = asked > ALIGNMENT_MIN ? asked : ALIGNMENT_MIN;
    tci_assembly *assembly = &ep->rx.assembly;
    if (total > max)
        return too_large(total, max, err);
    tci_landing landing;
    if (total <= assembly->landing.capacity &&
        (uintptr_t)assembly->landing.view % alignment == 0)
        return TC_OK;
    if (!tci_landing_make((size_t)total, alignment,
                          ep->core->options.payload == TCI_PAYLOAD_READONLY, &landing))
        return tci_error_set(err, TC_E_NO_MEMORY, "payload of %llu bytes: out of memory",
                             (unsigned long long)total);
    tci_landing_free(&assembly->landing);
    assembly->landing = landing;
    TCI_INVARIANT_IS(assembly_fits, total, <=, landing.capacity);
    return TC_OK;
}

static tc_status begin(tc_ep *ep, const tci_fragment *fragment, tc_error *err)
{
    tci_assembly *assembly = &ep->rx.assembly;
    if (fragment->total == 0 || fragment->offset != 0)
        return tci_error_set(
            err, TC_E_CORRUPT, "fragment at %llu of %llu bytes, expected the first",
            (unsigned long long)fragment->offset, (unsigned long long)fragment->total);
    tc_status status = make_room(ep, fragment->total, err);
    assembly->total = fragment->total;
    assembly->received = 0;
    assembly->dropped = status != TC_OK;
    return status;
}

/* Returns whether the sender has abandoned the payload: another payload's first fragment has
 * come. */
static bool is_given_up(const tci_assembly *assembly, const tci_fragment *fragment)
{
    return assembly->dropped && fragment->offset == 0;
}

static tc_status assemble(tc_ep *ep, const tci_fragment *fragment, const uint8_t *bytes,
                          uint64_t n, tci_payload *whole_out, tc_error *err)
{
    tci_assembly *assembly = &ep->rx.assembly;
    tc_status status = TC_OK;
    if (assembly->total == 0 || is_given_up(assembly, fragment))
        status = begin(ep, fragment, err);
    if (status == TC_E_CORRUPT)
        return status;
    if (fragment->total != assembly->total || fragment->offset != assembly->received ||
        n == 0 || n > assembly->total - assembly->received)
        return tci_error_set(err, TC_E_CORRUPT,
                             "fragment of %llu bytes at %llu of %llu, expected at %llu of %llu",
                             (unsigned long long)n, (unsigned long long)fragment->offset,
                             (unsigned long long)fragment->total,
                             (unsigned long long)assembly->received,
                             (unsigned long long)assembly->total);
    TCI_INVARIANT(assembly_fits,
                  assembly->dropped || assembly->total <= assembly->landing.capacity);
    if (!assembly->dropped)
        memcpy(assembly->landing.bytes + assembly->received, bytes, (size_t)n);
    assembly->received += n;
    TCI_INVARIANT_IS(assembly_received, assembly->received, <=, assembly->total);
    if (assembly->received < assembly->total)
        return status;
    whole_out->assembled = true;
    if (!assembly->dropped) {
        whole_out->bytes = assembly->landing.view;
        whole_out->size = assembly->total;
    }
    return status;
}

/* Takes a staged payload. If it was staged as a whole, it is run on where it lies. The sender
 * could still change its bytes, but its offset and size are this side's own copies. */
static tc_status take_staged(tc_ep *ep, const uint8_t *payload, tci_payload *whole_out,
                             tc_error *err)
{
    tci_staged staged;
    uint64_t max = ep->core->options.payload_bytes_max;
    tci_staged_decode(payload, &staged);
    uint8_t *bytes = tci_staging_at(ep, staged.offset, staged.size);
    if (bytes == NULL || staged.size == 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "fragment of %llu bytes at %llu, where no payload can lie in a "
                             "segment of %zu",
                             (unsigned long long)staged.size, (unsigned long long)staged.offset,
                             ep->rx.staged.bytes);
    bool under_way =
        ep->rx.assembly.total != 0 && !is_given_up(&ep->rx.assembly, &staged.fragment);
    if (staged.size != staged.fragment.total || staged.fragment.offset != 0 || under_way)
        return assemble(ep, &staged.fragment, bytes, staged.size, whole_out, err);
    ep->rx.assembly.total = 0;
    if (staged.size > max)
        return too_large(staged.size, max, err);
    whole_out->bytes = bytes;
    whole_out->size = staged.size;
    return TC_OK;
}

/* The sender sends no more to a function that was refused. */
static bool is_callable(const tc_ep *ep, uint16_t slot)
{
    return slot < ep->rx.slot_count && ep->rx.slots[slot].callable;
}

static tc_status take_out_of_line(tc_ep *ep, uint16_t slot, const uint8_t *payload,
                                  tci_payload *whole_out, tc_error *err)
{
    tci_fragment named;
    tci_fragment_decode(payload, &named);
    tc_status status = tci_payload_in_find(ep, &named, &whole_out->bytes, err);
    if (status == TC_E_AGAIN && !is_callable(ep, slot)) {
        whole_out->out_of_line = true;
        return TC_OK;
    }
    whole_out->out_of_line = status != TC_E_AGAIN && status != TC_E_CORRUPT;
    whole_out->size = named.total;
    return status;
}

tc_status tci_large_receive(tc_ep *ep, const tci_frame *frame, const uint8_t *payload,
                            tci_payload *whole_out, tc_error *err)
{
    tci_fragment fragment;
    tc_status status;
    *whole_out = (tci_payload){0};
    const unsigned where = frame->flags & ~TCI_ROUTED;
    if (where == TCI_FRAGMENT_OUT_OF_LINE)
        return take_out_of_line(ep, frame->slot, payload, whole_out, err);
    if (where == TCI_FRAGMENT_STAGED) {
        status = take_staged(ep, payload, whole_out, err);
    } else {
        tci_fragment_decode(payload, &fragment);
        status = assemble(ep, &fragment, payload + TCI_FRAGMENT_HEADER_BYTES,
                          frame->payload_size - TCI_FRAGMENT_HEADER_BYTES, whole_out, err);
    }
    /* No function will use it, and its sender may not finish it. */
    if (!is_callable(ep, frame->slot))
        ep->rx.assembly.dropped = true;
    return status;
}

void tci_large_done(tc_ep *ep, const tci_payload *whole)
{
    tci_assembly *assembly = &ep->rx.assembly;
    if (whole->out_of_line)
        tci_payload_in_done(ep);
    if (!whole->assembled)
        return;
    TCI_INVARIANT_IS(assembly_received, assembly->received, ==, assembly->total);
    assembly->total = 0;
    if (assembly->landing.capacity > KEEP_BYTES) {
        tci_landing_free(&assembly->landing);
        *assembly = (tci_assembly){0};
    }
}

void tci_large_receive_free(tc_ep *ep)
{
    tci_landing_free(&ep->rx.assembly.landing);
}
