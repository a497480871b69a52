/* Calls of functions with arguments and results, packed by hand: the smallest code that a
 * programmer would write for each, beside the stubs of mode_typed.c. */
#include "mode_hand.h"

#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>

#include <tc/call.h>

bool mode_hand_open(perf_series *series, size_t payload_bytes)
{
    hand_state *state = series->state;
    const size_t flights = (size_t)series->options->calls_at_once;
    state->call.is_reading = true; /* answers show that the functions ran */
    state->answers = calloc(flights, TYPED_DOUBLES * sizeof(double));
    if (state->answers == NULL)
        return perf_session_complain(series->session, "out of memory");
    for (int i = 0; i < TYPED_DOUBLES; i++)
        state->values[i] = i;
    if (!mode_call_open(series))
        return false;
    series->payload_bytes = payload_bytes;
    return true;
}

void mode_hand_release(perf_series *series)
{
    hand_state *state = series->state;
    free(state->answers);
    mode_call_release(series);
}

tc_status mode_hand_check(tc_status status, bool is_right, tc_error *err)
{
    if (status != TC_OK || is_right)
        return status;
    if (err != NULL) {
        err->status = TC_E_INVALID;
        (void)snprintf(err->text, sizeof err->text, "a wrong answer");
    }
    return TC_E_INVALID;
}

static inline tc_status block(call_state *state, const void *message, size_t size, void *answer,
                              size_t expected, tc_error *err)
{
    size_t found = expected;
    tc_status status = tc_call(state->link.peer, state->link.function, message, size, answer,
                               &found, PERF_SILENCE_NS, err);
    return mode_hand_check(status, found == expected, err);
}

static inline tc_status start(call_state *state, flight *f, const void *message, size_t size,
                              size_t answer_bytes, tc_call_callback done)
{
    const tc_call_params params = {.result = mode_hand_answer(f),
                                   .result_capacity = answer_bytes,
                                   .done = done,
                                   .user = f};
    return tc_call_start(state->link.peer, state->link.function, message, size, &params, NULL,
                         NULL);
}

/* --- without arguments and result --------------------------------------------------------- */

static void null_ended(void *user, const tc_call_outcome *outcome)
{
    mode_call_ended(user, mode_hand_check(outcome->status, outcome->result_size == 0, NULL));
}

static tc_status block_null(call_state *state, tc_error *err)
{
    return block(state, NULL, 0, NULL, 0, err);
}

static tc_status start_null(call_state *state, flight *f)
{
    return start(state, f, NULL, 0, 0, null_ended);
}

static bool open_null(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_null;
    state->start = start_null;
    return mode_hand_open(series, 0);
}

/* --- a word ------------------------------------------------------------------------------- */

static void word_ended(void *user, const tc_call_outcome *outcome)
{
    flight *f = user;
    const uint64_t *answer = mode_hand_answer(f);
    mode_call_ended(
        f, mode_hand_check(outcome->status,
                           outcome->result_size == sizeof *answer && *answer == f->value + 1,
                           NULL));
}

static tc_status block_word(call_state *state, tc_error *err)
{
    const uint64_t word = mode_hand_number(state, NULL);
    uint64_t answer = 0;
    tc_status status = block(state, &word, sizeof word, &answer, sizeof answer, err);
    return mode_hand_check(status, answer == word + 1, err);
}

static tc_status start_word(call_state *state, flight *f)
{
    const uint64_t word = mode_hand_number(state, f);
    return start(state, f, &word, sizeof word, sizeof word, word_ended);
}

static bool open_word(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_word;
    state->start = start_word;
    return mode_hand_open(series, sizeof(uint64_t));
}

/* --- two words ---------------------------------------------------------------------------- */

static tc_status block_two(call_state *state, tc_error *err)
{
    const uint64_t words[] = {mode_hand_number(state, NULL), 1};
    uint64_t answer = 0;
    tc_status status = block(state, words, sizeof words, &answer, sizeof answer, err);
    return mode_hand_check(status, answer == words[0] + 1, err);
}

static tc_status start_two(call_state *state, flight *f)
{
    const uint64_t words[] = {mode_hand_number(state, f), 1};
    return start(state, f, words, sizeof words, sizeof words[0], word_ended);
}

static bool open_two(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_two;
    state->start = start_two;
    return mode_hand_open(series, 2 * sizeof(uint64_t));
}

/* --- twenty doubles both ways --------------------------------------------------------------*/

#define VALUE_BYTES (TYPED_DOUBLES * sizeof(double))

static void doubles_ended(void *user, const tc_call_outcome *outcome)
{
    flight *f = user;
    const double *answer = mode_hand_answer(f);
    mode_call_ended(f, mode_hand_check(outcome->status,
                                       outcome->result_size == VALUE_BYTES &&
                                           answer[0] == (double)(f->value + 1),
                                       NULL));
}

static tc_status block_doubles(call_state *state, tc_error *err)
{
    double *values = mode_hand_values(state, NULL);
    const double expected = values[0] + 1;
    tc_status status = block(state, values, VALUE_BYTES, values, VALUE_BYTES, err);
    return mode_hand_check(status, values[0] == expected, err);
}

static tc_status start_doubles(call_state *state, flight *f)
{
    return start(state, f, mode_hand_values(state, f), VALUE_BYTES, VALUE_BYTES, doubles_ended);
}

static bool open_doubles(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_doubles;
    state->start = start_doubles;
    return mode_hand_open(series, VALUE_BYTES);
}

const perf_mode perf_mode_hand = MODE_HAND("hand", open_null, "hand_null", NULL);
const perf_mode perf_mode_hand_word = MODE_HAND("hand-word", open_word, "hand_word", NULL);
const perf_mode perf_mode_hand_two = MODE_HAND("hand-two", open_two, "hand_two", NULL);
const perf_mode perf_mode_hand_doubles =
    MODE_HAND("hand-doubles", open_doubles, "hand_doubles", NULL);
