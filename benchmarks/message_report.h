/* What tsi, ssum and iput print and write. */
#ifndef TC_PERF_MESSAGE_REPORT_H
#define TC_PERF_MESSAGE_REPORT_H

#include "series_run.h"

/* See series_kind. */
void message_report_payload(series_run *run);
void message_report_finish(const series_run *run, json_t *report);

#endif
