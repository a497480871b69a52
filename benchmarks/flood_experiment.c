/* A sender that is twice as fast as its target, for as long as one likes: the sender has to get
 * TC_E_AGAIN, and memory may not grow on either side. */
#include "ifunc_link.h"
#include "ifuncs/busy.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_session.h"
#include "perf_report.h"
#include "process_sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLES 40u          /* in the whole run */
#define WARMUP (SAMPLES / 2) /* newer UCX allocates by and by */

enum { ACTION_FLOOD = 1 };

/* One side: its resources when the run had warmed up, and the largest later. */
typedef struct flood_side {
    pid_t pid;
    process_sample warm;
    process_sample last;
    process_sample most;
    uint64_t rss_bytes[SAMPLES + 2]; /* of each sample; the last one is behind the flood */
} flood_side;

typedef struct flood_run {
    const perf_options *options;
    perf_session *session;
    json_t *rows; /* source only, as the following members */
    flood_side source;
    flood_side target;
    unsigned samples;
    uint64_t sample_ns[SAMPLES + 2]; /* since the start */
    uint64_t sent;
    uint64_t again; /* the number of sends without space */
    uint64_t took_ns;
} flood_run;

static bool open_link(ifunc_link *link, flood_run *run, unsigned delivery, void *target_args)
{
    /* A compiler's memory for better code does not count here. */
    const ifunc_link_config config = {.delivery = run->options->deliveries[delivery],
                                      .tier = "fast",
                                      .path = run->options->ifunc_path,
                                      .name = "busy",
                                      .target_args = target_args};
    return ifunc_link_open(link, run->session, &config);
}

/* --- the target -------------------------------------------------------------------------- */

static bool target_run(void *experiment, const perf_command *command)
{
    flood_run *run = experiment;
    ifunc_link link;
    busy_target target = {.burn_ns = run->options->burn_ns};
    if (command->action != ACTION_FLOOD || command->series >= run->options->delivery_count ||
        !open_link(&link, run, command->series, &target))
        return false;
    bool ok =
        ifunc_link_serve(&link) && perf_session_send(run->session, &target, sizeof target);
    ifunc_link_close(&link);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_run, experiment);
}

/* --- the source, which also looks at both ------------------------------------------------ */

/* Growth has to appear in two samples in a row. A descriptor in one alone is that by which the
 * target looks, once a second, whether the source lives. */
static bool sample_side(flood_run *run, flood_side *side)
{
    process_sample now, lasting;
    if (!process_sample_take(side->pid, &now))
        return perf_session_complain(run->session, "/proc/%d cannot be read", (int)side->pid);
    lasting = now;
    side->rss_bytes[run->samples] = now.rss_bytes;
    if (side->last.descriptors < now.descriptors)
        lasting.descriptors = side->last.descriptors;
    side->last = now;
    if (run->samples < WARMUP)
        side->warm = side->most = lasting;
    else
        process_sample_raise(&side->most, &lasting);
    return true;
}

static bool take_samples(flood_run *run, uint64_t since_start_ns)
{
    run->sample_ns[run->samples] = since_start_ns;
    bool ok = sample_side(run, &run->source) && sample_side(run, &run->target);
    run->samples++;
    return ok;
}

static bool send_one(flood_run *run, ifunc_link *link, perf_poll *poll, const uint8_t *payload)
{
    tc_status status;
    while ((status = tc_send(link->peer, link->function, payload,
                             run->options->payload_bytes)) == TC_E_AGAIN) {
        run->again++;
        if (tc_progress(link->context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(link);
    }
    perf_poll_hit(poll);
    run->sent++;
    return status == TC_OK || ifunc_link_send_failed(link, status);
}

/* A message takes half as long to make as to run. */
static bool flood(flood_run *run, ifunc_link *link, const uint8_t *payload)
{
    const uint64_t start_ns = perf_now_ns();
    const uint64_t duration_ns = run->options->seconds * PERF_NS_PER_S;
    uint64_t now_ns = start_ns, made_ns;
    perf_poll poll = {.session = link->session};
    while (now_ns - start_ns < duration_ns) {
        if (now_ns - start_ns >= duration_ns / SAMPLES * run->samples &&
            !take_samples(run, now_ns - start_ns))
            return false;
        made_ns = now_ns + run->options->burn_ns / 2;
        while ((now_ns = perf_now_ns()) < made_ns)
            ;
        if (!send_one(run, link, &poll, payload))
            return false;
    }
    if (!ifunc_link_flush(link))
        return false;
    run->took_ns = perf_now_ns() - start_ns;
    return take_samples(run, run->took_ns);
}

static bool exchange(flood_run *run, ifunc_link *link)
{
    size_t size;
    busy_target target = {0};
    uint8_t *payload = calloc(1, run->options->payload_bytes);
    if (payload == NULL)
        return perf_session_complain(run->session, "out of memory");
    run->samples = 0;
    run->sent = run->again = 0;
    run->source = (flood_side){.pid = getpid()};
    run->target = (flood_side){.pid = run->session->target_pid};
    bool ok = flood(run, link, payload);
    free(payload);
    perf_session_set_ended(run->session);
    if (!ok || !perf_session_recv(run->session, &target, sizeof target, &size))
        return false;
    return target.run == run->sent ||
           perf_session_complain(run->session, "%" PRIu64 " of %" PRIu64 " messages ran",
                                 target.run, run->sent);
}

/* --- the report -------------------------------------------------------------------------- */

static bool is_flat(const flood_run *run, const flood_side *side)
{
    return side->most.rss_bytes <= side->warm.rss_bytes + run->options->slack_bytes &&
           side->most.descriptors <= side->warm.descriptors &&
           side->most.segments <= side->warm.segments;
}

static json_t *pack_side(const flood_side *side)
{
    return json_pack("{s:[I, I], s:[I, I], s:[I, I]}", "rss_bytes",
                     (json_int_t)side->warm.rss_bytes, (json_int_t)side->most.rss_bytes,
                     "descriptors", (json_int_t)side->warm.descriptors,
                     (json_int_t)side->most.descriptors, "segments",
                     (json_int_t)side->warm.segments, (json_int_t)side->most.segments);
}

/* Seconds, and the resources of source and target then. */
static json_t *pack_memory(const flood_run *run)
{
    json_t *memory = json_array();
    for (unsigned i = 0; i < run->samples; i++) {
        double seconds = (double)run->sample_ns[i] / (double)PERF_NS_PER_S;
        (void)json_array_append_new(memory, json_pack("[o, I, I]", perf_report_number(seconds),
                                                      (json_int_t)run->source.rss_bytes[i],
                                                      (json_int_t)run->target.rss_bytes[i]));
    }
    return memory;
}

static void print_side(const char *name, const flood_side *side)
{
    (void)printf("       %-7s %8.2f ..%8.2f MB %4" PRIu64 " ..%4" PRIu64
                 " descriptors %4" PRIu64 " ..%4" PRIu64 " segments\n",
                 name, (double)side->warm.rss_bytes / (1 << 20),
                 (double)side->most.rss_bytes / (1 << 20), side->warm.descriptors,
                 side->most.descriptors, side->warm.segments, side->most.segments);
}

static bool report(flood_run *run, const char *delivery)
{
    const double seconds = (double)run->took_ns / (double)PERF_NS_PER_S;
    const double rate = (double)run->sent / seconds;
    const bool ok = is_flat(run, &run->source) && is_flat(run, &run->target);
    if (!perf_report_is_quiet(run->options)) {
        (void)printf(
            "%-6s %" PRIu64 " messages in %.1f s, %.3f M/s; no room %" PRIu64 " times: %s\n",
            delivery, run->sent, seconds, rate / 1e6, run->again, ok ? "flat" : "GROWS");
        print_side("source", &run->source);
        print_side("target", &run->target);
        (void)fflush(stdout);
    }
    (void)json_array_append_new(
        run->rows,
        json_pack("{s:s, s:I, s:o, s:o, s:I, s:o, s:o, s:o, s:b}", "delivery", delivery,
                  "messages", (json_int_t)run->sent, "seconds", perf_report_number(seconds),
                  "rate_per_s", perf_report_number(rate), "again", (json_int_t)run->again,
                  "source", pack_side(&run->source), "target", pack_side(&run->target),
                  "memory", pack_memory(run), "ok", ok));
    return ok;
}

static bool source_run(flood_run *run, unsigned index)
{
    ifunc_link link;
    char delivery[PERF_DELIVERY_NAME_MAX];
    if (!perf_session_command(run->session, ACTION_FLOOD, index, 0) ||
        !open_link(&link, run, index, NULL))
        return false;
    perf_context_delivery(link.peer, delivery, NULL);
    perf_report_progress("%s: %" PRIu64 " s", delivery, run->options->seconds);
    bool ok = exchange(run, &link);
    ifunc_link_close(&link);
    perf_report_progress(NULL);
    return perf_session_reply(run->session) && ok && report(run, delivery);
}

static int run_flood(const perf_options *options)
{
    perf_session session;
    flood_run run = {.options = options, .session = &session};
    bool ok = perf_session_start(&session, options->cpus, serve, &run);
    json_t *document = perf_report_create(options);
    run.rows = json_object_get(document, "rows");
    for (unsigned i = 0; i < options->delivery_count && session.control != NULL; i++)
        ok = source_run(&run, i) && ok;
    ok = perf_session_end(&session) && ok;
    ok = perf_report_write(options, document) && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment flood_experiment = {
    .name = "flood",
    .summary = "a source that is too fast for its target: nothing may grow",
    .options = "size seconds burn slack pin",
    .defaults = {{"size", "64"},
                 {"delivery", "all"},
                 {"seconds", "10"},
                 {"burn", "2000"},
                 {"slack", "1M"}},
    .payload_bytes = {1, 1u << 20},
    .run = run_flood,
};
