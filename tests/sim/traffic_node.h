/* Declarations shared by the files of a node's program. */
#ifndef SIM_TRAFFIC_NODE_H
#define SIM_TRAFFIC_NODE_H

#include "flows.h"
#include "traffic.h"
#include "versions.h"

#include <tc/entry.h>
#include <tc/group.h>
#include <tc/library.h>
#include <tc/tc.h>

#include <pthread.h>

#define PORT 7000
#define MS 1000000ull
#define TIMEOUT_NS (4000 * MS)
#define ERRAND_FUNCTION FLOW_FUNCTIONS /* its number: traffic_tasks.c */
#define SMALL_MAX 512u
#define LARGE_MAX (300u << 10)
#define STARTED_MAX 16u
#define DETACHED_MAX 64u
#define ACCEPTED_MAX 64u
#define PART_SENDS_MAX 8u

typedef struct peer {
    tc_ep *ep; /* NULL: not connected */
    uint32_t flow;
    bool has_ended; /* its event came */
    /* When the last call of a library's user that was answered was sent. */
    uint64_t used_ns[VERSIONS_LIBRARIES];
} peer;

typedef struct started {
    bool used, done, detached;
    const struct traffic_program *node;
    uint32_t flow;
    uint64_t number, answer;
    uint32_t hops, rank; /* of a call in the group: as its end has to report them */
} started;

/* An endpoint that a peer opened, between its events. */
typedef struct accepted {
    tc_ep *ep; /* NULL: unused */
    bool has_flow;
    uint32_t flow;
} accepted;

/* A call that this node has to answer. */
typedef struct detached {
    bool used;
    uint32_t flow;
    uint64_t number;
    tc_call_ticket ticket;
} detached;

/* A send that is started: its bytes are spoilt as soon as it has ended. */
typedef struct part_send {
    bool used, done;
    const struct traffic_program *node;
    uint32_t flow;
    uint64_t number, ended;
    uint8_t *bytes; /* NULL: not allocated yet */
    size_t size;
} part_send;

typedef struct traffic_program node;

struct traffic_program {
    traffic *all;
    unsigned number; /* of its context */
    tc_sim_world *world;
    tc_context *ctx;
    bool ends;      /* its context does: states.c looks no longer */
    bool is_served; /* a thread progresses it: calls need its lock */
    node *guest;    /* the second thread's state, in the first one's; or NULL */
    pthread_t guest_thread;
    node *second; /* the second context's state, in the first one's; or NULL */
    node *other;  /* the context that shares its thread; or NULL */
    bool has_second_thread;
    pthread_t second_thread;
    bool can_send;                           /* its functions are open */
    tc_ifunc *functions[FLOW_FUNCTIONS + 1]; /* NULL: not open */
    tc_library *libraries[VERSIONS_LIBRARIES][VERSIONS_CONTENTS];
    tc_ifunc *users[VERSIONS_LIBRARIES];
    tc_ifunc *opens;      /* windows; or NULL */
    uint32_t incarnation; /* of the context, as an owner of windows */
    tc_ifunc *echo;       /* NULL: no functions that wait */
    const char *runs;     /* the function that runs; or NULL */
    unsigned waiting;     /* functions that wait */
    peer peers[TRAFFIC_CONTEXTS];
    tc_group *group;   /* of all nodes; or NULL */
    uint64_t barriers; /* that it has entered */
    /* By way of each to each, plus 1; 0: none yet. */
    uint32_t routes[PLAN_NODES_MAX][PLAN_NODES_MAX];
    const tc_ep *closing; /* the one that tc_ep_close ends now */
    accepted accepted[ACCEPTED_MAX];
    started calls[STARTED_MAX];
    detached detached[DETACHED_MAX];
    part_send part_sends[PART_SENDS_MAX];
    uint8_t payload[LARGE_MAX];
};

static inline uint64_t draw(node *n, uint64_t limit)
{
    return tc_sim_random(n->world) % limit;
}

static inline bool has(const node *n, plan_feature feature)
{
    return plan_has(n->all->plan, feature);
}

/* Returns the number of a context's node. */
static inline unsigned node_of(unsigned context)
{
    return context % PLAN_NODES_MAX;
}

/* traffic.c */
size_t node_draw_size(node *n);
void node_expect(const node *n, tc_status status, const tc_error *error, const char *what);
void node_set(const node *n, tc_options *options, const char *name, const char *value);
/* Writes the address of a context's listener. Returns text. */
const char *node_address(const node *n, unsigned to, char text[TC_SIM_ADDRESS_BYTES]);
tc_status node_open_functions(node *n, tc_error *error);
void node_act(node *n);
/* Returns whether no node has actions left. */
bool node_all_are_done(const traffic *all);
/* Waits for all that the node has started, and checks it. */
void node_settle(node *n);
void node_close_peers(node *n);
/* Makes the context, its functions and its listener. Returns false if there is no context. */
bool node_open(node *n);
void node_run_actions(node *n);
/* Serves until all contexts have done their actions. */
void node_serve_others(node *n);
/* Ends the context. */
void node_end(node *n);
/* Returns one that is open. */
unsigned node_draw_function(node *n);

/* traffic_ends.c */
bool node_is_loss(const node *n, tc_status status);
/* Returns whether it is the status of a function that this world may have refused: the endpoint
 * stays. */
bool node_is_refusal(const node *n, tc_status status);
/* Returns whether faults of this world may end endpoints, or make calls late. */
bool node_is_disturbed(const node *n);
/* Returns whether a call to the flow's target may fail: by a fault, or as that ends. */
bool node_may_fail(const node *n, const flow *f);
void node_close_peer(node *n, unsigned to);
/* Ends a flow by a message of which it is not known whether it ran. Errors that no fault
 * explains fail the world. */
void node_lose(node *n, unsigned to, tc_status status, const tc_error *error, const char *what);
/* Ends the context with messages under way. */
void node_finish(node *n);

/* traffic_functions.c: the archive of a function that nodes send. */
tc_code node_code(unsigned number, unsigned function);

/* traffic_calls.c */
void node_call(node *n, unsigned to);
void node_start_call(node *n, unsigned to);
/* Returns a call's record, or NULL; and the callback for its end. */
started *node_unused_call(node *n);
void node_call_done(void *user, const tc_call_outcome *outcome);

/* traffic_forwards.c */
/* Returns whether the nodes of this world make a group. */
bool node_has_group(const node *n);
tc_status node_make_group(node *n, tc_error *error);
void node_call_by_way(node *n, unsigned to);
/* Forwards the message that runs, if it is not at its flow's target. Returns whether it did. */
bool node_forward(node *n, void *payload, size_t size);

/* Returns the flow of calls and messages by that way. */
uint32_t node_route(node *n, unsigned via, unsigned last);

/* traffic_members.c */
void node_send_member(node *n, unsigned to);
void node_send_self(node *n, unsigned to);
void node_call_all(node *n, unsigned to);
/* Enters a barrier where the plan has one before this action. */
void node_meet(node *n, unsigned action);

/* traffic_injected.c */
void node_send_injected(node *n, unsigned to);
/* Checks that the running message has brought its code, or has not. */
void node_expect_code(const node *n, const flow_header *header);

/* traffic_libraries.c */
void traffic_prepare_libraries(void);
tc_status node_open_libraries(node *n, tc_error *error);
void node_push(node *n, unsigned to);
void node_withdraw(node *n, unsigned to);
void node_use_library(node *n, unsigned to);

/* traffic_windows.c */
void traffic_prepare_windows(void);
tc_status node_open_windows(node *n, tc_error *error);
/* The context has begun, and has ended. */
void node_begin_windows(node *n);
void node_end_windows(const node *n);
void node_use_windows(node *n, unsigned to);
/* Opens a pane for a flow of the endpoint's peer. Returns its number, or UINT32_MAX. */
uint32_t node_open_pane(node *n, tc_ep *ep, uint32_t to, bool for_group, uint64_t random);
/* Called first in each function of the context, which runs between operations. */
void node_look_at_windows(const node *n);

/* traffic_tasks.c */
void traffic_prepare_tasks(void);
tc_status node_open_tasks(node *n, tc_error *error);
void node_use_tasks(node *n, unsigned to);
/* The context has begun, and has ended. */
void node_begin_tasks(const node *n);
void node_end_tasks(const node *n);
/* Checks the context's tasks, while no function runs. */
void node_look_at_tasks(const node *n);
/* A function of the context begins to run or goes on, and returns or waits. One at a time. */
void node_enter(node *n, const char *function);
void node_leave(node *n);

/* traffic_parts.c */
void node_send_parts(node *n, unsigned to);
/* Checks that each has ended, once. */
void node_expect_parts_ended(const node *n);
void node_free_parts(node *n);

/* traffic_served.c */
/* Has a thread serve the context, and a guest use it. The caller's calls need the lock then. */
void node_serve(node *n);
/* Waits until the guest has ended. Without the lock. */
void node_join_guest(node *n);
void node_lock(const node *n);
void node_unlock(const node *n);

/* traffic_contexts.c */
/* Draws a context. */
unsigned node_draw_target(node *n);
/* Opens the node's second context where the plan has one, with a thread of its own or not. */
void node_open_second(node *n);
/* Returns the one of the thread's contexts that is to act now. */
node *node_turn(node *n, unsigned action);
/* Ends the second context, and its thread. */
void node_end_second(node *n);
/* Returns the state of the context in which a function runs. */
node *node_running(node *n);
/* As tc_send_wait with TIMEOUT_NS and as tc_calls_wait, also where contexts share a thread. */
tc_status node_await_send(node *n, unsigned to, unsigned function, size_t size,
                          tc_error *error);
tc_status node_await_calls(node *n);

/* traffic_keys.c */
void node_set_key(const node *n, tc_options *options);
/* Returns whether the two contexts have the same key, or both have no key. */
bool node_shares_key(const node *n, unsigned to);
/* Connects to a context that has to refuse it. */
void node_try_outsider(node *n, unsigned to);
/* Checks the identity that an endpoint's peer has proved. */
void node_expect_identity(const node *n, const tc_ep *ep);

/* traffic_events.c */
void node_on_event(void *user, tc_ep *ep, tc_ep_event event);
/* Checks the endpoint of a message that runs now. */
void node_expect_announced(node *n, uint32_t number);

#endif
