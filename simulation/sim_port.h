/* The ports of a world that are taken, by host and number. */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include "sim_world.h"

typedef struct sim_port {
    struct sim_port *next; /* with the same hash */
    tc_sim_node *node;     /* NULL: it is not taken */
    uint16_t number;       /* in the network's byte order */
} sim_port;

/* Takes a port. Returns false when there is no memory. */
bool sim_port_take(sim_port *port, tc_sim_node *node, uint16_t number);
/* Gives it back, if it was taken. */
void sim_port_release(sim_port *port);
/* Returns a port of this host and number, or the next one behind `port`; NULL: no more. */
sim_port *sim_port_find(const tc_sim_world *world, unsigned host, uint16_t number);
sim_port *sim_port_next(const sim_port *port);

#endif
