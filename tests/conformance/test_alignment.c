/* Functions that ask for the alignment of their payloads (TC_PAYLOAD_ALIGN) have it in every
 * message: wherever in the ring it lies, whatever its size, whichever call sent it. The
 * functions check that by vector loads, which end the process otherwise
 * (tests/shipped/aligned.c). */
#include "../shipped/aligned.h"
#include "../support/pair.h"
#include "../support/test.h"

#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/call.h>

static const char *const names[] = {"aligned32", "aligned64", "aligned1024", "aligned4096"};
static const size_t alignments[] = {32, 64, 1024, 4096};
#define FUNCTIONS (sizeof names / sizeof names[0])

/* A ring of few offsets, so that each of them is used. */
static const char *const small_ring[] = {"ring_bytes", "16K", NULL};

typedef struct bench {
    pair pair;
    aligned_state state;
    tc_ifunc *functions[FUNCTIONS];
    uint8_t *payload;
    uint64_t sent;
} bench;

#define PAYLOAD_MAX ((size_t)6 << 20)

static uint32_t vector_bytes(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 0;
#else
    return 0;
#endif
}

static void open_bench(bench *b, const char *const *options)
{
    *b = (bench){.state = {.vector_bytes = vector_bytes()}};
    pair_open(&b->pair, options);
    pair_pause(&b->pair);
    tc_context_set_target_args(b->pair.target, &b->state);
    pair_resume(&b->pair);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        b->functions[i] = pair_ifunc(&b->pair, names[i]);
        assert_int_equal(tc_ifunc_payload_alignment(b->functions[i]), alignments[i]);
    }
    b->payload = malloc(PAYLOAD_MAX + 1);
    assert_non_null(b->payload);
}

static void expect_all_well(bench *b)
{
    pair_flush(b->pair.ep);
    assert_int_equal(tc_ep_refusal(b->pair.ep, NULL), 0);
    assert_int_equal(b->state.misplaced, 0);
    assert_int_equal(b->state.wrong, 0);
    assert_int_equal(b->state.calls, b->sent);
}

static void close_bench(bench *b)
{
    expect_all_well(b);
    for (size_t i = 0; i < FUNCTIONS; i++)
        tc_ifunc_close(b->functions[i]);
    free(b->payload);
    pair_close(&b->pair);
}

/* From an odd address, so that no copy is aligned by chance. */
static const void *payload_of(bench *b, size_t size)
{
    aligned_fill(b->payload + 1, size);
    return b->payload + 1;
}

static void send_one(bench *b, size_t which, size_t size)
{
    assert_ok(pair_send(b->pair.ep, b->functions[which], payload_of(b, size), size));
    b->sent++;
}

/* --- in the ring ------------------------------------------------------------------------- */

/* Each function by itself at first, then all in turns, with sizes that move the next frame to
 * every granule. Every fourth message is one that asks for nothing. */
TEST(everywhere_in_the_ring)
{
    bench b;
    tc_ep_info info;
    open_bench(&b, small_ring);
    tc_ep_query(b.pair.ep, &info);
    for (size_t which = 0; which < FUNCTIONS; which++) {
        for (size_t i = 0; i < 1500; i++)
            send_one(&b, which, i % 97);
        for (size_t size = 0; size <= info.frame_payload_max; size += 61)
            send_one(&b, which, size);
        send_one(&b, which, info.frame_payload_max);
        expect_all_well(&b);
    }
    for (size_t i = 0; i < 6000; i++)
        send_one(&b, i * 7 % FUNCTIONS, i * i % 401);
    close_bench(&b);
}

TEST(among_functions_that_do_not_ask)
{
    bench b;
    tc_ifunc *plain;
    check_state *of_check;
    uint64_t checked = 0;
    open_bench(&b, small_ring);
    plain = pair_ifunc(&b.pair, "check");
    assert_int_equal(tc_ifunc_payload_alignment(plain), 16);
    of_check = &b.pair.target_state;
    for (size_t i = 0; i < 3000; i++) {
        send_one(&b, 1, i % 70);
        if (i % 3 == 0) { /* its state is another */
            expect_all_well(&b);
            pair_pause(&b.pair);
            tc_context_set_target_args(b.pair.target, of_check);
            pair_resume(&b.pair);
            for (size_t n = 0; n <= i % 5; n++)
                pair_send_check(b.pair.ep, plain, checked++, i % 90);
            pair_flush(b.pair.ep);
            assert_int_equal(of_check->wrong, 0);
            pair_pause(&b.pair);
            tc_context_set_target_args(b.pair.target, &b.state);
            pair_resume(&b.pair);
            i += 60;
        }
    }
    tc_ifunc_close(plain);
    close_bench(&b);
}

/* --- beside the ring --------------------------------------------------------------------- */

TEST(large_payloads)
{
    static const size_t sizes[] = {8192,   16383,   40000,   65536,      100001,
                                   300000, 1 << 20, 1000003, PAYLOAD_MAX};
    bench b;
    open_bench(&b, NULL);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            send_one(&b, (round + i) % FUNCTIONS, sizes[i]);
            send_one(&b, (round + i + 1) % FUNCTIONS, i * 11);
        }
        for (size_t i = 0; i < 40; i++)
            send_one(&b, i % FUNCTIONS, 8200 + i * 1000);
    }
    close_bench(&b);
}

/* --- other calls ------------------------------------------------------------------------- */

TEST(with_its_code_each_time)
{
    bench b;
    open_bench(&b, NULL);
    for (size_t i = 0; i < 400; i++) {
        tc_status status;
        const size_t size = i * 37 % 3000;
        const void *payload = payload_of(&b, size);
        while ((status = tc_send_uncached(b.pair.ep, b.functions[i % FUNCTIONS], payload,
                                          size)) == TC_E_AGAIN)
            (void)tc_wait(b.pair.source, TC_MILLISECONDS(100));
        assert_ok(status);
        b.sent++;
    }
    close_bench(&b);
}

static bool takes_images(void)
{
    const char *form = getenv("TC_FORM");
    return form == NULL || strcmp(form, "bitcode") != 0;
}

TEST(injected)
{
    static const size_t sizes[] = {0, 1, 63, 64, 1000, 5000, 9000, 20000, 30000};
    bench b;
    tc_ep_info info;
    if (!takes_images())
        skip();
    open_bench(&b, NULL);
    tc_ep_query(b.pair.ep, &info);
    for (size_t i = 0; i < 300; i++) {
        tc_status status;
        const size_t size = sizes[i % (sizeof sizes / sizeof sizes[0])];
        const void *payload = payload_of(&b, size);
        if (size + 8192 > info.frame_payload_max)
            continue;
        while ((status = tc_send_injected(b.pair.ep, b.functions[i / 2 % FUNCTIONS], payload,
                                          size)) == TC_E_AGAIN)
            (void)tc_wait(b.pair.source, TC_MILLISECONDS(100));
        assert_ok(status);
        b.sent++;
        (void)tc_progress(b.pair.source); /* is notified of the segment, where there is one */
    }
    close_bench(&b);
}

TEST(calls)
{
    bench b;
    open_bench(&b, NULL);
    for (size_t i = 0; i < 300; i++) {
        uint64_t misplaced = 1;
        size_t answer = sizeof misplaced;
        const size_t size = i < 290 ? i * 13 : i * 1000;
        tc_error error;
        assert_ok(tc_call(b.pair.ep, b.functions[i % FUNCTIONS], payload_of(&b, size), size,
                          &misplaced, &answer, PAIR_TIMEOUT_NS, &error));
        assert_int_equal(misplaced, 0);
        b.sent++;
    }
    close_bench(&b);
}

/* NAME_payload_init has the same alignment, in a frame, in the queue and for large ones. */
TEST(payloads_that_are_made)
{
    bench b;
    tc_message *message;
    size_t size;
    open_bench(&b, small_ring);
    tc_ifunc *made = pair_ifunc(&b.pair, "aligned256");
    for (size_t i = 0; i < 1200; i++) {
        size = i % 10 == 0 ? i * 50 : i % 300;
        assert_ok(pair_send(b.pair.ep, made, b.payload, size));
        b.sent++;
    }
    assert_ok(tc_message_create(made, b.payload, 777, &message, NULL));
    assert_int_equal((uintptr_t)tc_message_payload(message, &size) % 256, 0);
    assert_int_equal(size, 777);
    pair_flush(b.pair.ep);
    assert_ok(tc_message_send(b.pair.ep, message));
    b.sent++;
    tc_message_destroy(message);
    tc_ifunc_close(made);
    close_bench(&b);
}

/* --- code of the target's own ------------------------------------------------------------ */

static void local_main(void *payload, size_t size, void *target_args)
{
    aligned_state *state = target_args;
    state->misplaced += (uintptr_t)payload % 64 != 0;
    state->wrong += !aligned_is_whole(payload, size);
    state->calls++;
}

TEST(local_functions)
{
    bench b;
    tc_error error;
    open_bench(&b, small_ring);
    pair_pause(&b.pair);
    tc_ifunc *local;
    assert_ok(tc_ifunc_open(b.pair.target, "aligned64", &local, &error));
    assert_ok(tc_ifunc_use_local(local, local_main, &error));
    pair_resume(&b.pair);
    for (size_t i = 0; i < 2000; i++)
        send_one(&b, 1, i % 131);
    expect_all_well(&b);
    pair_pause(&b.pair);
    tc_ifunc_close(local);
    pair_resume(&b.pair);
    close_bench(&b);
}
