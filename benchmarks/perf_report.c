#include "perf_report.h"

#include "perf_experiment.h"
#include "perf_option_rows.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <tc/options.h>
#include <tc/version.h>

/* "model name : AMD EPYC", or the machine's architecture where the kernel gives no name. */
static void describe_cpu(char *text, size_t size)
{
    char line[256];
    struct utsname name;
    text[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && text[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL)
            (void)snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file != NULL)
        (void)fclose(file);
    if (text[0] == '\0' && uname(&name) == 0)
        (void)snprintf(text, size, "%s", name.machine);
}

static json_t *versions(void)
{
    tc_version_info info;
    tc_version_query(&info);
    return json_pack("{s:s, s:i, s:s, s:s, s:s}", "three_chains", info.library, "protocol",
                     (int)info.protocol, "ucx", info.ucx, "llvm", info.llvm, "compiler",
                     __VERSION__);
}

/* The library's own options as they are in force, under their own names. */
static json_t *library_options(void)
{
    tc_options *options;
    json_t *object = json_object();
    if (tc_options_create(&options, NULL) != TC_OK)
        return object;
    for (size_t i = 0; i < tc_options_count(); i++) {
        char value[256];
        const char *name = tc_options_info(i)->name;
        /* Folders belong to the build, not to the measurement. */
        if (strstr(name, "path") == NULL &&
            tc_options_get(options, name, value, sizeof value) == TC_OK)
            (void)json_object_set_new(object, name, json_string(value));
    }
    tc_options_destroy(options);
    return object;
}

static json_t *list_of(const perf_list *list)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < list->count; i++)
        (void)json_array_append_new(array, json_integer((json_int_t)list->values[i]));
    return array;
}

/* For the types of rows with a name in the report. */
static json_t *value_of(const perf_options *options, const perf_option_row *row)
{
    const void *at = (const unsigned char *)options + row->offset;
    const perf_range *range = at;
    switch (row->type) {
    case PERF_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case PERF_UNSIGNED:
        return json_integer(*(const unsigned *)at);
    case PERF_RANGE:
        return json_pack("[I, I]", (json_int_t)range->min, (json_int_t)range->max);
    case PERF_LIST:
        return list_of(at);
    default:
        return json_string(*(const char *const *)at);
    }
}

static json_t *own_options(const perf_options *options)
{
    json_t *deliveries = json_array();
    for (unsigned i = 0; i < options->delivery_count; i++) {
        const char *delivery = options->deliveries[i];
        (void)json_array_append_new(deliveries,
                                    json_string(*delivery != '\0' ? delivery : "auto"));
    }
    json_t *object = json_pack("{s:I, s:o, s:s?, s:[i, i]}", "iterations",
                               (json_int_t)options->iterations, "delivery", deliveries, "tls",
                               getenv("UCX_TLS"), "pin", options->cpus[0], options->cpus[1]);
    for (size_t i = 0; i < perf_option_count; i++) {
        const perf_option_row *row = &perf_option_rows[i];
        if (row->json != NULL && perf_option_rows_taken(row, options->experiment))
            (void)json_object_set_new(object, row->json, value_of(options, row));
    }
    return object;
}

static json_t *environment(const perf_options *options)
{
    char cpu[128], date[32] = "";
    struct utsname name = {0};
    struct tm utc;
    time_t now = time(NULL);
    describe_cpu(cpu, sizeof cpu);
    (void)uname(&name);
    if (gmtime_r(&now, &utc) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:o, s:o, s:o}", "date", date, "cpu", cpu,
                     "cpus", (int)sysconf(_SC_NPROCESSORS_ONLN), "kernel", name.release, "arch",
                     name.machine, "versions", versions(), "options", own_options(options),
                     "library_options", library_options());
}

json_t *perf_report_create(const perf_options *options)
{
    return json_pack("{s:s, s:i, s:s, s:o, s:[], s:{}}", "program", "tc-perf", "format",
                     PERF_REPORT_FORMAT, "experiment", options->experiment->name, "env",
                     environment(options), "rows", "ratios");
}

json_t *perf_report_number(double value)
{
    return json_real(round(value * 1000) / 1000);
}

void perf_report_spread(json_t *row, const char *name, perf_spread spread, double scale)
{
    char quartiles[64];
    (void)snprintf(quartiles, sizeof quartiles, "%s_quartiles", name);
    (void)json_object_set_new(row, name, perf_report_number(spread.median * scale));
    (void)json_object_set_new(row, quartiles,
                              json_pack("[o, o]", perf_report_number(spread.quarter * scale),
                                        perf_report_number(spread.three_quarters * scale)));
}

void perf_report_tail(json_t *row, const char *name, const perf_tail *tail, double scale)
{
    const struct {
        const char *end;
        uint64_t value;
    } members[] = {
        {"p50", tail->p50}, {"p99", tail->p99}, {"p999", tail->p999}, {"max", tail->max}};
    char member[64];
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        (void)snprintf(member, sizeof member, "%s_%s", name, members[i].end);
        (void)json_object_set_new(row, member,
                                  perf_report_number((double)members[i].value * scale));
    }
}

static bool write_file(const perf_options *options, const json_t *report)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(12);
    bool to_stdout = perf_report_is_quiet(options);
    FILE *file = to_stdout ? stdout : fopen(options->json_path, "w");
    bool ok = file != NULL && report != NULL && json_dumpf(report, file, flags) == 0 &&
              fputc('\n', file) != EOF && fflush(file) == 0;
    if (!ok)
        (void)fprintf(stderr, "tc-perf: cannot write %s: %s\n", options->json_path,
                      strerror(errno));
    if (file != NULL && !to_stdout)
        (void)fclose(file);
    return ok;
}

bool perf_report_write(const perf_options *options, json_t *report)
{
    bool ok = options->json_path == NULL || write_file(options, report);
    json_decref(report);
    return ok;
}

bool perf_report_is_quiet(const perf_options *options)
{
    return options->json_path != NULL && strcmp(options->json_path, "-") == 0;
}

void perf_report_progress(const char *format, ...)
{
    va_list args;
    if (!isatty(STDERR_FILENO))
        return;
    (void)fputs("\r\033[K", stderr);
    if (format != NULL) {
        va_start(args, format);
        (void)vfprintf(stderr, format, args);
        va_end(args);
    }
    (void)fflush(stderr);
}
