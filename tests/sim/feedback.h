/* Plans near those that reached new states (states.h): each such plan is kept, and later ones
 * are drawn near it. */
#ifndef SIM_FEEDBACK_H
#define SIM_FEEDBACK_H

#include "plan.h"

#include <stddef.h>

/* Returns a plan for a seed: the seed's own, or a kept plan with a change. */
plan feedback_plan(uint64_t seed);
/* Keeps a plan that reached `states` new states. */
void feedback_note(const plan *p, size_t states);

#endif
