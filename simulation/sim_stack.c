/* The stacks of functions that wait: a fiber runs on its context's while it is in such a
 * function. They are mappings, so each is in a list of its node, and a killed node gives them
 * back. */
#include "sim_world.h"

#include "base/error_text.h"
#include "modules/tasks/shared_stack.h"

#include <stdlib.h>

tc_status __wrap_tci_shared_stack_open(tci_shared_stack *stack, tc_error *err);
tc_status __real_tci_shared_stack_open(tci_shared_stack *stack, tc_error *err);
void __wrap_tci_shared_stack_close(tci_shared_stack *stack);
void __real_tci_shared_stack_close(tci_shared_stack *stack);

typedef struct sim_stack_owner {
    struct sim_stack_owner *next;
    tci_shared_stack stack; /* as it was opened */
} sim_stack_owner;

/* The records are freed with the node's other memory. */
static void free_stacks(tc_sim_node *node)
{
    for (sim_stack_owner *owner = node->stacks; owner != NULL; owner = owner->next)
        __real_tci_shared_stack_close(&owner->stack);
    node->stacks = NULL;
}

/* The record is the node's memory, so a stack that stays open is memory that it leaves. */
tc_status __wrap_tci_shared_stack_open(tci_shared_stack *stack, tc_error *err)
{
    tc_sim_node *node = sim_world_node();
    if (node == NULL)
        return __real_tci_shared_stack_open(stack, err);
    sim_stack_owner *owner = malloc(sizeof *owner);
    if (owner == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "the stack of functions that wait");
    tc_status status = __real_tci_shared_stack_open(stack, err);
    if (status != TC_OK) {
        free(owner);
        return status;
    }
    *owner = (sim_stack_owner){node->stacks, *stack};
    node->stacks = owner;
    node->free_stacks = free_stacks;
    return TC_OK;
}

void __wrap_tci_shared_stack_close(tci_shared_stack *stack)
{
    tc_sim_node *node = sim_world_node();
    sim_stack_owner **link = node != NULL ? &node->stacks : NULL;
    while (link != NULL && *link != NULL && (*link)->stack.memory != stack->memory)
        link = &(*link)->next;
    if (link != NULL && *link != NULL) {
        sim_stack_owner *owner = *link;
        *link = owner->next;
        free(owner);
    }
    __real_tci_shared_stack_close(stack);
}
