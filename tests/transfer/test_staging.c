/* Segments from a peer that may offer anything, and offsets in them. */
#include "../support/test.h"
#include "transfer/staging.h"

#define BYTES (TCI_STAGING_OFFSET + 65536u)
#define NONCE 0x1122334455667788ull

typedef struct receiver {
    tci_core core;
    tc_ep ep;
} receiver;

static receiver *make_receiver(void)
{
    receiver *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->ep.core = &r->core;
    r->ep.rx.arrival.ring_is_mapped = true;
    return r;
}

static tci_segment make_segment(void)
{
    const uint64_t nonce = NONCE;
    tci_segment segment;
    assert_ok(tci_segment_create(BYTES, &segment, NULL));
    memcpy(segment.base, &nonce, sizeof nonce);
    return segment;
}

static void offer(receiver *r, uint32_t id, uint64_t bytes, uint64_t nonce)
{
    const tci_segment_offer said = {.id = id, .bytes = bytes, .nonce = nonce};
    uint8_t payload[TCI_SEGMENT_OFFER_BYTES];
    tci_segment_offer_encode(&said, payload);
    tci_staging_attach(&r->ep, payload, sizeof payload);
}

TEST(an_offer_is_attached_once)
{
    receiver *r = make_receiver();
    tci_segment segment = make_segment(), other = make_segment();
    offer(r, segment.id, BYTES, NONCE);
    assert_non_null(r->ep.rx.staged.base);
    assert_int_equal(r->ep.rx.staged.id, segment.id);
    segment.base[TCI_STAGING_OFFSET] = 42;
    assert_int_equal(*tci_staging_at(&r->ep, TCI_STAGING_OFFSET, 1), 42);
    offer(r, other.id, BYTES, NONCE);
    assert_int_equal(r->ep.rx.staged.id, segment.id);
    tci_staging_fini(&r->ep);
    assert_null(r->ep.rx.staged.base);
    tci_segment_detach(&segment);
    tci_segment_detach(&other);
    free(r);
}

TEST(offers_that_are_no_good_are_passed_over)
{
    receiver *r = make_receiver();
    tci_segment segment = make_segment();
    offer(r, segment.id, BYTES, NONCE + 1);
    offer(r, segment.id, 1u << 24, NONCE); /* more than there is */
    offer(r, segment.id, 0, NONCE);
    offer(r, segment.id, UINT64_MAX, NONCE);
    offer(r, UINT32_MAX, BYTES, NONCE);
    tci_staging_attach(&r->ep, (const uint8_t *)"short", 5);
    assert_null(r->ep.rx.staged.base);
    r->ep.rx.arrival.ring_is_mapped = false;
    offer(r, segment.id, BYTES, NONCE);
    assert_null(r->ep.rx.staged.base);
    tci_staging_open(&r->ep); /* nothing was offered to it */
    assert_false(tci_staging_prepare(&r->ep));
    tci_segment_detach(&segment);
    free(r);
}

TEST(places_are_inside)
{
    static const struct {
        uint64_t place, size;
        bool good;
    } cases[] = {
        {TCI_STAGING_OFFSET, 65536, true},
        {TCI_STAGING_OFFSET, 65537, false},
        {TCI_STAGING_OFFSET + 64, 1, true},
        {TCI_STAGING_OFFSET + 16, 1, false},
        {0, 1, false},
        {TCI_STAGING_OFFSET - 64, 1, false},
        {BYTES, 1, false},
        {BYTES - 64, 64, true},
        {BYTES - 64, 65, false},
        {UINT64_MAX - 63, 64, false},
        {BYTES + 64, UINT64_MAX, false},
        {TCI_STAGING_OFFSET, UINT64_MAX, false},
    };
    receiver *r = make_receiver();
    tci_segment segment = make_segment();
    assert_null(tci_staging_at(&r->ep, TCI_STAGING_OFFSET, 1)); /* no segment is attached */
    offer(r, segment.id, BYTES, NONCE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(tci_staging_at(&r->ep, cases[i].place, cases[i].size) != NULL,
                         cases[i].good);
    tci_staging_fini(&r->ep);
    tci_segment_detach(&segment);
    free(r);
}
