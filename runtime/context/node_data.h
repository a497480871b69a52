/* What a node has ready for the functions that come. */
#ifndef TCI_NODE_DATA_H
#define TCI_NODE_DATA_H

#include "context/context_object.h"

/* Frees what was published, and what functions keep. */
void tci_node_data_free(tc_context *ctx);

#endif
