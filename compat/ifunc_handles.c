/* A table of slots. A handle is the number of a slot and the slot's generation, which each
 * registration and each deregistration increases. */
#include "ifunc_handles.h"

#include "compat_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define HANDLES_MAX 65536u
#define NUMBER_BITS 16

typedef struct place {
    _Atomic uint64_t generation; /* odd: registered */
    _Atomic(const tci_known_code *) code;
    ucp_context_h context;
    uint32_t next_free; /* number + 1 */
} place;

static struct {
    pthread_mutex_t lock;
    _Atomic(place *) places;
    uint32_t used;
    uint32_t first_free; /* number + 1; 0: unused */
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static place *place_of(ucp_ifunc_h handle, uint64_t *generation_out)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    place *places = atomic_load_explicit(&handles.places, memory_order_acquire);
    *generation_out = value >> NUMBER_BITS;
    if (places == NULL || (*generation_out & 1) == 0)
        return NULL;
    return &places[value & (HANDLES_MAX - 1)];
}

const tci_known_code *tci_ifunc_handle_code(ucp_ifunc_h handle)
{
    uint64_t generation;
    place *p = place_of(handle, &generation);
    if (p == NULL || atomic_load_explicit(&p->generation, memory_order_acquire) != generation)
        return NULL;
    return atomic_load_explicit(&p->code, memory_order_relaxed);
}

static ucs_status_t take_place(uint32_t *number_out)
{
    place *places = atomic_load_explicit(&handles.places, memory_order_relaxed);
    if (places == NULL) {
        places = calloc(HANDLES_MAX, sizeof *places);
        if (places == NULL)
            return tci_compat_refuse(UCS_ERR_NO_MEMORY, "handles");
        atomic_store_explicit(&handles.places, places, memory_order_release);
    }
    if (handles.first_free != 0) {
        *number_out = handles.first_free - 1;
        handles.first_free = places[*number_out].next_free;
        return UCS_OK;
    }
    if (handles.used == HANDLES_MAX)
        return tci_compat_refuse(UCS_ERR_EXCEEDS_LIMIT, "%u functions are registered",
                                 HANDLES_MAX);
    *number_out = handles.used++;
    return UCS_OK;
}

static ucs_status_t create_locked(ucp_context_h context, const tci_known_code *code,
                                  ucp_ifunc_h *handle_out)
{
    uint32_t number = 0;
    ucs_status_t status = take_place(&number);
    if (status != UCS_OK)
        return status;
    place *p = &atomic_load_explicit(&handles.places, memory_order_relaxed)[number];
    uint64_t generation = atomic_load_explicit(&p->generation, memory_order_relaxed) + 1;
    p->context = context;
    atomic_store_explicit(&p->code, code, memory_order_relaxed);
    atomic_store_explicit(&p->generation, generation, memory_order_release);
    *handle_out = (ucp_ifunc_h)(uintptr_t)(generation << NUMBER_BITS | number);
    return UCS_OK;
}

ucs_status_t tci_ifunc_handle_create(ucp_context_h context, const tci_known_code *code,
                                     ucp_ifunc_h *handle_out)
{
    pthread_mutex_lock(&handles.lock);
    ucs_status_t status = create_locked(context, code, handle_out);
    pthread_mutex_unlock(&handles.lock);
    return status;
}

static ucs_status_t destroy_locked(ucp_context_h context, ucp_ifunc_h handle)
{
    uint64_t generation;
    place *p = place_of(handle, &generation);
    if (p == NULL || atomic_load_explicit(&p->generation, memory_order_relaxed) != generation)
        return UCS_ERR_NO_ELEM;
    if (p->context != context)
        return UCS_ERR_INVALID_PARAM;
    atomic_store_explicit(&p->generation, generation + 1, memory_order_release);
    p->next_free = handles.first_free;
    handles.first_free =
        (uint32_t)(p - atomic_load_explicit(&handles.places, memory_order_relaxed)) + 1;
    return UCS_OK;
}

ucs_status_t tci_ifunc_handle_destroy(ucp_context_h context, ucp_ifunc_h handle)
{
    pthread_mutex_lock(&handles.lock);
    ucs_status_t status = destroy_locked(context, handle);
    pthread_mutex_unlock(&handles.lock);
    return status;
}
