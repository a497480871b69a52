/* Several sources and one target, led by this process, which itself sends nothing and loads
 * nothing. Each is a process of its own, or sources are threads of one. Their clocks are the
 * machine's, so their stamps compare. */
#ifndef TC_PERF_WORKER_SET_H
#define TC_PERF_WORKER_SET_H

#include "perf_options.h"
#include "perf_session.h"
#include "perf_stats.h"

#define WORKER_SOURCES_MAX 16u

typedef struct worker_config {
    const char *delivery; /* NULL: the library's own choice */
    const char *policy;   /* of waiting; NULL: the library's own choice */
    const char *path;     /* of the ifuncs */
    size_t payload_bytes; /* of a rate run */
    unsigned threads;     /* of a source, each with a context of its own; 0: one */
} worker_config;

typedef struct worker_set {
    worker_config config;
    unsigned source_count;
    unsigned started; /* processes that perf_session_end is owed for */
    perf_session sessions[1 + WORKER_SOURCES_MAX]; /* the target, then the sources */
    char delivery[PERF_DELIVERY_NAME_MAX];         /* the one used */
} worker_set;

/* Messages that the target has seen between begin and end of a step. */
typedef struct worker_seen {
    uint64_t last_ns; /* when all expected messages had run */
    double cpu_pct;   /* of one processor */
    perf_tail wakeup_ns;
    char delivery[PERF_DELIVERY_NAME_MAX]; /* of the newest endpoint; of sources only */
} worker_seen;

/* All of these return false after an error, which they print. worker_set_stop must be called
 * after every result of worker_set_start. The set stays where it is. */
bool worker_set_start(worker_set *set, unsigned source_count, const worker_config *config);
bool worker_set_stop(worker_set *set);

/* All sets at once: in each, every source sends its share of `count`, at least one message.
 * From the first send until the last message has run. */
bool worker_set_rate(worker_set *sets, unsigned set_count, uint64_t count, double *per_s_out);

/* The target waits, and nothing is sent. */
bool worker_set_idle(worker_set *set, uint64_t duration_ns, double *cpu_pct_out);

/* One source sends, at random times 1 to 20 ms apart. count <= WAKEUP_SAMPLES_MAX. */
bool worker_set_wake(worker_set *set, uint64_t count, perf_tail *ns_out);

/* The commands of a process of the set. */
enum {
    WORKER_OPEN = 1, /* target: listens, and answers with its port */
    WORKER_ACCEPT,   /* target: progresses until it has `count` peers */
    WORKER_CONNECT,  /* source: to the port `count` */
    WORKER_SERVE, /* target: runs messages until the leader ends the step; `count` expected */
    WORKER_SEND,  /* source: `count` messages at once */
    WORKER_WAKE,  /* source: `count` messages, with pauses */
    WORKER_CLOSE
};

typedef struct worker_answer {
    uint64_t value; /* port, or when the first message was sent */
    worker_seen seen;
    bool ok;
} worker_answer;

/* perf_serve for either role; `config` is a worker_config. */
bool worker_steps_target(perf_session *session, void *config);
bool worker_steps_source(perf_session *session, void *config);

#endif
