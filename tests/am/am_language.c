/* An operation that travels and was written in another language than C; tc-run starts it.
 *
 *     am_language NAME REFUSED BELOW TEXT
 *
 * NAME does what shipped/am_sum.c does; with a description it answers with the unit as it sees
 * it. REFUSED is the name of the status by which it refuses a range of a wrong size; BELOW and
 * TEXT are the status and a part of the text by which it fails at a number below 0. */
#include "am_job.h"

enum { NUMBERS = 4, SEGMENTS = 3, WORDS = 10, WINDOW = 64 };

typedef struct language {
    am_job job;
    tc_ifunc *fn;
    tc_am_op *op;
    tc_am_window *window;
    const char *name, *refused, *below, *text;
} language;

static int64_t memory[WINDOW / 8];

static void require_failure(const language *l, tc_status status, const tc_error *error,
                            const char *expected, const char *text)
{
    if (strcmp(tc_status_name(status), expected) != 0 || strstr(error->text, text) == NULL)
        fprintf(stderr, "%s: %s: %s; expected %s: %s\n", l->name, tc_status_name(status),
                error->text, expected, text);
    REQUIRE(strcmp(tc_status_name(status), expected) == 0);
    REQUIRE(strstr(error->text, text) != NULL);
}

static void fails(const language *l, uint32_t to, const tc_am_params *params,
                  const char *expected, const char *text)
{
    tc_error error = {TC_OK, ""};
    const tc_status status = tc_am(l->window, to, l->op, params, &error);
    require_failure(l, status, &error, expected, text);
}

/* Adds 1 to 12 to a window of zeros, in segments of 4 numbers. */
static void add(const language *l, uint32_t to)
{
    int64_t input[NUMBERS * SEGMENTS] = {0}, output[NUMBERS * SEGMENTS];
    tc_error error;
    const tc_am_params params = am_numbers(input, output, NUMBERS, SEGMENTS);
    for (int i = 0; i < NUMBERS * SEGMENTS; i++)
        input[i] = i + 1;
    memset(output, 0, sizeof output);
    REQUIRE_OK(tc_am(l->window, to, l->op, &params, &error), &error);
    for (int i = 0; i < NUMBERS; i++) {
        REQUIRE(output[i] == i + 1);
        REQUIRE(output[NUMBERS + i] == 2 * i + 6);
        REQUIRE(output[2 * NUMBERS + i] == 3 * i + 15);
    }
}

/* One unit as the operation sees it, whose first segment has the number `first`. */
static void check_seen(const int64_t *seen, uint32_t segments, uint32_t first, int64_t bytes)
{
    for (uint32_t s = 0; s < segments; s++, seen += WORDS) {
        const int64_t expected[WORDS] = {
            first + s, segments, 0, 0, 8 * WORDS, bytes, 1, 'd', sizeof(tc_am_unit), TC_OK};
        REQUIRE(memcmp(seen, expected, sizeof expected) == 0);
    }
}

static void see(const language *l, uint32_t to)
{
    int64_t seen[SEGMENTS * WORDS];
    tc_error error;
    const tc_am_params params = {.output = seen,
                                 .output_layout = {.bytes = 8 * WORDS},
                                 .segments = SEGMENTS,
                                 .description = "d",
                                 .description_bytes = 1,
                                 .at = 8,
                                 .bytes = 16};
    REQUIRE_OK(tc_am(l->window, to, l->op, &params, &error), &error);
    check_seen(seen, SEGMENTS, 0, 16);
}

/* Messages of which every byte stands here, as docs/payload-layout.md has it. */
static void send_bytes(const language *l, uint32_t to)
{
    static const uint8_t plain[] = {
        1, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, /* 8 at 32 */
        2, 0, 0, 0, 5, 0, 0, 0, 8,  0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* from 5 on */
        7, 0, 0, 0, 0, 0, 0, 0, 9,  0, 0, 0, 0, 0, 0, 0};
    static const uint8_t described[] = {
        1, 1, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0,  0, 0, 0, 8,
        0, 0, 0, 0, 0, 0, 0,                              /* extended */
        2, 0, 0, 0, 5, 0, 0, 0, 0,  0, 0, 0, 80, 0, 0, 0, /* outputs of 80 bytes */
        1, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, (uint8_t)'d'};
    int64_t answer[2 * WORDS];
    size_t size = sizeof answer;
    tc_error error;
    tc_ep *ep;
    REQUIRE_OK(tc_group_ep(l->job.group, to, &ep, &error), &error);
    REQUIRE_OK(tc_call(ep, l->fn, plain, sizeof plain, answer, &size, AM_TIMEOUT_NS, &error),
               &error);
    REQUIRE(size == 16 && answer[0] == 7 && answer[1] == 16);
    size = sizeof answer;
    REQUIRE_OK(
        tc_call(ep, l->fn, described, sizeof described, answer, &size, AM_TIMEOUT_NS, &error),
        &error);
    REQUIRE(size == sizeof answer);
    check_seen(answer, 2, 5, 8);
    size = sizeof answer;
    tc_status status = tc_call(ep, l->fn, "am?", 3, answer, &size, AM_TIMEOUT_NS, &error);
    require_failure(l, status, &error, "TC_E_INVALID",
                    "an active message of 3 bytes, expected at least 40");
    size = sizeof answer;
    status = tc_call(ep, l->fn, plain, sizeof plain - 8, answer, &size, AM_TIMEOUT_NS, &error);
    require_failure(l, status, &error, "TC_E_INVALID", "a unit of 56 bytes, expected 64");
}

static void refuse_sizes(const language *l, uint32_t to)
{
    int64_t input[NUMBERS * SEGMENTS] = {0}, output[NUMBERS * SEGMENTS];
    const tc_am_params right = am_numbers(input, output, NUMBERS, SEGMENTS);
    tc_am_params p = right;
    p.bytes = 24;
    fails(l, to, &p, l->refused, "the range has another size than a segment");
    p = right;
    p.at = 4;
    fails(l, to, &p, "TC_E_INVALID", "the range lies at ");
    p = right;
    p.bytes = 20;
    fails(l, to, &p, "TC_E_INVALID", "the range has the bytes 20, expected a multiple of 8");
    p = right;
    p.input_layout.bytes = 12;
    fails(l, to, &p, "TC_E_INVALID", "segments of the input have the bytes 12, expected a");
    p = right;
    p.output_layout.bytes = 4;
    fails(l, to, &p, "TC_E_INVALID", "segments of the output have the bytes 4, expected a");
}

/* At a number below 0, of units that are answered and of those that are counted. */
static void fail_below(const language *l, uint32_t to)
{
    int64_t input[NUMBERS] = {-1}, output[NUMBERS];
    tc_am_params params = am_numbers(input, output, NUMBERS, 1);
    tc_error error = {TC_OK, ""};
    fails(l, to, &params, l->below, l->text);
    params = am_numbers(input, NULL, NUMBERS, 1);
    REQUIRE_OK(tc_am_start(l->window, to, l->op, &params, NULL, &error), &error);
    const tc_status status = tc_am_flush(l->window, to, AM_TIMEOUT_NS, &error);
    require_failure(l, status, &error, l->below, "");
    REQUIRE(error.text[0] != '\0');
}

int main(int argc, char **argv)
{
    static language l;
    tc_error error;
    REQUIRE(argc == 5);
    l = (language){.name = argv[1], .refused = argv[2], .below = argv[3], .text = argv[4]};
    am_job_begin(&l.job, NULL, false);
    REQUIRE_OK(tc_ifunc_open(l.job.ctx, l.name, &l.fn, &error), &error);
    REQUIRE_OK(tc_am_op_open(l.job.ams, l.fn, NULL, &l.op, &error), &error);
    l.window =
        am_job_window(&l.job, (tc_am_window_params){.memory = memory, .bytes = sizeof memory});
    for (uint32_t to = 0; to < l.job.ranks && l.job.rank == 0; to++) {
        add(&l, to);
        see(&l, to);
        refuse_sizes(&l, to);
        fail_below(&l, to);
        send_bytes(&l, to);
    }
    am_job_meet(&l.job);
    for (int i = 0; i < NUMBERS; i++)
        REQUIRE(memory[i] == 3 * i + 15);
    REQUIRE(memory[4] == 16 && memory[5] == 0);
    REQUIRE(tc_am_op_close(l.op) == TC_OK);
    tc_ifunc_close(l.fn);
    am_job_close(l.window);
    am_job_end(&l.job);
    return 0;
}
