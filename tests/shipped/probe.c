/* Puts one thing on the shelf of its node and looks whether it does so with one version from
 * beginning to end. */
#include "check.h"
#include "shelf.h"

void probe_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint64_t version = shelf_version(), before = shelf_count, after = shelf_put(1);
    (void)payload, (void)size;
    if (after != before + 1 || shelf_count != after || shelf_version() != version)
        state->wrong++;
    state->bytes += version;
    state->next++;
}
