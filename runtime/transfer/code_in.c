/* Assembles the code of one request at a time. Fragments have to arrive in order: one with
 * another id or at another offset is dropped. */
#include "transfer/code_in.h"

#include "base/assertion.h"
#include "base/cursor.h"
#include "base/logger.h"
#include "transfer/frame_out.h"

#include <stdlib.h>

static size_t wanted_bytes(const tci_incoming_code *incoming)
{
    return tci_code_section_attached(&incoming->section);
}

bool tci_code_in_complete(const tc_ep *ep)
{
    TCI_INVARIANT(code_received, !ep->rx.incoming.wanted || ep->rx.incoming.received <=
                                                                wanted_bytes(&ep->rx.incoming));
    return ep->rx.incoming.wanted && ep->rx.incoming.received == wanted_bytes(&ep->rx.incoming);
}

static tc_status ask(tc_ep *ep, uint16_t slot, const tci_code_section *section, tc_error *err)
{
    uint64_t max = ep->core->options.code_bytes_max;
    uint64_t size = (uint64_t)section->archive_size + section->deps_size;
    uint8_t need[sizeof section->id.bytes + 1] = {0};
    if (size == 0 || size > max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code of %llu bytes, option code_bytes_max is %llu",
                             (unsigned long long)size, (unsigned long long)max);
    uint8_t *bytes = malloc(tci_code_section_attached(section));
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "code of %llu bytes: out of memory",
                             (unsigned long long)size);
    TCI_INVARIANT(code_wanted, ep->rx.incoming.bytes == NULL);
    ep->rx.incoming = (tci_incoming_code){.wanted = true, .section = *section, .bytes = bytes};
    memcpy(need, section->id.bytes, sizeof section->id.bytes);
    tci_frame_out_control(ep, TCI_CONTROL_NEED, slot, need,
                          sizeof section->id.bytes + (section->signature_size > 0));
    return TC_E_AGAIN;
}

bool tci_code_in_is_awaited(const tc_ep *ep, const tci_code_section *section)
{
    const tci_code_section *asked = &ep->rx.incoming.section;
    return !ep->rx.incoming.wanted || (tci_content_id_equal(&asked->id, &section->id) &&
                                       asked->archive_size == section->archive_size &&
                                       asked->deps_size == section->deps_size &&
                                       asked->signature_size == section->signature_size);
}

tc_status tci_code_in_await(tc_ep *ep, uint16_t slot, const tci_code_section *section,
                            const uint8_t **bytes_out, tc_error *err)
{
    if (!ep->rx.incoming.wanted)
        return ask(ep, slot, section, err);
    if (!tci_code_in_complete(ep))
        return TC_E_AGAIN;
    *bytes_out = ep->rx.incoming.bytes;
    return TC_OK;
}

void tci_code_in_forget(tc_ep *ep)
{
    TCI_INVARIANT(code_wanted, ep->rx.incoming.wanted == (ep->rx.incoming.bytes != NULL));
    free(ep->rx.incoming.bytes);
    ep->rx.incoming = (tci_incoming_code){0};
}

void tci_code_in_fragment(tc_ep *ep, const uint8_t *bytes, size_t size)
{
    tci_incoming_code *incoming = &ep->rx.incoming;
    tci_code_section section;
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    const uint8_t *section_bytes = tci_read_bytes(&r, TCI_CODE_SECTION_BYTES);
    uint32_t offset = tci_read_u32(&r);
    if (r.failed || !incoming->wanted)
        return;
    tci_code_section_decode(section_bytes, &section);
    size_t n = tci_reader_left(&r);
    if (!tci_content_id_equal(&section.id, &incoming->section.id) ||
        offset != incoming->received || n > wanted_bytes(incoming) - offset) {
        TC_LOG(TC_LOG_DEBUG, "endpoint %u: a fragment of code that was not requested",
               ep->connection);
        return;
    }
    memcpy(incoming->bytes + offset, tci_read_bytes(&r, n), n);
    incoming->received += n;
    TCI_INVARIANT_IS(code_received, incoming->received, <=, wanted_bytes(incoming));
}
