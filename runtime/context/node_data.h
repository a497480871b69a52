/* Data that a node provides for incoming functions. */
#ifndef TCI_NODE_DATA_H
#define TCI_NODE_DATA_H

#include "context/context_object.h"

/* Frees published data, and memory that functions keep. */
void tci_node_data_free(tc_context *ctx);

#endif
