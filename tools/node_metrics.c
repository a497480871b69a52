#include "node_metrics.h"

#include "node_say.h"
#include "node_successor.h"
#include "tool_clock.h"
#include "tool_file.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS 1000000000ull
#define TELL_NS 100000000ull /* between copies of the counters for --http */

/* The handler only sets a flag, which the loop checks at least ten times a second. */
static atomic_bool asked;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&asked, true);
}

void node_metrics_catch_signal(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
}

/* Replaces the file at once: a reader sees the old one or the new one. */
static bool write_file(const char *path, const node_counters *counters)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return false;
    node_counters_print_metrics(counters, out);
    bool ok = fclose(out) == 0 && tool_file_write(path, text, size);
    int problem = errno;
    free(text);
    errno = problem;
    return ok;
}

static bool update_file(node_metrics *metrics, const node_counters *counters)
{
    const char *path = metrics->args->stats_file;
    if (path == NULL)
        return true;
    metrics->next_ns = tool_clock_ns() + INTERVAL_NS;
    bool ok = write_file(path, counters);
    if (!ok && !metrics->failed)
        node_say(NODE_WARNING, "--stats-file %s: %s", path, strerror(errno));
    metrics->failed = !ok;
    return ok;
}

bool node_metrics_begin(node_metrics *metrics, const node_arguments *args, tc_context *ctx)
{
    const node_counters none = {{0}};
    *metrics = (node_metrics){.args = args, .next_ns = UINT64_MAX, .tell_ns = UINT64_MAX};
    if (!update_file(metrics, &none) ||
        !node_http_start(args->http, args->http_socket, ctx, &metrics->http))
        return false;
    if (metrics->http != NULL)
        metrics->tell_ns = 0;
    return true;
}

static bool is_due(uint64_t when_ns)
{
    return when_ns != UINT64_MAX && tool_clock_ns() >= when_ns;
}

bool node_metrics_due(const node_metrics *metrics)
{
    return atomic_load_explicit(&asked, memory_order_relaxed) || is_due(metrics->next_ns) ||
           is_due(metrics->tell_ns);
}

void node_metrics_tell(node_metrics *metrics, const node_counters *counters)
{
    if (atomic_exchange(&asked, false)) {
        node_counters_print(counters, metrics->args->json);
        (void)fflush(stdout);
    }
    if (is_due(metrics->next_ns))
        (void)update_file(metrics, counters);
    if (is_due(metrics->tell_ns)) {
        node_http_tell(metrics->http, counters);
        metrics->tell_ns = tool_clock_ns() + TELL_NS;
    }
}

void node_metrics_end(node_metrics *metrics, const node_counters *counters)
{
    if (!node_successor_follows()) /* that writes the file now */
        (void)update_file(metrics, counters);
    node_counters_print(counters, metrics->args->json);
}

void node_metrics_close(node_metrics *metrics)
{
    node_http_stop(metrics->http);
    metrics->http = NULL;
}
