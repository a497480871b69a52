/* Runs constructors and destructors of loaded code: once per copy of its variables, even if
 * optimised code takes over from the first.
 *
 * Only the thread that progresses the context may call this, while no function runs there
 * except one that needs this one loaded. At process exit, the exiting thread stops all
 * remaining code. */
#ifndef TCI_CODE_UNIT_LIFE_H
#define TCI_CODE_UNIT_LIFE_H

#include "engine/code_unit.h"

/* Runs the constructors of fresh code; TC_OK without any. TC_E_THROWN: one threw; err has the
 * function's name and the exception's text, and the handlers registered for the end by then
 * have run. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_unit_start(tci_code_unit *unit, const char *name,
                                            tc_error *err);

/* Runs the handlers that the code has registered for its end, then its destructors, if it was
 * started. Called when it is unloaded; a process that exits earlier stops all remaining code,
 * newest first. */
void tci_code_unit_stop(tci_code_unit *unit);

#endif
