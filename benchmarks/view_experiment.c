/* Words of a window that a function has mapped: by the checked operations of <tc/window_view.h>
 * and, beside them, by a plain pointer, in turns. The source owns the window, the target's
 * function uses it. Accesses depend on each other, so each takes its whole latency. */
#include "ifunc_link.h"
#include "ifuncs/view.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>

#include <tc/call.h>
#include <tc/window_view.h>

#define WORD sizeof(uint64_t)
#define LINE 64u
#define SMALL_BYTES 4096u          /* stays in the first cache */
#define LARGE_BYTES (256ull << 20) /* in none */
#define WORD_AT (SMALL_BYTES + LINE)
#define LARGE_AT (2 * SMALL_BYTES)
#define MISSES_FEWER 16u /* loads that miss take longer, so there are fewer */

enum { ACTION_SERVE = 1, ROUNDS_MAX = 1000 };

typedef struct view_kind {
    const char *name;
    uint64_t at;
    view_way plain, checked;
    unsigned fewer;
} view_kind;

static const view_kind kinds[] = {{"get, a hit", 0, VIEW_LOAD, VIEW_GET, 1},
                                  {"get, a miss", LARGE_AT, VIEW_LOAD, VIEW_GET, MISSES_FEWER},
                                  {"compare and swap", WORD_AT, VIEW_EXCHANGE, VIEW_SWAP, 1}};

#define KINDS (sizeof kinds / sizeof kinds[0])

typedef struct view_run {
    const perf_options *options;
    perf_session *session;
    ifunc_link link;
    tc_gptr window;
    uint64_t *memory; /* source */
    json_t *rows;
    json_t *ratios;
} view_run;

static bool open_link(view_run *run)
{
    const ifunc_link_config config = {.delivery = run->options->deliveries[0],
                                      .tier = "best",
                                      .path = run->options->ifunc_path,
                                      .name = "view"};
    return ifunc_link_open(&run->link, run->session, &config);
}

/* --- target ------------------------------------------------------------------------------ */

static bool target_step(void *experiment, const perf_command *command)
{
    view_run *run = experiment;
    if (command->action != ACTION_SERVE || !open_link(run))
        return false;
    const bool ok = ifunc_link_serve(&run->link);
    ifunc_link_close(&run->link);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- source ------------------------------------------------------------------------------ */

/* Lays a cycle through all lines of some memory, each once, in random order: a word holds the
 * offset of the next one in the window. */
static bool lay_cycle(view_run *run, uint64_t at, uint64_t bytes)
{
    const uint64_t count = bytes / LINE;
    uint64_t *order = malloc(count * sizeof *order);
    uint64_t seed = 88172645463325252u;
    if (order == NULL)
        return perf_session_complain(run->session, "out of memory");
    for (uint64_t i = 0; i < count; i++)
        order[i] = i;
    for (uint64_t i = count - 1; i > 0; i--) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        const uint64_t other = seed % (i + 1), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
    for (uint64_t i = 0; i < count; i++)
        run->memory[(at + order[i] * LINE) / WORD] = at + order[(i + 1) % count] * LINE;
    free(order);
    return true;
}

static bool open_window(view_run *run)
{
    tc_error err = {0};
    const tc_window_params params = {.bytes = LARGE_AT + LARGE_BYTES,
                                     .rights = TC_WINDOW_READ | TC_WINDOW_ATOMIC,
                                     .peer = run->link.peer,
                                     .shared = 1};
    if (tc_window_open(run->link.context, &params, &run->window, &err) != TC_OK)
        return perf_session_complain(run->session, "window: %s", err.text);
    run->memory = tc_window_memory(run->link.context, run->window);
    return lay_cycle(run, 0, SMALL_BYTES) && lay_cycle(run, LARGE_AT, LARGE_BYTES);
}

/* One loop at the target: nanoseconds of each access. */
static bool measure(view_run *run, const view_kind *kind, view_way way, double *ns_out)
{
    const view_order order = {.window = run->window,
                              .way = way,
                              .at = kind->at,
                              .count = run->options->iterations / kind->fewer + 1};
    view_answer answer = {0};
    size_t size = sizeof answer;
    tc_error err = {0};
    run->memory[WORD_AT / WORD] = 0;
    if (tc_call(run->link.peer, run->link.function, &order, sizeof order, &answer, &size,
                PERF_SILENCE_NS, &err) != TC_OK)
        return perf_session_complain(run->session, "call: %s", err.text);
    if (answer.last == UINT64_MAX)
        return perf_session_complain(run->session, "%s: refused", kind->name);
    *ns_out = (double)answer.ns / (double)order.count;
    return true;
}

static void add_row(view_run *run, const view_kind *kind, const char *way, perf_spread ns)
{
    json_t *row = json_pack("{s:s, s:s}", "operation", kind->name, "way", way);
    perf_report_spread(row, "ns", ns, 1);
    (void)json_array_append_new(run->rows, row);
}

static void report(view_run *run, const view_kind *kind, double *plain, double *checked,
                   double *ratios, size_t rounds)
{
    const perf_spread ratio = perf_stats_spread(ratios, rounds);
    const perf_spread plain_ns = perf_stats_spread(plain, rounds);
    const perf_spread view_ns = perf_stats_spread(checked, rounds);
    add_row(run, kind, "pointer", plain_ns);
    add_row(run, kind, "view", view_ns);
    (void)json_object_set_new(run->ratios, kind->name, perf_report_number(ratio.median));
    if (perf_report_is_quiet(run->options))
        return;
    (void)printf("%-17s  pointer %8.2f ns   view %8.2f ns   ratio %.3f (%.3f to %.3f)\n",
                 kind->name, plain_ns.median, view_ns.median, ratio.median, ratio.quarter,
                 ratio.three_quarters);
    (void)fflush(stdout);
}

static bool measure_kind(view_run *run, const view_kind *kind)
{
    double plain[ROUNDS_MAX], checked[ROUNDS_MAX], ratios[ROUNDS_MAX];
    const size_t rounds = run->options->rounds < ROUNDS_MAX ? run->options->rounds : ROUNDS_MAX;
    for (size_t i = 0; i < rounds; i++) {
        perf_report_progress("%s: round %zu of %zu", kind->name, i + 1, rounds);
        const bool first = i % 2 == 0; /* either is first as often */
        if ((first && !measure(run, kind, kind->plain, &plain[i])) ||
            !measure(run, kind, kind->checked, &checked[i]) ||
            (!first && !measure(run, kind, kind->plain, &plain[i])))
            return false;
        ratios[i] = checked[i] / plain[i];
    }
    perf_report_progress(NULL);
    report(run, kind, plain, checked, ratios, rounds);
    return true;
}

static bool source_run(view_run *run)
{
    double unused;
    if (!perf_session_command(run->session, ACTION_SERVE, 0, 0) || !open_link(run))
        return false;
    bool ok = open_window(run) && measure(run, &kinds[0], VIEW_GET, &unused);
    for (size_t i = 0; i < KINDS && ok; i++)
        ok = measure_kind(run, &kinds[i]);
    perf_session_set_ended(run->session);
    ifunc_link_close(&run->link);
    return perf_session_reply(run->session) && ok;
}

static int run_view(const perf_options *options)
{
    perf_session session;
    view_run run = {.options = options, .session = &session};
    bool ok = perf_session_start(&session, options->cpus, serve, &run);
    json_t *document = perf_report_create(options);
    run.rows = json_object_get(document, "rows");
    run.ratios = json_object_get(document, "ratios");
    ok = ok && source_run(&run);
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = perf_report_write(options, document) && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment view_experiment = {
    .name = "view",
    .summary = "words of a mapped window, with checks and by a pointer",
    .options = "iterations rounds pin",
    .defaults = {{"iterations", "1000000"}, {"rounds", "15"}, {"delivery", "auto"}},
    .iterations_max = 1000000000u,
    .run = run_view,
};
