/* A library that tests push, and its interface for functions. Its versions differ in
 * VERSION. */
#ifndef SHELF_H
#define SHELF_H

#include <stdint.h>

extern uint64_t shelf_count; /* the sum put on it */
extern uint64_t shelf_inits; /* how often its init ran */

uint64_t shelf_put(uint64_t n); /* gives the count */
uint64_t shelf_version(void);

/* The answer of the functions borrow and lend. */
typedef struct shelf_answer {
    uint64_t version;
    uint64_t count;
    uint64_t inits;
    uint64_t calls; /* of this function, kept in a variable of its own */
} shelf_answer;

#endif
