/* The output of tc-info --watch at each refresh: lines, or one JSON object on a line. */
#ifndef WATCH_REPORT_H
#define WATCH_REPORT_H

#include "watch_rates.h"

#include <stdio.h>

typedef struct watch_report {
    const char *peer;         /* HOST:PORT */
    const watch_rates *rates; /* NULL: the node has not answered */
    const watch_sample *sample;
    double answer_us; /* from question to answer */
    const char *now;  /* the reason why it does not answer; NULL: it does */
    unsigned columns; /* longer lines are cut; 0: any width */
    unsigned lines;   /* so many at most; 0: any number */
} watch_report;

void watch_report_text(FILE *out, const watch_report *report);
void watch_report_json(FILE *out, const watch_report *report);

#endif
