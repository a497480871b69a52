/* Payloads of functions that ask for alignment: the bytes sent for them, and frames of a peer
 * that does not align, or falsely claims to. far receives. */
#include "../support/fake_node.h"
#include "archive_layout.h"
#include "core/credit.h"
#include "dispatch/dispatch.h"
#include "dispatch/payload_place.h"
#include "transfer/frame_out.h"
#include "transfer/frame_out.h"
#include "transfer/staging.h"

#include <tc/advanced.h>

static unsigned runs;
static uintptr_t at;
static uint8_t got[8192];
static size_t got_size;

static void run(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    at = (uintptr_t)payload;
    got_size = size;
    memcpy(got, payload, size < sizeof got ? size : sizeof got);
}

static fake_pair pair;
static tc_ifunc *fn;

static void open_pair(unsigned alignment)
{
    const unsigned doubled = (unsigned)__builtin_ctz(alignment / TCI_PAYLOAD_ALIGNMENT_MIN);
    runs = 0;
    fake_pair_open(&pair, FAKE_MAPPED);
    fake_code_of("run")->entries.main = run;
    fn = fake_function(&pair.near->core.registry, "run",
                       TCI_ENTRY_MAIN | doubled << TCI_ALIGNMENT_SHIFT, 64);
    assert_int_equal(tc_ifunc_payload_alignment(fn), alignment);
    assert_int_equal(tc_send(pair.ep, fn, NULL, 0), TC_OK);
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    assert_int_equal(at % alignment, 0);
    runs = 0;
}

static int fresh(void **state)
{
    runs = 0;
    return 0;
}

/* --- sent bytes -------------------------------------------------------------------------- */

static uint64_t place_in_region(void)
{
    return TCI_RING_DATA_OFFSET + (pair.ep->tx.ring.tail & pair.ep->tx.ring.mask);
}

/* To the next multiple, and no further. */
TEST_WITH(a_lead_is_as_short_as_it_can_be, fresh, NULL)
{
    open_pair(64);
    for (unsigned i = 0; i < 200; i++) {
        tci_frame frame;
        const uint8_t *payload;
        size_t lead;
        uint8_t sent[64] = {(uint8_t)i, 1, 2};
        const uint64_t before = pair.ep->tx.ring.tail;
        const uint64_t place = place_in_region();
        assert_int_equal(tc_send(pair.ep, fn, sent, sizeof sent), TC_OK);
        const uint64_t taken = pair.ep->tx.ring.tail - before;
        (void)fake_node_turn(pair.near);
        assert_true(fake_read(pair.peer, &frame, &payload));
        assert_int_equal(frame.kind, TCI_FRAME_CALL);
        assert_int_equal(frame.flags, TCI_ALIGNED);
        assert_int_equal(tci_frame_lead(payload, frame.payload_size, &lead, NULL), TC_OK);
        assert_int_equal(frame.payload_size, lead + sizeof sent);
        assert_memory_equal(payload + lead, sent, sizeof sent);
        if (taken <= 128) { /* no lap was closed */
            assert_int_equal(lead, place % 64 == 0 ? 48 : 16);
            assert_int_equal(taken, lead == 48 ? 128 : 96);
            assert_int_equal((place + TCI_FRAME_HEADER_BYTES + lead) % 64, 0);
        }
        tci_credit_return(pair.peer);
    }
    fake_pair_close(&pair);
}

/* A payload that shares a line with its header, and one that is small beside its lead. */
TEST_WITH(small_payloads_have_no_lead, fresh, NULL)
{
    static const struct {
        unsigned alignment;
        size_t size;
    } cases[] = {{64, 0}, {64, 1}, {64, 48}, {4096, 4}, {4096, 63}, {1024, 60}};
    uint8_t sent[512] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_pair(cases[i].alignment);
        for (unsigned n = 1; n <= 100; n++) {
            const uint64_t before = tci_producer_bytes(&pair.ep->tx.ring);
            assert_int_equal(tc_send(pair.ep, fn, sent, cases[i].size), TC_OK);
            const uint64_t least = tci_frame_align(TCI_FRAME_HEADER_BYTES + cases[i].size);
            const uint64_t taken = tci_producer_bytes(&pair.ep->tx.ring) - before;
            fake_pair_settle(&pair);
            if (cases[i].size <= 48)
                assert_int_equal(taken, least);
            else
                assert_in_range(taken, least, least + TCI_LEAD_ALWAYS);
            assert_int_equal(runs, n);
            assert_int_equal(at % cases[i].alignment, 0);
            assert_int_equal(got_size, cases[i].size);
            assert_memory_equal(got, sent, got_size);
        }
        fake_pair_close(&pair);
    }
}

TEST_WITH(functions_that_do_not_ask_are_sent_as_ever, fresh, NULL)
{
    tci_frame frame;
    const uint8_t *payload;
    open_pair(16);
    assert_int_equal(tc_send(pair.ep, fn, "abc", 3), TC_OK);
    (void)fake_node_turn(pair.near);
    assert_true(fake_read(pair.peer, &frame, &payload));
    assert_int_equal(frame.flags, 0);
    assert_int_equal(frame.payload_size, 3);
    fake_pair_close(&pair);
}

/* --- received frames --------------------------------------------------------------------- */

TEST_WITH(unaligned_calls_are_copied, fresh, NULL)
{
    uint8_t payload[200];
    open_pair(256);
    for (size_t size = 0; size < sizeof payload; size++) {
        memset(payload, (int)size, sizeof payload);
        fake_frame(pair.ep, TCI_FRAME_CALL, 0, fn->index, payload, size);
        (void)tci_dispatch_run(pair.peer);
        tci_credit_return(pair.peer);
        assert_int_equal(runs, size + 1);
        assert_int_equal(at % 256, 0);
        assert_int_equal(got_size, size);
        assert_memory_equal(got, payload, size);
    }
    fake_pair_close(&pair);
}

TEST_WITH(a_lead_of_any_length_is_passed_over, fresh, NULL)
{
    uint8_t payload[256] = {0};
    open_pair(64);
    for (uint32_t lead = 16; lead <= 240; lead += 16) {
        tci_frame_lead_encode(lead, payload);
        memset(payload + lead, (int)lead, sizeof payload - lead);
        fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ALIGNED, fn->index, payload, sizeof payload);
        (void)tci_dispatch_run(pair.peer);
        tci_credit_return(pair.peer);
        assert_int_equal(runs, lead / 16);
        assert_int_equal(at % 64, 0);
        assert_int_equal(got_size, sizeof payload - lead);
        assert_memory_equal(got, payload + lead, got_size);
    }
    fake_pair_close(&pair);
}

TEST_WITH(leads_that_are_none_end_the_endpoint, fresh, NULL)
{
    static const uint32_t bad[] = {0, 8, 80, 4096, UINT32_MAX};
    uint8_t payload[64] = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        open_pair(64);
        tci_frame_lead_encode(bad[i], payload);
        fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ALIGNED, fn->index, payload, sizeof payload);
        (void)tci_dispatch_run(pair.peer);
        fake_expect_failed(pair.peer, TC_E_CORRUPT, "a lead of");
        assert_int_equal(runs, 0);
        fake_pair_close(&pair);
    }
    open_pair(64);
    fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ALIGNED, fn->index, payload, 3);
    (void)tci_dispatch_run(pair.peer);
    fake_expect_failed(pair.peer, TC_E_CORRUPT, "in a payload of 3");
    fake_pair_close(&pair);
}

/* --- moving one -------------------------------------------------------------------------- */

NODE_TEST(what_lies_well_stays_and_the_rest_moves)
{
    uint8_t *bytes = aligned_alloc(4096, 12u << 20), *payload;
    memset(bytes, 7, 12u << 20);
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 5u << 20, 100, 11u << 20, 9};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        payload = bytes + 64;
        assert_int_equal(tci_payload_place(&node->core, 64, &payload, sizes[i], NULL), TC_OK);
        assert_ptr_equal(payload, bytes + 64);
        assert_int_equal(tci_payload_place(&node->core, 4096, &payload, sizes[i], NULL), TC_OK);
        assert_int_equal((uintptr_t)payload % 4096, 0);
        assert_memory_equal(payload, bytes, sizes[i]);
    }
    assert_in_range(node->core.copied.capacity, 1, 4u << 20); /* large memory was freed */
    tci_landing_free(&node->core.copied);
    free(bytes);
}
