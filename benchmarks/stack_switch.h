/* A bare switch of stacks: two contexts that swap the registers that calls preserve. The
 * machine's limit for anything that runs on a stack of its own. */
#ifndef TC_PERF_STACK_SWITCH_H
#define TC_PERF_STACK_SWITCH_H

#include <stdint.h>

/* Ways to go on: a jump is predicted by where it went before; a return, which most libraries
 * use, never is, as the call that it belongs to was made on the other stack. aarch64 has
 * returns alone, since a jump may be checked there (BTI). */
typedef enum stack_switch_way { STACK_SWITCH_JUMP, STACK_SWITCH_RETURN } stack_switch_way;

/* Goes to another stack and back so many times, and returns how long all of it took. */
uint64_t stack_switch_measure_ns(stack_switch_way way, uint64_t count);

#endif
