#include "dispatch/payload_place.h"

#include "base/error_text.h"
#include "base/small_copy.h"

#include <string.h>

/* Kept for the next one; more goes back. */
#define KEEP_BYTES ((size_t)4 << 20)

static tc_status make_room(tci_core *core, size_t size, tc_error *err)
{
    tci_landing *copied = &core->copied;
    if (size < copied->room && (copied->room <= KEEP_BYTES || size > KEEP_BYTES))
        return TC_OK;
    tci_landing_free(copied);
    if (!tci_landing_make(size + 1, TCI_PAYLOAD_ALIGNMENT_MAX,
                          core->options.payload == TCI_PAYLOAD_READONLY, copied))
        return tci_error_set(err, TC_E_NO_MEMORY, "payload of %zu bytes: out of memory", size);
    return TC_OK;
}

tc_status tci_payload_place(tci_core *core, unsigned alignment, uint8_t **payload, size_t size,
                            tc_error *err)
{
    if (((uintptr_t)*payload & (alignment - 1)) == 0)
        return TC_OK;
    TC_TRY(make_room(core, size, err));
    if (size <= TCI_SMALL_COPY_MAX)
        tci_small_copy(core->copied.bytes, *payload, size);
    else
        memcpy(core->copied.bytes, *payload, size);
    *payload = core->copied.view;
    return TC_OK;
}

tc_status tci_payload_place_framed(tci_core *core, const tci_frame *f, unsigned alignment,
                                   uint8_t **payload, size_t *size, tc_error *err)
{
    size_t lead = 0;
    if (f->kind != TCI_FRAME_FRAGMENT && (f->flags & TCI_ALIGNED))
        TC_TRY(tci_frame_lead(*payload, *size, &lead, err));
    *payload += lead;
    *size -= lead;
    return tci_payload_place(core, alignment, payload, *size, err);
}
