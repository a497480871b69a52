/* The ratios of modes of tsi, ssum and iput, round by round. */
#ifndef TC_PERF_MESSAGE_RATIOS_H
#define TC_PERF_MESSAGE_RATIOS_H

#include "series_run.h"

/* Adds the ratios of a series to its row: to am, and of inject the loss to local. */
void message_ratios_add(const series_run *run, unsigned index, json_t *row);

/* Adds those of the present payload to run->ratios, and prints them unless there are several
 * payloads. */
void message_ratios_report(const series_run *run);

/* For a sweep with few modes: a line per ratio, a column per payload. */
void message_ratios_print(const series_run *run);

#endif
