/* Windows of peers that this context has mapped. */
#ifndef TCI_WINDOW_VIEWS_H
#define TCI_WINDOW_VIEWS_H

#include "modules/windows/window_share.h"

#include <tc/window_view.h>

#define TCI_WINDOW_VIEWS_MAX 1024u /* of one context */

/* Zero at first. */
typedef struct tci_window_views {
    struct tci_mapped_window *first; /* bound: TCI_WINDOW_VIEWS_MAX */
    size_t count;
} tci_window_views;

/* Maps what the owner has described, or finds it mapped. As tc_window_map. */
TC_MUST_CHECK tc_status tci_window_views_add(tci_window_views *views,
                                             const tci_window_share *share,
                                             const tc_window_view **view_out, tc_error *err);

/* TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_window_views_remove(tci_window_views *views,
                                                const tc_window_view *view);

void tci_window_views_free(tci_window_views *views);

#endif
