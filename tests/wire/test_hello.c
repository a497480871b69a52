/* Hellos and addresses: their exact bytes, and every kind of damage. */
#include "../support/test.h"
#include "base/arch.h"
#include "hello_golden.h"
#include "hello_sample.h"

TEST(hello_has_its_golden_bytes)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = hello_sample();
    assert_int_equal(hello_encode(&h, TCI_HELLO_HELLO, buf), sizeof golden_hello);
    assert_memory_equal(buf, golden_hello, sizeof golden_hello);

    tci_hello back;
    assert_ok(
        tci_hello_decode(golden_hello, sizeof golden_hello, TCI_HELLO_HELLO, &back, NULL));
    assert_same_hello(&back, &h);
}

/* Without any, a hello is the same as before there were dictionaries. */
TEST(dictionaries_have_their_golden_bytes)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = hello_sample();
    h.dictionaries[h.dictionary_count++] = 0x0009dee7;
    h.dictionaries[h.dictionary_count++] = 0xfedcba98;
    assert_int_equal(hello_encode(&h, TCI_HELLO_HELLO, buf), sizeof golden_hello_dictionaries);
    assert_memory_equal(buf, golden_hello_dictionaries, sizeof golden_hello_dictionaries);

    tci_hello back;
    assert_ok(tci_hello_decode(golden_hello_dictionaries, sizeof golden_hello_dictionaries,
                               TCI_HELLO_HELLO, &back, NULL));
    assert_same_hello(&back, &h);
}

static void assert_dictionaries_refused(size_t at, uint32_t value, const char *text)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    tci_hello h;
    tc_error err = {0};
    memcpy(buf, golden_hello_dictionaries, sizeof buf);
    for (size_t i = 0; i < 4; i++)
        buf[at + i] = (uint8_t)(value >> 8 * i);
    hello_repair(buf, sizeof buf);
    assert_status(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err), TC_E_CORRUPT);
    assert_contains(&err, text);
}

TEST(dictionaries_are_in_order_and_few)
{
    const size_t first = sizeof golden_hello_dictionaries - 8;
    assert_dictionaries_refused(first, 0, "dictionary 00000000");
    assert_dictionaries_refused(first, 0xfedcba98, "behind fedcba98, expected a larger");
    assert_dictionaries_refused(first + 4, 1, "dictionary 00000001 behind 0009dee7");

    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    size_t size = sizeof golden_hello + 4 * 17;
    tci_hello h;
    tc_error err = {0};
    memcpy(buf, golden_hello, sizeof golden_hello);
    for (uint8_t i = 0; i < 17; i++)
        memcpy(buf + sizeof golden_hello + 4 * i, (const uint8_t[]){0, 0, 0, i + 1}, 4);
    buf[HELLO_BODY_AT + 15] = 17;
    hello_repair(buf, size);
    assert_status(tci_hello_decode(buf, size, TCI_HELLO_HELLO, &h, &err), TC_E_CORRUPT);
    assert_contains(&err, "number of dictionaries is 17, expected 0 to 16");
}

TEST(address_is_a_hello_without_a_ring)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = hello_sample();
    assert_int_equal(hello_encode(&h, TCI_HELLO_ADDRESS, buf), sizeof golden_address);
    assert_memory_equal(buf, golden_address, sizeof golden_address);

    tci_hello back;
    assert_ok(tci_hello_decode(buf, sizeof golden_address, TCI_HELLO_ADDRESS, &back, NULL));
    h.connection_id = 0;
    h.connection_token = 0;
    h.ring_bytes = h.frame_bytes_max = 0;
    h.ring_nonce = h.ring_address = 0;
    h.segment = TCI_HELLO_NO_SEGMENT;
    h.rkey.size = 0;
    assert_same_hello(&back, &h);
}

TEST(every_field_may_be_at_its_limit)
{
    static char filler[TCI_HELLO_BODY_MAX];
    memset(filler, '~', sizeof filler);
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = hello_sample();
    h.isa = (tci_hello_isa)TCI_ARCH_COUNT;
    h.page_bytes = 64u << 10;
    h.code_bytes_max = TCI_HELLO_CODE_BYTES_MAX;
    h.pid = INT32_MAX;
    h.connection_id = UINT16_MAX;
    h.connection_token = UINT64_MAX;
    h.ring_bytes = TCI_HELLO_RING_BYTES_MAX;
    h.frame_bytes_max = TCI_HELLO_RING_BYTES_MAX;
    h.ring_nonce = UINT64_MAX;
    h.ring_address = UINT64_MAX - TCI_HELLO_RING_BYTES_MAX + 1 - 64;
    h.rkey = (tci_hello_view){filler, TCI_HELLO_RKEY_MAX};
    h.worker_address = (tci_hello_view){filler, TCI_HELLO_WORKER_ADDRESS_MAX};
    h.triple = (tci_hello_view){filler, TCI_HELLO_TRIPLE_MAX};
    h.cpu = (tci_hello_view){filler, TCI_HELLO_CPU_MAX};
    h.features = (tci_hello_view){filler, TCI_HELLO_FEATURES_MAX};
    while (h.dictionary_count < TCI_HELLO_DICTIONARIES_MAX) {
        h.dictionaries[h.dictionary_count] = UINT32_MAX - 15u + h.dictionary_count;
        h.dictionary_count++;
    }
    size_t size = hello_encode(&h, TCI_HELLO_HELLO, buf);
    tci_hello back;
    assert_ok(tci_hello_decode(buf, size, TCI_HELLO_HELLO, &back, NULL));
    assert_same_hello(&back, &h);
}

/* The views of a decoded hello lie in the message, so the holder of the bytes may use them. */
TEST(views_point_into_the_message)
{
    tci_hello h;
    assert_ok(tci_hello_decode(golden_hello, sizeof golden_hello, TCI_HELLO_HELLO, &h, NULL));
    assert_ptr_equal((const uint8_t *)h.features.data + h.features.size,
                     golden_hello + sizeof golden_hello);
}

/* Behind a right checksum, a changed bit either breaks a rule or is another valid hello, which
 * has exactly one form. */
TEST(every_forged_bit_is_refused_or_meant)
{
    uint8_t buf[sizeof golden_hello];
    uint8_t again[TCI_HELLO_MESSAGE_MAX];
    size_t meant = 0;
    for (size_t bit = 8 * HELLO_BODY_AT; bit < 8 * sizeof buf; bit++) {
        tci_hello h;
        tc_error err = {0};
        memcpy(buf, golden_hello, sizeof buf);
        buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
        hello_repair(buf, sizeof buf);
        tc_status status = tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err);
        if (status != TC_OK) {
            assert_status(status, TC_E_CORRUPT);
            assert_contains(&err, "expected");
            continue;
        }
        meant++;
        assert_int_equal(hello_encode(&h, TCI_HELLO_HELLO, again), sizeof buf);
        assert_memory_equal(again, buf, sizeof buf);
    }
    assert_true(meant > 0);
}

TEST(fields_outside_their_range_are_named)
{
    static const struct {
        size_t at; /* in the body */
        size_t bytes;
        uint64_t value;
        const char *text;
    } rows[] = {
        {3, 1, 1, "reserved bits 0x01"},
        {7, 1, 0, "instruction set 0"},
        {7, 1, TCI_ARCH_COUNT + 1, "instruction set 3"},
        {8, 4, 0, "page size is 0"},
        {8, 4, 5000, "page size is 5000"},
        {8, 4, 1u << 31, "page size is 2147483648"},
        {15, 1, 1, "expected 146 by the sizes in it"},
        {16, 4, 0, "largest code is 0"},
        {16, 4, (1u << 30) + 1, "1073741824"},
        {20, 4, 63, "largest frame is 63"},
        {20, 4, 1023, "largest frame is 1023, expected 1024 to 262144"},
        {20, 4, 262145, "largest frame is 262145, expected 1024 to 262144"},
        {24, 4, 0, "ring size is 0"},
        {24, 4, 2048, "ring size is 2048"},
        {24, 4, 262143, "a power of two"},
        {24, 4, 8u << 20, "ring size is 8388608"},
        {48, 8, 0x7f0012345020, "multiple of 64"},
        {48, 8, UINT64_MAX - 63, "leaves room"},
        {56, 8, 0, "pid is 0"},
        {56, 8, 1ull << 31, "pid is 2147483648"},
        {56, 8, UINT64_MAX, "pid is"},
        {88, 4, 1u << 31, "segment is 2147483648"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t buf[sizeof golden_hello];
        memcpy(buf, golden_hello, sizeof buf);
        for (size_t b = 0; b < rows[i].bytes; b++)
            buf[HELLO_BODY_AT + rows[i].at + b] = (uint8_t)(rows[i].value >> (8 * b));
        hello_repair(buf, sizeof buf);
        tci_hello h = {0};
        tc_error err = {0};
        assert_status(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                      TC_E_CORRUPT);
        assert_contains(&err, rows[i].text);
        assert_int_equal(h.pid, 0); /* outputs are written on success only */
    }
}

TEST(sizes_inside_the_body_must_add_up)
{
    for (size_t at = 30; at < 40; at += 2) {
        for (int change = -1; change <= 1; change += 2) {
            uint8_t buf[sizeof golden_hello];
            tci_hello h;
            tc_error err = {0};
            memcpy(buf, golden_hello, sizeof buf);
            buf[HELLO_BODY_AT + at] = (uint8_t)(buf[HELLO_BODY_AT + at] + change);
            hello_repair(buf, sizeof buf);
            assert_status(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                          TC_E_CORRUPT);
            assert_contains(&err, "by the sizes in it");
        }
    }
}

TEST(encode_refuses_what_no_peer_would_take)
{
    static char filler[TCI_HELLO_BODY_MAX];
    memset(filler, 'x', sizeof filler);
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello wrong[7];
    for (size_t i = 0; i < 7; i++)
        wrong[i] = hello_sample();
    wrong[0].rkey = (tci_hello_view){filler, TCI_HELLO_RKEY_MAX + 1};
    wrong[1].worker_address = (tci_hello_view){filler, TCI_HELLO_WORKER_ADDRESS_MAX + 1};
    wrong[2].worker_address.size = 0;
    wrong[3].triple = (tci_hello_view){filler, TCI_HELLO_TRIPLE_MAX + 1};
    wrong[4].cpu = (tci_hello_view){filler, TCI_HELLO_CPU_MAX + 1};
    wrong[5].features = (tci_hello_view){filler, TCI_HELLO_FEATURES_MAX + 1};
    wrong[6].cpu = hello_view("zn\nver4");
    for (size_t i = 0; i < 7; i++) {
        size_t size = 7;
        tc_error err = {0};
        assert_status(
            tci_hello_encode(&wrong[i], TCI_HELLO_HELLO, buf, sizeof buf, &size, &err),
            TC_E_INVALID);
        assert_contains(&err, "expected");
        assert_int_equal(size, 7);
    }
}

TEST(texts_are_printable)
{
    static const uint8_t bad[] = {0x00, 0x0a, 0x1f, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < sizeof bad; i++) {
        uint8_t buf[sizeof golden_hello];
        tci_hello h;
        tc_error err = {0};
        memcpy(buf, golden_hello, sizeof buf);
        buf[sizeof buf - 1] = bad[i];
        hello_repair(buf, sizeof buf);
        assert_status(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                      TC_E_CORRUPT);
        assert_contains(&err, "features has byte 0x");
    }
}

TEST(ucx_minors_must_agree)
{
    tci_hello mine = hello_sample();
    tci_hello theirs = hello_sample();
    theirs.isa = TCI_HELLO_AARCH64;
    theirs.ucx.patch = 9;
    theirs.llvm = (tci_hello_version){0, 0, 0};
    theirs.page_bytes = 65536;
    assert_ok(tci_hello_compatible(&mine, &theirs, NULL));

    static const tci_hello_version others[] = {{1, 18, 1}, {2, 13, 1}};
    static const char *const texts[] = {"1.18.1", "2.13.1"};
    for (size_t i = 0; i < 2; i++) {
        tc_error err = {0};
        theirs.ucx = others[i];
        assert_status(tci_hello_compatible(&mine, &theirs, &err), TC_E_VERSION);
        assert_contains(&err, texts[i]);
        assert_contains(&err, "this side 1.13.1");
    }
    tc_error err = {0};
    theirs.ucx = (tci_hello_version){0, 0, 0};
    assert_int_equal(tci_hello_compatible(&mine, &theirs, &err), TC_E_VERSION);
    assert_contains(&err, "the peer's library was built without UCX");
    assert_int_equal(tci_hello_compatible(&theirs, &mine, &err), TC_E_VERSION);
    assert_contains(&err, "this library was built without UCX");
    mine.ucx = theirs.ucx;
    assert_int_equal(tci_hello_compatible(&mine, &theirs, NULL), TC_OK);
}

/* A side with these ways of UCX, and that offers its connection or is of an earlier release. */
static tci_hello side(bool network, bool shared_memory, bool offers)
{
    tci_hello hello = hello_sample();
    hello.ucx_network = network;
    hello.ucx_shared_memory = shared_memory;
    hello.rkey.size = 0;
    hello.ring_address = offers ? TCI_HELLO_STREAM_OFFER : 0;
    return hello;
}

TEST(the_connection_replaces_a_network_if_both_offer_it)
{
    for (unsigned bits = 0; bits < 64; bits++) {
        tci_hello mine = side(bits & 1, bits & 2, bits & 4);
        tci_hello theirs = side(bits & 8, bits & 16, bits & 32);
        const bool network = (bits & 1) && (bits & 8), memory = (bits & 2) && (bits & 16);
        const bool both_offer = (bits & 4) && (bits & 32);
        const bool expected = !memory && (!network || both_offer);
        assert_int_equal(tci_hello_needs_stream(&mine, &theirs), expected);
        assert_int_equal(tci_hello_needs_stream(&theirs, &mine), expected);
        theirs.host_id[0] ^= 1; /* of another host */
        assert_int_equal(tci_hello_needs_stream(&mine, &theirs), !network || both_offer);
        mine.ucx.minor++;
        assert_true(tci_hello_needs_stream(&mine, &theirs));
    }
}

/* The field is free there in earlier releases, and an address beside a key in all. */
TEST(only_that_number_without_a_key_is_an_offer)
{
    tci_hello hello = side(true, true, true);
    assert_true(tci_hello_offers_stream(&hello));
    hello.rkey.size = 3;
    assert_false(tci_hello_offers_stream(&hello));
    hello.rkey.size = 0;
    hello.ring_address = 128;
    assert_false(tci_hello_offers_stream(&hello));
}

TEST(host_ids_tell_hosts_apart)
{
    tci_hello mine = hello_sample();
    tci_hello theirs = hello_sample();
    assert_true(tci_hello_same_host(&mine, &theirs));
    theirs.host_id[15] ^= 1;
    assert_false(tci_hello_same_host(&mine, &theirs));
}
