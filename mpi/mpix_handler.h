/* From a unit of an active message to the handler of a program. */
#ifndef TCM_MPIX_HANDLER_H
#define TCM_MPIX_HANDLER_H

#include <tc/am.h>

/* The function of each operation: reads the description, finds handler and types, and runs
 * it. */
void tcm_handler_run(tc_am_unit *unit);

#endif
