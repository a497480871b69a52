/* Sends messages of mixed sizes and lets the ifunc check each, where it runs, for order and
 * content. */
#include "ifunc_link.h"
#include "ifuncs/integrity_pattern.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_session.h"
#include "perf_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_PAYLOAD (64u << 10)
#define PROGRESS_EVERY (1u << 16)

enum { ACTION_RUN = 1 };

typedef struct integrity_run {
    const perf_options *options;
    perf_session *session;
    json_t *rows; /* source only */
} integrity_run;

/* The target's results at the end. */
typedef struct integrity_result {
    uint64_t run;
    uint64_t bytes;
    uint64_t lost;
    uint64_t torn;
    uint64_t repeated;
    uint64_t misplaced;
    uint64_t first_bad;
} integrity_result;

static bool open_link(ifunc_link *link, integrity_run *run, unsigned delivery,
                      void *target_args)
{
    const ifunc_link_config config = {.delivery = run->options->deliveries[delivery],
                                      .path = run->options->ifunc_path,
                                      .name = "integrity",
                                      .target_args = target_args};
    return ifunc_link_open(link, run->session, &config);
}

static integrity_result summarize(const integrity_target *target)
{
    integrity_result result = {.run = target->run,
                               .bytes = target->bytes,
                               .lost = target->count,
                               .torn = target->torn,
                               .repeated = target->repeated,
                               .misplaced = target->misplaced,
                               .first_bad = target->first_bad};
    for (uint64_t i = 0; i < target->count; i++)
        result.lost -= target->seen[i / 8] >> i % 8 & 1u;
    return result;
}

static bool target_run(void *experiment, const perf_command *command)
{
    integrity_run *run = experiment;
    ifunc_link link;
    size_t size;
    integrity_target target = {.count = command->count};
    if (command->action != ACTION_RUN || command->series >= run->options->delivery_count)
        return false;
    target.seen = calloc(1, (size_t)(command->count / 8 + 1));
    if (target.seen == NULL)
        return perf_session_complain(run->session, "out of memory");
    bool ok = open_link(&link, run, command->series, &target);
    if (ok) {
        /* The source waits for the answer: messages run whenever the context makes progress,
         * which it does while a connection is made, too. */
        ok = perf_session_recv(run->session, &target.range, sizeof target.range, &size) &&
             perf_session_send(run->session, &target.range, sizeof target.range) &&
             ifunc_link_serve(&link);
        integrity_result result = summarize(&target);
        ok = ok && perf_session_send(run->session, &result, sizeof result);
        ifunc_link_close(&link);
    }
    free(target.seen);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_run, experiment);
}

static bool send_messages(ifunc_link *link, const integrity_range *range, uint64_t count,
                          const char *delivery)
{
    static uint8_t payload[LARGEST_PAYLOAD + INTEGRITY_SLACK];
    perf_poll poll = {.session = link->session};
    for (uint64_t sequence = 0; sequence < count; sequence++) {
        uint32_t size = integrity_size(range, sequence);
        integrity_fill(payload, size, sequence);
        if (!ifunc_link_send(link, &poll, payload, size))
            return false;
        if (sequence % PROGRESS_EVERY == 0)
            perf_report_progress("%s: %" PRIu64 " of %" PRIu64 " messages", delivery, sequence,
                                 count);
    }
    perf_report_progress(NULL);
    return true;
}

static integrity_range choose_range(const perf_options *options, const tc_ep_info *info)
{
    uint32_t limit =
        info->payload_max < LARGEST_PAYLOAD ? (uint32_t)info->payload_max : LARGEST_PAYLOAD;
    uint32_t max = options->sizes.max < limit ? (uint32_t)options->sizes.max : limit;
    uint32_t min = options->sizes.min < max ? (uint32_t)options->sizes.min : max;
    return (integrity_range){.min = min, .max = max, .large_max = limit};
}

/* A flush that fails is reported, but the target's results are still fetched. */
static bool exchange(ifunc_link *link, const integrity_range *range, uint64_t count,
                     const char *delivery, integrity_result *result_out)
{
    integrity_range told;
    size_t size;
    if (!perf_session_send(link->session, range, sizeof *range) ||
        !perf_session_recv(link->session, &told, sizeof told, &size) ||
        !send_messages(link, range, count, delivery))
        return false;
    tc_status status = tc_ep_flush(link->peer, PERF_SILENCE_NS, NULL);
    if (status != TC_OK)
        (void)fprintf(stderr, "tc-perf: flush: %s\n", tc_status_text(status));
    perf_session_set_ended(link->session);
    return perf_session_recv(link->session, result_out, sizeof *result_out, &size);
}

static bool report(integrity_run *run, const char *delivery, const integrity_result *result,
                   double seconds)
{
    uint64_t count = run->options->iterations;
    bool ok = result->run == count && result->lost == 0 && result->torn == 0 &&
              result->repeated == 0 && result->misplaced == 0;
    if (!perf_report_is_quiet(run->options)) {
        (void)printf("%-6s %" PRIu64 " messages, %.1f MB in %.2f s: %" PRIu64 " run, %" PRIu64
                     " lost, %" PRIu64 " torn, %" PRIu64 " repeated, %" PRIu64
                     " out of order: %s\n",
                     delivery, count, (double)result->bytes / (1 << 20), seconds, result->run,
                     result->lost, result->torn, result->repeated, result->misplaced,
                     ok ? "ok" : "FAILED");
        if (!ok)
            (void)printf("       first error when message %" PRIu64 " was due\n",
                         result->first_bad);
        (void)fflush(stdout);
    }
    (void)json_array_append_new(
        run->rows,
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "delivery", delivery,
                  "messages", (json_int_t)count, "payload_bytes", (json_int_t)result->bytes,
                  "run", (json_int_t)result->run, "lost", (json_int_t)result->lost, "torn",
                  (json_int_t)result->torn, "repeated", (json_int_t)result->repeated,
                  "out_of_order", (json_int_t)result->misplaced, "seconds",
                  perf_report_number(seconds), "ok", ok));
    return ok;
}

static bool source_run(integrity_run *run, unsigned index)
{
    ifunc_link link;
    tc_ep_info info;
    integrity_result result;
    char delivery[16];
    const uint64_t count = run->options->iterations;
    if (!perf_session_command(run->session, ACTION_RUN, index, count) ||
        !open_link(&link, run, index, NULL))
        return false;
    perf_context_delivery(link.peer, delivery, &info);
    integrity_range range = choose_range(run->options, &info);
    uint64_t start = perf_now_ns();
    bool ok = exchange(&link, &range, count, delivery, &result);
    double seconds = (double)(perf_now_ns() - start) / (double)PERF_NS_PER_S;
    ifunc_link_close(&link);
    return perf_session_reply(run->session) && ok && report(run, delivery, &result, seconds);
}

static int run_integrity(const perf_options *options)
{
    perf_session session;
    integrity_run run = {.options = options, .session = &session};
    bool ok = perf_session_start(&session, options->cpus, serve, &run);
    json_t *document = perf_report_create(options);
    run.rows = json_object_get(document, "rows");
    /* Every delivery is tried, also after one has failed, as long as both processes live. */
    for (unsigned i = 0; i < options->delivery_count && session.control != NULL; i++)
        ok = source_run(&run, i) && ok;
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = perf_report_write(options, document) && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment integrity_experiment = {
    .name = "integrity",
    .summary = "order and content of messages, checked by the function itself",
    .options = "iterations sizes pin",
    .defaults = {{"iterations", "1000000"}, {"delivery", "all"}, {"sizes", "1..2048"}},
    .iterations_max = 1000000000000u,
    .run = run_integrity,
};
