/* Small worlds in each of which every call that may fail does so once: scenarios. */
#ifndef SIM_FAILURES_H
#define SIM_FAILURES_H

#include "plan.h"

#include <stddef.h>

/* Returns how many scenarios there are. */
size_t failures_count(void);
/* Returns the name of a scenario, and its plan, of which fail_at is 0. The seed is `seed` and
 * the scenario's number. */
const char *failures_scenario(size_t index, uint64_t seed, plan *plan_out);

#endif
