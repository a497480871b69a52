/* The ways to look up a key of other ranks' parts. */
#ifndef INDEX_FIND_H
#define INDEX_FIND_H

#include "index.h"

#include <stdbool.h>
#include <tc/call.h>
#include <tc/ifunc.h>

enum { INDEX_WHERE, TABLE_FIND, TREE_FIND, TREE_WALK, INDEX_FUNCTIONS };

/* A rank that looks up. */
typedef struct index_client {
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *functions[INDEX_FUNCTIONS];
    index_rank own;
    tc_gptr *windows;  /* of each rank */
    index_node *inner; /* a copy of the inner nodes, by number, for tree_by_chain */
    bool *is_known;    /* which it has */
    uint64_t version;  /* of that copy */
    tc_error err;      /* of the lookup that failed */
} index_client;

/* Looks up a key. *value_out: 0 if there is no such. */
typedef tc_status (*index_way)(index_client *c, uint64_t key, uint64_t *value_out);

tc_status table_by_gets(index_client *c, uint64_t key, uint64_t *value_out);
tc_status table_by_indirect_get(index_client *c, uint64_t key, uint64_t *value_out);
tc_status table_by_function(index_client *c, uint64_t key, uint64_t *value_out);
tc_status tree_by_gets(index_client *c, uint64_t key, uint64_t *value_out);
tc_status tree_by_chain(index_client *c, uint64_t key, uint64_t *value_out);
tc_status tree_by_travelling(index_client *c, uint64_t key, uint64_t *value_out);
tc_status tree_by_waiting(index_client *c, uint64_t key, uint64_t *value_out);

#endif
