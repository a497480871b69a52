/* The function that serves windows: an archive without code, the same in every process, for
 * which each process with this module runs code of its own. A peer without windows refuses it
 * as one that has no code for its machine. */
#ifndef TCI_WINDOW_FUNCTION_H
#define TCI_WINDOW_FUNCTION_H

#include "modules/windows/windows.h"

/* Finds or makes the function of a context, which stays until the context ends.
 * TC_E_TOO_LARGE: functions_max functions are in use. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_window_function(tci_core *core, tc_ifunc **fn_out, tc_error *err);

#endif
