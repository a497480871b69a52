/* What a process of a worker_set does when told. */
#ifndef TC_PERF_WORKER_STEPS_H
#define TC_PERF_WORKER_STEPS_H

#include "worker_set.h"

enum {
    WORKER_OPEN = 1, /* target: listens, and answers with its port */
    WORKER_ACCEPT,   /* target: progresses until it has `count` peers */
    WORKER_CONNECT,  /* source: to the port `count` */
    WORKER_SERVE, /* target: runs what comes until the leader ends the step; `count` expected */
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
