#include "dispatch.h"

#include "base/cursor.h"
#include "base/logger.h"
#include "dispatch/inject_run.h"
#include "dispatch/large_receive.h"
#include "endpoint/bell.h"
#include "endpoint/code_transfer.h"
#include "endpoint/landing.h"
#include "endpoint/send.h"

#include <stdlib.h>

/* Of one endpoint's ring, in bytes, before the next endpoint has its turn: 256 small frames. A
 * small ring gives credit after an eighth, which is then the bound. */
#define BUDGET (256u * TCI_FRAME_GRANULE)

/* What became of the frame at the head. */
typedef enum outcome {
    RUN,     /* a message was run */
    DROPPED, /* done with, nothing was run */
    BOUND,   /* done with, and there was nothing to run */
    WAITING, /* its code is not here yet: the endpoint stands, others go on */
    ENDED    /* the peer broke the format */
} outcome;

static outcome broken(tc_ep *ep, const tc_error *error)
{
    tci_ep_fail(ep, error);
    return ENDED;
}

/* --- slots --------------------------------------------------------------------------- */

static bool grow_slots(tc_ep *ep, uint16_t slot)
{
    size_t count = ep->rx_slot_count;
    if (slot < count)
        return true;
    while (count <= slot)
        count = count == 0 ? 16 : 2 * count;
    tci_rx_slot *slots = realloc(ep->rx_slots, count * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots + ep->rx_slot_count, 0, (count - ep->rx_slot_count) * sizeof *slots);
    ep->rx_slots = slots;
    ep->rx_slot_count = count;
    return true;
}

/* Takes over the hold on fn; NULL clears the slot. */
static void bind_slot(tc_ep *ep, uint16_t slot, tc_ifunc *fn)
{
    tci_rx_slot *place = &ep->rx_slots[slot];
    if (place->fn != NULL)
        tci_ifunc_release(place->fn);
    *place = (tci_rx_slot){.fn = fn};
}

static void clear_slot(tc_ep *ep, uint16_t slot)
{
    bind_slot(ep, slot, NULL);
}

/* Tells the sender, once per binding, why its function does not run here. Its messages are
 * dropped until it binds the slot anew. */
static void tell_why(tc_ep *ep, tci_control control, uint16_t slot, const tc_error *error)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX];
    tci_writer w;
    size_t text = strlen(error->text);
    if (text > sizeof payload - 4)
        text = sizeof payload - 4;
    tci_writer_init(&w, payload, sizeof payload);
    tci_write_u32(&w, (uint32_t)(int32_t)error->status);
    tci_write_bytes(&w, error->text, text);
    tci_send_control(ep, control, slot, payload, w.at);
}

static outcome refuse_function(tc_ep *ep, uint16_t slot, const tc_error *error)
{
    TC_LOG(TC_LOG_WARN, "endpoint %u: function refused: %s", ep->connection, error->text);
    ep->hub->counters[TCI_CODE_REFUSED]++;
    tell_why(ep, TCI_CONTROL_REFUSED, slot, error);
    return DROPPED;
}

/* --- code frames --------------------------------------------------------------------- */

static tc_status add_copy(tc_ep *ep, const uint8_t *bytes, const tci_code_section *section,
                          tc_ifunc **fn_out, tc_error *err)
{
    ep->hub->counters[TCI_CODE_RECEIVED]++;
    return tci_registry_add(&ep->hub->registry, bytes, section->archive_size,
                            bytes + section->archive_size, section->deps_size, &section->id,
                            fn_out, err);
}

/* The peer may still be writing to the ring, so code is copied out before anything looks at it.
 */
static tc_status take_attached(tc_ep *ep, const uint8_t *bytes, const tci_code_section *section,
                               tc_ifunc **fn_out, tc_error *err)
{
    size_t size = (size_t)section->archive_size + section->deps_size;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "code of %zu bytes: out of memory", size);
    memcpy(copy, bytes, size);
    tc_status status = add_copy(ep, copy, section, fn_out, err);
    free(copy);
    return status;
}

/* Finds or makes the function of a code frame. TC_E_AGAIN: its code is on the way. */
static tc_status find_code(tc_ep *ep, const tci_frame *f, const uint8_t *attached,
                           const tci_code_section *section, tc_ifunc **fn_out, tc_error *err)
{
    tc_ifunc *known = tci_registry_find(&ep->hub->registry, &section->id);
    if (known != NULL) {
        tci_ifunc_hold(known);
        *fn_out = known;
        return TC_OK;
    }
    if (f->flags & TCI_CODE_ATTACHED)
        return take_attached(ep, attached, section, fn_out, err);
    if (!tci_code_complete(ep))
        return tci_code_want(ep, f->slot, section, err) ? TC_E_AGAIN : err->status;
    tc_status status = add_copy(ep, ep->incoming.bytes, section, fn_out, err);
    tci_code_forget(ep);
    return status;
}

static bool already_bound(const tc_ep *ep, uint16_t slot, const tci_content_id *id)
{
    return slot < ep->rx_slot_count && ep->rx_slots[slot].main != NULL &&
           tci_content_id_equal(&ep->rx_slots[slot].fn->id, id);
}

/* TC_OK: the slot is callable. TC_E_AGAIN: wait. Else refused. */
static tc_status bind_code(tc_ep *ep, const tci_frame *f, const uint8_t *attached,
                           const tci_code_section *section, tc_error *err)
{
    tc_ifunc *fn;
    if (already_bound(ep, f->slot, &section->id))
        return TC_OK;
    if (!grow_slots(ep, f->slot))
        return tci_error_set(err, TC_E_NO_MEMORY, "slots: out of memory");
    clear_slot(ep,
               f->slot); /* first, so that what it held may make room for the new function */
    TC_TRY(find_code(ep, f, attached, section, &fn, err));
    bind_slot(ep, f->slot, fn);
    TC_TRY(tci_ifunc_load(fn, err));
    ep->rx_slots[f->slot].main = fn->entry.main;
    return TC_OK;
}

/* --- running ------------------------------------------------------------------------- */

static inline void call(tc_ep *ep, tci_current *current, const tci_rx_slot *slot,
                        uint8_t *frame, size_t payload_size)
{
    current->fn = slot->fn;
    slot->main(frame + TCI_FRAME_HEADER_BYTES, payload_size, ep->hub->target_args);
}

static outcome on_code(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                       const tci_code_section *section, size_t bytes)
{
    tc_error error = {0};
    size_t attached = tci_frame_code_bytes(f->payload_size, 0);
    tc_status status = bind_code(ep, f, frame + attached, section, &error);
    outcome result = RUN;
    if (status == TC_E_AGAIN)
        return WAITING;
    if (status == TC_OK && (f->flags & TCI_CODE_BIND_ONLY)) {
        result = BOUND;
    } else if (status == TC_OK) {
        call(ep, current, &ep->rx_slots[f->slot], frame, f->payload_size);
    } else {
        if (f->slot < ep->rx_slot_count)
            clear_slot(ep, f->slot);
        result = refuse_function(ep, f->slot, &error);
    }
    tci_consumer_advance(&ep->rx, bytes);
    return result;
}

static outcome on_call(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                       size_t bytes)
{
    outcome result = DROPPED;
    if (f->slot < ep->rx_slot_count && ep->rx_slots[f->slot].main != NULL) {
        call(ep, current, &ep->rx_slots[f->slot], frame, f->payload_size);
        result = RUN;
    } else if (f->slot >= ep->rx_slot_count) {
        tc_error error;
        tci_error_set(&error, TC_E_CORRUPT, "call of slot %u, which no code frame has bound",
                      f->slot);
        return broken(ep, &error);
    }
    tci_consumer_advance(&ep->rx, bytes);
    return result;
}

/* tc_self_ifunc gives NULL meanwhile: there is no function here that could be sent on. */
static outcome on_inject(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame,
                         const tci_code_section *section, size_t bytes)
{
    tc_error error = {0};
    tci_injected_call injected;
    bool is_broken;
    outcome result = RUN;
    tc_status status = tci_inject_prepare(ep, f, frame, section, &injected, &is_broken, &error);
    if (is_broken)
        return broken(ep, &error);
    if (status == TC_OK) {
        current->fn = NULL;
        injected.main(injected.payload, injected.payload_size, ep->hub->target_args);
    } else {
        result = refuse_function(ep, f->slot, &error);
    }
    tci_consumer_advance(&ep->rx, bytes);
    if (f->flags != 0) /* as with pieces that stand for much */
        tci_ep_give_credit(ep);
    return result;
}

static bool run_large(tc_ep *ep, tci_current *current, uint16_t slot, const tci_payload *whole)
{
    if (slot >= ep->rx_slot_count || ep->rx_slots[slot].main == NULL)
        return false;
    current->fn = ep->rx_slots[slot].fn;
    ep->rx_slots[slot].main(whole->bytes, (size_t)whole->size, ep->hub->target_args);
    return true;
}

static outcome on_piece(tc_ep *ep, tci_current *current, const tci_frame *f,
                        const uint8_t *frame, size_t bytes)
{
    tc_error error = {0};
    tci_payload whole = {0};
    outcome result = BOUND;
    tc_status status = tci_large_receive(ep, f, frame + TCI_FRAME_HEADER_BYTES, &whole, &error);
    if (status == TC_E_AGAIN)
        return WAITING;
    if (status == TC_E_CORRUPT)
        return broken(ep, &error);
    if (status != TC_OK) {
        TC_LOG(TC_LOG_WARN, "endpoint %u: %s", ep->connection, error.text);
        tell_why(ep, TCI_CONTROL_TOO_LARGE, f->slot, &error);
        result = DROPPED;
    } else if (whole.bytes != NULL || whole.outside) {
        result = whole.bytes != NULL && run_large(ep, current, f->slot, &whole) ? RUN : DROPPED;
    }
    tci_large_done(ep, &whole);
    tci_consumer_advance(&ep->rx, bytes);
    if (f->flags != 0) /* a small frame that stands for much: its sender waits for the room */
        tci_ep_give_credit(ep);
    return result;
}

/* A function (or, with `payload_only`, just one payload) that the peer would not have. */
static void on_refused(tc_ep *ep, const tci_frame *f, const uint8_t *payload, bool payload_only)
{
    tci_reader r;
    tci_reader_init(&r, payload, f->payload_size);
    int32_t status = (int32_t)tci_read_u32(&r);
    size_t text_size = tci_reader_left(&r);
    const uint8_t *text = tci_read_bytes(&r, text_size);
    if (r.failed || f->slot >= ep->hub->options.functions_max)
        return;
    if (ep->refusal == NULL && (ep->refusal = calloc(1, sizeof *ep->refusal)) == NULL)
        return;
    tci_error_set(ep->refusal, (tc_status)status, "%.*s", (int)text_size, (const char *)text);
    ep->refusals++;
    if (!payload_only)
        ep->tx_state[f->slot] = TCI_TX_REFUSED;
    else if (ep->partial != NULL && ep->partial->fn->index == f->slot)
        ep->partial->refused = true;
    TC_LOG(TC_LOG_WARN, "endpoint %u: the peer refused a %s: %s", ep->connection,
           payload_only ? "payload" : "function", ep->refusal->text);
}

static outcome on_control(tc_ep *ep, const tci_frame *f, const uint8_t *frame, size_t bytes)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX];
    tc_error error;
    tci_content_id id;
    if (f->payload_size > sizeof payload) {
        tci_error_set(&error, TC_E_CORRUPT, "control frame of %u bytes, expected at most %zu",
                      f->payload_size, sizeof payload);
        return broken(ep, &error);
    }
    memcpy(payload, frame + TCI_FRAME_HEADER_BYTES, f->payload_size);
    tci_consumer_advance(&ep->rx, bytes);
    switch (f->flags) {
    case TCI_CONTROL_NEED:
        if (f->payload_size == sizeof id.bytes) {
            memcpy(id.bytes, payload, sizeof id.bytes);
            tci_code_send(ep, &id);
        }
        return DROPPED;
    case TCI_CONTROL_REFUSED:
        on_refused(ep, f, payload, false);
        return DROPPED;
    case TCI_CONTROL_TOO_LARGE:
        on_refused(ep, f, payload, true);
        return DROPPED;
    case TCI_CONTROL_CREDIT:
        tci_ep_give_credit(ep);
        return DROPPED;
    case TCI_CONTROL_SEGMENT:
        tci_landing_attach(ep, payload, f->payload_size);
        return DROPPED;
    case TCI_CONTROL_ATTACHED:
        tci_landing_open(ep);
        return DROPPED;
    default:
        TC_LOG(TC_LOG_DEBUG, "endpoint %u: control %u is unknown here", ep->connection,
               f->flags);
        return DROPPED;
    }
}

static outcome handle(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame)
{
    tci_code_section section;
    tc_error error;
    size_t bytes;
    if (tci_frame_check(f, frame, tci_consumer_room(&ep->rx), &bytes, &section, &error) !=
        TC_OK)
        return broken(ep, &error);
    switch (f->kind) {
    case TCI_FRAME_CODE:
        return on_code(ep, current, f, frame, &section, bytes);
    case TCI_FRAME_INJECT:
        return on_inject(ep, current, f, frame, &section, bytes);
    case TCI_FRAME_CONTROL:
        return on_control(ep, f, frame, bytes);
    case TCI_FRAME_PIECE:
        return on_piece(ep, current, f, frame, bytes);
    default:
        return on_call(ep, current, f, frame, bytes);
    }
}

/* Runs plain calls of bound slots, which all but a few frames are, up to a position, until
 * there is another kind of frame or none at all; *empty_out tells which. The ring's state is
 * kept in registers meanwhile: what is called cannot reach it. */
static inline unsigned run_calls(tc_ep *ep, tci_current *current, uint64_t end, bool *empty_out)
{
    const tci_rx_slot *const slots = ep->rx_slots;
    const size_t slot_count = ep->rx_slot_count;
    const tci_hub *const hub = ep->hub;
    tci_consumer rx = ep->rx;
    unsigned run = 0;
    *empty_out = true;
    while (tci_consumer_has_frame(&rx)) {
        uint8_t *frame = rx.ring + (rx.head & rx.mask);
        const uint64_t word = tci_ring_load_word(frame + 8);
        const tci_frame f = tci_frame_of_word(word);
        const size_t bytes = TCI_FRAME_HEADER_BYTES + (size_t)f.payload_size;
        if (rx.head >= end || f.kind != TCI_FRAME_CALL || f.slot >= slot_count ||
            bytes > tci_consumer_room(&rx) || slots[f.slot].main == NULL) {
            *empty_out = false;
            break;
        }
        current->fn = slots[f.slot].fn;
        slots[f.slot].main(frame + TCI_FRAME_HEADER_BYTES, f.payload_size, hub->target_args);
        tci_consumer_advance(&rx, bytes);
        run++;
    }
    ep->rx.head = rx.head;
    ep->rx.signal = rx.signal;
    return run;
}

/* The frame at the head, whatever it is. False: nothing more can be done here now. */
static bool run_other(tc_ep *ep, tci_current *current, unsigned *run)
{
    uint64_t word;
    uint8_t *frame = tci_consumer_peek(&ep->rx, &word);
    if (frame == NULL)
        return false;
    current->fn = NULL; /* the one that ran before may go now, to make room for another */
    const tci_frame f = tci_frame_of_word(word);
    outcome result = handle(ep, current, &f, frame);
    if (result == DROPPED && f.kind != TCI_FRAME_CONTROL)
        ep->hub->counters[TCI_MESSAGES_DROPPED]++;
    *run += result == RUN;
    return result == RUN || result == DROPPED || result == BOUND;
}

/* What run_calls left: a frame of another kind, and what is behind it. */
static __attribute__((noinline)) unsigned run_rest(tc_ep *ep, tci_current *current,
                                                   uint64_t end)
{
    unsigned run = 0;
    bool empty = false;
    while (!empty && ep->rx.head < end) {
        if (!run_other(ep, current, &run))
            break;
        run += run_calls(ep, current, end, &empty);
    }
    return run;
}

/* A peer that maps the ring is told after each batch: it may be waiting for the last of its
 * messages, and a store costs next to nothing. Any other is told when an eighth is due. */
static inline void settle_credit(tc_ep *ep)
{
    if (ep->peer_delivery == TCI_HELLO_DIRECT) {
        tci_consumer_publish(&ep->rx);
        tci_bell_after_credit(ep);
    } else if (tci_consumer_owes_credit(&ep->rx)) {
        tci_ep_give_credit(ep);
    }
}

unsigned tci_dispatch_run(tc_ep *ep)
{
    tci_hub *hub = ep->hub;
    tci_current *current = tci_current_get();
    tc_ep *outer = current->ep;
    const uint64_t eighth = (ep->rx.mask + 1) >> TCI_RING_CREDIT_SHIFT;
    const uint64_t end = ep->rx.head + (eighth < BUDGET ? eighth : BUDGET);
    bool empty;
    current->ep = ep;
    hub->attention |= TCI_RUNNING;
    unsigned run = run_calls(ep, current, end, &empty);
    if (__builtin_expect(!empty, 0))
        run += run_rest(ep, current, end);
    hub->attention &= ~(unsigned)TCI_RUNNING;
    current->ep = outer;
    if (ep->state == TCI_EP_OPEN)
        tci_ep_watch_head(ep);
    settle_credit(ep);
    ep->run_messages += run;
    return run;
}
