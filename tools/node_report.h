/* Messages of a process that serves one peer (tc-node --isolate) to the node that started it.
 *
 * The node does not trust them, as functions of that peer run in the process. It reads whole
 * messages of a bounded size, and of the counters no more than their values. */
#ifndef NODE_REPORT_H
#define NODE_REPORT_H

#include "node_counters.h"

/* Descriptors of such a process for its messages and counters. */
#define NODE_REPORT_CHANNEL 3  /* SOCK_SEQPACKET; also delivers the peer's connection */
#define NODE_REPORT_COUNTERS 4 /* a file in memory with one node_counters */

#define NODE_REPORT_TEXT_MAX 400

/* The first byte of a message; a text follows. */
typedef enum node_report_kind {
    NODE_READY = 'r',
    NODE_DONE = 'd',      /* the peer has gone, and the process ends */
    NODE_CRASHED = 'c',   /* the text describes the crash; the process dies */
    NODE_LONG_CALL = 'l', /* the text names the function that does not return */
} node_report_kind;

/* Async-signal-safe. A text that is too long is truncated. */
void node_report_say(node_report_kind kind, const char *text);

/* Reports a crash: a tc_crash_callback. */
void node_report_crash(void *none, const char *text);

/* Maps the counters for writing; NULL on failure. */
node_counters *node_report_map(void);

#endif
