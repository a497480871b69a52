/* The state of a rank's active messages. Each file names the members that it changes. */
#ifndef TCA_AM_STATE_H
#define TCA_AM_STATE_H

#include "am_header.h"
#include "am_plan.h"
#include "am_stage.h"
#include "am_tally.h"

#include <tc/am_entry.h>
#include <tc/task_sync.h>
#include <tc/window_view.h>

#define TCA_MESSAGES_MAX 65536u /* under way or waiting for credit, of a rank */
#define TCA_WINDOWS_MAX 4096u
#define TCA_UNITS_MAX 1024u    /* under way to one rank */
#define TCA_SMALL_OUTPUT 2048u /* bytes; a larger one is written to memory of the reply */

struct tca_message;
struct tca_staged;

/* A rank, as one that units are sent to: am_units. */
typedef struct tca_peer {
    struct tca_message *first; /* wait for credit; bound: TCA_MESSAGES_MAX */
    struct tca_message **last; /* NULL: until one waits */
    uint64_t bytes;            /* of units under way */
    uint32_t unit_bytes;       /* am_peer */
    uint32_t credit_bytes;     /* am_peer */
    bool is_learned;           /* both are those of its delivery */
    uint32_t units;            /* under way */
    bool is_pumped;            /* its queue is being gone through */
    struct tca_staged *staged; /* segments that go through attached memory: am_staged */
} tca_peer;

/* Counted units, and active messages that ended with them. */
typedef struct tca_counted {
    uint64_t bytes;      /* of the credit */
    uint64_t timeout_ns; /* the longest of theirs; 0: the option call_timeout */
    uint32_t units;
    uint32_t messages;
} tca_counted;

/* A rank's part of a window: am_windows; under_way: am_units; open, is_marking: am_marks. */
typedef struct tca_remote {
    tc_gptr pointer;
    uint64_t bytes;
    const tc_window_view *view;   /* NULL: not mapped */
    uint32_t under_way;           /* active messages of this rank */
    tca_counted open;             /* no mark was sent for them yet */
    struct tca_remote *next_open; /* bound: one for each window and rank */
    tc_am_window *window;         /* this entry's, when it is in that list */
    uint32_t rank;                /* likewise */
    bool is_open;                 /* it is in the list */
    bool is_unsure;               /* the target may have counted units of a mark that failed */
    bool is_marking;              /* a mark is under way */
    bool is_known;                /* pointer, bytes and is_shared are right */
    bool is_shared;
    bool is_unmappable;
} tca_remote;

struct tc_am_window {
    tc_ams *ams;
    uint16_t number; /* the same at all ranks */
    bool is_concurrent;
    bool is_shared;
    uint32_t unordered;
    void *memory;
    uint64_t bytes;
    tc_gptr pointer;     /* zeroed without memory */
    tca_remote *remotes; /* one for each rank */
    tca_tally tally;     /* of counted units of others */
    tca_stage *stage;    /* NULL: no memory was attached yet */
    uint32_t under_way;  /* active messages of this rank: am_units */
    tc_status failure;   /* the first of one without request and `done` */
    char failure_text[TC_AM_TEXT_MAX];
};

struct tc_am_op {
    tc_ams *ams;
    tc_ifunc *fn;            /* NULL: registered */
    tc_am_function function; /* NULL: this rank has no code of its own */
    uint32_t word;           /* of headers */
    uint32_t under_way;      /* active messages of this rank: am_units */
    char name[TC_AM_NAME_MAX];
    char signature[TC_AM_SIGNATURE_MAX];
};

/* A function of this rank that waits (am_waits). Memory of its own, as its stack is not there
 * meanwhile. */
typedef struct tca_waiter {
    struct tca_waiter *next; /* bound: that of tasks of a context */
    tc_task_semaphore semaphore;
} tca_waiter;

/* Copies a text as far as it fits. */
static inline void tca_text_copy(char text_out[TC_AM_TEXT_MAX], const char *text)
{
    const size_t length = strlen(text);
    const size_t size = length < TC_AM_TEXT_MAX ? length : TC_AM_TEXT_MAX - 1;
    memcpy(text_out, text, size);
    text_out[size] = '\0';
}

struct tc_ams {
    tc_context *context;
    tc_group *group;
    uint32_t rank, ranks;
    uint32_t unit_bytes, credit_bytes; /* 0: those of am_peer */
    tc_ifunc *runtime;                 /* the library's own function */
    tc_am_node node;

    tc_am_op *ops[TC_AM_OPS_MAX]; /* by number; am_ops */
    uint32_t op_count;            /* numbers that were given */
    tc_am_window *windows[TCA_WINDOWS_MAX];

    tca_peer *peers;
    struct tca_message *free_messages;
    struct tca_unit *free_units;
    uint32_t under_way; /* active messages that have not ended */
    uint32_t waiting;   /* in the queues of all ranks, and segments on their way (am_staged) */
    struct tca_remote *open_remotes; /* with counted units that no mark covers: am_marks */
    uint32_t callbacks;              /* of the program, that run */
    uint8_t *payload; /* a unit as it is sent; valid until the next one is made */
    tca_waiter *waiters;

    /* The unit that runs for a message: am_target. */
    bool is_running;
    tca_arrival arrival;
    uint8_t *spread_input; /* TC_AM_UNIT_BYTES_MAX bytes; NULL: not needed yet */
    uint8_t *spread_output;
    uint64_t small_output[TCA_SMALL_OUTPUT / 8];

    tc_am_counts counts;
};

#endif
