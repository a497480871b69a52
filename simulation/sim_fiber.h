/* A fiber is a thread of a simulated node: a stack and a saved position. All fibers of a world
 * run in the caller's thread, one at a time, until they wait. */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sim_stack {
    void *position; /* saved stack pointer */
    void *memory;   /* with a guard page at its low end; NULL: the caller's own stack */
    size_t bytes;
    /* AddressSanitizer's. A fiber may have left another stack, which it runs functions on. */
    void *fake;
    const void *left;
    size_t left_bytes;
} sim_stack;

/* Makes a stack on which the first switch calls entry(argument), which never returns. Returns
 * false when there is no memory. */
bool sim_fiber_prepare(sim_stack *stack, size_t bytes, void (*entry)(void *argument),
                       void *argument);
/* Saves the running position in `from` and continues `to`. `ends`: `from` never runs again. */
void sim_fiber_switch(sim_stack *from, sim_stack *to, bool ends);
/* Called first on a stack that begins to run, with the one that was left. */
void sim_fiber_begun(sim_stack *left);
/* Gives back the pages below the saved position, which an earlier, deeper call has used. Does
 * nothing while the fiber is on another stack. */
void sim_fiber_trim(const sim_stack *stack);
/* Frees the memory of a stack that runs no more. */
void sim_fiber_free(sim_stack *stack);

#endif
