/* Slots: binding them to functions, making them callable, and following changes of the
 * registry's functions (tci_slots_changed, tci_slots_evict). */
#include "dispatch/slots.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/logger.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "core/usage_ops.h"
#include "dispatch/slot_quota.h"
#include "dispatch/slot_search.h"
#include "ifunc/holes_ops.h"
#include "ifunc/ifunc_load.h"
#include "ifunc/libraries_ops.h"
#include "ifunc/trust_ops.h"
#include "transfer/code_in.h"
#include "transfer/frame_out.h"

#include <stdlib.h>

#define SLOTS_MAX 65536u /* a number has 16 bits */

static bool grow(tc_ep *ep, uint16_t slot)
{
    size_t count = ep->rx.slot_count;
    if (slot < count)
        return true;
    while (count <= slot)
        count = count == 0 ? 4 : 2 * count;
    tci_rx_slot *slots = realloc(ep->rx.slots, count * sizeof *slots); /* bound: SLOTS_MAX */
    if (slots == NULL)
        return false;
    memset(slots + ep->rx.slot_count, 0, (count - ep->rx.slot_count) * sizeof *slots);
    ep->rx.slots = slots;
    ep->rx.slot_count = count;
    TCI_INVARIANT_IS(slot_table, slot, <, ep->rx.slot_count);
    return true;
}

static void hold(tc_ep *ep, uint16_t slot, tc_ifunc *fn, bool is_signed)
{
    fn->bound++;
    TCI_INVARIANT_IS(slot_bound, fn->bound, <=, fn->references);
    fn->bound_connection = ep->connection;
    fn->bound_slot = slot;
    ep->rx.slots[slot].fn = fn;
    ep->rx.slots[slot].is_signed = is_signed;
}

static void let_go(tc_ifunc *fn)
{
    TCI_INVARIANT_IS(slot_bound, fn->bound, >, 0);
    TCI_INVARIANT_IS(slot_bound, fn->bound, <=, fn->references);
    fn->bound--;
    tci_registry_release(fn);
}

/* Makes the slot callable. A slot with `main` accepts payloads as they lie in frames. */
static void open_slot(tci_rx_slot *entry)
{
    TCI_INVARIANT(slot_callable,
                  entry->fn->state == TCI_LOADED && entry->fn->entry.main != NULL);
    const bool takes_any = entry->fn->alignment <= TCI_PAYLOAD_ALIGNMENT_MIN;
    entry->main = takes_any ? entry->fn->entry.main : NULL;
    entry->callable = true;
}

static void close_slot(tci_rx_slot *entry)
{
    entry->main = NULL;
    entry->callable = false;
}

static void clear(tc_ep *ep, uint16_t slot)
{
    tci_rx_slot *entry = &ep->rx.slots[slot];
    if (entry->fn != NULL && entry->fn->state == TCI_LOADING) /* it may never be asked for */
        tci_limits_charge_compile(ep, tci_clock_ns() - entry->fn->seen_ns);
    if (entry->fn != NULL)
        let_go(entry->fn);
    free(entry->evicted);
    *entry = (tci_rx_slot){0};
}

void tci_slots_free(tc_ep *ep)
{
    for (size_t slot = 0; slot < ep->rx.slot_count; slot++)
        clear(ep, (uint16_t)slot);
    free(ep->rx.slots);
}

/* --- notifying the peer ------------------------------------------------------------------ */

void tci_slot_report(tc_ep *ep, tci_control control, uint16_t slot, const tc_error *error)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX];
    tci_writer w;
    size_t text = strlen(error->text);
    if (text > sizeof payload - 4)
        text = sizeof payload - 4;
    tci_writer_init(&w, payload, sizeof payload);
    tci_write_u32(&w, (uint32_t)(int32_t)error->status);
    tci_write_bytes(&w, error->text, text);
    tci_frame_out_control(ep, control, slot, payload, w.at);
}

void tci_slot_refuse(tc_ep *ep, uint16_t slot, const tc_error *error)
{
    tci_usage_note(ep->core, ep, slot < ep->rx.slot_count ? ep->rx.slots[slot].fn : NULL,
                   TCI_USAGE_REFUSED, 0);
    if (slot < ep->rx.slot_count)
        clear(ep, slot);
    TC_LOG_RATIONED(&ep->log, TC_LOG_WARN, "endpoint %u: function refused: %s", ep->connection,
                    error->text);
    ep->core->counters[TCI_CODE_REFUSED]++;
    ep->core->counters[TCI_CODE_UNTRUSTED] += error->status == TC_E_REFUSED;
    tci_limits_note_code(ep, NULL, error);
    tci_slot_report(ep, TCI_CONTROL_REFUSED, slot, error);
}

void tci_slot_notify(tc_ep *ep, uint16_t slot)
{
    tci_rx_slot *entry = &ep->rx.slots[slot];
    entry->notify = !entry->callable;
    if (!entry->notify)
        tci_frame_out_control(ep, TCI_CONTROL_PREPARED, slot, NULL, 0);
}

/* --- code -------------------------------------------------------------------------------- */

static tc_status add_copy(tc_ep *ep, const uint8_t *bytes, const tci_code_section *section,
                          tc_ifunc **fn_out, tc_error *err)
{
    size_t attached = tci_code_section_attached(section) - section->signature_size;
    ep->core->counters[TCI_CODE_RECEIVED]++;
    const tci_registry_code code = {.archive = bytes,
                                    .archive_size = section->archive_size,
                                    .deps = bytes + section->archive_size,
                                    .deps_size = section->deps_size,
                                    .expected = &section->id,
                                    .signature =
                                        section->signature_size > 0 ? bytes + attached : NULL,
                                    .arrived = true};
    return tci_registry_add(&ep->core->registry, &code, fn_out, err);
}

/* Copies the code out of the ring before anything reads it: the peer may still be writing
 * there. */
static tc_status take_attached(tc_ep *ep, const uint8_t *bytes, const tci_code_section *section,
                               tc_ifunc **fn_out, tc_error *err)
{
    size_t size = tci_code_section_attached(section);
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "code of %zu bytes: out of memory", size);
    memcpy(copy, bytes, size);
    tc_status status = add_copy(ep, copy, section, fn_out, err);
    free(copy);
    return status;
}

/* Takes code that was requested. The section is the one of the request, never that of the
 * frame: the frame's bytes are the peer's, which may change them at any time. */
static tc_status take_awaited(tc_ep *ep, uint16_t slot, const tci_code_section *section,
                              tc_ifunc **fn_out, tc_error *err)
{
    const uint8_t *bytes;
    TC_TRY(tci_code_in_await(ep, slot, section, &bytes, err));
    tc_status status = add_copy(ep, bytes, &ep->rx.incoming.section, fn_out, err);
    tci_code_in_forget(ep);
    return status;
}

/* Returns whether a signature may bring other rules for a function that is known without
 * one. */
static bool says_more(const tci_registry *registry, const tc_ifunc *known,
                      const tci_code_section *section)
{
    return registry->scope.policy != NULL && section->signature_size > 0 &&
           known->signer[0] == '\0';
}

/* A frame other than the one that the code was requested for ends the endpoint. Code that
 * another peer has brought meanwhile is no longer requested. */
tc_status tci_slot_find_code(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                             const tci_code_section *section, tc_ifunc **fn_out, tc_error *err)
{
    if (ep->rx.incoming.wanted && (attached != NULL || !tci_code_in_is_awaited(ep, section)))
        return tci_ep_fail_with(ep, TC_E_CORRUPT,
                                "a frame changed while it waited for its code");
    tc_ifunc *known = tci_registry_find(&ep->core->registry, &section->id);
    if (known != NULL)
        tci_trust_check_end(known);
    if (!ep->rx.incoming.wanted)
        TC_TRY(tci_limits_check_code(ep, section, known, err));
    if (known != NULL && known->standing == TCI_STANDING_OPEN &&
        !says_more(&ep->core->registry, known, section)) {
        tci_code_in_forget(ep);
        tci_registry_retain(known);
        *fn_out = known;
        return TC_OK;
    }
    if (!ep->rx.incoming.wanted)
        TC_TRY(tci_trust_check_section(&ep->core->registry, section, err));
    if (!ep->rx.incoming.wanted && known == NULL)
        TC_TRY(tci_slot_quota_check_places(ep, err));
    if (attached != NULL)
        return take_attached(ep, attached, section, fn_out, err);
    return take_awaited(ep, slot, section, fn_out, err);
}

static tc_status find_code(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                           const tci_code_section *section, tc_ifunc **fn_out, tc_error *err)
{
    const tci_holes_ops *holes = ep->core->registry.holes;
    return holes != NULL ? holes->find_code(ep, slot, attached, section, fn_out, err)
                         : tci_slot_find_code(ep, slot, attached, section, fn_out, err);
}

static bool is_bound_to(const tc_ep *ep, uint16_t slot, const tci_content_id *id)
{
    return slot < ep->rx.slot_count && ep->rx.slots[slot].fn != NULL &&
           tci_content_id_equal(&ep->rx.slots[slot].fn->id, id);
}

/* Releases the slot's old function first, so that it may make space for the new one. */
static tc_status bind(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                      const tci_code_section *section, tc_error *err)
{
    tc_ifunc *fn;
    if (!grow(ep, slot))
        return tci_error_set(err, TC_E_NO_MEMORY, "slots: out of memory");
    clear(ep, slot);
    TC_TRY(find_code(ep, slot, attached, section, &fn, err));
    hold(ep, slot, fn, section->signature_size > 0);
    if (fn->alignment > ep->rx.payload_alignment)
        ep->rx.payload_alignment = fn->alignment;
    return TC_OK;
}

/* --- callable ---------------------------------------------------------------------------- */

/* Charges the compilation to the first peer that asks for its result. */
static void charge(tc_ep *ep, tc_ifunc *fn)
{
    tci_limits_charge_compile(ep, fn->work_ns);
    fn->work_ns = 0;
}

/* Checks whether the key that signed the function has ended. If so, every other slot that holds
 * it is refused here, and this slot by the caller. */
static tc_status judge(tc_ep *ep, uint16_t slot, tc_error *err)
{
    tc_ifunc *fn = ep->rx.slots[slot].fn;
    ep->rx.slots[slot].fn = NULL;
    tci_trust_check_end(fn);
    ep->rx.slots[slot].fn = fn;
    return fn->standing == TCI_STANDING_OPEN ? TC_OK : tci_trust_judge(fn, err);
}

/* The end of the library, which housekeeping brings, evicts the function. The frame is checked
 * again after that. */
static tc_status await_end(tc_ep *ep)
{
    ep->rx.loading = true;
    tci_pending_add(&ep->core->pending, TCI_WORK_SERVICE);
    return TC_E_AGAIN;
}

/* Unloads a function that exceeds the share of ep, unless others wait for it. Otherwise it
 * would evict functions that other peers call. */
static tc_status check_memory(tc_ep *ep, tc_ifunc *fn, tc_error *err)
{
    tc_status status = tci_slot_quota_check_memory(ep, fn, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", tci_archive_name(fn->archive));
    if (status != TC_OK && fn->references == 1)
        tci_ifunc_load_undo(fn);
    return status;
}

/* Loads the slot's function. One more slot takes no more memory for code that is callable
 * already. */
static tc_status load(tc_ep *ep, uint16_t slot, tc_error *err)
{
    tc_ifunc *fn = ep->rx.slots[slot].fn;
    TC_TRY(judge(ep, slot, err));
    if (tci_libraries_ends_soon(fn))
        return await_end(ep);
    if (fn->state == TCI_NOT_LOADED)
        TC_TRY(tci_limits_check_compile(ep, err));
    tc_status status = tci_ifunc_load_soon(fn, err);
    ep->rx.loading = status == TC_E_AGAIN;
    if (status != TC_E_AGAIN)
        charge(ep, fn);
    if (status != TC_OK)
        return status;
    tc_error full;
    const bool called = fn->bound > 1 && tci_slot_search_is_called(ep->core, fn);
    if (!called)
        TC_TRY(check_memory(ep, fn, err));
    status = tci_registry_trim(&ep->core->registry, fn, &full);
    if (status == TC_OK || called) {
        open_slot(&ep->rx.slots[slot]);
        tci_limits_note_code(ep, fn, NULL);
        return TC_OK;
    }
    tci_error_prefix(&full, "%s", tci_archive_name(fn->archive));
    tci_ifunc_load_refuse(fn, &full);
    return tci_ifunc_load(fn, err);
}

tc_status tci_slot_bind(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                        const tci_code_section *section, tc_error *err)
{
    if (!is_bound_to(ep, slot, &section->id))
        TC_TRY(bind(ep, slot, attached, section, err));
    else if (tci_trust_has_ended(ep->rx.slots[slot].fn))
        close_slot(&ep->rx.slots[slot]);
    return ep->rx.slots[slot].callable ? TC_OK : load(ep, slot, err);
}

tc_status tci_slot_ready(tc_ep *ep, uint16_t slot, tc_error *err)
{
    tci_rx_slot *entry = &ep->rx.slots[slot];
    TCI_INVARIANT(slot_evicted,
                  entry->evicted == NULL || (entry->fn == NULL && !entry->callable));
    if (entry->callable)
        return TC_OK;
    if (entry->evicted != NULL) {
        tc_ifunc *fn;
        TC_TRY(find_code(ep, slot, NULL, entry->evicted, &fn, err));
        bool is_signed = entry->evicted->signature_size > 0;
        free(entry->evicted);
        *entry = (tci_rx_slot){0};
        hold(ep, slot, fn, is_signed);
    }
    if (entry->fn == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "slot %u has no function", slot);
    return load(ep, slot, err);
}

/* --- changes of functions ---------------------------------------------------------------- */

/* `fn` has one reference besides those of slots. */
static void refuse_prepared(tc_ep *ep, uint16_t slot, tc_ifunc *fn, tc_error *error)
{
    tci_error_prefix(error, "%s", tci_archive_name(fn->archive));
    tci_slot_refuse(ep, slot, error);
    if (fn->references == 1)
        tci_ifunc_load_undo(fn);
}

/* A slot that is not callable becomes callable with its next call, which also enforces the
 * bound of code. */
static void slot_changed(tc_ep *ep, uint16_t slot, tc_ifunc *fn)
{
    tci_rx_slot *entry = &ep->rx.slots[slot];
    bool notify = entry->notify;
    tc_error error;
    ep->rx.loading = false; /* a frame that waits for it may continue: no sleep before that */
    if (fn->standing != TCI_STANDING_OPEN) { /* since a moment ago */
        tci_error_set(&error, TC_E_REFUSED, "the function is not trusted any more");
        tci_slot_refuse(ep, slot, fn->load_error != NULL ? fn->load_error : &error);
        return;
    }
    if (entry->callable && fn->state == TCI_LOADED)
        open_slot(entry);
    else if (entry->callable) /* its next call binds it again */
        close_slot(entry);
    entry->notify = false;
    if (notify && fn->state == TCI_LOADED &&
        tci_slot_quota_check_memory(ep, fn, &error) != TC_OK)
        refuse_prepared(ep, slot, fn, &error);
    else if (notify && fn->state == TCI_LOADED)
        tci_frame_out_control(ep, TCI_CONTROL_PREPARED, slot, NULL, 0);
    else if (notify && fn->state == TCI_LOAD_FAILED)
        tci_slot_refuse(ep, slot, fn->load_error);
    else
        entry->notify = notify; /* it is loaded once more */
}

void tci_slots_changed(tci_core *core, tc_ifunc *fn)
{
    tci_registry_retain(fn);
    tci_slot_search_each(core, fn, slot_changed);
    tci_registry_release(fn);
}

/* Without memory to remember the section, the slot keeps its function, which is then only
 * unloaded. */
static void evict_slot(tc_ep *ep, uint16_t slot, tc_ifunc *fn)
{
    tci_rx_slot *entry = &ep->rx.slots[slot];
    close_slot(entry);
    ep->rx.loading = false; /* a frame that waits for it may continue */
    tci_code_section *evicted = malloc(sizeof *evicted);
    if (evicted == NULL)
        return;
    *evicted = (tci_code_section){
        .id = fn->id,
        .archive_size = (uint32_t)fn->archive_size,
        .deps_size = (uint32_t)(fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size),
        .signature_size = entry->is_signed ? TCI_CODE_SIGNATURE_BYTES : 0};
    TCI_INVARIANT(slot_evicted, entry->evicted == NULL);
    entry->evicted = evicted;
    entry->fn = NULL;
    let_go(fn);
}

void tci_slots_evict(tci_core *core, tc_ifunc *fn)
{
    core->counters[TCI_CODE_EVICTED]++;
    tci_usage_note(core, NULL, fn, TCI_USAGE_EVICTED, 0);
    tci_slot_search_each(core, fn, evict_slot);
}
