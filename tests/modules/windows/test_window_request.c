/* The bytes of requests and answers: what a program's steps become, and each refusal. */
#include "../../support/test.h"
#include "modules/windows/window_request.h"

static const tc_gptr at = {.window = 2, .generation = 3, .offset = 16};

static tci_window_request taken(const tc_window_step *steps, size_t count)
{
    tci_window_request request;
    tc_error error = {0};
    if (tci_window_request_take(steps, sizeof *steps, count, &request, &error) != TC_OK)
        fail_msg("%s", error.text);
    return request;
}

static size_t encoded(const tc_window_step *steps, size_t count, uint8_t *out)
{
    const tci_window_request request = taken(steps, count);
    tci_window_request_encode(&request, out);
    return tci_window_request_bytes(&request);
}

static void expect_refused(const uint8_t *bytes, size_t size, tc_status status,
                           const char *text)
{
    tci_window_request request;
    tc_error error = {0};
    assert_status(tci_window_request_decode(bytes, size, &request, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, text);
}

/* With the frame's header and its route a get of 8 bytes takes one cache line. */
TEST(a_get_is_20_bytes)
{
    static const uint8_t expected[] = {1, 0, 0,  1, 2, 0, 3, 0, 7, 0,
                                       0, 0, 16, 0, 0, 0, 0, 0, 0, 0};
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    const tc_window_step step = tc_window_step_get(at, NULL, 7);
    assert_int_equal(encoded(&step, 1, bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static tc_window_step all_steps[7];

static void make_all(void)
{
    all_steps[0] = tc_window_step_get(at, NULL, 8);
    all_steps[1] = tc_window_step_put(at, "some text", 9);
    all_steps[2] = tc_window_step_fetch_add(at, 11, NULL);
    all_steps[3] = tc_window_step_compare_swap(at, 12, 13, NULL);
    all_steps[4] = tc_window_step_masked_compare_swap(at, 14, 15, 16, 17, NULL);
    all_steps[5] = tc_window_step_allocate(at, 18, NULL);
    all_steps[6] = tc_window_step_put(at, "more", 4);
    all_steps[4].condition = TC_WINDOW_IF_FAILED;
    all_steps[6].condition = TC_WINDOW_IF_SUCCEEDED;
    all_steps[6].base = 6;
}

/* An allocation has no offset: its size is there. */
TEST(an_allocation_may_be_of_more_bytes_than_32_bits_have)
{
    static const uint8_t expected[] = {6, 0, 0, 1, 2, 0, 3, 0, 0, 0,
                                       0, 0, 7, 0, 0, 0, 0, 1, 0, 0};
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    tci_window_request request;
    const tc_window_step step = tc_window_step_allocate(at, (1ull << 40) + 7, NULL);
    assert_int_equal(encoded(&step, 1, bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_ok(tci_window_request_decode(bytes, sizeof expected, &request, NULL));
    assert_int_equal(request.steps[0].size, (1ull << 40) + 7);
    assert_int_equal(request.steps[0].offset, 0);
    bytes[8] = 7;
    expect_refused(bytes, sizeof expected, TC_E_CORRUPT, "allocate with 7 in bytes 8 to 11");
}

TEST(requests_come_back_as_they_were)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES + 16];
    tci_window_request request;
    make_all();
    const size_t size = encoded(all_steps, 7, bytes);
    assert_ok(tci_window_request_decode(bytes, size, &request, NULL));
    assert_int_equal(request.count, 7);
    assert_int_equal(request.result_bytes, 8 + 8 + 8 + 8 + 8);
    assert_int_equal(request.put_bytes, 13);
    assert_int_equal(request.steps[0].window, 2);
    assert_int_equal(request.steps[0].generation, 3);
    assert_int_equal(request.steps[0].offset, 16);
    assert_memory_equal(request.steps[1].data, "some text", 9);
    assert_int_equal(request.steps[2].words[0], 11);
    assert_int_equal(request.steps[3].words[0], 13);
    assert_int_equal(request.steps[3].words[1], 12);
    for (unsigned i = 0; i < TCI_WINDOW_WORDS_MAX; i++)
        assert_int_equal(request.steps[4].words[i], i == 0   ? 16
                                                    : i == 1 ? 14
                                                    : i == 2 ? 15
                                                             : 17);
    assert_int_equal(request.steps[4].condition, TC_WINDOW_IF_FAILED);
    assert_int_equal(request.steps[5].offset, 0);
    assert_int_equal(request.steps[6].base, 6);
    assert_memory_equal(request.steps[6].data, "more", 4);
}

TEST(each_cut_is_refused)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES + 16] = {0};
    make_all();
    const size_t size = encoded(all_steps, 7, bytes);
    for (size_t cut = 0; cut < size; cut++)
        expect_refused(bytes, cut, TC_E_CORRUPT, "expected");
    expect_refused(bytes, size + 1, TC_E_CORRUPT, "14 bytes behind the steps, expected the 13");
}

TEST(bytes_that_break_the_format_are_refused)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    const tc_window_step step = tc_window_step_get(at, NULL, 7);
    static const struct {
        size_t at;
        uint8_t value;
        tc_status status;
        const char *text;
    } cases[] = {
        {3, 0, TC_E_TOO_LARGE, "a chain of 0 steps, expected 1 to 16"},
        {3, 17, TC_E_TOO_LARGE, "a chain of 17 steps, expected 1 to 16"},
        {3, 2, TC_E_CORRUPT, "ends in step 2, expected 20 bytes"},
        {0, 0, TC_E_INVALID, "step 1: operation 0, expected 1 to 7"},
        {0, 7, TC_E_INVALID, "step 1: describe at offset 16, expected 0"},
        {0, 8, TC_E_INVALID, "step 1: operation 8, expected 1 to 7"},
        {0, 255, TC_E_INVALID, "step 1: operation 255, expected 1 to 7"},
        {1, 1, TC_E_INVALID, "condition 1 on the step before, expected 0"},
        {1, 3, TC_E_INVALID, "step 1: condition 3, expected 0 to 2"},
        {2, 1, TC_E_INVALID, "takes its offset from step 1, expected an earlier one"},
        {2, 9, TC_E_INVALID, "takes its offset from step 9, expected an earlier one"},
        {8, 0, TC_E_INVALID, "step 1: get of 0 bytes, expected 1 at least"},
        {10, 8, TC_E_TOO_LARGE, "bytes to get, expected 524288 at most"},
        {11, 255, TC_E_TOO_LARGE, "bytes to get, expected 524288 at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t size = encoded(&step, 1, bytes);
        bytes[cases[i].at] = cases[i].value;
        expect_refused(bytes, size, cases[i].status, cases[i].text);
    }
}

TEST(the_number_of_steps_is_in_the_first_alone)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    const tc_window_step steps[2] = {tc_window_step_get(at, NULL, 7),
                                     tc_window_step_get(at, NULL, 7)};
    const size_t size = encoded(steps, 2, bytes);
    assert_int_equal(bytes[3], 2);
    bytes[TCI_WINDOW_STEP_BYTES + 3] = 1;
    expect_refused(bytes, size, TC_E_CORRUPT, "step 2: 1 in byte 3, expected 0");
}

static void expect_not_taken(const tc_window_step *steps, size_t count, tc_status status,
                             const char *text)
{
    tci_window_request request;
    tc_error error = {0};
    assert_status(tci_window_request_take(steps, sizeof *steps, count, &request, &error),
                  status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, text);
}

TEST(steps_of_the_program_are_checked_alike)
{
    tc_window_step steps[17];
    for (unsigned i = 0; i < 17; i++)
        steps[i] = tc_window_step_get(at, NULL, 8);
    expect_not_taken(steps, 0, TC_E_TOO_LARGE, "a chain of 0 steps");
    expect_not_taken(steps, 17, TC_E_TOO_LARGE, "a chain of 17 steps");
    steps[2].base = 3;
    expect_not_taken(steps, 3, TC_E_INVALID, "step 3: takes its offset from step 3");
    steps[2].base = 4;
    expect_not_taken(steps, 5, TC_E_INVALID, "step 3: takes its offset from step 4");
    steps[2].base = 256;
    expect_not_taken(steps, 3, TC_E_INVALID, "base 256, expected numbers up to 255");
    steps[2].base = 2;
    steps[1].size = 16;
    expect_not_taken(steps, 3, TC_E_INVALID, "from step 2, which has no result of 8 bytes");
    steps[1] = tc_window_step_put(at, "12345678", 8);
    expect_not_taken(steps, 3, TC_E_INVALID, "from step 2, which has no result of 8 bytes");
    steps[0].operand = 1;
    expect_not_taken(steps, 1, TC_E_INVALID, "a value or a mask that its operation 1 does not");
    steps[0] = tc_window_step_fetch_add(at, 1, NULL);
    steps[0].size = 4;
    expect_not_taken(steps, 1, TC_E_INVALID, "fetch and add of 4 bytes, expected 8");
    steps[0] = tc_window_step_allocate(at, 8, NULL);
    steps[0].at.offset = 8;
    expect_not_taken(steps, 1, TC_E_INVALID, "allocate at offset 8, expected 0");
    steps[0] = tc_window_step_of(TC_WINDOW_DESCRIBE, tc_gptr_add(at, 8), 40, NULL);
    expect_not_taken(steps, 1, TC_E_INVALID, "describe at offset 24, expected 0");
    steps[0] = tc_window_step_get(at, NULL, 8);
    steps[1] = tc_window_step_allocate(at, 8, NULL);
    steps[1].base = 1;
    expect_not_taken(steps, 2, TC_E_INVALID,
                     "an operation that has no offset takes one from step 1");
}

TEST(sums_of_bytes_have_a_bound_and_do_not_wrap)
{
    tc_window_step steps[3];
    for (unsigned i = 0; i < 3; i++)
        steps[i] = tc_window_step_get(at, NULL, TC_WINDOW_BYTES_MAX / 2);
    (void)taken(steps, 2);
    expect_not_taken(steps, 3, TC_E_TOO_LARGE, "524288 and 262144 bytes to get");
    steps[2].size = UINT64_MAX;
    expect_not_taken(steps, 3, TC_E_TOO_LARGE, "expected 524288 at most");
    steps[0] = tc_window_step_put(at, NULL, 1);
    steps[1] = tc_window_step_put(at, NULL, TC_WINDOW_BYTES_MAX);
    expect_not_taken(steps, 2, TC_E_TOO_LARGE, "1 and 524288 bytes to put");
    steps[1].size = UINT64_MAX;
    expect_not_taken(steps, 2, TC_E_TOO_LARGE, "bytes to put");
}

TEST(a_newer_programs_steps_are_refused_if_they_use_more)
{
    struct {
        tc_window_step step;
        uint64_t more;
    } newer = {tc_window_step_get(at, NULL, 8), 0};
    tci_window_request request;
    assert_ok(tci_window_request_take(&newer.step, sizeof newer, 1, &request, NULL));
    newer.more = 1;
    assert_status(tci_window_request_take(&newer.step, sizeof newer, 1, &request, NULL),
                  TC_E_UNSUPPORTED);
}

/* --- answers ------------------------------------------------------------------------------ */

/* `results` bytes behind the head. */
static void expect_answer(const tci_window_request *request, tci_window_answer answer,
                          size_t results, bool taken_so)
{
    uint8_t bytes[TCI_WINDOW_ANSWER_BYTES + 64] = {0};
    tci_window_answer again;
    tc_error error = {0};
    tci_window_answer_encode(&answer, bytes);
    const tc_status status = tci_window_answer_decode(bytes, TCI_WINDOW_ANSWER_BYTES + results,
                                                      request, &again, &error);
    if (status != (taken_so ? TC_OK : TC_E_CORRUPT))
        fail_msg("done %#x, succeeded %#x, %zu bytes: %s", answer.done, answer.succeeded,
                 results, tc_status_name(status));
    if (!taken_so) {
        assert_true(error.text[0] != '\0');
        return;
    }
    assert_int_equal(again.done, answer.done);
    assert_int_equal(again.succeeded, answer.succeeded);
    assert_ptr_equal(again.results, bytes + TCI_WINDOW_ANSWER_BYTES);
}

static tci_window_answer answer_of(uint16_t done, uint16_t succeeded)
{
    return (tci_window_answer){.done = done, .succeeded = succeeded};
}

TEST(answers_agree_with_the_conditions)
{
    tc_window_step steps[3] = {tc_window_step_compare_swap(at, 1, 2, NULL),
                               tc_window_step_get(at, NULL, 4), tc_window_step_put(at, "x", 1)};
    steps[1].condition = TC_WINDOW_IF_SUCCEEDED;
    steps[2].condition = TC_WINDOW_IF_FAILED;
    const tci_window_request request = taken(steps, 3);
    expect_answer(&request, answer_of(3, 3), 12, true);
    expect_answer(&request, answer_of(5, 4), 12, true);
    expect_answer(&request, answer_of(3, 3), 11, false);
    expect_answer(&request, answer_of(3, 3), 13, false);
    expect_answer(&request, answer_of(5, 4), 8, false);
    expect_answer(&request, answer_of(7, 7), 12, false);  /* both conditions */
    expect_answer(&request, answer_of(3, 2), 12, false);  /* swapped or not */
    expect_answer(&request, answer_of(5, 0), 12, false);  /* a put always succeeds */
    expect_answer(&request, answer_of(0, 0), 12, false);  /* the first is always done */
    expect_answer(&request, answer_of(1, 1), 12, false);  /* the second is due */
    expect_answer(&request, answer_of(11, 3), 12, false); /* a fourth step */
    expect_answer(&request, answer_of(1, 3), 12, false);  /* succeeded, and not done */
}

/* The results of steps that have all succeeded come alone. */
TEST(answers_without_a_head_are_about_all_steps)
{
    const uint8_t bytes[16] = {1};
    tc_window_step steps[2] = {tc_window_step_get(at, NULL, 8),
                               tc_window_step_fetch_add(at, 1, NULL)};
    tci_window_answer answer;
    tci_window_request request = taken(steps, 2);
    assert_ok(tci_window_answer_decode(bytes, 16, &request, &answer, NULL));
    assert_int_equal(answer.done, 3);
    assert_int_equal(answer.succeeded, 3);
    assert_ptr_equal(answer.results, bytes);
    steps[1].condition = TC_WINDOW_IF_FAILED; /* it cannot have been done */
    request = taken(steps, 2);
    assert_status(tci_window_answer_decode(bytes, 16, &request, &answer, NULL), TC_E_CORRUPT);
    const tc_window_step put = tc_window_step_put(at, "x", 1);
    request = taken(&put, 1);
    assert_ok(tci_window_answer_decode(NULL, 0, &request, &answer, NULL));
    assert_int_equal(answer.succeeded, 1);
}

TEST(cut_answers_are_refused)
{
    const tc_window_step step = tc_window_step_put(at, "x", 1);
    const tci_window_request request = taken(&step, 1);
    const uint8_t bytes[TCI_WINDOW_ANSWER_BYTES] = {1, 0, 1, 0, 0, 0, 0, 1};
    tci_window_answer answer;
    for (size_t size = 1; size <= sizeof bytes; size++)
        assert_status(tci_window_answer_decode(bytes, size, &request, &answer, NULL),
                      TC_E_CORRUPT);
}
