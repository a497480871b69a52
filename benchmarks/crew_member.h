/* What a member of a crew does when told. */
#ifndef TC_PERF_CREW_MEMBER_H
#define TC_PERF_CREW_MEMBER_H

#include "crew.h"

enum {
    CREW_OPEN = 1, /* target: listens, and answers with its port */
    CREW_ACCEPT,   /* target: progresses until it has `count` peers */
    CREW_CONNECT,  /* source: to the port `count` */
    CREW_SERVE, /* target: runs what comes until the leader ends the step; `count` expected */
    CREW_SEND,  /* source: `count` messages at once */
    CREW_WAKE,  /* source: `count` messages, with pauses */
    CREW_CLOSE
};

typedef struct crew_answer {
    uint64_t value; /* port, or when the first message was sent */
    crew_seen seen;
    bool ok;
} crew_answer;

/* perf_serve for either role; `config` is a crew_config. */
bool crew_serve_target(perf_session *session, void *config);
bool crew_serve_source(perf_session *session, void *config);

#endif
