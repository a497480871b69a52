/* A process of the reliability tests, which ends when its standard input does, or by SIGTERM.
 *
 *   reliability_peer target [HOST:PORT]   listens and runs arriving messages; with HOST:PORT it
 *                                         also makes calls there that get no answer
 *   reliability_peer source OP PEER       does the operation over and over; see session.c.
 *                                         PEER is HOST:PORT, or an address in hexadecimal
 *   reliability_peer member OP [COUNT]    the same towards the first COUNT members of the group
 *                                         that it joins; all
 *   reliability_peer witness HOST:PORT    calls a target and checks the answers
 *   reliability_peer contexts COUNT       as many contexts at once; "contexts N" were made
 *
 * RELIABILITY_PATIENCE_MS bounds each blocking call; with RELIABILITY_REST_MS it rests as long
 * after each round and prints "resting"; RELIABILITY_LARGE_MB is the size of large payloads.
 * Each line of output ends in CLOCK_MONOTONIC's time, in ns: "opened T", "closed T", "failed T"
 * of endpoints; "round N T"; "missed STATUS T" of an operation that ended in another way and is
 * tried again; "ended STATUS T" of the last one. */
#include "../integration/program_report.h"
#include "../shipped/check.h"
#include "../shipped/travel.h"
#include "session.h"

#include "base/clock.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <unistd.h>

#define TURN_NS 5000000ull
#define SAY_EVERY_NS 20000000ull
#define UNANSWERED_NS 50000000ull
#define CONTEXTS_MAX 256u
#define OPEN_NS 40000000000ull
#define WITNESS_REST_NS 1000000ull

static volatile sig_atomic_t told_to_end;

static void end_soon(int number)
{
    (void)number;
    told_to_end = 1;
}

/* tc-run gives members no standard input. */
static bool goes_on(bool reads_input)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return !told_to_end && (!reads_input || poll(&input, 1, 0) == 0);
}

static void say_at(const char *what)
{
    printf("%s %" PRIu64 "\n", what, tci_clock_ns());
    fflush(stdout);
}

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)user;
    tc_error error = {0};
    if (event == TC_EP_FAILED && tc_ep_error(ep, &error) != TC_OK)
        fprintf(stderr, "an endpoint failed: %s: %s\n", tc_status_name(error.status),
                error.text);
    say_at(event == TC_EP_OPENED ? "opened" : event == TC_EP_CLOSED ? "closed" : "failed");
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static bool turn(tc_context *ctx)
{
    tc_status status = tc_wait(ctx, TURN_NS);
    return status == TC_OK || status == TC_E_TIMEOUT;
}

/* --- targets ----------------------------------------------------------------------------- */

/* It gets no answer, so an answer is a forged one. */
static void call_in_vain(session *s)
{
    const travel_order order = {.task = TRAVEL_KEEP};
    tc_error error = {0};
    tc_status status =
        tc_call(s->eps[0], s->travel, &order, sizeof order, NULL, NULL, UNANSWERED_NS, &error);
    s->round++;
    if (status == TC_E_TIMEOUT)
        return;
    printf("wrong %s: %s\n", tc_status_name(status), error.text);
    fflush(stdout);
    if (status == TC_E_PEER_LOST || status == TC_E_CLOSED)
        exit(1);
}

static void run_target(tc_context *ctx, const char *other)
{
    session s = {.ctx = ctx, .peer = other, .patience_ns = 20000000000ull};
    tc_error error = {0};
    tc_listener *listener;
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listen");
    if (other != NULL)
        must(session_open(&s, &error), &error, "calls");
    if (getenv("RELIABILITY_ADDRESS") != NULL)
        say_address(ctx);
    say("port", tc_listener_port(listener));
    while (goes_on(true) && turn(ctx)) {
        if (other != NULL)
            call_in_vain(&s);
    }
    say("calls", s.round);
}

/* --- sources and members ----------------------------------------------------------------- */

static void rest(const session *s, uint64_t rest_ns)
{
    const uint64_t deadline_ns = tci_deadline_after(rest_ns);
    say_at("resting");
    while (tci_deadline_left_ns(deadline_ns) > 0 && goes_on(s->peer != NULL) && turn(s->ctx))
        continue;
}

static void say_round(session *s, uint64_t *said_ns)
{
    uint64_t now_ns = tci_clock_ns();
    s->round++;
    if (now_ns - *said_ns < SAY_EVERY_NS)
        return;
    *said_ns = now_ns;
    printf("round %" PRIu64 " ", s->round);
    say_at("at");
}

static bool is_the_end(tc_status status)
{
    return status == TC_E_PEER_LOST || status == TC_E_CLOSED || status == TC_E_UNREACHABLE ||
           status == TC_E_CORRUPT || status == TC_E_NOT_FOUND;
}

/* Patience limits later waits: all processes of a test begin at once, and a machine may have
 * other work too. */
static void open_session(session *s, const session_op *op, tc_error *err)
{
    const uint64_t patience_ns = s->patience_ns;
    s->patience_ns = OPEN_NS > patience_ns ? OPEN_NS : patience_ns;
    tc_status status = op->connects ? TC_OK : session_open(s, err);
    s->patience_ns = patience_ns;
    must(status, err, "open");
}

static void run_op(session *s, const session_op *op)
{
    const uint64_t rest_ns = setting("RELIABILITY_REST_MS", 0) * 1000000;
    uint64_t said_ns = 0;
    char line[64];
    tc_error error = {0};
    open_session(s, op, &error);
    say_at("begun");
    while (goes_on(s->peer != NULL)) {
        tc_status status = op->run(s, &error);
        if (status == TC_OK) {
            say_round(s, &said_ns);
        } else {
            bool last = is_the_end(status);
            (void)snprintf(line, sizeof line, "%s %s", last ? "ended" : "missed",
                           tc_status_name(status));
            say_at(line);
            fprintf(stderr, "%s: %s\n", line, error.text);
            if (last)
                break;
        }
        if (rest_ns > 0)
            rest(s, rest_ns);
    }
    if (!op->connects)
        session_close(s);
    say_at("left");
}

/* --- witnesses --------------------------------------------------------------------------- */

static void run_witness(session *s)
{
    tc_error error = {0};
    uint64_t longest_ns = 0, said_ns = 0;
    must(session_open(s, &error), &error, s->peer);
    must(session_echo(s, s->eps[0], s->travel, 1, &error), &error, "first call");
    for (uint64_t last_ns = tci_clock_ns(); goes_on(true);) {
        static const size_t sizes[] = {8, 100, 900, 8, 4000, 20, 60000, 1};
        tc_status status = session_echo(s, s->eps[0], s->travel, sizes[s->round % 8], &error);
        uint64_t now_ns = tci_clock_ns();
        longest_ns = now_ns - last_ns > longest_ns ? now_ns - last_ns : longest_ns;
        last_ns = now_ns;
        if (status != TC_OK) {
            printf("ended %s ", tc_status_name(status));
            say_at("witness");
            fprintf(stderr, "witness: %s\n", error.text);
            break;
        }
        say_round(s, &said_ns);
        /* Without a rest both would take a whole processor from what the test is about. */
        (void)tc_wait(s->ctx, WITNESS_REST_NS);
        last_ns = tci_clock_ns();
    }
    say("calls", s->round);
    say("stall_us", longest_ns / 1000);
    session_close(s);
}

static void make_contexts(uint64_t count)
{
    static tc_context *contexts[CONTEXTS_MAX];
    tc_error error = {0};
    uint64_t made = 0;
    while (made < count && made < CONTEXTS_MAX &&
           tc_context_create(NULL, &contexts[made], &error) == TC_OK)
        made++;
    say("contexts", made);
    if (made < count)
        fprintf(stderr, "context: %s: %s\n", tc_status_name(error.status), error.text);
    while (made > 0)
        tc_context_destroy(contexts[--made]);
}

int main(int argc, char **argv)
{
    static check_state state; /* data that functions of tests/shipped expect */
    session s = {.patience_ns = setting("RELIABILITY_PATIENCE_MS", 20000) * 1000000};
    tc_error error = {0};
    const char *role = argc > 1 ? argv[1] : "";
    const session_op *op = argc > 2 ? session_find_op(argv[2]) : NULL;
    (void)signal(SIGTERM, end_soon);
    say("pid", (uint64_t)getpid());
    if (strcmp(role, "contexts") == 0 && argc == 3) {
        make_contexts(strtoull(argv[2], NULL, 10));
        return 0;
    }
    must(tc_context_create(NULL, &s.ctx, &error), &error, "context");
    tc_context_set_ep_callback(s.ctx, on_endpoint, NULL);
    tc_context_set_target_args(s.ctx, &state);
    s.peer = strcmp(role, "source") == 0 && argc == 4 ? argv[3] : NULL;
    if (strcmp(role, "target") == 0) {
        run_target(s.ctx, argc > 2 ? argv[2] : NULL);
    } else if (strcmp(role, "witness") == 0 && argc == 3) {
        s.peer = argv[2];
        run_witness(&s);
    } else if (op != NULL && (s.peer != NULL || strcmp(role, "member") == 0)) {
        s.members = s.peer == NULL && argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
        run_op(&s, op);
    } else {
        must(TC_E_INVALID, &error, "arguments");
    }
    tc_context_destroy(s.ctx);
    return 0;
}
