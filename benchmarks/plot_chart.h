/* Which chart shows an experiment's rows best, as a script for gnuplot that holds its data. */
#ifndef TC_PERF_PLOT_CHART_H
#define TC_PERF_PLOT_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the script, whose drawing goes to standard output as SVG. The report is a file's
 * content and trusted in nothing: no text of it reaches the script with a sign that gnuplot
 * could take for more than text. title NULL: what the experiment is called. False after a
 * complaint. */
bool plot_chart_write(FILE *script, const json_t *report, const char *title);

#endif
