/* More connections than a listener with keys keeps of unauthenticated peers. */
#include "../support/test.h"
#include "keys_bench.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDLE_STRANGERS 500

static void listen_for_crowds(keys_bench *b)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    certificate_make_key(b->folder, "k", "cluster", 1);
    assert_ok(keys_bench_load_key(b, &b->here, "k", NULL));
    assert_ok(keys_bench_load_key(b, &b->there, "k", NULL));
    b->here.patience_ns = KEYS_PATIENCE_NS; /* they do not end by themselves */
    keys_bench_listen(b);
}

static int fds[IDLE_STRANGERS];

static void let_the_silent_come(keys_bench *b)
{
    for (size_t i = 0; i < IDLE_STRANGERS; i++) {
        fds[i] = keys_bench_raw(b);
        keys_bench_turn(b); /* or the system's queue gets full */
    }
}

static void let_the_silent_go(void)
{
    for (size_t i = 0; i < IDLE_STRANGERS; i++)
        (void)close(fds[i]);
}

static bool is_kept(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

KEYS_TEST(strangers_do_not_keep_others_out)
{
    keys_bench *b = *state;
    listen_for_crowds(b);
    let_the_silent_come(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    keys_bench_exchange(b);
    assert_in_range(b->turned_away, IDLE_STRANGERS - 64, IDLE_STRANGERS);
    let_the_silent_go();
}

KEYS_TEST(silence_takes_no_place_of_who_speaks)
{
    keys_bench *b = *state;
    listen_for_crowds(b);
    int fd = keys_bench_raw(b);
    assert_int_equal(send(fd, "\x16\x03", 2, 0), 2); /* the rest of its record is on the way */
    keys_bench_turn(b);
    let_the_silent_come(b);
    assert_true(is_kept(fd));
    let_the_silent_go();
    (void)close(fd);
}

KEYS_TEST(a_crowd_takes_no_place_of_another_host)
{
    keys_bench *b = *state;
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000002)}};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    listen_for_crowds(b);
    to.sin_port = htons(tci_stream_listener_port(b->listener));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    keys_bench_turn(b);
    let_the_silent_come(b);
    assert_true(is_kept(fd));
    let_the_silent_go();
    (void)close(fd);
}
