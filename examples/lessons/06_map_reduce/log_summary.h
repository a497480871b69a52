/* The summary of a web server's log: lines "PATH STATUS MILLISECONDS". */
#ifndef LOG_SUMMARY_H
#define LOG_SUMMARY_H

#include <stdint.h>

/* Has the same size for a thousand lines and for a million. All zeros: of no lines. */
typedef struct log_summary {
    uint32_t lines;
    uint32_t failed; /* with a status of 500 or more */
    uint32_t slowest_ms;
    char slowest[40]; /* its path */
} log_summary;

/* Adds one to the other. Neither order nor grouping matters, so anybody may add any two. */
void log_summary_add(log_summary *sum, const log_summary *other);

#endif
