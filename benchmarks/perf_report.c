#include "perf_report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
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
        /* Folders say where the program was built, not how it was measured. */
        if (strstr(name, "path") == NULL &&
            tc_options_get(options, name, value, sizeof value) == TC_OK)
            (void)json_object_set_new(object, name, json_string(value));
    }
    tc_options_destroy(options);
    return object;
}

static json_t *payload_list(const perf_options *options)
{
    json_t *sizes = json_array();
    for (unsigned i = 0; i < options->payload_count; i++)
        (void)json_array_append_new(sizes, json_integer((json_int_t)options->payloads[i]));
    return sizes;
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
    if (options->experiment == PERF_TSI || options->experiment == PERF_SSUM ||
        options->experiment == PERF_IPUT || options->experiment == PERF_BANDWIDTH)
        (void)json_object_update_new(
            object, json_pack("{s:o, s:I, s:i, s:s}", "sizes", payload_list(options), "warmup",
                              (json_int_t)options->warmup, "rounds", (int)options->rounds,
                              "modes", options->modes));
    else if (options->experiment == PERF_FLOOD)
        (void)json_object_update_new(
            object,
            json_pack("{s:o, s:I, s:I, s:I}", "sizes", payload_list(options), "seconds",
                      (json_int_t)options->seconds, "burn_ns", (json_int_t)options->burn_ns,
                      "slack_bytes", (json_int_t)options->slack_bytes));
    else if (options->experiment == PERF_FIRST_CALL)
        (void)json_object_set_new(object, "rounds", json_integer((json_int_t)options->rounds));
    else if (options->experiment == PERF_WAIT)
        (void)json_object_set_new(object, "peers", json_integer((json_int_t)options->peers));
    else if (options->experiment == PERF_DAPC)
        (void)json_object_update_new(
            object, json_pack("{s:i, s:s, s:s, s:s, s:s, s:s}", "rounds", (int)options->rounds,
                              "modes", options->modes, "wait", options->wait, "transport",
                              options->transport, "cache", options->cache, "return", options->answer));
    else if (options->experiment == PERF_INTEGRITY)
        (void)json_object_update_new(object, json_pack("{s:[I, I]}", "sizes",
                                                       (json_int_t)options->size_min,
                                                       (json_int_t)options->size_max));
    return object;
}

json_t *perf_report_create(const perf_options *options)
{
    char cpu[128];
    struct utsname name = {0};
    describe_cpu(cpu, sizeof cpu);
    (void)uname(&name);
    return json_pack("{s:s, s:{s:s, s:i, s:s, s:s, s:o, s:o, s:o}, s:[], s:{}}", "experiment",
                     perf_experiment_name(options->experiment), "env", "cpu", cpu, "cpus",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "kernel", name.release, "arch",
                     name.machine, "versions", versions(), "options", own_options(options),
                     "library_options", library_options(), "rows", "ratios");
}

json_t *perf_report_number(double value)
{
    return json_real(round(value * 1000) / 1000);
}

bool perf_report_write(const perf_options *options, const json_t *report)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(12);
    if (options->json_path == NULL)
        return true;
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
