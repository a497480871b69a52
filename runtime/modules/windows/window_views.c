#include "modules/windows/window_views.h"

#include "base/assertion.h"
#include "base/error_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct tci_mapped_window {
    tc_window_view view;
    struct tci_mapped_window *next; /* bound: TCI_WINDOW_VIEWS_MAX */
    tci_segment segment;
    uint8_t mark[TCI_WINDOW_MARK_BYTES];
    size_t uses; /* times that it was mapped and not unmapped */
} tci_mapped_window;

static tc_window_view view_of(const tci_window_share *share, const tci_segment *segment)
{
    const uint64_t words = share->bytes / sizeof(uint64_t);
    return (tc_window_view){.memory = (uint64_t *)(void *)tci_window_share_memory(segment),
                            .bytes = share->bytes,
                            .rights = share->rights,
                            .get_words = (share->rights & TC_WINDOW_READ) != 0 ? words : 0,
                            .put_words = (share->rights & TC_WINDOW_WRITE) != 0 ? words : 0,
                            .atomic_words =
                                (share->rights & TC_WINDOW_ATOMIC) != 0 ? words : 0};
}

static tc_status map(tci_window_views *views, const tci_window_share *share,
                     tci_mapped_window **mapped_out, tc_error *err)
{
    tci_mapped_window *mapped = calloc(1, sizeof *mapped);
    if (mapped == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "window: out of memory");
    tc_status status = tci_window_share_attach(share, &mapped->segment, err);
    if (status != TC_OK) {
        free(mapped);
        return status;
    }
    mapped->view = view_of(share, &mapped->segment);
    memcpy(mapped->mark, share->mark, sizeof mapped->mark);
    mapped->next = views->first;
    views->first = mapped;
    views->count++;
    *mapped_out = mapped;
    return TC_OK;
}

tc_status tci_window_views_add(tci_window_views *views, const tci_window_share *share,
                               const tc_window_view **view_out, tc_error *err)
{
    tci_mapped_window *mapped = views->first;
    while (mapped != NULL && memcmp(mapped->mark, share->mark, sizeof mapped->mark) != 0)
        mapped = mapped->next;
    if (mapped == NULL && views->count == TCI_WINDOW_VIEWS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u windows are mapped, expected %u at most",
                             TCI_WINDOW_VIEWS_MAX + 1, TCI_WINDOW_VIEWS_MAX);
    if (mapped == NULL)
        TC_TRY(map(views, share, &mapped, err));
    mapped->uses++;
    *view_out = &mapped->view;
    return TC_OK;
}

static void unmap(tci_window_views *views, tci_mapped_window **at)
{
    tci_mapped_window *mapped = *at;
    TCI_INVARIANT_IS(window_views, views->count, >, 0);
    *at = mapped->next;
    views->count--;
    tci_segment_detach(&mapped->segment);
    free(mapped);
}

tc_status tci_window_views_remove(tci_window_views *views, const tc_window_view *view)
{
    tci_mapped_window **at = &views->first;
    while (*at != NULL && &(*at)->view != view)
        at = &(*at)->next;
    if (*at == NULL)
        return TC_E_NOT_FOUND;
    if (--(*at)->uses == 0)
        unmap(views, at);
    return TC_OK;
}

void tci_window_views_free(tci_window_views *views)
{
    while (views->first != NULL)
        unmap(views, &views->first);
    TCI_INVARIANT_IS(window_views, views->count, ==, 0);
}
