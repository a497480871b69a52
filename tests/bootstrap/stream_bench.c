#include "stream_bench.h"
#include "../support/test.h"

#include <poll.h>
#include <unistd.h>

int stream_bench_set_up(void **state)
{
    stream_bench *b = calloc(1, sizeof *b);
    if (b == NULL || tci_stream_listen("127.0.0.1:0", false, NULL, &b->listener, NULL) != TC_OK)
        return -1;
    (void)snprintf(b->address, sizeof b->address, "127.0.0.1:%u",
                   tci_stream_listener_port(b->listener));
    b->raw = -1;
    tc_status status = tci_hello_refuse_encode(TC_E_REFUSED, "a message of some length",
                                               b->message, sizeof b->message, &b->size);
    *state = b;
    return status == TC_OK ? 0 : -1;
}

int stream_bench_tear_down(void **state)
{
    stream_bench *b = *state;
    tci_stream_close(b->near);
    tci_stream_close(b->far);
    tci_stream_listener_close(b->listener);
    if (b->raw >= 0)
        (void)close(b->raw);
    free(b);
    return 0;
}

void stream_wait_for(int fd, short events)
{
    struct pollfd ready = {.fd = fd, .events = events};
    (void)poll(&ready, 1, 100);
}

void stream_bench_accept(stream_bench *b)
{
    uint64_t deadline = tci_deadline_after(STREAM_PATIENCE_NS);
    tc_status status;
    while ((status = tci_stream_accept(b->listener, &b->near, NULL)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        stream_wait_for(tci_stream_listener_fd(b->listener), POLLIN);
    }
    assert_ok(status);
}

tc_status stream_finish_connect(tci_stream *stream, tc_error *err)
{
    uint64_t deadline = tci_deadline_after(STREAM_PATIENCE_NS);
    tc_status status;
    while ((status = tci_stream_connect_finish(stream, err)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        stream_wait_for(tci_stream_fd(stream), POLLOUT);
    }
    return status;
}

void stream_bench_connect(stream_bench *b)
{
    assert_ok(tci_stream_connect_start(b->address, NULL, &b->far, NULL));
    stream_bench_accept(b);
    assert_ok(stream_finish_connect(b->far, NULL));
}

tc_status stream_try_receive(tci_stream *stream, stream_arrival *got)
{
    memset(got, 0, sizeof *got);
    return tci_stream_receive(stream, &got->kind, &got->bytes, &got->size, &got->err);
}

tc_status stream_receive(tci_stream *stream, stream_arrival *got)
{
    uint64_t deadline = tci_deadline_after(STREAM_PATIENCE_NS);
    tc_status status;
    while ((status = stream_try_receive(stream, got)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        stream_wait_for(tci_stream_fd(stream), POLLIN);
    }
    return status;
}

void stream_bench_expect(stream_bench *b, tci_stream *stream)
{
    stream_arrival got;
    assert_ok(stream_receive(stream, &got));
    assert_int_equal(got.kind, TCI_HELLO_REFUSE);
    assert_int_equal(got.size, b->size);
    assert_memory_equal(got.bytes, b->message, b->size);
}
