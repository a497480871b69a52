#include "modules/ucx/ucx_lanes.h"

#include <string.h>

static bool writes(const char *name)
{
    static const char *const names[] = {"rc_verbs", "rc_mlx5", "dc_mlx5", "ugni_rdma"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool tci_ucx_lanes_write(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i] != NULL && writes(names[i]))
            return true;
    }
    return false;
}
