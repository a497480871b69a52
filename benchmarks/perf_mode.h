/* A mode: one way to make a counter at the other process go up. Both processes hold a series
 * per mode and step through it together; the table's functions state the side that calls
 * them. */
#ifndef TC_PERF_MODE_H
#define TC_PERF_MODE_H

#include "ifunc_work.h"
#include "perf_options.h"
#include "perf_session.h"

#include <tc/ifunc.h>

typedef struct perf_mode perf_mode;
struct language;

/* One mode over one delivery. Each process has its own; nothing here is shared. */
typedef struct perf_series {
    const perf_mode *mode;
    const ifunc_work *work;          /* of the library's modes; the others only count */
    const struct language *language; /* of its function; NULL: C */
    const char *delivery_wanted;     /* NULL: the library's own choice */
    const perf_options *options;
    perf_session *session;
    struct target_log *log;    /* overhead: the target's log of times; or NULL */
    struct frame_place *place; /* tail: where frames lie when they are read; or NULL */
    uint64_t ring_bytes;       /* of both sides' contexts; 0: the library's own choice */
    uint64_t outstanding;      /* set by open of one with ring_bytes: messages that fit */
    void *state;               /* the mode's; NULL while closed */
    char delivery[16];         /* set by open: the one used */
    double frame_bytes;   /* per message as it travels; known at the latest after a rate run */
    size_t payload_bytes; /* the payload of a message in this mode */
    size_t payload_max;   /* set by open when it is below the payload: nothing is measured */
    unsigned endpoints;   /* of the modes of waiting: to the same target */
    bool is_left_out;     /* set by open: the mode has no figures for so many calls at once */
    uint64_t took_ns;     /* of the last rate run, by a mode with a clock of its own; or 0 */
} perf_series;

struct perf_mode {
    const char *name;
    bool has_deliveries; /* is the library's, which chooses between them */
    /* For those modes: the way to send, the form of the function (NULL: the library's own
     * choice), and whether the target has it already. */
    tc_status (*send)(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size);
    const char *form;
    bool is_local;
    bool is_unrun;        /* the target has an empty function */
    bool has_ranks;       /* processes of its own are measured, while source and target sleep */
    bool has_sleepers;    /* threads of its own that sleep take turns on the processors */
    const char *function; /* another than the experiment's, of tsi alone; NULL: the same */
    const char *beside;   /* call: another of the library's modes, for a ratio to it; or NULL */

    size_t state_bytes; /* of series->state, which is all zero before open */

    /* Both sides at once; they may talk over the session's link, and return when messages can
     * go both ways. On failure the mode has complained. */
    bool (*open)(perf_series *series);

    /* Source: `count` round trips, each started by the arrival of the one before. stamps[0] is
     * the time before the first, stamps[i] the time after the i-th; count + 1 entries. Target:
     * answers `count` times. */
    bool (*source_latency)(perf_series *series, uint64_t count, uint64_t *stamps);
    bool (*target_latency)(perf_series *series, uint64_t count);

    /* Source: sends `count` messages as fast as they go, and returns when nothing is left to do
     * for it. Target: calls perf_session_set_done when all have run. A target may stay in
     * either function until perf_session_has_ended. */
    bool (*source_rate)(perf_series *series, uint64_t count);
    bool (*target_rate)(perf_series *series, uint64_t count);

    /* Both sides at once; NULL: nothing to do. */
    void (*close)(perf_series *series);
    /* Frees the state's resources, after close or an open that failed; NULL: nothing. */
    void (*release)(perf_series *series);
};

extern const perf_mode perf_mode_bare;
extern const perf_mode perf_mode_am;
extern const perf_mode perf_mode_cached;
extern const perf_mode perf_mode_uncached;
extern const perf_mode perf_mode_image; /* cached, of that form */
extern const perf_mode perf_mode_bitcode;
extern const perf_mode perf_mode_inject;   /* code in every message, not kept */
extern const perf_mode perf_mode_local;    /* code of the target's own */
extern const perf_mode perf_mode_compat;   /* by the original's API */
extern const perf_mode perf_mode_aligned;  /* cached, of a function that asks for alignment */
extern const perf_mode perf_mode_readonly; /* cached, of one that asks for read-only payloads */
extern const perf_mode perf_mode_noexec;   /* delivered and credited, not run */
extern const perf_mode perf_mode_put;      /* plain UCX: a put with a polled last word */

/* The modes of the call experiment. Their source_latency does `count` calls, some at once, and
 * writes into `stamps` how many ticks each took, as they end. */
extern const perf_mode perf_mode_request_am;      /* plain UCX: a handler that sends a reply */
extern const perf_mode perf_mode_request_am_safe; /* the same as bulk_am_safe is */
extern const perf_mode perf_mode_get;             /* plain UCX: gets of eight bytes */
extern const perf_mode perf_mode_call;            /* tc_call */
extern const perf_mode perf_mode_start;           /* tc_call_start */
extern const perf_mode perf_mode_threaded;        /* tc_call_start of tsi_threaded */
extern const perf_mode perf_mode_task;            /* tc_call_start of tsi_task */
extern const perf_mode perf_mode_window;          /* tc_window_fetch_add */
extern const perf_mode perf_mode_window_start;    /* tc_window_fetch_add_start */
extern const perf_mode perf_mode_window_get;      /* tc_window_get_start, of eight bytes */
extern const perf_mode perf_mode_window_put;      /* tc_window_put_start, likewise */
extern const perf_mode perf_mode_atomic;          /* tc_call_start of tsi_atomic */
/* Blocking calls where there is one at once, else started ones; packed by hand. */
extern const perf_mode perf_mode_hand;         /* without arguments and result */
extern const perf_mode perf_mode_hand_word;    /* a word there, and one back */
extern const perf_mode perf_mode_hand_two;     /* two words there, and one back */
extern const perf_mode perf_mode_hand_doubles; /* 20 doubles both ways */

/* The modes of the bandwidth experiment. They have no latency functions. */
/* Plain UCX: puts into a buffer of the target's, each followed by a fence and a put that
 * reports it. */
extern const perf_mode perf_mode_bulk_put;
/* Plain UCX: active messages by whatever protocol UCX chooses for their size. */
extern const perf_mode perf_mode_bulk_am;
/* The same, of endpoints that notice a peer's death (UCP_ERR_HANDLING_MODE_PEER), as the
 * library's do. Over some transports UCX has fewer protocols for these. */
extern const perf_mode perf_mode_bulk_am_safe;
/* tc_send. */
extern const perf_mode perf_mode_bulk_cached;

#endif
