/* ONC RPC between all pairs of ranks.
 *
 * A rank listens at a port of loopback that it notes in its window, and connects to the ports
 * of all others: so there are two connections for each pair, and a rank's main thread only
 * calls while its second thread only serves. The second thread is needed, as libtirpc blocks in
 * a call: two ranks that call each other at the same time would otherwise wait for each other.
 * It polls a pipe, the listener and the connections; the end of the pipe ends the thread.
 *
 * The served memory is that of the application. The main threads of both ranks meet in barriers
 * between its changes and its reads, so the serving thread takes no lock.
 *
 * It never talks to a port mapper: the machine may have none, and a rank is no public service.
 * It never lets libtirpc see the end of a connection, on which that would free a transport that
 * is destroyed here. */
#include "mrpc_rpc.h"

#ifdef MRPC_RPC_MISSING

const char *mrpc_rpc_missing(void)
{
    return MRPC_RPC_MISSING;
}

bool mrpc_rpc_open(mrpc_rank *r, mrpc_rpc_server serve, size_t body_max)
{
    (void)r, (void)serve, (void)body_max;
    return mrpc_rank_fail("%s", MRPC_RPC_MISSING);
}

void mrpc_rpc_close(mrpc_rank *r)
{
    (void)r;
}

bool mrpc_rpc_call(mrpc_rank *r, uint32_t peer, const void *head, size_t head_size,
                   const void *body, size_t body_size, void *result, size_t result_size)
{
    (void)r, (void)peer, (void)head, (void)head_size, (void)body, (void)body_size;
    (void)result, (void)result_size;
    return mrpc_rank_fail("%s", MRPC_RPC_MISSING);
}

#else

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rpc/rpc.h>

#define PROGRAM 0x40000010u /* of those that RFC 5531 leaves for use during a while */
#define VERSION 1u
#define PROCEDURE 1u

typedef struct mrpc_rpc {
    mrpc_rank *rank;
    mrpc_rpc_server serve;
    char *body; /* of the call that is served */
    size_t body_max;
    int listener;
    int stop[2]; /* a pipe; closing its end for writing ends the thread */
    pthread_t thread;
    bool is_serving;
    SVCXPRT *servers[MRPC_RANKS_MAX]; /* connections of other ranks, as they came */
    CLIENT *clients[MRPC_RANKS_MAX];
} mrpc_rpc;

/* libtirpc gives a procedure nothing of its program's own. */
static mrpc_rpc *served;

const char *mrpc_rpc_missing(void)
{
    return NULL;
}

static bool fail_errno(const char *what)
{
    return mrpc_rank_fail("rpc: %s: %s", what, strerror(errno));
}

/* --- XDR --------------------------------------------------------------------------------- */

typedef struct rpc_slice {
    char *at;
    u_int size, capacity;
} rpc_slice;

typedef struct rpc_request {
    rpc_slice head, body;
} rpc_request;

static bool pass(XDR *xdr, rpc_slice *bytes)
{
    return xdr_bytes(xdr, &bytes->at, &bytes->size, bytes->capacity);
}

static bool_t pass_call(XDR *xdr, ...)
{
    va_list args;
    va_start(args, xdr);
    rpc_request *call = va_arg(args, rpc_request *);
    va_end(args);
    return pass(xdr, &call->head) && pass(xdr, &call->body);
}

static bool_t pass_result(XDR *xdr, ...)
{
    va_list args;
    va_start(args, xdr);
    rpc_slice *result = va_arg(args, rpc_slice *);
    va_end(args);
    return pass(xdr, result);
}

/* --- the thread that serves -------------------------------------------------------------- */

static void dispatch(struct svc_req *request, SVCXPRT *from)
{
    char head[MRPC_RPC_HEAD_MAX], result[MRPC_RPC_HEAD_MAX];
    rpc_request call = {{head, 0, sizeof head}, {served->body, 0, (u_int)served->body_max}};
    if (request->rq_proc != PROCEDURE) {
        svcerr_noproc(from);
    } else if (!svc_getargs(from, pass_call, (void *)&call)) {
        svcerr_decode(from);
    } else {
        rpc_slice out = {result, 0, sizeof result};
        out.size = (u_int)served->serve(served->rank, head, call.head.size, served->body,
                                        call.body.size, result);
        (void)svc_sendreply(from, pass_result, (void *)&out);
    }
}

static bool accept_rank(mrpc_rpc *rpc, uint32_t count)
{
    const int fd = accept(rpc->listener, NULL, NULL);
    if (fd < 0)
        return fail_errno("accept");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    rpc->servers[count] = svc_fd_create(fd, 0, 0);
    if (rpc->servers[count] == NULL) {
        (void)close(fd);
        return fail_errno("svc_fd_create");
    }
    return svc_reg(rpc->servers[count], PROGRAM, VERSION, dispatch, NULL) ||
           fail_errno("svc_reg");
}

/* A rank that has closed its end is not polled any more: libtirpc would free its transport. */
static void *serve_ranks(void *arg)
{
    mrpc_rpc *rpc = arg;
    const uint32_t others = rpc->rank->ranks - 1;
    struct pollfd polled[MRPC_RANKS_MAX + 2] = {{.fd = rpc->stop[0], .events = POLLIN},
                                                {.fd = rpc->listener, .events = POLLIN}};
    uint32_t count = 0;
    while (poll(polled, count + 2, -1) >= 0 || errno == EINTR) {
        if (polled[0].revents != 0)
            break;
        for (uint32_t i = 0; i < count; i++) {
            if ((polled[i + 2].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
                polled[i + 2].fd = -1;
            else if (polled[i + 2].revents != 0)
                svc_getreq_common(polled[i + 2].fd);
        }
        if (polled[1].revents != 0 && count < others) {
            if (!accept_rank(rpc, count))
                break;
            polled[count + 2] =
                (struct pollfd){.fd = rpc->servers[count]->xp_fd, .events = POLLIN | POLLRDHUP};
            polled[count + 2].revents = 0;
            count++;
        }
    }
    return NULL;
}

/* --- connections ------------------------------------------------------------------------- */

static bool listen_for_ranks(mrpc_rpc *rpc)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    rpc->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (rpc->listener < 0 || bind(rpc->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(rpc->listener, MRPC_RANKS_MAX) != 0 ||
        getsockname(rpc->listener, (struct sockaddr *)&address, &size) != 0 ||
        pipe(rpc->stop) != 0)
        return fail_errno("a socket");
    mrpc_rank_set_word(rpc->rank, MRPC_WORD_PORT, ntohs(address.sin_port));
    rpc->is_serving = pthread_create(&rpc->thread, NULL, serve_ranks, rpc) == 0;
    return rpc->is_serving || mrpc_rank_fail("rpc: no thread");
}

static bool connect_to(mrpc_rpc *rpc, uint32_t peer)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    uint64_t port;
    if (!mrpc_rank_get_word(rpc->rank, peer, MRPC_WORD_PORT, &port))
        return false;
    address.sin_port = htons((uint16_t)port);
    const struct netbuf to = {.maxlen = sizeof address, .len = sizeof address, .buf = &address};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail_errno("a socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        rpc->clients[peer] = clnt_vc_create(fd, &to, PROGRAM, VERSION, 0, 0);
    if (rpc->clients[peer] == NULL) {
        (void)close(fd);
        return fail_errno("connect");
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return clnt_control(rpc->clients[peer], CLSET_FD_CLOSE, NULL) ||
           mrpc_rank_fail("rpc: clnt_control");
}

bool mrpc_rpc_open(mrpc_rank *r, mrpc_rpc_server serve, size_t body_max)
{
    mrpc_rpc *rpc = calloc(1, sizeof *rpc);
    if (!mrpc_rank_has_memory(rpc != NULL))
        return false;
    *rpc = (mrpc_rpc){.rank = r,
                      .serve = serve,
                      .body = malloc(body_max + 1),
                      .body_max = body_max,
                      .listener = -1,
                      .stop = {-1, -1}};
    r->rpc = served = rpc;
    (void)signal(SIGPIPE, SIG_IGN); /* libtirpc writes to connections that may be closed */
    if (!mrpc_rank_has_memory(rpc->body != NULL) || !listen_for_ranks(rpc) ||
        !mrpc_rank_barrier(r))
        return false;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (peer != r->rank && !connect_to(rpc, peer))
            return false;
    }
    return mrpc_rank_barrier(r);
}

void mrpc_rpc_close(mrpc_rank *r)
{
    mrpc_rpc *rpc = r->rpc;
    if (rpc == NULL)
        return;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (rpc->clients[peer] != NULL)
            clnt_destroy(rpc->clients[peer]);
    }
    if (rpc->stop[1] >= 0)
        (void)close(rpc->stop[1]);
    if (rpc->is_serving)
        (void)pthread_join(rpc->thread, NULL);
    for (uint32_t i = 0; i < MRPC_RANKS_MAX; i++) {
        if (rpc->servers[i] != NULL) /* svc_unreg would talk to the machine's port mapper */
            SVC_DESTROY(rpc->servers[i]);
    }
    if (rpc->stop[0] >= 0)
        (void)close(rpc->stop[0]);
    if (rpc->listener >= 0)
        (void)close(rpc->listener);
    free(rpc->body);
    free(rpc);
    r->rpc = served = NULL;
}

/* --- calls ------------------------------------------------------------------------------- */

bool mrpc_rpc_call(mrpc_rank *r, uint32_t peer, const void *head, size_t head_size,
                   const void *body, size_t body_size, void *result, size_t result_size)
{
    const struct timeval patience = {.tv_sec = MRPC_TIMEOUT_NS / 1000000000};
    const u_int head_bytes = (u_int)head_size, body_bytes = (u_int)body_size;
    rpc_request call = {{(char *)(uintptr_t)head, head_bytes, head_bytes},
                        {(char *)(uintptr_t)body, body_bytes, body_bytes}};
    char empty[1];
    rpc_slice out = {result_size > 0 ? result : empty, 0, (u_int)result_size};
    if (body_size == 0)
        call.body.at = empty;
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    const enum clnt_stat status = clnt_call(r->rpc->clients[peer], PROCEDURE, pass_call,
                                            (void *)&call, pass_result, (void *)&out, patience);
    (void)mrpc_stamps_enter(&r->stamps, before);
    if (status != RPC_SUCCESS)
        return mrpc_rank_fail("rpc: a call: %s", clnt_sperrno(status));
    return out.size == result_size ||
           mrpc_rank_fail("rpc: a result of %u bytes, expected %zu", out.size, result_size);
}

#endif
