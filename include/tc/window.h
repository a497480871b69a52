/* Windows: memory that its owner has opened for peers, with rights.
 *
 * A peer reads and changes the memory by operations: get, put, fetch and add, compare and swap,
 * allocate, and chains of up to sixteen of them in one message. The thread that progresses the
 * owner's context checks and runs them, so a window needs no network that writes memory, works
 * with every delivery and over sealed connections, and no peer touches memory outside it.
 *
 * An owner opens a window and gives its tc_gptr to peers, in any message. A peer calls the
 * functions below with the endpoint that leads to the owner. The owner has to progress.
 *
 * Order. Operations on one endpoint take effect in the order in which they were begun, each
 * before the messages that were sent after it, and are answered in that order: one that blocks
 * waits for all that were begun before it on its endpoint. Operations that end have taken
 * effect. tc_calls_wait waits for all that are under way. A chain runs to its end in one go: no
 * other operation and no function of the owner's context runs meanwhile. Other threads of the
 * owner may see gets and puts in part, but for those of 8 bytes at addresses that are multiples
 * of 8, which are atomic, as are fetch and add and the two that compare.
 *
 * Trust. A tc_gptr is plain bytes, which any peer may forge: number, generation, offset and
 * size are checked at the owner, and the right is that of the endpoint that the operation came
 * by. A failure in the midst of a chain leaves the steps before it done. An operation that
 * failed for another reason (a lost peer, a deadline) may have taken effect.
 *
 * Shipped functions may start operations; in one that may wait (tc/task.h) the blocking ones
 * suspend it.
 *
 * Larger gets and puts, and those of rows that lie apart: tc/window_rows.h. Processes of one
 * user on one host may map a window instead (tc/window_view.h). Not in this version: RMA. */
#ifndef TC_WINDOW_H
#define TC_WINDOW_H

#include <stdint.h>
#include <string.h>
#include <tc/abi.h>
#include <tc/call.h>
#include <tc/group.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_WINDOW_STEPS_MAX 16u          /* steps of a chain */
#define TC_WINDOW_BYTES_MAX (512u << 10) /* a chain's results together, and its puts */

/* A position in a window of some process, 16 bytes that may travel and be stored. Its layout
 * never changes. A zeroed one names no window. Untrusted, whatever its source. */
typedef struct tc_gptr {
    uint16_t window;     /* its number at the owner */
    uint16_t generation; /* the number's use; never 0 in a window that is open */
    uint32_t rank;       /* the owner's in its group, for programs; TC_RANK_NONE: no group */
    uint64_t offset;     /* bytes from the window's beginning */
} tc_gptr;

/* Rights. */
#define TC_WINDOW_READ 1u     /* get */
#define TC_WINDOW_WRITE 2u    /* put */
#define TC_WINDOW_ATOMIC 4u   /* fetch and add, compare and swap */
#define TC_WINDOW_ALLOCATE 8u /* allocate: the window is an arena */

/* A zeroed struct is valid as soon as it has memory, rights and at least one of peer, group and
 * identity. Only the peers that are named have the rights. */
typedef struct tc_window_params {
    void *memory;         /* the caller's; must stay until the window is closed */
    uint64_t bytes;       /* at memory, at least 1 */
    uint32_t rights;      /* TC_WINDOW_ bits, at least one */
    tc_ep *peer;          /* an endpoint of the context; or NULL */
    tc_group *group;      /* all its members; or NULL */
    const char *identity; /* as tc_ep_info.peer_identity has it; copied; or NULL */
    uint64_t arena_begin; /* with TC_WINDOW_ALLOCATE: the first offset to give out */
    uint32_t shared;      /* 1: zeroed shared memory of the library's: tc/window_view.h */
} tc_window_params;

/* Opens a window. Allowed inside an ifunc.
 *
 *   window_out        its beginning, with the rank of this process in params->group
 *
 *   TC_OK             the peers that are named may use it
 *   TC_E_INVALID      memory, rights or all names are missing, `bytes` is 0 or more than memory
 *                     can have, the peer or group is of another context, memory for
 *                     TC_WINDOW_ATOMIC does not begin at a multiple of 8, or arena_begin is
 *                     above `bytes`; or memory is given with `shared`
 *   TC_E_TOO_LARGE    4,096 windows are open in this context, or functions_max functions are
 *                     in use
 *   TC_E_UNSUPPORTED  params has a field that this library does not know, or the library was
 *                     built without the module `windows`
 *   TC_E_NO_MEMORY    an allocation failed, or the system has no such shared memory left */
TC_MUST_CHECK static inline tc_status tc_window_open(tc_context *ctx,
                                                     const tc_window_params *params,
                                                     tc_gptr *window_out, tc_error *err)
{
    return tc_window_open_sized(ctx, params, sizeof *params, window_out, err);
}

/* Closes a window: its memory is the caller's again when this returns; shared memory is gone
 * from this process, and stays with the peers that have mapped it. Operations that come later
 * are refused (TC_E_NOT_FOUND), also when the number is in use again. tc_context_destroy closes
 * all windows. Allowed inside an ifunc.
 *
 *   window          as tc_window_open returned it; the offset is not read
 *
 *   TC_OK           it is closed
 *   TC_E_NOT_FOUND  no such window is open */
TC_API tc_status tc_window_close(tc_context *ctx, tc_gptr window);

typedef enum tc_window_operation {
    TC_WINDOW_GET = 1,                 /* result receives size bytes */
    TC_WINDOW_PUT = 2,                 /* size bytes at source */
    TC_WINDOW_FETCH_ADD = 3,           /* adds operand; result receives the value before */
    TC_WINDOW_COMPARE_SWAP = 4,        /* expected becomes operand; result: the value before */
    TC_WINDOW_MASKED_COMPARE_SWAP = 5, /* the same for the bits of the two masks */
    TC_WINDOW_ALLOCATE_BYTES = 6,      /* result receives the offset of size bytes */
    TC_WINDOW_DESCRIBE = 7             /* of tc_window_map */
} tc_window_operation;

/* A step succeeds if it is done and, where it compares, has swapped. */
typedef enum tc_window_condition {
    TC_WINDOW_ALWAYS = 0,
    TC_WINDOW_IF_SUCCEEDED = 1, /* the step before has succeeded */
    TC_WINDOW_IF_FAILED = 2     /* the step before was not done, or has not swapped */
} tc_window_condition;

/* One step of a chain. A zeroed struct with an operation, `at` and a size is valid; fields that
 * the operation does not have must be 0. `base` is the number of an earlier step that has a
 * result of 8 bytes. */
typedef struct tc_window_step {
    uint32_t operation; /* a tc_window_operation */
    uint32_t condition; /* a tc_window_condition; TC_WINDOW_ALWAYS for the first step */
    uint32_t base;      /* n: the result of step n, from 1 on, is added to at.offset; or 0 */
    tc_gptr at;         /* all but the rank is used; of an allocation the offset is 0 */
    uint64_t size;      /* bytes, at least 1; 8 of fetch and add and of those that compare */
    const void *source; /* of a put */
    void *result;       /* must stay until the chain has ended; NULL: not wanted */
    uint64_t operand;   /* the summand; the new value of those that compare */
    uint64_t expected;
    uint64_t expected_mask; /* the masked one compares these bits */
    uint64_t operand_mask;  /* and replaces these */
} tc_window_step;

/* Sends a chain of operations as one message and blocks, progressing the context, until the
 * owner has run it. All that can be checked before the first step takes effect is checked then:
 * windows, rights, alignment, and offsets that depend on no result.
 *
 *   steps            1 to TC_WINDOW_STEPS_MAX; results are written on TC_OK alone, of the steps
 *                    that were done
 *   timeout_ns       0: the option call_timeout
 *   succeeded_out    bit n: step n, from 0 on, has succeeded; may be NULL
 *
 *   TC_OK            the chain has run; conditions may have left steps out
 *   TC_E_INVALID     a step is malformed, takes its offset from a later step, from itself, or
 *                    from one without a result of 8 bytes; or bytes are outside the window, an
 *                    atomic operation's offset is no multiple of 8, or a step takes its offset
 *                    from one that was not done. The text has step, found and expected
 *   TC_E_NOT_FOUND   no such window is open at the peer, or the peer has no windows
 *   TC_E_REFUSED     the window is not open to this process, or without this right
 *   TC_E_TOO_LARGE   there are no or too many steps, or more than TC_WINDOW_BYTES_MAX bytes to
 *                    get or to put, or more than the peer's option send_queue_bytes to get
 *   TC_E_NO_MEMORY   the arena has no such bytes left, or an allocation failed
 *   TC_E_CORRUPT     the peer's answer, or the request as it arrived, is malformed
 *   TC_E_PEER_LOST   the peer was lost
 *   TC_E_TIMEOUT     no answer came in time
 *   TC_E_BUSY        called from inside an ifunc that is not TC_THREADED (tc/task.h)
 *   TC_E_UNSUPPORTED the library was built without the module `windows`
 *   as tc_call       it was not sent */
TC_MUST_CHECK static inline tc_status tc_window_chain(tc_ep *ep, const tc_window_step *steps,
                                                      size_t count, uint64_t timeout_ns,
                                                      uint32_t *succeeded_out, tc_error *err)
{
    return tc_window_chain_sized(ep, steps, sizeof *steps, count, timeout_ns, succeeded_out,
                                 err);
}

/* Called once when a chain has ended, as a tc_call_callback is.
 *
 *   succeeded  as tc_window_chain returns it; 0 unless status is TC_OK
 *   text       reason of a failure, valid during the callback; "" if status is TC_OK */
typedef void (*tc_window_callback)(void *user, tc_status status, uint32_t succeeded,
                                   const char *text);

/* A zeroed struct is valid. */
typedef struct tc_window_start_params {
    uint64_t timeout_ns;     /* 0: the option call_timeout */
    tc_window_callback done; /* called when the chain has ended; or NULL */
    void *user;              /* first argument of done */
} tc_window_start_params;

/* Sends a chain as tc_window_chain does and returns; `done` is called when it has ended. Such
 * chains count as calls (tc_call_count, tc_calls_wait). Allowed inside an ifunc of this
 * process's own code.
 *
 *   steps             copied, with the bytes of puts; results must stay until the chain has
 *                     ended
 *   params            copied; NULL: as if it were zeroed
 *
 *   TC_OK             the chain is under way; it ends with a status of tc_window_chain
 *   TC_E_AGAIN        there is no credit now: call tc_wait or tc_progress, and retry
 *   TC_E_UNSUPPORTED  also: steps or params have a field that this library does not know
 *   as tc_call_start and, for steps, tc_window_chain: it was not sent, done is not called */
TC_MUST_CHECK static inline tc_status
tc_window_chain_start(tc_ep *ep, const tc_window_step *steps, size_t count,
                      const tc_window_start_params *params, tc_error *err)
{
    return tc_window_chain_start_sized(ep, steps, sizeof *steps, count, params, sizeof *params,
                                       err);
}

/* --- steps -------------------------------------------------------------------------------- */

/* `at`, moved by some bytes. */
static inline tc_gptr tc_gptr_add(tc_gptr at, uint64_t bytes)
{
    at.offset += bytes;
    return at;
}

/* A step of any operation; the other fields are 0. */
static inline tc_window_step tc_window_step_of(tc_window_operation operation, tc_gptr at,
                                               uint64_t size, void *result)
{
    tc_window_step step;
    memset(&step, 0, sizeof step);
    step.operation = (uint32_t)operation;
    step.at = at;
    step.size = size;
    step.result = result;
    return step;
}

static inline tc_window_step tc_window_step_get(tc_gptr at, void *result, uint64_t size)
{
    return tc_window_step_of(TC_WINDOW_GET, at, size, result);
}

static inline tc_window_step tc_window_step_put(tc_gptr at, const void *source, uint64_t size)
{
    tc_window_step step = tc_window_step_of(TC_WINDOW_PUT, at, size, NULL);
    step.source = source;
    return step;
}

static inline tc_window_step tc_window_step_fetch_add(tc_gptr at, uint64_t value,
                                                      uint64_t *before_out)
{
    tc_window_step step = tc_window_step_of(TC_WINDOW_FETCH_ADD, at, 8, before_out);
    step.operand = value;
    return step;
}

static inline tc_window_step tc_window_step_compare_swap(tc_gptr at, uint64_t expected,
                                                         uint64_t desired, uint64_t *before_out)
{
    tc_window_step step = tc_window_step_of(TC_WINDOW_COMPARE_SWAP, at, 8, before_out);
    step.operand = desired;
    step.expected = expected;
    return step;
}

/* Swaps if (value & expected_mask) == (expected & expected_mask); the new value is
 * (value & ~desired_mask) | (desired & desired_mask). */
static inline tc_window_step tc_window_step_masked_compare_swap(tc_gptr at, uint64_t expected,
                                                                uint64_t expected_mask,
                                                                uint64_t desired,
                                                                uint64_t desired_mask,
                                                                uint64_t *before_out)
{
    tc_window_step step = tc_window_step_of(TC_WINDOW_MASKED_COMPARE_SWAP, at, 8, before_out);
    step.operand = desired;
    step.expected = expected;
    step.expected_mask = expected_mask;
    step.operand_mask = desired_mask;
    return step;
}

/* The offset is a multiple of 16. Nothing is ever freed but by tc_window_close. */
static inline tc_window_step tc_window_step_allocate(tc_gptr arena, uint64_t size,
                                                     uint64_t *offset_out)
{
    arena.offset = 0;
    return tc_window_step_of(TC_WINDOW_ALLOCATE_BYTES, arena, size, offset_out);
}

/* The two steps of a get by way of an offset: 8 bytes at `at` are an offset in the same window,
 * and `size` bytes are got from there, `skip` bytes behind it. */
static inline void tc_window_steps_get_indirect(tc_gptr at, uint64_t skip, void *result,
                                                uint64_t size, tc_window_step steps_out[2])
{
    steps_out[0] = tc_window_step_get(at, NULL, 8);
    at.offset = skip;
    steps_out[1] = tc_window_step_get(at, result, size);
    steps_out[1].base = 1;
}

/* --- single operations: blocking, and started --------------------------------------------- */

/* Chains of one step, or of two for an indirect get. Parameters are those of the steps, of
 * tc_window_chain and of tc_window_chain_start. A compare and swap has swapped if
 * *before_out is `expected`, a masked one if the bits of expected_mask are.
 *
 *   as tc_window_chain  those that block
 *   as tc_window_chain_start  the others */
TC_MUST_CHECK static inline tc_status tc_window_get(tc_ep *ep, tc_gptr at, void *result,
                                                    uint64_t size, uint64_t timeout_ns,
                                                    tc_error *err)
{
    tc_window_step step = tc_window_step_get(at, result, size);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status tc_window_get_start(tc_ep *ep, tc_gptr at, void *result,
                                                          uint64_t size,
                                                          const tc_window_start_params *params,
                                                          tc_error *err)
{
    tc_window_step step = tc_window_step_get(at, result, size);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

TC_MUST_CHECK static inline tc_status tc_window_put(tc_ep *ep, tc_gptr at, const void *source,
                                                    uint64_t size, uint64_t timeout_ns,
                                                    tc_error *err)
{
    tc_window_step step = tc_window_step_put(at, source, size);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status tc_window_put_start(tc_ep *ep, tc_gptr at,
                                                          const void *source, uint64_t size,
                                                          const tc_window_start_params *params,
                                                          tc_error *err)
{
    tc_window_step step = tc_window_step_put(at, source, size);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

TC_MUST_CHECK static inline tc_status tc_window_fetch_add(tc_ep *ep, tc_gptr at, uint64_t value,
                                                          uint64_t *before_out,
                                                          uint64_t timeout_ns, tc_error *err)
{
    tc_window_step step = tc_window_step_fetch_add(at, value, before_out);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_fetch_add_start(tc_ep *ep, tc_gptr at, uint64_t value, uint64_t *before_out,
                          const tc_window_start_params *params, tc_error *err)
{
    tc_window_step step = tc_window_step_fetch_add(at, value, before_out);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_compare_swap(tc_ep *ep, tc_gptr at, uint64_t expected, uint64_t desired,
                       uint64_t *before_out, uint64_t timeout_ns, tc_error *err)
{
    tc_window_step step = tc_window_step_compare_swap(at, expected, desired, before_out);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_compare_swap_start(tc_ep *ep, tc_gptr at, uint64_t expected, uint64_t desired,
                             uint64_t *before_out, const tc_window_start_params *params,
                             tc_error *err)
{
    tc_window_step step = tc_window_step_compare_swap(at, expected, desired, before_out);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_masked_compare_swap(tc_ep *ep, tc_gptr at, uint64_t expected, uint64_t expected_mask,
                              uint64_t desired, uint64_t desired_mask, uint64_t *before_out,
                              uint64_t timeout_ns, tc_error *err)
{
    tc_window_step step = tc_window_step_masked_compare_swap(at, expected, expected_mask,
                                                             desired, desired_mask, before_out);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_masked_compare_swap_start(tc_ep *ep, tc_gptr at, uint64_t expected,
                                    uint64_t expected_mask, uint64_t desired,
                                    uint64_t desired_mask, uint64_t *before_out,
                                    const tc_window_start_params *params, tc_error *err)
{
    tc_window_step step = tc_window_step_masked_compare_swap(at, expected, expected_mask,
                                                             desired, desired_mask, before_out);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

TC_MUST_CHECK static inline tc_status tc_window_get_indirect(tc_ep *ep, tc_gptr at,
                                                             uint64_t skip, void *result,
                                                             uint64_t size, uint64_t timeout_ns,
                                                             tc_error *err)
{
    tc_window_step steps[2];
    tc_window_steps_get_indirect(at, skip, result, size, steps);
    return tc_window_chain(ep, steps, 2, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_get_indirect_start(tc_ep *ep, tc_gptr at, uint64_t skip, void *result, uint64_t size,
                             const tc_window_start_params *params, tc_error *err)
{
    tc_window_step steps[2];
    tc_window_steps_get_indirect(at, skip, result, size, steps);
    return tc_window_chain_start(ep, steps, 2, params, err);
}

TC_MUST_CHECK static inline tc_status tc_window_allocate(tc_ep *ep, tc_gptr arena,
                                                         uint64_t size, uint64_t *offset_out,
                                                         uint64_t timeout_ns, tc_error *err)
{
    tc_window_step step = tc_window_step_allocate(arena, size, offset_out);
    return tc_window_chain(ep, &step, 1, timeout_ns, NULL, err);
}

TC_MUST_CHECK static inline tc_status
tc_window_allocate_start(tc_ep *ep, tc_gptr arena, uint64_t size, uint64_t *offset_out,
                         const tc_window_start_params *params, tc_error *err)
{
    tc_window_step step = tc_window_step_allocate(arena, size, offset_out);
    return tc_window_chain_start(ep, &step, 1, params, err);
}

#ifdef __cplusplus
}
#endif
#endif
