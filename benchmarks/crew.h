/* Several sources and one target, each a process of its own, led by this one, which itself
 * sends nothing and loads nothing. Their clocks are the machine's, so their stamps compare. */
#ifndef TC_PERF_CREW_H
#define TC_PERF_CREW_H

#include "perf_options.h"
#include "perf_session.h"

#define CREW_SOURCES_MAX 16u

typedef struct crew_config {
    const char *delivery; /* NULL: the library's own choice */
    const char *policy;   /* of waiting; NULL: the library's own choice */
    const char *path;     /* of the ifuncs */
    size_t payload_bytes; /* of a rate run */
} crew_config;

typedef struct perf_crew {
    crew_config config;
    unsigned source_count;
    unsigned started; /* processes that perf_session_end is owed for */
    perf_session target;
    perf_session sources[CREW_SOURCES_MAX];
    char delivery[PERF_DELIVERY_NAME_MAX]; /* what is used */
} perf_crew;

/* What the target has seen between begin and end of a step. */
typedef struct crew_seen {
    uint64_t last_ns; /* when all expected messages had run */
    double cpu_pct;   /* of one processor */
    double wakeup_us_p50;
    double wakeup_us_p99;
    char delivery[PERF_DELIVERY_NAME_MAX]; /* of the newest endpoint; of sources only */
} crew_seen;

/* All of these return false after a complaint. crew_stop is owed whatever crew_start said. The
 * crew stays where it is. */
bool crew_start(perf_crew *crew, unsigned source_count, const crew_config *config);
bool crew_stop(perf_crew *crew);

/* All crews at once: in each, every source sends its share of `count`, at least one message.
 * From the first send until the last message has run. */
bool crews_rate(perf_crew *crews, unsigned crew_count, uint64_t count, double *per_s_out);

/* The target waits, and nothing is sent. */
bool crew_idle(perf_crew *crew, uint64_t duration_ns, double *cpu_pct_out);

/* One source sends, at random times 1 to 20 ms apart. count <= WAKEUP_SAMPLES_MAX. */
bool crew_wake(perf_crew *crew, uint64_t count, double *us_p50_out, double *us_p99_out);

#endif
