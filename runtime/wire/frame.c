/* Encodes and decodes the parts of frames, and checks a frame of each kind against its bounds.
 */
#include "frame.h"

#include "base/cursor.h"
#include "base/error_text.h"

static const char *const kind_names[] = {
    [TCI_FRAME_CALL] = "call",       [TCI_FRAME_CODE] = "code",
    [TCI_FRAME_WRAP] = "wrap",       [TCI_FRAME_FRAGMENT] = "fragment",
    [TCI_FRAME_CONTROL] = "control", [TCI_FRAME_INJECT] = "inject",
    [TCI_FRAME_REPLY] = "reply",
};
_Static_assert(sizeof kind_names / sizeof kind_names[0] == TCI_FRAME_KIND_LAST + 1,
               "each kind of frame has a row");

void tci_code_section_encode(const tci_code_section *section,
                             uint8_t out[TCI_CODE_SECTION_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_CODE_SECTION_BYTES);
    tci_write_bytes(&w, section->id.bytes, sizeof section->id.bytes);
    tci_write_u32(&w, section->archive_size);
    tci_write_u32(&w, section->deps_size);
}

void tci_code_section_decode(const uint8_t bytes[TCI_CODE_SECTION_BYTES], tci_code_section *out)
{
    tci_reader r;
    tci_reader_init(&r, bytes, TCI_CODE_SECTION_BYTES);
    memcpy(out->id.bytes, tci_read_bytes(&r, sizeof out->id.bytes), sizeof out->id.bytes);
    out->archive_size = tci_read_u32(&r);
    out->deps_size = tci_read_u32(&r);
    out->signature_size = 0;
}

void tci_fragment_encode(const tci_fragment *fragment, uint8_t out[TCI_FRAGMENT_HEADER_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_FRAGMENT_HEADER_BYTES);
    tci_write_u64(&w, fragment->total);
    tci_write_u64(&w, fragment->offset);
}

void tci_fragment_decode(const uint8_t bytes[TCI_FRAGMENT_HEADER_BYTES], tci_fragment *out)
{
    tci_reader r;
    tci_reader_init(&r, bytes, TCI_FRAGMENT_HEADER_BYTES);
    out->total = tci_read_u64(&r);
    out->offset = tci_read_u64(&r);
}

void tci_staged_encode(const tci_staged *staged, uint8_t out[TCI_STAGED_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_STAGED_BYTES);
    tci_write_u64(&w, staged->fragment.total);
    tci_write_u64(&w, staged->fragment.offset);
    tci_write_u64(&w, staged->offset);
    tci_write_u64(&w, staged->size);
}

void tci_staged_decode(const uint8_t bytes[TCI_STAGED_BYTES], tci_staged *out)
{
    tci_reader r;
    tci_reader_init(&r, bytes, TCI_STAGED_BYTES);
    out->fragment.total = tci_read_u64(&r);
    out->fragment.offset = tci_read_u64(&r);
    out->offset = tci_read_u64(&r);
    out->size = tci_read_u64(&r);
}

void tci_segment_offer_encode(const tci_segment_offer *offer,
                              uint8_t out[TCI_SEGMENT_OFFER_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_SEGMENT_OFFER_BYTES);
    tci_write_u32(&w, offer->id);
    tci_write_u64(&w, offer->bytes);
    tci_write_u64(&w, offer->nonce);
}

void tci_segment_offer_decode(const uint8_t bytes[TCI_SEGMENT_OFFER_BYTES],
                              tci_segment_offer *out)
{
    tci_reader r;
    tci_reader_init(&r, bytes, TCI_SEGMENT_OFFER_BYTES);
    out->id = tci_read_u32(&r);
    out->bytes = tci_read_u64(&r);
    out->nonce = tci_read_u64(&r);
}

void tci_frame_lead_encode(uint32_t lead, uint8_t *payload)
{
    tci_writer w;
    tci_writer_init(&w, payload, sizeof lead);
    tci_write_u32(&w, lead);
}

tc_status tci_frame_lead(const uint8_t *payload, size_t payload_size, size_t *lead_out,
                         tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, payload, payload_size);
    const uint32_t lead = tci_read_u32(&r);
    if (r.failed || lead == 0 || lead % TCI_LEAD_UNIT != 0 || lead > TCI_LEAD_MAX ||
        lead > payload_size)
        return tci_error_set(
            err, TC_E_CORRUPT,
            "aligned frame: a lead of %u bytes in a payload of %zu, expected a "
            "multiple of %u up to %u",
            lead, payload_size, TCI_LEAD_UNIT, TCI_LEAD_MAX);
    *lead_out = lead;
    return TC_OK;
}

static tc_status refuse_flags(const tci_frame *frame, tc_error *err)
{
    return tci_error_set(err, TC_E_CORRUPT, "%s frame: flags 0x%02x with %u bytes",
                         kind_names[frame->kind], frame->flags, frame->payload_size);
}

static tc_status check_piece(const tci_frame *frame, tc_error *err)
{
    uint32_t found = frame->payload_size;
    unsigned where = frame->flags & ~TCI_ROUTED;
    if (where == 0 && found < TCI_FRAGMENT_HEADER_BYTES)
        return tci_error_set(err, TC_E_CORRUPT, "fragment: %u bytes, expected at least %u",
                             found, TCI_FRAGMENT_HEADER_BYTES);
    if (where == 0)
        return TC_OK;
    if (where > TCI_FRAGMENT_OUT_OF_LINE)
        return tci_error_set(err, TC_E_CORRUPT, "fragment: flags %u, expected 0 to 2", where);
    uint32_t size = where == TCI_FRAGMENT_STAGED ? TCI_STAGED_BYTES : TCI_FRAGMENT_HEADER_BYTES;
    if (found != size)
        return tci_error_set(err, TC_E_CORRUPT, "fragment: %u bytes about others, expected %u",
                             found, size);
    return TC_OK;
}

static tc_status check_code(const tci_frame *frame, const uint8_t *header, size_t space,
                            size_t *bytes_out, tci_code_section *section_out, tc_error *err)
{
    size_t bytes = tci_frame_code_bytes(frame->payload_size, 0);
    if (bytes > space)
        return tci_error_set(err, TC_E_CORRUPT,
                             "code frame: %zu bytes before its code, space for %zu", bytes,
                             space);
    tci_code_section section;
    tci_code_section_decode(header + tci_frame_code_offset(frame->payload_size), &section);
    if (frame->flags & TCI_CODE_SIGNED)
        section.signature_size = TCI_CODE_SIGNATURE_BYTES;
    if (frame->flags & TCI_CODE_ATTACHED) {
        size_t attached = tci_code_section_attached(&section);
        if (attached > space - bytes)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "code frame: %zu bytes of code, space for %zu", attached,
                                 space - bytes);
        bytes += attached;
    }
    *section_out = section;
    *bytes_out = bytes;
    return TC_OK;
}

void tci_inject_section_encode(uint32_t image_size, uint32_t rest_size,
                               uint8_t out[TCI_INJECT_SECTION_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_INJECT_SECTION_BYTES);
    tci_write_u32(&w, image_size);
    tci_write_u32(&w, rest_size);
}

static tc_status check_inject(const tci_frame *frame, const uint8_t *header, size_t space,
                              size_t *bytes_out, tci_code_section *section_out, tc_error *err)
{
    size_t offset = tci_frame_code_offset(frame->payload_size);
    const unsigned doubled = frame->flags >> TCI_INJECT_ALIGNMENT_SHIFT;
    const unsigned where = frame->flags & ((1u << TCI_INJECT_ALIGNMENT_SHIFT) - 1);
    bool staged = where == TCI_INJECT_STAGED && frame->payload_size == TCI_STAGED_BYTES;
    if ((where != 0 && !staged) || doubled > TCI_INJECT_ALIGNMENT_MAX)
        return refuse_flags(frame, err);
    if (offset + TCI_INJECT_SECTION_BYTES > space)
        return tci_error_set(err, TC_E_CORRUPT,
                             "inject frame: %zu bytes before its code, space for %zu",
                             offset + TCI_INJECT_SECTION_BYTES, space);
    space -= offset + TCI_INJECT_SECTION_BYTES;
    tci_reader r;
    tci_reader_init(&r, header + offset, TCI_INJECT_SECTION_BYTES);
    const tci_code_section section = {.archive_size = tci_read_u32(&r),
                                      .deps_size = tci_read_u32(&r)};
    size_t attached = (size_t)section.archive_size + section.deps_size;
    if (attached > space)
        return tci_error_set(err, TC_E_CORRUPT,
                             "inject frame: %zu bytes of code, space for %zu", attached, space);
    *section_out = section;
    *bytes_out = offset + TCI_INJECT_SECTION_BYTES + attached;
    return TC_OK;
}

static tc_status check_plain(const tci_frame *frame, size_t space, size_t *bytes_out,
                             tc_error *err)
{
    size_t bytes = TCI_FRAME_HEADER_BYTES + (size_t)frame->payload_size;
    if (bytes > space)
        return tci_error_set(err, TC_E_CORRUPT, "%s frame: %zu bytes, space for %zu",
                             kind_names[frame->kind], bytes, space);
    if ((frame->flags & TCI_BRIEF) != 0 && frame->kind != TCI_FRAME_CONTROL &&
        frame->kind != TCI_FRAME_FRAGMENT &&
        (frame->flags != TCI_BRIEF || frame->payload_size < TCI_BRIEF_BYTES))
        return refuse_flags(frame, err);
    *bytes_out = bytes;
    return TC_OK;
}

tc_status tci_frame_check(const tci_frame *frame, const uint8_t *header, size_t space,
                          size_t *bytes_out, tci_code_section *section_out, tc_error *err)
{
    switch ((tci_frame_kind)frame->kind) {
    case TCI_FRAME_CODE:
        return check_code(frame, header, space, bytes_out, section_out, err);
    case TCI_FRAME_INJECT:
        return check_inject(frame, header, space, bytes_out, section_out, err);
    case TCI_FRAME_FRAGMENT:
        TC_TRY(check_piece(frame, err));
        return check_plain(frame, space, bytes_out, err);
    case TCI_FRAME_WRAP:
        return tci_error_set(err, TC_E_CORRUPT, "frame: a lap ends where it begins");
    case TCI_FRAME_CALL:
    case TCI_FRAME_CONTROL:
    case TCI_FRAME_REPLY:
        return check_plain(frame, space, bytes_out, err);
    }
    return tci_error_set(err, TC_E_CORRUPT, "frame: kind %u, expected %u to %u", frame->kind,
                         TCI_FRAME_CALL, TCI_FRAME_KIND_LAST);
}
