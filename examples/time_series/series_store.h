/* A store of time series, which travels as a library: its interface for functions, and the
 * messages and answers of its own functions. Both versions of the library have this interface,
 * so functions do not see which one they run with. */
#ifndef SERIES_STORE_H
#define SERIES_STORE_H

#include <stddef.h>
#include <stdint.h>

#define SERIES_SENSORS 256u

typedef struct series_sample {
    uint32_t sensor; /* below SERIES_SENSORS */
    uint32_t time;
    int64_t value;
} series_sample;

/* --- of the library, for functions of whomever -------------------------------------------- */

/* Appends; -1: there is no such sensor, or no memory. */
int series_add(const series_sample *sample);

/* Calls `visit` for each sample of a sensor, oldest first, until it returns other than 0. */
typedef int (*series_visitor)(void *user, const series_sample *sample);
void series_scan(uint32_t sensor, series_visitor visit, void *user);

/* The summary that version 2 keeps ready and version 1 computes. */
typedef struct series_summary {
    uint64_t count;
    int64_t sum;
    int64_t least; /* meaningless while count is 0, like `greatest` */
    int64_t greatest;
} series_summary;
void series_summarise(uint32_t sensor, series_summary *out);

uint32_t series_version(void);

/* --- messages and answers of the package's functions ------------------------------------- */

/* The function `record` takes series_sample and answers with this. */
typedef struct series_receipt {
    uint32_t version;  /* of the library that it ran with */
    uint32_t recorded; /* of the samples that it was sent */
} series_receipt;

/* The function `summary` takes this and answers with a series_summary. */
typedef struct series_question {
    uint32_t sensor;
} series_question;

#endif
