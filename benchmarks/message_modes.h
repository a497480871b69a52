/* The modes that --modes of tsi, ssum and iput names. */
#ifndef TC_PERF_MESSAGE_MODES_H
#define TC_PERF_MESSAGE_MODES_H

#include "series_run.h"

/* Adds a series for each mode of the list and each of its deliveries and languages. False after
 * a complaint: there is no such mode, or this build lacks it. */
bool message_modes_choose(series_run *run);

#endif
