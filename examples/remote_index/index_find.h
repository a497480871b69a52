/* The ways to look up a key of the owners'. */
#ifndef INDEX_FIND_H
#define INDEX_FIND_H

#include "index_client.h"

/* Looks up a key. value_out receives value_bytes if it is there. */
typedef tc_status (*index_find)(index_client *c, uint64_t key, uint64_t *value_out,
                                bool *is_found_out);

typedef struct index_way {
    const char *name;
    index_find find;
} index_way;

#define INDEX_WAYS 7u

extern const index_way index_ways[INDEX_WAYS];

/* Raises the version at all owners: copies of inner nodes are out of date. */
tc_status index_change(index_client *c);

#endif
