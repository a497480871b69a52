/* The waits of a world for words: one list, as few fibers wait at a time. */
#include "sim_word.h"

#define EARLY_NS 20000u /* a wait that ends without a reason, ... */
#define EARLY_OF 16u    /* ... one of so many */

bool sim_word_wait(const void *word, uint64_t until_ns)
{
    tc_sim_node *node = sim_world_node();
    tc_sim_world *world = node->world;
    uint64_t end_ns = until_ns;
    if (sim_random_below(&world->random, EARLY_OF) == 0 && end_ns - node->local_ns > EARLY_NS)
        end_ns = node->local_ns + EARLY_NS;
    sim_world_await(&world->words, word);
    return sim_world_wait(end_ns) || node->local_ns < until_ns;
}

/* The list begins with the fiber that came last. */
static sim_fiber *first_for(const tc_sim_world *world, const void *word)
{
    sim_fiber *first = NULL;
    for (const sim_waiter *waiter = world->words; waiter != NULL; waiter = waiter->next) {
        if (waiter->word == word && waiter->fiber->waits)
            first = waiter->fiber;
    }
    return first;
}

void sim_word_wake(const void *word, uint32_t most)
{
    tc_sim_world *world = sim_world_current;
    sim_fiber *fiber;
    if (world == NULL || world->words == NULL)
        return;
    for (uint32_t i = 0; i < most && (fiber = first_for(world, word)) != NULL; i++)
        sim_world_wake(fiber);
}
