/* Unauthenticated peers at the listener, by plain sockets. */
#include "attack.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOW_SOCKETS 200u
#define BATCH 20u
#define READY_BYTES 17u

static int dial(attack *a)
{
    const char *port = strrchr(a->host_port, ':') + 1;
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        abort();
    a->frames++;
    if (connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to) != 0)
        a->failures++;
    return fd;
}

/* By a reset, half of the time: then no port waits for its time to pass. */
static void hang_up(attack *a, int fd)
{
    const struct linger now = {.l_onoff = 1};
    if (attack_below(a, 2))
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    (void)close(fd);
}

static void say_bytes(int fd, const void *bytes, size_t size)
{
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)n; /* a peer that closes the connection is right */
}

static void send_garbage(attack *a)
{
    uint8_t bytes[9000];
    for (unsigned n = 0; n < BATCH && attack_goes_on(a); n++) {
        int fd = dial(a);
        size_t size = attack_below(a, sizeof bytes);
        attack_fill(a, bytes, size);
        if (attack_below(a, 2) && size > 16)
            memcpy(bytes, "TCHI\2", 6);
        say_bytes(fd, bytes, size);
        hang_up(a, fd);
    }
}

/* The HELLO of a connection that was honest, and is over. */
static const uint8_t *old_hello(attack *a, size_t *size_out)
{
    tc_error error = {0};
    const uint8_t *bytes = attack_own_hello(size_out);
    if (*size_out == 0 &&
        tc_ep_connect(a->ctx, a->host_port, 3000000000ull, &a->ep, &error) == TC_OK) {
        tc_ep_close(a->ep);
        a->ep = NULL;
        bytes = attack_own_hello(size_out);
    }
    return bytes;
}

static void cut_hellos(attack *a)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    const uint8_t *hello = old_hello(a, &size);
    for (unsigned n = 0; size > 0 && n < BATCH && attack_goes_on(a); n++) {
        int fd = dial(a);
        memcpy(bytes, hello, size);
        if (attack_below(a, 3) == 0)
            bytes[6] = (uint8_t)attack_below(a, 8); /* its kind */
        say_bytes(fd, bytes, attack_below(a, size + 1));
        if (attack_below(a, 2))
            (void)shutdown(fd, SHUT_WR);
        hang_up(a, fd);
    }
}

static void replay_hellos(attack *a)
{
    uint8_t answer[TCI_HELLO_MESSAGE_MAX], ready[READY_BYTES];
    size_t size, ready_size;
    const uint8_t *hello = old_hello(a, &size);
    if (tci_hello_ready_encode((uint8_t)(1 + attack_below(a, 3)), ready, sizeof ready,
                               &ready_size) != TC_OK)
        return;
    for (unsigned n = 0; size > 0 && n < BATCH && attack_goes_on(a); n++) {
        int fd = dial(a);
        const struct timeval soon = {.tv_usec = 20000};
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
        for (uint64_t times = 1 + attack_below(a, 2); times > 0; times--)
            say_bytes(fd, hello, size);
        if (attack_below(a, 2))
            say_bytes(fd, ready, ready_size);
        ssize_t got = recv(fd, answer, sizeof answer, 0);
        (void)got;
        hang_up(a, fd);
    }
}

static void crawl(attack *a)
{
    int fds[SLOW_SOCKETS];
    size_t size, said = 0;
    const uint8_t *hello = old_hello(a, &size);
    for (unsigned i = 0; i < SLOW_SOCKETS; i++)
        fds[i] = dial(a);
    for (; attack_goes_on(a) && said < size; said++) {
        for (unsigned i = 0; i < SLOW_SOCKETS; i++)
            say_bytes(fds[i], hello + said, 1);
        attack_wait(a, 30000000);
    }
    for (unsigned i = 0; i < SLOW_SOCKETS; i++)
        hang_up(a, fds[i]);
}

static void flood(attack *a)
{
    int fds[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
        fds[i] = dial(a);
    for (unsigned i = 0; i < BATCH; i++)
        hang_up(a, fds[i]);
}

const attack_scenario attack_socket_scenarios[] = {
    {"garbage", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_HONEST, send_garbage},
    {"cut_hellos", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_HONEST, cut_hellos},
    {"replayed_hellos", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_HONEST, replay_hellos},
    {"slow_loris", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_HONEST, crawl},
    {"flood", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_HONEST, flood},
    {0},
};
