/* Two processes on one machine, the source and the target of a measurement, and their
 * connection: shared memory for the moments that are timed, and a socket pair for commands and
 * addresses.
 *
 * The target is forked before any library is initialised, so each process owns its libraries
 * from the start. Every wait has a deadline, and each side notices when the other is gone. */
#ifndef TC_PERF_SESSION_H
#define TC_PERF_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How long nothing at all may happen before a run is given up. */
#define PERF_SILENCE_NS (30ull * 1000000000ull)

#define PERF_ARENA_BYTES (1u << 20)

typedef enum perf_role { PERF_SOURCE, PERF_TARGET } perf_role;

/* One cache line per word, so that a wait on one is not disturbed by a store to another. */
typedef struct perf_control {
    _Alignas(64) _Atomic uint64_t ready;  /* the target has entered the step of this number */
    _Alignas(64) _Atomic uint64_t done;   /* the target has finished the step of this number */
    _Alignas(64) _Atomic uint64_t ended;  /* the source has nothing more to send in that step */
    _Alignas(64) _Atomic uint32_t failed; /* either side has given up */
    uint64_t target_waited_ns;            /* for a processor, so far: see interference.h */
    _Alignas(256) uint64_t ping;          /* of word_trips.h */
    _Alignas(256) uint64_t pong;
    _Alignas(4096) unsigned char arena[PERF_ARENA_BYTES]; /* for one mode's own use */
} perf_control;

typedef struct perf_session {
    perf_role role;
    int link_fd;      /* to the other process */
    int control_fd;   /* behind control: at a target that perf_session_start runs; or -1 */
    pid_t target_pid; /* at the source; 0 once it has been waited for */
    int cpus[2];      /* of source and target; -1: any */
    perf_control *control;
    uint64_t step;              /* counts commands, the same on both sides */
    uint64_t helpers_waited_ns; /* for a processor: processes that modes have started */
} perf_session;

typedef struct perf_command {
    uint32_t action; /* meaning given by the experiment; 0 ends the target */
    uint32_t series;
    uint64_t count;
} perf_command;

/* Runs in the target until the command to end. Returns false after a complaint. */
typedef bool (*perf_serve)(perf_session *session, void *experiment);

/* Forks the target. cpus[0] is for the source, cpus[1] for the target; -1, or no cpus at all,
 * leaves the choice to the system. Returns in the source only: the target runs serve and exits.
 * perf_session_end is owed on failure too. */
bool perf_session_start(perf_session *session, const int *cpus, perf_serve serve,
                        void *experiment);

/* The target's end, in a program that the source's child has become: by the descriptors that it
 * was given. False after a complaint. */
bool perf_session_adopt(perf_session *session, int link_fd, int control_fd);

/* Either process: its processor of both from now on, as above; threads that it starts later are
 * there, too. False after a complaint. */
bool perf_session_pin(perf_session *session, const int *cpus);

/* Sends the target the command to end, waits for it, and kills it by its id when it does not.
 * Returns whether it ended well. */
bool perf_session_end(perf_session *session);
/* The same of several; those that have failed share the time that one of them gets. */
bool perf_session_end_all(perf_session *sessions, unsigned count);

/* The other side's whole message, or false after a complaint. */
bool perf_session_send(perf_session *session, const void *bytes, size_t size);
bool perf_session_recv(perf_session *session, void *bytes, size_t capacity, size_t *size_out);

/* Source: starts one step at the target; perf_session_reply waits for its outcome. */
bool perf_session_command(perf_session *session, uint32_t action, uint32_t series,
                          uint64_t count);
bool perf_session_reply(perf_session *session);
/* Target: the counterparts. */
bool perf_session_next(perf_session *session, perf_command *command_out);
bool perf_session_answer(perf_session *session, bool ok);
/* Both, until the source reports that it is done: does one step per command. */
typedef bool (*perf_step)(void *experiment, const perf_command *command);
bool perf_session_serve(perf_session *session, perf_step step, void *experiment);

/* Target: stores that release its work; the source's waits below pair with them. */
void perf_session_set_ready(perf_session *session);
void perf_session_set_done(perf_session *session);
bool perf_session_await_ready(perf_session *session);
bool perf_session_await_done(perf_session *session);

/* Source: the release store; target: the load that pairs with it. */
void perf_session_set_ended(perf_session *session);
bool perf_session_has_ended(const perf_session *session);

/* For several sessions: returns whether one of them has failed, or its target has died; and
 * lets all fail, so that no process waits any longer for one that may never come. */
bool perf_session_any_failed(perf_session *sessions, unsigned count);
void perf_session_fail_all(perf_session *sessions, unsigned count);

/* One line on stderr, with the process's role in front; ends the other side's waits. Always
 * false. */
__attribute__((format(printf, 2, 3))) bool perf_session_complain(perf_session *session,
                                                                 const char *format, ...);

/* Returns whether either side has given up. */
bool perf_session_has_failed(const perf_session *session);

/* Source: whether the target has ended. */
bool perf_session_target_is_gone(const perf_session *session);

/* --- waiting in a loop for the other process ------------------------------------------- */

/* The state of one polling loop, at first {.session = it}. Every loop of every mode ends a turn
 * that found nothing with perf_poll_missed alone, so that all modes wait alike. */
typedef struct perf_poll {
    perf_session *session;
    uint64_t misses;
    uint64_t quiet_since_ns; /* 0 until the first rest */
} perf_poll;

/* Misses between two rests. Rare enough that no wait for a neighbouring processor ever rests: a
 * loop on one word of memory turns once per cycle. Where others keep the processor, a polling
 * process uses up its share of it, and the other side's messages wait for the next one: then
 * rests come soon, and are sleeps. */
#define PERF_MISSES_PER_REST 8192u
#define PERF_MISSES_PER_SLEEP 64u

extern unsigned perf_poll_misses_per_rest; /* one of both */

/* Gives the processor up for a moment and looks at the clock. False, after a complaint, when
 * the other side is gone or silent. */
bool perf_poll_rest(perf_poll *poll);

static inline bool perf_poll_missed(perf_poll *poll)
{
    return (++poll->misses & (perf_poll_misses_per_rest - 1)) != 0 || perf_poll_rest(poll);
}

/* Something came: the silence is over. Reads before it writes: a sender's stores leave its
 * processor in order, and each one more per message delays the message. */
static inline void perf_poll_hit(perf_poll *poll)
{
    if (poll->misses != 0) {
        poll->misses = 0;
        poll->quiet_since_ns = 0;
    }
}

#endif
