/* Common parts of the pointer chase. The servers and the client, which begins all chases, are
 * processes of their own, led by one that touches no library. Each of them holds a series per
 * plan; a series's functions are called by all workers at once, unless stated.
 */
#ifndef TC_PERF_DAPC_H
#define TC_PERF_DAPC_H

#include "dapc_table.h"
#include "language.h"
#include "perf_options.h"
#include "perf_session.h"

#define DAPC_WORKERS_MAX (DAPC_SERVERS_MAX + 1u)
#define DAPC_BLOB_MAX 2048u
typedef struct dapc_mode dapc_mode;
typedef struct dapc_client dapc_client;

/* The data that a worker sends the others, so that they can reach it. */
typedef struct dapc_blob {
    uint32_t size;
    unsigned char bytes[DAPC_BLOB_MAX];
} dapc_blob;

/* A way to chase, and a policy of waiting for all workers. */
typedef struct dapc_plan {
    const dapc_mode *mode;
    char wait[16];            /* as the library's option has it */
    const language *language; /* NULL at a server, which need not know it */
} dapc_plan;

#define DAPC_PLANS_MAX 32u

typedef struct dapc_series {
    const dapc_mode *mode;
    const char *wait;
    const language *language; /* the client's */
    const perf_options *options;
    perf_session *session; /* with the leader */
    const dapc_table *table;
    unsigned rank; /* of servers 0 to server_count - 1; the client is server_count */
    unsigned server_count;
    dapc_shard shard;    /* a server's own */
    dapc_client *client; /* the client's: the receiver of results */
    void *state;         /* the mode's; NULL while closed */
} dapc_series;

/* How long a worker waits before it looks whether its step has ended. With many of them those
 * looks alone would fill the processors. */
static inline uint64_t dapc_look_ns(const dapc_series *series)
{
    return 10000000ull * (1 + series->server_count / 8);
}

struct dapc_mode {
    const char *name;
    bool moves_code; /* the part of it that is in a code cache, and so can be missing there */
    bool is_safe;    /* endpoints notice that a peer has died; the library's always do */

    /* The size of series->state, which is all zero before open, and freed after close. */
    size_t state_bytes;

    /* Each returns false after a complaint; close is owed then, too. */
    bool (*open)(dapc_series *series, dapc_blob *mine_out);
    /* Returns when this worker can send to all that it ever sends to. */
    bool (*connect)(dapc_series *series, const dapc_blob *blobs);
    /* Progress; waits for a moment, by the option, when it is idle. */
    bool (*turn)(dapc_series *series);
    /* Before close: returns when all that this worker sent has been run. NULL: nothing to do.
     */
    bool (*settle)(dapc_series *series);
    void (*close)(dapc_series *series);

    /* The client alone. With `known` the servers have the code before the first chase;
     * otherwise the next chase finds servers that have never seen its code. Only of modes that
     * move code; the servers take turns meanwhile. */
    bool (*prepare)(dapc_series *series, bool known);
    /* The client alone: begins a chase. dapc_client_done is called at its end, perhaps before
     * this returns. `slot` is below DAPC_INFLIGHT_MAX and not in use. Senders to a server send
     * it to this one, which need not have its first entry. */
    bool (*start)(dapc_series *series, unsigned slot, unsigned server, const dapc_step *step);
};

extern const dapc_mode dapc_mode_get;
extern const dapc_mode dapc_mode_am;
extern const dapc_mode dapc_mode_am_safe;
extern const dapc_mode dapc_mode_bitcode;
extern const dapc_mode dapc_mode_image;

/* NULL: there is none of that name. */
const dapc_mode *dapc_mode_find(const char *name);

/* NULL: no memory. */
dapc_client *dapc_client_create(void);
void dapc_client_destroy(dapc_client *client);

/* By a mode: the chase in that slot has ended there. May begin the next one. */
void dapc_client_done(dapc_client *client, unsigned slot, uint64_t address);
/* By a mode: a chase cannot be ended. */
void dapc_client_failed(dapc_client *client);

typedef struct dapc_batch {
    uint64_t first; /* number of the first chase */
    uint64_t count;
    uint64_t depth;
    uint32_t inflight; /* at most DAPC_INFLIGHT_MAX */
} dapc_batch;

/* Every chase of the batch, each result checked. */
bool dapc_client_run(dapc_series *series, const dapc_batch *batch, uint64_t *took_ns_out);

/* The leader's command to a worker; perf_command's series is one of its own. */
enum {
    DAPC_OPEN = 1, /* answered with a blob */
    DAPC_CONNECT,  /* all blobs follow; ready when connected, goes on until the step ends */
    DAPC_SERVE,    /* takes turns until the step ends */
    DAPC_PREPARE,  /* client; count: whether the code is known */
    DAPC_RUN,      /* client; a batch follows */
    DAPC_SETTLE,   /* ready when settled, goes on until the step ends */
    DAPC_CLOSE
};

typedef struct dapc_answer {
    uint64_t took_ns;
    bool ok;
} dapc_answer;

/* The state that all workers are forked with. */
typedef struct dapc_worker_config {
    const perf_options *options;
    const dapc_table *table;
    const dapc_plan *plans; /* one for each series */
    unsigned plan_count;
    unsigned rank;
} dapc_worker_config;

/* perf_serve; `config` is a dapc_worker_config. */
bool dapc_worker_serve(perf_session *session, void *config);

#endif
