/* Messages that bring their code along and leave nothing behind. */
#ifndef TCI_INJECT_RUN_H
#define TCI_INJECT_RUN_H

#include "core/ep.h"

/* A call that can be made once. */
typedef struct tci_injected_call {
    void (*main)(void *payload, size_t payload_size, void *target_args);
    uint8_t *payload;
    size_t payload_size;
} tci_injected_call;

/* Prefetches the cache lines of an INJECT frame that are read next, before the frame is
 * checked: the code, which lies behind the payload, and the payload, which arrives while the
 * code is placed. The size in the header need not be valid: nothing is read. Meanwhile the
 * expected code is written. */
static inline void tci_inject_fetch(const tc_ep *ep, const tci_frame *f, const uint8_t *frame)
{
    const uintptr_t line = 64, payload_max = 1024;
    const uintptr_t begin = (uintptr_t)frame,
                    code = begin + tci_frame_code_offset(f->payload_size);
    const uintptr_t end =
        begin + (f->payload_size < payload_max ? f->payload_size : payload_max);
    for (unsigned i = 0; i < 4; i++)
        __builtin_prefetch((const void *)(code + i * line));
    for (uintptr_t at = begin + line; at < end; at += line)
        __builtin_prefetch((const void *)at);
    if (ep->core->injector != NULL)
        ep->core->registry.loading->injector_expect(ep->core->injector);
}

/* Called when no message came in this turn. Writes the expected code before its message
 * comes. */
static inline void tci_inject_get_ahead(tci_core *core)
{
    if (tci_pending_take(&core->pending, TCI_CODE_AHEAD) != 0)
        core->registry.loading->injector_get_ahead(core->injector);
}

/* Finds the payload of a checked INJECT frame and makes the code behind it callable. Statuses
 * of tci_injector_place; *broken_out: the peer names an offset where no payload can lie. */
TC_MUST_CHECK tc_status tci_inject_prepare(tc_ep *ep, const tci_frame *f, uint8_t *frame,
                                           const tci_code_section *section,
                                           tci_injected_call *call_out, bool *broken_out,
                                           tc_error *err);

#endif
