/* Types that the functions of Water share with the ranks at which they run. */
#ifndef TC_WATER_H
#define TC_WATER_H

#include "mrpc_share.h"

#define WATER_NUMBERS 9u /* three of each atom: oxygen, hydrogen, hydrogen */

typedef struct water_positions {
    double at[WATER_NUMBERS];
} water_positions;

/* Sums in fixed point: the same in whatever order they are added. */
typedef struct water_forces {
    int64_t on[WATER_NUMBERS];
} water_forces;

/* The target's arguments: the molecules of a rank. */
typedef struct water_share {
    mrpc_share base;
    water_positions *positions;
    water_forces *forces;
    uint32_t own;
} water_share;

/* Asks water_read for the positions of molecules of the rank that is called. */
typedef struct water_question {
    uint32_t first, count;
} water_question;

/* A message of water_add: forces on `count` molecules follow. */
typedef struct water_head {
    uint64_t mark; /* arrives with this message; 0: no mark */
    uint32_t first, count;
} water_head;

/* The source's arguments: forces are copied right into the message. */
typedef struct water_source {
    water_head head;
    const water_forces *forces;
} water_source;

#endif
