/* The windows of a context: numbers, generations, and the peers that each is open to. */
#ifndef TCI_WINDOWS_H
#define TCI_WINDOWS_H

#include "core/ep.h"
#include "modules/windows/window_blocks.h"
#include "modules/windows/window_views.h"

#include <tc/window.h>

/* Windows of one context: those that are open, and numbers that are worn out. */
#define TCI_WINDOWS_MAX 4096u

typedef struct tci_window {
    uint8_t *memory; /* NULL: closed */
    uint64_t bytes;
    uint64_t arena_next; /* the first offset that is not allocated */
    uint32_t rights;
    uint16_t generation; /* of the newest use; UINT16_MAX and closed: never used again */
    uint16_t connection; /* with token: of the peer */
    bool has_peer;
    uint64_t token;
    uint64_t group;     /* its id, or 0 */
    char *identity;     /* or NULL */
    tci_segment shared; /* has the memory, if it has a base */
} tci_window;

/* Zero at first. */
typedef struct tci_windows {
    const char *made_by; /* windows_module.c: another module's table is left alone */
    tci_window *table;
    size_t count; /* numbers in use so far */
    size_t capacity;
    size_t open;
    tci_window_views views;
    tci_window_blocks blocks; /* of chains that this side begins */
    tc_ifunc *fn; /* that serves requests: windows_function.h; NULL: not needed so far */
} tci_windows;

/* Closes all. */
void tci_windows_fini(tci_windows *windows);

/* See tc_window_open. */
TC_MUST_CHECK tc_status tci_windows_open(tci_windows *windows, const tci_core *core,
                                         const tc_window_params *params, tc_gptr *window_out,
                                         tc_error *err);

/* Returns an open window, or NULL. */
tci_window *tci_windows_at(const tci_windows *windows, tc_gptr at);

/* TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_windows_close(tci_windows *windows, tc_gptr at);

/* Finds the window that a peer names, and checks that it is open to that peer with this right.
 * TC_E_NOT_FOUND, TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_windows_find(const tci_windows *windows, const tc_ep *peer,
                                         uint16_t number, uint16_t generation, uint32_t right,
                                         tci_window **window_out, tc_error *err);

/* Returns whether the bytes are inside the window. */
static inline bool tci_window_holds(const tci_window *window, uint64_t offset, uint64_t bytes)
{
    return offset <= window->bytes && bytes <= window->bytes - offset;
}

#endif
