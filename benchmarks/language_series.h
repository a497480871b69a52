/* Series of one mode with functions in several languages: rows beside that of C. */
#ifndef TC_PERF_LANGUAGE_SERIES_H
#define TC_PERF_LANGUAGE_SERIES_H

#include "language.h"
#include "series_run.h"

/* A series of the mode for each delivery and each language; of a mode that sends no function of
 * the experiment's, in C alone. False after a complaint: there is no space for so many. */
bool language_series_add(series_run *run, const perf_mode *mode, const language_choice *choice);

/* Returns whether there is another language than C in this run. If not, languages are not
 * reported. */
bool language_series_are_several(const series_run *run);

/* The column, or nothing: that of a series, or the table's head (NULL). */
void language_series_print(const series_run *run, const perf_series *series);

/* The same in a row's JSON. */
void language_series_report(const series_run *run, const perf_series *series, json_t *row);

/* "cached_rust_to_c_latency": of each series of another language to that of C by the same mode
 * and delivery. */
void language_series_ratios(const series_run *run);

#endif
