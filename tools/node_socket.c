#include "node_socket.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <tc/advanced.h>
#include <unistd.h>

#define STACK_BYTES 65536u
#define REST_MS 100 /* without a free descriptor */

typedef union host_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} host_address;

static struct {
    bool is_open;
    tc_listener *listener;
    int channel; /* connections for the library */
    int stop;    /* an eventfd */
    pthread_t thread;
} served;

/* --- looking ------------------------------------------------------------------------------ */

static bool is_listening(int fd, host_address *address_out)
{
    int accepts = 0;
    socklen_t size = sizeof accepts, address_size = sizeof *address_out;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0 &&
           getsockname(fd, &address_out->any, &address_size) == 0 &&
           (address_out->any.sa_family == AF_INET || address_out->any.sa_family == AF_INET6);
}

static unsigned port_of(const host_address *address)
{
    return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port
                                                   : address->v6.sin6_port);
}

static bool is_same_host(const host_address *a, const host_address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    return a->any.sa_family == AF_INET
               ? a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr
               : memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof a->v6.sin6_addr) == 0;
}

int node_socket_find(unsigned port)
{
    DIR *folder = opendir("/proc/self/fd");
    host_address address;
    int found = -1;
    if (folder == NULL)
        return -1;
    for (const struct dirent *entry; found < 0 && (entry = readdir(folder)) != NULL;) {
        char *end;
        const long fd = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0' && is_listening((int)fd, &address) &&
            port_of(&address) == port)
            found = (int)fd;
    }
    (void)closedir(folder);
    return found;
}

/* --- serving ------------------------------------------------------------------------------ */

/* Sends the connection and closes it here. A full channel waits: then the library has taken no
 * turn for long, and the kernel keeps connections. */
static void pass_on(int channel, int connection)
{
    char byte = 0;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {.iov_base = &byte, .iov_len = sizeof byte};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = &control,
                                   .msg_controllen = sizeof control};
    control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof connection),
                                     .cmsg_level = SOL_SOCKET,
                                     .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.align), &connection, sizeof connection);
    while (sendmsg(channel, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
    (void)close(connection);
}

static void *accept_all(void *none)
{
    struct pollfd fds[] = {{.fd = NODE_SOCKET_INHERITED, .events = POLLIN},
                           {.fd = served.stop, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return none;
        if (fds[1].revents != 0)
            return none;
        if (fds[0].revents == 0)
            continue;
        /* Another process may have taken it. */
        const int connection =
            accept4(NODE_SOCKET_INHERITED, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (connection >= 0)
            pass_on(served.channel, connection);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            (void)poll(&fds[1], 1, REST_MS);
    }
}

static int start_thread(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int problem = pthread_attr_init(&attributes);
    if (problem != 0)
        return problem;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    problem = pthread_create(&served.thread, &attributes, accept_all, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return problem;
}

static tc_status fail(tc_status status, tc_error *err, const char *text, const char *detail)
{
    err->status = status;
    (void)snprintf(err->text, sizeof err->text, "%s: %s", text, detail);
    return status;
}

/* Opens a socket beside it, for the library to check the address, the keys and the options as
 * those of any listener; and compares the addresses. */
static tc_status check_address(tc_context *ctx, const char *address,
                               const host_address *inherited, tc_error *err)
{
    char beside[256];
    tc_listener *listener;
    host_address asked;
    const char *colon = strrchr(address, ':');
    const int host = colon != NULL ? (int)(colon - address) : 0;
    const unsigned long port = colon != NULL ? strtoul(colon + 1, NULL, 10) : 0;
    (void)snprintf(beside, sizeof beside, "%.*s:0", host, address);
    const tc_status status = tc_listener_open(ctx, beside, &listener, err);
    if (status != TC_OK)
        return status;
    const int fd = node_socket_find(tc_listener_port(listener));
    const bool is_same = fd >= 0 && is_listening(fd, &asked) &&
                         is_same_host(&asked, inherited) &&
                         (port == 0 || port == port_of(inherited));
    tc_listener_close(listener);
    return is_same ? TC_OK
                   : fail(TC_E_INVALID, err, "the inherited socket listens elsewhere", address);
}

tc_status node_socket_open(tc_context *ctx, const char *address, unsigned *port_out,
                           tc_error *err)
{
    host_address inherited;
    int ends[2];
    if (!is_listening(NODE_SOCKET_INHERITED, &inherited))
        return fail(TC_E_INVALID, err, "no listening socket was inherited", strerror(errno));
    tc_status status = check_address(ctx, address, &inherited, err);
    if (status != TC_OK)
        return status;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(TC_E_IO, err, "socketpair", strerror(errno));
    status = tc_listener_open_handed(ctx, ends[1], &served.listener, err);
    (void)close(ends[1]);
    if (status != TC_OK) {
        (void)close(ends[0]);
        return status;
    }
    served.channel = ends[0];
    served.stop = eventfd(0, EFD_CLOEXEC);
    const int problem = served.stop < 0 ? errno : start_thread();
    if (problem != 0)
        return fail(TC_E_IO, err, "a thread that accepts", strerror(problem));
    served.is_open = true;
    *port_out = port_of(&inherited);
    return TC_OK;
}

void node_socket_close(void)
{
    const uint64_t one = 1;
    if (!served.is_open)
        return;
    served.is_open = false;
    if (write(served.stop, &one, sizeof one) != (ssize_t)sizeof one)
        return;                         /* it never blocks: the counter is far from its end */
    tc_listener_close(served.listener); /* and so the channel's other end */
    (void)pthread_join(served.thread, NULL);
    (void)close(served.channel);
    (void)close(served.stop);
    (void)close(NODE_SOCKET_INHERITED);
}
