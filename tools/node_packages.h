/* The packages that tc-node opens at its start. */
#ifndef NODE_PACKAGES_H
#define NODE_PACKAGES_H

#include "node_arguments.h"
#include "node_holdings.h"

#include <tc/package.h>

typedef struct node_packages {
    tc_package *open[NODE_PACKAGES_MAX];
    unsigned count;
    node_holdings_package published[NODE_PACKAGES_MAX];
} node_packages;

/* Opens all packages and publishes their list. Returns false after an error message; the caller
 * also closes the packages that were opened before it. */
bool node_packages_open(tc_context *ctx, const node_arguments *args, node_packages *packages);

/* Closes them; called before the context is destroyed. */
void node_packages_close(node_packages *packages);

#endif
