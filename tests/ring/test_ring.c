/* Producer and consumer against each other, in one thread and in two. */
#include "../support/test.h"
#include "ring/consumer.h"
#include "ring/producer.h"

#include <pthread.h>
#include <sched.h>

#define RING_BYTES 4096u
#define NONCE 0x1122334455667788ull

typedef struct ring_pair {
    uint8_t *region;
    tci_producer tx;
    tci_consumer rx;
} ring_pair;

static void pair_init(ring_pair *pair)
{
    pair->region = aligned_alloc(4096, 8192);
    assert_non_null(pair->region);
    memset(pair->region, 0xee, 8192); /* whatever was there before must not matter */
    tci_consumer_init(&pair->rx, pair->region, RING_BYTES, NONCE);
    tci_producer_init(&pair->tx, pair->region + TCI_RING_DATA_OFFSET, RING_BYTES, NONCE,
                      pair->rx.consumed);
}

static void pair_fini(ring_pair *pair)
{
    free(pair->region);
}

static bool put(ring_pair *pair, uint32_t payload_size, uint8_t fill)
{
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + payload_size;
    const tci_frame header = {
        .payload_size = payload_size, .slot = fill, .kind = TCI_FRAME_CALL};
    uint8_t *frame = tci_producer_reserve(&pair->tx, bytes, 0);
    if (frame == NULL)
        return false;
    memset(frame + TCI_FRAME_HEADER_BYTES, fill, payload_size);
    tci_producer_commit(&pair->tx, frame, bytes, tci_frame_word(&header));
    return true;
}

static bool take(ring_pair *pair, uint32_t payload_size, uint8_t fill)
{
    uint64_t word;
    uint8_t *frame = tci_consumer_peek(&pair->rx, &word);
    if (frame == NULL)
        return false;
    tci_frame header = tci_frame_of_word(word);
    assert_int_equal(header.payload_size, payload_size);
    assert_int_equal(header.slot, fill);
    for (uint32_t i = 0; i < payload_size; i++)
        assert_int_equal(frame[TCI_FRAME_HEADER_BYTES + i], fill);
    tci_consumer_advance(&pair->rx, TCI_FRAME_HEADER_BYTES + payload_size);
    return true;
}

TEST(frames_survive_wrapping_at_every_offset)
{
    const uint32_t largest = (uint32_t)tci_ring_frame_max(RING_BYTES) - TCI_FRAME_HEADER_BYTES;
    for (unsigned granules = 0; granules < RING_BYTES / TCI_FRAME_GRANULE; granules++) {
        for (uint32_t size = 1; size <= largest; size += 67) {
            ring_pair pair;
            pair_init(&pair);
            for (unsigned i = 0; i < granules; i++) {
                assert_true(put(&pair, 1, 1));
                assert_true(take(&pair, 1, 1));
                tci_consumer_publish(&pair.rx);
            }
            for (unsigned i = 0; i < 5; i++) {
                assert_true(put(&pair, size, (uint8_t)(i + 2)));
                assert_true(take(&pair, size, (uint8_t)(i + 2)));
                tci_consumer_publish(&pair.rx);
            }
            assert_false(take(&pair, 0, 0));
            pair_fini(&pair);
        }
    }
}

static void on_ring(void (*test)(ring_pair *pair))
{
    ring_pair pair;
    pair_init(&pair);
    test(&pair);
    pair_fini(&pair);
}

#define RING_TEST(name) TEST_BY(on_ring, name, ring_pair *pair)

RING_TEST(a_full_ring_grants_nothing_until_credit_comes)
{
    unsigned sent = 0;
    while (put(pair, 48, 7))
        sent++;
    /* A sixteenth is kept for control frames. */
    assert_int_equal(sent, (RING_BYTES - RING_BYTES / 16) / 64);
    assert_true(take(pair, 48, 7));
    assert_false(put(pair, 48, 8)); /* consumed, but not published */
    tci_consumer_publish(&pair->rx);
    assert_true(put(pair, 48, 8));
    assert_false(put(pair, 48, 9));
    for (unsigned i = 1; i < sent; i++)
        assert_true(take(pair, 48, 7));
    assert_true(take(pair, 48, 8));
    assert_false(take(pair, 0, 0));
}

RING_TEST(control_frames_pass_a_full_ring)
{
    while (put(pair, 48, 1))
        ;
    unsigned controls = 0;
    const tci_frame header = {.kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_CREDIT};
    for (uint8_t *frame;
         (frame = tci_producer_reserve(&pair->tx, 16, pair->tx.reserve)) != NULL; controls++)
        tci_producer_commit(&pair->tx, frame, 16, tci_frame_word(&header));
    assert_int_equal(controls, RING_BYTES / 16 / TCI_FRAME_GRANULE);
}

TEST(the_largest_frame_always_fits_an_empty_ring)
{
    const uint32_t largest = (uint32_t)tci_ring_frame_max(RING_BYTES) - TCI_FRAME_HEADER_BYTES;
    ring_pair pair;
    pair_init(&pair);
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t small = i % 200;
        assert_true(put(&pair, small, 3));
        assert_true(take(&pair, small, 3));
        tci_consumer_publish(&pair.rx);
        assert_true(put(&pair, largest, 4));
        assert_true(take(&pair, largest, 4));
        tci_consumer_publish(&pair.rx);
    }
    pair_fini(&pair);
}

TEST(a_consumed_word_that_runs_wild_ends_the_credit)
{
    const uint64_t start = tci_ring_start(NONCE);
    const uint64_t wild[] = {start + 32, start + 1,  start - 32,
                             0,          UINT64_MAX, 0x8000000000000000ull};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        ring_pair pair;
        pair_init(&pair);
        tci_ring_store_consumed(pair.rx.consumed, wild[i]);
        tci_producer_refresh(&pair.tx);
        assert_true(pair.tx.broken);
        pair_fini(&pair);
    }
    ring_pair pair;
    pair_init(&pair);
    assert_true(put(&pair, 1, 1));
    assert_true(put(&pair, 1, 1));
    tci_ring_store_consumed(pair.rx.consumed, start + 64);
    tci_producer_refresh(&pair.tx);
    assert_false(pair.tx.broken);
    tci_ring_store_consumed(pair.rx.consumed, start + 32); /* backwards */
    tci_producer_refresh(&pair.tx);
    assert_true(pair.tx.broken);
    pair_fini(&pair);
}

RING_TEST(stale_and_foreign_bytes_are_no_frames)
{
    uint64_t word;
    assert_null(tci_consumer_peek(&pair->rx, &word));
    for (unsigned lap = 0; lap < 3 * RING_BYTES / TCI_FRAME_GRANULE; lap++) {
        assert_true(put(pair, 40, 5));
        assert_true(take(pair, 40, 5));
        assert_null(
            tci_consumer_peek(&pair->rx, &word)); /* the old frame of the last lap is there */
        tci_consumer_publish(&pair->rx);
    }
}

TEST(the_nonce_says_where_frames_begin)
{
    ring_pair pair;
    uint64_t word, start = tci_ring_start(NONCE);
    assert_int_equal(start, 0x11223344u & 0xfc0u);
    pair_init(&pair);
    assert_true(put(&pair, 8, 1));
    assert_ptr_equal(tci_consumer_peek(&pair.rx, &word), pair.rx.ring + start);
    assert_int_equal(tci_producer_bytes(&pair.tx), 32);
    for (uint64_t nonce = 1; nonce != 0; nonce <<= 1) {
        assert_true(tci_ring_start(nonce) < 4096); /* the smallest ring */
        assert_int_equal(tci_ring_start(nonce) % TCI_FRAME_GRANULE, 0);
    }
    pair_fini(&pair);
}

/* The bytes of a frame that ran, signal and all, where the next frame is expected: at once, and
 * laps later. */
TEST(a_frame_that_is_written_again_is_none)
{
    enum { BYTES = 96, KEPT = 100, FRAMES = 10 * RING_BYTES / BYTES };
    static uint8_t kept[KEPT][BYTES];
    ring_pair pair;
    uint64_t word;
    pair_init(&pair);
    for (unsigned i = 0; i < FRAMES; i++) {
        uint8_t *next = pair.rx.ring + (pair.rx.head & pair.rx.mask);
        for (unsigned k = 0; k < KEPT && k < i && tci_consumer_room(&pair.rx) >= BYTES; k++) {
            memcpy(next, kept[k], BYTES);
            assert_null(tci_consumer_peek(&pair.rx, &word));
        }
        assert_true(put(&pair, BYTES - TCI_FRAME_HEADER_BYTES, (uint8_t)i));
        memcpy(kept[i % KEPT], tci_consumer_peek(&pair.rx, &word), BYTES);
        assert_true(take(&pair, BYTES - TCI_FRAME_HEADER_BYTES, (uint8_t)i));
        tci_consumer_publish(&pair.rx);
    }
    pair_fini(&pair);
}

RING_TEST(placed_ranges_must_lie_inside_the_ring)
{
    uint8_t bytes[128] = {0};
    uint64_t word;
    assert_false(tci_consumer_place(&pair->rx, 0, bytes, 15));
    assert_false(tci_consumer_place(&pair->rx, 8, bytes, 16));
    assert_false(tci_consumer_place(&pair->rx, RING_BYTES, bytes, 16));
    assert_false(tci_consumer_place(&pair->rx, UINT64_MAX - 63, bytes, 128));
    assert_false(tci_consumer_place(&pair->rx, RING_BYTES - 64, bytes, 65));
    assert_true(tci_consumer_place(&pair->rx, RING_BYTES - 64, bytes, 64));
    const uint64_t signal = NONCE;
    const tci_frame header = {.payload_size = 1, .kind = TCI_FRAME_CALL};
    const uint64_t header_word = tci_frame_word(&header);
    memcpy(bytes, &signal, 8);
    memcpy(bytes + 8, &header_word, 8);
    bytes[16] = 9;
    assert_true(tci_consumer_place(&pair->rx, tci_ring_start(NONCE), bytes, 17));
    uint8_t *frame = tci_consumer_peek(&pair->rx, &word);
    assert_non_null(frame);
    assert_int_equal(frame[16], 9);
}

RING_TEST(frames_are_counted_by_their_signals)
{
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(tci_producer_frames(&pair->tx) - pair->tx.padding_frames, i);
        assert_true(put(pair, i % 500, 3));
        assert_true(take(pair, i % 500, 3));
        tci_consumer_publish(&pair->rx);
    }
    assert_true(pair->tx.padding_frames > 0);
}

RING_TEST(a_word_of_payload_is_the_same_frame)
{
    uint64_t word;
    const tci_frame header = {.payload_size = 8, .slot = 9, .kind = TCI_FRAME_CALL};
    assert_true(tci_producer_has_granules(&pair->tx, 1));
    tci_producer_commit_word(&pair->tx, tci_producer_next(&pair->tx), tci_frame_word(&header),
                             0x0909090909090909ull);
    assert_true(take(pair, 8, 9));
    assert_null(tci_consumer_peek(&pair->rx, &word));
    assert_int_equal(pair->tx.tail, pair->rx.head);
    assert_true(put(pair, 8, 1)); /* the other way to commit goes on from there */
    assert_true(take(pair, 8, 1));
}

static void put_unsignalled(ring_pair *pair, uint32_t payload_size, uint8_t fill)
{
    const uint64_t bytes = TCI_FRAME_HEADER_BYTES + payload_size;
    const tci_frame header = {
        .payload_size = payload_size, .slot = fill, .kind = TCI_FRAME_CALL};
    uint8_t *frame = tci_producer_try_reserve(&pair->tx, bytes);
    assert_non_null(frame);
    memset(frame + TCI_FRAME_HEADER_BYTES, fill, payload_size);
    tci_producer_commit_unsignalled(&pair->tx, frame, bytes, tci_frame_word(&header));
}

TEST(frames_without_signals_come_together)
{
    uint64_t word;
    for (unsigned count = 1; count <= TCI_UNSIGNALLED_MAX; count++) {
        ring_pair pair;
        pair_init(&pair);
        for (unsigned i = 0; i < count; i++) {
            put_unsignalled(&pair, 64 + 8 * i, (uint8_t)i);
            assert_null(tci_consumer_peek(&pair.rx, &word));
        }
        tci_producer_signal(&pair.tx);
        assert_true(put(&pair, 8, 77)); /* goes on from there */
        for (unsigned i = 0; i < count; i++)
            assert_true(take(&pair, 64 + 8 * i, (uint8_t)i));
        assert_true(take(&pair, 8, 77));
        assert_int_equal(pair.tx.tail, pair.rx.head);
        assert_int_equal(tci_producer_frames(&pair.tx), count + 1);
        pair_fini(&pair);
    }
}

#define THREADED_FRAMES 200000u

static uint32_t size_of(unsigned i)
{
    return (i * 2654435761u >> 16) % 700;
}

static void *produce(void *arg)
{
    ring_pair *pair = arg;
    for (unsigned i = 0; i < THREADED_FRAMES; i++) {
        while (!put(pair, size_of(i), (uint8_t)i))
            sched_yield();
    }
    return NULL;
}

/* The orderings themselves: ThreadSanitizer sees a missing release or acquire here. */
RING_TEST(two_threads_exchange_frames_in_order)
{
    pthread_t producer;
    assert_int_equal(pthread_create(&producer, NULL, produce, pair), 0);
    for (unsigned i = 0; i < THREADED_FRAMES; i++) {
        while (!take(pair, size_of(i), (uint8_t)i))
            sched_yield();
        if (tci_consumer_credit_is_due(&pair->rx))
            tci_consumer_publish(&pair->rx);
    }
    pthread_join(producer, NULL);
}
