/* The packages that tc-node has from its start. */
#ifndef NODE_PACKAGES_H
#define NODE_PACKAGES_H

#include "node_arguments.h"

#include <tc/context.h>

/* Opens them all; they stay open as long as the context. False after a complaint. */
bool node_packages_open(tc_context *ctx, const node_arguments *args);

#endif
