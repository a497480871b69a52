/* One client that uses most of the features in turn, each once or a few times, and prints a
 * line for each step: "STEP right", "STEP wrong ..." or "STEP refused STATUS: text". A test
 * starts it against nodes of many combinations of options and knows which refusals a
 * combination implies.
 *
 *   integration_battery HOST:PORT FUNCTIONS
 *       FUNCTIONS is the folder of tests/shipped */
#include "../shipped/check.h"
#include "../shipped/shelf.h"
#include "../shipped/sums.h"
#include "../shipped/thrower.h"
#include "program_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/ifunc.h>
#include <tc/library.h>

#define PATIENCE_NS 60000000000ull
#define LARGEST 200000u
#define CACHED 200u
#define CROWD 8u

typedef struct battery {
    tc_context *ctx;
    tc_ep *ep;
    const char *functions;
    tc_ifunc *sums;
    uint64_t sums_calls; /* that have run */
    uint64_t refusals;   /* that were reported so far */
    tc_error error;
} battery;

static uint8_t payload[LARGEST];

static void report(const char *step, tc_status status, const tc_error *error)
{
    if (status == TC_OK)
        printf("%s right\n", step);
    else
        printf("%s refused %s: %s\n", step, tc_status_name(status), error->text);
}

static void wrong(const char *step, uint64_t found, uint64_t expected)
{
    printf("%s wrong: found %" PRIu64 ", expected %" PRIu64 "\n", step, found, expected);
}

/* The folder may be "" or one with a version's name. */
static tc_status open_function(battery *b, const char *name, tc_ifunc **fn_out)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.tca", b->functions, name);
    return tc_ifunc_open_code(b->ctx, &(tc_code){.path = path}, fn_out, &b->error);
}

/* Waits until all that was sent has run; the status of a refusal that is new. */
static tc_status flush(battery *b)
{
    const tc_status status = tc_ep_flush(b->ep, PATIENCE_NS, &b->error);
    const uint64_t before = b->refusals;
    if (status != TC_OK)
        return status;
    b->refusals = tc_ep_refusal(b->ep, &b->error);
    return b->refusals > before ? b->error.status : TC_OK;
}

static tc_status call(battery *b, tc_ifunc *fn, size_t size, void *answer, size_t *answer_size)
{
    return tc_call(b->ep, fn, payload, size, answer, answer_size, PATIENCE_NS, &b->error);
}

/* One call of sums; true if the answer is right. */
static bool sums_right(battery *b, const char *step, size_t size)
{
    sums_answer answer = {0};
    size_t answer_size = sizeof answer;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += payload[i];
    tc_status status = call(b, b->sums, size, &answer, &answer_size);
    if (status != TC_OK) {
        report(step, status, &b->error);
        return false;
    }
    b->sums_calls++;
    if (answer.sum != sum)
        wrong(step, answer.sum, sum);
    else if (answer.calls != b->sums_calls)
        wrong(step, answer.calls, b->sums_calls);
    return answer.sum == sum && answer.calls == b->sums_calls;
}

static void calls(battery *b)
{
    static const size_t sizes[] = {0, 1, 24, 300, 5000, LARGEST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!sums_right(b, "calls", sizes[i]))
            return;
    report("calls", TC_OK, NULL);
}

/* Messages without an answer, then a call that sees all of them in the function's variable. */
static void messages(battery *b)
{
    for (unsigned i = 0; i < CACHED; i++) {
        tc_status status = tc_send_wait(b->ep, b->sums, payload, i, PATIENCE_NS, &b->error);
        if (status != TC_OK) {
            report("messages", status, &b->error);
            return;
        }
    }
    tc_status status = flush(b);
    b->sums_calls += CACHED;
    if (status != TC_OK)
        report("messages", status, &b->error);
    else if (sums_right(b, "messages", 10))
        report("messages", TC_OK, NULL);
}

static void throwing(battery *b)
{
    tc_ifunc *thrower;
    char answer[32];
    int alive = -1;
    size_t size = sizeof answer;
    tc_status status = open_function(b, "thrower", &thrower);
    payload[0] = THROWS_INSIDE;
    if (status == TC_OK)
        status = call(b, thrower, 1, answer, &size);
    if (status != TC_OK) {
        report("throwing", status, &b->error);
        return;
    }
    payload[0] = THROWS_INT;
    size = sizeof answer;
    status = call(b, thrower, 1, answer, &size);
    if (status != TC_E_THROWN) {
        wrong("throwing", (uint64_t)status, (uint64_t)TC_E_THROWN);
        return;
    }
    payload[0] = ALIVE;
    size = sizeof alive;
    status = call(b, thrower, 1, &alive, &size);
    if (status == TC_OK && alive != 1)
        wrong("throwing", (uint64_t)alive, 1);
    else
        report("throwing", status, &b->error);
    tc_ifunc_close(thrower);
}

/* Pushes one version and sees it answer. */
static tc_status push(battery *b, const char *folder, tc_library **library_out)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s/shelf.tca", b->functions, folder);
    tc_status status =
        tc_library_open_code(b->ctx, &(tc_code){.path = path}, library_out, &b->error);
    return status != TC_OK ? status
                           : tc_library_push(b->ep, *library_out, PATIENCE_NS, &b->error);
}

static void library(battery *b)
{
    static const char *const folders[] = {"shelf1", "shelf2"};
    tc_library *versions[2] = {NULL};
    tc_ifunc *borrow = NULL;
    tc_status status = open_function(b, "borrow", &borrow);
    uint64_t one = 1;
    for (unsigned i = 0; status == TC_OK && i < 2; i++) {
        shelf_answer answer = {0};
        size_t size = sizeof answer;
        status = push(b, folders[i], &versions[i]);
        if (status == TC_OK)
            status = tc_call(b->ep, borrow, &one, sizeof one, &answer, &size, PATIENCE_NS,
                             &b->error);
        if (status == TC_OK && (answer.version != i + 1 || answer.count != i + 1)) {
            wrong("library", answer.version * 100 + answer.count, (i + 1) * 101);
            return;
        }
    }
    report("library", status, &b->error);
    for (unsigned i = 0; i < 2; i++)
        if (versions[i] != NULL)
            tc_library_close(versions[i]);
    if (borrow != NULL)
        tc_ifunc_close(borrow);
}

static void prepared(battery *b)
{
    tc_ifunc *whoami;
    char answer[300];
    size_t size = sizeof answer;
    tc_status status = open_function(b, "whoami", &whoami);
    if (status == TC_OK)
        status = tc_ep_prepare(b->ep, whoami, PATIENCE_NS, &b->error);
    if (status == TC_OK)
        status = call(b, whoami, 0, answer, &size);
    report("prepared", status, &b->error);
}

/* The node's check function counts and compares its payloads; the test reads its count at the
 * end. */
static void injected(battery *b)
{
    (void)flush(b); /* earlier steps have reported refusals */
    tc_ifunc *check;
    tc_status status = open_function(b, "check", &check);
    for (uint64_t n = 0; status == TC_OK && n < 40; n++) {
        check_fill(payload, n, 64);
        if (n % 2 == 0) {
            status = tc_send_wait(b->ep, check, payload, 64, PATIENCE_NS, &b->error);
            continue;
        }
        while ((status = tc_send_injected(b->ep, check, payload, 64)) == TC_E_AGAIN)
            (void)tc_progress(b->ctx);
        if (status != TC_OK)
            (void)tc_send_error(b->ctx, &b->error);
    }
    if (status == TC_OK)
        status = flush(b);
    report("injected", status, &b->error);
}

/* More functions than a small code memory holds, then the first function again: whether it left
 * or stayed, its variable goes on or begins again at no other number than 1. */
static void crowded(battery *b)
{
    (void)flush(b);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 1; i <= CROWD; i++) {
            tc_ifunc *fn;
            char name[32];
            (void)snprintf(name, sizeof name, "crowd%u/crowd", i);
            tc_status status = open_function(b, name, &fn);
            if (status == TC_OK)
                status = tc_call(b->ep, fn, NULL, 0, NULL, NULL, PATIENCE_NS, &b->error);
            if (status != TC_OK) {
                report("crowded", status, &b->error);
                return;
            }
            tc_ifunc_close(fn);
        }
    if (sums_right(b, "crowded", 77))
        report("crowded", TC_OK, NULL);
}

int main(int argc, char **argv)
{
    battery b = {0};
    must(argc == 3 ? TC_OK : TC_E_INVALID, &b.error, "arguments");
    b.functions = argv[2];
    must(tc_context_create(NULL, &b.ctx, &b.error), &b.error, "context");
    must(tc_ep_connect(b.ctx, argv[1], PATIENCE_NS, &b.ep, &b.error), &b.error, "connect");
    must(open_function(&b, "sums", &b.sums), &b.error, "sums");
    check_fill(payload, 3, sizeof payload);
    calls(&b);
    messages(&b);
    prepared(&b);
    throwing(&b);
    library(&b);
    injected(&b);
    crowded(&b);
    tc_context_destroy(b.ctx);
    printf("end right\n");
    return 0;
}
