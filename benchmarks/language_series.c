#include "language_series.h"

#include "perf_report.h"
#include "series_report.h"

#include <stdio.h>
#include <string.h>

/* It sends the experiment's function, in any language. */
static bool has_languages(const perf_mode *mode)
{
    return mode->send != NULL && !mode->is_local && !mode->is_unrun && mode->function == NULL;
}

bool language_series_add(series_run *run, const perf_mode *mode, const language_choice *choice)
{
    const unsigned languages = has_languages(mode) ? choice->count : 1;
    const unsigned deliveries = mode->has_deliveries ? run->options.delivery_count : 1;
    if (run->series_count + languages * deliveries > SERIES_MAX) {
        (void)fprintf(stderr,
                      "tc-perf: more than %u series of modes, languages and deliveries\n",
                      SERIES_MAX);
        return false;
    }
    for (unsigned i = 0; i < languages; i++) {
        unsigned at = run->series_count;
        series_run_add(run, mode);
        while (at < run->series_count)
            run->series[at++].language = choice->of[i];
    }
    return true;
}

bool language_series_are_several(const series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].language != language_c)
            return true;
    }
    return false;
}

void language_series_print(const series_run *run, const perf_series *series)
{
    if (language_series_are_several(run))
        (void)printf("%-8s ", series == NULL                ? "language"
                              : has_languages(series->mode) ? series->language->name
                                                            : "-");
}

void language_series_report(const series_run *run, const perf_series *series, json_t *row)
{
    if (language_series_are_several(run))
        (void)json_object_set_new(row, "language", json_string(series->language->name));
}

static const series_samples *samples_of_c(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].mode == series->mode && run->series[i].language == language_c &&
            run->series[i].delivery_wanted == series->delivery_wanted &&
            !series_run_skips(run, i))
            return &run->samples[i];
    }
    return NULL;
}

static void report_ratio(const series_run *run, const perf_series *series,
                         interference_figure figure, const double *values, const double *of_c)
{
    char name[96], delivery[24] = "", payload[24] = "";
    const char *what = figure == INTERFERENCE_RATE ? "rate" : "latency";
    if (run->options.delivery_count > 1)
        (void)snprintf(delivery, sizeof delivery, "_%s", series->delivery);
    if (run->options.payloads.count > 1)
        (void)snprintf(payload, sizeof payload, "_%zu", series->payload_bytes);
    (void)snprintf(name, sizeof name, "%s_%s_to_c_%s%s%s", series->mode->name,
                   series->language->name, what, delivery, payload);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] = values[i] / of_c[i];
    const perf_spread ratio = series_report_spread(run, run->buffer);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio.median));
    if (run->options.payloads.count == 1 && !series_report_is_quiet(run))
        (void)printf("%-34s %8s\n", name,
                     series_report_figure(run, figure, ratio, ratio.median, 3).text);
}

void language_series_ratios(const series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        const perf_series *series = &run->series[i];
        const series_samples *of_c = samples_of_c(run, i);
        if (series->language == language_c || of_c == NULL || series_run_skips(run, i))
            continue;
        report_ratio(run, series, INTERFERENCE_MEDIAN, run->samples[i].p50_ns, of_c->p50_ns);
        report_ratio(run, series, INTERFERENCE_RATE, run->samples[i].rate_per_s,
                     of_c->rate_per_s);
    }
}
