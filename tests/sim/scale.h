/* Worlds of many nodes: their plan, and the state that the command and all nodes share. Nodes
 * are numbered from 0; node 0 begins each phase but the first. */
#ifndef SIM_SCALE_H
#define SIM_SCALE_H

#include <tc/group.h>
#include <tc/sim.h>
#include <tc/tc.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum scale_pattern { SCALE_TREE, SCALE_STAR, SCALE_NEAR, SCALE_GROUP } scale_pattern;

typedef struct scale_plan {
    scale_pattern pattern;
    unsigned nodes;
    unsigned degree;     /* children of a node of the tree; neighbours of a node of `near` */
    unsigned per_host;   /* nodes of a host */
    unsigned rack_hosts; /* hosts of a rack */
    unsigned hops;       /* of the message that travels */
    unsigned rounds;     /* barriers */
    unsigned ring_kb;
    tc_sim_params world;
} scale_plan;

/* --- the graph of connections: scale_plan.c ---------------------------------------------- */

const char *scale_pattern_name(scale_pattern pattern);
/* Returns false if no pattern has the name. */
bool scale_pattern_of(const char *name, scale_pattern *pattern_out);
/* Returns the node that a node reports to, in the tree that waves take; of node 0: 0. */
unsigned scale_parent(const scale_plan *p, unsigned number);
/* Returns how many nodes this one connects to, and the index-th of them. */
unsigned scale_targets(const scale_plan *p, unsigned number);
unsigned scale_target(const scale_plan *p, unsigned number, unsigned index);
/* Returns how many connections a node has, made by it or accepted. */
unsigned scale_degree(const scale_plan *p, unsigned number);
unsigned scale_rack(const scale_plan *p, unsigned number);
/* Returns the rack that dies: one in the middle, never that of node 0 unless it is the only
 * one. */
unsigned scale_doomed_rack(const scale_plan *p);

/* --- the phases -------------------------------------------------------------------------- */

/* X(name, the count that ends it) */
#define SCALE_PHASES(X)                                                                        \
    X(start, "nodes that are connected as the pattern has it")                                 \
    X(prepare, "nodes at which the function is ready")                                         \
    X(barrier, "nodes that have passed the last barrier")                                      \
    X(chase, "messages that have travelled through all nodes of their way")                    \
    X(arm, "calls, and members of a barrier, that wait for nodes of the rack")                 \
    X(death, "ends of those calls, and of endpoints to the rack; survivors that know")

typedef enum scale_stage {
#define SCALE_STAGE(name, count) SCALE_STAGE_##name,
    SCALE_PHASES(SCALE_STAGE)
#undef SCALE_STAGE
        SCALE_STAGES
} scale_stage;

typedef enum scale_event {
    SCALE_DONE,  /* of the phase; see SCALE_PHASES */
    SCALE_ENDS,  /* of endpoints to nodes of the rack */
    SCALE_CALLS, /* that waited for it, and ended */
    SCALE_KNOWS, /* survivors that know of its death */
    SCALE_EVENTS
} scale_event;

typedef struct scale_count {
    uint64_t goal, count;
    uint64_t last_ns; /* when it was counted last */
} scale_count;

#define SCALE_ROUNDS_MAX 16u

struct scale_node;

typedef struct scale {
    const scale_plan *plan;
    tc_sim_world *world;
    tc_sim_node **nodes;
    struct scale_node **programs;   /* in the memory of each node; NULL: not begun */
    const tc_group_member *members; /* of the group; NULL: another pattern */
    struct scale_start *starts;     /* arguments of the nodes */
    scale_stage stage;
    uint64_t begun_ns; /* when node 0, or the command, began it */
    scale_count counts[SCALE_EVENTS];
    uint64_t passed_ns[SCALE_ROUNDS_MAX + 1]; /* when node 0 has passed each barrier */
    unsigned doomed;                          /* the rack that dies */
    char error[256];                          /* the first mistake, or "" */
} scale;

typedef struct scale_start {
    scale *all;
    unsigned number;
} scale_start;

void scale_note(scale *all, scale_event event);
/* Keeps the first. */
void scale_fail(scale *all, unsigned number, const char *what, const tc_error *error);
bool scale_is_doomed(const scale *all, unsigned number);

/* --- the report: scale_report.c ---------------------------------------------------------- */

typedef struct scale_phase {
    const char *name;
    uint64_t took_ns; /* simulated */
    double real_s;
    double processor_s;
    uint64_t events;
    uint64_t resident; /* bytes of the process, at its end */
} scale_phase;

typedef struct scale_figures {
    scale_phase phases[SCALE_STAGES];
    uint64_t resident_before; /* the first node */
    uint64_t node_bytes;      /* that nodes have allocated, after their start */
    uint64_t descriptors;
    uint64_t connections_max, connections; /* of a node; of all */
    uint64_t messages;
    uint64_t dead, ends_ns, calls_ns, knows_ns;
    uint64_t calls, ends, knows;
    uint64_t barrier_ns; /* the median of those after the first */
    uint64_t hash;
} scale_figures;

/* Returns the bytes of memory that the process has. Memory that it has freed goes back to the
 * system before that. */
uint64_t scale_resident(void);
void scale_report(const scale_plan *p, const scale_figures *f, bool json);

#endif
