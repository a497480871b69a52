/* The thread polls a descriptor that ends it, the listener, and its connections. A connection
 * is a slot with a buffer of fixed size: it reads a request, sends the answer, and waits
 * for its peer to close, as bytes of the peer's that were not read would have the kernel drop
 * the answer. Each of the three states has a deadline, so a peer that stops in any of them
 * loses its slot. The listener is polled while a slot is free.
 *
 * A page is made in a slot's own memory, which stays for the next one, from a copy of the
 * counters and by a visit of the context's usage. The node's loop only adds to a number, and
 * copies its counters from time to time. The thread must never call anything else of the
 * context; whether the node ends, and has a successor, it reads from flags. */
#include "node_http.h"

#include "node_end.h"
#include "node_exposition.h"
#include "node_http_address.h"
#include "node_http_request.h"
#include "node_say.h"
#include "node_successor.h"
#include "tool_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define REQUEST_NS (5 * NS_PER_S) /* from the connection to the end of the request */
#define ANSWER_NS (10 * NS_PER_S) /* from there until all of the answer is taken */
#define END_NS NS_PER_S           /* for the peer to close afterwards */
#define REST_NS NS_PER_S          /* without new connections, after one could not be taken */
#define TURN_MS 1000              /* the longest poll */
#define STACK_BYTES (256u << 10)
#define HEAD_MAX 256u

typedef enum peer_state { FREE, READING, ANSWERING, ENDING } peer_state;

typedef struct peer {
    peer_state state;
    int fd;
    uint64_t deadline_ns;
    size_t received;
    char request[NODE_HTTP_REQUEST_MAX];
    char head[HEAD_MAX];
    size_t head_size;
    const char *body;
    size_t body_size;
    size_t sent;          /* of head and body */
    node_exposition page; /* keeps its memory for the next scraper */
} peer;

struct node_http {
    tc_context *ctx;
    int listener;
    int stop; /* an eventfd */
    pthread_t thread;
    atomic_ullong turns; /* of the node's loop */
    pthread_mutex_t lock;
    node_counters counters; /* under the lock */
    /* Used by the thread alone. */
    unsigned long long seen_turns;
    uint64_t turned_ns; /* when the loop was seen to turn */
    uint64_t rests_until_ns;
    char health[96];
    peer peers[NODE_HTTP_PEERS_MAX];
};

/* --- answers ------------------------------------------------------------------------------ */

static void answer(peer *p, int status, const char *type, const char *body, size_t size,
                   bool is_head)
{
    int head = snprintf(p->head, sizeof p->head,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                        "%sConnection: close\r\n\r\n",
                        status, node_http_request_phrase(status), type, size,
                        status == 405 ? "Allow: GET, HEAD\r\n" : "");
    p->head_size = (size_t)head;
    p->body = body;
    p->body_size = is_head ? 0 : size;
    p->sent = 0;
    p->state = ANSWERING;
    p->deadline_ns = tool_clock_ns() + ANSWER_NS;
}

static void answer_text(peer *p, int status, const char *text, bool is_head)
{
    answer(p, status, "text/plain; charset=utf-8", text, strlen(text), is_head);
}

static void answer_metrics(node_http *http, peer *p, bool is_head)
{
    node_counters counters;
    (void)pthread_mutex_lock(&http->lock);
    counters = http->counters;
    (void)pthread_mutex_unlock(&http->lock);
    if (http->ctx != NULL)
        (void)tc_usage_visit(http->ctx, node_exposition_add, &p->page); /* off: no rows */
    if (node_exposition_render(&p->page, &counters))
        answer(p, 200, NODE_EXPOSITION_TYPE, p->page.text, p->page.size, is_head);
    else
        answer_text(p, 503, "out of memory\n", is_head);
}

static void answer_health(node_http *http, peer *p, bool is_head)
{
    const uint64_t still_s = (tool_clock_ns() - http->turned_ns) / NS_PER_S;
    const bool ends = node_end_is_wanted();
    const bool is_followed = node_successor_follows(); /* that takes peers at this address */
    if (ends && !is_followed) {
        answer_text(p, 503, "the node drains\n", is_head);
        return;
    }
    if (still_s < NODE_HTTP_STALLED_S || is_followed) {
        answer_text(p, 200, "ok\n", is_head);
        return;
    }
    (void)snprintf(http->health, sizeof http->health,
                   "no message was looked at for %" PRIu64 " s: a function runs\n", still_s);
    answer_text(p, 503, http->health, is_head);
}

static void look_at_turns(node_http *http, uint64_t now)
{
    const unsigned long long turns = atomic_load_explicit(&http->turns, memory_order_relaxed);
    if (turns != http->seen_turns)
        http->turned_ns = now;
    http->seen_turns = turns;
}

static void answer_request(node_http *http, peer *p, int status,
                           const node_http_request *request)
{
    look_at_turns(http, tool_clock_ns());
    if (status != 200)
        answer_text(p, status, "GET or HEAD of /metrics or /healthz\n", request->is_head);
    else if (request->path == NODE_HTTP_METRICS)
        answer_metrics(http, p, request->is_head);
    else if (request->path == NODE_HTTP_HEALTH)
        answer_health(http, p, request->is_head);
    else
        answer_text(p, 404, "there are /metrics and /healthz\n", request->is_head);
}

/* --- connections -------------------------------------------------------------------------- */

static void end(peer *p)
{
    (void)close(p->fd);
    p->state = FREE;
}

/* Sends as much as the peer takes. A confined process has no sendmsg; writev raises SIGPIPE,
 * which this thread blocks. */
static void go_on_sending(peer *p)
{
    const size_t all = p->head_size + p->body_size;
    while (p->sent < all) {
        const size_t of_head = p->sent < p->head_size ? p->head_size - p->sent : 0;
        const size_t of_body = p->sent > p->head_size ? p->sent - p->head_size : 0;
        struct iovec parts[] = {
            {.iov_base = p->head + p->head_size - of_head, .iov_len = of_head},
            {.iov_base = (char *)(uintptr_t)p->body + of_body,
             .iov_len = p->body_size - of_body}};
        ssize_t sent = writev(p->fd, parts, p->body_size > 0 ? 2 : 1);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent <= 0) {
            end(p);
            return;
        }
        p->sent += (size_t)sent;
    }
    (void)shutdown(p->fd, SHUT_WR);
    p->state = ENDING;
    p->deadline_ns = tool_clock_ns() + END_NS;
}

static void read_request(node_http *http, peer *p)
{
    node_http_request request = {.is_head = false};
    ssize_t got =
        recv(p->fd, p->request + p->received, sizeof p->request - p->received, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        end(p);
        return;
    }
    p->received += (size_t)got;
    const int status = node_http_request_read(p->request, p->received, &request);
    if (status == 0)
        return;
    answer_request(http, p, status, &request);
    go_on_sending(p);
}

static void drain(peer *p)
{
    ssize_t got = recv(p->fd, p->request, sizeof p->request, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        end(p);
}

static void serve(node_http *http, peer *p, short events, uint64_t now)
{
    if (events != 0 && p->state == READING)
        read_request(http, p);
    else if (events != 0 && p->state == ANSWERING)
        go_on_sending(p);
    else if (events != 0 && p->state == ENDING)
        drain(p);
    if (p->state != FREE && now >= p->deadline_ns)
        end(p);
}

static peer *find_free(node_http *http)
{
    for (size_t i = 0; i < NODE_HTTP_PEERS_MAX; i++) {
        if (http->peers[i].state == FREE)
            return &http->peers[i];
    }
    return NULL;
}

static void accept_peers(node_http *http, uint64_t now)
{
    peer *p;
    while ((p = find_free(http)) != NULL) {
        int fd = accept4(http->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            http->rests_until_ns = now + REST_NS; /* no descriptors, or no memory */
        if (fd < 0)
            return;
        p->fd = fd;
        p->state = READING;
        p->received = 0;
        p->deadline_ns = now + REQUEST_NS;
    }
}

/* --- the thread --------------------------------------------------------------------------- */

/* Returns after events, or when the first deadline has passed. */
static int wait_for_events(node_http *http, struct pollfd *fds)
{
    const uint64_t now = tool_clock_ns();
    uint64_t until = now + TURN_MS * (NS_PER_S / 1000);
    /* Counters of two processes in turn would be none. */
    const bool takes =
        find_free(http) != NULL && now >= http->rests_until_ns && !node_successor_follows();
    fds[0] = (struct pollfd){.fd = http->stop, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = takes ? http->listener : -1, .events = POLLIN};
    for (size_t i = 0; i < NODE_HTTP_PEERS_MAX; i++) {
        const peer *p = &http->peers[i];
        fds[2 + i] = (struct pollfd){.fd = p->state == FREE ? -1 : p->fd,
                                     .events = p->state == ANSWERING ? POLLOUT : POLLIN};
        if (p->state != FREE && p->deadline_ns < until)
            until = p->deadline_ns;
    }
    const int ms = until <= now ? 0 : (int)((until - now) / (NS_PER_S / 1000)) + 1;
    return poll(fds, 2 + NODE_HTTP_PEERS_MAX, ms);
}

static void *run(void *argument)
{
    node_http *http = argument;
    struct pollfd fds[2 + NODE_HTTP_PEERS_MAX];
    for (;;) {
        if (wait_for_events(http, fds) < 0)
            memset(fds, 0, sizeof fds); /* a signal, which no thread but the first one gets */
        const uint64_t now = tool_clock_ns();
        if (fds[0].revents != 0)
            return NULL;
        look_at_turns(http, now);
        for (size_t i = 0; i < NODE_HTTP_PEERS_MAX; i++)
            serve(http, &http->peers[i], fds[2 + i].revents, now);
        if (fds[1].revents != 0)
            accept_peers(http, now);
    }
}

static bool start_thread(node_http *http)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int problem = pthread_attr_init(&attributes);
    if (problem == 0) {
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        problem = pthread_create(&http->thread, &attributes, run, http);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)pthread_attr_destroy(&attributes);
    }
    errno = problem;
    return problem == 0;
}

static void free_http(node_http *http)
{
    for (size_t i = 0; i < NODE_HTTP_PEERS_MAX; i++) {
        if (http->peers[i].state != FREE)
            (void)close(http->peers[i].fd);
        node_exposition_free(&http->peers[i].page);
    }
    if (http->stop >= 0)
        (void)close(http->stop);
    if (http->listener >= 0)
        (void)close(http->listener);
    (void)pthread_mutex_destroy(&http->lock);
    free(http);
}

static bool open_all(node_http *http, const char *address, int inherited)
{
    char at[NODE_HTTP_ADDRESS_MAX];
    http->listener = node_http_address_listen(address, inherited, at);
    if (http->listener < 0)
        return false;
    http->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (http->stop < 0 || !start_thread(http)) {
        node_say(NODE_ERROR, "--http %s: %s", address, strerror(errno));
        return false;
    }
    node_say(NODE_INFO, "metrics at http://%s/metrics", at);
    return true;
}

bool node_http_start(const char *address, int inherited, tc_context *ctx, node_http **http_out)
{
    *http_out = NULL;
    if (address == NULL && inherited >= 0)
        (void)close(inherited);
    if (address == NULL)
        return true;
    node_http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        node_say(NODE_ERROR, "--http: out of memory");
        return false;
    }
    http->ctx = ctx;
    http->listener = http->stop = -1;
    http->turned_ns = tool_clock_ns();
    (void)pthread_mutex_init(&http->lock, NULL);
    if (!open_all(http, address, inherited)) {
        free_http(http);
        return false;
    }
    *http_out = http;
    return true;
}

void node_http_stop(node_http *http)
{
    const uint64_t one = 1;
    if (http == NULL)
        return;
    if (write(http->stop, &one, sizeof one) == (ssize_t)sizeof one)
        (void)pthread_join(http->thread, NULL);
    free_http(http);
}

int node_http_socket(const node_http *http)
{
    return http != NULL ? http->listener : -1;
}

void node_http_turn(node_http *http)
{
    if (http != NULL)
        atomic_fetch_add_explicit(&http->turns, 1, memory_order_relaxed);
}

void node_http_tell(node_http *http, const node_counters *counters)
{
    if (http == NULL)
        return;
    (void)pthread_mutex_lock(&http->lock);
    http->counters = *counters;
    (void)pthread_mutex_unlock(&http->lock);
}
