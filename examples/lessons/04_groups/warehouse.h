/* What a member of the group has, and its functions find as their third argument. */
#ifndef WAREHOUSE_H
#define WAREHOUSE_H

typedef struct warehouse {
    unsigned stock;
    volatile int dismissed; /* tc_serve ends when it is not 0 */
} warehouse;

#endif
