/* Modes with a protected tc-node as the target. The source calls a function there, with an
 * empty reply; a round trip is a call. The session's own target process starts the node, and
 * ends it. */
#ifndef TC_PERF_MODE_NODE_H
#define TC_PERF_MODE_NODE_H

#include "node_files.h"
#include "perf_mode.h"

/* NULL after the last. The first is "off". */
extern const perf_mode *const node_modes[];

/* Nodes without protection that differ in their statistics. */
extern const perf_mode *const node_usage_modes[];

bool mode_node_is(const perf_mode *mode);
bool mode_node_needs_certificate(const perf_mode *mode);

/* Called before the session begins; both of its processes use the files. */
void mode_node_use(const node_files *files);

/* Source: connects once more, calls a function that is new there, the copy of this number, and
 * closes. Both times, ns. */
bool mode_node_visit(perf_series *series, unsigned number, double *connect_out,
                     double *call_out);

#endif
