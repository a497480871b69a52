#include "node_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tc/advanced.h>

static size_t count(void)
{
    size_t n = tc_stats_count();
    return n < NODE_COUNTERS_MAX ? n : NODE_COUNTERS_MAX;
}

void node_counters_take(const tc_context *ctx, node_counters *counters_out)
{
    for (size_t i = 0; i < count(); i++)
        counters_out->values[i] = tc_stats_value(ctx, i);
}

void node_counters_add(node_counters *sum, const node_counters *more)
{
    for (size_t i = 0; i < count(); i++)
        sum->values[i] += more->values[i];
}

void node_counters_count(node_counters *counters, const char *name)
{
    for (size_t i = 0; i < count(); i++)
        counters->values[i] += strcmp(tc_stats_name(i), name) == 0;
}

uint64_t node_counters_named(const node_counters *counters, const char *name)
{
    for (size_t i = 0; i < count(); i++) {
        if (strcmp(tc_stats_name(i), name) == 0)
            return counters->values[i];
    }
    return 0;
}

void node_counters_print(const node_counters *counters, int json)
{
    if (!json) {
        printf("tc-node: %" PRIu64 " messages run, %" PRIu64 " dropped, %" PRIu64
               " functions received, %" PRIu64 " refused, %" PRIu64 " peers, %" PRIu64
               " failed\n",
               node_counters_named(counters, "messages_run"),
               node_counters_named(counters, "messages_dropped"),
               node_counters_named(counters, "code_received"),
               node_counters_named(counters, "code_refused"),
               node_counters_named(counters, "endpoints_opened"),
               node_counters_named(counters, "endpoints_failed"));
        return;
    }
    for (size_t i = 0; i < count(); i++)
        printf("%s\"%s\": %" PRIu64, i == 0 ? "{" : ", ", tc_stats_name(i),
               counters->values[i]);
    puts("}");
}

void node_counters_print_metrics(const node_counters *counters, FILE *out)
{
    for (size_t i = 0; i < count(); i++)
        fprintf(out,
                "# HELP tchains_%s_total see tc_context(3)\n"
                "# TYPE tchains_%s_total counter\n"
                "tchains_%s_total %" PRIu64 "\n",
                tc_stats_name(i), tc_stats_name(i), tc_stats_name(i), counters->values[i]);
}
