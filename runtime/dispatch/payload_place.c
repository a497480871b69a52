#include "dispatch/payload_place.h"

#include "base/error_text.h"
#include "base/small_copy.h"
#include "ifunc/registry.h"

#include <string.h>

/* Memory kept for the next payload; more is freed. */
#define KEEP_BYTES ((size_t)4 << 20)

static tc_status make_room(tci_landing *landing, size_t size, bool read_only, tc_error *err)
{
    if (size < landing->capacity && (landing->capacity <= KEEP_BYTES || size > KEEP_BYTES))
        return TC_OK;
    tci_landing_free(landing);
    if (!tci_landing_make(size + 1, TCI_PAYLOAD_ALIGNMENT_MAX, read_only, landing))
        return tci_error_set(err, TC_E_NO_MEMORY, "payload of %zu bytes: out of memory", size);
    return TC_OK;
}

static tc_status copy_to(tci_landing *landing, bool read_only, uint8_t **payload, size_t size,
                         tc_error *err)
{
    TC_TRY(make_room(landing, size, read_only, err));
    if (size <= TCI_SMALL_COPY_MAX)
        tci_small_copy(landing->bytes, *payload, size);
    else
        memcpy(landing->bytes, *payload, size);
    *payload = landing->view;
    return TC_OK;
}

tc_status tci_payload_place(tci_core *core, unsigned alignment, uint8_t **payload, size_t size,
                            tc_error *err)
{
    if (((uintptr_t)*payload & (alignment - 1)) == 0)
        return TC_OK;
    return copy_to(&core->copied, core->options.payload == TCI_PAYLOAD_READONLY, payload, size,
                   err);
}

tc_status tci_payload_place_framed(tci_core *core, const tci_frame *f, const tc_ifunc *fn,
                                   uint8_t **payload, size_t *size, tc_error *err)
{
    size_t lead = 0;
    if (f->kind != TCI_FRAME_FRAGMENT && (f->flags & TCI_ALIGNED))
        TC_TRY(tci_frame_lead(*payload, *size, &lead, err));
    *payload += lead;
    *size -= lead;
    if (__builtin_expect(fn->payload_readonly, 0))
        return copy_to(&core->guarded, true, payload, *size, err);
    return tci_payload_place(core, fn->alignment, payload, *size, err);
}
