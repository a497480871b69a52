/* The calls of mode_hand.c by the stubs that tc-clang --stubs makes of ifuncs/typed.h. */
#include "mode_hand.h"
#include "peer_modes.h"

#include "typed_calls.h"

/* --- without arguments and result --------------------------------------------------------- */

static void null_ended(void *user, const tc_call_outcome *outcome)
{
    mode_call_ended(user, typed_null_ended(outcome, NULL));
}

static tc_status block_null(call_state *state, tc_error *err)
{
    return typed_null_call(state->link.peer, state->link.function, PERF_SILENCE_NS, err);
}

static tc_status start_null(call_state *state, flight *f)
{
    return typed_null_start(state->link.peer, state->link.function, 0, null_ended, f, NULL,
                            NULL);
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
    const struct typed_word_answer *answer = mode_hand_answer(f);
    mode_call_ended(f, mode_hand_check(typed_word_ended(outcome, NULL),
                                       answer->result == f->value + 1, NULL));
}

static tc_status block_word(call_state *state, tc_error *err)
{
    const uint64_t word = mode_hand_number(state, NULL);
    uint64_t answer = 0;
    tc_status status = typed_word_call(state->link.peer, state->link.function, word, &answer,
                                       PERF_SILENCE_NS, err);
    return mode_hand_check(status, answer == word + 1, err);
}

static tc_status start_word(call_state *state, flight *f)
{
    return typed_word_start(state->link.peer, state->link.function, mode_hand_number(state, f),
                            mode_hand_answer(f), 0, word_ended, f, NULL, NULL);
}

static bool open_word(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_word;
    state->start = start_word;
    return mode_hand_open(series, sizeof(uint64_t));
}

/* --- two words ---------------------------------------------------------------------------- */

static void two_ended(void *user, const tc_call_outcome *outcome)
{
    flight *f = user;
    const struct typed_two_answer *answer = mode_hand_answer(f);
    mode_call_ended(f, mode_hand_check(typed_two_ended(outcome, NULL),
                                       answer->result == f->value + 1, NULL));
}

static tc_status block_two(call_state *state, tc_error *err)
{
    const uint64_t word = mode_hand_number(state, NULL);
    uint64_t answer = 0;
    tc_status status = typed_two_call(state->link.peer, state->link.function, word, 1, &answer,
                                      PERF_SILENCE_NS, err);
    return mode_hand_check(status, answer == word + 1, err);
}

static tc_status start_two(call_state *state, flight *f)
{
    return typed_two_start(state->link.peer, state->link.function, mode_hand_number(state, f),
                           1, mode_hand_answer(f), 0, two_ended, f, NULL, NULL);
}

static bool open_two(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_two;
    state->start = start_two;
    return mode_hand_open(series, 2 * sizeof(uint64_t));
}

/* --- twenty doubles both ways --------------------------------------------------------------*/

static void doubles_ended(void *user, const tc_call_outcome *outcome)
{
    flight *f = user;
    const struct typed_doubles_answer *answer = mode_hand_answer(f);
    mode_call_ended(f, mode_hand_check(typed_doubles_ended(outcome, NULL),
                                       answer->values[0] == (double)(f->value + 1), NULL));
}

static tc_status block_doubles(call_state *state, tc_error *err)
{
    double *values = mode_hand_values(state, NULL);
    const double expected = values[0] + 1;
    tc_status status = typed_doubles_call(state->link.peer, state->link.function, values,
                                          PERF_SILENCE_NS, err);
    return mode_hand_check(status, values[0] == expected, err);
}

static tc_status start_doubles(call_state *state, flight *f)
{
    return typed_doubles_start(state->link.peer, state->link.function,
                               mode_hand_values(state, f), mode_hand_answer(f), 0,
                               doubles_ended, f, NULL, NULL);
}

static bool open_doubles(perf_series *series)
{
    call_state *state = series->state;
    state->block = block_doubles;
    state->start = start_doubles;
    return mode_hand_open(series, TYPED_DOUBLES * sizeof(double));
}

const perf_mode perf_mode_typed = MODE_HAND("typed", open_null, "typed_null", "hand");
const perf_mode perf_mode_typed_word =
    MODE_HAND("typed-word", open_word, "typed_word", "hand-word");
const perf_mode perf_mode_typed_two = MODE_HAND("typed-two", open_two, "typed_two", "hand-two");
const perf_mode perf_mode_typed_doubles =
    MODE_HAND("typed-doubles", open_doubles, "typed_doubles", "hand-doubles");
