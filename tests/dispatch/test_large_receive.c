/* Pieces from a peer that may send anything. */
#include "dispatch/large_receive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define LIMIT 100000u

typedef struct receiver {
    tci_hub hub;
    tc_ep ep;
    tc_error error;
    bool complete;
} receiver;

static receiver *make_receiver(void)
{
    receiver *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->hub.options.payload_bytes_max = LIMIT;
    r->ep.hub = &r->hub;
    return r;
}

static void free_receiver(receiver *r)
{
    free(r->ep.assembly.bytes);
    free(r);
}

static tc_status take(receiver *r, uint64_t total, uint64_t offset, size_t n, uint8_t fill)
{
    uint8_t *payload = malloc(TCI_PIECE_HEADER_BYTES + n);
    const tci_piece piece = {.total = total, .offset = offset};
    const tci_frame frame = {.payload_size = (uint32_t)(TCI_PIECE_HEADER_BYTES + n),
                             .kind = TCI_FRAME_PIECE};
    tci_piece_encode(&piece, payload);
    memset(payload + TCI_PIECE_HEADER_BYTES, fill, n);
    r->complete = false;
    tc_status status = tci_large_receive(&r->ep, &frame, payload, &r->complete, &r->error);
    free(payload);
    return status;
}

static void pieces_in_order_make_the_payload(void **state)
{
    (void)state;
    receiver *r = make_receiver();
    for (int round = 0; round < 3; round++) {
        assert_int_equal(take(r, 250, 0, 100, 1), TC_OK);
        assert_false(r->complete);
        assert_int_equal(take(r, 250, 100, 100, 2), TC_OK);
        assert_false(r->complete);
        assert_int_equal(take(r, 250, 200, 50, 3), TC_OK);
        assert_true(r->complete);
        assert_int_equal(r->ep.assembly.bytes[99], 1);
        assert_int_equal(r->ep.assembly.bytes[100], 2);
        assert_int_equal(r->ep.assembly.bytes[249], 3);
        tci_large_done(&r->ep);
    }
    free_receiver(r);
}

static void what_does_not_fit_together_is_refused(void **state)
{
    (void)state;
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
        assert_int_equal(take(r, 250, 0, 100, 1), TC_OK);
        assert_int_equal(take(r, second[i].total, second[i].offset, second[i].n, 2),
                         TC_E_CORRUPT);
        free_receiver(r);
    }
    receiver *r = make_receiver();
    assert_int_equal(take(r, 250, 100, 100, 1), TC_E_CORRUPT); /* not the first */
    assert_int_equal(take(r, 0, 0, 1, 1), TC_E_CORRUPT);
    assert_int_equal(take(r, 10, 0, 11, 1), TC_E_CORRUPT);
    free_receiver(r);
}

static void a_payload_above_the_limit_is_said_once_and_passed_over(void **state)
{
    (void)state;
    receiver *r = make_receiver();
    assert_int_equal(take(r, LIMIT + 1, 0, 50000, 1), TC_E_TOO_LARGE);
    assert_non_null(strstr(r->error.text, "100001"));
    assert_null(r->ep.assembly.bytes);
    assert_int_equal(take(r, LIMIT + 1, 50000, 50000, 1), TC_OK);
    assert_int_equal(take(r, LIMIT + 1, 100000, 1, 1), TC_OK);
    assert_false(r->complete);
    assert_int_equal(take(r, 10, 0, 10, 7), TC_OK); /* the next payload is taken */
    assert_true(r->complete);
    tci_large_done(&r->ep);
    assert_int_equal(take(r, UINT64_MAX, 0, 10, 7), TC_E_TOO_LARGE);
    free_receiver(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_order_make_the_payload),
        cmocka_unit_test(what_does_not_fit_together_is_refused),
        cmocka_unit_test(a_payload_above_the_limit_is_said_once_and_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
