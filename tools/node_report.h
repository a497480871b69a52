/* What a process that serves one peer (tc-node --isolate) tells the node that started it.
 *
 * The node trusts nothing of it: functions of that peer run there. So it reads whole messages of a
 * bounded size, and of the counters no more than their values. */
#ifndef NODE_REPORT_H
#define NODE_REPORT_H

#include "node_counters.h"

/* Where such a process finds them. */
#define NODE_REPORT_CHANNEL 3  /* SOCK_SEQPACKET; by it the peer's connection comes, too */
#define NODE_REPORT_COUNTERS 4 /* a file of one node_counters, in memory */

#define NODE_REPORT_TEXT_MAX 400

/* The first byte of a message; a text follows. */
typedef enum node_report_kind {
    NODE_READY = 'r',
    NODE_DONE = 'd',      /* its peer has gone, and it ends */
    NODE_CRASHED = 'c',   /* the text says what; it dies */
    NODE_LONG_CALL = 'l', /* the text says which function does not return */
} node_report_kind;

/* Async-signal-safe; a text that is too long is cut. */
void node_report_say(node_report_kind kind, const char *text);

/* The same of a crash: a tc_crash_callback. */
void node_report_crash(void *none, const char *text);

/* Maps the counters for writing. NULL: not to be had. */
node_counters *node_report_map(void);

#endif
