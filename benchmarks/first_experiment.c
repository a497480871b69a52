/* First calls: how long a function that the target has never seen takes from its arrival until
 * it has returned, as a native image and as bitcode in turn. */
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM_COUNT 2u
#define ARCHIVE_MAX (1u << 20)
/* The forms take turns in blocks, in which the target does nothing but poll and run: what LLVM,
 * or a wait for the next command, leaves of the caches is not an image's fault. The first few
 * of a block are left out. */
#define BLOCK 25u
#define WARMUP 5u

enum { ACTION_OPEN = 1, ACTION_BLOCK, ACTION_CLOSE };

static const char *const form_names[FORM_COUNT] = {"image", "bitcode"};

typedef struct first_run {
    const perf_options *options;
    perf_session *session;
    ifunc_link links[FORM_COUNT];
    uint64_t counters[FORM_COUNT]; /* what the ifunc counts here */
    void *archive;                 /* source only */
    size_t archive_size;
    uint64_t sent; /* functions, of both forms */
    uint64_t *first_ns[FORM_COUNT];
    uint64_t *again_ns[FORM_COUNT];
    json_t *rows;
    json_t *ratios;
} first_run;

/* What the target has measured. */
typedef struct first_result {
    uint64_t first_ns;
    uint64_t again_ns;
} first_result;

static bool open_form(first_run *run, unsigned form)
{
    const char *delivery = run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .form = form_names[form],
                                      .path = run->options->ifunc_path,
                                      .name = "tsi",
                                      .target_args = &run->counters[form]};
    return ifunc_link_open(&run->links[form], run->session, &config);
}

static void close_forms(first_run *run)
{
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        if (run->links[form].context != NULL)
            ifunc_link_close(&run->links[form]);
    }
}

/* --- the target ---------------------------------------------------------------------- */

/* The time of the one turn of progress that finds the message and runs it. */
static bool time_one_call(first_run *run, unsigned form, uint64_t *ns_out)
{
    perf_poll poll;
    uint64_t start, target = run->counters[form] + 1;
    perf_poll_init(&poll, run->session);
    for (;;) {
        start = perf_now_ns();
        unsigned ran = tc_progress(run->links[form].context);
        if (run->counters[form] == target)
            break;
        if (ran == 0 && !perf_poll_missed(&poll))
            return ifunc_link_lost(&run->links[form]);
    }
    *ns_out = perf_now_ns() - start;
    return true;
}

/* The last message's credit is the source's sign that it was run. */
static bool linger(first_run *run, unsigned form)
{
    perf_poll poll;
    perf_poll_init(&poll, run->session);
    while (!perf_session_has_ended(run->session)) {
        if (tc_progress(run->links[form].context) == 0 && !perf_poll_missed(&poll))
            return ifunc_link_lost(&run->links[form]);
    }
    return true;
}

static bool target_block(first_run *run, unsigned form)
{
    first_result results[WARMUP + BLOCK];
    for (unsigned i = 0; i < WARMUP + BLOCK; i++) {
        if (!time_one_call(run, form, &results[i].first_ns) ||
            !time_one_call(run, form, &results[i].again_ns))
            return false;
    }
    return linger(run, form) && perf_link_send(run->session, results, sizeof results);
}

static bool target_step(void *experiment, const perf_command *command)
{
    first_run *run = experiment;
    switch (command->action) {
    case ACTION_OPEN:
        return command->lane < FORM_COUNT && open_form(run, command->lane);
    case ACTION_BLOCK:
        return command->lane < FORM_COUNT && target_block(run, command->lane);
    case ACTION_CLOSE:
        close_forms(run);
        return true;
    default:
        return false;
    }
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- the source ---------------------------------------------------------------------- */

static bool read_archive(first_run *run)
{
    char path[PERF_PATH_MAX + 16];
    const char *at = run->options->ifunc_path;
    FILE *file = NULL;
    while (file == NULL && *at != '\0') {
        size_t n = strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/tsi.tca", (int)n, at);
        file = fopen(path, "rb");
        at += n + (at[n] == ':');
    }
    run->archive = malloc(ARCHIVE_MAX);
    if (file == NULL || run->archive == NULL)
        return perf_complain(run->session, "cannot read tsi.tca");
    run->archive_size = fread(run->archive, 1, ARCHIVE_MAX, file);
    (void)fclose(file);
    return run->archive_size > 0;
}

static bool send_one(ifunc_link *link, tc_ifunc *fn)
{
    perf_poll poll;
    tc_status status;
    const uint8_t payload[8] = {0};
    perf_poll_init(&poll, link->session);
    while ((status = tc_send(link->peer, fn, payload, sizeof payload)) == TC_E_AGAIN) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(&poll))
            return ifunc_link_lost(link);
    }
    if (status != TC_OK)
        return ifunc_link_send_failed(link, status);
    return ifunc_link_flush(link);
}

/* A comment in the list of libraries makes the same code another function, which no cache
 * knows. */
static tc_ifunc *make_unknown(first_run *run, ifunc_link *link)
{
    char deps[32];
    tc_ifunc *fn = NULL;
    tc_error err = {0};
    int n = snprintf(deps, sizeof deps, "# %" PRIu64 "\n", run->sent++);
    if (tc_ifunc_open_memory(link->context, run->archive, run->archive_size, deps, (size_t)n,
                             &fn, &err) != TC_OK)
        (void)perf_complain(run->session, "tsi: %s", err.text);
    return fn;
}

static bool send_unknown(first_run *run, ifunc_link *link)
{
    tc_ifunc *fn = make_unknown(run, link);
    bool ok = fn != NULL && send_one(link, fn) && send_one(link, fn);
    tc_ifunc_close(fn);
    return ok;
}

static bool measure_block(first_run *run, unsigned form, uint64_t begin, uint64_t count)
{
    const perf_command command = {.action = ACTION_BLOCK, .lane = form};
    first_result results[WARMUP + BLOCK];
    size_t size;
    if (!perf_session_command(run->session, &command))
        return false;
    for (unsigned i = 0; i < WARMUP + BLOCK; i++) {
        if (!send_unknown(run, &run->links[form]))
            return false;
    }
    perf_session_set_ended(run->session);
    if (!perf_link_recv(run->session, results, sizeof results, &size) ||
        !perf_session_reply(run->session))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        run->first_ns[form][begin + i] = results[WARMUP + i].first_ns;
        run->again_ns[form][begin + i] = results[WARMUP + i].again_ns;
    }
    return true;
}

static bool measure_all(first_run *run)
{
    uint64_t count = run->options->iterations;
    for (uint64_t begin = 0; begin < count; begin += BLOCK) {
        uint64_t n = count - begin < BLOCK ? count - begin : BLOCK;
        perf_report_progress("function %" PRIu64 " of %" PRIu64, begin, count);
        for (unsigned form = 0; form < FORM_COUNT; form++) {
            if (!measure_block(run, form, begin, n))
                return false;
        }
    }
    perf_report_progress(NULL);
    return true;
}

static bool open_all(first_run *run)
{
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        const perf_command command = {.action = ACTION_OPEN, .lane = form};
        run->first_ns[form] = calloc(run->options->iterations, sizeof(uint64_t));
        run->again_ns[form] = calloc(run->options->iterations, sizeof(uint64_t));
        if (run->first_ns[form] == NULL || run->again_ns[form] == NULL)
            return perf_complain(run->session, "out of memory");
        if (!perf_session_command(run->session, &command) || !open_form(run, form) ||
            !perf_session_reply(run->session))
            return false;
    }
    return true;
}

static bool close_all(first_run *run)
{
    const perf_command command = {.action = ACTION_CLOSE};
    if (!perf_session_command(run->session, &command))
        return false;
    close_forms(run);
    return perf_session_reply(run->session);
}

static double p_us(const uint64_t *sorted_ns, uint64_t count, unsigned percent)
{
    return (double)perf_percentile(sorted_ns, count, percent) / 1e3;
}

static void report(first_run *run)
{
    const uint64_t count = run->options->iterations;
    bool quiet = perf_report_is_quiet(run->options);
    if (!quiet)
        (void)printf("form      functions  first p50  first p99  again p50\n");
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        uint64_t *first = run->first_ns[form], *again = run->again_ns[form];
        perf_sort_counts(first, count);
        perf_sort_counts(again, count);
        (void)json_array_append_new(
            run->rows,
            json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "form", form_names[form], "functions",
                      (json_int_t)count, "archive_bytes", (json_int_t)run->archive_size,
                      "first_us_p50", perf_report_number(p_us(first, count, 50)),
                      "first_us_p99", perf_report_number(p_us(first, count, 99)),
                      "again_us_p50", perf_report_number(p_us(again, count, 50))));
        if (!quiet)
            (void)printf("%-8s %10" PRIu64 " %10.2f %10.2f %10.2f\n", form_names[form], count,
                         p_us(first, count, 50), p_us(first, count, 99),
                         p_us(again, count, 50));
    }
    double ratio = p_us(run->first_ns[1], count, 50) / p_us(run->first_ns[0], count, 50);
    (void)json_object_set_new(run->ratios, "bitcode_to_image_first", perf_report_number(ratio));
    if (!quiet)
        (void)printf("\nus from arrival to return, at the target; archive of %zu bytes\n\n"
                     "bitcode_to_image_first %22.3f\n",
                     run->archive_size, ratio);
    (void)fflush(stdout);
}

int perf_run_first(const perf_options *options)
{
    perf_session session;
    first_run run = {.options = options, .session = &session};
    bool ok = perf_session_start(&session, options->cpus, serve, &run);
    json_t *document = perf_report_create(options);
    run.rows = json_object_get(document, "rows");
    run.ratios = json_object_get(document, "ratios");
    ok = ok && read_archive(&run) && open_all(&run) && measure_all(&run);
    perf_report_progress(NULL);
    if (ok)
        ok = close_all(&run);
    ok = perf_session_end(&session) && ok;
    if (ok) {
        report(&run);
        ok = perf_report_write(options, document);
    }
    json_decref(document);
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        free(run.first_ns[form]);
        free(run.again_ns[form]);
    }
    free(run.archive);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
