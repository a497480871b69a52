/* Waits for a word of memory: a mutex, a condition, a futex. A waiting fiber costs nothing
 * until another one wakes it. */
#ifndef SIM_WORD_H
#define SIM_WORD_H

#include "sim_world.h"

#define SIM_WORD_ALL UINT32_MAX

/* Waits until the word is woken or the node's clock shows `until_ns`; now and then not so long,
 * which is allowed to such waits. Returns false when the time is over. */
bool sim_word_wait(const void *word, uint64_t until_ns);
/* Continues at most so many of the fibers that wait for the word, those that came first. */
void sim_word_wake(const void *word, uint32_t most);

#endif
