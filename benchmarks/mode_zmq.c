/* A call by ZeroMQ over a unix socket (its transport ipc): a request and a reply, which has the
 * number that the request's first eight bytes have. One at a time by the sockets REQ and REP;
 * several at once by DEALER, which does not wait for replies, and the same REP. Each process
 * has a thread of ZeroMQ's for the connection beside its own, on the same processor where it is
 * pinned; both sleep until something is there. */
#include "peer_modes.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zmq.h>

#define NUMBER_BYTES sizeof(uint64_t)
#define LOOK_MS 100
#define ADDRESS_BYTES 64u

typedef struct zmq_state {
    perf_session *session;
    const char *name;
    void *context;
    void *socket;
    bool is_dealer;
    size_t payload_bytes;
    unsigned char *payload; /* target: the one that came last */
    uint64_t window;
    uint64_t *started; /* source: of each under way */
    uint64_t handled;  /* target: requests that were answered */
    uint64_t awaited;  /* target: its final value */
    uint64_t asked;    /* source: the number of the next request */
    uint64_t heard;    /* source: that of the next reply; one connection keeps their order */
} zmq_state;

static bool complain(const zmq_state *state, const char *what)
{
    return perf_session_complain(state->session, "--modes %s: %s: %s", state->name, what,
                                 zmq_strerror(zmq_errno()));
}

/* --- the connection ---------------------------------------------------------------------- */

static bool make_socket(zmq_state *state, int type)
{
    const int none = 0, look_ms = LOOK_MS;
    state->context = zmq_ctx_new();
    state->socket = state->context != NULL ? zmq_socket(state->context, type) : NULL;
    return (state->socket != NULL &&
            zmq_setsockopt(state->socket, ZMQ_LINGER, &none, sizeof none) == 0 &&
            zmq_setsockopt(state->socket, ZMQ_RCVTIMEO, &look_ms, sizeof look_ms) == 0 &&
            zmq_setsockopt(state->socket, ZMQ_SNDHWM, &none, sizeof none) == 0 &&
            zmq_setsockopt(state->socket, ZMQ_RCVHWM, &none, sizeof none) == 0) ||
           complain(state, "a socket");
}

/* An abstract name, which leaves no file behind. */
static bool serve_source(zmq_state *state)
{
    char address[ADDRESS_BYTES] = "";
    (void)snprintf(address, sizeof address, "ipc://@tc-perf-zmq-%ld", (long)getpid());
    if (!make_socket(state, ZMQ_REP))
        return false;
    if (zmq_bind(state->socket, address) != 0)
        return complain(state, address);
    return perf_session_send(state->session, address, sizeof address);
}

static bool connect_to_target(zmq_state *state)
{
    char address[ADDRESS_BYTES] = "";
    size_t size;
    if (!perf_session_recv(state->session, address, sizeof address, &size) ||
        !make_socket(state, state->is_dealer ? ZMQ_DEALER : ZMQ_REQ))
        return false;
    return zmq_connect(state->socket, address) == 0 || complain(state, "connect");
}

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 41 + 5);
}

static bool open_zmq(perf_series *series)
{
    zmq_state *state = series->state;
    const bool is_source = series->session->role == PERF_SOURCE;
    char version[32];
    int at[3];
    *state = (zmq_state){.session = series->session,
                         .name = series->mode->name,
                         .is_dealer = series->options->calls_at_once > 1,
                         .payload_bytes = series->options->payload_bytes,
                         .window = series->options->calls_at_once};
    series->payload_bytes = state->payload_bytes;
    series->frame_bytes = (double)state->payload_bytes; /* the rest is ZeroMQ's own affair */
    (void)snprintf(series->delivery, sizeof series->delivery, "unix");
    state->payload = calloc(1, state->payload_bytes);
    state->started = calloc(state->window, sizeof *state->started);
    if (state->payload == NULL || state->started == NULL)
        return perf_session_complain(series->session, "out of memory");
    for (size_t i = NUMBER_BYTES; is_source && i < state->payload_bytes; i++)
        state->payload[i] = byte_at(i);
    zmq_version(&at[0], &at[1], &at[2]);
    (void)snprintf(version, sizeof version, "ZeroMQ %d.%d.%d", at[0], at[1], at[2]);
    peer_modes_note_version("zmq", version);
    return is_source ? connect_to_target(state) : serve_source(state);
}

static void release_zmq(perf_series *series)
{
    zmq_state *state = series->state;
    if (state->socket != NULL)
        (void)zmq_close(state->socket);
    if (state->context != NULL)
        (void)zmq_ctx_term(state->context);
    free(state->payload);
    free(state->started);
}

/* --- messages ---------------------------------------------------------------------------- */

/* REQ and REP put an empty part before each message, and take it away; DEALER leaves that to
 * its caller. */
static bool send_message(zmq_state *state, const void *bytes, size_t size)
{
    if (state->is_dealer && state->session->role == PERF_SOURCE &&
        zmq_send(state->socket, "", 0, ZMQ_SNDMORE) != 0)
        return complain(state, "send");
    return zmq_send(state->socket, bytes, size, 0) == (int)size || complain(state, "send");
}

/* Sleeps until a part is there. */
static bool receive_part(zmq_state *state, void *bytes, size_t size)
{
    const uint64_t start_ns = perf_now_ns();
    int got = zmq_recv(state->socket, bytes, size, 0);
    while (got < 0 && (zmq_errno() == EAGAIN || zmq_errno() == EINTR)) {
        if (perf_session_has_failed(state->session))
            return false;
        if (perf_session_target_is_gone(state->session))
            return perf_session_complain(state->session, "the target died");
        if (perf_now_ns() - start_ns > PERF_SILENCE_NS)
            return perf_session_complain(state->session, "--modes %s: nothing came for %llu s",
                                         state->name, PERF_SILENCE_NS / PERF_NS_PER_S);
        got = zmq_recv(state->socket, bytes, size, 0);
    }
    return got == (int)size ||
           perf_session_complain(state->session, "--modes %s: %d bytes came, expected %zu",
                                 state->name, got, size);
}

/* --- runs -------------------------------------------------------------------------------- */

static bool ask(zmq_state *state, bool is_timed)
{
    memcpy(state->payload, &state->asked, sizeof state->asked);
    if (is_timed)
        state->started[state->asked % state->window] = perf_ticks();
    state->asked++;
    return send_message(state, state->payload, state->payload_bytes);
}

static bool hear(zmq_state *state, uint64_t *ticks)
{
    uint64_t number = UINT64_MAX;
    if ((state->is_dealer && !receive_part(state, &number, 0)) ||
        !receive_part(state, &number, sizeof number))
        return false;
    if (ticks != NULL)
        *ticks = perf_ticks() - state->started[state->heard % state->window];
    return number == state->heard++ ||
           perf_session_complain(state->session, "--modes %s: a wrong reply", state->name);
}

static bool run_requests(perf_series *series, uint64_t count, uint64_t *ticks)
{
    zmq_state *state = series->state;
    const uint64_t first = state->heard;
    while (state->heard - first < count) {
        while (state->asked - first < count && state->asked - state->heard < state->window) {
            if (!ask(state, ticks != NULL))
                return false;
        }
        if (!hear(state, ticks != NULL ? &ticks[state->heard - first] : NULL))
            return false;
    }
    return true;
}

static bool rate_requests(perf_series *series, uint64_t count)
{
    return run_requests(series, count, NULL);
}

static bool payload_is_right(const zmq_state *state)
{
    for (size_t at = NUMBER_BYTES; at < state->payload_bytes; at++) {
        if (state->payload[at] != byte_at(at))
            return false;
    }
    return true;
}

static bool serve_requests(perf_series *series, uint64_t count)
{
    zmq_state *state = series->state;
    bool is_right = true;
    state->awaited += count;
    while (state->handled < state->awaited) {
        uint64_t number;
        if (!receive_part(state, state->payload, state->payload_bytes))
            return false;
        memcpy(&number, state->payload, sizeof number);
        is_right &= number == state->handled++;
        if (!send_message(state, &number, sizeof number))
            return false;
    }
    perf_session_set_done(series->session);
    return (is_right && payload_is_right(state)) ||
           perf_session_complain(series->session, "--modes %s: a request was wrong",
                                 state->name);
}

const perf_mode perf_mode_zmq = {
    .name = "zmq",
    .has_sleepers = true,
    .state_bytes = sizeof(zmq_state),
    .open = open_zmq,
    .source_latency = run_requests,
    .target_latency = serve_requests,
    .source_rate = rate_requests,
    .target_rate = serve_requests,
    .release = release_zmq,
};
