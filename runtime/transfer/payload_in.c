/* Receives large payloads by number, each into a staging buffer of its own, and keeps some used
 * buffers for later payloads. */
#include "transfer/payload_in.h"

#include "base/assertion.h"
#include "base/landing.h"
#include "core/ep_state.h"

#include <stdlib.h>

#define ALIGNMENT_MIN 64u

/* A payload that arrives. The link may still be writing into it when it is no longer wanted;
 * the last operation then frees it. */
typedef struct inbound_payload {
    tc_ep *ep; /* NULL: it is no longer wanted */
    uint64_t total;
    uint64_t claimed;  /* bytes of messages that have begun to arrive, never above total */
    uint64_t received; /* of those, already here; if equal to total, nothing is under way */
    unsigned under_way;
    tci_landing landing; /* without bytes: out of memory, or too large */
} inbound_payload;

/* Payloads by number; the index is number % TCI_OUT_OF_LINE_COUNT_MAX. */
typedef struct tci_inbound {
    uint16_t next;    /* number of the next payload that is run */
    uint64_t awaited; /* bytes of the payload that the ring's head waits for; 0: no wait */
    uint64_t bytes;   /* of the payloads that are here or under way */
    inbound_payload *payloads[TCI_OUT_OF_LINE_COUNT_MAX];
    /* Used payloads, kept for their memory: fresh memory costs a fault per page. */
    inbound_payload *spares[TCI_OUT_OF_LINE_COUNT_MAX];
    unsigned spare_count;
    uint64_t spare_bytes;
} tci_inbound;

static tci_inbound *inbound_of(tc_ep *ep)
{
    if (ep->rx.inbound == NULL)
        ep->rx.inbound = calloc(1, sizeof *ep->rx.inbound);
    if (ep->rx.inbound == NULL)
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "payload: out of memory");
    return ep->rx.inbound;
}

/* --- memory ------------------------------------------------------------------------------ */

static void destroy(inbound_payload *payload)
{
    tci_landing_free(&payload->landing);
    free(payload);
}

/* Parts may arrive before the frame that names the function. */
static size_t alignment_of(const tc_ep *ep)
{
    return ep->rx.payload_alignment > ALIGNMENT_MIN ? ep->rx.payload_alignment : ALIGNMENT_MIN;
}

static inbound_payload *take_spare(tci_inbound *in, uint64_t total, size_t alignment)
{
    for (unsigned i = in->spare_count; i-- > 0;) {
        inbound_payload *spare = in->spares[i];
        if (spare->landing.capacity < total || (uintptr_t)spare->landing.view % alignment != 0)
            continue;
        in->spares[i] = in->spares[--in->spare_count];
        TCI_INVARIANT_IS(inbound_spares, in->spare_bytes, >=, spare->landing.capacity);
        in->spare_bytes -= spare->landing.capacity;
        return spare;
    }
    return NULL;
}

static void drop_spares(tci_inbound *in)
{
    while (in->spare_count > 0)
        destroy(in->spares[--in->spare_count]);
    in->spare_bytes = 0;
}

/* Memory is claimed at once and touched only as bytes arrive, so a peer that claims much and
 * sends little costs little. */
static inbound_payload *create(const tc_ep *ep, uint64_t total)
{
    tci_inbound *in = ep->rx.inbound;
    const struct tc_options *options = &ep->core->options;
    const uint64_t max = options->payload_bytes_max;
    const size_t alignment = alignment_of(ep);
    inbound_payload *payload = total <= max ? take_spare(in, total, alignment) : NULL;
    if (payload != NULL)
        return payload;
    drop_spares(in); /* unsuitable; their memory is freed for the new payload */
    payload = calloc(1, sizeof *payload);
    if (payload != NULL && total <= max)
        (void)tci_landing_make((size_t)total, alignment,
                               options->payload == TCI_PAYLOAD_READONLY, &payload->landing);
    return payload;
}

static void give_back(tci_inbound *in, inbound_payload *payload)
{
    TCI_INVARIANT(inbound_bytes, payload->landing.bytes == NULL || in->bytes >= payload->total);
    if (payload->landing.bytes != NULL)
        in->bytes -= payload->total;
    payload->ep = NULL;
    if (payload->under_way > 0)
        return;
    if (payload->landing.bytes != NULL && in->spare_count < TCI_OUT_OF_LINE_COUNT_MAX &&
        in->spare_bytes + payload->landing.capacity <= TCI_OUT_OF_LINE_BYTES_MAX) {
        in->spare_bytes += payload->landing.capacity;
        in->spares[in->spare_count++] = payload;
        TCI_INVARIANT_IS(inbound_spares, in->spare_bytes, <=, TCI_OUT_OF_LINE_BYTES_MAX);
    } else {
        destroy(payload);
    }
}

/* --- arriving payloads ------------------------------------------------------------------- */

static void has_arrived(void *user, size_t size, bool ok)
{
    inbound_payload *payload = user;
    TCI_INVARIANT_IS(inbound_under_way, payload->under_way, >, 0);
    payload->under_way--;
    payload->received += size;
    TCI_INVARIANT_IS(inbound_received, payload->received, <=, payload->claimed);
    if (payload->ep == NULL && payload->under_way == 0)
        destroy(payload);
    else if (payload->ep != NULL && !ok)
        (void)tci_ep_fail_with(payload->ep, TC_E_PEER_LOST, "peer lost: a payload broke off");
}

static tc_status begin(tc_ep *ep, uint64_t total, inbound_payload **payload_out, tc_error *err)
{
    tci_inbound *in = ep->rx.inbound;
    uint64_t max = ep->core->options.payload_bytes_max;
    if (total == 0)
        return tci_error_set(err, TC_E_CORRUPT, "payload outside the ring: empty");
    if (total <= max && in->bytes > 0 && in->bytes + total > TCI_OUT_OF_LINE_BYTES_MAX)
        return tci_error_set(
            err, TC_E_CORRUPT,
            "payload outside the ring: %llu bytes beside %llu, expected at most %u together",
            (unsigned long long)total, (unsigned long long)in->bytes,
            TCI_OUT_OF_LINE_BYTES_MAX);
    inbound_payload *payload = create(ep, total);
    if (payload == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "payload outside the ring: out of memory");
    if (payload->landing.bytes != NULL)
        in->bytes += total;
    TCI_INVARIANT(inbound_bytes, in->bytes <= TCI_OUT_OF_LINE_BYTES_MAX || in->bytes == total);
    TCI_INVARIANT_IS(inbound_under_way, payload->under_way, ==, 0);
    TCI_INVARIANT(inbound_fits,
                  payload->landing.bytes == NULL || total <= payload->landing.capacity);
    payload->ep = ep;
    payload->total = total;
    payload->claimed = payload->received = 0;
    *payload_out = payload;
    return TC_OK;
}

static tc_status claim(tc_ep *ep, inbound_payload **slot, const tci_fragment *fragment,
                       size_t size, tc_error *err)
{
    if (*slot == NULL)
        TC_TRY(begin(ep, fragment->total, slot, err));
    inbound_payload *payload = *slot;
    if (fragment->total == payload->total && size > 0 && fragment->offset <= fragment->total &&
        size <= fragment->total - fragment->offset &&
        size <= payload->total - payload->claimed) {
        payload->claimed += size;
        TCI_INVARIANT_IS(inbound_received, payload->claimed, <=, payload->total);
        return TC_OK;
    }
    return tci_error_set(
        err, TC_E_CORRUPT,
        "payload outside the ring: %zu bytes at %llu of %llu, beside %llu of %llu", size,
        (unsigned long long)fragment->offset, (unsigned long long)fragment->total,
        (unsigned long long)payload->claimed, (unsigned long long)payload->total);
}

bool tci_payload_in_take(tc_ep *ep, const tci_payload_header *header, size_t size,
                         tci_sink *sink_out)
{
    tc_error error;
    tci_fragment fragment;
    tci_inbound *in = ep->state < TCI_EP_CLOSED ? inbound_of(ep) : NULL;
    if (in == NULL)
        return false;
    uint16_t ahead = (uint16_t)(header->to.position - in->next);
    if (ahead > UINT16_MAX / 2)
        return false; /* already refused; its sender did not know that yet */
    inbound_payload **slot = &in->payloads[header->to.position % TCI_OUT_OF_LINE_COUNT_MAX];
    tc_status status = TC_E_CORRUPT;
    tci_fragment_decode(header->fragment, &fragment);
    if (ahead >= TCI_OUT_OF_LINE_COUNT_MAX)
        tci_error_set(&error, status, "payload outside the ring: number %u, expected %u to %u",
                      header->to.position, in->next, in->next + TCI_OUT_OF_LINE_COUNT_MAX - 1);
    else
        status = claim(ep, slot, &fragment, size, &error);
    if (status != TC_OK) {
        tci_ep_fail(ep, &error);
        return false;
    }
    if ((*slot)->landing.bytes == NULL)
        return false;
    TCI_INVARIANT_IS(inbound_fits, fragment.offset + size, <=, (*slot)->landing.capacity);
    (*slot)->under_way++;
    *sink_out = (tci_sink){
        .to = (*slot)->landing.bytes + fragment.offset, .done = has_arrived, .user = *slot};
    return true;
}

/* --- running a payload ------------------------------------------------------------------- */

static inbound_payload **next_slot(tci_inbound *in)
{
    return &in->payloads[in->next % TCI_OUT_OF_LINE_COUNT_MAX];
}

static tc_status judge(const tc_ep *ep, const inbound_payload *payload,
                       const tci_fragment *named, tc_error *err)
{
    uint64_t max = ep->core->options.payload_bytes_max;
    if (named->offset != ep->rx.inbound->next || named->total == 0 ||
        (payload != NULL && payload->total != named->total))
        return tci_error_set(err, TC_E_CORRUPT,
                             "payload %llu of %llu bytes outside the ring, expected number %u",
                             (unsigned long long)named->offset,
                             (unsigned long long)named->total, ep->rx.inbound->next);
    if (named->total > max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "payload of %llu bytes, option payload_bytes_max is %llu",
                             (unsigned long long)named->total, (unsigned long long)max);
    if (payload != NULL && payload->landing.bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "payload of %llu bytes: out of memory",
                             (unsigned long long)named->total);
    return payload == NULL || payload->received < named->total ? TC_E_AGAIN : TC_OK;
}

tc_status tci_payload_in_find(tc_ep *ep, const tci_fragment *named, uint8_t **bytes_out,
                              tc_error *err)
{
    tci_inbound *in = inbound_of(ep);
    if (in == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "payload: out of memory");
    const inbound_payload *payload = *next_slot(in);
    tc_status status = judge(ep, payload, named, err);
    in->awaited = status == TC_E_AGAIN ? named->total : 0;
    if (status == TC_OK)
        *bytes_out = payload->landing.view;
    return status;
}

void tci_payload_in_done(tc_ep *ep)
{
    tci_inbound *in = ep->rx.inbound;
    inbound_payload **slot = next_slot(in);
    if (*slot != NULL)
        give_back(in, *slot);
    *slot = NULL;
    in->awaited = 0;
    in->next++;
}

bool tci_payload_in_stands(const tc_ep *ep)
{
    tci_inbound *in = ep->rx.inbound;
    if (in == NULL || in->awaited == 0)
        return false;
    const inbound_payload *payload = *next_slot(in);
    return payload == NULL || payload->received < in->awaited;
}

bool tci_payload_in_holds(const tc_ep *ep, uintptr_t address)
{
    tci_inbound *in = ep->rx.inbound;
    const inbound_payload *payload = in != NULL ? *next_slot(in) : NULL;
    return payload != NULL && tci_landing_holds(&payload->landing, address);
}

void tci_payload_in_fini(tc_ep *ep)
{
    tci_inbound *in = ep->rx.inbound;
    if (in == NULL)
        return;
    for (unsigned i = 0; i < TCI_OUT_OF_LINE_COUNT_MAX; i++) {
        if (in->payloads[i] != NULL)
            give_back(in, in->payloads[i]);
    }
    drop_spares(in);
    free(in);
}
