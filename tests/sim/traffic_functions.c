/* The functions that nodes send, which check what they receive. */
#include "traffic_node.h"

#include "../support/fake_archive.h"

#include "archive.h"

#include <tc/entry.h>

#include <stdio.h>
#include <stdlib.h>

static void *archives[FLOW_FUNCTIONS];
static size_t archive_sizes[FLOW_FUNCTIONS];

static void run(unsigned function, const void *payload, size_t size)
{
    uint64_t number;
    const traffic_node *own = tc_sim_node_argument(tc_sim_self());
    if (flows_check(own->number, function, payload, size, &number) &&
        tc_reply(&number, sizeof number) != TC_OK)
        flows_fail("node %u cannot reply", own->number);
}

#define FUNCTION(n)                                                                            \
    static void main_##n(void *payload, size_t size, void *target_args)                        \
    {                                                                                          \
        (void)target_args;                                                                     \
        run(n, payload, size);                                                                 \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)

static void (*const mains[FLOW_FUNCTIONS])(void *, size_t, void *) = {
    main_0, main_1, main_2, main_3, main_4, main_5, main_6, main_7};

void traffic_prepare(void)
{
    char name[8];
    tc_error error;
    for (unsigned i = 0; i < FLOW_FUNCTIONS; i++) {
        (void)snprintf(name, sizeof name, "f%u", i);
        archives[i] = fake_archive(name, TCI_ENTRY_MAIN, 100 + 700 * i, &archive_sizes[i]);
        if (tc_sim_function(name, mains[i], &error) != TC_OK)
            abort();
    }
}

tc_code node_code(unsigned function)
{
    return (tc_code){.bytes = archives[function], .size = archive_sizes[function]};
}
