/* A listener of a process that has no descriptors left, and peers that connect and send
 * nothing. */
#include "../support/test.h"
#include "../support/test_context.h"
#include "base/clock.h"
#include "context/context_object.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <tc/advanced.h>
#include <tc/log.h>
#include <unistd.h>

#define CALLERS 48
#define LIMIT 128 /* of descriptors; a quarter may be peers that are not open */
#define DEADLINE_NS 60000000000ull
#define A_WHILE_NS 350000000ull /* in which it tries again a few times */

typedef struct bench {
    tc_context *ctx;
    tc_listener *listener;
    struct rlimit limit; /* before */
    int callers[CALLERS];
    unsigned lines; /* of log */
} bench;

static void count_lines(void *user, tc_log_level level, const char *line)
{
    bench *b = user;
    (void)level;
    b->lines += strstr(line, "listener") != NULL;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    tc_error error = {0};
    b->ctx = test_context(NULL);
    must(tc_listener_open(b->ctx, "127.0.0.1:0", &b->listener, &error), &error, "listener");
    for (int i = 0; i < CALLERS; i++)
        b->callers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &b->limit), 0);
    tc_log_set_sink(count_lines, b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    tc_log_set_sink(NULL, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &b->limit);
    for (int i = 0; i < CALLERS; i++)
        (void)close(b->callers[i]);
    tc_context_destroy(b->ctx);
    free(b);
    return 0;
}

static void allow(const bench *b, rlim_t descriptors)
{
    const struct rlimit limit = {.rlim_cur = descriptors, .rlim_max = b->limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void call(const bench *b, int caller)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(tc_listener_port(b->listener)),
                                   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    assert_int_equal(connect(b->callers[caller], (const struct sockaddr *)&to, sizeof to), 0);
}

static bool was_hung_up_on(const bench *b, int caller)
{
    char byte;
    ssize_t n;
    while ((n = recv(b->callers[caller], &byte, 1, MSG_DONTWAIT)) > 0)
        ;
    return n == 0 || errno != EAGAIN;
}

static void turn_for_a_while(bench *b)
{
    uint64_t deadline_ns = tci_deadline_after(A_WHILE_NS);
    while (tci_deadline_left_ns(deadline_ns) > 0)
        (void)tc_progress(b->ctx);
}

TEST_WITH(without_descriptors_it_rests_and_says_so_once, setup, teardown)
{
    bench *b = *state;
    allow(b, 0);
    call(b, 0);
    turn_for_a_while(b);
    assert_int_equal(b->lines, 1);
    assert_int_equal(b->ctx->core.handshakes, 0);
    assert_int_equal(b->ctx->listeners_resting, 1);
    (void)setrlimit(RLIMIT_NOFILE, &b->limit);
    uint64_t deadline_ns = tci_deadline_after(DEADLINE_NS);
    while (b->ctx->core.handshakes == 0 && tci_deadline_left_ns(deadline_ns) > 0)
        assert_int_not_equal(tc_wait(b->ctx, DEADLINE_NS / 1000), TC_E_BUSY);
    assert_int_equal(b->ctx->core.handshakes, 1);
    assert_int_equal(b->ctx->listeners_resting, 0);
    assert_int_equal(b->lines, 1);
}

TEST_WITH(a_listener_may_be_closed_while_it_rests, setup, teardown)
{
    bench *b = *state;
    allow(b, 0);
    call(b, 0);
    turn_for_a_while(b);
    tc_listener_close(b->listener);
    assert_int_equal(b->ctx->listeners_resting, 0);
    turn_for_a_while(b);
}

TEST_WITH(who_says_nothing_gives_way_to_who_came_later, setup, teardown)
{
    bench *b = *state;
    uint64_t deadline_ns = tci_deadline_after(DEADLINE_NS);
    allow(b, LIMIT);
    for (int i = 0; i < CALLERS; i++) {
        call(b, i);
        while (!tci_pending_has(&b->ctx->core.pending, TCI_WORK_HANDSHAKE) &&
               tci_deadline_left_ns(deadline_ns) > 0)
            (void)tc_progress(b->ctx);
        for (int turn = 0; turn < 100; turn++)
            (void)tc_progress(b->ctx);
    }
    while (!was_hung_up_on(b, CALLERS - LIMIT / 4 - 1) && tci_deadline_left_ns(deadline_ns) > 0)
        (void)tc_progress(b->ctx);
    assert_int_equal(b->ctx->core.handshakes, LIMIT / 4);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(was_hung_up_on(b, i), i < CALLERS - LIMIT / 4);
}

/* An address that no other process has, so the port is free. */
TEST_WITH(who_needs_no_handle_takes_none, setup, teardown)
{
    bench *b = *state;
    char host_port[32];
    tc_error error = {0};
    tc_context *ctx = test_context(NULL);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7000)};
    unsigned pid = (unsigned)getpid();
    (void)snprintf(host_port, sizeof host_port, "127.%u.%u.%u:7000", 1 + (pid >> 16) % 200,
                   pid >> 8 & 255, pid & 255);
    assert_ok(tc_listener_open(ctx, host_port, NULL, &error));
    assert_status(tc_listener_open(ctx, host_port, NULL, &error), TC_E_IN_USE);
    *strchr(host_port, ':') = '\0';
    assert_int_equal(inet_pton(AF_INET, host_port, &to.sin_addr), 1);
    assert_int_equal(connect(b->callers[0], (const struct sockaddr *)&to, sizeof to), 0);
    (void)tc_progress(ctx);
    tc_context_destroy(ctx); /* closes it, and accepted connections */
    assert_int_not_equal(connect(b->callers[1], (const struct sockaddr *)&to, sizeof to), 0);
}

TEST_WITH(its_socket_listens_for_another_context, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    tc_listener *other;
    tc_context *ctx = test_context(NULL);
    const int fd = tc_listener_fd(b->listener);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(ntohs(at.sin_port), tc_listener_port(b->listener));
    assert_ok(tc_listener_open_socket(ctx, fd, &other, &error));
    assert_int_not_equal(tc_listener_fd(other), fd);
    assert_int_equal(tc_listener_port(other), tc_listener_port(b->listener));
    tc_listener_close(b->listener);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(b->callers[0], (const struct sockaddr *)&at, sizeof at), 0);
    uint64_t deadline_ns = tci_deadline_after(DEADLINE_NS);
    while (ctx->core.handshakes == 0 && tci_deadline_left_ns(deadline_ns) > 0)
        assert_int_not_equal(tc_wait(ctx, DEADLINE_NS / 1000), TC_E_BUSY);
    assert_int_equal(ctx->core.handshakes, 1);
    tc_context_destroy(ctx);
}

TEST_WITH(where_another_process_accepts_there_is_no_socket, setup, teardown)
{
    bench *b = *state;
    int ends[2];
    tc_error error = {0};
    tc_listener *handed;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_ok(tc_listener_open_handed(b->ctx, ends[0], &handed, &error));
    assert_int_equal(tc_listener_fd(handed), -1);
    assert_int_equal(tc_listener_port(handed), 0);
    tc_listener_close(handed);
    (void)close(ends[0]);
    (void)close(ends[1]);
}
