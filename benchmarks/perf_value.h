/* How values are written on the command line: counts, ranges and lists of both. */
#ifndef TC_PERF_VALUE_H
#define TC_PERF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false, and may have written its outputs, when the text is not of its form. */

/* "8", "64K", "1M" (powers of 1024) */
bool perf_value_count(const char *text, uint64_t min, uint64_t max, uint64_t *value_out);

/* "1..2048" */
bool perf_value_range(const char *text, uint64_t min, uint64_t max, uint64_t *low_out,
                      uint64_t *high_out);

/* "1..64K": the low end, every power of two in between, and the high end. */
bool perf_value_powers(const char *text, uint64_t min, uint64_t max, uint64_t *values_out,
                       unsigned capacity, unsigned *count_out);

/* "1,8,4K" */
bool perf_value_list(const char *text, uint64_t min, uint64_t max, uint64_t *values_out,
                     unsigned capacity, unsigned *count_out);

/* Splits off the next of several names and returns it in `name`; *at moves on and is NULL after
 * the last. */
bool perf_value_name(const char **at, char separator, char *name, size_t size);

/* Returns whether one of the names is this one. */
bool perf_value_lists(const char *names, char separator, const char *name);

#endif
