/* Types that the functions of EM3D share with the ranks at which they run.
 *
 * A rank has as many nodes of the electric field (kind 0) as of the magnetic one (kind 1). Its
 * values of a kind are an array: those of its own nodes, then those of its ghosts, which are
 * copies of nodes of other ranks that its edges lead to. */
#ifndef TC_EM3D_H
#define TC_EM3D_H

#include "mrpc_share.h"

#define EM3D_KINDS 2u

/* A rank's values: the target's arguments of each function. */
typedef struct em3d_share {
    mrpc_share base;
    double *values[EM3D_KINDS];
    uint32_t own; /* nodes of each kind */
    uint32_t ghosts[EM3D_KINDS];
} em3d_share;

/* Asks em3d_read for the value of a node of the rank that is called. */
typedef struct em3d_question {
    uint32_t kind;
    uint32_t node;
} em3d_question;

/* A message of em3d_store: the values of `count` ghosts follow. */
typedef struct em3d_store_head {
    uint64_t exchange;
    uint32_t kind;
    uint32_t first; /* ghost */
    uint32_t count;
    uint32_t is_last; /* 1: no more of this exchange follow */
} em3d_store_head;

/* The source's arguments of em3d_store, which gathers values right into its message. */
typedef struct em3d_store_source {
    em3d_store_head head;
    const double *values;  /* of the kind */
    const uint32_t *nodes; /* head.count nodes */
} em3d_store_source;

#endif
