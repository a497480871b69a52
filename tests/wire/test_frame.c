#include "../support/test.h"
#include "wire/frame.h"

#include <tc/version.h>

/* Peers of the former protocol would misread a ring in which one of these differs. */
_Static_assert(TC_PROTOCOL_VERSION == 3 && TCI_FRAME_KIND_LAST == TCI_FRAME_REPLY &&
                   TCI_FRAME_GRANULE == 32 && TCI_FRAME_HEADER_BYTES == 16,
               "a change of frames takes a new TC_PROTOCOL_VERSION: docs/wire-format.md");

TEST(header_word_has_golden_bytes)
{
    const tci_frame frame = {
        .payload_size = 0x04030201, .slot = 0x0605, .kind = TCI_FRAME_CODE, .flags = 0x08};
    const uint64_t word = tci_frame_word(&frame);
    const uint8_t golden[8] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x02, 0x08};
    assert_memory_equal(&word, golden, sizeof golden);
    tci_frame back = tci_frame_of_word(word);
    assert_memory_equal(&back, &frame, sizeof frame);
}

TEST(code_section_has_golden_bytes)
{
    uint8_t bytes[TCI_CODE_SECTION_BYTES];
    tci_code_section section = {.archive_size = 0x11223344, .deps_size = 5}, back;
    for (unsigned i = 0; i < sizeof section.id.bytes; i++)
        section.id.bytes[i] = (uint8_t)(0xa0 + i);
    tci_code_section_encode(&section, bytes);
    const uint8_t golden[TCI_CODE_SECTION_BYTES] = {
        0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
        0xac, 0xad, 0xae, 0xaf, 0x44, 0x33, 0x22, 0x11, 0x05, 0x00, 0x00, 0x00};
    assert_memory_equal(bytes, golden, sizeof golden);
    tci_code_section_decode(bytes, &back);
    assert_memory_equal(&back, &section, sizeof section);
}

/* The bytes that a network carries for a cached call of one byte: header and payload; the
 * message around it has 4 bytes more. */
TEST(one_byte_call_travels_as_17_bytes)
{
    uint8_t bytes[64] = {0};
    const tci_frame frame = {.payload_size = 1, .kind = TCI_FRAME_CALL};
    size_t size;
    tci_code_section section;
    assert_ok(tci_frame_check(&frame, bytes, sizeof bytes, &size, &section, NULL));
    assert_int_equal(size, 17);
    assert_int_equal(tci_frame_align(size), 32);
}

TEST(lead_has_golden_bytes)
{
    uint8_t payload[128] = {0};
    const uint8_t golden[4] = {48, 0, 0, 0};
    size_t lead;
    tc_error error;
    tci_frame_lead_encode(48, payload);
    assert_memory_equal(payload, golden, sizeof golden);
    assert_ok(tci_frame_lead(payload, 48, &lead, &error));
    assert_int_equal(lead, 48);
    /* Cut short, and by nothing or no unit or more than fits or more than there can be. */
    static const uint32_t bad[] = {0, 1, 15, 17, 72, 144, 4096, 0x80000010, UINT32_MAX};
    assert_status(tci_frame_lead(payload, 47, &lead, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "a lead of 48 bytes in a payload of 47"));
    for (size_t n = 0; n < 4; n++)
        assert_status(tci_frame_lead(payload, n, &lead, &error), TC_E_CORRUPT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tci_frame_lead_encode(bad[i], payload);
        assert_status(tci_frame_lead(payload, sizeof payload, &lead, &error), TC_E_CORRUPT);
    }
    tci_frame_lead_encode(TCI_LEAD_MAX, payload);
    assert_status(tci_frame_lead(payload, TCI_LEAD_MAX - 1, &lead, &error), TC_E_CORRUPT);
    assert_ok(tci_frame_lead(payload, TCI_LEAD_MAX, &lead, &error));
}

TEST(injected_code_may_ask_for_alignment)
{
    uint8_t bytes[128] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    tci_inject_section_encode(8, 8, bytes + tci_frame_code_offset(3));
    for (unsigned doubled = 0; doubled < 16; doubled++) {
        const tci_frame frame = {.payload_size = 3,
                                 .kind = TCI_FRAME_INJECT,
                                 .flags = (uint8_t)(doubled << TCI_INJECT_ALIGNMENT_SHIFT)};
        assert_int_equal(tci_frame_check(&frame, bytes, sizeof bytes, &size, &section, &error),
                         doubled <= 8 ? TC_OK : TC_E_CORRUPT);
    }
}

TEST(every_kind_is_bounded_by_its_room)
{
    uint8_t bytes[256] = {0};
    tci_code_section section = {.archive_size = 40, .deps_size = 8};
    size_t size;
    tc_error error;
    tci_frame frame = {.payload_size = 49, .kind = TCI_FRAME_CALL};
    assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error), TC_E_CORRUPT);
    frame.payload_size = 48;
    assert_ok(tci_frame_check(&frame, bytes, 64, &size, &section, &error));
    frame.payload_size = UINT32_MAX;
    assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error), TC_E_CORRUPT);
    frame = (tci_frame){.payload_size = 3, .kind = TCI_FRAME_CODE, .flags = TCI_CODE_ATTACHED};
    section = (tci_code_section){.archive_size = 40, .deps_size = 8};
    tci_code_section_encode(&section, bytes + tci_frame_code_offset(3));
    assert_int_equal(tci_frame_code_offset(3), 24);
    assert_ok(tci_frame_check(&frame, bytes, 96, &size, &section, &error));
    assert_int_equal(size, 96);
    assert_status(tci_frame_check(&frame, bytes, 95, &size, &section, &error), TC_E_CORRUPT);
    assert_status(tci_frame_check(&frame, bytes, 47, &size, &section, &error), TC_E_CORRUPT);
    frame.flags = 0;
    assert_ok(tci_frame_check(&frame, bytes, 48, &size, &section, &error));
    assert_int_equal(size, 48);
}

TEST(the_short_form_has_space_for_a_number)
{
    uint8_t bytes[64] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    static const uint8_t kinds[] = {TCI_FRAME_CALL, TCI_FRAME_REPLY};
    for (size_t i = 0; i < sizeof kinds; i++) {
        tci_frame frame = {.kind = kinds[i], .flags = TCI_BRIEF, .payload_size = 8};
        assert_ok(tci_frame_check(&frame, bytes, 64, &size, &section, &error));
        assert_int_equal(size, 24);
        frame.payload_size = 7;
        assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error),
                      TC_E_CORRUPT);
        assert_non_null(strstr(error.text, "flags 0x20 with 7 bytes"));
        frame.payload_size = 24;
        frame.flags |= kinds[i] == TCI_FRAME_CALL ? TCI_ALIGNED : TCI_ROUTED;
        assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error),
                      TC_E_CORRUPT);
    }
}

TEST(what_is_no_kind_is_refused)
{
    uint8_t bytes[64] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    tci_frame frame = {.kind = TCI_FRAME_WRAP};
    assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error), TC_E_CORRUPT);
    for (unsigned kind = 0; kind <= UINT8_MAX; kind++) {
        if (kind >= TCI_FRAME_CALL && kind <= TCI_FRAME_KIND_LAST)
            continue;
        frame.kind = (uint8_t)kind;
        assert_status(tci_frame_check(&frame, bytes, 64, &size, &section, &error),
                      TC_E_CORRUPT);
        assert_non_null(strstr(error.text, "expected 1 to 7"));
    }
}

TEST(injected_code_is_bounded_by_its_room)
{
    uint8_t bytes[128] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    const tci_frame frame = {.payload_size = 3, .kind = TCI_FRAME_INJECT};
    tci_inject_section_encode(40, 8, bytes + tci_frame_code_offset(3));
    static const uint8_t golden[] = {40, 0, 0, 0, 8, 0, 0, 0};
    assert_memory_equal(bytes + 24, golden, sizeof golden);
    assert_ok(tci_frame_check(&frame, bytes, 80, &size, &section, &error));
    assert_int_equal(size, 80);
    assert_int_equal(section.archive_size, 40);
    assert_int_equal(section.deps_size, 8);
    assert_status(tci_frame_check(&frame, bytes, 79, &size, &section, &error), TC_E_CORRUPT);
    assert_status(tci_frame_check(&frame, bytes, 31, &size, &section, &error), TC_E_CORRUPT);
    tci_inject_section_encode(UINT32_MAX, UINT32_MAX, bytes + tci_frame_code_offset(3));
    assert_status(tci_frame_check(&frame, bytes, 128, &size, &section, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "8589934590"));
    const tci_frame staged = {
        .payload_size = TCI_STAGED_BYTES, .kind = TCI_FRAME_INJECT, .flags = TCI_INJECT_STAGED};
    tci_inject_section_encode(4, 4, bytes + tci_frame_code_offset(TCI_STAGED_BYTES));
    assert_ok(tci_frame_check(&staged, bytes, 128, &size, &section, &error));
    assert_int_equal(size, 64);
    for (unsigned flags = 1; flags < 256; flags++) {
        const tci_frame strange = {.payload_size = flags == 1 ? 31 : 32,
                                   .kind = TCI_FRAME_INJECT,
                                   .flags = (uint8_t)flags};
        const unsigned where = flags & 15;
        const bool known = flags >> 4 <= 8 && (where == 0 || (where == 1 && flags != 1));
        assert_int_equal(tci_frame_check(&strange, bytes, 128, &size, &section, &error),
                         known ? TC_OK : TC_E_CORRUPT);
    }
}

TEST(code_sizes_that_overflow_are_refused)
{
    uint8_t bytes[256] = {0};
    size_t size;
    tc_error error;
    tci_code_section section = {.archive_size = UINT32_MAX, .deps_size = UINT32_MAX};
    const tci_frame frame = {.kind = TCI_FRAME_CODE, .flags = TCI_CODE_ATTACHED};
    tci_code_section_encode(&section, bytes + tci_frame_code_offset(0));
    assert_status(tci_frame_check(&frame, bytes, sizeof bytes, &size, &section, &error),
                  TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "8589934590"));
}

TEST(unknown_kinds_are_refused)
{
    uint8_t bytes[64] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    for (unsigned kind = 0; kind < 256; kind++) {
        const tci_frame frame = {.payload_size = TCI_FRAGMENT_HEADER_BYTES,
                                 .kind = (uint8_t)kind};
        tc_status status =
            tci_frame_check(&frame, bytes, sizeof bytes, &size, &section, &error);
        if (kind == TCI_FRAME_CALL || kind == TCI_FRAME_CODE || kind == TCI_FRAME_FRAGMENT ||
            kind == TCI_FRAME_CONTROL || kind == TCI_FRAME_INJECT || kind == TCI_FRAME_REPLY)
            assert_ok(status);
        else
            assert_status(status, TC_E_CORRUPT);
    }
}

TEST(piece_bodies_have_golden_bytes)
{
    static const uint8_t landed_bytes[TCI_STAGED_BYTES] = {
        0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x21, 0,    0, 0, 0, 0, 0, 0,
        0x40, 0x10, 0,    0,    0,    0,    0,    0,    0x34, 0x12, 0, 0, 0, 0, 0, 0};
    static const uint8_t offer_bytes[TCI_SEGMENT_OFFER_BYTES] = {
        0x04, 0x03, 0x02, 0x01, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
    const tci_staged staged = {.fragment = {.total = 0x0102030405060708, .offset = 0x21},
                               .offset = 0x1040,
                               .size = 0x1234};
    const tci_segment_offer offer = {
        .id = 0x01020304, .bytes = 0x401000, .nonce = 0x0102030405060708};
    uint8_t bytes[TCI_STAGED_BYTES];
    tci_staged again;
    tci_segment_offer offered;
    tci_staged_encode(&staged, bytes);
    assert_memory_equal(bytes, landed_bytes, sizeof landed_bytes);
    tci_staged_decode(bytes, &again);
    assert_memory_equal(&again, &staged, sizeof staged);
    tci_segment_offer_encode(&offer, bytes);
    assert_memory_equal(bytes, offer_bytes, sizeof offer_bytes);
    tci_segment_offer_decode(bytes, &offered);
    assert_int_equal(offered.id, offer.id);
    assert_int_equal(offered.bytes, offer.bytes);
    assert_int_equal(offered.nonce, offer.nonce);
}

TEST(pieces_have_the_size_that_their_flags_say)
{
    uint8_t bytes[128] = {0};
    size_t size;
    tc_error error;
    tci_code_section section;
    for (unsigned flags = 0; flags < 256; flags++) {
        for (uint32_t found = 0; found < 64; found++) {
            const tci_frame frame = {
                .payload_size = found, .kind = TCI_FRAME_FRAGMENT, .flags = (uint8_t)flags};
            unsigned where = flags & ~TCI_ROUTED;
            bool good = where == 0                          ? found >= TCI_FRAGMENT_HEADER_BYTES
                        : where == TCI_FRAGMENT_STAGED      ? found == TCI_STAGED_BYTES
                        : where == TCI_FRAGMENT_OUT_OF_LINE ? found == TCI_FRAGMENT_HEADER_BYTES
                                                            : false;
            assert_int_equal(
                tci_frame_check(&frame, bytes, sizeof bytes, &size, &section, &error),
                good ? TC_OK : TC_E_CORRUPT);
        }
    }
}
