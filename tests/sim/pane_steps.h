/* The steps of chains: drawn at random, and done to a model. The first two are those of the
 * log. */
#ifndef SIM_PANE_STEPS_H
#define SIM_PANE_STEPS_H

#include "panes.h"

/* Random numbers. */
typedef struct pane_source {
    uint64_t (*random)(void *user);
    void *user;
} pane_source;

/* Draws the steps of a chain that has a number. */
void pane_steps_draw(pane_chain *c, const pane *p, const pane_source *s);
/* Does those behind the log's to `size` bytes of data, and sets the status, successes and
 * results that the chain has to end with. */
void pane_steps_do(pane_chain *c, uint8_t *data, uint64_t size);
/* Returns whether any result was written. */
bool pane_steps_have_results(const pane_chain *c);

#endif
