/* One connection between the two processes through the library's public interface: a context on
 * each side, one endpoint, one ifunc that both have opened. */
#ifndef TC_PERF_IFUNC_LINK_H
#define TC_PERF_IFUNC_LINK_H

#include "perf_mode.h"
#include "perf_options.h"
#include "perf_session.h"

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

typedef struct ifunc_link {
    perf_session *session;
    tc_context *context;
    tc_listener *listener; /* target only */
    tc_ep *peer;           /* NULL before it opens and after it has closed */
    tc_ifunc *function;
    char failure[TC_ERROR_TEXT_MAX]; /* why the peer was lost, or empty */
} ifunc_link;

typedef void (*ifunc_link_local)(void *payload, size_t payload_size, void *target_args);

typedef struct ifunc_link_config {
    const char *delivery;  /* NULL: the library's own choice */
    const char *tier;      /* the same */
    const char *cache_dir; /* the same; "": no peer */
    const char *form;      /* NULL: the library's own choice */
    const char *path;      /* folders */
    uint64_t ring_bytes;   /* 0: the library's own choice */
    const char *name;      /* of the ifunc */
    void *target_args;
    ifunc_link_local local; /* or NULL: the function is here already, and only its id travels */
} ifunc_link_config;

/* Both sides at once. On failure it has printed the error and freed its resources. The link
 * stays where it is until it is closed. */
bool ifunc_link_open(ifunc_link *link, perf_session *session, const ifunc_link_config *config);

/* Both sides at once. */
void ifunc_link_close(ifunc_link *link);
/* For a mode whose state begins with the link. */
void ifunc_link_close_mode(perf_series *series);

/* The reason why a wait for the peer ended early. Always false. */
bool ifunc_link_lost(ifunc_link *link);

/* The outcome of a send that failed for good. Always false. */
bool ifunc_link_send_failed(ifunc_link *link, tc_status status);

/* Source: sends one message, as soon as there is space. */
bool ifunc_link_send(ifunc_link *link, perf_poll *poll, const void *payload, size_t size);

/* Source: returns true when the target has run all that was sent. */
bool ifunc_link_flush(ifunc_link *link);

/* Target: runs arriving messages until the source has ended the step, so that messages too many
 * are noticed as well. False after a complaint. */
bool ifunc_link_serve(ifunc_link *link);

#endif
