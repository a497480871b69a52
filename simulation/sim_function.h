/* The C functions that stand for the code of archives, by name. They belong to the process. */
#ifndef SIM_FUNCTION_H
#define SIM_FUNCTION_H

#include <stddef.h>

typedef void sim_function(void *payload, size_t size, void *target_args);

/* Returns the function that tc_sim_function bound to the name, or NULL. */
sim_function *sim_function_find(const char *name);

#endif
