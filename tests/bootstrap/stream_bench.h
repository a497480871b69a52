/* A listener on loopback, and streams that tests join to it. */
#ifndef STREAM_BENCH_H
#define STREAM_BENCH_H

#include "base/clock.h"
#include "bootstrap/stream.h"

/* Ends a test that hangs; never judges speed. */
#define STREAM_PATIENCE_NS (20 * TCI_NS_PER_S)

/* A listener, and the test's handles of it. Streams are closed by the teardown. */
typedef struct stream_bench {
    tci_stream_listener *listener;
    char address[64];
    tci_stream *near; /* accepted */
    tci_stream *far;  /* connected by tci_stream_connect_start */
    int raw;          /* or by a plain socket, to send bytes that no stream would send */
    uint8_t message[TCI_HELLO_MESSAGE_MAX];
    size_t size;
} stream_bench;

int stream_bench_set_up(void **state);
int stream_bench_tear_down(void **state);

#define STREAM_TEST(name) TEST_WITH(name, stream_bench_set_up, stream_bench_tear_down)

/* Connects `far` to the listener, and accepts it as `near`. */
void stream_bench_connect(stream_bench *b);
void stream_bench_accept(stream_bench *b);
tc_status stream_finish_connect(tci_stream *stream, tc_error *err);

/* Waits a moment for poll's events. */
void stream_wait_for(int fd, short events);

typedef struct stream_arrival {
    tci_hello_kind kind;
    const void *bytes;
    size_t size;
    tc_error err;
} stream_arrival;

tc_status stream_try_receive(tci_stream *stream, stream_arrival *got);
/* Waits for a message, or for the end of the stream. */
tc_status stream_receive(tci_stream *stream, stream_arrival *got);

/* The message of the bench comes out of the stream. */
void stream_bench_expect(stream_bench *b, tci_stream *stream);

#endif
