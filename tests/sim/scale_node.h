/* A node's program: its context, its connections, and its part in the waves. */
#ifndef SIM_SCALE_NODE_H
#define SIM_SCALE_NODE_H

#include "scale.h"

#define SCALE_MS 1000000ull
#define SCALE_PORT 7000u
#define SCALE_LONG_NS (1000000 * SCALE_MS) /* no phase takes as long */

/* The functions that nodes send. */
typedef enum scale_function {
    SCALE_FN_greet, /* after connecting, and ahead of the other */
    SCALE_FN_work,  /* the one that is prepared: all else */
    SCALE_FN_COUNT
} scale_function;

typedef enum scale_kind {
    SCALE_GREET,   /* the number of the node that has connected */
    SCALE_ORDER,   /* down the tree: the next phase, which the node's loop begins */
    SCALE_RELEASE, /* down the tree: the barrier's number */
    SCALE_ARRIVE,  /* up the tree: the same */
    SCALE_CHASE,   /* to a random neighbour: how often it travels on */
    SCALE_HOLD,    /* a call that is never answered */
    SCALE_DEATH    /* to all neighbours: the rack that is dead */
} scale_kind;

typedef struct scale_message {
    uint32_t kind; /* scale_kind */
    uint32_t value;
} scale_message;

typedef struct scale_neighbour {
    tc_ep *ep;
    unsigned number;
    bool is_child;  /* in the tree of waves */
    bool has_ended; /* its event came */
} scale_neighbour;

typedef struct scale_node {
    scale *all;
    unsigned number;
    tc_context *ctx;
    tc_ifunc *functions[SCALE_FN_COUNT];
    scale_neighbour *neighbours; /* one for each, allocated at the start */
    unsigned count;              /* known so far */
    unsigned children;
    unsigned arrived; /* children, at the barrier */
    uint32_t barrier;
    uint32_t orders; /* bits of phases that the loop has to begin */
    bool has_lost;   /* a neighbour ended */
    bool knows;      /* of the death */
    tc_group *group; /* SCALE_GROUP only */
} scale_node;

/* Binds the functions to their names, and makes their archives. */
void scale_bind(void);
tc_code scale_code(scale_function function);

/* The programs. */
void scale_main(tc_sim_node *self, void *argument);
void scale_group_main(scale_node *n);

/* Returns false after a mistake, which it has noted. */
bool scale_expect(scale_node *n, tc_status status, const tc_error *error, const char *what);
/* Opens a function, unless it is open. */
bool scale_open(scale_node *n, scale_function function);
/* Adds a neighbour that is connected. */
void scale_add_neighbour(scale_node *n, tc_ep *ep, unsigned number);
void scale_send(scale_node *n, scale_neighbour *to, scale_kind kind, uint32_t value);
void scale_send_children(scale_node *n, scale_kind kind, uint32_t value);
/* Passes on that the rack is dead. */
void scale_learn(scale_node *n);
/* Begins the first barrier at node 0. */
void scale_release(scale_node *n, uint32_t number);
/* Sends the travelling message from node 0. */
void scale_chase(scale_node *n, uint32_t left);

#endif
