/* The target of the restarts: a tc-node at one port, started and ended by its id. */
#ifndef RESTARTS_NODE_H
#define RESTARTS_NODE_H

#include "restarts_load.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct restarts_node {
    const char *program;
    char *const *arguments; /* of the program, besides the address */
    char address[32];       /* "127.0.0.1:7000" */
    char port_file[32];     /* each successor writes it again */
    pid_t pid;              /* 0: it has ended */
} restarts_node;

/* Starts the first one, at a port of the system's choice. Ends the program on failure.
 *
 *   arguments  more for the program, up to a NULL; kept */
void restarts_node_open(restarts_node *node, const char *program, char *const *arguments);

/* Starts another one at the same port. */
void restarts_node_start(restarts_node *node);

/* Returns whether it has ended, and collects it. */
bool restarts_node_has_ended(restarts_node *node);

/* Closes the load, ends the node in order, and destroys the load's context. */
void restarts_node_end(restarts_node *node, restarts_load *load);

#endif
