/* Messages of a tc-node to the tc-run that started it. */
#ifndef NODE_STARTER_H
#define NODE_STARTER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether tc-run started this process. */
bool node_starter_is_there(void);

/* Reports to tc-run that the process of this rank only serves others. Does nothing without
 * tc-run. Returns false after printing the reason. */
bool node_starter_tell(uint32_t rank);

#endif
