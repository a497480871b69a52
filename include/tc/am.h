/* Generalized active messages: an operation runs on the memory of a rank, with input from the
 * rank that asks and output back to it, in segments that are worked on while others travel.
 * libtchains-am has these functions: programs that use them link it beside the library
 * (pkg-config tchains-am, CMake tchains::tchains-am). After "MPI-Interoperable Generalized
 * Active Messages" (Zhao, Balaji, Gropp, Thakur), sections IV.A to IV.E; no MPI is needed.
 *
 *   rank 0                                     rank 2
 *   tc_am(window, 2, sum, &params)             sum runs on the memory of rank 2's window, for
 *     input: 100 segments of 400 bytes  ---->  some segments at a time
 *     output: 100 segments of 400 bytes <----
 *
 * A window is memory of each rank of a group. An operation is a function with three buffers:
 * input and output, which are there for that run alone, and a range of the window, which stays.
 * It is registered at all ranks, or travels as any function does (<tc/am_entry.h>).
 *
 * Every rank opens its tc_ams, registers operations and opens windows in the same order. It
 * serves active messages while it progresses its context.
 *
 * Units. An active message has segments. Messages carry some of them each, a unit; the function
 * runs once for each unit. A unit's output is accounted for at the origin before the unit is
 * sent, so a target never waits before it can answer, also when two ranks send to each other.
 * Units without output of active messages that end by a flush are only counted: the target
 * answers for many of them at once.
 *
 * Larger segments go through memory that the target has attached to its window. It is shared by
 * all origins: one reserves a part, puts the input there, has the operation run, and gets the
 * output. A part that is reserved comes back after 30 seconds, whatever became of the origin.
 *
 * Order. Active messages of one rank to another one take effect in the order in which they were
 * started, and so do the segments of each. A window may give that up (tc_am_window_params).
 * Those of different ranks, and operations of <tc/window.h>, have no order: wait between them.
 *
 * Concurrency. A target runs one unit at a time. If a window is concurrent and its memory is
 * shared, ranks on the same host and of the same user run an operation that they know
 * themselves, on the memory that they have mapped. The result does not depend on where it ran,
 * if the operation keeps to atomic accesses or to ranges that no other one changes. One of a
 * rank to itself runs at once.
 *
 * Memory. The stores of a unit are seen by units that run after it, and after its completion: a
 * fence comes before and after each run. Units that run at the same time, and other operations
 * on the same bytes, have no order; reads alone have no conflict.
 *
 * Failures. Units that ran stay done. When a unit fails, those that were not sent are dropped,
 * and the outcome has the number of segments that succeeded. Besides the statuses of tc_call an
 * active message ends with
 *
 *   TC_E_INVALID      the range is outside the window, or a size or layout is malformed
 *   TC_E_NOT_FOUND    that rank has no such window, or no such operation
 *   TC_E_VERSION      that rank has registered another operation there, or has another version
 *                     of this library; the text has both
 *   TC_E_TOO_LARGE    a segment is larger than TC_AM_UNIT_BYTES_MAX and than all memory that is
 *                     attached there; nothing was sent
 *   TC_E_REFUSED      the message came from outside the group
 *   TC_E_CORRUPT      the answer has another size
 *   and the status that the operation gave tc_am_fail
 *
 * Trust. The ranks of a group trust each other. A message that is malformed ends with a status
 * and runs nothing; an operation gets no memory outside the range that was checked, but its
 * code can do what any function of that process can.
 *
 * All objects belong to the thread of the context, or to the holder of its lock
 * (<tc/thread.h>). */
#ifndef TC_AM_H
#define TC_AM_H

#include <tc/am_op.h>
#include <tc/group.h>
#include <tc/window.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_am_window tc_am_window;

#define TC_AM_UNIT_BYTES_MAX (256u << 10) /* input of a unit, and its output */
#define TC_AM_SEGMENT_BYTES_MAX                                                                \
    (1u << 30)                /* input of a segment, and its output, by attached memory */
#define TC_AM_BUFFERS_MAX 16u /* attached to one window at a rank */
#define TC_AM_CREDIT_BYTES_MAX (64u << 20) /* of tc_ams_params.credit_bytes */
#define TC_AM_BLOCKS_MAX 256u              /* of a layout at the target */

/* --- the runtime of a rank ---------------------------------------------------------------- */

/* A zeroed struct with a group is valid. The credit must not exceed the option send_queue_bytes
 * of any rank. Ranks that share no memory with this one are far. */
typedef struct tc_ams_params {
    tc_group *group;       /* of the context; it must stay until tc_ams_close */
    uint32_t unit_bytes;   /* of input and output of a unit; 0: 8,192, far 32,768 */
    uint32_t credit_bytes; /* under way to one rank; 0: 65,536, far 262,144 */
} tc_ams_params;

/* Implements tc_ams_open; takes the size of the caller's tc_ams_params.
 *
 *   as tc_ams_open */
TC_MUST_CHECK TC_API tc_status tc_ams_open_sized(tc_context *ctx, const tc_ams_params *params,
                                                 size_t params_size, tc_ams **ams_out,
                                                 tc_error *err);

/* Makes this rank one that has active messages. A context has one tc_ams at a time. Does not
 * block: the ranks meet at a tc_group_barrier, or when they open a window.
 *
 *   params            copied
 *   ams_out           owned by the caller; see tc_ams_close
 *
 *   TC_OK             operations can be registered, windows opened
 *   TC_E_INVALID      there is no group, or it is of another context; a limit is above that of
 *                     this header; or the context has active messages already
 *   TC_E_UNSUPPORTED  params has a field that this library does not know
 *   TC_E_REFUSED      the option require_signature is `all`
 *   TC_E_NO_MEMORY    an allocation failed
 *   as tc_context_publish */
TC_MUST_CHECK static inline tc_status tc_ams_open(tc_context *ctx, const tc_ams_params *params,
                                                  tc_ams **ams_out, tc_error *err)
{
    return tc_ams_open_sized(ctx, params, sizeof *params, ams_out, err);
}

/* Frees operations and windows without meeting the other ranks: their later messages to this
 * one end with TC_E_UNSUPPORTED. Before tc_group_destroy and tc_context_destroy. NULL is
 * allowed.
 *
 *   TC_OK      ams is freed
 *   TC_E_BUSY  active messages of this rank are under way, or one runs; nothing was done */
TC_MUST_CHECK TC_API tc_status tc_ams_close(tc_ams *ams);

/* --- windows ------------------------------------------------------------------------------ */

/* Orders that a window gives up, for active messages of one rank to another one. One that waits
 * for credit is then overtaken, by 64 others at most. */
#define TC_AM_UNORDERED_SAME_OP 1u  /* of the same operation */
#define TC_AM_UNORDERED_OTHER_OP 2u /* of different operations */
#define TC_AM_UNORDERED_SEGMENTS 4u /* of one: all units are sent, also when one has failed */

/* A zeroed struct is valid: a rank without memory. `unordered` and `concurrent` are this rank's
 * as an origin. */
typedef struct tc_am_window_params {
    void *memory;        /* the caller's; it must stay until the window is closed */
    uint64_t bytes;      /* at memory; 0: no range but the empty one is valid at this rank */
    uint32_t shared;     /* 1: zeroed memory of the library's, which others may map */
    uint32_t unordered;  /* TC_AM_UNORDERED_ bits */
    uint32_t concurrent; /* as tc_am_window_set_concurrent */
} tc_am_window_params;

/* Implements tc_am_window_open; takes the size of the caller's tc_am_window_params.
 *
 *   as tc_am_window_open */
TC_MUST_CHECK TC_API tc_status tc_am_window_open_sized(tc_ams *ams,
                                                       const tc_am_window_params *params,
                                                       size_t params_size, uint64_t timeout_ns,
                                                       tc_am_window **window_out,
                                                       tc_error *err);

/* Opens a window: every rank of the group calls it, in one order for all windows. Blocks until
 * all have done so. Its members may use the memory by <tc/window.h>, too.
 *
 *   params          copied
 *   timeout_ns      for the others to come; 0: one minute
 *   window_out      owned by ams; see tc_am_window_close
 *
 *   TC_OK           active messages may use the windows of all ranks
 *   TC_E_TIMEOUT    a rank did not come; the window is closed again, and the ranks do not agree
 *                   about windows any more: close the tc_ams
 *   as tc_window_open
 *   as tc_group_barrier */
TC_MUST_CHECK static inline tc_status
tc_am_window_open(tc_ams *ams, const tc_am_window_params *params, uint64_t timeout_ns,
                  tc_am_window **window_out, tc_error *err)
{
    return tc_am_window_open_sized(ams, params, sizeof *params, timeout_ns, window_out, err);
}

/* Closes a window: every rank calls it. Waits for this rank's active messages, then for the
 * other ranks. NULL is allowed.
 *
 *   timeout_ns      for each of both; 0: one minute
 *
 *   TC_OK           no rank uses it any more
 *   TC_E_BUSY       called from inside an ifunc or a callback; nothing was done
 *   TC_E_TIMEOUT    this rank's active messages are still under way, and nothing was done; or,
 *                   as in all cases below, it is closed at this rank
 *   as tc_am_flush
 *   as tc_group_barrier */
TC_API tc_status tc_am_window_close(tc_am_window *window, uint64_t timeout_ns, tc_error *err);

/* This rank's memory, and its bytes. */
TC_API void *tc_am_window_memory(const tc_am_window *window);
TC_API uint64_t tc_am_window_bytes(const tc_am_window *window);

/* Gives memory for segments of input and output that are larger than TC_AM_UNIT_BYTES_MAX: as
 * many bytes as both have, each as a multiple of 64. All ranks of the group may write to it.
 *
 *   memory          the caller's; it must stay until it is detached, or the window closed
 *
 *   TC_OK           segments of other ranks, and of this one, may use it
 *   TC_E_INVALID    memory is NULL, not at a multiple of 8, or bytes is 0
 *   TC_E_TOO_LARGE  TC_AM_BUFFERS_MAX are attached
 *   as tc_window_open */
TC_MUST_CHECK TC_API tc_status tc_am_window_attach(tc_am_window *window, void *memory,
                                                   uint64_t bytes, tc_error *err);

/* Takes it back.
 *
 *   TC_OK           no rank uses it any more
 *   TC_E_NOT_FOUND  it is not attached
 *   TC_E_BUSY       a part of it is reserved: progress, then retry */
TC_MUST_CHECK TC_API tc_status tc_am_window_detach(tc_am_window *window, void *memory);

/* Returns the pointer to a rank's window for <tc/window.h>. Asks that rank once; blocks then.
 *
 *   pointer_out     may be NULL, like bytes_out. A rank without memory: zeroed, and 0
 *
 *   TC_E_NOT_FOUND  there is no such rank, or it has closed the window
 *   TC_E_CORRUPT    its answer is malformed
 *   as tc_call */
TC_MUST_CHECK TC_API tc_status tc_am_window_find(tc_am_window *window, uint32_t rank,
                                                 tc_gptr *pointer_out, uint64_t *bytes_out,
                                                 uint64_t timeout_ns, tc_error *err);

/* States whether this rank's active messages may run beside others on the same memory, from the
 * next one on. Flush before it is taken back.
 *
 *   concurrent  0: one after the other, at the target. 1: where they can, at this rank */
TC_API void tc_am_window_set_concurrent(tc_am_window *window, int concurrent);

/* --- active messages ---------------------------------------------------------------------- */

typedef struct tc_am_block {
    uint64_t offset; /* from the beginning of the segment */
    uint64_t bytes;
} tc_am_block;

/* How a segment lies in memory. {.bytes = n} are n bytes in one piece, one segment behind the
 * other. Otherwise it has `count` blocks: those of `blocks`, or of `block` bytes each, `stride`
 * bytes from one beginning to the next; `bytes` is 0 then. A zeroed struct is an empty
 * segment. */
typedef struct tc_am_layout {
    uint64_t bytes;
    uint64_t count;
    uint64_t block;
    uint64_t stride;
    const tc_am_block *blocks; /* of an output they do not overlap */
    uint64_t extent;           /* bytes from one segment to the next one; 0: to the end of it */
} tc_am_layout;

/* How an active message ended. Pointers are valid during the callback. */
typedef struct tc_am_outcome {
    tc_status status;
    uint32_t segments; /* that succeeded */
    const char *text;  /* reason of a failure; "" if status is TC_OK */
} tc_am_outcome;

/* Called once, as a tc_call_callback is; it may start further active messages. */
typedef void (*tc_am_callback)(void *user, const tc_am_outcome *outcome);

/* A zeroed struct with segments is valid. The layouts of an origin and of a target have the
 * same bytes, in the order of their blocks. */
typedef struct tc_am_params {
    const void *input;         /* it must stay until the active message has ended */
    void *output;              /* receives the output of segments that succeeded */
    tc_am_layout input_layout; /* of one segment here */
    tc_am_layout output_layout;
    const tc_am_layout *target_input; /* as the function sees it; NULL: in one piece */
    const tc_am_layout *target_output;
    uint32_t segments; /* at least 1 */
    uint32_t unit;     /* segments of a unit; 0: as many as tc_ams_params.unit_bytes has */
    uint64_t at;       /* the range of the target's window */
    uint64_t bytes;    /* 0: none */
    const void *description; /* passed to the function; copied. Or NULL */
    size_t description_bytes;
    uint64_t timeout_ns; /* of each unit; 0: the option call_timeout */
    tc_am_callback done; /* or NULL */
    void *user;          /* first argument of done */
} tc_am_params;

/* The state of an active message that was started. The caller's memory: it must stay until
 * is_done is 1. In a function that waits (tc/task.h) it must not be a local variable. */
typedef struct tc_am_request {
    uint32_t is_done;
    tc_status status;  /* from here on valid when is_done is 1 */
    uint32_t segments; /* that succeeded */
    char text[TC_AM_TEXT_MAX];
} tc_am_request;

/* Implement tc_am_start and tc_am; take the size of the caller's tc_am_params.
 *
 *   as tc_am_start
 *   as tc_am_wait */
TC_MUST_CHECK TC_API tc_status tc_am_start_sized(tc_am_window *window, uint32_t rank,
                                                 tc_am_op *op, const tc_am_params *params,
                                                 size_t params_size, tc_am_request *request,
                                                 tc_error *err);
TC_MUST_CHECK TC_API tc_status tc_am_sized(tc_am_window *window, uint32_t rank, tc_am_op *op,
                                           const tc_am_params *params, size_t params_size,
                                           tc_error *err);

/* Starts an active message and returns. Units that have no credit yet are sent while the
 * context progresses. Allowed inside an ifunc.
 *
 *   params            copied, without the input. `done` is called in any case, unless this
 *                     returns a failure; perhaps before it returns
 *   request           receives the end; or NULL: then tc_am_flush, or `done`, is where it is
 *                     noticed
 *
 *   TC_OK             it is under way, or has ended
 *   TC_E_INVALID      segments is 0, at + bytes or a size is beyond 64 bits, memory is missing,
 *                     the layouts of both sides have different bytes, blocks of an output
 *                     overlap, or op is of another tc_ams
 *   TC_E_TOO_LARGE    a segment has more than TC_AM_SEGMENT_BYTES_MAX; `unit` of them, or one
 *                     with the gaps of the target's layout, more than TC_AM_UNIT_BYTES_MAX;
 *                     there are too many blocks for a target; or the description is too long
 *   TC_E_NOT_FOUND    the group has no such rank
 *   TC_E_AGAIN        65,536 active messages are under way
 *   TC_E_UNSUPPORTED  params has a field that this library does not know
 *   TC_E_NO_MEMORY    an allocation failed
 *   as tc_group_ep    nothing was sent */
TC_MUST_CHECK static inline tc_status tc_am_start(tc_am_window *window, uint32_t rank,
                                                  tc_am_op *op, const tc_am_params *params,
                                                  tc_am_request *request, tc_error *err)
{
    return tc_am_start_sized(window, rank, op, params, sizeof *params, request, err);
}

/* tc_am_start, and waits for the end, progressing; in a function that may wait (tc/task.h) it
 * suspends that.
 *
 *   TC_OK         all segments succeeded
 *   TC_E_BUSY     called from inside an ifunc that is not TC_THREADED
 *   as tc_am_wait  of its end
 *   as tc_am_start */
TC_MUST_CHECK static inline tc_status tc_am(tc_am_window *window, uint32_t rank, tc_am_op *op,
                                            const tc_am_params *params, tc_error *err)
{
    return tc_am_sized(window, rank, op, params, sizeof *params, err);
}

/* Waits, progressing, until a request is done. In a function that may wait (tc/task.h) it
 * suspends that. Any other status is the one that ended it, as above, with its text in err.
 *
 *   timeout_ns    0 looks once
 *
 *   TC_OK         all segments succeeded
 *   TC_E_TIMEOUT  also: it is still under way, and is_done is 0
 *   TC_E_BUSY     called from inside an ifunc that is not TC_THREADED, or from a callback
 *   as tc_task_sleep  in one that could not wait
 *   as tc_call    of the first unit that failed */
TC_MUST_CHECK TC_API tc_status tc_am_wait(tc_ams *ams, tc_am_request *request,
                                          uint64_t timeout_ns, tc_error *err);

/* Waits, progressing, until all active messages of this rank to another one have ended, by this
 * window.
 *
 *   rank          TC_RANK_NONE: to all ranks
 *   timeout_ns    0 looks once
 *
 *   TC_OK         none is under way, and all those since the last flush without request and
 *                 `done` succeeded
 *   TC_E_TIMEOUT  some are still under way
 *   as tc_am_wait  the first failure of one without request and `done`; it is forgotten then */
TC_MUST_CHECK TC_API tc_status tc_am_flush(tc_am_window *window, uint32_t rank,
                                           uint64_t timeout_ns, tc_error *err);

/* Waits, progressing, until the inputs of all active messages of this rank to another one may
 * be changed, by this window: all units were sent, or dropped. The messages have not ended for
 * that, and outputs come later.
 *
 *   rank          TC_RANK_NONE: to all ranks
 *   timeout_ns    0 looks once
 *
 *   TC_OK         none waits to be sent
 *   TC_E_TIMEOUT  some do
 *   TC_E_BUSY     as tc_am_wait */
TC_MUST_CHECK TC_API tc_status tc_am_flush_local(tc_am_window *window, uint32_t rank,
                                                 uint64_t timeout_ns, tc_error *err);

/* Numbers about this rank since it was opened. Later versions append. */
typedef struct tc_am_counts {
    uint64_t started;      /* active messages */
    uint64_t units_sent;   /* to other ranks, and to this one by a message */
    uint64_t waited;       /* active messages that had no credit at first */
    uint64_t units_here;   /* of this rank's that it ran itself */
    uint64_t units_served; /* of others */
    uint64_t overtakes;    /* active messages that went past others */
    uint64_t staged;       /* segments of this rank that went through attached memory */
} tc_am_counts;

/* Fills the first bytes of a tc_am_counts.
 *
 *   counts_size  sizeof *counts */
TC_API void tc_am_count(const tc_ams *ams, tc_am_counts *counts, size_t counts_size);

#ifdef __cplusplus
}
#endif
#endif
