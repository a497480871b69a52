/* Wide streams in clear: two pieces leave and arrive by one call each, wherever the kernel cuts
 * them. */
#include "../support/test.h"
#include "stream_bench.h"

#include "bootstrap/stream_bytes.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MUCH_BYTES (8u << 20)
#define LARGEST_PIECE 100000u

static tci_stream_spares *near_spares, *far_spares;

static void connect_wide(stream_bench *b)
{
    const int small = 4096;
    stream_arrival got;
    stream_bench_connect(b);
    /* The first messages complete the proofs of both ends. */
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    assert_ok(stream_receive(b->near, &got));
    assert_ok(tci_stream_send(b->near, b->message, b->size, NULL));
    assert_ok(stream_receive(b->far, &got));
    assert_ok(tci_stream_widen(b->near, &near_spares, NULL));
    assert_ok(tci_stream_widen(b->far, &far_spares, NULL));
    /* So that writes are cut. */
    assert_int_equal(
        setsockopt(tci_stream_fd(b->far), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    assert_true(tci_stream_is_clear(b->far));
}

static uint8_t byte_at(size_t offset)
{
    return (uint8_t)(offset * 7 + offset / 251);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

typedef struct much {
    unsigned random;
    size_t sent; /* or kept in the buffer */
    size_t got;
    uint8_t bytes[LARGEST_PIECE + 1];
} much;

static void make(much *m, size_t offset, size_t size)
{
    for (size_t i = 0; i < size; i++)
        m->bytes[i] = byte_at(offset + i);
}

static size_t choose(much *m, size_t most, size_t left)
{
    size_t size = 1 + next_random(&m->random) % most;
    return size < left ? size : left;
}

/* Some bytes to the buffer, and some behind them. */
static void send_some(stream_bench *b, much *m)
{
    size_t n = 0, size = choose(m, 40, MUCH_BYTES - m->sent);
    if (m->sent == MUCH_BYTES || tci_stream_room(b->far) < size) {
        tc_status status = tci_stream_flush(b->far, NULL);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
        return;
    }
    make(m, m->sent, size);
    tci_stream_add(b->far, m->bytes, size);
    m->sent += size;
    size = choose(m, LARGEST_PIECE, MUCH_BYTES - m->sent);
    if (size == 0)
        return;
    make(m, m->sent, size);
    tc_status status = tci_stream_write_behind(b->far, m->bytes, size, &n, NULL);
    assert_true(status == TC_OK || (status == TC_E_AGAIN && n == 0));
    assert_true(n == 0 || tci_stream_unsent(b->far) == 0);
    m->sent += n;
}

static void check(much *m, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], byte_at(m->got + i));
    m->got += size;
}

/* Bytes of the buffer first; then some to memory of its own, and what follows to the buffer. */
static void take_some(stream_bench *b, much *m)
{
    size_t n = 0, there, size = choose(m, LARGEST_PIECE, LARGEST_PIECE);
    bool more = false;
    const uint8_t *bytes = tci_stream_look(b->near, &there);
    if (there > 0) {
        check(m, bytes, there);
        tci_stream_skip(b->near, there);
    }
    m->bytes[size] = 0xa5;
    tc_status status = tci_stream_read(b->near, m->bytes, size, &n, &more, NULL);
    assert_true(status == TC_OK || (status == TC_E_AGAIN && n == 0));
    assert_int_equal(m->bytes[size], 0xa5);
    check(m, m->bytes, n);
    (void)tci_stream_look(b->near, &there);
    assert_true(there == 0 || n == size);
    assert_true(!more || there > 0);
}

STREAM_TEST(two_pieces_arrive_as_they_were_sent)
{
    stream_bench *b = *state;
    much *m = calloc(1, sizeof *m);
    uint64_t deadline = tci_deadline_after(6 * STREAM_PATIENCE_NS);
    assert_non_null(m);
    m->random = 1;
    connect_wide(b);
    while (m->got < MUCH_BYTES) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        send_some(b, m);
        if (next_random(&m->random) % 3 == 0)
            take_some(b, m);
    }
    free(m);
}

/* Bytes that arrived before the end are read, and the end is reported behind them. */
STREAM_TEST(an_end_is_reported_behind_the_last_bytes)
{
    stream_bench *b = *state;
    tc_error error = {0};
    uint8_t to[8];
    size_t n = 0, there;
    bool more;
    connect_wide(b);
    tci_stream_add(b->far, "abcdefghij", 10);
    assert_ok(tci_stream_flush(b->far, NULL));
    tci_stream_close(b->far);
    b->far = NULL;
    stream_wait_for(tci_stream_fd(b->near), POLLIN);
    assert_ok(tci_stream_read(b->near, to, sizeof to, &n, &more, NULL));
    assert_int_equal(n, sizeof to);
    assert_memory_equal(tci_stream_look(b->near, &there), "ij", 2);
    assert_int_equal(there, 2);
    tci_stream_skip(b->near, 2);
    assert_status(tci_stream_read(b->near, to, sizeof to, &n, &more, &error), TC_E_PEER_LOST);
    assert_status(tci_stream_read(b->near, to, sizeof to, &n, &more, &error), TC_E_PEER_LOST);
    assert_non_null(strstr(error.text, "closed the connection"));
}

/* A peer that is gone is an error of both pieces, which repeats. */
STREAM_TEST(a_write_to_a_lost_peer_fails)
{
    stream_bench *b = *state;
    tc_error error = {0};
    size_t n = 0;
    tc_status status = TC_OK;
    uint64_t deadline = tci_deadline_after(STREAM_PATIENCE_NS);
    connect_wide(b);
    tci_stream_close(b->near);
    b->near = NULL;
    while (status == TC_OK || status == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        if (tci_stream_room(b->far) > 0)
            tci_stream_add(b->far, "a", 1);
        status = tci_stream_write_behind(b->far, "bc", 2, &n, &error);
    }
    assert_status(status, TC_E_PEER_LOST);
    assert_status(tci_stream_write_behind(b->far, "bc", 2, &n, &error), TC_E_PEER_LOST);
    assert_status(tci_stream_send_error(b->far, NULL), TC_E_PEER_LOST);
}
