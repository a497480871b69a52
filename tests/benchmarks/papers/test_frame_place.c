/* Where a receiver expects its next frame, in a ring of this test's own. */
#include "../../../benchmarks/papers/frame_place.h"
#include "../../support/test.h"

#define FRAME_BYTES 96u
#define RING_BYTES 1024u /* ten frames, and too little space for another */
#define FRAMES 10u

typedef struct bench {
    _Alignas(64) unsigned char ring[RING_BYTES];
    uint64_t signal;
    frame_watch watch;
} bench;

static unsigned char *payload_at(bench *made, unsigned number)
{
    return made->ring + number % FRAMES * FRAME_BYTES + FRAME_SIGNAL_BEFORE;
}

/* As a sender does: behind the last frame of a lap is one that marks its end. */
static void send(bench *made, unsigned number)
{
    made->signal += (number > 0 && number % FRAMES == 0 ? 2 : 1) * FRAME_SIGNAL_STEP;
    memcpy(payload_at(made, number) - FRAME_SIGNAL_BEFORE, &made->signal, sizeof made->signal);
}

static void receive(bench *made, unsigned number)
{
    send(made, number);
    frame_watch_note(&made->watch, payload_at(made, number));
}

TEST(places_are_known_after_a_lap)
{
    bench made = {.signal = 7};
    for (unsigned number = 0; number < 3 * FRAMES + 5; number++) {
        const unsigned char *next =
            number > 0 ? frame_watch_next(&made.watch, NULL) : payload_at(&made, 0);
        if (number > FRAMES) {
            assert_ptr_equal(next, payload_at(&made, number));
            assert_false(frame_watch_sees(&made.watch, next));
            send(&made, number);
            assert_true(frame_watch_sees(&made.watch, next));
            frame_watch_note(&made.watch, next);
            continue;
        }
        assert_true(number == 0 || next == NULL);
        receive(&made, number);
    }
}

TEST(bursts_are_found_one_behind_the_other)
{
    bench made = {.signal = 7};
    const unsigned char *payload = NULL;
    for (unsigned number = 0; number < 2 * FRAMES + 4; number++)
        receive(&made, number);
    for (unsigned number = 2 * FRAMES + 4; number < 3 * FRAMES + 3; number++) {
        payload = frame_watch_next(&made.watch, payload);
        assert_ptr_equal(payload, payload_at(&made, number));
        send(&made, number);
    }
    /* The distance between frames is the same as before. */
    frame_watch_skip(&made.watch, payload);
    assert_ptr_equal(frame_watch_next(&made.watch, NULL), payload_at(&made, 3 * FRAMES + 3));
}

TEST(other_frames_in_between_cost_one_message)
{
    bench made = {.signal = 7};
    for (unsigned number = 0; number < FRAMES + 3; number++)
        receive(&made, number);
    made.signal += 5 * FRAME_SIGNAL_STEP;
    send(&made, FRAMES + 3);
    assert_false(frame_watch_sees(&made.watch, frame_watch_next(&made.watch, NULL)));
    frame_watch_note(&made.watch, payload_at(&made, FRAMES + 3));
    send(&made, FRAMES + 4);
    assert_true(frame_watch_sees(&made.watch, frame_watch_next(&made.watch, NULL)));
}

TEST(moved_bytes_are_what_they_were)
{
    unsigned char bytes[3000], same[sizeof bytes];
    assert_true(frame_place_can_move());
    for (size_t i = 0; i < sizeof bytes; i++)
        same[i] = bytes[i] = (unsigned char)(i * 37);
    for (size_t size = 0; size < 200; size += 7)
        for (frame_placement where = 0; where < FRAME_PLACEMENTS; where++)
            frame_place_move(where, bytes + size, sizeof bytes - 2 * size);
    assert_memory_equal(bytes, same, sizeof bytes);
}
