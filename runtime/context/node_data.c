/* Data that a node provides for incoming functions: data that the program publishes by name,
 * and memory that each function keeps from call to call. */
#include "context/node_data.h"

#include "base/error_text.h"
#include "core/current.h"

#include <stdlib.h>
#include <tc/entry.h>

#define NAME_BYTES 64u
#define PUBLISHED_MAX 4096u    /* names; each look-up walks through them */
#define KEPT_STATES_MAX 65536u /* functions, also those that have left */

typedef struct tci_published {
    struct tci_published *next; /* bound: PUBLISHED_MAX */
    void *data;
    size_t size;
    char name[NAME_BYTES];
} tci_published;

/* Found by content id: the function's handle may be freed and made again. */
typedef struct tci_kept_state {
    struct tci_kept_state *next; /* bound: KEPT_STATES_MAX */
    tci_content_id id;
    size_t size;
    max_align_t bytes[];
} tci_kept_state;

static tci_published **find_published(tc_context *ctx, const char *name)
{
    tci_published **link = &ctx->published;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

tc_status tc_context_publish(tc_context *ctx, const char *name, void *data, size_t size,
                             tc_error *err)
{
    tci_published **link = find_published(ctx, name), *p = *link;
    if (strlen(name) >= NAME_BYTES)
        return tci_error_set(err, TC_E_INVALID,
                             "publish '%.80s': a name of %zu bytes, expected %u at most", name,
                             strlen(name), NAME_BYTES - 1);
    if (data == NULL && p != NULL) {
        *link = p->next;
        free(p);
        ctx->published_count--;
        return TC_OK;
    }
    if (data == NULL)
        return TC_OK;
    if (p == NULL) {
        if (ctx->published_count == PUBLISHED_MAX)
            return tci_error_set(err, TC_E_TOO_LARGE,
                                 "publish '%s': name %u, expected %u at most", name,
                                 ctx->published_count + 1, PUBLISHED_MAX);
        p = calloc(1, sizeof *p);
        if (p == NULL)
            return tci_error_set(err, TC_E_NO_MEMORY, "publish '%s': out of memory", name);
        memcpy(p->name, name, strlen(name));
        *link = p;
        ctx->published_count++;
    }
    p->data = data;
    p->size = size;
    return TC_OK;
}

void *tc_self_data(const char *name, size_t *size_out)
{
    const tci_current *current = tci_current_get();
    if (current->ep == NULL)
        return NULL;
    const tci_published *p = *find_published(current->ep->core->context, name);
    if (p == NULL)
        return NULL;
    if (size_out != NULL)
        *size_out = p->size;
    return p->data;
}

static tci_kept_state *make_state(tc_context *ctx, const tci_content_id *id, size_t size)
{
    tci_kept_state *state = NULL;
    if (ctx->state_count < KEPT_STATES_MAX && size < SIZE_MAX - sizeof *state)
        state = calloc(1, sizeof *state + size);
    if (state == NULL)
        return NULL;
    state->id = *id;
    state->size = size;
    state->next = ctx->states;
    ctx->states = state;
    ctx->state_count++;
    return state;
}

void *tc_self_state(size_t size)
{
    const tci_current *current = tci_current_get();
    if (current->ep == NULL || current->fn == NULL)
        return NULL;
    tc_context *ctx = current->ep->core->context;
    tci_kept_state *state = ctx->states;
    while (state != NULL && !tci_content_id_equal(&state->id, &current->fn->id))
        state = state->next;
    if (state == NULL)
        state = make_state(ctx, &current->fn->id, size);
    return state != NULL && state->size == size ? state->bytes : NULL;
}

void tci_node_data_free(tc_context *ctx)
{
    while (ctx->published != NULL) {
        tci_published *p = ctx->published;
        ctx->published = p->next;
        free(p);
    }
    while (ctx->states != NULL) {
        tci_kept_state *state = ctx->states;
        ctx->states = state->next;
        free(state);
    }
}
