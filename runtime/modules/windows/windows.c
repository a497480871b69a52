#include "modules/windows/windows.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "modules/calls/groups.h"
#include "modules/windows/window_request.h"

#include <inttypes.h>
#include <stdlib.h>

static void empty(tci_window *window)
{
    free(window->identity);
    tci_segment_detach(&window->shared);
    *window = (tci_window){.generation = window->generation};
}

void tci_windows_fini(tci_windows *windows)
{
    for (size_t i = 0; i < windows->count; i++)
        empty(&windows->table[i]);
    free(windows->table);
    tci_window_views_free(&windows->views);
    tci_window_blocks_free(&windows->blocks);
    windows->table = NULL;
    windows->count = windows->capacity = windows->open = 0;
}

/* --- opening ------------------------------------------------------------------------------ */

static tc_status check_names(const tci_core *core, const tc_window_params *params,
                             tc_error *err)
{
    const bool named = params->identity != NULL && params->identity[0] != '\0';
    if (params->peer == NULL && params->group == NULL && !named)
        return tci_error_set(err, TC_E_INVALID,
                             "window: found no peer, group or identity, expected one at least");
    if ((params->peer != NULL && params->peer->core != core) ||
        (params->group != NULL && params->group->core != core))
        return tci_error_set(err, TC_E_INVALID, "window: a peer or group of another context");
    return TC_OK;
}

static tc_status check(const tci_core *core, const tc_window_params *params, tc_error *err)
{
    const uint64_t first = (uintptr_t)params->memory;
    if (params->shared > 1 || (params->shared == 1 && params->memory != NULL))
        return tci_error_set(err, TC_E_INVALID,
                             "window: shared is %" PRIu32 " with memory at %p, expected 1 with "
                             "none, or 0",
                             params->shared, params->memory);
    if ((params->memory == NULL && params->shared == 0) || params->bytes == 0 ||
        params->bytes > UINTPTR_MAX - first)
        return tci_error_set(err, TC_E_INVALID,
                             "window: %" PRIu64 " bytes at %p, expected memory of 1 byte at "
                             "least",
                             params->bytes, params->memory);
    if (params->rights == 0 || (params->rights & ~TCI_WINDOW_RIGHTS) != 0)
        return tci_error_set(err, TC_E_INVALID, "window: rights %#x, expected some of %#x",
                             params->rights, TCI_WINDOW_RIGHTS);
    if ((params->rights & TC_WINDOW_ATOMIC) != 0 && first % TCI_WINDOW_VALUE_BYTES != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "window: memory for atomic operations at %p, expected a multiple "
                             "of 8",
                             params->memory);
    if (params->arena_begin > params->bytes)
        return tci_error_set(err, TC_E_INVALID,
                             "window: an arena from %" PRIu64 " on, expected %" PRIu64
                             " at most",
                             params->arena_begin, params->bytes);
    return check_names(core, params, err);
}

static tc_status grow(tci_windows *windows, tc_error *err)
{
    const size_t capacity = windows->capacity == 0 ? 4 : 2 * windows->capacity;
    if (windows->capacity == TCI_WINDOWS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "window: %zu are open or have a number that is worn out, expected "
                             "%u at most",
                             windows->count + 1, TCI_WINDOWS_MAX);
    /* bound: TCI_WINDOWS_MAX */
    tci_window *table = realloc(windows->table, capacity * sizeof *table);
    if (table == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "window: out of memory");
    windows->table = table;
    windows->capacity = capacity;
    return TC_OK;
}

/* Finds a number that is free: a closed window's first, unless its generations are used up. */
static tc_status find_free(tci_windows *windows, size_t *number_out, tc_error *err)
{
    for (size_t i = 0; i < windows->count && windows->open < windows->count; i++) {
        if (windows->table[i].memory == NULL && windows->table[i].generation < UINT16_MAX) {
            *number_out = i;
            return TC_OK;
        }
    }
    if (windows->count == windows->capacity)
        TC_TRY(grow(windows, err));
    windows->table[windows->count] = (tci_window){0};
    *number_out = windows->count++;
    return TC_OK;
}

static tc_status copy_identity(const char *identity, char **copy_out, tc_error *err)
{
    *copy_out = NULL;
    if (identity == NULL || identity[0] == '\0')
        return TC_OK;
    const size_t size = strlen(identity) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "window: out of memory");
    memcpy(copy, identity, size);
    *copy_out = copy;
    return TC_OK;
}

static tc_status make_memory(const tc_window_params *params, tci_segment *shared_out,
                             tc_error *err)
{
    *shared_out = (tci_segment){.id = TCI_SEGMENT_NONE};
    return params->shared != 0 ? tci_window_share_create(params->bytes, shared_out, err)
                               : TC_OK;
}

tc_status tci_windows_open(tci_windows *windows, const tci_core *core,
                           const tc_window_params *params, tc_gptr *window_out, tc_error *err)
{
    char *identity;
    size_t number;
    tci_segment shared;
    TC_TRY(check(core, params, err));
    TC_TRY(find_free(windows, &number, err));
    TC_TRY(make_memory(params, &shared, err));
    tc_status status = copy_identity(params->identity, &identity, err);
    if (status != TC_OK) {
        tci_segment_detach(&shared);
        return status;
    }
    tci_window *window = &windows->table[number];
    *window = (tci_window){.memory = params->shared != 0 ? tci_window_share_memory(&shared)
                                                         : params->memory,
                           .shared = shared,
                           .bytes = params->bytes,
                           .arena_next = params->arena_begin,
                           .rights = params->rights,
                           .generation = (uint16_t)(window->generation + 1),
                           .has_peer = params->peer != NULL,
                           .group = params->group != NULL ? params->group->id : 0,
                           .identity = identity};
    if (params->peer != NULL) {
        window->connection = params->peer->connection;
        window->token = params->peer->token;
    }
    windows->open++;
    TCI_INVARIANT_IS(window_count, windows->open, <=, windows->count);
    TCI_INVARIANT_IS(window_arena, window->arena_next, <=, window->bytes);
    *window_out = (tc_gptr){.window = (uint16_t)number,
                            .generation = window->generation,
                            .rank = params->group != NULL ? params->group->rank : TC_RANK_NONE};
    return TC_OK;
}

/* --- finding ------------------------------------------------------------------------------ */

static tci_window *find(const tci_windows *windows, uint16_t number, uint16_t generation)
{
    if (number >= windows->count)
        return NULL;
    tci_window *window = &windows->table[number];
    return window->memory != NULL && window->generation == generation ? window : NULL;
}

tci_window *tci_windows_at(const tci_windows *windows, tc_gptr at)
{
    return find(windows, at.window, at.generation);
}

tc_status tci_windows_close(tci_windows *windows, tc_gptr at)
{
    tci_window *window = find(windows, at.window, at.generation);
    if (window == NULL)
        return TC_E_NOT_FOUND;
    TCI_INVARIANT_IS(window_count, windows->open, >, 0);
    windows->open--;
    empty(window);
    return TC_OK;
}

/* An endpoint is known by its connection and token, as its memory may be another one's now. */
static bool is_for(const tci_window *window, const tc_ep *peer)
{
    if (window->has_peer && window->connection == peer->connection &&
        window->token == peer->token)
        return true;
    if (window->group != 0 && peer->member.group != NULL &&
        peer->member.group->id == window->group)
        return true;
    return window->identity != NULL && strcmp(window->identity, peer->peer.identity) == 0;
}

tc_status tci_windows_find(const tci_windows *windows, const tc_ep *peer, uint16_t number,
                           uint16_t generation, uint32_t right, tci_window **window_out,
                           tc_error *err)
{
    tci_window *window = find(windows, number, generation);
    if (window == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "window %u of generation %u is not open",
                             number, generation);
    if (!is_for(window, peer))
        return tci_error_set(
            err, TC_E_REFUSED, "window %u is not open to this peer (%s)", number,
            peer->peer.identity[0] != '\0' ? peer->peer.identity : "without a proved identity");
    if ((window->rights & right) == 0)
        return tci_error_set(err, TC_E_REFUSED,
                             "window %u is open with rights %#x, expected %#x", number,
                             window->rights, right);
    *window_out = window;
    return TC_OK;
}
