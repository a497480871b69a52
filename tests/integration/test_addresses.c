/* Address bytes that are carried from one process to another, without a listener in between,
 * and what becomes of them when their process does not live or does not listen. */
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include <signal.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define SHORT_NS 500000000ull
#define MESSAGES 2000u

/* A target process, and this process's end. */
typedef struct bench {
    process peer;
    tc_context *ctx;
    uint8_t address[8192];
    size_t size;
    unsigned closed; /* events that this side saw */
    unsigned failed;
} bench;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    bench *b = user;
    (void)ep;
    b->closed += event == TC_EP_CLOSED;
    b->failed += event == TC_EP_FAILED;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    process_start(&b->peer, (const char *const[]){PEER, "tally", NULL}, NULL);
    const char *line = process_read_line(&b->peer);
    assert_int_equal(strncmp(line, "address ", 8), 0);
    unsigned byte;
    for (line += 8; sscanf(line, "%2x", &byte) == 1; line += 2)
        b->address[b->size++] = (uint8_t)byte;
    (void)process_read_number(&b->peer, "port");
    assert_int_equal(tc_context_create(NULL, &b->ctx, NULL), TC_OK);
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    tc_context_destroy(b->ctx);
    process_end(&b->peer);
    free(b);
    return 0;
}

static tc_ep *connect_by_address(bench *b)
{
    tc_error error = {0};
    tc_ep *ep;
    tc_status status =
        tc_ep_connect_address(b->ctx, b->address, b->size, PROCESS_DEADLINE_NS, &ep, &error);
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error.text);
    return ep;
}

static void send_messages(bench *b, tc_ep *ep)
{
    tc_ifunc *fn;
    assert_int_equal(tc_ifunc_open(b->ctx, "tally", &fn, NULL), TC_OK);
    for (uint64_t n = 0; n < MESSAGES; n++) {
        const tally_message message = {1, n};
        tc_status status;
        while ((status = tc_send(ep, fn, &message, sizeof message)) == TC_E_AGAIN)
            (void)tc_progress(b->ctx);
        assert_int_equal(status, TC_OK);
    }
    assert_int_equal(tc_ep_flush(ep, PROCESS_DEADLINE_NS), TC_OK);
    tc_ifunc_close(fn);
}

static void messages_go_by_an_address(void **state)
{
    bench *b = *state;
    tc_ep_info info;
    tc_ep *ep = connect_by_address(b);
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, getenv("EXPECTED_DELIVERY"));
    assert_int_equal(process_read_number(&b->peer, "event"), TC_EP_OPENED);
    send_messages(b, ep);
    tc_ep_close(ep);
    assert_int_equal(process_read_number(&b->peer, "event"), TC_EP_CLOSED);
    process_finish_input(&b->peer);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "next"), MESSAGES);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "wrong"), 0);
    assert_int_equal(process_wait(&b->peer), 0);
}

static void wait_for_end(bench *b)
{
    while (b->closed + b->failed == 0)
        assert_int_equal(tc_wait(b->ctx, PROCESS_DEADLINE_NS), TC_OK);
}

static void a_peer_that_closes_is_heard(void **state)
{
    bench *b = *state;
    tc_ep *ep = connect_by_address(b);
    send_messages(b, ep);
    process_finish_input(&b->peer);
    wait_for_end(b);
    assert_int_equal(b->closed, 1);
    assert_int_equal(tc_ep_error(ep, NULL), TC_E_CLOSED);
    tc_ep_close(ep);
}

static void a_peer_that_dies_is_found(void **state)
{
    bench *b = *state;
    tc_error error = {0};
    tc_ep *ep = connect_by_address(b);
    send_messages(b, ep);
    process_end(&b->peer);
    wait_for_end(b);
    assert_int_equal(b->failed, 1);
    assert_int_equal(tc_ep_error(ep, &error), TC_E_PEER_LOST);
    assert_non_null(strstr(error.text, "peer lost"));
    tc_ep_close(ep);
}

static void expect_no_connection(bench *b)
{
    tc_error error = {0};
    tc_ep *ep;
    tc_status status =
        tc_ep_connect_address(b->ctx, b->address, b->size, SHORT_NS, &ep, &error);
    assert_true(status == TC_E_UNREACHABLE || status == TC_E_TIMEOUT ||
                status == TC_E_PEER_LOST);
    assert_true(error.text[0] != '\0');
    assert_int_equal(error.status, status);
    assert_int_equal(b->closed + b->failed, 0); /* of an endpoint that its caller never had */
}

static void the_address_of_a_dead_process(void **state)
{
    bench *b = *state;
    process_kill_unreaped(&b->peer);
    expect_no_connection(b);
    process_end(&b->peer);
    expect_no_connection(b);
}

static void the_address_of_a_process_that_hangs(void **state)
{
    bench *b = *state;
    process_signal(&b->peer, SIGSTOP);
    expect_no_connection(b);
    process_signal(&b->peer, SIGCONT);
    tc_ep_close(connect_by_address(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_go_by_an_address, setup, teardown),
        cmocka_unit_test_setup_teardown(a_peer_that_closes_is_heard, setup, teardown),
        cmocka_unit_test_setup_teardown(a_peer_that_dies_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(the_address_of_a_dead_process, setup, teardown),
        cmocka_unit_test_setup_teardown(the_address_of_a_process_that_hangs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
