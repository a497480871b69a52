/* A world in one process: nodes of a distributed program under simulated time, network and
 * failures, repeatable from a seed. libtchains-sim has it: test programs link with that instead
 * of libtchains, as it has the whole library.
 *
 * A node is a function that acts as a program of its own: it makes a context, listens,
 * connects, calls. All nodes run in the thread that calls tc_sim_run_until, one at a time. Each
 * runs until it waits, and time passes only meanwhile. The library's system calls (clock,
 * sockets, shared memory, random numbers, memory) are those of the world, and so are those of
 * the program where it is linked with the options of libtchains-sim (-Wl,--wrap=NAME): a node
 * that reads the clock or sleeps gets simulated time.
 *
 * Functions that nodes send run by name: a node that receives the archive of `count` runs the
 * function that tc_sim_function bound to "count". No compiler takes part.
 *
 * A node must not sleep or wait in real time: by a file or terminal that is slow, another
 * thread, a system call that is not simulated. tc_sim_run_until reports that it did. A node
 * that runs for ever without any call ends the process: a line on stderr names it, then abort()
 * is called. A timer and the signal SIGVTALRM are used for that.
 *
 * The deliveries of a world are `direct` within a host, `stream`, and those of a simulated UCX,
 * `am` and `put`. A context has UCX if its options need it, or tc_sim_params.ucx is set.
 * Messages of UCX keep their order. Puts to another host arrive in pieces, in any order but
 * for fences and flushes, and before the messages that are sent later. An endpoint of UCX fails
 * when its peer on another host ends, or is cut off for tc_sim_params.connection_ns.
 *
 * Memory that a node allocates is the node's, and goes when it is killed. State of the test
 * itself lies in static variables, or is allocated before the world runs.
 *
 * A world is used by one thread. A zeroed tc_sim_params is valid. */
#ifndef TC_SIM_H
#define TC_SIM_H

#include <tc/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when the same seed stands for another run: seeds of another version are refused. */
#define TC_SIM_VERSION 5u

typedef struct tc_sim_world tc_sim_world;
typedef struct tc_sim_node tc_sim_node;

/* Zero stands for the default of each member. Times are nanoseconds. */
typedef struct tc_sim_params {
    uint64_t seed;
    uint64_t delay_ns;      /* one way, between hosts; default 20 us */
    uint64_t host_delay_ns; /* within a host; default 2 us */
    uint64_t jitter_ns;     /* at most, added to each; default 5 us */
    uint64_t bytes_per_us;  /* of a connection; default 1000 */
    uint32_t window_bytes;  /* under way in a connection; default 65536 */
    /* Reads and writes of fewer bytes than asked for; system calls that take long. */
    uint32_t cut_per_million;
    uint32_t interrupt_per_million;
    uint64_t interrupt_ns; /* how long at most; default 100 us */
    /* The call that fails, counted from 1: memory, descriptors, reads, writes, ...; 0: every
     * call may succeed. */
    uint64_t fail_at;
    size_t stack_bytes;     /* of a node; default 256 KiB */
    uint64_t connection_ns; /* silence after which a connection is lost; default 30 s */
    /* Real time that a node may sleep or wait at a time, by calls that are not simulated;
     * default 100 ms. A debugger's stops count: UINT64_MAX there. */
    uint64_t real_wait_ns;
    /* Processor time that a node may run without a wait; default 10 s. UINT64_MAX: any. */
    uint64_t spin_ns;
    /* Called with each event as a line of text: time, "node N" or "world", a word, the rest;
     * NULL: never. scripts/sim-chart.py draws a sequence chart from these lines. */
    void (*trace)(void *user, const char *line);
    /* Called after each event, while no node runs: for invariants that concern several nodes.
     * NULL: never. */
    void (*after_event)(void *user);
    void *user; /* passed to both */
    /* All contexts have UCX. False: a context has it if its options need it (delivery=am,
     * delivery=put, network=yes). */
    bool ucx;
} tc_sim_params;

/* Makes a world without nodes.
 *
 *   params       copied
 *   params_size  bytes of *params
 *
 *   TC_E_INVALID    params_size is not the size that this library knows
 *   TC_E_UNSUPPORTED  params->ucx, and tc_sim_has_ucx() is false
 *   TC_E_NO_MEMORY  out of memory */
TC_MUST_CHECK tc_status tc_sim_world_create_sized(const tc_sim_params *params,
                                                  size_t params_size, tc_sim_world **world_out,
                                                  tc_error *err);

/* Does the same with the size of the params that the program was compiled with.
 *
 *   as tc_sim_world_create_sized  the statuses */
TC_MUST_CHECK static inline tc_status
tc_sim_world_create(const tc_sim_params *params, tc_sim_world **world_out, tc_error *err)
{
    return tc_sim_world_create_sized(params, sizeof *params, world_out, err);
}

/* Returns whether contexts in worlds can have UCX: the library was built with its headers. */
bool tc_sim_has_ucx(void);

/* Kills the nodes that still run, and frees all. NULL is allowed. */
void tc_sim_world_destroy(tc_sim_world *world);

/* Adds a node. main(node, argument) begins at once in simulated time, when the world runs. The
 * node lives as long as the world.
 *
 *   host      its host, numbered from 0, at most 16777215; nodes of one host share memory
 *   argument  passed to main; not read otherwise
 *
 *   TC_E_NO_MEMORY  out of memory */
TC_MUST_CHECK tc_status tc_sim_node_create(tc_sim_world *world, unsigned host,
                                           void (*main)(tc_sim_node *node, void *argument),
                                           void *argument, tc_sim_node **node_out,
                                           tc_error *err);

/* Starts a node again, with the same main, after that has returned or the node was killed.
 *
 *   TC_E_BUSY       it runs
 *   TC_E_NO_MEMORY  out of memory */
TC_MUST_CHECK tc_status tc_sim_node_restart(tc_sim_node *node, tc_error *err);

/* Kills a node: its connections are reset and its memory is freed. Does nothing to a node that
 * has ended, nor to the one that calls. */
void tc_sim_node_kill(tc_sim_node *node);

/* Stops a node for so long; its connections stay. */
void tc_sim_node_pause(tc_sim_node *node, uint64_t ns);

/* Returns whether main has not returned yet, and the node was not killed. */
bool tc_sim_node_is_running(const tc_sim_node *node);

#define TC_SIM_ADDRESS_BYTES 24

/* Writes "10.0.0.3:7000": the address of the node's host, for listeners and for peers. Returns
 * text. */
const char *tc_sim_address(const tc_sim_node *node, uint16_t port,
                           char text[TC_SIM_ADDRESS_BYTES]);

/* Returns the world of a node. */
tc_sim_world *tc_sim_node_world(const tc_sim_node *node);

/* Returns the argument given to tc_sim_node_create. */
void *tc_sim_node_argument(const tc_sim_node *node);

/* Returns the node that runs now, or NULL. */
tc_sim_node *tc_sim_self(void);

/* Cuts or joins the network between two hosts, in one direction. Bytes that are sent meanwhile
 * arrive after it is joined, unless the connection was lost by then.
 *
 *   cut  true: cut; false: joined
 *
 *   TC_E_NO_MEMORY  out of memory */
TC_MUST_CHECK tc_status tc_sim_cut(tc_sim_world *world, unsigned from_host, unsigned to_host,
                                   bool cut, tc_error *err);

/* Joins all hosts again. */
void tc_sim_heal(tc_sim_world *world);

/* Runs events until the world's time is `until_ns`, or all have run. Not from inside a node.
 *
 *   TC_OK           no event is left: every node has ended, or waits without a deadline for
 *                   something that nothing will do
 *   TC_E_TIMEOUT    that is the time now, and there are events after it
 *   TC_E_INVALID    a node never waits, and has read its clock 4 million times; or it slept or
 *                   waited in real time (tc_sim_params.real_wait_ns); final
 *   TC_E_NO_MEMORY  out of memory; final */
TC_MUST_CHECK tc_status tc_sim_run_until(tc_sim_world *world, uint64_t until_ns, tc_error *err);

/* Returns the world's time; in a node its own clock, which is ahead by the time that the node
 * has worked. */
uint64_t tc_sim_now_ns(const tc_sim_world *world);

/* Waits for so long, in a node. */
void tc_sim_sleep(uint64_t ns);

/* Returns a random number of the world. */
uint64_t tc_sim_random(tc_sim_world *world);

/* Adds a line to the trace, from the running node or the world; does nothing where no trace is
 * asked for. A sequence chart has an arrow from "sends KEY ..." to "runs KEY ..." with the same
 * KEY, a word. Lines do not change the hash. */
void tc_sim_note(const char *format, ...) TC_PRINTF(1, 2);

#define TC_SIM_SEED_BYTES 32

/* Writes "2:7": a seed with the version of the simulator, for reports. Returns text. */
const char *tc_sim_seed_text(uint64_t seed, char text[TC_SIM_SEED_BYTES]);

/* Reads a seed from such a text, or from a decimal number alone: a seed of this version.
 *
 *   seed_out  set on TC_OK only
 *
 *   TC_E_INVALID  the text is neither
 *   TC_E_VERSION  it is of another version; the text names both */
TC_MUST_CHECK tc_status tc_sim_seed_parse(const char *text, uint64_t *seed_out, tc_error *err);

/* Returns the number of events that have run. */
uint64_t tc_sim_events(const tc_sim_world *world);

/* Returns a hash of all that has happened: equal for equal runs, on every architecture. */
uint64_t tc_sim_hash(const tc_sim_world *world);

/* Returns how many calls so far tc_sim_params.fail_at counts. */
uint64_t tc_sim_failable(const tc_sim_world *world);

/* Returns the bytes of memory that a node has now; after its main has returned, those that were
 * left then.
 *
 *   descriptors_out  how many descriptors; NULL is allowed */
size_t tc_sim_node_memory(const tc_sim_node *node, unsigned *descriptors_out);

/* Binds a C function to the name of archives, for the process: nodes that receive such an
 * archive run this function.
 *
 *   TC_E_INVALID  a name of more than 63 bytes, or more than 256 names */
TC_MUST_CHECK tc_status tc_sim_function(const char *name,
                                        void (*main)(void *payload, size_t size,
                                                     void *target_args),
                                        tc_error *err);

#ifdef __cplusplus
}
#endif

#endif
