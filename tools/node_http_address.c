#include "node_http_address.h"

#include "node_say.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 16

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static bool read_port(const char *text, in_port_t *port_out)
{
    unsigned port = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || (port = port * 10 + (unsigned)(*text - '0')) > 65535)
            return false;
    }
    *port_out = htons((uint16_t)port);
    return true;
}

static bool read_host(const char *host, size_t size, in_port_t port, address *out)
{
    char text[INET6_ADDRSTRLEN + 2];
    memset(out, 0, sizeof *out);
    if (size == 0 || size >= sizeof text)
        return false;
    memcpy(text, host, size);
    text[size] = '\0';
    if (text[0] == '[' && text[size - 1] == ']') {
        text[size - 1] = '\0';
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = port;
        return inet_pton(AF_INET6, text + 1, &out->v6.sin6_addr) == 1;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = port;
    return inet_pton(AF_INET, strcmp(text, "localhost") == 0 ? "127.0.0.1" : text,
                     &out->v4.sin_addr) == 1;
}

/* A text without a colon is a port. */
static bool read_address(const char *text, address *out)
{
    in_port_t port;
    const char *colon = strrchr(text, ':');
    if (!read_port(colon != NULL ? colon + 1 : text, &port))
        return false;
    if (colon == NULL || colon == text)
        return read_host("127.0.0.1", strlen("127.0.0.1"), port, out);
    return read_host(text, (size_t)(colon - text), port, out);
}

static bool is_loopback(const address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static void write_address(const address *a, char at_out[NODE_HTTP_ADDRESS_MAX])
{
    char host[INET6_ADDRSTRLEN];
    if (a->any.sa_family == AF_INET)
        (void)snprintf(at_out, NODE_HTTP_ADDRESS_MAX, "%s:%u",
                       inet_ntop(AF_INET, &a->v4.sin_addr, host, sizeof host),
                       ntohs(a->v4.sin_port));
    else
        (void)snprintf(at_out, NODE_HTTP_ADDRESS_MAX, "[%s]:%u",
                       inet_ntop(AF_INET6, &a->v6.sin6_addr, host, sizeof host),
                       ntohs(a->v6.sin6_port));
}

static int open_socket(address *a)
{
    const int on = 1;
    socklen_t size = a->any.sa_family == AF_INET ? sizeof a->v4 : sizeof a->v6;
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    /* A node that starts again need not wait for connections of the one before. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &a->any, size) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, &a->any, &size) == 0)
        return fd;
    int problem = errno;
    (void)close(fd);
    errno = problem;
    return -1;
}

/* Port 0 is any port. */
static bool is_wanted(const address *there, const address *wanted)
{
    if (there->any.sa_family != wanted->any.sa_family)
        return false;
    if (there->any.sa_family == AF_INET)
        return there->v4.sin_addr.s_addr == wanted->v4.sin_addr.s_addr &&
               (wanted->v4.sin_port == 0 || there->v4.sin_port == wanted->v4.sin_port);
    return memcmp(&there->v6.sin6_addr, &wanted->v6.sin6_addr, sizeof there->v6.sin6_addr) ==
               0 &&
           (wanted->v6.sin6_port == 0 || there->v6.sin6_port == wanted->v6.sin6_port);
}

/* Returns the inherited socket, or -1 if there is none or it is another. */
static int take_inherited(int fd, address *a)
{
    address there;
    socklen_t size = sizeof there, accepts_size = sizeof(int);
    int accepts = 0;
    if (fd < 0)
        return -1;
    memset(&there, 0, sizeof there);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &accepts_size) == 0 &&
        accepts != 0 && getsockname(fd, &there.any, &size) == 0 && is_wanted(&there, a) &&
        fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) {
        *a = there;
        return fd;
    }
    (void)close(fd);
    return -1;
}

int node_http_address_listen(const char *text, int inherited,
                             char at_out[NODE_HTTP_ADDRESS_MAX])
{
    address a;
    if (!read_address(text, &a)) {
        node_say(NODE_ERROR,
                 "--http %s: expected a port, or a numeric address and a port: "
                 "127.0.0.1:9464, [::1]:9464",
                 text);
        return -1;
    }
    int fd = take_inherited(inherited, &a);
    fd = fd >= 0 ? fd : open_socket(&a);
    if (fd < 0) {
        node_say(NODE_ERROR, "--http %s: %s%s", text, strerror(errno),
                 errno == EADDRINUSE ? ": another process listens there" : "");
        return -1;
    }
    write_address(&a, at_out);
    if (!is_loopback(&a))
        node_say(NODE_WARNING,
                 "--http %s: every host that reaches this address can read the "
                 "metrics, with names of functions and identities of peers",
                 text);
    return fd;
}
