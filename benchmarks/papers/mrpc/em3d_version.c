#include "em3d_version.h"

#define ASKED 1.3      /* of base and ghost */
#define ASKED_BULK 1.1 /* of bulk and signal */

/* Base reads each value when it is used, ghost once in a step, into a ghost. Bulk moves all
 * values that a rank needs of another at once, and a barrier ends it; of signal a word behind
 * the values, as a function does by itself. */
const mrpc_version em3d_versions[EM3D_VERSIONS] = {
    {"window-base", MRPC_WINDOW, "base", "function-base", ASKED},
    {"view-base", MRPC_VIEW, "base", "function-base", ASKED},
    {"function-base", MRPC_FUNCTION, "base", NULL, 0},
    {"rpc-base", MRPC_RPC, "base", "function-base", 0},
    {"window-ghost", MRPC_WINDOW, "ghost", "function-ghost", ASKED},
    {"view-ghost", MRPC_VIEW, "ghost", "function-ghost", ASKED},
    {"function-ghost", MRPC_FUNCTION, "ghost", NULL, 0},
    {"rpc-ghost", MRPC_RPC, "ghost", "function-ghost", 0},
    {"window-bulk", MRPC_WINDOW, "bulk", "function-bulk", ASKED_BULK},
    {"view-bulk", MRPC_VIEW, "bulk", "function-bulk", ASKED_BULK},
    {"function-bulk", MRPC_FUNCTION, "bulk", NULL, 0},
    {"window-signal", MRPC_WINDOW, "signal", "function-bulk", ASKED_BULK},
    {"view-signal", MRPC_VIEW, "signal", "function-bulk", ASKED_BULK},
};

const em3d_version_phase em3d_version_phases[EM3D_VERSIONS] = {
    em3d_pull_window_base,    em3d_pull_view_base,     em3d_pull_function_base,
    em3d_pull_rpc_base,       em3d_pull_window_ghost,  em3d_pull_view_ghost,
    em3d_pull_function_ghost, em3d_pull_rpc_ghost,     em3d_push_window_bulk,
    em3d_push_view_bulk,      em3d_push_function_bulk, em3d_push_window_signal,
    em3d_push_view_signal,
};
