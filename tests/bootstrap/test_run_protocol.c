#include "../support/test.h"
#include "bootstrap/run_protocol.h"

#include <string.h>

static const uint8_t publish_bytes[] = {
    'T', 'R', 1,   1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, /* secret */
    7,   0,   0,   0, 3, 0, 0, 0,                                            /* round, rank */
    'a', ':', '1',
};

static tci_run_request some_publish(void)
{
    tci_run_request request = {.kind = TCI_RUN_PUBLISH,
                               .round = 7,
                               .rank = 3,
                               .address = (const uint8_t *)"a:1",
                               .address_size = 3};
    for (size_t i = 0; i < sizeof request.secret; i++)
        request.secret[i] = (uint8_t)(i + 1);
    return request;
}

TEST(test_a_publish_has_its_golden_bytes)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_request again;
    tc_error err;
    assert_int_equal(tci_run_request_encode(&request, packet), sizeof publish_bytes);
    assert_memory_equal(packet, publish_bytes, sizeof publish_bytes);
    assert_ok(tci_run_request_decode(packet, sizeof publish_bytes, &again, &err));
    assert_int_equal(again.kind, TCI_RUN_PUBLISH);
    assert_int_equal(again.round, 7);
    assert_int_equal(again.rank, 3);
    assert_memory_equal(again.secret, request.secret, sizeof request.secret);
    assert_int_equal(again.address_size, 3);
    assert_memory_equal(again.address, "a:1", 3);
}

TEST(test_a_lookup_comes_back)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_request again;
    tc_error err;
    request.kind = TCI_RUN_LOOKUP;
    request.wanted = 1023;
    request.wait = 1;
    size_t size = tci_run_request_encode(&request, packet);
    assert_ok(tci_run_request_decode(packet, size, &again, &err));
    assert_int_equal(again.wanted, 1023);
    assert_int_equal(again.wait, 1);
    packet[size - 1] = 2;
    assert_status(tci_run_request_decode(packet, size, &again, &err), TC_E_CORRUPT);
}

TEST(test_a_watch_and_a_serve_come_back)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_request again;
    tc_error err;
    for (tci_run_kind kind = TCI_RUN_WATCH; kind <= TCI_RUN_SERVE; kind++) {
        request.kind = kind;
        size_t size = tci_run_request_encode(&request, packet);
        assert_ok(tci_run_request_decode(packet, size, &again, &err));
        assert_int_equal(again.kind, kind);
        assert_int_equal(again.rank, 3);
        packet[size] = 0;
        assert_status(tci_run_request_decode(packet, size + 1, &again, &err), TC_E_CORRUPT);
    }
}

TEST(test_a_name_is_printable_and_bounded)
{
    char longest[TCI_RUN_NAME_MAX + 1];
    memset(longest, '~', sizeof longest);
    assert_true(tci_run_name_is_sound(longest, TCI_RUN_NAME_MAX));
    assert_true(tci_run_name_is_sound("a b", 3));
    assert_false(tci_run_name_is_sound(longest, TCI_RUN_NAME_MAX + 1));
    assert_false(tci_run_name_is_sound("", 0));
    assert_false(tci_run_name_is_sound("a\0b", 3));
    assert_false(tci_run_name_is_sound("a\x1b", 2));
    assert_false(tci_run_name_is_sound("a\x7f", 2));
    assert_false(tci_run_name_is_sound("\xc3\xa4", 2));
}

TEST(test_each_reply_comes_back)
{
    static const tci_run_reply replies[] = {
        {.kind = TCI_RUN_DONE, .rank = 4},
        {.kind = TCI_RUN_ADDRESS,
         .rank = 5,
         .bytes = (const uint8_t *)"[::1]:7000",
         .size = 10},
        {.kind = TCI_RUN_REFUSAL,
         .rank = 6,
         .status = TC_E_PEER_LOST,
         .bytes = (const uint8_t *)"gone",
         .size = 4},
    };
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        uint8_t packet[TCI_RUN_PACKET_MAX];
        tci_run_reply again;
        tc_error err;
        size_t size = tci_run_reply_encode(&replies[i], packet);
        assert_ok(tci_run_reply_decode(packet, size, &again, &err));
        assert_int_equal(again.kind, replies[i].kind);
        assert_int_equal(again.rank, replies[i].rank);
        assert_int_equal(again.status, replies[i].status);
        assert_int_equal(again.size, replies[i].size);
        if (again.size > 0)
            assert_memory_equal(again.bytes, replies[i].bytes, again.size);
    }
}

/* A publish of one byte less is a publish still, so this checks kinds of a fixed size. */
TEST(test_what_is_cut_is_refused)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_reply reply = {.kind = TCI_RUN_DONE};
    tc_error err;
    request.kind = TCI_RUN_LOOKUP;
    size_t size = tci_run_request_encode(&request, packet);
    for (size_t n = 0; n < size; n++)
        assert_status(tci_run_request_decode(packet, n, &request, &err), TC_E_CORRUPT);
    assert_status(tci_run_request_decode(packet, size + 1, &request, &err), TC_E_CORRUPT);
    size = tci_run_reply_encode(&reply, packet);
    for (size_t n = 0; n < size; n++)
        assert_status(tci_run_reply_decode(packet, n, &reply, &err), TC_E_CORRUPT);
    assert_status(tci_run_reply_decode(packet, size + 1, &reply, &err), TC_E_CORRUPT);
}

TEST(test_an_address_has_a_limit)
{
    static uint8_t packet[TCI_RUN_PACKET_MAX];
    static const uint8_t address[TCI_RUN_ADDRESS_MAX + 1];
    tci_run_request request = some_publish();
    tc_error err;
    request.address = address;
    request.address_size = TCI_RUN_ADDRESS_MAX;
    size_t size = tci_run_request_encode(&request, packet);
    assert_ok(tci_run_request_decode(packet, size, &request, &err));
    assert_status(tci_run_request_decode(packet, size + 1, &request, &err), TC_E_CORRUPT);
}

TEST(test_another_version_is_told)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_reply reply;
    tc_error err;
    size_t size = tci_run_request_encode(&request, packet);
    packet[2] = 9;
    assert_status(tci_run_request_decode(packet, size, &request, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "9"));
    assert_non_null(strstr(err.text, "expected 1"));
    assert_status(tci_run_reply_decode(packet, size, &reply, &err), TC_E_VERSION);
}

TEST(test_a_request_is_no_reply)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_request request = some_publish();
    tci_run_reply reply = {.kind = TCI_RUN_DONE};
    tc_error err;
    size_t size = tci_run_request_encode(&request, packet);
    assert_status(tci_run_reply_decode(packet, size, &reply, &err), TC_E_CORRUPT);
    size = tci_run_reply_encode(&reply, packet);
    assert_status(tci_run_request_decode(packet, size, &request, &err), TC_E_CORRUPT);
}
