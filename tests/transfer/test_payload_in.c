/* PAYLOAD messages from a peer that may send anything, in any order. */
#include "../support/test.h"
#include "transfer/payload_in.h"

#define LIMIT (64u << 20)

typedef struct receiver {
    tci_core core;
    tc_ep ep;
    tc_error error;
    uint8_t *bytes;
} receiver;

static receiver *make_receiver(void)
{
    receiver *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->core.options.payload_bytes_max = LIMIT;
    r->ep.core = &r->core;
    r->core.handshakes = 1;
    r->ep.state = TCI_EP_AWAITING_READY; /* OPEN ones are in lists that are unused here */
    return r;
}

static void free_receiver(receiver *r)
{
    tci_payload_in_fini(&r->ep);
    free(r->ep.life.error);
    free(r);
}

static bool begin(receiver *r, uint16_t number, uint64_t total, uint64_t offset, size_t n,
                  tci_sink *sink_out)
{
    tci_payload_header header = {.to.position = number};
    const tci_fragment fragment = {.total = total, .offset = offset};
    tci_fragment_encode(&fragment, header.fragment);
    return tci_payload_in_take(&r->ep, &header, n, sink_out);
}

static void take(receiver *r, uint16_t number, uint64_t total, uint64_t offset, size_t n,
                 uint8_t fill)
{
    tci_sink sink;
    assert_true(begin(r, number, total, offset, n, &sink));
    memset(sink.to, fill, n);
    sink.done(sink.user, n, true);
}

static tc_status find(receiver *r, uint64_t number, uint64_t total)
{
    const tci_fragment named = {.total = total, .offset = number};
    return tci_payload_in_find(&r->ep, &named, &r->bytes, &r->error);
}

TEST(parts_in_any_order_make_the_payload)
{
    receiver *r = make_receiver();
    for (uint16_t number = 0; number < 30; number++) {
        assert_status(find(r, number, 250), TC_E_AGAIN);
        assert_true(tci_payload_in_stands(&r->ep));
        take(r, number, 250, 200, 50, 3);
        take(r, (uint16_t)(number + 1), 250, 0, 10, 9); /* the next one begins too */
        assert_status(find(r, number, 250), TC_E_AGAIN);
        take(r, number, 250, 0, 100, 1);
        take(r, number, 250, number > 0 ? 110 : 100, number > 0 ? 90 : 100, 2);
        assert_false(tci_payload_in_stands(&r->ep));
        assert_ok(find(r, number, 250));
        assert_int_equal(r->bytes[99], 1);
        assert_int_equal(r->bytes[199], 2);
        assert_int_equal(r->bytes[249], 3);
        tci_payload_in_done(&r->ep);
    }
    free_receiver(r);
}

/* Each of them ends the endpoint. */
TEST(what_fits_nothing_ends_the_endpoint)
{
    static const struct {
        uint16_t number;
        uint64_t total, offset;
        size_t n;
    } second[] = {
        {0, 250, 100, 151},        /* beyond the end */
        {0, 250, 251, 1},          /* behind it */
        {0, 250, UINT64_MAX, 100}, /* wraps */
        {0, 250, 0, 200},          /* more than the total, together */
        {0, 251, 100, 100},        /* another total */
        {0, 250, 100, 0},          /* nothing */
        {8, 250, 0, 100},          /* too far ahead */
        {1, 0, 0, 0},              /* empty */
        {1, TCI_OUT_OF_LINE_BYTES_MAX, 0, 1},
    };
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
        receiver *r = make_receiver();
        tci_sink sink;
        take(r, 0, 250, 0, 100, 1);
        assert_false(
            begin(r, second[i].number, second[i].total, second[i].offset, second[i].n, &sink));
        assert_int_equal(r->ep.state, TCI_EP_FAILED);
        assert_status(r->ep.life.error->status, TC_E_CORRUPT);
        assert_false(begin(r, 0, 250, 100, 100, &sink)); /* and nothing more is taken */
        free_receiver(r);
    }
}

TEST(frames_that_name_no_payload_are_corrupt)
{
    receiver *r = make_receiver();
    assert_status(find(r, 1, 250), TC_E_CORRUPT);
    assert_status(find(r, 65536, 250), TC_E_CORRUPT);
    assert_status(find(r, 0, 0), TC_E_CORRUPT);
    take(r, 0, 250, 0, 100, 1);
    assert_status(find(r, 0, 251), TC_E_CORRUPT);
    free_receiver(r);
}

TEST(a_payload_above_the_limit_is_refused_and_dropped)
{
    receiver *r = make_receiver();
    tci_sink sink;
    assert_false(begin(r, 0, LIMIT + 1, 0, 1000, &sink));
    assert_status(find(r, 0, LIMIT + 1), TC_E_TOO_LARGE);
    tci_payload_in_done(&r->ep);
    assert_false(begin(r, 0, LIMIT + 1, 1000, 1000, &sink)); /* late */
    assert_status(find(r, 1, UINT64_MAX), TC_E_TOO_LARGE);
    tci_payload_in_done(&r->ep);
    take(r, 2, 10, 0, 10, 7);
    assert_ok(find(r, 2, 10));
    tci_payload_in_done(&r->ep);
    assert_int_equal(r->ep.state, TCI_EP_AWAITING_READY);
    free_receiver(r);
}

/* UCX may still write a payload without a waiter; its memory stays until that is over. */
TEST(what_is_under_way_keeps_its_memory)
{
    receiver *r = make_receiver();
    tci_sink first, second, third;
    assert_true(begin(r, 0, 4096, 0, 2048, &first));
    assert_status(find(r, 0, 4096), TC_E_AGAIN);
    tci_payload_in_done(&r->ep); /* its function was refused */
    assert_true(begin(r, 1, 4096, 0, 2048, &second));
    assert_true(begin(r, 1, 4096, 2048, 2048, &third));
    third.done(third.user, 2048, true);
    assert_status(find(r, 1, 4096), TC_E_AGAIN);
    free_receiver(r);
    memset(first.to, 1, 2048);
    first.done(first.user, 2048, false);
    memset(second.to, 1, 2048);
    second.done(second.user, 2048, true);
}

TEST(a_part_that_breaks_off_ends_the_endpoint)
{
    receiver *r = make_receiver();
    tci_sink sink;
    assert_true(begin(r, 0, 4096, 0, 4096, &sink));
    sink.done(sink.user, 4096, false);
    assert_int_equal(r->ep.state, TCI_EP_FAILED);
    assert_status(r->ep.life.error->status, TC_E_PEER_LOST);
    free_receiver(r);
}
