/* Calls by the stubs give the results that the same functions give here, and messages that lie
 * are refused. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "deeds_calls.h"

#include <math.h>
#include <tc/context.h>

enum { MANY = 3000 };

static tc_error error;

static void expect_ok(tc_status status)
{
    if (status != TC_OK)
        fail_msg("%s", error.text);
}

#define OPEN(function)                                                                         \
    tc_ifunc *function##_fn;                                                                   \
    expect_ok(function##_open(p->source, &function##_fn, &error))

#define CALL(function, ...)                                                                    \
    expect_ok(function##_call(p->ep, function##_fn, __VA_ARGS__, PAIR_TIMEOUT_NS, &error))

PAIR_TEST(arrays)
{
    static const size_t counts[] = {0, 1, 60, 61, 200, MANY};
    static double a[MANY], b[MANY];
    static float here[MANY], there[MANY];
    OPEN(dot);
    OPEN(scale);
    OPEN(measure);
    for (size_t i = 0; i < MANY; i++) {
        a[i] = (double)i - 7;
        b[i] = 1.0 / (double)(i + 1);
        here[i] = there[i] = (float)i;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const size_t n = counts[i];
        double result = -1;
        struct limits expected, found;
        CALL(dot, a, b, n, &result);
        assert_true(fabs(result - dot(a, b, n)) < 1e-9);
        scale(here, n, 1.5f);
        CALL(scale, there, n, 1.5f);
        assert_memory_equal(here, there, sizeof here);
        measure(a, n, &expected);
        CALL(measure, a, n, &found);
        assert_memory_equal(&expected, &found, sizeof found);
    }
}

PAIR_TEST(texts)
{
    static char text[5000];
    int32_t found = 0;
    uint64_t sum = 0;
    OPEN(find);
    OPEN(lengths);
    CALL(find, "there", 'e', &found);
    assert_int_equal(found, 2);
    CALL(find, "", 'e', &found);
    assert_int_equal(found, -1);
    memset(text, 'x', sizeof text - 1);
    for (size_t n = 250; n < 260; n++) { /* around the size of the entry's own buffer */
        text[n] = 'y';
        CALL(find, text, 'y', &found);
        assert_int_equal(found, n);
        text[n] = 'x';
    }
    CALL(lengths, text, "abc", 2, 7.5f, &sum);
    assert_int_equal(sum, lengths(text, "abc", 2, 7.5f));
}

PAIR_TEST(numbers_and_structs)
{
    int64_t here = 5, there = 5, result = 0;
    bool flag = true;
    record in = {1, {2, 3}, {4, 5, 6}, true}, both = {7, {8, 9}, {1, 1, 1}, false}, out, answer;
    record both_here = both, out_here;
    double turned[3] = {4, 5, 6}, turned_here[3] = {4, 5, 6}, last[3], last_here[3];
    OPEN(flip);
    OPEN(change);
    OPEN(turn);
    OPEN(mix);
    OPEN(nothing);
    CALL(flip, true, BLUE, &there, &flag);
    assert_false(flag);
    (void)flip(true, BLUE, &here);
    assert_int_equal(there, here);
    CALL(change, in, &in, &both, &out, &answer);
    record answer_here = change(in, &in, &both_here, &out_here);
    assert_int_equal(answer.set, answer_here.set);
    assert_memory_equal(&answer.limits, &answer_here.limits, sizeof answer.limits);
    assert_memory_equal(&both.limits, &both_here.limits, sizeof both.limits);
    assert_int_equal(out.first, out_here.first);
    assert_memory_equal(out.bytes, out_here.bytes, sizeof out.bytes);
    CALL(turn, (const double[3]){1, 2, 3}, turned, last);
    turn((const double[3]){1, 2, 3}, turned_here, last_here);
    assert_memory_equal(turned, turned_here, sizeof turned);
    assert_memory_equal(last, last_here, sizeof last);
    CALL(mix, -100, 65535, -7, 1u << 31, 2.5f, &result);
    assert_int_equal(result, mix(-100, 65535, -7, 1u << 31, 2.5f));
    expect_ok(nothing_call(p->ep, nothing_fn, PAIR_TIMEOUT_NS, &error));
}

PAIR_TEST(everything_in_one)
{
    static double a[MANY];
    static float here[MANY], there[MANY];
    static int32_t found_here[MANY], found[MANY];
    static uint64_t out_here[MANY], out[MANY];
    OPEN(blend);
    OPEN(squares);
    for (size_t i = 0; i < MANY; i++)
        a[i] = (double)i;
    for (size_t n = 0; n <= MANY; n += 500) {
        struct limits limits_here, limits;
        double result = 0;
        const uint32_t m = (uint32_t)(MANY - n);
        const double expected =
            blend(a, 0.5, here, n, "some label", &limits_here, found_here, m, true);
        CALL(blend, a, 0.5, there, n, "some label", &limits, found, m, true, &result);
        assert_true(result == expected);
        assert_memory_equal(here, there, sizeof here);
        assert_memory_equal(found_here, found, m * sizeof *found);
        assert_memory_equal(&limits, &limits_here, sizeof limits);
        squares(out_here, m);
        CALL(squares, out, m);
        assert_memory_equal(out, out_here, sizeof out);
    }
}

PAIR_TEST(functions_of_another_prototype)
{
    double result = 0;
    struct flip_answer answer;
    OPEN(scale);
    OPEN(flip);
    for (int i = 0; i < 2; i++) {
        assert_status(
            dot_call(p->ep, scale_fn, &result, &result, 1, &result, PAIR_TIMEOUT_NS, &error),
            TC_E_VERSION);
        assert_string_equal(error.text, "function 'scale' is called as "
                                        "'(f64[],f64[])->f64', and it is '(inout f32[],f32)'");
        assert_status(flip_start(p->ep, scale_fn, true, RED, &(int64_t){1}, &answer, 0, NULL,
                                 NULL, NULL, &error),
                      TC_E_VERSION);
        assert_int_equal(note_send(p->ep, flip_fn, "", NULL, 0), TC_E_VERSION);
    }
}

PAIR_TEST(messages_without_an_answer)
{
    static uint8_t bytes[MANY * 20];
    uint64_t noted = 0, expected = 0;
    OPEN(note);
    pair_pause(p);
    assert_ok(tc_context_publish(p->target, "noted", &noted, sizeof noted, &error));
    pair_resume(p);
    memset(bytes, 3, sizeof bytes);
    for (uint32_t n = 0; n <= sizeof bytes; n += MANY / 10) {
        tc_status status;
        while ((status = note_send(p->ep, note_fn, "text", bytes, (uint16_t)n)) == TC_E_AGAIN)
            (void)tc_progress(p->source);
        assert_ok(status);
        expected += 4 + 3 * (uint64_t)n;
    }
    expect_ok(note_call(p->ep, note_fn, "", NULL, 0, PAIR_TIMEOUT_NS, &error));
    pair_flush(p->ep);
    assert_int_equal(noted, expected);
}

/* Bytes between values, and values that the function leaves as they are, are zero. */
PAIR_TEST(answers_have_no_bytes_of_the_target)
{
    static unsigned char found[64];
    static const unsigned char message[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0,
                                            0, 0, 0, 0, 0, 7, 9, 5, 0, 6, 0},
                               expected[] = {3, 0, 0, 0, 0, 0, 0, 0,    1,    0, 0, 0, 0,
                                             0, 0, 0, 2, 0, 0, 0, 0,    0,    0, 0, 0, 0,
                                             0, 0, 7, 0, 0, 0, 0, 0,    0,    0, 0, 0, 0,
                                             0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 5, 0, 6, 0};
    size_t size = sizeof found;
    OPEN(gaps);
    expect_ok(tc_call(p->ep, gaps_fn, message, sizeof message, found, &size, PAIR_TIMEOUT_NS,
                      &error));
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(found, expected, size);
}

typedef struct started {
    tc_status status;
    unsigned ended;
} started;

static void end_flip(void *user, const tc_call_outcome *outcome)
{
    started *s = user;
    s->status = flip_ended(outcome, &error);
    s->ended++;
}

PAIR_TEST(calls_that_do_not_block)
{
    struct flip_answer answers[8];
    started all = {TC_OK, 0};
    OPEN(flip);
    for (int64_t i = 0; i < 8; i++)
        expect_ok(flip_start(p->ep, flip_fn, i % 2 == 0, GREEN, &i, &answers[i], 0, end_flip,
                             &all, NULL, &error));
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(all.ended, 8);
    assert_ok(all.status);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(answers[i].result, i % 2);
        assert_int_equal(answers[i].count, 1 - i);
    }
}

typedef struct varying {
    tc_status status;
    unsigned ended;
    size_t size;
    const void *answer;
    uint64_t *out;
    uint32_t n;
} varying;

static void end_squares(void *user, const tc_call_outcome *outcome)
{
    varying *v = user;
    v->status = squares_ended(outcome, v->answer, v->out, v->n, &error);
    v->size = outcome->result_size;
    v->ended++;
}

PAIR_TEST(varying_answers_of_calls_that_do_not_block)
{
    static const uint32_t counts[] = {0, 1, 200, MANY};
    static uint64_t memory[4][MANY], out[4][MANY], expected[MANY];
    varying all[4];
    OPEN(squares);
    for (unsigned i = 0; i < 4; i++) {
        all[i] = (varying){TC_E_INVALID, 0, 0, memory[i], out[i], counts[i]};
        expect_ok(squares_start(p->ep, squares_fn, counts[i], memory[i],
                                squares_capacity(counts[i]), 0, end_squares, &all[i], NULL,
                                &error));
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(all[i].ended, 1);
        assert_ok(all[i].status);
        squares(expected, counts[i]);
        assert_memory_equal(out[i], expected, counts[i] * sizeof *expected);
    }
}

/* The caller's memory takes a part of the answer: nothing is copied, and the size is there. */
PAIR_TEST(varying_answers_that_do_not_fit)
{
    static uint64_t memory[64], out[64];
    varying v = {TC_OK, 0, 0, memory, out, 64};
    OPEN(squares);
    memset(out, 0x5a, sizeof out);
    expect_ok(squares_start(p->ep, squares_fn, 64, memory, squares_capacity(64) - 1, 0,
                            end_squares, &v, NULL, &error));
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_int_equal(v.ended, 1);
    assert_status(v.status, TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "512"));
    assert_int_equal(v.size, squares_capacity(64));
    for (size_t i = 0; i < 64; i++)
        assert_true(out[i] == 0x5a5a5a5a5a5a5a5au);
    expect_ok(squares_start(p->ep, squares_fn, 64, NULL, 0, 0, end_squares, &v, NULL, &error));
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    assert_status(v.status, TC_E_TOO_LARGE);
}

/* Outcomes that a peer may give: sizes that do not fit the arguments. */
TEST(outcomes_that_lie)
{
    uint64_t answer[8] = {1, 2, 3, 4}, out[2] = {7, 7};
    tc_call_outcome outcome = {.status = TC_OK, .result_size = 2 * sizeof *answer};
    assert_ok(squares_ended(&outcome, answer, out, 2, &error));
    assert_true(out[0] == 1 && out[1] == 2);
    outcome.result_size = 3 * sizeof *answer;
    assert_status(squares_ended(&outcome, answer, out, 2, &error), TC_E_INVALID);
    outcome.result_size = 15;
    assert_status(squares_ended(&outcome, answer, out, 2, &error), TC_E_INVALID);
    outcome = (tc_call_outcome){.status = TC_E_TOO_LARGE, .result_size = 24, .text = "large"};
    assert_status(squares_ended(&outcome, answer, out, 2, &error), TC_E_INVALID);
    outcome.result_size = 16;
    assert_status(squares_ended(&outcome, answer, out, 2, &error), TC_E_TOO_LARGE);
    assert_string_equal(error.text, "large");
    outcome = (tc_call_outcome){.status = TC_E_TIMEOUT, .text = "late"};
    assert_status(squares_ended(&outcome, answer, out, 2, NULL), TC_E_TIMEOUT);
    assert_int_equal(squares_capacity(2), 16);
    assert_true(squares_capacity(UINT32_MAX) == 8 * (size_t)UINT32_MAX);
    assert_true(gaps_capacity(SIZE_MAX, 1, 1) == SIZE_MAX);
}

/* --- messages that lie -------------------------------------------------------------------- */

static void refuse(pair *p, tc_ifunc *fn, const void *bytes, size_t size, const char *text)
{
    static char result[4096];
    size_t result_size = sizeof result;
    assert_status(
        tc_call(p->ep, fn, bytes, size, result, &result_size, PAIR_TIMEOUT_NS, &error),
        TC_E_INVALID);
    if (strstr(error.text, text) == NULL)
        fail_msg("found '%s', expected '%s'", error.text, text);
}

PAIR_TEST(numbers_that_lie)
{
    uint64_t words[5] = {2, 0, 0, 0, 0};
    double result = 0;
    OPEN(dot);
    refuse(p, dot_fn, NULL, 0, "dot: the message's size is 0, expected at least 8");
    refuse(p, dot_fn, words, 7, "dot: the message's size is 7, expected at least 8");
    refuse(p, dot_fn, words, 39,
           "dot: the size of the elements of 'b' is 15, expected a multiple "
           "of 8");
    refuse(p, dot_fn, words, 32,
           "dot: the number of elements of 'b' is 1, expected that of 'a', 2");
    words[0] = 5;
    refuse(p, dot_fn, words, 40, "dot: the number of elements of 'a' is 5, expected at most 4");
    static const uint64_t counts[] = {UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 1,
                                      UINT64_MAX / 8 + 3, (uint64_t)1 << 61};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        words[0] = counts[i];
        refuse(p, dot_fn, words, 40, "expected at most 4");
    }
    CALL(dot, (const double[]){2}, (const double[]){3}, 1, &result);
    assert_true(result == 6);
}

PAIR_TEST(sizes_that_lie)
{
    const char nothing_more[64] = {0};
    char found[32] = "\x62\0\0\0ab\0d";
    uint64_t capacity[2] = {UINT64_MAX, 0};
    OPEN(flip);
    OPEN(find);
    OPEN(squares);
    OPEN(nothing);
    refuse(p, flip_fn, nothing_more, 15, "flip: the message's size is 15, expected 16");
    refuse(p, flip_fn, nothing_more, 17, "flip: the message's size is 17, expected 16");
    refuse(p, flip_fn, nothing_more, 0, "flip: the message's size is 0, expected 16");
    refuse(p, nothing_fn, nothing_more, 1, "nothing: the message's size is 1, expected 0");
    refuse(p, find_fn, found, 3, "find: the message's size is 3, expected at least 4");
    refuse(p, find_fn, found, 8,
           "find: the length up to the first zero of the text 'text' is 2, "
           "expected 4");
    refuse(p, squares_fn, capacity, 8,
           "squares: the number of elements to answer for 'out' is "
           "18446744073709551615, expected at most 8388608");
    capacity[0] = (uint64_t)1 << 32;
    refuse(p, squares_fn, capacity, 8, "expected at most 8388608");
    refuse(p, squares_fn, capacity, 9, "squares: the message's size is 9, expected 8");
    expect_ok(nothing_call(p->ep, nothing_fn, PAIR_TIMEOUT_NS, &error));
}

PAIR_TEST(bools_that_lie)
{
    record in[3] = {{1, {2, 3}, {4, 5, 6}, true}, {1, {2, 3}, {4, 5, 6}, true}, {.set = false}};
    const unsigned char two = 2;
    OPEN(change);
    memcpy((unsigned char *)&in[1] + offsetof(record, set), &two, 1);
    refuse(p, change_fn, in, sizeof in, "change: a bool of 'other' is 2, expected at most 1");
}

/* Returns the next of a row of numbers that is the same each time. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Small numbers in front, so that some of the messages are good. */
static size_t make_bytes(unsigned char *bytes, size_t max, uint64_t *state)
{
    const size_t size = (size_t)(next_random(state) % max);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(next_random(state) % 4 == 0 ? next_random(state) : 0);
    for (size_t i = 0; i + 8 <= size && i < 32; i += 8) {
        const uint64_t number = next_random(state) % 9;
        if (next_random(state) % 2 == 0)
            memcpy(bytes + i, &number, 8);
    }
    return size;
}

PAIR_TEST(bytes_by_chance)
{
    static const char *const names[] = {"dot",     "scale",  "find",  "measure", "nothing",
                                        "flip",    "change", "blend", "turn",    "squares",
                                        "lengths", "mix",    "note",  "gaps"};
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tc_ifunc *fn = pair_ifunc(p, names[i]);
        for (unsigned k = 0; k < 400; k++) {
            unsigned char bytes[200], result[4096];
            const size_t size = make_bytes(bytes, sizeof bytes, &state);
            size_t result_size = sizeof result;
            const tc_status status =
                tc_call(p->ep, fn, bytes, size, result, &result_size, PAIR_TIMEOUT_NS, &error);
            if (status != TC_OK && status != TC_E_INVALID && status != TC_E_TOO_LARGE)
                fail_msg("%s, %zu bytes: %s", names[i], size, error.text);
        }
    }
}
