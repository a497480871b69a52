/* The table of tc-perf's options. */
#ifndef TC_PERF_OPTION_ROWS_H
#define TC_PERF_OPTION_ROWS_H

#include "perf_options.h"

#define PERF_FUNCTIONS_ALL "tsi,hash_map,saxpy"
#define PERF_PATHS_ALL "jit-cold,jit-warm,jit-best,cached,restart,image,prepared"

/* Which experiments know an option. */
#define IN_TSI (1u << PERF_TSI)
#define IN_LANES (IN_TSI | 1u << PERF_SSUM | 1u << PERF_IPUT)
#define IN_INTEGRITY (1u << PERF_INTEGRITY)
#define IN_WAIT (1u << PERF_WAIT)
#define IN_FIRST (1u << PERF_FIRST_CALL)
#define IN_POLL (1u << PERF_POLL)
#define IN_FLOOD (1u << PERF_FLOOD)
#define IN_BANDWIDTH (1u << PERF_BANDWIDTH)
#define IN_DAPC (1u << PERF_DAPC)
#define IN_ALL                                                                                 \
    (IN_LANES | IN_INTEGRITY | IN_WAIT | IN_FIRST | IN_POLL | IN_FLOOD | IN_BANDWIDTH | IN_DAPC)

typedef struct perf_option_row {
    const char *name;
    char letter;       /* or 0 */
    unsigned where;    /* which experiments know it */
    const char *value; /* how help calls its value; NULL for a flag */
    bool (*set)(perf_options *options, const char *text);
    const char *help;
} perf_option_row;

extern const perf_option_row perf_option_rows[];
#define PERF_OPTION_COUNT 33u

#endif
