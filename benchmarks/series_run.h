/* A run of several modes in short rounds that take turns, so that whatever the machine does
 * meanwhile (other load, processors that move) strikes all modes alike and ratios within a
 * round stay meaningful. Both processes hold the same series and step through them together. */
#ifndef TC_PERF_SERIES_RUN_H
#define TC_PERF_SERIES_RUN_H

#include "perf_mode.h"
#include "perf_stats.h"
#include "series_watch.h"

#include <jansson.h>

#define SERIES_MAX 64u
#define SERIES_PAIRS_MAX 2u

typedef struct series_run series_run;

/* The decisions of an experiment; all at the source. Each returns false after a complaint.
 */
typedef struct series_kind {
    /* For calls: the sweep is over the number under way at once (options.outstanding), not the
     * payload, and a latency is the mode's time of a call. */
    bool of_calls;
    bool no_rates;            /* latencies alone */
    bool is_watched;          /* rows have the processors' placement; busy rounds are marked */
    bool is_split;            /* near and far rounds are reported apart; is_watched as well */
    size_t latency_bytes_max; /* of larger payloads there are rates alone */
    /* Sets rate_count, and latency_count, of one series, by measuring once or more: the first
     * calls, for which the target prepares the code, are over then. */
    bool (*choose_counts)(series_run *run, unsigned index);
    /* A turn of a series in each round of the first payload. May be NULL. */
    bool (*measure_connection)(series_run *run, unsigned index, unsigned round);
    /* Before each measurement of a series in a round. May be NULL. */
    bool (*prepare)(series_run *run, unsigned index);
    /* After a rate run of so many messages. May be NULL. */
    void (*note_rate)(series_run *run, unsigned index, uint64_t count);
    /* After a latency run: its stamps, of which the first `warmup` trips do not count. May be
     * NULL. */
    void (*note_latency)(series_run *run, unsigned index, uint64_t warmup, uint64_t count);
    void (*print_round)(const series_run *run, unsigned index, unsigned round);
    /* Adds the measurements with the present payload, of the rounds that the watch has chosen,
     * to rows and ratios, and to the table. */
    void (*report_payload)(series_run *run);
    /* Behind the tables of all payloads, when there are some. May be NULL. */
    void (*print_end)(const series_run *run);
    /* Adds further members to the JSON. May be NULL. */
    void (*finish)(const series_run *run, json_t *report);
} series_kind;

/* One value per round, in one block of memory that begins at p50_ns. */
typedef struct series_samples {
    double *p50_ns;
    double *p99_ns;
    double *p999_ns;
    double *max_ns;
    double *rate_per_s;
} series_samples;

struct series_run {
    const series_kind *kind;
    perf_options options; /* its payload_bytes is the same in both processes at every step */
    perf_session *session;
    json_t *rows; /* source only, as the following members; of all payloads so far */
    json_t *ratios;
    json_t *placements; /* the same, for each placement of processors */
    bool is_silent;     /* a report goes to the JSON alone */
    bool has_head;      /* of the table */
    series_watch watch;
    unsigned pair_count; /* of processors, that take turns; 0: those of the options */
    int pairs[SERIES_PAIRS_MAX][2];
    /* The present payload of the options, or the present number of calls. */
    unsigned payload_index;
    unsigned round;
    unsigned series_count;
    perf_series series[SERIES_MAX];
    series_samples samples[SERIES_MAX];
    uint64_t latency_count[SERIES_MAX];
    uint64_t rate_count[SERIES_MAX];
    uint64_t *stamps;
    double *buffer; /* one entry per round, for medians */
};

/* A series of the mode, or one for each delivery that the mode can choose. */
void series_run_add(series_run *run, const perf_mode *mode);
/* One series, by one delivery; "": the library's own choice. */
void series_run_add_one(series_run *run, const perf_mode *mode, const char *delivery);

/* Every payload of the options, and the report. The session and NULL members of the run are the
 * function's own. Returns the exit status. */
int series_run_all(series_run *run);

/* Half round trips of `count`, after a warm-up. count <= SERIES_LATENCY_MAX or --iterations. */
#define SERIES_LATENCY_MAX 200000u
bool series_run_latency(series_run *run, unsigned index, uint64_t count, perf_latency *out);

/* For series_kind. Without -n a trial run estimates how many iterations take the time of one
 * measurement, 25 ms. Its figures are thrown away, and with them the first calls. */
bool series_run_choose_counts(series_run *run, unsigned index);

/* From the first send until the target reports that all have run. */
bool series_run_rate(series_run *run, unsigned index, uint64_t count, double *per_s_out);

/* Returns whether the present payload is too large for the series: it has no figures then. */
bool series_run_skips(const series_run *run, unsigned index);

bool series_run_is_last_payload(const series_run *run);

/* False after a complaint: the option --modes names one that is not among those, "a,b". */
bool series_run_knows_modes(const series_run *run, const char *known);

#endif
