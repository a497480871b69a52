/* A peer that calls a function at a rate until its endpoint ends, and counts how its calls end.
 *
 *   integration_load HOST:PORT ARCHIVE RATE DEPTH
 *       RATE calls a second, 0: no limit; at most DEPTH under way
 *   integration_load HOST:PORT ARCHIVE RATE DEPTH MS
 *       the same of `patient`, each call of which waits so many milliseconds; 0: for ever
 *
 * Says "answered 1" after the first answer, or "begun" after the first call of those that wait,
 * and at the end "started N", "answered N", "closed N" (TC_E_CLOSED), "other N" and "text" with
 * the reason of the last other one. */
#include "../shipped/patient.h"
#include "program_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <time.h>

#define PATIENCE_NS 60000000000ull
#define MS 1000000ull
#define RESULT_MAX 64u

static struct {
    uint64_t started, answered, closed, other, under_way;
    uint64_t rate, depth;
    bool waits;
    patient_order order;
    char text[TC_ERROR_TEXT_MAX];
} load;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void count_end(void *user, const tc_call_outcome *outcome)
{
    (void)user;
    load.under_way--;
    if (outcome->status == TC_OK && load.answered++ == 0 && !load.waits)
        say("answered", 1);
    else if (outcome->status == TC_E_CLOSED)
        load.closed++;
    else if (outcome->status != TC_OK) {
        load.other++;
        (void)snprintf(load.text, sizeof load.text, "%s", outcome->text);
    }
}

/* Starts the calls that are due. Returns false when the endpoint has ended. */
static bool start_due(tc_ep *ep, tc_ifunc *fn, uint64_t begun_ns)
{
    static char result[RESULT_MAX]; /* of all: nothing reads them */
    const tc_call_params params = {.done = count_end,
                                   .result = result,
                                   .result_capacity = sizeof result,
                                   .timeout_ns = PATIENCE_NS};
    const uint64_t due =
        load.rate == 0 ? UINT64_MAX : (now_ns() - begun_ns) * load.rate / 1000000000ull + 1;
    tc_error error = {0};
    while (load.under_way < load.depth && load.started < due) {
        tc_status status =
            tc_call_start(ep, fn, load.waits ? &load.order : NULL,
                          load.waits ? sizeof load.order : 0, &params, NULL, NULL);
        if (status == TC_E_AGAIN)
            return true;
        if (status != TC_OK)
            return false;
        load.under_way++;
        if (load.started++ == 0 && load.waits) {
            must(tc_ep_flush(ep, PATIENCE_NS, &error), &error, "flush");
            say("begun", 1);
        }
    }
    return tc_ep_error(ep, NULL) == TC_OK;
}

/* After this the node has the function, and runs a call that has come. */
static void call_once(tc_ep *ep, tc_ifunc *fn)
{
    patient_order order = {.kind = PATIENT_NAP}; /* which the answer repeats */
    size_t size = sizeof order;
    tc_error error = {0};
    must(tc_call(ep, fn, &order, size, &order, &size, PATIENCE_NS, &error), &error, "call");
}

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error error = {0};
    if (argc < 5)
        return 2;
    load.rate = strtoull(argv[3], NULL, 10);
    load.depth = strtoull(argv[4], NULL, 10);
    load.waits = argc > 5;
    if (load.waits) {
        const uint64_t ms = strtoull(argv[5], NULL, 10);
        load.order = (patient_order){.kind = ms > 0 ? PATIENT_NAP : PATIENT_STAY,
                                     .ns = (ms > 0 ? ms : 10) * MS};
    }
    must(tc_context_create(NULL, &ctx, &error), &error, "context");
    must(tc_ep_connect(ctx, argv[1], PATIENCE_NS, &ep, &error), &error, "connect");
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = argv[2]}, &fn, &error), &error, argv[2]);
    if (load.waits)
        call_once(ep, fn);
    const uint64_t begun_ns = now_ns();
    while (start_due(ep, fn, begun_ns))
        (void)tc_wait(ctx, MS);
    (void)!tc_calls_wait(ctx, PATIENCE_NS);
    say("started", load.started);
    say("answered", load.answered);
    say("closed", load.closed);
    say("other", load.other);
    printf("text %s\n", load.text);
    tc_context_destroy(ctx);
    return 0;
}
