/* The frame's rules, byte by byte. */
#include "../support/test.h"
#include "ifunc_frame.h"

#define ROOM 512u

static tci_ifunc_header sample_header(void)
{
    tci_ifunc_header header = {.payload_size = 21,
                               .code_size = 40,
                               .sequence = 0x1122334455,
                               .kind = TCI_CODE_ARCHIVE};
    for (unsigned i = 0; i < sizeof header.id; i++)
        header.id[i] = (uint8_t)(i * 3 + 1);
    return header;
}

static void check_frame(tci_ifunc_header *header, uint8_t *frame)
{
    const uint8_t *code = frame + tci_ifunc_code_offset(header->payload_size);
    uint64_t code_check = tci_ifunc_code_check(code, header->code_size);
    header->check = tci_ifunc_payload_check(frame + TCI_IFUNC_HEADER_BYTES,
                                            header->payload_size, code_check);
    tci_ifunc_frame_check(header, code_check, frame);
}

static void make_checked(uint8_t *frame)
{
    tci_ifunc_header header = sample_header();
    memset(frame, 0, ROOM);
    memset(frame + TCI_IFUNC_HEADER_BYTES, 'p', header.payload_size);
    memset(frame + tci_ifunc_code_offset(header.payload_size), 'c', header.code_size);
    check_frame(&header, frame);
}

/* The target's steps for a frame that is CHECKED, when it needs the code. */
static bool is_whole(const uint8_t *frame, const tci_ifunc_header *header)
{
    tci_ifunc_end end = tci_ifunc_frame_end(frame, header);
    const uint8_t *code = frame + tci_ifunc_code_offset(header->payload_size);
    return tci_ifunc_payload_is_whole(frame + TCI_IFUNC_HEADER_BYTES, &end, header) &&
           tci_ifunc_code_check(code, header->code_size) == end.code_check;
}

TEST(sizes)
{
    assert_int_equal(tci_ifunc_code_offset(0), 48);
    assert_int_equal(tci_ifunc_code_offset(16), 64);
    assert_int_equal(tci_ifunc_code_offset(17), 80);
    assert_int_equal(tci_ifunc_frame_bytes(0, 0), 64);
    assert_int_equal(tci_ifunc_frame_bytes(0, 1), 128);
    assert_int_equal(tci_ifunc_frame_bytes(0, 64), 128);
    assert_true(tci_ifunc_frame_bytes(TCI_IFUNC_PAYLOAD_MAX, TCI_IFUNC_CODE_MAX) < 1ull << 32);
}

TEST(sealed_frames)
{
    uint8_t bytes[TCI_IFUNC_HEADER_BYTES];
    tci_ifunc_header header = sample_header(), found;
    header.sequence = 0;
    uint64_t word = tci_ifunc_header_seal(&header, bytes);
    assert_memory_equal(&word, bytes, sizeof word);
    assert_true(tci_ifunc_word_is_message(word));
    assert_int_equal(tci_ifunc_frame_judge(bytes, ROOM, &found), TCI_SLOT_SEALED);
    assert_int_equal(found.payload_size, header.payload_size);
    assert_int_equal(found.code_size, header.code_size);
    assert_int_equal(found.kind, header.kind);
    assert_memory_equal(found.id, header.id, sizeof header.id);
    uint64_t size = tci_ifunc_frame_bytes(header.payload_size, header.code_size);
    assert_int_equal(tci_ifunc_frame_judge(bytes, size, &found), TCI_SLOT_SEALED);
    assert_int_equal(tci_ifunc_frame_judge(bytes, size - 1, &found), TCI_SLOT_TOO_LONG);
    for (size_t at = 0; at < sizeof bytes; at++) {
        bytes[at] ^= 0x04; /* the last two of the word mark a message's word */
        assert_int_equal(tci_ifunc_frame_judge(bytes, ROOM, &found),
                         at == 6 || at == 7 ? TCI_SLOT_EMPTY : TCI_SLOT_DAMAGED);
        bytes[at] ^= 0x04;
    }
    header.code_size = 0; /* less space is enough then */
    (void)tci_ifunc_header_seal(&header, bytes);
    assert_int_equal(tci_ifunc_frame_judge(bytes, 80, &found), TCI_SLOT_SEALED);
    assert_int_equal(tci_ifunc_frame_judge(bytes, 64, &found), TCI_SLOT_TOO_LONG);
    header.payload_size = TCI_IFUNC_PAYLOAD_MAX + 1;
    (void)tci_ifunc_header_seal(&header, bytes);
    assert_int_equal(tci_ifunc_frame_judge(bytes, SIZE_MAX, &found), TCI_SLOT_DAMAGED);
}

TEST(words)
{
    const tci_ifunc_header header = sample_header();
    uint8_t bytes[TCI_IFUNC_HEADER_BYTES] = {0};
    tci_ifunc_header found;
    assert_int_equal(tci_ifunc_frame_judge(bytes, ROOM, &found), TCI_SLOT_EMPTY);
    uint64_t known = tci_ifunc_word_known(header.id);
    memcpy(bytes, &known, sizeof known);
    assert_int_equal(tci_ifunc_frame_judge(bytes, ROOM, &found), TCI_SLOT_EMPTY);
    assert_true(tci_ifunc_word_is_free(known) && tci_ifunc_word_is_free(0));
    assert_false(tci_ifunc_word_is_message(known) || tci_ifunc_word_is_message(0));
    assert_true(tci_ifunc_word_is_free(tci_ifunc_word_refused()));
    assert_false(tci_ifunc_word_is_message(tci_ifunc_word_refused()));
    for (int pattern = 1; pattern < 256; pattern++) {
        memset(bytes, pattern, sizeof bytes);
        assert_int_equal(tci_ifunc_frame_judge(bytes, ROOM, &found), TCI_SLOT_EMPTY);
        memcpy(&known, bytes, sizeof known);
        assert_false(tci_ifunc_word_is_message(known) || tci_ifunc_word_is_free(known));
    }
}

/* Every byte that has not come yet is missed, independent of the old byte. */
TEST(checked_frames)
{
    uint8_t frame[ROOM], partial[ROOM];
    tci_ifunc_header found;
    make_checked(frame);
    assert_int_equal(tci_ifunc_frame_judge(frame, ROOM, &found), TCI_SLOT_CHECKED);
    assert_true(is_whole(frame, &found));
    uint64_t size = tci_ifunc_frame_bytes(found.payload_size, found.code_size);
    const uint64_t code_end = tci_ifunc_code_offset(found.payload_size) + found.code_size;
    for (size_t at = 0; at < size; at++) {
        if (at == code_end)
            at = size - sizeof(tci_ifunc_end); /* between them is nothing */
        memcpy(partial, frame, sizeof partial);
        partial[at] ^= 0x80;
        tci_slot_state judged = tci_ifunc_frame_judge(partial, ROOM, &found);
        if (at < 6) /* a word that is not whole looks like another header's */
            assert_int_equal(judged, TCI_SLOT_PARTIAL);
        else if (at < 8)
            assert_int_equal(judged, TCI_SLOT_EMPTY);
        else if (at < TCI_IFUNC_HEADER_BYTES)
            assert_int_equal(judged, TCI_SLOT_PARTIAL);
        else
            assert_false(is_whole(partial, &found));
    }
}

/* An earlier message of the same code in the same slot does not complete this one. */
TEST(lines_of_an_earlier_lap)
{
    uint8_t frame[ROOM], earlier[ROOM], mixed[ROOM];
    tci_ifunc_header header = sample_header(), found;
    make_checked(earlier);
    memcpy(frame, earlier, sizeof frame);
    header.sequence++;
    check_frame(&header, frame); /* the same bytes, but another message */
    uint64_t size = tci_ifunc_frame_bytes(header.payload_size, header.code_size);
    for (size_t have = 0; have < size; have += 8) {
        memcpy(mixed, earlier, sizeof mixed);
        memcpy(mixed, frame, have);
        tci_slot_state judged = tci_ifunc_frame_judge(mixed, ROOM, &found);
        bool whole = judged == TCI_SLOT_CHECKED && is_whole(mixed, &found);
        assert_true(!whole || have == 0);
    }
    assert_int_equal(tci_ifunc_frame_judge(frame, ROOM, &found), TCI_SLOT_CHECKED);
    assert_true(is_whole(frame, &found));
}

TEST(code_sections)
{
    uint8_t bytes[64];
    const tci_code_parts parts = {(const uint8_t *)"archive", 7, (const uint8_t *)"libm", 4};
    tci_code_parts found;
    tci_ifunc_frame_parts_encode(&parts, bytes);
    size_t size = TCI_CODE_PARTS_BYTES + 11;
    assert_true(tci_ifunc_frame_parts_decode(bytes, size, &found));
    assert_int_equal(found.first_size, 7);
    assert_int_equal(found.second_size, 4);
    assert_memory_equal(found.first, "archive", 7);
    assert_memory_equal(found.second, "libm", 4);
    for (size_t wrong = 0; wrong < sizeof bytes; wrong++)
        assert_int_equal(tci_ifunc_frame_parts_decode(bytes, wrong, &found), wrong == size);
    memset(bytes, 0xff, sizeof bytes);
    assert_false(tci_ifunc_frame_parts_decode(bytes, sizeof bytes, &found));
}
