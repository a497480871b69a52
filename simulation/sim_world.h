/* A world: simulated time, its events, and nodes whose fibers run one at a time in the thread
 * that calls tc_sim_run_until. The same seed gives the same order of all of it.
 *
 * A fiber runs until it waits: in a system call that would block, or where the scheduler may
 * interrupt it (sim_world_step). A wait ends by sim_world_wake or at a time. Nothing but events
 * of the queue continues a fiber, so a run depends on the seed alone. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim_fiber.h"
#include "sim_queue.h"
#include "sim_random.h"

#include "core/current.h"

#include <tc/sim.h>

#include <sys/types.h>
#include <time.h>

typedef struct sim_descriptor sim_descriptor;
typedef struct sim_segment sim_segment;
struct attachment;
struct sim_ucx;
struct connection;
struct sim_port;

#define SIM_WAITS_MAX 8u  /* descriptors that a fiber waits for at once */
#define SIM_TIMERS_MAX 4u /* events that a fiber has for the ends of its waits */
#define SIM_RECENT_MAX 64u
#define SIM_KEPT_BYTES 64u

/* One thing that a fiber waits for: a descriptor, or a word of memory. */
typedef struct sim_waiter {
    struct sim_waiter *next;
    struct sim_waiter **previous_next; /* NULL: it does not wait */
    struct sim_fiber *fiber;
    const void *word; /* NULL: a descriptor */
} sim_waiter;

/* Its memory lasts as long as the world, as events refer to it; other fibers use it again. */
typedef struct sim_fiber {
    struct sim_fiber *next; /* of its node; or of the world's unused ones */
    tc_sim_node *node;
    unsigned number; /* from 1 */
    sim_stack stack;
    void *(*entry)(void *argument);
    void *argument;
    void *result;
    uint64_t generation; /* of its wait; an event for an earlier one does nothing */
    uint64_t until_ns;   /* when its wait is over; UINT64_MAX: never */
    /* When its events for that run, latest first. One that runs too early is added again, so
     * that fibers which are woken often have few events. */
    uint64_t timers[SIM_TIMERS_MAX];
    unsigned timer_count;
    bool recent; /* of sim_recent */
    bool waits;  /* nothing has woken it yet */
    bool asleep;
    bool timed_out;
    bool ended;
    bool detached;
    bool held;                /* sim_world_hold */
    struct sim_fiber *joiner; /* waits until it has ended; or NULL */
    sim_waiter waiters[SIM_WAITS_MAX];
    unsigned waiter_count;
    tci_current current;          /* of the library, while the fiber does not run */
    uint8_t kept[SIM_KEPT_BYTES]; /* sim_world_keep */
    int saved_errno;
#ifdef TC_SIM_STEPS    /* sim_step.h */
    unsigned locks;    /* that it holds, of those that all nodes share */
    bool keeps_stores; /* its delayed stores stay so while it waits */
#endif
} sim_fiber;

struct tc_sim_node {
    tc_sim_world *world;
    unsigned number;
    unsigned host;
    void (*main)(tc_sim_node *node, void *argument);
    void *argument;
    sim_fiber *fibers;
    uint64_t local_ns; /* its clock, which is ahead of the world's while it runs */
    uint64_t paused_until_ns;
    uint32_t reads; /* of the clock, since a fiber waited last */
    bool dead;
    bool finished;
    unsigned life; /* how often it was started */
    sim_random random;
    sim_descriptor *descriptors;
    sim_descriptor **numbers; /* by number */
    size_t number_count;
    size_t number_hint;             /* all below are taken */
    size_t memory;                  /* bytes allocated */
    uint32_t first_memory;          /* of its list in sim_memory.c, or 0 */
    uint32_t memory_owner;          /* its index there, or 0: no memory was allocated */
    struct attachment *attachments; /* of segments: sim_segment.c */
    struct sim_stack_owner *stacks; /* of functions that wait: sim_stack.c */
    void (*free_stacks)(struct tc_sim_node *node); /* all of them; or NULL */
    unsigned opened;                               /* descriptors */
    size_t left_memory;                            /* when main had returned */
    unsigned left_open;
};

/* Figures of the thread in which the world runs: sim_guard.c. */
typedef struct sim_guard {
    uint64_t begun_ns; /* when the last run of a fiber began, in real time */
    uint64_t runs;     /* of fibers */
    /* Up to then: how often the thread gave up the processor, and its processor time. */
    long given_up;
    uint64_t worked_ns;
    timer_t timer;
    pid_t thread;      /* to which the timer belongs; 0: no timer */
    uint64_t seen_run; /* by the timer's handler, so many times */
    unsigned ticks;
} sim_guard;

/* A direction of the network between two hosts. */
typedef struct sim_route {
    unsigned from, to;
    bool cut;
    uint64_t since_ns;
} sim_route;

/* The fibers that ran last. Their stacks may have more pages than they need while they wait. */
typedef struct sim_recent {
    sim_fiber *fibers[SIM_RECENT_MAX]; /* NULL: unused, or it has ended */
    unsigned next;                     /* index of the oldest */
} sim_recent;

struct tc_sim_world {
    tc_sim_params params;
    uint64_t now_ns;
    sim_queue queue;
    sim_random random;
    tc_sim_node **nodes; /* by number */
    unsigned node_count, node_capacity;
    sim_fiber *running; /* NULL: the world itself */
    sim_stack own_stack;
    unsigned fiber_count;
    sim_fiber *left;   /* to be freed: it has ended */
    sim_fiber *unused; /* memory for others */
    sim_recent recent;
    sim_waiter *words; /* those that wait for words of memory */
    uint64_t events;
    uint64_t hash;
    uint64_t failable; /* calls so far that could have failed */
    sim_route *routes;
    size_t route_count;
    struct sim_port **ports; /* that are taken: sim_port.c */
    size_t port_capacity, port_count;
    struct connection *connections;
    uint16_t next_port;
    sim_segment **segments; /* by id, then by address: sim_segment.c */
    size_t segment_capacity, segment_count;
    uint32_t next_segment;
    struct sim_ucx *ucx; /* NULL: no context has used it */
    const struct sim_ucx_hooks *ucx_hooks;
    sim_guard guard;
    tc_error error; /* of the simulation itself, which ends it */
};

/* The world that runs in this thread; NULL: system calls are the real ones. */
extern _Thread_local tc_sim_world *sim_world_current __attribute__((tls_model("initial-exec")));

static inline sim_fiber *sim_world_running(void)
{
    return sim_world_current != NULL ? sim_world_current->running : NULL;
}

static inline tc_sim_node *sim_world_node(void)
{
    sim_fiber *fiber = sim_world_running();
    return fiber != NULL ? fiber->node : NULL;
}

/* --- time -------------------------------------------------------------------------------- */

/* Returns the running node's clock, and moves it on a little. */
uint64_t sim_world_read_clock(void);
/* Adds an event `in_ns` after the running node's clock, or the world's. */
void sim_world_after(tc_sim_world *world, uint64_t in_ns,
                     void (*run)(void *subject, uint64_t argument), void *subject,
                     uint64_t argument);

/* --- fibers ------------------------------------------------------------------------------ */

/* Makes a fiber of a node, which runs at once. NULL: no memory. */
sim_fiber *sim_world_spawn(tc_sim_node *node, void *(*entry)(void *argument), void *argument,
                           size_t stack_bytes);
/* Likewise; the fiber is freed when it ends. Returns false when there is no memory. */
bool sim_world_spawn_detached(tc_sim_node *node, void *(*entry)(void *argument), void *argument,
                              size_t stack_bytes);
/* Adds the running fiber to a list of those that wait, until it runs again. At most
 * SIM_WAITS_MAX times.
 *
 *   word  sim_waiter.word */
void sim_world_await(sim_waiter **list, const void *word);
/* Takes a fiber off the lists of those that wait. */
void sim_world_forget_waits(sim_fiber *fiber);
/* Frees a fiber that has ended, or the fiber of a node that has. */
void sim_world_free_fiber(sim_fiber *fiber);
/* Waits until sim_world_wake, or the node's clock shows `until_ns`. Returns false when the time
 * is over. */
bool sim_world_wait(uint64_t until_ns);
/* Continues a fiber that waits, a little later. */
void sim_world_wake(sim_fiber *fiber);
/* Waits for so long. */
void sim_world_sleep(uint64_t ns);
/* A point at which the scheduler may interrupt the running fiber. */
void sim_world_step(void);
/* Keeps the scheduler from interrupting the running fiber, or allows it again: in code that has
 * state for each thread of the system, which the fibers of a world share. A fiber that waits
 * lets others run all the same. Returns the former value. */
bool sim_world_hold(bool held);
/* Names variables of another library that each of its threads has for itself; fibers keep them
 * as threads do. At most SIM_KEPT_BYTES, once, outside of worlds. */
void sim_world_keep(void *variables, size_t bytes);
/* Ends the running fiber. */
void sim_world_end_fiber(void *result) __attribute__((noreturn));

/* --- failures ---------------------------------------------------------------------------- */

/* Returns whether a call that may fail is to fail now (tc_sim_params.fail_at). */
bool sim_world_fails(void);
/* Ends the run with an error of the simulated program or the simulation. */
void sim_world_stop(tc_sim_world *world, tc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
