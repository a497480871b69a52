/* A target that tests start and end at one address, in a thread of its own, and a steady
 * endpoint to it. Its function counts its runs, and answers as the test wants. */
#ifndef SITE_H
#define SITE_H

#include "../support/server.h"

#include <stdint.h>
#include <tc/steady.h>

#define SITE_TIMEOUT_NS TC_SECONDS(20)
#define SITE_SEEN_MAX 64u

typedef enum site_manner {
    SITE_ANSWERS,  /* with the number of runs */
    SITE_DETACHES, /* and never answers */
    SITE_FAILS     /* answers with TC_E_CLOSED */
} site_manner;

typedef struct site {
    tc_context *target; /* NULL: it is down */
    tc_context *source;
    tc_ifunc *fn; /* of the source */
    tc_steady *steady;
    server server;
    atomic_bool is_down;
    char host_port[32];
    unsigned connected, lost, gave_up;
    tc_status why;          /* of the newest news */
    uint64_t messages_lost; /* of the newest loss */
} site;

/* Shared by all sites. */
extern atomic_uint site_runs;
extern atomic_int site_is; /* site_manner */
/* The first bytes of its payloads: read them while the target is down or paused. */
extern unsigned char site_seen[SITE_SEEN_MAX];

/* How a call ended. */
typedef struct site_end {
    unsigned count;
    tc_steady_outcome outcome;
    unsigned result;
} site_end;

/* Opens a source with a steady endpoint; the target is down. params may be NULL. */
void site_open(site *s, const tc_steady_params *params);
void site_close(site *s);
void site_up(site *s);
void site_down(site *s);
/* Waits for a connection. */
void site_await_connection(site *s);

/* Starts a call with one byte. */
tc_steady_call_id site_start(site *s, tc_steady_mark mark, uint64_t timeout_ns, char byte,
                             site_end *end);
/* Waits for the ends of all calls. */
void site_await(site *s);
/* Waits until the target has run that many calls. */
void site_await_runs(site *s, unsigned runs);

#endif
