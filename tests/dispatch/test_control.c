/* Control messages between two endpoints, from peers that may send anything. far receives. */
#include "../support/fake_node.h"
#include "base/cursor.h"
#include "dispatch/control.h"
#include "dispatch/dispatch.h"

static fake_pair pair;
static tc_ifunc *fn; /* far has sent it to near */

static void open_pair(uint64_t delivery)
{
    fake_pair_open(&pair, delivery);
    fn = fake_node_function(pair.far, "nothing", fake_nothing);
    assert_ok(tc_send(pair.peer, fn, NULL, 0));
    fake_pair_settle(&pair);
}

static tc_status say(uint8_t control, uint16_t slot, const void *payload, size_t size)
{
    const tci_frame f = {.payload_size = (uint32_t)size,
                         .slot = slot,
                         .kind = TCI_FRAME_CONTROL,
                         .flags = control};
    tc_error error;
    return tci_control_run(pair.peer, &f, payload, &error);
}

static size_t failure(uint8_t *out, size_t room, tc_status status, const char *text)
{
    tci_writer w;
    tci_writer_init(&w, out, room);
    tci_write_u32(&w, (uint32_t)(int32_t)status);
    tci_write_bytes(&w, text, strlen(text));
    return w.at;
}

TEST(a_refused_function_is_sent_no_more)
{
    uint8_t payload[64];
    tc_error error;
    open_pair(FAKE_MAPPED);
    const size_t size = failure(payload, sizeof payload, TC_E_COMPILE, "no such header");
    assert_ok(say(TCI_CONTROL_REFUSED, fn->index, payload, size));
    assert_status(tc_send(pair.peer, fn, NULL, 0), TC_E_REFUSED);
    assert_int_equal(tc_ep_refusal(pair.peer, &error), 1);
    assert_status(error.status, TC_E_COMPILE);
    assert_string_equal(error.text, "nothing: no such header");
    fake_pair_close(&pair);
}

TEST(a_refused_payload_leaves_the_function_as_it_is)
{
    uint8_t payload[64];
    tc_error error;
    open_pair(FAKE_MAPPED);
    const size_t size = failure(payload, sizeof payload, TC_E_TOO_LARGE, "too much");
    assert_ok(say(TCI_CONTROL_TOO_LARGE, fn->index, payload, size));
    assert_int_equal(tc_ep_refusal(pair.peer, &error), 1);
    assert_status(error.status, TC_E_TOO_LARGE);
    assert_ok(tc_send(pair.peer, fn, NULL, 0));
    fake_pair_close(&pair);
}

/* A limit stays the same; memory may be there the next time. */
TEST(a_payload_in_parts_fails_as_the_peer_says)
{
    static const struct {
        tc_status said, heard;
    } rows[] = {{TC_E_TOO_LARGE, TC_E_TOO_LARGE},
                {TC_E_NO_MEMORY, TC_E_NO_MEMORY},
                {TC_E_PEER_LOST, TC_E_TOO_LARGE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t payload[64];
        uint8_t *large = calloc(1, 1u << 20);
        open_pair(FAKE_MAPPED);
        assert_status(tc_send(pair.peer, fn, large, 1u << 20), TC_E_AGAIN);
        const size_t size = failure(payload, sizeof payload, rows[i].said, "not that");
        assert_ok(say(TCI_CONTROL_TOO_LARGE, fn->index, payload, size));
        assert_int_equal(tc_send(pair.peer, fn, large, 1u << 20), rows[i].heard);
        fake_pair_close(&pair);
        free(large);
    }
}

TEST(a_refusal_of_a_wrong_form_or_of_no_function_is_passed_over)
{
    uint8_t payload[1024];
    memset(payload, 255, sizeof payload);
    open_pair(FAKE_MAPPED);
    for (size_t size = 0; size < 4; size++)
        assert_ok(say(TCI_CONTROL_REFUSED, fn->index, payload, size));
    assert_ok(say(TCI_CONTROL_REFUSED, 16, payload, sizeof payload));
    assert_ok(say(TCI_CONTROL_TOO_LARGE, UINT16_MAX, payload, sizeof payload));
    assert_int_equal(tc_ep_refusal(pair.peer, NULL), 0);
    assert_ok(say(TCI_CONTROL_REFUSED, 15, payload, sizeof payload));
    assert_int_equal(tc_ep_refusal(pair.peer, NULL), 1); /* of a function not sent: so be it */
    assert_ok(tc_send(pair.peer, fn, NULL, 0));
    fake_pair_close(&pair);
}

/* Requests for code: tests/transfer/test_code_out.c. */
TEST(a_refusal_that_says_that_all_is_well_is_corrupt)
{
    static const int32_t statuses[] = {0, 1, INT32_MAX};
    uint8_t payload[64];
    open_pair(FAKE_MAPPED);
    for (size_t i = 0; i < 3; i++) {
        const size_t size = failure(payload, sizeof payload, (tc_status)statuses[i], "x");
        assert_status(say(TCI_CONTROL_REFUSED, fn->index, payload, size), TC_E_CORRUPT);
        assert_status(say(TCI_CONTROL_TOO_LARGE, fn->index, payload, size), TC_E_CORRUPT);
    }
    assert_int_equal(tc_ep_refusal(pair.peer, NULL), 0);
    assert_ok(tc_send(pair.peer, fn, NULL, 0));
    fake_pair_close(&pair);
}

TEST(a_question_for_code_of_a_wrong_form_is_passed_over)
{
    uint8_t id[sizeof(tci_content_id)] = {9};
    open_pair(FAKE_MAPPED);
    /* A question lies behind the beginning of the ring, which may be position 0. */
    assert_ok(tc_send(pair.ep, fake_node_function(pair.near, "other", fake_nothing), NULL, 0));
    fake_pair_settle(&pair);
    for (size_t size = 0; size < sizeof id; size++)
        assert_ok(say(TCI_CONTROL_NEED, 0, id, size));
    assert_ok(say(TCI_CONTROL_NEED, fn->index, fn->id.bytes, sizeof fn->id.bytes));
    assert_non_null(pair.peer->tx.code);
    assert_true(tci_ep_is_open(pair.peer));
    fake_pair_close(&pair);
}

TEST(only_the_function_that_is_awaited_is_prepared)
{
    open_pair(FAKE_MAPPED);
    pair.peer->tx.preparing = 3;
    assert_ok(say(TCI_CONTROL_PREPARED, 4, NULL, 0));
    assert_int_equal(pair.peer->tx.preparing, 3);
    assert_ok(say(TCI_CONTROL_PREPARED, 3, NULL, 0));
    assert_int_equal(pair.peer->tx.preparing, TCI_PREPARING_NONE);
    fake_pair_close(&pair);
}

TEST(a_refusal_ends_the_wait_for_a_prepared_function)
{
    static const uint8_t status[4] = {255, 255, 255, 255};
    open_pair(FAKE_MAPPED);
    pair.peer->tx.preparing = fn->index;
    assert_ok(say(TCI_CONTROL_REFUSED, fn->index, status, 4));
    assert_int_equal(pair.peer->tx.preparing, TCI_PREPARING_NONE);
    fake_pair_close(&pair);
}

TEST(credit_that_is_asked_for_is_returned)
{
    open_pair(FAKE_CARRIED);
    const unsigned before = fake_outbox_count(&pair.peer->link->sent, TCI_AM_CREDIT);
    assert_ok(say(TCI_CONTROL_CREDIT, 0, NULL, 0));
    assert_int_equal(fake_outbox_count(&pair.peer->link->sent, TCI_AM_CREDIT), before + 1);
    fake_pair_close(&pair);
}

/* Messages of a newer peer, and unusable offers. */
TEST(what_is_unknown_or_no_good_is_passed_over)
{
    uint8_t payload[64];
    memset(payload, 255, sizeof payload);
    open_pair(FAKE_MAPPED);
    for (unsigned control = 11; control < 256; control++)
        assert_ok(say((uint8_t)control, 3, payload, sizeof payload));
    assert_ok(say(0, 3, payload, sizeof payload));
    for (size_t size = 0; size <= sizeof payload; size++)
        assert_ok(say(TCI_CONTROL_SEGMENT, 0, payload, size));
    assert_ok(say(TCI_CONTROL_ATTACHED, 0, NULL, 0)); /* of a segment that was not offered */
    assert_true(tci_ep_is_open(pair.peer));
    assert_ok(tc_send(pair.peer, fn, NULL, 0));
    fake_pair_close(&pair);
}

TEST(counts_of_a_wrong_size_are_corrupt)
{
    static const uint8_t controls[] = {TCI_CONTROL_MEMBER, TCI_CONTROL_ARRIVED,
                                       TCI_CONTROL_RELEASED};
    static const uint8_t payload[7];
    open_pair(FAKE_MAPPED);
    for (size_t i = 0; i < sizeof controls; i++)
        assert_status(say(controls[i], 0, payload, sizeof payload), TC_E_CORRUPT);
    fake_frame(pair.ep, TCI_FRAME_CONTROL, TCI_CONTROL_ARRIVED, 0, payload, sizeof payload);
    (void)tci_dispatch_run(pair.peer);
    fake_expect_failed(pair.peer, TC_E_CORRUPT, "barrier: 7 bytes, expected 8");
    fake_pair_close(&pair);
}
