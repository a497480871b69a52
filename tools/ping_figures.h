/* The figures of tc-ping's summary. */
#ifndef PING_FIGURES_H
#define PING_FIGURES_H

#include <stdint.h>

#define PING_FIGURES_KEPT 65536u /* the p99 is that of the newest so many round trips */

typedef struct ping_figures {
    uint64_t answered;
    uint64_t lost;
    uint64_t min_ns;
    uint64_t max_ns;
    double sum_ns;
    uint64_t kept_ns[PING_FIGURES_KEPT];
} ping_figures;

/* Adds a round trip that was answered. Figures are zeroed at first. */
void ping_figures_add(ping_figures *figures, uint64_t ns);
/* Returns the time that 99 of 100 round trips did not exceed; 0 without any. Sorts the
 * kept ones, so it comes last. */
uint64_t ping_figures_p99(ping_figures *figures);

#endif
