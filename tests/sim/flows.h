/* The checker: the messages that each endpoint has sent, and those that ran. A flow is an
 * endpoint of one node's program, from its connection to its close; its messages are numbered
 * from 1.
 *
 * Checked at every message: its flow, its target and that node's life, its function, its bytes,
 * and that its number is the next one. So no message runs twice, out of order, or after one of
 * the same flow was lost. */
#ifndef SIM_FLOWS_H
#define SIM_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_FUNCTIONS 8u

typedef struct flow {
    unsigned from, to;  /* contexts */
    unsigned from_life; /* how often they were started */
    uint64_t sent;      /* messages that the library took */
    uint64_t run;       /* the number that ran last */
    uint64_t dropped;   /* messages that others overtook, for functions that were refused */
    uint32_t run_at;    /* of a call of all members: bits of the nodes where it has run */
    bool ended;         /* its endpoint is closed or lost */
    bool may_be_cut;    /* it was closed within a time that may be too short */
    bool cut_seen;      /* and its end at the target was found */
    bool target_ended;  /* its target's context, while others work */
} flow;

typedef enum flow_kind {
    FLOW_SEND,
    FLOW_CALL,
    FLOW_DETACHED,  /* a call that is answered while a later message of its endpoint runs */
    FLOW_FORWARDED, /* a call by way of a member of the group; the flow's target answers it */
    FLOW_ALL,       /* a call of all members, which has a flow of its own */
    FLOW_INJECTED   /* a message that brings its code along */
} flow_kind;

/* The first bytes of a payload. */
typedef struct flow_header {
    uint32_t magic;
    uint32_t flow;
    uint64_t number;
    uint32_t function;
    uint32_t size; /* of the whole payload */
    uint32_t sum;  /* over the bytes that follow */
    uint32_t kind; /* flow_kind */
} flow_header;

/* Forgets all; for a new world. `refusals`: plan_may_refuse. */
void flows_reset(bool refusals);
/* The error that was found first, or NULL. */
const char *flows_error(void);
void flows_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A new flow's number. */
uint32_t flows_open(unsigned from, unsigned from_life, unsigned to);
flow *flows_get(uint32_t number);
/* Writes the payload of the flow's next message. */
void flows_write(uint32_t number, unsigned function, flow_kind kind, void *bytes, size_t size);
/* Checks a message that runs at a node as `function`. Returns its header; zeros if it is of no
 * flow. */
flow_header flows_check(unsigned node, unsigned function, const void *bytes, size_t size);
/* Returns whether a payload that was checked is still as it was. */
bool flows_is_whole(const void *bytes, size_t size);
/* Returns the flow's target if the message runs where it is to be forwarded, or else `node`. */
unsigned flows_target(unsigned node, const void *bytes, size_t size);
/* Finds a flow to the node that may be cut, and of which no message has run. Each is found
 * once; returns false where no other is left. */
bool flows_take_cut(unsigned node);
/* The context has begun to end: calls to it may fail from now on. */
void flows_end_target(unsigned to);
/* Messages that have run in all flows. */
uint64_t flows_total(void);

#endif
