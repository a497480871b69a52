/* Memory of nodes: it is counted, its allocation can fail, and it is freed when the node is
 * killed. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stddef.h>

typedef struct tc_sim_node tc_sim_node;

/* Memory of the simulation itself. A size of 0 frees; NULL: out of memory. */
void *sim_memory_real_resize(void *memory, size_t size);
void *sim_memory_real_clear(size_t size);
/* Likewise, with this alignment: a power of two; the size is a multiple of it. */
void *sim_memory_real_align(size_t alignment, size_t size);

/* Frees all that a node has. */
void sim_memory_free_all(tc_sim_node *node);

#endif
