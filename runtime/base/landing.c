#include "landing.h"

#include "aligned_room.h"
#include "twin_pages.h"

#include <stdlib.h>

bool tci_landing_make(size_t size, size_t alignment, bool read_only, tci_landing *landing_out)
{
    tci_twin_pages twin;
    if (read_only) {
        if (!tci_twin_pages_map(tci_aligned_room(size, alignment), &twin))
            return false;
        *landing_out = (tci_landing){twin.bytes, twin.view, twin.size};
        return true;
    }
    size = tci_aligned_room(size, alignment);
    uint8_t *bytes = aligned_alloc(alignment, size);
    if (bytes == NULL)
        return false;
    *landing_out = (tci_landing){bytes, bytes, size};
    return true;
}

void tci_landing_free(tci_landing *landing)
{
    tci_twin_pages twin = {landing->bytes, landing->view, landing->capacity};
    if (landing->view != landing->bytes)
        tci_twin_pages_unmap(&twin);
    else
        free(landing->bytes);
    *landing = (tci_landing){0};
}
