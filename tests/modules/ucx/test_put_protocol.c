/* Frames through a network that reorders puts, to a consumer that checks every byte of them;
 * and the protocol broken on purpose, which the same check has to notice. */
#include "../../support/test.h"
#include "reordering_network.h"

#include "ring/consumer.h"
#include "ring/producer.h"

#define NONCE 0x1122334455667788ull
#define GRANULES_MAX 4096u

typedef struct run {
    uint64_t ring_bytes;
    uint8_t *own_ring;
    uint8_t *region;
    tci_ring_word credit;
    tci_producer tx;
    tci_consumer rx;
    tci_frame_batches batches;
    reordering_network net;
    uint64_t random;
    uint64_t sent;
    uint64_t taken;
    uint64_t starts; /* granules at which a frame has started */
    bool start_seen[GRANULES_MAX];
    bool wrong;
} run;

/* --- carriers: the protocol, and mistakes of others -------------------------------- */

static void as_specified(void *user, tci_batch *batch)
{
    run *r = user;
    assert_ok(tci_put_batch(&r->net.seam, batch));
}

/* As with a UCX with blocking fences. */
static void by_flush(void *user, tci_batch *batch)
{
    run *r = user;
    r->net.seam.fence = NULL;
    assert_ok(tci_put_batch(&r->net.seam, batch));
}

static tc_status early_flush(void *user, tci_link_op *op, bool *under_way_out)
{
    (void)user;
    (void)op;
    *under_way_out = false;
    return TC_OK;
}

static void by_a_flush_that_does_not_wait(void *user, tci_batch *batch)
{
    run *r = user;
    r->net.seam.fence = NULL;
    r->net.seam.flush = early_flush;
    assert_ok(tci_put_batch(&r->net.seam, batch));
}

static tc_status no_fence(void *user)
{
    (void)user;
    return TC_OK;
}

static void without_a_fence(void *user, tci_batch *batch)
{
    run *r = user;
    tci_put_network unfenced = r->net.seam;
    unfenced.fence = no_fence;
    assert_ok(tci_put_batch(&unfenced, batch));
}

static void signal_in_the_same_put(void *user, tci_batch *batch)
{
    run *r = user;
    uint64_t offset = tci_batch_offset(batch);
    tci_link_op *op = tci_batch_op(batch, 0);
    bool under_way;
    assert_ok(r->net.seam.put(&r->net, offset, r->own_ring + offset, tci_batch_bytes(batch), op,
                              &under_way));
    assert_ok(r->net.seam.fence(&r->net));
    if (!under_way)
        tci_batch_op_ended(op);
}

/* --- frames ------------------------------------------------------------------------------- */

static uint64_t scramble(uint64_t n)
{
    n = (n ^ n >> 31) * 0x9fb21c651e98df25ull;
    return n ^ n >> 28;
}

/* Mostly small, now and then the largest that the ring takes. */
static uint32_t payload_size(const run *r, uint64_t number)
{
    uint64_t dice = scramble(number + 1);
    uint64_t largest = tci_ring_frame_max(r->ring_bytes) - TCI_FRAME_HEADER_BYTES;
    uint64_t bound = dice % 64 == 0 ? largest : dice % 8 == 0 ? 512 : 64;
    return (uint32_t)(scramble(dice) % (bound + 1));
}

static uint8_t payload_byte(uint64_t number, uint32_t i)
{
    return (uint8_t)(number * 167 + number / 251 + i * 13);
}

static bool send_one(run *r)
{
    const tci_frame header = {.payload_size = payload_size(r, r->sent),
                              .slot = (uint16_t)r->sent,
                              .kind = TCI_FRAME_CALL};
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + header.payload_size;
    uint8_t *frame = tci_producer_reserve(&r->tx, bytes, 0);
    assert_false(r->tx.broken);
    if (frame == NULL)
        return false;
    for (uint32_t i = 0; i < header.payload_size; i++)
        frame[TCI_FRAME_HEADER_BYTES + i] = payload_byte(r->sent, i);
    uint64_t position = r->tx.tail;
    tci_producer_commit(&r->tx, frame, bytes, tci_frame_word(&header));
    tci_frame_batches_push(&r->batches, position, bytes);
    r->sent++;
    return true;
}

static bool is_right(const run *r, const uint8_t *frame, const tci_frame *header)
{
    if (r->taken == r->sent || header->payload_size != payload_size(r, r->taken) ||
        header->slot != (uint16_t)r->taken || header->kind != TCI_FRAME_CALL ||
        header->flags != 0)
        return false;
    for (uint32_t i = 0; i < header->payload_size; i++) {
        if (frame[TCI_FRAME_HEADER_BYTES + i] != payload_byte(r->taken, i))
            return false;
    }
    return true;
}

static void take_all(run *r)
{
    uint64_t word;
    uint8_t *frame;
    while (!r->wrong && (frame = tci_consumer_peek(&r->rx, &word)) != NULL) {
        tci_frame header = tci_frame_of_word(word);
        r->wrong = !is_right(r, frame, &header);
        if (r->wrong) /* no frame, perhaps */
            return;
        size_t granule = (size_t)(frame - r->rx.ring) / TCI_FRAME_GRANULE;
        r->starts += !r->start_seen[granule];
        r->start_seen[granule] = true;
        tci_consumer_advance(&r->rx, TCI_FRAME_HEADER_BYTES + header.payload_size);
        r->taken++;
    }
}

/* --- runs --------------------------------------------------------------------------------- */

static void run_init(run *r, uint64_t ring_bytes, uint64_t seed, tci_batch_carrier carrier)
{
    size_t region_bytes = tci_ring_region_bytes(ring_bytes);
    memset(r, 0, sizeof *r);
    r->ring_bytes = ring_bytes;
    r->random = seed;
    r->own_ring = aligned_alloc(4096, ring_bytes);
    r->region = aligned_alloc(4096, (region_bytes + 4095) & ~(size_t)4095);
    assert_non_null(r->own_ring);
    assert_non_null(r->region);
    memset(r->region, 0xee, region_bytes);
    tci_consumer_init(&r->rx, r->region, ring_bytes, NONCE);
    tci_producer_init(&r->tx, r->own_ring, ring_bytes, NONCE, &r->credit);
    tci_ring_store_consumed(&r->credit, r->rx.head);
    assert_true(tci_frame_batches_init(&r->batches, TCI_BATCH_OPS_MAX, ring_bytes, 8000,
                                       tci_ring_start(NONCE), carrier, r));
    reordering_network_init(&r->net, r->region + TCI_RING_DATA_OFFSET, ring_bytes, seed);
    r->net.seam.ring = r->own_ring;
}

static void run_fini(run *r)
{
    reordering_network_fini(&r->net);
    tci_frame_batches_fini(&r->batches);
    free(r->region);
    free(r->own_ring);
}

/* One thing that happens. The consumer looks after every piece that arrives, as one that polls
 * without end would. */
static void do_something(run *r, uint64_t frames)
{
    switch (random_below(&r->random, 8)) {
    case 0:
        tci_frame_batches_turn(&r->batches);
        return;
    case 1:
        tci_ring_store_consumed(&r->credit, r->rx.head);
        return;
    case 2:
    case 3:
        for (uint64_t burst = random_below(&r->random, 24); burst > 0; burst--) {
            if (r->sent == frames || !send_one(r))
                return;
        }
        return;
    default:
        if (reordering_network_step(&r->net))
            take_all(r);
    }
}

/* Until all frames were taken or one was wrong. False: they stopped coming. */
static bool run_frames(run *r, uint64_t frames)
{
    for (uint64_t left = frames * 200; left > 0; left--) {
        if (r->taken == frames || r->wrong)
            return true;
        do_something(r, frames);
    }
    return false;
}

static void check_protocol(tci_batch_carrier carrier, uint64_t ring_bytes, uint64_t seed,
                           uint64_t frames)
{
    static run r;
    run_init(&r, ring_bytes, seed, carrier);
    assert_true(run_frames(&r, frames));
    assert_false(r.wrong);
    assert_int_equal(r.taken, frames);
    while (reordering_network_step(&r.net))
        take_all(&r);
    assert_false(r.wrong);
    assert_int_equal(r.taken, frames);
    assert_true(r.net.reordered > 1000);
    assert_int_equal(r.starts, ring_bytes / TCI_FRAME_GRANULE);
    assert_int_equal(r.batches.completed, r.batches.made);
    run_fini(&r);
}

TEST(every_frame_arrives_whole_and_in_order)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_protocol(as_specified, 4096, seed, 100000);
}

/* Batches reach their largest size here. */
TEST(so_it_does_in_a_larger_ring)
{
    for (uint64_t seed = 11; seed <= 12; seed++)
        check_protocol(as_specified, 65536, seed, 200000);
}

TEST(a_flush_serves_in_place_of_a_fence)
{
    for (uint64_t seed = 31; seed <= 34; seed++)
        check_protocol(by_flush, 4096, seed, 50000);
    check_protocol(by_flush, 65536, 35, 100000);
}

static void send_alone(run *r)
{
    assert_true(send_one(r));
    tci_frame_batches_turn(&r->batches);
}

/* Nor does anything else leave: the link has failed. */
TEST(after_a_flush_that_failed_no_signal_leaves)
{
    static run r;
    for (uint64_t seed = 41; seed <= 48; seed++) {
        run_init(&r, 4096, seed, by_flush);
        while (r.net.flush_count < 3)
            send_alone(&r);
        reordering_network_fail(&r.net);
        assert_true(r.net.first == r.net.end);
        assert_int_equal(r.batches.completed, r.batches.submitted);
        take_all(&r);
        assert_false(r.wrong);
        run_fini(&r);
    }
}

static void check_is_caught(tci_batch_carrier carrier)
{
    static run r;
    for (uint64_t seed = 21; seed <= 28; seed++) {
        run_init(&r, 4096, seed, carrier);
        assert_true(run_frames(&r, 20000));
        assert_true(r.wrong);
        run_fini(&r);
    }
}

TEST(a_missing_fence_is_caught)
{
    check_is_caught(without_a_fence);
}

TEST(a_flush_that_does_not_wait_is_caught)
{
    check_is_caught(by_a_flush_that_does_not_wait);
}

TEST(a_signal_in_the_same_put_is_caught)
{
    check_is_caught(signal_in_the_same_put);
}
