/* The plan that a seed stands for: the size of the world, the faults and the kinds of traffic.
 * Each seed switches some of them on, so that rare ones meet without common ones between
 * them. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_NODES_MAX 6u

/* In sim-explore-steps alone: simulation/sim_step.h. */
#ifdef TC_SIM_STEPS
#define PLAN_STEPS(X)                                                                          \
    X(dense, "stops at accesses to shared memory")                                             \
    X(delayed, "stores to shared memory that others see later")                                \
    X(steps, "nodes that are stopped, paused and killed at any load or store")
#else
#define PLAN_STEPS(X)
#endif

/* X(name, the effect) */
#define PLAN_FEATURES(X)                                                                       \
    X(bursts, "sends without a wait between them")                                             \
    X(flushes, "flushes")                                                                      \
    X(calls, "calls that wait")                                                                \
    X(started, "calls that are started")                                                       \
    X(large, "payloads of 3 to 300 KiB")                                                       \
    X(closes, "endpoints closed and connected again")                                          \
    X(prepares, "functions prepared")                                                          \
    X(slow_code, "functions that are not loaded at once")                                      \
    X(small_rings, "rings of 4 KiB")                                                           \
    X(cuts, "hosts that do not reach others for a while")                                      \
    X(pauses, "nodes that stop for a while")                                                   \
    X(kills, "nodes that are killed")                                                          \
    X(restarts, "killed nodes that start again")                                               \
    X(partial, "reads and writes of fewer bytes")                                              \
    X(interrupts, "system calls that take long")                                               \
    X(far, "a network of milliseconds")                                                        \
    X(shared, "rings in shared memory, on one host")                                           \
    X(adaptive, "waits that yield first")                                                      \
    X(detached, "calls that are answered while a later message runs")                          \
    X(parts, "sends in parts that end later")                                                  \
    X(events, "a callback for the events of endpoints")                                        \
    X(finishes, "endpoints and contexts ended with a count of what is lost")                   \
    X(evictions, "memory for the code of four functions, beside those that wait")              \
    X(few_functions, "contexts that hold six functions, and open four of eight")               \
    X(quotas, "quotas of functions, of messages in a second and of bytes")                     \
    X(served, "contexts that a thread serves, and a second thread that uses them")             \
    X(forwards, "calls in a group that a member forwards to another")                          \
    X(long_sleeps, "sleeps that only an event ends")                                           \
    X(local, "messages of a group's member to itself")                                         \
    X(members, "messages to members of a group, and calls of all members")                     \
    X(barriers, "barriers of a group of all nodes")                                            \
    X(injected, "messages that bring their code along")                                        \
    X(libraries, "libraries pushed and withdrawn, and functions that use them")                \
    X(ucx_am, "UCX, and messages by its active messages")                                      \
    X(ucx_put, "UCX, and messages by its puts; with ucx_am each peer as it suits")             \
    X(contexts, "second contexts in some nodes, which end early or open again")                \
    X(keys, "connections with a key, and a node that has another key or no key")               \
    X(old_peers, "nodes that release 0.1.0 runs; not in worlds with keys")                     \
    PLAN_STEPS(X)                                                                              \
    X(windows, "windows that peers open for each other, and operations on them")               \
    X(tasks, "functions that wait: they sleep, call back, and use windows of their senders")

typedef enum plan_feature {
#define PLAN_ENUM(name, effect) PLAN_##name,
    PLAN_FEATURES(PLAN_ENUM)
#undef PLAN_ENUM
        PLAN_FEATURE_COUNT
} plan_feature;

typedef struct plan {
    uint64_t seed;
    unsigned nodes;
    unsigned hosts;
    unsigned actions;  /* of each node */
    unsigned faults;   /* of the world */
    uint64_t features; /* plan_bit of each */
    uint64_t fail_at;  /* tc_sim_params.fail_at */
} plan;

plan plan_of(uint64_t seed);
const char *plan_feature_name(plan_feature feature);
/* Prints the arguments that give a plan again. */
void plan_print(const plan *p);

static inline uint64_t plan_bit(plan_feature feature)
{
    return (uint64_t)1 << feature;
}

static inline bool plan_has(const plan *p, plan_feature feature)
{
    return (p->features & plan_bit(feature)) != 0;
}

/* Returns whether nodes are stopped and killed at any load or store. */
static inline bool plan_has_steps(const plan *p)
{
#ifdef TC_SIM_STEPS
    return plan_has(p, PLAN_steps);
#else
    (void)p;
    return false;
#endif
}

/* Returns the kinds that are in no world with UCX or with steps. */
static inline uint64_t plan_alone(void)
{
    return plan_bit(PLAN_contexts) | plan_bit(PLAN_keys) | plan_bit(PLAN_old_peers);
}

/* Returns those kinds and the kinds with UCX: they are in no world with steps. */
static inline uint64_t plan_without_steps(void)
{
    return plan_bit(PLAN_ucx_am) | plan_bit(PLAN_ucx_put) | plan_alone();
}

/* Returns whether contexts have UCX. */
static inline bool plan_has_ucx(const plan *p)
{
    return plan_has(p, PLAN_ucx_am) || plan_has(p, PLAN_ucx_put);
}

/* Returns the delivery that contexts ask for. */
const char *plan_delivery(const plan *p);

/* Returns one of 24 bits that the seed draws. */
static inline bool plan_draws(const plan *p, unsigned bit)
{
    return (p->seed * 0x9e3779b97f4a7c15u >> (40 + bit) & 1) != 0;
}

/* Returns how many of the last nodes run release 0.1.0. */
static inline unsigned plan_old_nodes(const plan *p)
{
    if (!plan_has(p, PLAN_old_peers) || plan_has(p, PLAN_keys) || plan_has_ucx(p))
        return 0;
    return p->nodes > 3 && plan_draws(p, 2 * PLAN_NODES_MAX + 3) ? 2 : 1;
}

static inline bool plan_is_old(const plan *p, unsigned node)
{
    return node < p->nodes && node >= p->nodes - plan_old_nodes(p);
}

/* Returns whether a node has a second context. */
static inline bool plan_has_second(const plan *p, unsigned node)
{
    return plan_has(p, PLAN_contexts) && (node == 0 || plan_draws(p, node)) &&
           !plan_is_old(p, node);
}

/* Returns whether the node's contexts share one thread: each is progressed while a call of the
 * other one blocks, some hundred times slower than by a thread of its own. */
static inline bool plan_has_one_thread(const plan *p, unsigned node)
{
    return plan_has_second(p, node) && !plan_has(p, PLAN_large) && !plan_has(p, PLAN_served) &&
           plan_draws(p, PLAN_NODES_MAX + node);
}

/* Returns whether a node has another key than the others, or no key. */
static inline bool plan_is_outsider(const plan *p, unsigned node)
{
    return plan_has(p, PLAN_keys) && p->nodes > 2 && node == p->nodes - 1 &&
           plan_draws(p, 2 * PLAN_NODES_MAX);
}

/* Returns how many nodes are members of the group: all but the last ones, an outsider or those
 * of release 0.1.0. */
static inline unsigned plan_members(const plan *p)
{
    return p->nodes - plan_is_outsider(p, p->nodes - 1) - plan_old_nodes(p);
}

/* Returns whether faults may end endpoints, or make calls late. */
static inline bool plan_is_disturbed(const plan *p)
{
    const uint64_t disturbing = plan_bit(PLAN_kills) | plan_bit(PLAN_cuts) |
                                plan_bit(PLAN_pauses) | plan_bit(PLAN_interrupts);
    return (p->features & disturbing) != 0 || p->fail_at != 0;
}

/* Returns whether targets may drop messages for functions that they refuse, and report that. */
static inline bool plan_may_refuse(const plan *p)
{
    return plan_has(p, PLAN_few_functions) || plan_has(p, PLAN_quotas) || p->fail_at != 0;
}

#endif
