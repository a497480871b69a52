#include "em3d_version.h"

/* In the order in which they take turns: ways of one method beside each other. */
const em3d_version em3d_versions[EM3D_VERSIONS] = {
    {"window-base", EM3D_WINDOW, EM3D_BASE, em3d_pull_window_base},
    {"view-base", EM3D_VIEW, EM3D_BASE, em3d_pull_view_base},
    {"function-base", EM3D_FUNCTION, EM3D_BASE, em3d_pull_function_base},
    {"window-ghost", EM3D_WINDOW, EM3D_GHOST, em3d_pull_window_ghost},
    {"view-ghost", EM3D_VIEW, EM3D_GHOST, em3d_pull_view_ghost},
    {"function-ghost", EM3D_FUNCTION, EM3D_GHOST, em3d_pull_function_ghost},
    {"window-bulk", EM3D_WINDOW, EM3D_BULK, em3d_push_window_bulk},
    {"view-bulk", EM3D_VIEW, EM3D_BULK, em3d_push_view_bulk},
    {"function-bulk", EM3D_FUNCTION, EM3D_BULK, em3d_push_function_bulk},
    {"window-signal", EM3D_WINDOW, EM3D_SIGNAL, em3d_push_window_signal},
    {"view-signal", EM3D_VIEW, EM3D_SIGNAL, em3d_push_view_signal},
};
