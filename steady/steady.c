/* The functions of programs. */
#include "base/clock.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "steady_calls.h"
#include "steady_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BACKOFF_MIN_NS TC_MILLISECONDS(10)
#define BACKOFF_MAX_NS TC_SECONDS(1)
#define ATTEMPT_NS TC_SECONDS(1)
#define CALL_NS TC_SECONDS(10)
#define CALLS 1024u

/* --- open and close ----------------------------------------------------------------------- */

static void set_default(uint64_t *value, uint64_t standard)
{
    if (*value == 0)
        *value = standard;
}

static tc_status read_params(const tc_steady_params *given, size_t given_size,
                             tc_steady_params *out, tc_error *err)
{
    TC_TRY(tci_sized_struct_read(out, sizeof *out, given, given_size, err));
    const bool has_max = out->backoff_max_ns != 0;
    set_default(&out->backoff_min_ns, BACKOFF_MIN_NS);
    set_default(&out->backoff_max_ns, BACKOFF_MAX_NS);
    set_default(&out->attempt_timeout_ns, ATTEMPT_NS);
    set_default(&out->call_timeout_ns, CALL_NS);
    if (out->calls_max == 0)
        out->calls_max = CALLS;
    if (!has_max && out->backoff_min_ns > out->backoff_max_ns)
        out->backoff_max_ns = out->backoff_min_ns;
    if (out->backoff_min_ns > out->backoff_max_ns)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_steady_params: backoff_min_ns is %llu, expected at most "
                             "backoff_max_ns, %llu",
                             (unsigned long long)out->backoff_min_ns,
                             (unsigned long long)out->backoff_max_ns);
    if (out->calls_max > TC_STEADY_CALLS_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_steady_params: calls_max is %zu, expected at most %u",
                             out->calls_max, TC_STEADY_CALLS_MAX);
    return TC_OK;
}

/* Peers that lose the same target at once must not come back at once. */
static uint64_t seed(const void *address)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
        random = tci_clock_ns() ^ (uint64_t)(uintptr_t)address;
    return random;
}

static void free_steady(tc_steady *steady)
{
    tcs_calls_fini(&steady->calls);
    free(steady->host_port);
    free(steady);
}

tc_status tc_steady_open_sized(tc_context *ctx, const char *host_port,
                               const tc_steady_params *given, size_t given_size,
                               tc_steady **steady_out, tc_error *err)
{
    tc_steady_params params;
    TC_TRY(read_params(given, given_size, &params, err));
    tc_steady *steady = calloc(1, sizeof *steady);
    if (steady == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a steady endpoint: out of memory");
    steady->ctx = ctx;
    steady->params = params;
    steady->host_port = strdup(host_port);
    if (tcs_calls_init(&steady->calls, params.calls_max) != TC_OK ||
        steady->host_port == NULL) {
        free_steady(steady);
        return tci_error_set(err, TC_E_NO_MEMORY, "a steady endpoint: out of memory");
    }
    tcs_pace_init(&steady->pace, params.backoff_min_ns, params.backoff_max_ns, seed(steady));
    tcs_link_init(steady);
    *steady_out = steady;
    return TC_OK;
}

tc_status tc_steady_close(tc_steady *steady, uint64_t *lost_out)
{
    uint64_t lost = 0;
    if (steady == NULL)
        return TC_OK;
    if (steady->is_turning || steady->in_callbacks > 0)
        return TC_E_BUSY;
    steady->is_closing = true;
    if (steady->ep != NULL && tc_ep_finish(steady->ep, 0, &lost, NULL) == TC_E_BUSY) {
        steady->is_closing = false;
        return TC_E_BUSY;
    }
    steady->ep = NULL;
    steady->gave_up = true; /* no callback starts a call any more */
    tcs_calls_end_waiting(steady, TC_E_CLOSED, "the steady endpoint was closed");
    free_steady(steady);
    if (lost_out != NULL)
        *lost_out = lost;
    return TC_OK;
}

tc_ep *tc_steady_ep(const tc_steady *steady)
{
    return steady->ep;
}

/* --- progress ----------------------------------------------------------------------------- */

/* Progresses the context once. TC_E_TIMEOUT: nothing happened; TC_E_BUSY. */
static tc_status look(tc_steady *steady)
{
    if (steady->is_turning || steady->in_callbacks > 0)
        return TC_E_BUSY;
    return tc_wait(steady->ctx, 0);
}

/* Follows a look, or a wait, that was not TC_E_BUSY. */
static void turn(tc_steady *steady)
{
    steady->is_turning = true;
    tcs_link_look(steady);
    tcs_link_attempt(steady);
    if (steady->calls.waiting > 0) {
        tcs_calls_expire(steady, tci_clock_ns());
        tcs_calls_send(steady);
    }
    steady->is_turning = false;
}

tc_status tc_steady_progress(tc_steady *steady)
{
    if (look(steady) == TC_E_BUSY)
        return TC_E_BUSY;
    turn(steady);
    if (steady->gave_up)
        return TC_E_UNREACHABLE;
    return steady->ep != NULL ? TC_OK : TC_E_AGAIN;
}

/* Returns how long nothing is due here. */
static uint64_t pause_ns(const tc_steady *steady, uint64_t deadline_ns)
{
    uint64_t next_ns = deadline_ns;
    if (steady->ep == NULL && !steady->gave_up && steady->attempt_ns < next_ns)
        next_ns = steady->attempt_ns;
    if (steady->calls.waiting > 0 && steady->calls.next_deadline_ns < next_ns)
        next_ns = steady->calls.next_deadline_ns;
    return next_ns == UINT64_MAX ? TC_FOREVER : tci_deadline_left_ns(next_ns);
}

static tc_status wait_until(tc_steady *steady, uint64_t deadline_ns)
{
    const uint64_t events = steady->events;
    tc_status status = look(steady);
    while (status == TC_OK || status == TC_E_TIMEOUT) {
        turn(steady);
        if (status == TC_OK || steady->events != events)
            return TC_OK;
        if (tci_deadline_left_ns(deadline_ns) == 0)
            return TC_E_TIMEOUT;
        status = tc_wait(steady->ctx, pause_ns(steady, deadline_ns));
    }
    return status;
}

tc_status tc_steady_wait(tc_steady *steady, uint64_t timeout_ns)
{
    return wait_until(steady, tci_deadline_after(timeout_ns));
}

/* --- calls and messages ------------------------------------------------------------------- */

static tc_status report_gave_up(const tc_steady *steady, tc_error *err)
{
    return tci_error_set(err, TC_E_UNREACHABLE, "the steady endpoint to %s gave up",
                         steady->host_port);
}

tc_status tc_steady_call_start_sized(tc_steady *steady, tc_ifunc *fn, const void *source_args,
                                     size_t size, const tc_steady_call_params *given,
                                     size_t given_size, tc_steady_call_id *call_out,
                                     tc_error *err)
{
    tc_steady_call_params params;
    TC_TRY(tci_sized_struct_read(&params, sizeof params, given, given_size, err));
    if (params.mark != TC_STEADY_ONCE && params.mark != TC_STEADY_IDEMPOTENT)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_steady_call_params: mark is %d, expected 0 or 1",
                             (int)params.mark);
    if (steady->gave_up)
        return report_gave_up(steady, err);
    return tcs_calls_start(steady, fn, source_args, size, &params, call_out, err);
}

typedef struct answer {
    bool is_there;
    tc_steady_outcome outcome;
    tc_error *err;
} answer;

static void take_answer(void *user, const tc_steady_outcome *outcome)
{
    answer *a = user;
    a->is_there = true;
    a->outcome = *outcome;
    a->outcome.text = NULL;
    if (outcome->status != TC_OK)
        tci_error_fill(a->err, outcome->status, "%s", outcome->text);
}

/* Every call ends by its deadline. A tenth of a second more is for the turn that finds that. */
static void await(tc_steady *steady, const answer *a, uint64_t deadline_ns)
{
    deadline_ns = tci_deadline_from(deadline_ns, TC_MILLISECONDS(100));
    while (!a->is_there && tci_deadline_left_ns(deadline_ns) > 0)
        (void)wait_until(steady, deadline_ns);
}

static tc_status start_waiting(tc_steady *steady, tc_ifunc *fn, const void *args, size_t size,
                               const tc_steady_call_params *params, uint64_t deadline_ns,
                               tc_steady_call_id *id_out, tc_error *err)
{
    tc_status status;
    turn(steady);
    while ((status = tc_steady_call_start(steady, fn, args, size, params, id_out, err)) ==
               TC_E_AGAIN &&
           tci_deadline_left_ns(deadline_ns) > 0)
        (void)wait_until(steady, deadline_ns);
    return status;
}

tc_status tc_steady_call(tc_steady *steady, tc_ifunc *fn, const void *source_args, size_t size,
                         void *result, size_t *result_size, tc_steady_mark mark,
                         uint64_t timeout_ns, tc_steady_outcome *outcome_out, tc_error *err)
{
    answer a = {.err = err, .outcome = {.fate = TC_CALL_NOT_RUN}};
    const uint64_t patience_ns = timeout_ns > 0 ? timeout_ns : steady->params.call_timeout_ns;
    const uint64_t deadline_ns = tci_deadline_after(patience_ns);
    const tc_steady_call_params params = {
        .result = result,
        .result_capacity = result != NULL && result_size != NULL ? *result_size : 0,
        .timeout_ns = patience_ns,
        .mark = mark,
        .done = take_answer,
        .user = &a};
    tc_steady_call_id id;
    tc_status status = look(steady);
    if (status == TC_E_BUSY)
        tci_error_fill(err, status,
                       "tc_steady_call waits, so not from inside an ifunc or a "
                       "callback");
    else
        status = start_waiting(steady, fn, source_args, size, &params, deadline_ns, &id, err);
    if (status != TC_OK) {
        a.outcome.status = status;
    } else {
        await(steady, &a, deadline_ns);
        if (!a.is_there && tc_steady_call_cancel(steady, id) == TC_OK) {
            a.outcome =
                (tc_steady_outcome){.status = TC_E_TIMEOUT, .fate = TC_CALL_MAY_HAVE_RUN};
            tci_error_fill(err, TC_E_TIMEOUT, "no answer came in time");
        }
    }
    if (outcome_out != NULL)
        *outcome_out = a.outcome;
    if (result_size != NULL && a.is_there &&
        (a.outcome.status == TC_OK || a.outcome.status == TC_E_TOO_LARGE))
        *result_size = a.outcome.result_size;
    return a.outcome.status;
}

tc_status tc_steady_call_cancel(tc_steady *steady, tc_steady_call_id call)
{
    return tcs_calls_cancel(&steady->calls, call);
}

tc_status tc_steady_send(tc_steady *steady, tc_ifunc *fn, const void *source_args, size_t size)
{
    if (steady->gave_up)
        return TC_E_UNREACHABLE;
    if (steady->ep == NULL || steady->calls.waiting > 0)
        return TC_E_AGAIN;
    const tc_status status = tc_send(steady->ep, fn, source_args, size);
    return status != TC_OK && tc_ep_error(steady->ep, NULL) != TC_OK ? TC_E_AGAIN : status;
}

void tc_steady_query_sized(const tc_steady *steady, tc_steady_info *info_out, size_t info_size)
{
    tc_steady_info info = steady->info;
    info.calls = steady->calls.count;
    info.calls_waiting = steady->calls.waiting;
    tci_sized_struct_fill(info_out, info_size, &info, sizeof info);
}
