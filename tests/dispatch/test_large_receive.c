/* Fragments from a peer that may send anything. */
#include "../support/test.h"
#include "dispatch/large_receive.h"

#define LIMIT 100000u

typedef struct receiver {
    tci_core core;
    tc_ep ep;
    tci_rx_slot slot;
    tc_error error;
    tci_payload whole;
    bool complete;
} receiver;

static void run(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
}

static receiver *make_receiver(void)
{
    receiver *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->core.options.payload_bytes_max = LIMIT;
    r->ep.core = &r->core;
    r->slot.main = run;
    r->slot.callable = true;
    r->ep.rx.slots = &r->slot;
    r->ep.rx.slot_count = 1;
    return r;
}

static void free_receiver(receiver *r)
{
    tci_landing_free(&r->ep.rx.assembly.landing);
    free(r);
}

static tc_status take(receiver *r, uint64_t total, uint64_t offset, size_t n, uint8_t fill)
{
    uint8_t *payload = malloc(TCI_FRAGMENT_HEADER_BYTES + n);
    const tci_fragment fragment = {.total = total, .offset = offset};
    const tci_frame frame = {.payload_size = (uint32_t)(TCI_FRAGMENT_HEADER_BYTES + n),
                             .kind = TCI_FRAME_FRAGMENT};
    tci_fragment_encode(&fragment, payload);
    memset(payload + TCI_FRAGMENT_HEADER_BYTES, fill, n);
    r->complete = false;
    tc_status status = tci_large_receive(&r->ep, &frame, payload, &r->whole, &r->error);
    r->complete = r->whole.bytes != NULL;
    if (r->whole.assembled && !r->complete)
        tci_large_done(&r->ep, &r->whole);
    free(payload);
    return status;
}

TEST(pieces_in_order_make_the_payload)
{
    receiver *r = make_receiver();
    for (int round = 0; round < 3; round++) {
        assert_ok(take(r, 250, 0, 100, 1));
        assert_false(r->complete);
        assert_ok(take(r, 250, 100, 100, 2));
        assert_false(r->complete);
        assert_ok(take(r, 250, 200, 50, 3));
        assert_true(r->complete);
        assert_int_equal(r->ep.rx.assembly.landing.bytes[99], 1);
        assert_int_equal(r->ep.rx.assembly.landing.bytes[100], 2);
        assert_int_equal(r->ep.rx.assembly.landing.bytes[249], 3);
        tci_large_done(&r->ep, &r->whole);
    }
    free_receiver(r);
}

TEST(what_does_not_fit_together_is_refused)
{
    static const struct {
        uint64_t total, offset;
        size_t n;
    } second[] = {
        {250, 0, 100},   /* again */
        {250, 99, 100},  /* overlaps */
        {250, 101, 100}, /* leaves a gap */
        {250, 100, 151}, /* beyond the end */
        {250, 100, 0},   /* nothing */
        {251, 100, 100}, /* of another payload */
        {250, UINT64_MAX, 100},
    };
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
        receiver *r = make_receiver();
        assert_ok(take(r, 250, 0, 100, 1));
        assert_status(take(r, second[i].total, second[i].offset, second[i].n, 2), TC_E_CORRUPT);
        free_receiver(r);
    }
    receiver *r = make_receiver();
    assert_status(take(r, 250, 100, 100, 1), TC_E_CORRUPT); /* not the first */
    assert_status(take(r, 0, 0, 1, 1), TC_E_CORRUPT);
    assert_status(take(r, 10, 0, 11, 1), TC_E_CORRUPT);
    free_receiver(r);
}

TEST(a_payload_above_the_limit_is_said_once_and_passed_over)
{
    receiver *r = make_receiver();
    assert_status(take(r, LIMIT + 1, 0, 50000, 1), TC_E_TOO_LARGE);
    assert_non_null(strstr(r->error.text, "100001"));
    assert_null(r->ep.rx.assembly.landing.bytes);
    assert_ok(take(r, LIMIT + 1, 50000, 50000, 1));
    assert_ok(take(r, LIMIT + 1, 100000, 1, 1));
    assert_false(r->complete);
    assert_ok(take(r, 10, 0, 10, 7)); /* the next payload is taken */
    assert_true(r->complete);
    tci_large_done(&r->ep, &r->whole);
    assert_status(take(r, UINT64_MAX, 0, 10, 7), TC_E_TOO_LARGE);
    free_receiver(r);
}

/* --- fragments that lie in a segment ------------------------------------------------------ */

#define SEGMENT_BYTES (TCI_STAGING_OFFSET + 4096u)

static receiver *make_staged_receiver(void)
{
    receiver *r = make_receiver();
    r->ep.rx.staged = (tci_segment){.base = calloc(1, SEGMENT_BYTES), .bytes = SEGMENT_BYTES};
    assert_non_null(r->ep.rx.staged.base);
    return r;
}

static void free_staged_receiver(receiver *r)
{
    free(r->ep.rx.staged.base);
    free_receiver(r);
}

static tc_status take_staged(receiver *r, uint64_t total, uint64_t offset, uint64_t place,
                             uint64_t size)
{
    uint8_t payload[TCI_STAGED_BYTES];
    const tci_staged staged = {
        .fragment = {.total = total, .offset = offset}, .offset = place, .size = size};
    const tci_frame frame = {.payload_size = TCI_STAGED_BYTES,
                             .kind = TCI_FRAME_FRAGMENT,
                             .flags = TCI_FRAGMENT_STAGED};
    tci_staged_encode(&staged, payload);
    return tci_large_receive(&r->ep, &frame, payload, &r->whole, &r->error);
}

TEST(a_whole_payload_is_used_where_it_staged)
{
    receiver *r = make_staged_receiver();
    assert_ok(take_staged(r, 300, 0, TCI_STAGING_OFFSET + 64, 300));
    assert_ptr_equal(r->whole.bytes, r->ep.rx.staged.base + TCI_STAGING_OFFSET + 64);
    assert_int_equal(r->whole.size, 300);
    assert_false(r->whole.assembled);
    tci_large_done(&r->ep, &r->whole);
    free_staged_receiver(r);
}

TEST(landed_parts_are_put_together)
{
    receiver *r = make_staged_receiver();
    assert_ok(take(r, 400, 0, 100, 1)); /* one in its frame, then the others */
    memset(r->ep.rx.staged.base + TCI_STAGING_OFFSET, 2, 200);
    assert_ok(take_staged(r, 400, 100, TCI_STAGING_OFFSET, 200));
    assert_null(r->whole.bytes);
    assert_ok(take_staged(r, 400, 300, TCI_STAGING_OFFSET, 100));
    assert_true(r->whole.assembled);
    assert_int_equal(r->whole.bytes[99], 1);
    assert_int_equal(r->whole.bytes[399], 2);
    tci_large_done(&r->ep, &r->whole);
    free_staged_receiver(r);
}

TEST(places_outside_the_segment_are_corrupt)
{
    static const struct {
        uint64_t total, offset, place, size;
    } cases[] = {
        {300, 0, 0, 300},
        {300, 0, TCI_STAGING_OFFSET + 1, 300},
        {300, 0, SEGMENT_BYTES, 300},
        {5000, 0, TCI_STAGING_OFFSET, 5000},
        {UINT64_MAX, 0, TCI_STAGING_OFFSET, UINT64_MAX},
        {300, 0, UINT64_MAX - 63, 300},
        {0, 0, TCI_STAGING_OFFSET, 0},
        {300, 1, TCI_STAGING_OFFSET, 299}, /* not the first */
        {300, 0, TCI_STAGING_OFFSET, 301}, /* more than the total */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        receiver *r = make_staged_receiver();
        assert_status(
            take_staged(r, cases[i].total, cases[i].offset, cases[i].place, cases[i].size),
            TC_E_CORRUPT);
        free_staged_receiver(r);
    }
    receiver *r = make_receiver(); /* that has no segment at all */
    assert_status(take_staged(r, 300, 0, TCI_STAGING_OFFSET, 300), TC_E_CORRUPT);
    free_receiver(r);
}

TEST(a_sender_that_was_refused_may_begin_anew)
{
    receiver *r = make_staged_receiver();
    r->core.options.payload_bytes_max = 1000;
    assert_status(take_staged(r, 1001, 0, TCI_STAGING_OFFSET, 1001), TC_E_TOO_LARGE);
    tci_large_done(&r->ep, &r->whole);
    assert_status(take(r, 5000, 0, 1000, 1), TC_E_TOO_LARGE);
    assert_ok(take_staged(r, 1000, 0, TCI_STAGING_OFFSET, 1000));
    assert_non_null(r->whole.bytes);
    assert_status(take(r, 5000, 0, 1000, 1), TC_E_TOO_LARGE);
    assert_ok(take(r, 250, 0, 100, 1));
    assert_ok(take(r, 250, 100, 150, 1));
    assert_true(r->complete);
    free_staged_receiver(r);
}

TEST(a_sender_whose_function_was_refused_may_begin_anew)
{
    receiver *r = make_receiver();
    r->slot.callable = false;
    assert_ok(take(r, 5000, 0, 1000, 1));
    r->slot.main = run;
    r->slot.callable = true;
    assert_ok(take(r, 250, 0, 250, 1));
    assert_true(r->complete);
    free_receiver(r);
}
