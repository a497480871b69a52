#include "landing.h"

#include "twin_pages.h"

#include <stdlib.h>

bool tci_landing_make(size_t size, size_t alignment, bool read_only, tci_landing *landing_out)
{
    tci_twin_pages twin;
    size = size == 0 ? alignment : (size + alignment - 1) & ~(alignment - 1);
    if (read_only) {
        if (!tci_twin_pages_map(size, &twin))
            return false;
        *landing_out = (tci_landing){twin.bytes, twin.view, twin.size};
        return true;
    }
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
