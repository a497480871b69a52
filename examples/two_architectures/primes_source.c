/* Sends one function to targets of any architecture, and shows the results in a table.
 *   primes_source FUNCTION.tca NAME FORM HOST:PORT ...
 * NAME and FORM are words for the table. */
#include "primes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <time.h>

#define BELOW 1000u
#define CALLS 20000u
#define TABLE_ROW "%-14s %-14s %-8s %-8s "
#define PATIENCE_NS 60000000000ull

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void must(tc_status status, const tc_error *err)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "primes_source: %s: %s\n", tc_status_text(status), err->text);
    exit(1);
}

static void ask(tc_ep *ep, tc_ifunc *fn, bool answer)
{
    const primes_question question = {.below = BELOW, .answer = answer};
    tc_error err;
    must(tc_send_wait(ep, fn, &question, sizeof question, PATIENCE_NS, &err), &err);
}

static void flush(tc_ep *ep)
{
    tc_error err;
    must(tc_ep_flush(ep, PATIENCE_NS, &err), &err);
}

/* False: the target did not answer, or not rightly. */
static bool show(tc_context *ctx, tc_ifunc *fn, char *const *target, primes_answers *answers)
{
    tc_error err = {TC_OK, ""};
    tc_ep_info info;
    tc_ep *ep;
    unsigned before = answers->count;
    must(tc_ep_connect(ctx, target[2], 0, &ep, &err), &err);
    tc_ep_query(ep, &info);
    double start_us = now_us();
    ask(ep, fn, false);
    flush(ep);
    double first_us = now_us() - start_us;
    start_us = now_us();
    for (unsigned i = 0; i < CALLS; i++)
        ask(ep, fn, false);
    flush(ep);
    double cached_us = (now_us() - start_us) / CALLS;
    ask(ep, fn, true);
    flush(ep);
    while (answers->count == before && tc_wait(ctx, PATIENCE_NS) == TC_OK)
        ;
    if (answers->count == before) {
        fprintf(stderr, "primes_source: %s: no answer\n", target[0]);
        return false;
    }
    printf(TABLE_ROW "%9.0f us %9.2f us   %" PRIu32 " primes, by %s code\n", target[0],
           info.peer_triple, target[1], info.delivery, first_us, cached_us,
           answers->last.primes, answers->last.code);
    fflush(stdout);
    /* The triple begins with the architecture. */
    bool right = answers->last.primes == 168 &&
                 strncmp(info.peer_triple, answers->last.code, strlen(answers->last.code)) == 0;
    tc_ep_close(ep);
    return right;
}

int main(int argc, char **argv)
{
    tc_error err = {TC_OK, ""};
    primes_answers answers = {0};
    tc_context *ctx;
    tc_ifunc *fn;
    bool right = true;
    if (argc < 5 || argc % 3 != 2) {
        fprintf(stderr, "usage: primes_source FUNCTION.tca NAME FORM HOST:PORT ...\n");
        return 2;
    }
    must(tc_context_create(NULL, &ctx, &err), &err);
    tc_context_set_target_args(ctx, &answers);
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = argv[1]}, &fn, &err), &err);
    printf(TABLE_ROW "%12s %12s   result\n", "target", "architecture", "form", "delivery",
           "first call", "cached call");
    for (int i = 2; i + 2 < argc; i += 3)
        right = show(ctx, fn, &argv[i], &answers) && right;
    tc_ifunc_close(fn);
    tc_context_destroy(ctx);
    return right ? 0 : 1;
}
