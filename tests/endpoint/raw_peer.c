#include "raw_peer.h"

#include "../support/test.h"
#include "base/clock.h"
#include "context/wait.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

raw_peer *peer;

tc_ep *raw_target_ep(void)
{
    return peer->ctx->core.first;
}

void raw_progress(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        (void)tc_progress(peer->ctx);
}

void raw_write(const void *bytes, size_t size)
{
    uint64_t deadline_ns = tci_deadline_after(RAW_PATIENCE_NS);
    while (size > 0 && tci_clock_ns() < deadline_ns) {
        ssize_t n = send(peer->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        raw_progress(1);
        if (n < 0 && errno != EAGAIN)
            return; /* it has hung up */
        if (n > 0) {
            bytes = (const uint8_t *)bytes + n;
            size -= (size_t)n;
        }
    }
}

void raw_read(size_t size)
{
    uint64_t deadline_ns = tci_deadline_after(RAW_PATIENCE_NS);
    while (peer->came_bytes < size) {
        raw_progress(1);
        ssize_t n = recv(peer->fd, peer->came + peer->came_bytes, size - peer->came_bytes,
                         MSG_DONTWAIT);
        if (n > 0)
            peer->came_bytes += (size_t)n;
        if (n == 0 || (n < 0 && errno != EAGAIN) || tci_clock_ns() > deadline_ns)
            fail_msg("%zu bytes of the target's have come, expected %zu", peer->came_bytes,
                     size);
    }
}

void raw_forget(size_t size)
{
    memmove(peer->came, peer->came + size, peer->came_bytes - size);
    peer->came_bytes -= size;
}

/* The target's next hello message; its bytes stay until forget_bytes. */
static tci_hello_preamble next_hello(void)
{
    tci_hello_preamble preamble;
    raw_read(TCI_HELLO_PREAMBLE_BYTES);
    assert_ok(tci_hello_preamble_decode(peer->came, TCI_HELLO_PREAMBLE_BYTES, &preamble, NULL));
    raw_read(TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes);
    return preamble;
}

static void say_hello(void)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    tci_hello hello = peer->ctx->core.self;
    hello.stream = true;
    hello.worker_address.size = 0;
    hello.ring_bytes = 4096;
    hello.frame_bytes_max = 1024;
    hello.segment = TCI_HELLO_NO_SEGMENT;
    assert_ok(tci_hello_encode(&hello, TCI_HELLO_HELLO, bytes, sizeof bytes, &size, NULL));
    raw_write(bytes, size);
}

static void say_ready(void)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + 1];
    size_t size;
    assert_ok(tci_hello_ready_encode(TCI_HELLO_STREAM, bytes, sizeof bytes, &size));
    raw_write(bytes, size);
}

static void take_hello(void)
{
    tci_hello hello;
    tci_hello_preamble preamble = next_hello();
    size_t size = TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes;
    assert_ok(tci_hello_decode(peer->came, size, TCI_HELLO_HELLO, &hello, NULL));
    assert_true(hello.stream);
    assert_int_equal(hello.worker_address.size, 0);
    assert_int_equal(hello.ring_bytes, RAW_RING_BYTES);
    uint64_t start = tci_ring_start(hello.ring_nonce);
    tci_ring_store_consumed(&peer->consumed, start);
    tci_producer_init(&peer->producer, peer->ring, RAW_RING_BYTES, hello.ring_nonce,
                      &peer->consumed);
    peer->sent = start;
    raw_forget(size);
}

static void take_ready(void)
{
    tci_hello_preamble preamble = next_hello();
    assert_int_equal(preamble.kind, TCI_HELLO_READY);
    assert_int_equal(peer->came[TCI_HELLO_PREAMBLE_BYTES], TCI_HELLO_STREAM);
    raw_forget(TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes);
}

static void connect_raw(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons(tc_listener_port(peer->listener))};
    static const int yes = 1;
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(peer->fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), 0);
    peer->came_bytes = 0;
    peer->sequence = 0;
}

void raw_greet(void)
{
    connect_raw();
    say_hello();
    take_hello();
    tci_wait_pin(raw_target_ep()); /* it stays when it ends, to be asked why */
}

void raw_open(void)
{
    raw_greet();
    say_ready();
    take_ready();
    assert_int_equal(raw_target_ep()->state, TCI_EP_OPEN);
}

void raw_hang_up(void)
{
    uint64_t deadline_ns = tci_deadline_after(RAW_PATIENCE_NS);
    (void)close(peer->fd);
    tci_wait_unpin(raw_target_ep());
    while (raw_target_ep() != NULL) {
        raw_progress(1);
        if (tci_clock_ns() > deadline_ns)
            fail_msg("the endpoint is still there");
    }
}

int raw_set_up(void **state)
{
    tc_options *opts;
    peer = calloc(1, sizeof *peer);
    assert_non_null(peer);
    assert_ok(tc_options_create(&opts, NULL));
    assert_ok(tc_options_set(opts, "delivery", "stream", NULL));
    assert_ok(tc_options_set(opts, "ring_bytes", "64K", NULL));
    assert_ok(tc_context_create(opts, &peer->ctx, NULL));
    tc_options_destroy(opts);
    assert_ok(tc_listener_open(peer->ctx, "127.0.0.1:0", &peer->listener, NULL));
    return 0;
}

int raw_tear_down(void **state)
{
    tc_context_destroy(peer->ctx);
    free(peer);
    return 0;
}
