#include "dispatch/inject_run.h"

#include "core/module.h"
#include "dispatch/payload_place.h"
#include "ifunc/trust_ops.h"
#include "transfer/staging.h"

/* Finds the payload. Its offset and size are this side's own copies; its bytes remain the
 * sender's in any case. */
static tc_status find_payload(const tc_ep *ep, const tci_frame *f, uint8_t *frame,
                              tci_injected_call *call, bool *broken_out, tc_error *err)
{
    tci_staged staged;
    uint64_t max = ep->core->options.payload_bytes_max;
    call->payload = frame + TCI_FRAME_HEADER_BYTES;
    call->payload_size = f->payload_size;
    if ((f->flags & TCI_INJECT_STAGED) == 0)
        return TC_OK;
    tci_staged_decode(frame + TCI_FRAME_HEADER_BYTES, &staged);
    call->payload = tci_staging_at(ep, staged.offset, staged.size);
    call->payload_size = (size_t)staged.size;
    if (call->payload == NULL || staged.size == 0) {
        *broken_out = true;
        return tci_error_set(
            err, TC_E_CORRUPT, "injected payload of %llu bytes at %llu, where none can lie",
            (unsigned long long)staged.size, (unsigned long long)staged.offset);
    }
    if (staged.size > max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "payload of %llu bytes, option payload_bytes_max is %llu",
                             (unsigned long long)staged.size, (unsigned long long)max);
    return TC_OK;
}

tc_status tci_inject_prepare(tc_ep *ep, const tci_frame *f, uint8_t *frame,
                             const tci_code_section *section, tci_injected_call *call_out,
                             bool *broken_out, tc_error *err)
{
    tci_core *core = ep->core;
    const tci_registry *registry = &core->registry;
    *broken_out = false;
    if (registry->loading == NULL)
        return tci_module_absent("injected code", "engine", err);
    if (registry->trust != NULL && registry->trust->strict != NULL)
        return tci_error_set(
            err, TC_E_REFUSED,
            "injected code: it has neither an id nor a signature, and option %s "
            "is set; send the function by tc_send",
            registry->trust->strict);
    TC_TRY(find_payload(ep, f, frame, call_out, broken_out, err));
    TC_TRY(tci_payload_place(
        core, TCI_PAYLOAD_ALIGNMENT_MIN << (f->flags >> TCI_INJECT_ALIGNMENT_SHIFT),
        &call_out->payload, call_out->payload_size, err));
    if (core->injector == NULL)
        TC_TRY(registry->loading->injector_create(registry->engine, &registry->scope,
                                                  &core->injector, err));
    tci_pending_add(&core->pending, TCI_CODE_AHEAD);
    const uint8_t *code =
        frame + tci_frame_code_offset(f->payload_size) + TCI_INJECT_SECTION_BYTES;
    return registry->loading->injector_place(core->injector, code, section->archive_size,
                                             section->deps_size, &call_out->main, err);
}
