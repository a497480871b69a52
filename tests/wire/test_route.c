#include "../support/test.h"
#include "wire/route.h"

TEST(routes_have_golden_bytes)
{
    static tci_route route = {.call = 0x0807060504030201,
                              .origin = 0x11,
                              .hops = 0x22,
                              .hop_limit = 0x33,
                              .traced = 1,
                              .path_length = 2,
                              .path = {0xaa, 0xbb}};
    static const uint8_t golden[] = {0xaa, 0, 0, 0, 0xbb, 0, 0, 0, 1,    2, 3, 4,
                                     5,    6, 7, 8, 0x11, 0, 0, 0, 0x22, 0, 0, 0,
                                     0x33, 0, 0, 0, 1,    0, 0, 0, 2,    0, 0, 0};
    static tci_route back;
    uint8_t payload[5 + sizeof golden] = "load";
    size_t rest;
    assert_int_equal(tci_route_bytes(&route), sizeof golden);
    tci_route_encode(&route, payload + 5);
    assert_memory_equal(payload + 5, golden, sizeof golden);
    assert_ok(tci_route_decode(payload, sizeof payload, &back, &rest, NULL));
    assert_int_equal(rest, 5);
    assert_memory_equal(&back, &route, offsetof(tci_route, path) + 2 * sizeof route.path[0]);
}

TEST(routes_that_do_not_fit_are_refused)
{
    static tci_route route = {.path_length = 1};
    static tci_route back;
    uint8_t payload[TCI_ROUTE_BYTES + 4];
    size_t rest;
    tc_error error;
    tci_route_encode(&route, payload);
    assert_ok(tci_route_decode(payload, sizeof payload, &back, &rest, &error));
    assert_status(tci_route_decode(payload + 4, sizeof payload - 4, &back, &rest, &error),
                  TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "a path of 1 ranks"));
    assert_status(tci_route_decode(payload, 27, &back, &rest, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "27 bytes, expected at least 28"));
}

TEST(short_routes_have_golden_bytes)
{
    static const uint8_t payload[] = {'l', 'o', 1, 2, 3, 4, 5, 6, 7, 8};
    static tci_route route;
    tci_route_set_brief(&route, tci_route_brief(payload, sizeof payload));
    assert_true(route.call == 0x0807060504030201);
    assert_int_equal(route.origin, UINT32_MAX);
    assert_int_equal(route.hops, 0);
    assert_int_equal(route.hop_limit, TCI_ROUTE_HOPS_DEFAULT);
    assert_int_equal(route.traced, 0);
    assert_int_equal(route.path_length, 0);
}

TEST(answers_have_golden_bytes)
{
    const tci_reply reply = {.call = 1,
                             .total = 9,
                             .offset = 2,
                             .status = -5,
                             .hops = 3,
                             .rank = 4,
                             .path_length = 1};
    static const uint8_t golden[] = {1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0,    0,    0,    0,
                                     0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff,
                                     3, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0,    0};
    uint8_t frame[sizeof golden + 4 + 3] = {0};
    const uint8_t *path, *part;
    tci_reply back;
    size_t part_size;
    tci_reply_encode(&reply, frame);
    assert_memory_equal(frame, golden, sizeof golden);
    assert_ok(tci_reply_decode(frame, sizeof frame, &back, &path, &part, &part_size, NULL));
    assert_memory_equal(&back, &reply, sizeof reply);
    assert_ptr_equal(path, frame + TCI_REPLY_BYTES);
    assert_ptr_equal(part, path + 4);
    assert_int_equal(part_size, 3);
}

static tc_status judge(tci_reply reply, size_t part)
{
    uint8_t frame[TCI_REPLY_BYTES + 64] = {0};
    const uint8_t *path, *data;
    size_t part_size;
    tci_reply back;
    reply.call += reply.status == 0; /* call 0: a report of a failure */
    tci_reply_encode(&reply, frame);
    return tci_reply_decode(frame, TCI_REPLY_BYTES + part, &back, &path, &data, &part_size,
                            NULL);
}

TEST(a_report_that_all_is_well_is_refused)
{
    uint8_t frame[TCI_REPLY_BYTES];
    const uint8_t *path, *data;
    size_t part_size;
    tci_reply reply = {.status = TC_E_HOPS}, back;
    tci_reply_encode(&reply, frame);
    assert_ok(tci_reply_decode(frame, sizeof frame, &back, &path, &data, &part_size, NULL));
    reply.status = TC_OK;
    tci_reply_encode(&reply, frame);
    assert_status(tci_reply_decode(frame, sizeof frame, &back, &path, &data, &part_size, NULL),
                  TC_E_CORRUPT);
}

TEST(answers_that_do_not_fit_are_refused)
{
    assert_ok(judge((tci_reply){.total = 8}, 8));
    assert_ok(judge((tci_reply){.total = 0}, 0));
    assert_ok(judge((tci_reply){.total = 8, .offset = 4}, 4));
    assert_status(judge((tci_reply){.total = 8, .offset = 4}, 5), TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = 8, .offset = 9}, 1), TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = UINT64_MAX, .offset = UINT64_MAX - 1}, 4),
                  TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = 8}, 0), TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = 8, .status = 1}, 8), TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = 8, .path_length = 3}, 8), TC_E_CORRUPT);
    assert_status(judge((tci_reply){.total = 8, .path_length = 300}, 8), TC_E_CORRUPT);
}

TEST(memberships_are_judged)
{
    const tci_membership member = {.group = 0x0102030405060708, .size = 9, .rank = 8};
    static const uint8_t golden[] = {8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 8, 0, 0, 0};
    uint8_t bytes[TCI_MEMBERSHIP_BYTES];
    tci_membership back;
    tc_error error;
    tci_membership_encode(&member, bytes);
    assert_memory_equal(bytes, golden, sizeof golden);
    assert_ok(tci_membership_decode(bytes, sizeof bytes, &back, NULL));
    assert_memory_equal(&back, &member, sizeof member);
    assert_status(tci_membership_decode(bytes, 15, &back, NULL), TC_E_CORRUPT);
    bytes[12] = 9;
    assert_status(tci_membership_decode(bytes, sizeof bytes, &back, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "rank 9 of 9"));
}
