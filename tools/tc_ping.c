/* Measures round trips to a peer, one in each interval, and prints the reasons of those that
 * are lost.
 *
 * An endpoint delivers in order and without loss, so a round trip is lost when its answer does
 * not come in time, or when the endpoint ends. In the first case a second connection asks the
 * peer why: a node that runs one function for long answers that (tc/endpoint.h). In the second
 * one each interval begins with another try to connect. */
#include "client_context.h"
#include "peer_silence.h"
#include "ping_figures.h"
#include "ping_round.h"
#include "tool_clock.h"
#include "tool_json.h"
#include "tool_options.h"
#include "tool_status.h"

#include <tc/advanced.h>
#include <tc/log.h>

#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000ull
#define SECONDS_MAX (86400 * NS_PER_S)

typedef struct arguments {
    const char *target;
    uint64_t count; /* 0: until a signal */
    uint64_t interval_ns;
    uint64_t timeout_ns;
    uint64_t deadline_ns; /* of the whole run; 0: without */
    bool quiet;
    bool json;
} arguments;

#define AT(member) offsetof(arguments, member)

static const tool_option rows[] = {
    {.name = "count",
     .letter = 'c',
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(count),
     .min = 1,
     .max = UINT64_MAX,
     .help = "end after N round trips; without it SIGINT and SIGTERM end it"},
    {.name = "interval",
     .letter = 'i',
     .kind = TOOL_SECONDS,
     .value = "S",
     .offset = AT(interval_ns),
     .max = SECONDS_MAX,
     .help = "seconds from one to the next (default 1); 0: at once"},
    {.name = "timeout",
     .letter = 't',
     .kind = TOOL_SECONDS,
     .value = "S",
     .offset = AT(timeout_ns),
     .min = NS_PER_S / 1000,
     .max = SECONDS_MAX,
     .help = "seconds after which a round trip counts as lost (default 1)"},
    {.name = "deadline",
     .letter = 'w',
     .kind = TOOL_SECONDS,
     .value = "S",
     .offset = AT(deadline_ns),
     .min = NS_PER_S / 1000,
     .max = SECONDS_MAX,
     .help = "end after S seconds, connecting included"},
    {.name = "quiet", .letter = 'q', .offset = AT(quiet), .help = "print the summary alone"},
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "a JSON object on a line for each round trip, and the summary as the last one"},
};

static const tool_command command = {
    .name = "tc-ping",
    .usage = "HOST:PORT [-c N] [-i S] [options]",
    .about =
        "Measures round trips to a listener (tc-node --listen HOST:PORT). No function runs "
        "there, so it need\nnot accept any.\n",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .notes = "Options of the library: environment variables TC_*, see tc-info --options.\n"
             "Exit status: 0 only when every round trip was answered; 1 when not; 2 for wrong "
             "arguments; 3 when\nthe peer cannot be reached at first; 4 when it refuses the "
             "connection.\n",
    .rest_min = 1,
    .rest_max = 1,
};

typedef struct pinger {
    arguments args;
    tc_context *ctx;
    tc_ep *ep;       /* NULL: to be connected again */
    uint64_t end_ns; /* UINT64_MAX: no deadline */
    uint64_t round;
    uint64_t reconnects;
    ping_figures figures;
} pinger;

static pinger pinging; /* too large for a stack */
/* Returns the time that a step may take. */
static uint64_t within(const pinger *p, uint64_t ns)
{
    const uint64_t now = tool_clock_ns();
    const uint64_t left = p->end_ns > now ? p->end_ns - now : 0;
    return left < ns ? left : ns;
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_answered(const pinger *p, uint64_t ns, bool is_again)
{
    if (p->args.quiet)
        return;
    if (p->args.json)
        printf("{\"round\": %" PRIu64 ", \"us\": %.3f, \"reconnected\": %s}\n", p->round,
               (double)ns / 1e3, is_again ? "true" : "false");
    else
        printf("%" PRIu64 ": %.1f us\n", p->round, (double)ns / 1e3);
    (void)fflush(stdout);
}

static void print_lost(const pinger *p, const char *reason)
{
    if (p->args.quiet)
        return;
    if (p->args.json) {
        printf("{\"round\": %" PRIu64 ", \"us\": null, ", p->round);
        tool_json_member(stdout, "reason", reason);
        puts("}");
    } else {
        printf("%" PRIu64 ": %s\n", p->round, reason);
    }
    (void)fflush(stdout);
}

static void print_figures_json(const pinger *p, uint64_t p99_ns)
{
    const ping_figures *f = &p->figures;
    putchar('{');
    tool_json_member(stdout, "peer", p->args.target);
    printf(", \"rounds\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"lost\": %" PRIu64
           ", \"reconnects\": %" PRIu64,
           p->round, f->answered, f->lost, p->reconnects);
    if (f->answered > 0)
        printf(", \"min_us\": %.3f, \"avg_us\": %.3f, \"max_us\": %.3f, \"p99_us\": %.3f}\n",
               (double)f->min_ns / 1e3, f->sum_ns / (double)f->answered / 1e3,
               (double)f->max_ns / 1e3, (double)p99_ns / 1e3);
    else
        puts(", \"min_us\": null, \"avg_us\": null, \"max_us\": null, \"p99_us\": null}");
}

static void print_summary(pinger *p)
{
    const ping_figures *f = &p->figures;
    const uint64_t p99_ns = ping_figures_p99(&p->figures);
    if (p->args.json) {
        print_figures_json(p, p99_ns);
        return;
    }
    printf("%s: %" PRIu64 " round trips, %" PRIu64 " answered, %" PRIu64 " lost (%.3g %%)",
           p->args.target, p->round, f->answered, f->lost,
           p->round > 0 ? 100.0 * (double)f->lost / (double)p->round : 0.0);
    if (p->reconnects > 0)
        printf(", connected again %" PRIu64 " times", p->reconnects);
    if (f->answered > 0)
        printf("\nmin %.1f, avg %.1f, max %.1f, p99 %.1f us", (double)f->min_ns / 1e3,
               f->sum_ns / (double)f->answered / 1e3, (double)f->max_ns / 1e3,
               (double)p99_ns / 1e3);
    putchar('\n');
}

static void print_begin(const pinger *p)
{
    tc_ep_info info;
    if (p->args.quiet || p->args.json)
        return;
    tc_ep_query(p->ep, &info);
    printf("%s: library %s on %s, delivery %s\n", p->args.target, info.peer_library,
           info.peer_triple, info.delivery);
    (void)fflush(stdout);
}

/* --- one round trip ----------------------------------------------------------------------- */

static void explain_silence(const pinger *p, tc_error *error)
{
    char why[sizeof error->text - 64];
    const bool is_silent = peer_silence_ask(p->ctx, p->args.target, why, sizeof why);
    (void)snprintf(error->text, sizeof error->text, "no answer within %g s%s%s",
                   (double)p->args.timeout_ns / NS_PER_S, is_silent ? ": " : "",
                   is_silent ? why : "");
}

/* Connects again where the endpoint has ended. */
static tc_status reconnect(pinger *p, bool *is_again_out, tc_error *error)
{
    *is_again_out = false;
    if (p->ep != NULL && tc_ep_error(p->ep, error) == TC_OK)
        return TC_OK;
    tc_ep_close(p->ep);
    p->ep = NULL;
    tc_status status =
        tc_ep_connect(p->ctx, p->args.target, within(p, p->args.timeout_ns) + 1, &p->ep, error);
    *is_again_out = status == TC_OK;
    p->reconnects += status == TC_OK;
    if (status == TC_OK && !p->args.quiet && !p->args.json)
        puts("connected again");
    return status;
}

/* A round trip that a signal or the deadline of the run cut short does not count. */
static void ping(pinger *p)
{
    uint64_t ns;
    bool is_again;
    tc_error error;
    const uint64_t timeout_ns = within(p, p->args.timeout_ns);
    tc_status status = reconnect(p, &is_again, &error);
    if (status == TC_OK)
        status = ping_round(p->ep, timeout_ns, &ns, &error);
    if (status != TC_OK && (client_context_is_over() || within(p, NS_PER_S) == 0))
        return;
    p->round++;
    if (status == TC_OK) {
        ping_figures_add(&p->figures, ns);
        print_answered(p, ns, is_again);
        return;
    }
    p->figures.lost++;
    if (status == TC_E_TIMEOUT && p->ep != NULL)
        explain_silence(p, &error);
    print_lost(p, error.text);
}

/* Progresses meanwhile, so that the peer's end is noticed. */
static void rest(const pinger *p, uint64_t until_ns)
{
    uint64_t now;
    while (!client_context_is_over() && (now = tool_clock_ns()) < until_ns)
        (void)tc_wait(p->ctx, within(p, until_ns - now));
}

static void ping_all(pinger *p)
{
    const uint64_t count = p->args.count > 0 ? p->args.count : UINT64_MAX;
    uint64_t next_ns = tool_clock_ns();
    while (!client_context_is_over() && p->round < count && within(p, NS_PER_S) > 0) {
        ping(p);
        next_ns += p->args.interval_ns;
        if (next_ns < tool_clock_ns())
            next_ns = tool_clock_ns(); /* late ones are not made up for */
        if (p->round < count)
            rest(p, next_ns < p->end_ns ? next_ns : p->end_ns);
    }
}

/* --- the program -------------------------------------------------------------------------- */

static int fail(const tc_error *error)
{
    fprintf(stderr, "tc-ping: %s: %s\n", tc_status_name(error->status), error->text);
    return tool_status_of(error->status);
}

static int connect_and_ping(pinger *p)
{
    tc_error error;
    const uint64_t connect_ns = p->args.deadline_ns > 0 ? within(p, SECONDS_MAX) + 1 : 0;
    if (tc_ep_connect(p->ctx, p->args.target, connect_ns, &p->ep, &error) != TC_OK)
        return fail(&error);
    print_begin(p);
    if (getenv("TC_LOG_LEVEL") == NULL)
        tc_log_set_level(TC_LOG_ERROR); /* each of its warnings is a reason that is printed */
    ping_all(p);
    tc_ep_close(p->ep);
    print_summary(p);
    return tool_options_finish(
        &command, p->figures.lost == 0 && p->figures.answered > 0 ? TOOL_OK : TOOL_FAILED);
}

int main(int argc, char **argv)
{
    pinger *p = &pinging;
    tc_error error;
    p->args = (arguments){.interval_ns = NS_PER_S, .timeout_ns = NS_PER_S};
    int result = tool_options_parse(&command, argc, argv, &p->args);
    if (result != TOOL_GO_ON)
        return result;
    p->args.target = argv[optind];
    p->end_ns = p->args.deadline_ns > 0 ? tool_clock_ns() + p->args.deadline_ns : UINT64_MAX;
    if (client_context_create(&p->ctx, &error) != TC_OK)
        return fail(&error);
    client_context_catch_signals(p->ctx);
    result = connect_and_ping(p);
    client_context_release_signals();
    tc_context_destroy(p->ctx);
    return result;
}
