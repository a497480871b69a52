/* A context of the library with a few of its options. */
#ifndef TC_PERF_CONTEXT_H
#define TC_PERF_CONTEXT_H

#include <stddef.h>

#include <tc/context.h>

typedef struct perf_setting {
    const char *option;
    const char *value; /* NULL: the library's own choice, or the environment's */
} perf_setting;

tc_status perf_context_create(const perf_setting *settings, size_t count,
                              tc_context **context_out, tc_error *err);

#endif
