/* The trace of a world: its events in order, as a hash and as lines of text. */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <tc/sim.h>

#include <stdint.h>

/* X(kind, the word in a line) */
#define SIM_TRACE_KINDS(X)                                                                     \
    X(BEGINS, "begins")                                                                        \
    X(RUNS, "runs")                                                                            \
    X(ENDS, "ends")                                                                            \
    X(CONNECTS, "connects")                                                                    \
    X(ARRIVES, "arrives")                                                                      \
    X(CUT, "cut")                                                                              \
    X(JOINED, "joined")                                                                        \
    X(KILLED, "killed")                                                                        \
    X(PAUSED, "paused")                                                                        \
    X(FAILS, "fails")

typedef enum sim_trace_kind {
#define SIM_TRACE_ENUM(kind, word) SIM_TRACE_##kind,
    SIM_TRACE_KINDS(SIM_TRACE_ENUM)
#undef SIM_TRACE_ENUM
} sim_trace_kind;

/* An ARRIVES' second number. */
typedef enum sim_trace_segment {
    SIM_TRACE_BYTES,
    SIM_TRACE_END,
    SIM_TRACE_RESET,
    SIM_TRACE_ANSWER
} sim_trace_segment;

#define SIM_TRACE_NO_NODE UINT32_MAX /* a node that has gone */

/* Returns two nodes or hosts as one number. */
static inline uint64_t sim_trace_pair(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

/* Returns a segment of so many bytes as one number. */
static inline uint64_t sim_trace_size(sim_trace_segment segment, uint64_t bytes)
{
    return bytes << 2 | (uint64_t)segment;
}

/* Adds an event. Its two numbers are:
 *   BEGINS    the node, its host
 *   RUNS      the node, whether a time ended its wait
 *   ENDS      the node, the bytes of memory that it left
 *   CONNECTS  the hosts (sim_trace_pair), 0
 *   ARRIVES   the nodes (sim_trace_pair), sim_trace_size
 *   CUT       the hosts (sim_trace_pair), 0; so does JOINED
 *   KILLED    the node, 0
 *   PAUSED    the node, for how many nanoseconds
 *   FAILS     the call's number, 0 */
void sim_trace_event(tc_sim_world *world, sim_trace_kind kind, uint64_t a, uint64_t b);
/* Adds a number to the hash alone. */
void sim_trace_number(tc_sim_world *world, uint64_t number);

#endif
