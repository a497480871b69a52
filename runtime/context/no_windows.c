/* The public functions of the module windows in a build without it. */
#include "context/absent.h"

#include <tc/window_view.h>

TCI_ABSENT("windows", tc_window_open_sized, tc_context *ctx, const tc_window_params *params,
           size_t params_size, tc_gptr *window_out)
TCI_ABSENT_VALUE(TC_E_NOT_FOUND, tc_status, tc_window_close, tc_context *ctx, tc_gptr window)
TCI_ABSENT("windows", tc_window_chain_sized, tc_ep *ep, const tc_window_step *steps,
           size_t step_size, size_t count, uint64_t timeout_ns, uint32_t *succeeded_out)
TCI_ABSENT("windows", tc_window_chain_start_sized, tc_ep *ep, const tc_window_step *steps,
           size_t step_size, size_t count, const tc_window_start_params *params,
           size_t params_size)
TCI_ABSENT_VALUE(NULL, void *, tc_window_memory, const tc_context *ctx, tc_gptr window)
TCI_ABSENT("windows", tc_window_map, tc_ep *ep, tc_gptr window, uint64_t timeout_ns,
           const tc_window_view **view_out)
TCI_ABSENT_VALUE(TC_E_NOT_FOUND, tc_status, tc_window_unmap, tc_context *ctx,
                 const tc_window_view *view)
