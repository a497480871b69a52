/* Streams between hosts. A connection has two directions; each is a queue of segments, which
 * arrive in order, and is shared by the two sockets that it joins. Either may close, or be
 * killed with its node, at any time. */
#include "sim_socket.h"

#include "sim_memory.h"
#include "sim_network.h"
#include "sim_port.h"
#include "sim_trace.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define BACKLOG_MAX 4096 /* as net.core.somaxconn */
#define PORTS_FIRST 30000u

typedef enum socket_state { FRESH, BOUND, LISTENING, CONNECTING, CONNECTED, BROKEN } state;

typedef struct sim_socket {
    sim_descriptor base;
    state state;
    struct sockaddr_in own, peer;
    int error; /* not reported yet */
    sim_network_way *in, *out;
    struct sim_socket *waiting; /* LISTENING: connections to be accepted */
    struct sim_socket *next;
    struct sim_socket *last_waiting;
    unsigned waiting_count, backlog;
    sim_port port; /* taken by a listener */
    bool sent_end;
} sim_socket;

static const sim_descriptor_ops socket_ops;

static int fail(int errnum)
{
    errno = errnum;
    return -1;
}

static sim_socket *socket_of(int number)
{
    sim_descriptor *descriptor = sim_descriptor_of(number);
    return descriptor != NULL && descriptor->ops == &socket_ops
               ? (sim_socket *)(void *)descriptor
               : NULL;
}

static struct sockaddr_in address_of(const tc_sim_node *node)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl((10u << 24) | node->host)};
}

static unsigned host_of(const struct sockaddr_in *address)
{
    return ntohl(address->sin_addr.s_addr) & 0xffffffu;
}

int sim_socket_open(int domain, int type)
{
    if (domain != AF_INET || (type & 0xf) != SOCK_STREAM)
        return fail(EAFNOSUPPORT);
    sim_socket *s = sim_memory_real_clear(sizeof *s);
    if (s == NULL)
        return fail(ENOMEM);
    s->own = address_of(sim_world_node());
    s->base.blocking = (type & SOCK_NONBLOCK) == 0;
    return sim_descriptor_open(&s->base, &socket_ops);
}

/* --- listening --------------------------------------------------------------------------- */

static sim_socket *listener_at(const tc_sim_world *world, unsigned host, uint16_t number)
{
    for (sim_port *port = sim_port_find(world, host, number); port != NULL;
         port = sim_port_next(port)) {
        sim_socket *s = (sim_socket *)(void *)((char *)port - offsetof(sim_socket, port));
        if (!port->node->dead && (s->state == LISTENING || s->state == BOUND))
            return s;
    }
    return NULL;
}

static uint16_t free_port(tc_sim_world *world, unsigned host)
{
    uint16_t port;
    do {
        port = world->next_port++;
        if (world->next_port < PORTS_FIRST)
            world->next_port = PORTS_FIRST;
    } while (listener_at(world, host, htons(port)) != NULL);
    return htons(port);
}

int sim_socket_bind(int number, const struct sockaddr *address, socklen_t size)
{
    sim_socket *s = socket_of(number);
    struct sockaddr_in wanted;
    if (s == NULL || size < sizeof wanted)
        return fail(s == NULL ? ENOTSOCK : EINVAL);
    memcpy(&wanted, address, sizeof wanted);
    tc_sim_node *node = s->base.node;
    if (host_of(&wanted) != node->host && wanted.sin_addr.s_addr != htonl(INADDR_ANY))
        return fail(EADDRNOTAVAIL);
    if (wanted.sin_port != 0 && listener_at(node->world, node->host, wanted.sin_port) != NULL)
        return fail(EADDRINUSE);
    if (s->state != FRESH)
        return fail(EINVAL);
    s->own = address_of(node);
    s->own.sin_port =
        wanted.sin_port != 0 ? wanted.sin_port : free_port(node->world, node->host);
    if (!sim_port_take(&s->port, node, s->own.sin_port))
        return fail(ENOBUFS);
    s->state = BOUND;
    return 0;
}

int sim_socket_listen(int number, int backlog)
{
    sim_socket *s = socket_of(number);
    if (s == NULL || s->state != BOUND)
        return fail(s == NULL ? ENOTSOCK : EINVAL);
    s->backlog = backlog < BACKLOG_MAX ? (unsigned)backlog : BACKLOG_MAX;
    s->state = LISTENING;
    return 0;
}

static int name(const struct sockaddr_in *from, struct sockaddr *address, socklen_t *size)
{
    if (address == NULL)
        return 0;
    memcpy(address, from, *size < sizeof *from ? *size : sizeof *from);
    *size = sizeof *from;
    return 0;
}

int sim_socket_accept(int number, struct sockaddr *address, socklen_t *size, int flags)
{
    sim_socket *s = socket_of(number);
    if (s == NULL || s->state != LISTENING)
        return fail(s == NULL ? ENOTSOCK : EINVAL);
    if (s->waiting == NULL)
        return fail(EAGAIN);
    sim_socket *accepted = s->waiting;
    s->waiting = accepted->next;
    s->waiting_count--;
    const struct sockaddr_in peer = accepted->peer;
    sim_network_way *in = accepted->in, *out = accepted->out;
    const int opened = sim_descriptor_open(&accepted->base, &socket_ops);
    if (opened < 0) { /* and freed */
        sim_network_reset(out);
        sim_network_leave_in(in);
        sim_network_leave_out(out);
        return fail(EMFILE);
    }
    accepted->base.blocking = (flags & SOCK_NONBLOCK) == 0;
    sim_network_receiver(in, &accepted->base);
    sim_network_sender(out, &accepted->base);
    return name(&peer, address, size) == 0 ? opened : -1;
}

/* --- connecting -------------------------------------------------------------------------- */

/* A connection attempt on its way to the listener's host. */
typedef struct attempt {
    sim_network_way *forth, *back;
    struct sockaddr_in from, to;
    tc_sim_world *world;
} attempt;

static void answer(attempt *a, int errnum)
{
    sim_network_answer(a->back, errnum);
    if (errnum != 0) {
        sim_network_leave_in(a->forth);
        sim_network_leave_out(a->back);
    }
    sim_memory_real_resize(a, 0);
}

/* An attempt of a closed socket is not made again. */
static void try_later(attempt *a, void (*run)(void *subject, uint64_t argument))
{
    if (!sim_network_is_deaf(a->back)) {
        sim_network_retry(a->forth, run, a);
        return;
    }
    sim_network_leave_in(a->forth);
    sim_network_leave_out(a->back);
    sim_memory_real_resize(a, 0);
}

/* At the host that is connected to: queues the connection at its listener. */
static void arrive(void *subject, uint64_t argument)
{
    attempt *a = subject;
    (void)argument;
    if (sim_network_is_cut(a->world, host_of(&a->from), host_of(&a->to))) {
        try_later(a, arrive);
        return;
    }
    sim_socket *listener = listener_at(a->world, host_of(&a->to), a->to.sin_port);
    if (listener == NULL || listener->state != LISTENING) {
        answer(a, ECONNREFUSED);
        return;
    }
    if (listener->waiting_count >= listener->backlog) {
        try_later(a, arrive);
        return;
    }
    sim_socket *s = sim_memory_real_clear(sizeof *s);
    if (s == NULL) {
        answer(a, ECONNREFUSED);
        return;
    }
    *s = (sim_socket){
        .state = CONNECTED, .own = a->to, .peer = a->from, .in = a->forth, .out = a->back};
    if (listener->waiting == NULL)
        listener->waiting = s;
    else
        listener->last_waiting->next = s;
    listener->last_waiting = s;
    listener->waiting_count++;
    sim_network_answer(a->back, 0);
    sim_memory_real_resize(a, 0);
    sim_descriptor_changed(&listener->base);
}

int sim_socket_connect(int number, const struct sockaddr *address, socklen_t size)
{
    sim_socket *s = socket_of(number);
    if (s == NULL || size < sizeof s->peer)
        return fail(s == NULL ? ENOTSOCK : EINVAL);
    tc_sim_world *world = s->base.node->world;
    memcpy(&s->peer, address, sizeof s->peer);
    if (s->own.sin_port == 0)
        s->own.sin_port = free_port(world, s->base.node->host);
    attempt *a = sim_world_fails() ? NULL : sim_memory_real_clear(sizeof *a);
    const unsigned here = host_of(&s->own), there = host_of(&s->peer);
    if (a == NULL || !sim_network_join(world, here, there, &a->forth, &a->back)) {
        sim_memory_real_resize(a, 0);
        return fail(ENOBUFS);
    }
    a->world = world;
    a->from = s->own;
    a->to = s->peer;
    s->out = a->forth;
    s->in = a->back;
    sim_network_sender(s->out, &s->base);
    sim_network_receiver(s->in, &s->base);
    s->state = CONNECTING;
    sim_trace_event(world, SIM_TRACE_CONNECTS, sim_trace_pair(here, there), 0);
    sim_world_after(world, sim_network_delay(world, here, there), arrive, a, 0);
    return fail(EINPROGRESS);
}

/* Takes the news of the network: an answer to connect, or an error. */
static void take_news(sim_socket *s)
{
    if (s->in == NULL)
        return;
    const int errnum = sim_network_error(s->in);
    if (s->state == CONNECTING && sim_network_is_answered(s->in))
        s->state = CONNECTED;
    if (errnum != 0 && s->state != BROKEN) {
        s->state = BROKEN;
        s->error = errnum;
    }
}

int sim_socket_take_error(int number)
{
    sim_socket *s = socket_of(number);
    if (s == NULL)
        return fail(ENOTSOCK);
    take_news(s);
    const int errnum = s->error;
    s->error = 0;
    return errnum;
}

int sim_socket_info(int number, struct tcp_info *info)
{
    const sim_socket *s = socket_of(number);
    if (s == NULL)
        return fail(ENOTSOCK);
    *info = (struct tcp_info){.tcpi_state =
                                  s->state == CONNECTING ? TCP_SYN_SENT : TCP_ESTABLISHED};
    info->tcpi_unacked = s->out != NULL && sim_network_under_way(s->out) > 0;
    return 0;
}

int sim_socket_name(int number, bool of_peer, struct sockaddr *address, socklen_t *size)
{
    sim_socket *s = socket_of(number);
    if (s == NULL)
        return fail(ENOTSOCK);
    if (of_peer && s->state != CONNECTED)
        return fail(ENOTCONN);
    return name(of_peer ? &s->peer : &s->own, address, size);
}

/* --- bytes ------------------------------------------------------------------------------- */

static unsigned socket_ready(const sim_descriptor *descriptor)
{
    sim_socket *s = (sim_socket *)(uintptr_t)descriptor;
    take_news(s);
    if (s->state == LISTENING)
        return s->waiting != NULL ? POLLIN : 0;
    if (s->state == BROKEN)
        return POLLIN | POLLOUT | POLLERR | POLLHUP;
    if (s->state != CONNECTED)
        return 0;
    return (sim_network_unread(s->in) > 0 ? POLLIN : 0) |
           (sim_network_has_ended(s->in) ? POLLIN | POLLRDHUP : 0) |
           (sim_network_space(s->out) > 0 ? POLLOUT : 0);
}

static int take_error(sim_socket *s)
{
    const int errnum = s->error != 0 ? s->error : EPIPE;
    s->error = 0;
    return errnum;
}

static size_t cut(tc_sim_world *world, size_t size)
{
    return size > 1 && sim_random_happens(&world->random, world->params.cut_per_million)
               ? 1 + (size_t)sim_random_below(&world->random, size - 1)
               : size;
}

static ssize_t socket_read(sim_descriptor *descriptor, void *bytes, size_t size, int flags)
{
    sim_socket *s = (sim_socket *)(void *)descriptor;
    take_news(s);
    size_t unread = s->in != NULL ? sim_network_unread(s->in) : 0;
    if (unread == 0 && s->in != NULL && sim_network_has_ended(s->in))
        return 0; /* the end in order came before a reset */
    if (unread == 0 && s->state == BROKEN) {
        const int errnum = take_error(s);
        return errnum == EPIPE ? 0 : fail(errnum);
    }
    if (s->state != CONNECTED && unread == 0)
        return fail(s->state == CONNECTING ? EAGAIN : ENOTCONN);
    if (unread == 0)
        return fail(EAGAIN);
    if (sim_world_fails())
        return fail(ENOBUFS);
    if (size > unread)
        size = unread;
    size = cut(descriptor->node->world, size);
    sim_network_read(s->in, bytes, size, (flags & MSG_PEEK) != 0);
    return (ssize_t)size;
}

static ssize_t socket_write(sim_descriptor *descriptor, const void *bytes, size_t size)
{
    sim_socket *s = (sim_socket *)(void *)descriptor;
    take_news(s);
    if (s->state == BROKEN)
        return fail(take_error(s));
    if (s->state != CONNECTED || s->sent_end)
        return fail(s->state == CONNECTING ? EAGAIN : EPIPE);
    size_t space = sim_network_space(s->out);
    if (space == 0)
        return fail(EAGAIN);
    if (sim_world_fails())
        return fail(ENOBUFS);
    size = cut(descriptor->node->world, size < space ? size : space);
    return sim_network_write(s->out, bytes, size) ? (ssize_t)size : fail(ENOBUFS);
}

int sim_socket_shutdown(int number, int how)
{
    sim_socket *s = socket_of(number);
    if (s == NULL || s->state != CONNECTED)
        return fail(s == NULL ? ENOTSOCK : ENOTCONN);
    if (how != SHUT_RD && !s->sent_end) {
        s->sent_end = true;
        sim_network_end(s->out);
    }
    return 0;
}

/* A socket that is closed with unread bytes resets its connection, and so does that of a killed
 * process here: its peers find the death before any timeout, as from a real kernel. */
static void give_up(sim_socket *s)
{
    if (s->out != NULL) {
        if (s->state == CONNECTING || sim_network_unread(s->in) > 0 || s->base.node == NULL ||
            s->base.node->dead)
            sim_network_reset(s->out);
        else if (!s->sent_end)
            sim_network_end(s->out);
        sim_network_leave_in(s->in);
        sim_network_leave_out(s->out);
    }
    sim_memory_real_resize(s, 0);
}

static void socket_close(sim_descriptor *descriptor)
{
    sim_socket *s = (sim_socket *)(void *)descriptor;
    sim_port_release(&s->port);
    while (s->waiting != NULL) {
        sim_socket *waiting = s->waiting;
        s->waiting = waiting->next;
        give_up(waiting);
    }
    give_up(s);
}

static const sim_descriptor_ops socket_ops = {
    .ready = socket_ready, .read = socket_read, .write = socket_write, .close = socket_close};
