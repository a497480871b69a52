/* Listening and connecting: ports, addresses, and permitted peers. */
#include "../support/test.h"
#include "stream_bench.h"

#include <tc/log.h>

STREAM_TEST(accept_does_not_wait)
{
    stream_bench *b = *state;
    tci_stream *stream = NULL;
    assert_status(tci_stream_accept(b->listener, &stream, NULL), TC_E_AGAIN);
    assert_null(stream);
}

STREAM_TEST(a_taken_port_is_in_use)
{
    stream_bench *b = *state;
    tci_stream_listener *second = NULL;
    tc_error err = {0};
    assert_status(tci_stream_listen(b->address, false, NULL, &second, &err), TC_E_IN_USE);
    assert_non_null(strstr(err.text, b->address));
    assert_null(second);
}

STREAM_TEST(a_closed_port_is_free_again)
{
    stream_bench *b = *state;
    stream_bench_connect(b);
    tci_stream_listener_close(b->listener);
    b->listener = NULL;
    /* Accepted streams stay, and do not keep the port from being bound. */
    assert_ok(tci_stream_listen(b->address, false, NULL, &b->listener, NULL));
    assert_ok(tci_stream_send(b->far, b->message, b->size, NULL));
    stream_bench_expect(b, b->near);
}

STREAM_TEST(nobody_listening_is_unreachable)
{
    stream_bench *b = *state;
    tc_error err = {0};
    tci_stream_listener_close(b->listener);
    b->listener = NULL;
    tc_status status = tci_stream_connect_start(b->address, NULL, &b->far, &err);
    if (status == TC_OK)
        status = stream_finish_connect(b->far, &err);
    assert_status(status, TC_E_UNREACHABLE);
    assert_non_null(strstr(err.text, b->address));
}

STREAM_TEST(every_address_of_a_name_is_tried)
{
    stream_bench *b = *state;
    char by_name[64];
    tc_error err = {0};
    (void)snprintf(by_name, sizeof by_name, "localhost:%u",
                   tci_stream_listener_port(b->listener));
    /* Often ::1 comes first, where no process listens. */
    tc_status status = tci_stream_connect_start(by_name, NULL, &b->far, &err);
    if (status != TC_OK && strstr(err.text, "host 'localhost'") != NULL)
        skip(); /* a machine without that name */
    assert_ok(status);
    assert_ok(stream_finish_connect(b->far, NULL));
    stream_bench_accept(b);
    assert_string_equal(tci_stream_peer(b->far), b->address);
}

STREAM_TEST(connecting_needs_a_real_address)
{
    stream_bench *b = *state;
    tc_error err = {0};
    assert_status(tci_stream_connect_start("127.0.0.1:0", NULL, &b->far, &err), TC_E_INVALID);
    assert_status(tci_stream_connect_start("127.0.0.1", NULL, &b->far, &err), TC_E_INVALID);
    assert_null(b->far);
}

static void count_warnings(void *user, tc_log_level level, const char *line)
{
    if (level == TC_LOG_WARN && strstr(line, "can run code") != NULL)
        ++*(int *)user;
}

STREAM_TEST(listening_outside_needs_a_word_and_warns)
{
    stream_bench *b = *state;
    tci_stream_listener *open_to_all = NULL;
    tc_error err = {0};
    int warnings = 0;
    tc_log_set_sink(count_warnings, &warnings);
    assert_status(tci_stream_listen("0.0.0.0:0", false, NULL, &open_to_all, &err),
                  TC_E_INVALID);
    assert_non_null(strstr(err.text, "listen_any"));
    assert_status(tci_stream_listen("[::]:0", false, NULL, &open_to_all, &err), TC_E_INVALID);
    assert_null(open_to_all);
    assert_int_equal(warnings, 0);
    assert_ok(tci_stream_listen("0.0.0.0:0", true, NULL, &open_to_all, &err));
    assert_int_equal(warnings, 1);
    assert_true(tci_stream_listener_port(open_to_all) != 0);
    tci_stream_listener_close(open_to_all);
    tci_stream_listener_close(b->listener);
    assert_ok(tci_stream_listen("127.0.0.1:0", true, NULL, &b->listener, &err));
    assert_int_equal(warnings, 1); /* that one is unreachable from outside */
    tc_log_set_sink(NULL, NULL);
}

STREAM_TEST(listening_elsewhere_is_invalid)
{
    tci_stream_listener *listener = NULL;
    tc_error err = {0};
    /* An address for documentation: no machine has it. */
    assert_status(tci_stream_listen("192.0.2.1:0", true, NULL, &listener, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "192.0.2.1:0"));
    assert_status(tci_stream_listen("300.1.2.3..:0", false, NULL, &listener, &err),
                  TC_E_INVALID);
    assert_status(tci_stream_listen("127.0.0.1", false, NULL, &listener, &err), TC_E_INVALID);
    assert_null(listener);
}
