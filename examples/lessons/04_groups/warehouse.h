/* The data of a member of the group, which its functions get as their third argument. */
#ifndef WAREHOUSE_H
#define WAREHOUSE_H

typedef struct warehouse {
    unsigned stock;
    volatile int dismissed; /* tc_serve ends when it is not 0 */
} warehouse;

#endif
