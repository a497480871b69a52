/* Peers of other versions, and programs that only look like peers: the errors of each side,
 * byte by byte over a plain socket. */
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"
#include "modules/ucx/worker.h"
#include "wire/hello.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <tc/endpoint.h>
#include <tc/log.h>
#include <unistd.h>

#define OTHER_PROTOCOL 1
#define OWN_PROTOCOL "version 3"
#define OTHER_UCX_MINOR 99
#define SHORT_NS 300000000ull

typedef struct message {
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
} message;

/* A fake listener: takes one connection, answers the first message, keeps the later bytes. */
typedef struct fake {
    int fd;
    char host_port[32];
    message answer;
    bool hangs_up;
    unsigned hung_up; /* times */
    message said;     /* after the first message */
    pthread_t thread;
} fake;

static tc_context *ctx;
static tc_listener *listener;
static process peer;
static char logged[4096];

static void keep_line(void *user, tc_log_level level, const char *line)
{
    (void)user;
    (void)level;
    (void)snprintf(logged, sizeof logged, "%s", line);
}

static int setup(void **state)
{
    logged[0] = '\0';
    tc_log_set_level(TC_LOG_WARN);
    tc_log_set_sink(keep_line, NULL);
    assert_ok(tc_context_create(NULL, &ctx, NULL));
    assert_ok(tc_listener_open(ctx, "127.0.0.1:0", &listener, NULL));
    return 0;
}

static int teardown(void **state)
{
    tc_context_destroy(ctx);
    tc_log_set_sink(NULL, NULL);
    process_end(&peer);
    return 0;
}

/* --- messages that no peer of ours would send
 * ---------------------------------------------------------------------- */

static message hello_of_ucx(unsigned minor)
{
    unsigned major, own_minor, patch;
    message m;
    tci_worker_ucx_version(&major, &own_minor, &patch);
    const tci_hello hello = {
        .ucx = {(uint8_t)major, (uint8_t)minor, 0},
        .isa = tci_hello_own_isa(),
        .page_bytes = 4096,
        .code_bytes_max = 4096,
        .pid = 1,
        .ring_bytes = 4096,
        .frame_bytes_max = 1024,
        .worker_address = {"worker", 6},
        .triple = {"x86_64-linux", 12},
    };
    assert_ok(
        tci_hello_encode(&hello, TCI_HELLO_HELLO, m.bytes, sizeof m.bytes, &m.size, NULL));
    return m;
}

static message hello_of_protocol(uint16_t protocol)
{
    message m = hello_of_ucx(OTHER_UCX_MINOR);
    m.bytes[4] = (uint8_t)protocol;
    m.bytes[5] = (uint8_t)(protocol >> 8);
    return m;
}

static message refusal(tc_status status, const char *text)
{
    message m;
    assert_ok(tci_hello_refuse_encode(status, text, m.bytes, sizeof m.bytes, &m.size));
    return m;
}

static message ready(void)
{
    message m;
    assert_ok(tci_hello_ready_encode(TCI_HELLO_DIRECT, m.bytes, sizeof m.bytes, &m.size));
    return m;
}

/* --- unknown peers at our listener
 * ------------------------------------------------------------------------------------- */

static int dial(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(tc_listener_port(listener)),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to), 0);
    return fd;
}

/* Sends m to the listener, and reads until it closes. */
static message talk(const message *m)
{
    message said = {.size = 0};
    uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    int fd = dial();
    assert_int_equal(send(fd, m->bytes, m->size, MSG_NOSIGNAL), (ssize_t)m->size);
    for (;;) {
        (void)tc_progress(ctx);
        ssize_t n =
            recv(fd, said.bytes + said.size, sizeof said.bytes - said.size, MSG_DONTWAIT);
        if (n == 0)
            break;
        said.size += n > 0 ? (size_t)n : 0;
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    (void)close(fd);
    return said;
}

static void expect_refusal(const message *said, tc_status status, const char *one,
                           const char *other)
{
    tc_error found = {0}, error = {0};
    if (tci_hello_refuse_decode(said->bytes, said->size, &found, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(found.status, status);
    assert_non_null(strstr(found.text, one));
    assert_non_null(strstr(found.text, other));
}

TEST_WITH(a_peer_of_another_protocol_is_refused, setup, teardown)
{
    const message m = hello_of_protocol(OTHER_PROTOCOL), said = talk(&m);
    expect_refusal(&said, TC_E_VERSION, "version 1", OWN_PROTOCOL);
    assert_non_null(strstr(logged, OWN_PROTOCOL));
    assert_non_null(strstr(logged, "version 1"));
}

static bool insists_on_ucx(void)
{
    const char *delivery = getenv("TC_DELIVERY");
    return delivery != NULL && strcmp(delivery, "am") == 0;
}

/* HELLO and READY: everything is to go over the connection, which needs no UCX. Where the
 * option delivery is `am` nothing else will do. */
TEST_WITH(a_peer_of_another_ucx_is_served_over_the_connection, setup, teardown)
{
    const message m = hello_of_ucx(OTHER_UCX_MINOR);
    message said = {.size = 0};
    if (insists_on_ucx()) {
        said = talk(&m);
        expect_refusal(&said, TC_E_VERSION, ".99.", "major and minor must agree");
        return;
    }
    tci_hello_preamble preamble;
    const size_t ready_bytes = TCI_HELLO_PREAMBLE_BYTES + 1;
    uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    size_t wanted = TCI_HELLO_PREAMBLE_BYTES;
    int fd = dial();
    assert_int_equal(send(fd, m.bytes, m.size, MSG_NOSIGNAL), (ssize_t)m.size);
    while (said.size < wanted) {
        (void)tc_progress(ctx);
        ssize_t n = recv(fd, said.bytes + said.size, wanted - said.size, MSG_DONTWAIT);
        said.size += n > 0 ? (size_t)n : 0;
        if (said.size == TCI_HELLO_PREAMBLE_BYTES) {
            assert_ok(tci_hello_preamble_decode(said.bytes, said.size, &preamble, NULL));
            assert_int_equal(preamble.kind, TCI_HELLO_HELLO);
            wanted += preamble.body_bytes + ready_bytes;
        }
        assert_true(n != 0 && tci_deadline_left_ns(deadline_ns) > 0);
    }
    assert_int_equal(said.bytes[said.size - 1], TCI_HELLO_STREAM);
    (void)close(fd);
}

TEST_WITH(a_damaged_hello_is_refused, setup, teardown)
{
    message m = hello_of_ucx(OTHER_UCX_MINOR);
    m.bytes[m.size - 1] ^= 1;
    const message said = talk(&m);
    expect_refusal(&said, TC_E_CORRUPT, "damaged", "checksum");
}

TEST_WITH(a_peer_that_begins_with_ready_is_hung_up_on, setup, teardown)
{
    const message m = ready(), said = talk(&m);
    assert_int_equal(said.size, 0);
}

TEST_WITH(a_peer_that_begins_with_a_bell_is_hung_up_on, setup, teardown)
{
    message m = {.size = 0};
    assert_ok(tci_hello_wakeup_encode(m.bytes, sizeof m.bytes, &m.size));
    const message said = talk(&m);
    assert_int_equal(said.size, 0);
}

/* A real peer's first message, read by a fake listener. */
static message hello_of_a_process(void)
{
    message m = {.size = 0};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t at_size = sizeof at;
    char host_port[32];
    tci_hello_preamble preamble;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)&at, &at_size), 0);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", ntohs(at.sin_port));
    process_start(&peer, (const char *const[]){PEER, "source", host_port, "0", "1", NULL},
                  NULL);
    int from = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    assert_int_equal(recv(from, m.bytes, TCI_HELLO_PREAMBLE_BYTES, MSG_WAITALL),
                     TCI_HELLO_PREAMBLE_BYTES);
    assert_ok(tci_hello_preamble_decode(m.bytes, TCI_HELLO_PREAMBLE_BYTES, &preamble, NULL));
    assert_int_equal(
        recv(from, m.bytes + TCI_HELLO_PREAMBLE_BYTES, preamble.body_bytes, MSG_WAITALL),
        (ssize_t)preamble.body_bytes);
    m.size = TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes;
    (void)close(from);
    (void)close(fd);
    return m;
}

/* Any listener can get it from a peer. Only a peer that may put needs the ring's address. */
TEST_WITH(a_hello_tells_no_address_of_memory, setup, teardown)
{
    const message m = hello_of_a_process();
    tci_hello hello;
    assert_ok(tci_hello_decode(m.bytes, m.size, TCI_HELLO_HELLO, &hello, NULL));
    assert_int_equal(hello.rkey.size, 0);
    if (!tci_hello_offers_stream(&hello)) /* an offer is a number of its own there */
        assert_int_equal(hello.ring_address, 0);
}

/* Its ring and its address are gone; UCX before 1.19 does not survive an rkey of a dead
 * process. */
TEST_WITH(the_hello_of_a_dead_process_is_refused, setup, teardown)
{
    const message m = hello_of_a_process();
    process_kill_unreaped(&peer);
    message said = talk(&m);
    assert_true(said.size > 0);
    process_end(&peer);
    said = talk(&m);
    expect_refusal(&said, TC_E_PEER_LOST, "peer lost", "ended while connecting");
}

/* --- strange listeners
 * ---------------------------------------------------------------------------------------------
 */

static void *serve_fake(void *arg)
{
    fake *f = arg;
    uint8_t first[TCI_HELLO_MESSAGE_MAX];
    ssize_t n;
    int fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC);
    for (; f->hangs_up && fd >= 0; f->hung_up++) {
        (void)close(fd);
        fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC);
    }
    if (!f->hangs_up && recv(fd, first, sizeof first, 0) > 0 && f->answer.size > 0)
        (void)send(fd, f->answer.bytes, f->answer.size, MSG_NOSIGNAL);
    while (!f->hangs_up && f->said.size < sizeof f->said.bytes &&
           (n = recv(fd, f->said.bytes + f->said.size, sizeof f->said.bytes - f->said.size,
                     0)) > 0)
        f->said.size += (size_t)n;
    (void)close(fd);
    return NULL;
}

static tc_status connect_to(fake *f, tc_error *error)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t at_size = sizeof at;
    tc_ep *ep;
    f->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(f->fd, (const struct sockaddr *)(const void *)&at, sizeof at), 0);
    assert_int_equal(listen(f->fd, 1), 0);
    assert_int_equal(getsockname(f->fd, (struct sockaddr *)(void *)&at, &at_size), 0);
    (void)snprintf(f->host_port, sizeof f->host_port, "127.0.0.1:%u", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&f->thread, NULL, serve_fake, f), 0);
    bool silent = f->answer.size == 0 && !f->hangs_up;
    tc_status status =
        tc_ep_connect(ctx, f->host_port, silent ? SHORT_NS : PROCESS_DEADLINE_NS, &ep, error);
    if (f->hangs_up)
        (void)shutdown(f->fd, SHUT_RDWR);
    assert_int_equal(pthread_join(f->thread, NULL), 0);
    (void)close(f->fd);
    assert_int_equal(error->status, status);
    return status;
}

TEST_WITH(a_listener_of_another_protocol, setup, teardown)
{
    fake f = {.answer = hello_of_protocol(OTHER_PROTOCOL)};
    tc_error error = {0};
    assert_status(connect_to(&f, &error), TC_E_VERSION);
    assert_non_null(strstr(error.text, OWN_PROTOCOL));
    assert_non_null(strstr(error.text, "version 1"));
    expect_refusal(&f.said, TC_E_VERSION, "version 1", OWN_PROTOCOL);
}

TEST_WITH(a_listener_that_refuses, setup, teardown)
{
    fake versions = {.answer = refusal(TC_E_VERSION, "this is 7 and that is 8")};
    fake other = {.answer = refusal(TC_E_NO_MEMORY, "no room for you")};
    tc_error error = {0};
    assert_status(connect_to(&versions, &error), TC_E_VERSION);
    assert_non_null(strstr(error.text, "refused the connection: this is 7 and that is 8"));
    assert_status(connect_to(&other, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "no room for you"));
}

TEST_WITH(a_listener_that_speaks_something_else, setup, teardown)
{
    fake f = {.answer = {.bytes = "220 mail.example ESMTP\r\n", .size = 24}};
    tc_error error = {0};
    assert_status(connect_to(&f, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "not a Three-Chains peer"));
}

TEST_WITH(a_listener_that_hangs_up, setup, teardown)
{
    fake f = {.hangs_up = true};
    tc_error error = {0};
    assert_status(connect_to(&f, &error), TC_E_PEER_LOST);
    assert_non_null(strstr(error.text, f.host_port));
    assert_int_equal(f.hung_up, 8); /* as often as it is tried */
}

TEST_WITH(a_listener_that_never_answers, setup, teardown)
{
    fake f = {.hangs_up = false};
    tc_error error = {0};
    assert_status(connect_to(&f, &error), TC_E_TIMEOUT);
}
