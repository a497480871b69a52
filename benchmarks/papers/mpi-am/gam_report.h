/* Figures of a run, for a terminal and as JSON. */
#ifndef TC_GAM_REPORT_H
#define TC_GAM_REPORT_H

#include "gam_case.h"

#include <stddef.h>

#define GAM_LOAD_SIZE 40u

typedef struct gam_report {
    const gam_options *options;
    gam_plan *plan;
    const char *program;
    const char *library; /* name and version of MPI, or "" */
    uint32_t ranks;
    bool is_pinned;
    char delivery[16];              /* from rank 1 to rank 0 */
    const char *vectors;            /* of the sums */
    double word_ns[GAM_ROUNDS_MAX]; /* half the round trip of a word; 0: not measured */
    char load_before[GAM_LOAD_SIZE], load_after[GAM_LOAD_SIZE];
} gam_report;

/* False after a complaint. */
bool gam_report_write(gam_report *report);

#endif
