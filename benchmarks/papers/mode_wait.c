/* Round trips in which both sides wait by the library's policies, by tc_wait; they are compared
 * with `poll`, a loop over tc_progress. */
#include "mode_wait.h"

#include "perf_clock.h"
#include "perf_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>

#define LOOK_UP_NS (100 * PERF_NS_PER_MS) /* how soon a wait sees that the other side is gone */
#define LINGER_NS PERF_NS_PER_MS

typedef struct wait_mode {
    perf_mode mode;
    const char *policy; /* the option `wait` */
    bool polls;         /* by the program's own loop */
} wait_mode;

typedef struct wait_state {
    perf_session *session;
    const ifunc_work *work;
    tc_context *context;
    tc_listener *listener; /* target */
    tc_ifunc *function;
    tc_ep *peers[WAIT_ENDPOINTS_MAX]; /* in the order in which they opened */
    unsigned peer_count;
    unsigned peers_wanted;
    bool polls;
    bool is_lost;
    uint64_t *calls; /* the beginning of the function's data here */
    uint64_t awaited;
    uint64_t sent;
    uint64_t looks; /* of the program's own loop */
    size_t payload_bytes;
    unsigned char *payload;
    cycle_counter counter; /* target */
} wait_state;

/* --- opening ----------------------------------------------------------------------------- */

static void endpoint_changed(void *user, tc_ep *ep, tc_ep_event event)
{
    wait_state *state = user;
    if (event == TC_EP_OPENED && state->session->role == PERF_TARGET) {
        if (state->peer_count < state->peers_wanted)
            state->peers[state->peer_count++] = ep;
    } else if (event != TC_EP_OPENED) {
        state->is_lost = true;
    }
}

static bool create_context(wait_state *state, const perf_series *series)
{
    const wait_mode *mode = (const wait_mode *)(const void *)series->mode;
    const perf_setting settings[] = {{"ifunc_path", series->options->ifunc_path},
                                     {"delivery", series->delivery_wanted},
                                     {"wait", mode->policy}};
    tc_error err = {0};
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &state->context,
                            &err) != TC_OK)
        return perf_context_complain(state->session, "context", &err);
    tc_context_set_target_args(state->context, state->calls);
    tc_context_set_ep_callback(state->context, endpoint_changed, state);
    return tc_ifunc_open(state->context, state->work->name, &state->function, &err) == TC_OK ||
           perf_context_complain(state->session, state->work->name, &err);
}

static bool make_state(wait_state *state, const perf_series *series)
{
    const wait_mode *mode = (const wait_mode *)(const void *)series->mode;
    state->session = series->session;
    state->work = series->work;
    state->polls = mode->polls;
    state->peers_wanted = series->endpoints;
    state->payload_bytes = series->options->payload_bytes;
    state->payload = malloc(state->payload_bytes);
    state->calls = series->work->create(state->payload_bytes);
    if (state->payload == NULL || state->calls == NULL)
        return perf_session_complain(state->session, "out of memory");
    ifunc_work_fill(state->payload, state->payload_bytes);
    return true;
}

static bool has_waited_in_vain(const wait_state *state, uint64_t since_ns)
{
    return state->is_lost || perf_session_has_failed(state->session) ||
           perf_now_ns() - since_ns > PERF_SILENCE_NS;
}

static bool accept_source(wait_state *state)
{
    const uint64_t begun_ns = perf_now_ns();
    if (!perf_context_listen(state->session, state->context, &state->listener))
        return false;
    uint16_t port = tc_listener_port(state->listener);
    if (!perf_session_send(state->session, &port, sizeof port))
        return false;
    while (state->peer_count < state->peers_wanted) {
        (void)tc_wait(state->context, LINGER_NS);
        if (has_waited_in_vain(state, begun_ns))
            return perf_session_complain(state->session, "%u of %u endpoints came",
                                         state->peer_count, state->peers_wanted);
    }
    cycle_counter_open(&state->counter);
    return true;
}

static bool connect_target(wait_state *state)
{
    uint16_t port;
    size_t size;
    if (!perf_session_recv(state->session, &port, sizeof port, &size))
        return false;
    while (state->peer_count < state->peers_wanted) {
        if (!perf_context_connect(state->session, state->context, port,
                                  &state->peers[state->peer_count]))
            return false;
        state->peer_count++;
    }
    return true;
}

/* Left out where the processor has no such instruction. */
static bool open_wait(perf_series *series)
{
    wait_state *state = series->state;
    if (strcmp(series->mode->name, "line") == 0 && tc_wait_instruction() == NULL) {
        series->is_left_out = true;
        return true;
    }
    if (!make_state(state, series) || !create_context(state, series) ||
        !(state->session->role == PERF_TARGET ? accept_source(state) : connect_target(state)))
        return false;
    series->payload_bytes = state->payload_bytes;
    perf_context_delivery(state->peers[0], series->delivery, NULL);
    return true;
}

/* --- round trips ------------------------------------------------------------------------- */

static bool lost(wait_state *state)
{
    tc_error err = {0};
    for (unsigned i = 0; !state->is_lost && i < state->peer_count; i++) {
        if (tc_ep_refusal(state->peers[i], &err) != 0)
            return perf_context_complain(state->session, "the peer refused the function", &err);
    }
    return perf_session_complain(state->session, "waited in vain");
}

/* Endpoints take turns. */
static bool send_one(wait_state *state)
{
    perf_poll poll = {.session = state->session};
    tc_ep *peer = state->peers[state->sent % state->peer_count];
    tc_status status;
    if (state->is_lost)
        return lost(state);
    if (state->work->stamp != NULL)
        state->work->stamp(state->payload, state->payload_bytes, state->sent);
    state->sent++;
    while ((status = tc_send(peer, state->function, state->payload, state->payload_bytes)) ==
           TC_E_AGAIN) {
        if (tc_progress(state->context) == 0 && !perf_poll_missed(&poll))
            return lost(state);
    }
    return status == TC_OK ||
           perf_session_complain(state->session, "send: %s", tc_status_text(status));
}

static bool poll_for_call(wait_state *state)
{
    perf_poll poll = {.session = state->session};
    while (*state->calls < state->awaited) {
        if (tc_progress(state->context) != 0)
            continue;
        state->looks++;
        if (!perf_poll_missed(&poll))
            return lost(state);
    }
    return true;
}

static bool await_call(wait_state *state)
{
    uint64_t quiet_since_ns = 0;
    state->awaited++;
    if (state->polls)
        return poll_for_call(state);
    while (*state->calls < state->awaited) {
        if (tc_wait(state->context, LOOK_UP_NS) == TC_OK)
            continue;
        if (quiet_since_ns == 0)
            quiet_since_ns = perf_now_ns();
        if (has_waited_in_vain(state, quiet_since_ns))
            return lost(state);
    }
    return true;
}

static bool is_right(const wait_state *state)
{
    ifunc_work_text wrong;
    if (*state->calls != state->awaited)
        return perf_session_complain(state->session, "%s: %llu calls for %llu messages",
                                     state->work->name, (unsigned long long)*state->calls,
                                     (unsigned long long)state->awaited);
    return state->work->check(state->calls, state->payload, state->payload_bytes, &wrong) ||
           perf_session_complain(state->session, "%s: %s", state->work->name, wrong.text);
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    wait_state *state = series->state;
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!send_one(state) || !await_call(state))
            return false;
        stamps[i] = perf_ticks();
    }
    return is_right(state);
}

static uint64_t counted(const tc_context *context, const char *name)
{
    for (size_t i = 0; i < tc_stats_count(); i++) {
        if (strcmp(tc_stats_name(i), name) == 0)
            return tc_stats_value(context, i);
    }
    return 0;
}

static wait_spent spent_so_far(const wait_state *state)
{
    return (wait_spent){.sample = cycle_counter_read(&state->counter),
                        .looks =
                            state->polls ? state->looks : counted(state->context, "idle_looks"),
                        .yields = counted(state->context, "yields"),
                        .sleeps = counted(state->context, "sleeps")};
}

/* In memory of both processes, for the source. */
static void tell_spent(const wait_state *state, const wait_spent *before)
{
    wait_spent spent = spent_so_far(state);
    spent.sample.cycles -= before->sample.cycles;
    spent.sample.instructions -= before->sample.instructions;
    spent.sample.cpu_ns -= before->sample.cpu_ns;
    spent.looks -= before->looks;
    spent.yields -= before->yields;
    spent.sleeps -= before->sleeps;
    spent.scope = state->counter.scope;
    memcpy(spent.reason, state->counter.reason, sizeof spent.reason);
    memcpy(state->session->control->arena, &spent, sizeof spent);
}

const wait_spent *mode_wait_spent(const perf_session *session)
{
    return (const wait_spent *)(const void *)session->control->arena;
}

static bool target_latency(perf_series *series, uint64_t count)
{
    wait_state *state = series->state;
    const wait_spent before = spent_so_far(state);
    for (uint64_t i = 0; i < count; i++) {
        if (!await_call(state) || !send_one(state))
            return false;
    }
    tell_spent(state, &before);
    /* It owes its source the progress that pushes out its messages. */
    while (!perf_session_has_ended(state->session) &&
           !perf_session_has_failed(state->session) && !state->is_lost)
        (void)tc_wait(state->context, LINGER_NS);
    return is_right(state);
}

/* --- closing ----------------------------------------------------------------------------- */

/* The source closes; the target progresses until it has seen that. */
static void close_wait(perf_series *series)
{
    wait_state *state = series->state;
    if (state->context == NULL)
        return;
    if (state->session->role == PERF_SOURCE) {
        while (state->peer_count > 0)
            tc_ep_close(state->peers[--state->peer_count]);
        return;
    }
    const uint64_t begun_ns = perf_now_ns();
    while (!has_waited_in_vain(state, begun_ns))
        (void)tc_wait(state->context, LINGER_NS);
    cycle_counter_close(&state->counter);
}

static void release_wait(perf_series *series)
{
    wait_state *state = series->state;
    if (state->listener != NULL)
        tc_listener_close(state->listener);
    if (state->function != NULL)
        tc_ifunc_close(state->function);
    tc_context_destroy(state->context);
    free(state->calls);
    free(state->payload);
}

#define WAIT_MODE(variable, text, option, own_loop)                                            \
    static const wait_mode variable = {.mode = {.name = (text),                                \
                                                .has_deliveries = true,                        \
                                                .state_bytes = sizeof(wait_state),             \
                                                .open = open_wait,                             \
                                                .source_latency = source_latency,              \
                                                .target_latency = target_latency,              \
                                                .close = close_wait,                           \
                                                .release = release_wait},                      \
                                       .policy = (option),                                     \
                                       .polls = (own_loop)}

WAIT_MODE(poll_mode, "poll", "spin", true);
WAIT_MODE(pause_mode, "pause", "pause", false);
WAIT_MODE(line_mode, "line", "line", false);
WAIT_MODE(yield_mode, "yield", "yield", false);
WAIT_MODE(sleep_mode, "sleep", "block", false);
WAIT_MODE(spin_mode, "spin", "spin", false);
WAIT_MODE(adaptive_mode, "adaptive", "adaptive", false);

const perf_mode *const wait_modes[] = {
    &poll_mode.mode,  &pause_mode.mode, &line_mode.mode,     &yield_mode.mode,
    &sleep_mode.mode, &spin_mode.mode,  &adaptive_mode.mode, NULL};
