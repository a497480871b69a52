/* Constructors and destructors of loaded code: once per copy of its variables, whatever better code
 * takes over from the first.
 *
 * All but the end of the process is for the thread that progresses the context, while no function
 * runs there but one that wants this one loaded. */
#ifndef TCI_CODE_UNIT_LIFE_H
#define TCI_CODE_UNIT_LIFE_H

#include "engine/code_unit.h"

/* Runs the constructors of fresh code; none: TC_OK. TC_E_THROWN: one threw, and err has its words
 * behind the function's name; what had been registered for the end by then was run. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_unit_start(tci_code_unit *unit, const char *name,
                                            tc_error *err);

/* Runs what the code has registered for its end, then its destructors, if it was started. Called when it
 * is unloaded; a process that exits before stops all that is left, newest first. */
void tci_code_unit_stop(tci_code_unit *unit);

#endif
