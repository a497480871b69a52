/* The receive path of one endpoint. A batch (run_batch) reads the ring's frames in order, up to
 * a budget, so that each endpoint gets its share. Most frames are run in two short loops: plain
 * calls of bound slots in batch.h, with the ring's state in registers, as the called function
 * cannot reach it; calls and answers in their short form by the module calls. Any other frame
 * goes through run_other, and is checked before it is used. A frame is consumed after it was
 * handled; one that waits for its code stays at the head, and only its endpoint waits. A peer
 * that breaks the format ends its own endpoint only (stop_running in core/ep_state.c). */
#include "dispatch/dispatch.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "core/calls_ops.h"
#include "core/current.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "core/usage_ops.h"
#include "dispatch/aligned_calls.h"
#include "dispatch/ring_batch.h"
#include "dispatch/control.h"
#include "dispatch/inject_run.h"
#include "dispatch/large_receive.h"
#include "dispatch/load_report.h"
#include "dispatch/needs.h"
#include "dispatch/payload_place.h"
#include "dispatch/slots.h"
#include "ifunc/call_count.h"
#include "transfer/frame_out.h"

#define BUDGET (256u * TCI_FRAME_GRANULE) /* bytes per batch; of a small ring an eighth */
#define APART __attribute__((noinline))   /* needs no register of the loop */
#ifdef TCI_SMALL
#define SHARED inline                    /* once, for all callers */
#define COLD APART __attribute__((cold)) /* made small */
#else
#define COLD APART
#define SHARED inline __attribute__((always_inline))
#endif

/* The result of handling the frame at the head. */
typedef enum outcome {
    RUN,     /* a message was run */
    DROPPED, /* consumed, nothing was run */
    BOUND,   /* consumed, there was nothing to run */
    WAITING, /* its code is not here yet: only this endpoint waits */
    ENDED    /* the peer broke the format */
} outcome;

static outcome broken(tc_ep *ep, const tc_error *error)
{
    tci_ep_fail(ep, error);
    return ENDED;
}

static APART void call_watched(tc_ep *ep, tc_ifunc *fn, uint8_t *payload, size_t size)
{
    tci_limits_step(ep);
    if (tci_usage_is_on(ep->core))
        ep->core->usage->call(ep, fn, payload, size);
    else
        tci_call_count_run(fn, payload, size, ep->core->target_args);
}

/* Calls that batch.h skips: first calls of functions, and those with large payloads. */
static inline void call(tc_ep *ep, tci_current *current, uint16_t slot, uint8_t *payload,
                        size_t payload_size)
{
    tc_ifunc *fn = ep->rx.slots[slot].fn;
    uint64_t called_ns = fn->report_due ? tci_clock_ns() : 0;
    current->fn = fn;
    if (TCI_HAS_USAGE && __builtin_expect(ep->core->batch_watchers != 0, 0)) {
        call_watched(ep, fn, payload, payload_size);
    } else {
        tci_limits_step(ep);
        tci_call_count_run(fn, payload, payload_size, ep->core->target_args);
    }
    if (called_ns != 0)
        tci_load_report_first_call(ep->core, fn, called_ns);
}

/* Runs a message that expects a reply or was forwarded. */
static outcome call_routed(tc_ep *ep, tci_current *current, const tci_frame *f,
                           uint8_t *payload, size_t payload_size)
{
    tci_invocation invocation;
    tc_error error; /* not cleared: that would take longer than the rest of this function */
    if (tci_calls_begin(&invocation, ep, f->flags, payload, &payload_size, &error) != TC_OK)
        return broken(ep, &error);
    current->invocation = &invocation;
    call(ep, current, f->slot, payload, payload_size);
    tci_calls_end_begun(&invocation, ep);
    current->invocation = NULL;
    return RUN;
}

static void report_dropped(tc_ep *ep, const tci_frame *f, const uint8_t *payload, size_t size,
                           const tc_error *error)
{
    tc_error refused;
    tci_error_set(&refused, TC_E_REFUSED,
                  "the function was refused there when an earlier message brought it");
    const tc_error *why = error->status != TC_OK ? error : &refused;
    if (tci_frame_has_route(f)) /* its origin may want to know */
        tci_calls_refuse(ep, f->flags, payload, size, why);
}

static outcome cannot_place(tc_ep *ep, const tci_frame *f, const uint8_t *payload, size_t size,
                            const tc_error *error)
{
    if (error->status == TC_E_CORRUPT) /* otherwise: no memory to move it to */
        return broken(ep, error);
    tci_slot_report(ep, TCI_CONTROL_TOO_LARGE, f->slot, error);
    report_dropped(ep, f, payload, size, error);
    ep->core->counters[TCI_MESSAGES_DROPPED]++;
    return BOUND;
}

static outcome call_any(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *payload,
                        size_t payload_size)
{
    const tc_ifunc *fn = ep->rx.slots[f->slot].fn;
    tc_error error; /* as in call_routed */
    if (tci_payload_place_framed(ep->core, f, fn, &payload, &payload_size, &error) != TC_OK)
        return cannot_place(ep, f, payload, payload_size, &error);
    if (tci_frame_has_route(f))
        return call_routed(ep, current, f, payload, payload_size);
    call(ep, current, f->slot, payload, payload_size);
    return RUN;
}

static outcome refuse(tc_ep *ep, uint16_t slot, const tc_error *error)
{
    if (!tci_ep_is_open(ep))
        return ENDED; /* by the frame that is to be refused */
    tci_slot_refuse(ep, slot, error);
    return DROPPED;
}

/* Binds with NOTIFY without waiting: frames behind it run while its code is loaded. */
static outcome bind_ahead(tc_ep *ep, uint16_t slot, tc_status status)
{
    if (status == TC_E_AGAIN && (slot >= ep->rx.slot_count || ep->rx.slots[slot].fn == NULL))
        return WAITING; /* for its code */
    ep->rx.loading = false;
    tci_slot_notify(ep, slot);
    return BOUND;
}

static outcome on_code(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                       const tci_code_section *section, size_t bytes)
{
    tc_error error; /* as in call_routed */
    const uint8_t *attached =
        f->flags & TCI_CODE_ATTACHED ? frame + tci_frame_code_bytes(f->payload_size, 0) : NULL;
    tc_status status = tci_slot_bind(ep, f->slot, attached, section, &error);
    outcome result = RUN;
    if ((status == TC_OK || status == TC_E_AGAIN) && (f->flags & TCI_CODE_NOTIFY))
        result = bind_ahead(ep, f->slot, status);
    else if (status == TC_E_AGAIN)
        result = WAITING;
    else if (status == TC_OK && (f->flags & TCI_CODE_BIND_ONLY))
        result = BOUND;
    else if (status == TC_OK)
        result = call_any(ep, current, f, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    else
        result = refuse(ep, f->slot, &error);
    if (result == DROPPED)
        report_dropped(ep, f, frame + TCI_FRAME_HEADER_BYTES, f->payload_size, &error);
    if (result != WAITING && result != ENDED)
        tci_consumer_advance(&ep->rx.ring, bytes);
    return result;
}

/* RUN: callable. DROPPED: not, the peer was notified; *error: why, if that is new. */
static outcome ready(tc_ep *ep, uint16_t slot, tc_error *error)
{
    error->status = TC_OK;
    if (slot >= ep->rx.slot_count)
        return DROPPED;
    tc_status status = tci_slot_ready(ep, slot, error);
    if (status == TC_OK)
        return RUN;
    if (status == TC_E_AGAIN)
        return WAITING;
    if (status != TC_E_NOT_FOUND)
        return refuse(ep, slot, error);
    error->status = TC_OK;
    return DROPPED;
}

static outcome on_call(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                       size_t bytes)
{
    tc_error error; /* as in call_routed */
    if (f->slot >= ep->rx.slot_count) {
        tci_error_set(&error, TC_E_CORRUPT, "call of slot %u, which no code frame has bound",
                      f->slot);
        return broken(ep, &error);
    }
    outcome result = ready(ep, f->slot, &error);
    if (result == RUN)
        result = call_any(ep, current, f, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    else if (result == DROPPED)
        report_dropped(ep, f, frame + TCI_FRAME_HEADER_BYTES, f->payload_size, &error);
    if (result != WAITING && result != ENDED)
        tci_consumer_advance(&ep->rx.ring, bytes);
    return result;
}

static outcome on_inject(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                         const tci_code_section *section, size_t bytes)
{
    tc_error error; /* as in call_routed */
    tci_injected_call injected;
    bool is_broken;
    outcome result = RUN;
    tc_status status = tci_inject_prepare(ep, f, frame, section, &injected, &is_broken, &error);
    if (is_broken)
        return broken(ep, &error);
    if (status == TC_OK) {
        current->fn = NULL; /* tc_self_ifunc returns NULL: no function to send on */
        injected.main(injected.payload, injected.payload_size, ep->core->target_args);
    } else {
        result = refuse(ep, f->slot, &error);
    }
    tci_consumer_advance(&ep->rx.ring, bytes);
    if (f->flags & TCI_INJECT_STAGED) /* as for fragments of large payloads */
        tci_credit_return(ep);
    return result;
}

static outcome on_fragment(tc_ep *ep, tci_current *current, const tci_frame *f,
                           const uint8_t *frame, size_t bytes)
{
    tc_error error, refusal; /* as in call_routed */
    tci_payload whole = {0};
    outcome result = BOUND, callable = ready(ep, f->slot, &refusal);
    if (callable == WAITING || callable == ENDED)
        return callable;
    tc_status status = tci_large_receive(ep, f, frame + TCI_FRAME_HEADER_BYTES, &whole, &error);
    if (status == TC_E_AGAIN)
        return WAITING;
    if (status == TC_E_CORRUPT)
        return broken(ep, &error);
    if (status != TC_OK) {
        TC_LOG_RATIONED(&ep->log, TC_LOG_WARN, "endpoint %u: %s", ep->connection, error.text);
        tci_slot_report(ep, TCI_CONTROL_TOO_LARGE, f->slot, &error);
        result = DROPPED;
    } else if (whole.bytes != NULL || whole.out_of_line) {
        result = whole.bytes != NULL ? callable : DROPPED;
        if (result == RUN)
            result = call_any(ep, current, f, whole.bytes, (size_t)whole.size);
        else if (whole.bytes != NULL)
            report_dropped(ep, f, whole.bytes, (size_t)whole.size, &refusal);
    }
    tci_large_done(ep, &whole);
    if (result == ENDED)
        return ENDED;
    tci_consumer_advance(&ep->rx.ring, bytes);
    if ((f->flags & ~TCI_ROUTED) != 0) /* a large payload: its sender waits for space */
        tci_credit_return(ep);
    return result;
}

static outcome on_control(tc_ep *ep, const tci_frame *f, const uint8_t *frame, size_t bytes)
{
    tc_error error; /* as in call_routed */
    return tci_control_take(ep, f, frame, bytes, &error) == TC_OK ? DROPPED
                                                                  : broken(ep, &error);
}

static outcome on_reply(tc_ep *ep, const tci_frame *f, const uint8_t *frame, size_t bytes)
{
    tc_error error; /* as in call_routed */
    if (tci_calls_reply(ep, f->flags, frame + TCI_FRAME_HEADER_BYTES, f->payload_size,
                        &error) != TC_OK)
        return broken(ep, &error);
    tci_consumer_advance(&ep->rx.ring, bytes);
    return RUN;
}

static COLD outcome handle(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame)
{
    tci_code_section section;
    tc_error error;
    size_t bytes;
    if (f->kind == TCI_FRAME_INJECT)
        tci_inject_fetch(ep, f, frame);
    if (tci_frame_check(f, frame, tci_consumer_room(&ep->rx.ring), &bytes, &section, &error) !=
        TC_OK)
        return broken(ep, &error);
    switch ((tci_frame_kind)f->kind) {
    case TCI_FRAME_CODE:
        return on_code(ep, current, f, frame, &section, bytes);
    case TCI_FRAME_INJECT:
        return on_inject(ep, current, f, frame, &section, bytes);
    case TCI_FRAME_CONTROL:
        return on_control(ep, f, frame, bytes);
    case TCI_FRAME_FRAGMENT:
        return on_fragment(ep, current, f, frame, bytes);
    case TCI_FRAME_CALL:
        return on_call(ep, current, f, frame, bytes);
    case TCI_FRAME_REPLY:
        return on_reply(ep, f, frame, bytes);
    case TCI_FRAME_WRAP: /* refused by tci_frame_check, as is a kind that is none of these */
        break;
    }
    return ENDED;
}

static SHARED unsigned run_calls(tc_ep *ep, tci_current *current, uint64_t end, bool *empty_out)
{
    return tci_ring_batch_run_calls(ep, current, end, empty_out, NULL);
}

/* Returns whether f is the common frame of a travelling function: bound, callable. */
static bool is_routed_call(const tc_ep *ep, const tci_frame *f)
{
    return f->kind == TCI_FRAME_CALL && f->flags == TCI_ROUTED && f->slot < ep->rx.slot_count &&
           ep->rx.slots[f->slot].main != NULL;
}

static inline __attribute__((always_inline)) outcome
run_routed(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame)
{
    __builtin_prefetch(frame + tci_frame_align(TCI_FRAME_HEADER_BYTES + f->payload_size));
    outcome result =
        call_routed(ep, current, f, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    if (result == RUN)
        tci_consumer_advance(&ep->rx.ring, TCI_FRAME_HEADER_BYTES + (size_t)f->payload_size);
    return result;
}

/* Handles the frame at the head, of any kind. Returns false if no progress is possible now. */
static inline __attribute__((always_inline)) bool
run_other(tc_ep *ep, tci_current *current, uint64_t end, unsigned *run, const bool counted)
{
    uint64_t word;
    uint8_t *frame = tci_consumer_peek(&ep->rx.ring, &word);
    if (frame == NULL)
        return false;
    current->fn = NULL; /* the previous function may be evicted now */
    tci_limits_step(ep);
    const tci_frame f = tci_frame_of_word(word);
    const bool is_plain = f.kind == TCI_FRAME_CALL && !tci_frame_has_route(&f);
    const unsigned aligned = !is_plain ? 0
                             : counted ? tci_aligned_calls_run_counted(ep, current, end)
                                       : tci_aligned_calls_run(ep, current, end);
    *run += aligned;
    if (aligned > 0)
        return true;
    const bool whole =
        TCI_FRAME_HEADER_BYTES + (size_t)f.payload_size <= tci_consumer_room(&ep->rx.ring);
    outcome result = whole && is_routed_call(ep, &f) ? run_routed(ep, current, &f, frame)
                                                     : handle(ep, current, &f, frame);
    tci_limits_step(ep);
    if (result == WAITING && ep->rx.incoming.wanted)
        tci_needs_answer(ep);
    if (result == DROPPED && f.kind != TCI_FRAME_CONTROL)
        ep->core->counters[TCI_MESSAGES_DROPPED]++;
    *run += result == RUN;
    if (counted && result == RUN && f.kind == TCI_FRAME_INJECT)
        ep->core->usage->injected(ep, &f, frame);
    return result == RUN || result == DROPPED || result == BOUND;
}

COLD bool tci_dispatch_run_other_counted(tc_ep *ep, tci_current *current, uint64_t end,
                                         unsigned *run)
{
    return run_other(ep, current, end, run, true);
}

/* Runs from the frame that batch.h left on. Each turn consumes a frame or ends the loop. */
static COLD unsigned run_rest(tc_ep *ep, tci_current *current, uint64_t end)
{
    unsigned run = 0, brief;
    bool empty = false;
    ep->rx.loading = false;
    while (!empty && tci_ep_is_open(ep) && ep->rx.ring.head < end) {
        run += brief = tci_calls_run_brief(ep, end);
        if ((brief == 0 && !run_other(ep, current, end, &run, false)) || !tci_ep_is_open(ep) ||
            !tci_consumer_has_frame(&ep->rx.ring))
            break;
        run += run_calls(ep, current, end, &empty);
    }
    return run;
}

static inline uint64_t batch_bytes(const tc_ep *ep)
{
    const uint64_t eighth = (ep->rx.ring.mask + 1) >> TCI_RING_CREDIT_SHIFT;
    return eighth < BUDGET ? eighth : BUDGET;
}

static inline unsigned run_batch(tc_ep *ep, uint64_t bytes)
{
    tci_ring_batch batch;
    bool empty;
    tci_ring_batch_begin(&batch, ep, bytes);
    unsigned run = run_calls(ep, batch.current, batch.end, &empty);
    if (__builtin_expect(!empty, 0))
        run += run_rest(ep, batch.current, batch.end);
    tci_ring_batch_end(&batch, ep, run, empty);
    return run;
}

/* For quotas, the call watch and statistics. */
static APART unsigned run_watched_batch(tc_ep *ep)
{
    const tci_core *core = ep->core;
    const bool limited = !TCI_HAS_USAGE || (core->batch_watchers & TCI_WATCHED_BY_LIMITS) != 0;
    const uint64_t dropped = core->counters[TCI_MESSAGES_DROPPED];
    uint64_t bytes = batch_bytes(ep);
    if (!limited)
        return core->usage->run(ep, bytes);
    if ((bytes = core->limits->begin_batch(ep, bytes)) == 0)
        return 0;
    const unsigned run =
        tci_usage_is_on(core) ? core->usage->run(ep, bytes) : run_batch(ep, bytes);
    core->limits->end_batch(ep, run + core->counters[TCI_MESSAGES_DROPPED] - dropped);
    return run;
}

unsigned tci_dispatch_run(tc_ep *ep)
{
    return __builtin_expect(ep->core->batch_watchers != 0, 0) ? run_watched_batch(ep)
                                                              : run_batch(ep, batch_bytes(ep));
}
