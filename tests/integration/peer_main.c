/* A process for the tests: a target, a relay or a source, which ends when its standard input
 * does.
 *
 *   integration_peer forward [HOST:PORT]
 *       runs the forward function, which goes on to HOST:PORT
 *   integration_peer tally [LISTEN]
 *       runs the tally function; listens on loopback if not told otherwise; "apart N": so many
 *       of its messages ran before the event of their endpoint's opening or after that of its
 *       end
 *   integration_peer check
 *       runs the check function
 *   integration_peer bulk HOST:PORT BYTES
 *       sends payloads of so many bytes to a check, for ever; "refused N" when sends of message
 *       N are refused again and again
 *   integration_peer source HOST:PORT N COUNT [mixed]
 *       sends COUNT messages of source N to a tally, then stays; mixed: some are large
 *
 * Says "address HEX", "port N" at first, then what became of it: "flushed N" of a source,
 * "event N" when an endpoint changed, and at the end "seen N", "sum N", "failed N" or "next N"
 * of each source and "wrong N". */
#include "../shipped/check.h"
#include "../shipped/forward.h"
#include "../shipped/tally.h"
#include "program_report.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define PATIENCE_NS 60000000000ull
#define TURN_NS 5000000ull
#define CONTENT_MAX 700u
#define LARGE_EVERY 50u
#define LARGE_MAX 300000u
#define REFUSALS_SAID 10000u
#define LOOPBACK "127.0.0.1:0"

/* Each open endpoint's tc_ep_user points to is_open. */
static char is_open;
static uint64_t apart;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)user;
    tc_ep_set_user(ep, event == TC_EP_OPENED ? &is_open : NULL);
    say("event", (uint64_t)event);
}

static void note_message(void *endpoint)
{
    apart += tc_ep_user(endpoint) != &is_open;
}

static void serve(tc_context *ctx)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, 0) == 0) {
        tc_status status = tc_wait(ctx, TURN_NS);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return;
    }
}

static void introduce(tc_context *ctx, const char *host_port)
{
    tc_listener *listener;
    tc_error error = {0};
    must(tc_listener_open(ctx, host_port, &listener, &error), &error, "listen");
    say_address(ctx);
    say("port", tc_listener_port(listener));
}

static void forward(tc_context *ctx, const char *next)
{
    forward_state state = {0};
    tc_error error = {0};
    if (next != NULL)
        must(tc_ep_connect(ctx, next, 0, &state.next, &error), &error, next);
    tc_context_set_target_args(ctx, &state);
    introduce(ctx, LOOPBACK);
    serve(ctx);
    if (next != NULL)
        must(tc_ep_flush(state.next, PATIENCE_NS, NULL), &error, "flush");
    say("seen", state.seen);
    say("sum", state.sum);
    say("failed", state.failed);
}

static void tally(tc_context *ctx, const char *host_port)
{
    tally_state state = {.note = note_message};
    tc_context_set_target_args(ctx, &state);
    tc_context_set_ep_callback(ctx, on_endpoint, NULL);
    introduce(ctx, host_port);
    serve(ctx);
    for (size_t i = 0; i < TALLY_SOURCES; i++)
        say("next", state.next[i]);
    say("wrong", state.wrong);
    say("apart", apart);
}

static void send_tally(tc_ep *ep, tc_ifunc *fn, uint64_t source, uint64_t n, bool mixed)
{
    static struct {
        tally_message head;
        uint8_t content[LARGE_MAX];
    } message;
    bool large = mixed && n % LARGE_EVERY == LARGE_EVERY - 1;
    size_t size =
        (size_t)((n * (large ? 7919 : 37) + source * 11) % (large ? LARGE_MAX : CONTENT_MAX));
    message.head = (tally_message){source, n};
    tc_error error = {0};
    tc_status status;
    check_fill(message.content, n + source, size);
    while ((status = tc_send(ep, fn, &message, sizeof message.head + size)) == TC_E_AGAIN)
        (void)tc_progress(tc_ep_context(ep));
    if (status != TC_OK)
        (void)tc_ep_error(ep, &error);
    must(status, &error, "send");
}

static void source(tc_context *ctx, char **arguments)
{
    uint64_t number = strtoull(arguments[1], NULL, 10),
             count = strtoull(arguments[2], NULL, 10);
    bool mixed = arguments[3] != NULL;
    tc_error error = {0};
    tc_ifunc *fn;
    tc_ep *ep;
    must(tc_ifunc_open(ctx, "tally", &fn, &error), &error, "tally");
    must(tc_ep_connect(ctx, arguments[0], 0, &ep, &error), &error, arguments[0]);
    for (uint64_t n = 0; n < count; n++)
        send_tally(ep, fn, number, n, mixed);
    must(tc_ep_flush(ep, PATIENCE_NS, NULL), &error, "flush");
    say("flushed", count);
    serve(ctx);
    tc_ep_close(ep);
    tc_ifunc_close(fn);
}

static void check(tc_context *ctx)
{
    check_state state = {0};
    tc_context_set_target_args(ctx, &state);
    introduce(ctx, LOOPBACK);
    serve(ctx);
    say("next", state.next);
    say("wrong", state.wrong);
}

static void bulk(tc_context *ctx, char **arguments)
{
    size_t size = strtoull(arguments[1], NULL, 10);
    uint8_t *payload = malloc(size);
    tc_error error = {0};
    tc_ifunc *fn;
    tc_ep *ep;
    must(payload != NULL ? TC_OK : TC_E_NO_MEMORY, &error, "payload");
    must(tc_ifunc_open(ctx, "check", &fn, &error), &error, "check");
    must(tc_ep_connect(ctx, arguments[0], 0, &ep, &error), &error, arguments[0]);
    for (uint64_t n = 0, refused = 0;; n++) {
        tc_status status;
        check_fill(payload, n, size);
        while ((status = tc_send(ep, fn, payload, size)) == TC_E_AGAIN) {
            if (++refused % REFUSALS_SAID == 0)
                say("refused", n);
            (void)tc_progress(ctx);
        }
        if (status != TC_OK)
            (void)tc_ep_error(ep, &error);
        must(status, &error, "send");
    }
}

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_error error = {0};
    const char *role = argc > 1 ? argv[1] : "";
    must(tc_context_create(NULL, &ctx, &error), &error, "context");
    if (strcmp(role, "forward") == 0 && argc <= 3)
        forward(ctx, argc == 3 ? argv[2] : NULL);
    else if (strcmp(role, "tally") == 0 && argc <= 3)
        tally(ctx, argc == 3 ? argv[2] : LOOPBACK);
    else if (strcmp(role, "check") == 0 && argc == 2)
        check(ctx);
    else if (strcmp(role, "bulk") == 0 && argc == 4)
        bulk(ctx, argv + 2);
    else if (strcmp(role, "source") == 0 && (argc == 5 || argc == 6))
        source(ctx, argv + 2);
    else
        must(TC_E_INVALID, &error, "arguments");
    tc_context_destroy(ctx);
    return 0;
}
