/* The experiment `tasks`: functions that wait. The source sends orders to tasks_wait
 * (ifuncs/tasks.h), the target measures how they begin, wait and go on, and both take turns
 * with the figures that those are compared with. */
#ifndef TC_PERF_TASKS_RUN_H
#define TC_PERF_TASKS_RUN_H

#include "ifunc_link.h"
#include "ifuncs/tasks.h"
#include "perf_options.h"
#include "perf_session.h"

/* Tasks of a context, and of calls that wait for an answer (tc/task.h, tc/call.h). */
#define TASKS_CONTEXT_MAX (1u << 20)
#define TASKS_CALLS_MAX (1u << 18)
/* An endpoint has three quarters of those that others leave: of four together. */
#define TASKS_ENDPOINTS_MAX 4u
#define TASKS_MAX (TASKS_CONTEXT_MAX / 256 * 255)
#define TASKS_FEW 64u

/* Deadlines lie so far apart. */
#define TASKS_SPACING_NS 100u

/* F(name, text, unit, order): in the order of the report. Order: '-' has none, 'o' by time of
 * creation, 'r' random. The tasks of each: tasks_run_count. */
#define TASKS_FIGURES(F)                                                                       \
    F(WORD, "word", "ns", '-')                                                                 \
    F(SWITCH, "switch", "ns", '-')                                                             \
    F(SWITCH_RETURN, "switch-return", "ns", '-')                                               \
    F(CALL, "call", "ns", '-')                                                                 \
    F(BEGIN, "begin", "ns", '-')                                                               \
    F(TURN, "turn", "ns", '-')                                                                 \
    F(SUSPEND_ONE, "suspend", "ns", '-')                                                       \
    F(SUSPEND_FEW, "suspend", "ns", 'o')                                                       \
    F(SUSPEND_ORDERED, "suspend", "ns", 'o')                                                   \
    F(SUSPEND_RANDOM, "suspend", "ns", 'r')                                                    \
    F(SLEEP_ORDERED, "wake-sleep", "ns", 'o')                                                  \
    F(SLEEP_RANDOM, "wake-sleep", "ns", 'r')                                                   \
    F(ANSWER_ORDERED, "wake-answer", "ns", 'o')                                                \
    F(ANSWER_RANDOM, "wake-answer", "ns", 'r')                                                 \
    F(CREATE_SLEEP, "create-sleep", "ns", '-')                                                 \
    F(CREATE_CALL, "create-call", "ns", '-')                                                   \
    F(RESIDENT_SLEEP, "resident-sleep", "bytes", '-')                                          \
    F(ALLOCATED_SLEEP, "allocated-sleep", "bytes", '-')                                        \
    F(RESIDENT_CALL, "resident-call", "bytes", '-')                                            \
    F(ALLOCATED_CALL, "allocated-call", "bytes", '-')                                          \
    F(RATE_QUIET, "rate", "rate_per_s", '-')                                                   \
    F(RATE_WAITING, "rate", "rate_per_s", 'o')

#define TASKS_FIGURE_NAME(name, text, unit, order) TASKS_##name,
typedef enum tasks_figure { TASKS_FIGURES(TASKS_FIGURE_NAME) TASKS_FIGURE_COUNT } tasks_figure;

typedef struct tasks_run {
    const perf_options *options;
    perf_session *session;
    ifunc_link link;     /* of tsi */
    tc_ifunc *begin;     /* source */
    tc_ifunc *wait;      /* both */
    tasks_target target; /* the functions' */
    uint64_t tasks;      /* that wait at once, now */
    char delivery[16];
    /* Source. */
    tc_ep *peers[TASKS_ENDPOINTS_MAX]; /* the first is the link's */
    unsigned peer_count;
    uint32_t *order;   /* of options->iterations numbers */
    uint64_t random;   /* state of the generator of orders */
    uint64_t patience; /* factor of the time before the first deadline */
    double create_ns;  /* the longest that one of many tasks took */
    uint64_t last_ns;  /* the last deadline */
    uint64_t rate_count;
    double *samples[TASKS_FIGURE_COUNT]; /* by round */
    unsigned round;
} tasks_run;

enum {
    TASKS_ACTION_WORD = 1, /* answers `count` words of shared memory */
    TASKS_ACTION_SERVE,    /* until the source has ended the step */
    TASKS_ACTION_ONE,      /* tasks_one: `count` of each */
    TASKS_ACTION_FILL,     /* tasks_filled: as serve; `count` tasks will wait */
    TASKS_ACTION_WAKE,     /* tasks_woken: by deadlines, `count` is the last */
    TASKS_ACTION_ANSWER,   /* tasks_woken: by the source's answers */
    TASKS_ACTION_CLOSE
};

typedef struct tasks_one {
    double switch_ns, switch_return_ns; /* there and back */
    double call_ns, begin_ns, turn_ns;
} tasks_one;

/* The target's memory; allocated_bytes: 0 where the allocator does not count. */
typedef struct tasks_filled {
    uint64_t waiting;
    uint64_t woken; /* too early */
    uint64_t resident_bytes;
    uint64_t allocated_bytes;
} tasks_filled;

typedef struct tasks_woken {
    bool is_early; /* tasks went on before the last deadline: no figures */
    double wake_ns, suspend_ns;
} tasks_woken;

/* Turns that each of so many tasks lets others run. */
static inline uint32_t tasks_run_turns(uint64_t tasks)
{
    return tasks >= 5000 ? 4 : (uint32_t)(20000 / tasks);
}

/* Tasks that a figure is of. */
uint64_t tasks_run_count(const tasks_run *run, tasks_figure figure);

/* The target's end of the session: perf_serve. */
bool tasks_target_serve(perf_session *session, void *experiment);
/* Both. */
bool tasks_target_open(tasks_run *run);
void tasks_target_close(tasks_run *run);
/* Both: a turn of tc_progress in a loop that waits. False after a complaint. */
bool tasks_target_progress(tasks_run *run, perf_poll *poll, bool has_happened);

/* Sorts the samples. */
bool tasks_report_write(tasks_run *run);

#endif
