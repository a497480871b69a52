/* A call of ONC RPC (RFC 5531) by libtirpc: a client handle at the source, a transport of the
 * server's at the target, over a connection of their own, without a port mapper. A procedure
 * takes bytes and returns the number that the first eight of them have; procedure 0 takes and
 * returns nothing, as every program of RPC has it. Client and server sleep in poll(2) until a
 * message is there: libtirpc has no other way. A handle has one call under way. */
#include "peer_modes.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rpc/rpc.h>

/* Of those that RFC 5531 leaves for use during a while; one for each mode. */
#define PROGRAM_FIRST 0x40000000u
#define PROGRAM_COUNT 3u
#define VERSION 1u
#define PROCEDURE_TAKE 1u
#define NUMBER_BYTES sizeof(uint64_t)
#define LOOK_MS 100
#define HEADER_BYTES 44u /* a record's length, and a call without credentials */
#define LENGTH_BYTES 4u  /* of the argument */

typedef struct rpc_state {
    perf_session *session;
    unsigned program;
    bool is_null;
    size_t payload_bytes;
    unsigned char *payload; /* target: the one that came last */
    int listener;           /* target: until the source is there */
    CLIENT *client;
    SVCXPRT *server;
    uint64_t handled; /* target: calls that were answered */
    uint64_t awaited; /* target: its final value */
    uint64_t called;  /* source: the number of the next */
    bool is_wrong;
} rpc_state;

/* libtirpc gives a procedure nothing of its program's own. */
static rpc_state *served[PROGRAM_COUNT];

/* --- the procedures ---------------------------------------------------------------------- */

/* Both ways: the argument is decoded where the last one was. */
static bool_t take_bytes(XDR *xdr, ...)
{
    va_list args;
    va_start(args, xdr);
    rpc_state *state = va_arg(args, rpc_state *);
    va_end(args);
    char *at = (char *)state->payload;
    u_int size = (u_int)state->payload_bytes;
    return xdr_bytes(xdr, &at, &size, (u_int)state->payload_bytes) &&
           size == state->payload_bytes;
}

static bool_t take_number(XDR *xdr, ...)
{
    va_list args;
    va_start(args, xdr);
    uint64_t *number = va_arg(args, uint64_t *);
    va_end(args);
    return xdr_uint64_t(xdr, number);
}

static bool_t take_nothing(XDR *xdr, ...)
{
    (void)xdr;
    return TRUE;
}

static void dispatch(struct svc_req *request, SVCXPRT *from)
{
    rpc_state *state = served[request->rq_prog - PROGRAM_FIRST];
    uint64_t number = 0;
    bool ok = true;
    if (request->rq_proc == NULLPROC) {
        ok = svc_sendreply(from, take_nothing, NULL);
    } else if (request->rq_proc != PROCEDURE_TAKE) {
        svcerr_noproc(from);
        ok = false;
    } else if (!svc_getargs(from, take_bytes, (void *)state)) {
        svcerr_decode(from);
        ok = false;
    } else {
        memcpy(&number, state->payload, sizeof number);
        ok = number == state->handled;
        ok = svc_sendreply(from, take_number, (void *)&number) && ok;
    }
    state->is_wrong |= !ok;
    state->handled++;
}

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 37 + 11);
}

static bool payload_is_right(const rpc_state *state)
{
    for (size_t at = NUMBER_BYTES; at < state->payload_bytes && !state->is_null; at++) {
        if (state->payload[at] != byte_at(at))
            return false;
    }
    return true;
}

/* --- the connection ---------------------------------------------------------------------- */

static bool complain(const perf_series *series, const char *what)
{
    return perf_session_complain(series->session, "--modes %s: %s: %s", series->mode->name,
                                 what, strerror(errno));
}

/* At any port of loopback, or an abstract name that the kernel chooses. */
static socklen_t any_address(int family, struct sockaddr_storage *address_out)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *address_out = (struct sockaddr_storage){.ss_family = (sa_family_t)family};
    if (family != AF_INET)
        return sizeof(sa_family_t);
    memcpy(address_out, &any, sizeof any);
    return sizeof any;
}

static bool listen_for_source(perf_series *series, int family)
{
    rpc_state *state = series->state;
    struct sockaddr_storage address;
    socklen_t size = any_address(family, &address);
    state->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (state->listener < 0 || bind(state->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(state->listener, 1) != 0)
        return complain(series, "a socket");
    size = sizeof address;
    if (getsockname(state->listener, (struct sockaddr *)&address, &size) != 0)
        return complain(series, "a socket");
    return perf_session_send(series->session, &address, size);
}

static void send_at_once(int fd, int family)
{
    if (family == AF_INET)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

static bool serve_source(perf_series *series, int family)
{
    rpc_state *state = series->state;
    if (!listen_for_source(series, family))
        return false;
    struct pollfd wait = {.fd = state->listener, .events = POLLIN};
    if (poll(&wait, 1, (int)(PERF_SILENCE_NS / PERF_NS_PER_MS)) != 1)
        return perf_session_complain(series->session, "--modes %s: the source did not connect",
                                     series->mode->name);
    int fd = accept4(state->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return complain(series, "accept");
    send_at_once(fd, family);
    state->server = svc_fd_create(fd, 0, 0);
    if (state->server == NULL) {
        (void)close(fd);
        return complain(series, "svc_fd_create");
    }
    served[state->program - PROGRAM_FIRST] = state;
    return svc_reg(state->server, state->program, VERSION, dispatch, NULL) ||
           complain(series, "svc_reg");
}

static bool connect_to_target(perf_series *series, int family)
{
    rpc_state *state = series->state;
    struct sockaddr_storage address;
    size_t size;
    if (!perf_session_recv(series->session, &address, sizeof address, &size))
        return false;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return complain(series, "a socket");
    const struct netbuf to = {.maxlen = (u_int)size, .len = (u_int)size, .buf = &address};
    if (connect(fd, (struct sockaddr *)&address, (socklen_t)size) == 0)
        state->client = clnt_vc_create(fd, &to, state->program, VERSION, 0, 0);
    if (state->client == NULL) {
        (void)close(fd);
        return complain(series, "connect");
    }
    send_at_once(fd, family);
    (void)clnt_control(state->client, CLSET_FD_CLOSE, NULL);
    return true;
}

static bool open_by(perf_series *series, unsigned number, int family)
{
    rpc_state *state = series->state;
    *state = (rpc_state){.session = series->session,
                         .program = PROGRAM_FIRST + number,
                         .is_null = number == 1,
                         .payload_bytes = series->options->payload_bytes,
                         .listener = -1};
    series->is_left_out = series->options->calls_at_once > 1;
    series->payload_bytes = state->is_null ? 0 : state->payload_bytes;
    series->frame_bytes = HEADER_BYTES;
    if (!state->is_null)
        series->frame_bytes +=
            (double)(LENGTH_BYTES + ((state->payload_bytes + 3) & ~(size_t)3));
    (void)snprintf(series->delivery, sizeof series->delivery, "%s",
                   family == AF_INET ? "tcp" : "unix");
    state->payload = calloc(1, state->payload_bytes);
    if (state->payload == NULL)
        return perf_session_complain(series->session, "out of memory");
    (void)signal(SIGPIPE, SIG_IGN); /* libtirpc writes to connections that may be closed */
    if (series->session->role == PERF_TARGET)
        return serve_source(series, family);
    for (size_t at = NUMBER_BYTES; at < state->payload_bytes; at++)
        state->payload[at] = byte_at(at);
    peer_modes_note_version("rpc", PEER_RPC_VERSION);
    return connect_to_target(series, family);
}

static bool open_tcp(perf_series *series)
{
    return open_by(series, 0, AF_INET);
}

static bool open_null(perf_series *series)
{
    return open_by(series, 1, AF_INET);
}

static bool open_unix(perf_series *series)
{
    return open_by(series, 2, AF_UNIX);
}

static void release_rpc(perf_series *series)
{
    rpc_state *state = series->state;
    if (state->client != NULL)
        clnt_destroy(state->client);
    if (state->server != NULL) /* svc_unreg would talk to the machine's port mapper */
        SVC_DESTROY(state->server);
    if (state->session != NULL && state->listener >= 0)
        (void)close(state->listener);
    free(state->payload);
}

/* --- runs -------------------------------------------------------------------------------- */

static inline enum clnt_stat call_once(rpc_state *state)
{
    const struct timeval patience = {.tv_sec = (time_t)(PERF_SILENCE_NS / PERF_NS_PER_S)};
    uint64_t number = UINT64_MAX;
    if (state->is_null)
        return clnt_call(state->client, NULLPROC, take_nothing, NULL, take_nothing, NULL,
                         patience);
    memcpy(state->payload, &state->called, sizeof state->called);
    enum clnt_stat status = clnt_call(state->client, PROCEDURE_TAKE, take_bytes, (void *)state,
                                      take_number, (void *)&number, patience);
    state->is_wrong |= status == RPC_SUCCESS && number != state->called;
    return status;
}

static bool run_calls(perf_series *series, uint64_t count, uint64_t *ticks)
{
    rpc_state *state = series->state;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t start = ticks != NULL ? perf_ticks() : 0;
        enum clnt_stat status = call_once(state);
        if (ticks != NULL)
            ticks[i] = perf_ticks() - start;
        if (status != RPC_SUCCESS)
            return perf_session_complain(series->session, "--modes %s: a call: %s",
                                         series->mode->name, clnt_sperrno(status));
        state->called++;
    }
    return !state->is_wrong ||
           perf_session_complain(series->session, "--modes %s: a wrong reply",
                                 series->mode->name);
}

static bool rate_calls(perf_series *series, uint64_t count)
{
    return run_calls(series, count, NULL);
}

static bool serve_one(perf_series *series)
{
    rpc_state *state = series->state;
    struct pollfd wait = {.fd = state->server->xp_fd, .events = POLLIN | POLLRDHUP};
    if (poll(&wait, 1, LOOK_MS) <= 0)
        return !perf_session_has_failed(series->session);
    /* libtirpc would free the transport. */
    if ((wait.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
        return perf_session_complain(series->session, "--modes %s: the source is gone",
                                     series->mode->name);
    svc_getreq_common(wait.fd);
    return true;
}

static bool serve_calls(perf_series *series, uint64_t count)
{
    rpc_state *state = series->state;
    state->awaited += count;
    while (state->handled < state->awaited) {
        if (!serve_one(series))
            return false;
    }
    perf_session_set_done(series->session);
    return (!state->is_wrong && payload_is_right(state)) ||
           perf_session_complain(series->session, "--modes %s: a call was wrong",
                                 series->mode->name);
}

#define RPC_MODE(text, opened)                                                                 \
    {                                                                                          \
        .name = text, .state_bytes = sizeof(rpc_state), .has_sleepers = true, .open = opened,  \
        .source_latency = run_calls, .target_latency = serve_calls, .source_rate = rate_calls, \
        .target_rate = serve_calls, .release = release_rpc                                     \
    }

const perf_mode perf_mode_rpc = RPC_MODE("rpc", open_tcp);
const perf_mode perf_mode_rpc_null = RPC_MODE("rpc-null", open_null);
const perf_mode perf_mode_rpc_unix = RPC_MODE("rpc-unix", open_unix);
