/* The functions that nodes send: they check the messages for which they run. */
#include "traffic_node.h"

#include "codes.h"

#include <tc/entry.h>

#include <stdio.h>
#include <stdlib.h>

/* Nodes have the functions in several contents: a target lacks those of some of its peers, and
 * several of them may bring one. */
#define CONTENTS 3u

static tc_code codes[CONTENTS][FLOW_FUNCTIONS];

static void expect_reply(const node *n, tc_status status, const char *what)
{
    /* In a group a reply may need a connection to the origin, as tc_group_ep does. */
    const bool may_fail =
        n->all->plan->fail_at != 0 && (status == TC_E_NO_MEMORY || status == TC_E_IO);
    if (status != TC_OK && !may_fail)
        flows_fail("node %u: %s: %s", n->number, what, tc_status_name(status));
}

/* Answers the calls that earlier messages of the running one's endpoint have detached. */
static void answer_detached(node *n, uint32_t number)
{
    for (detached *d = n->detached; d < n->detached + DETACHED_MAX; d++) {
        if (!d->used || d->flow != number)
            continue;
        expect_reply(n, tc_reply_to(&d->ticket, &d->number, sizeof d->number),
                     "answer to a detached call");
        d->used = false;
    }
}

static void detach(node *n, const flow_header *header)
{
    detached *d = n->detached;
    while (d < n->detached + DETACHED_MAX && d->used)
        d++;
    if (d == n->detached + DETACHED_MAX) { /* of flows that have ended */
        expect_reply(n, tc_reply(&header->number, sizeof header->number), "reply");
        return;
    }
    *d = (detached){.used = true, .flow = header->flow, .number = header->number};
    expect_reply(n, tc_detach(&d->ticket), "detach");
}

static void serve(node *n, unsigned function, void *payload, size_t size)
{
    if (node_forward(n, payload, size))
        return;
    node_look_at_windows(n);
    const flow_header header = flows_check(n->number, function, payload, size);
    node_expect_announced(n, header.flow);
    node_expect_code(n, &header);
    answer_detached(n, header.flow);
    if (header.kind == FLOW_DETACHED)
        detach(n, &header);
    else if (header.kind == FLOW_CALL || header.kind == FLOW_FORWARDED ||
             header.kind == FLOW_ALL)
        expect_reply(n, tc_reply(&header.number, sizeof header.number), "reply");
}

static void run(unsigned function, void *payload, size_t size)
{
    const traffic_node *own = tc_sim_node_argument(tc_sim_self());
    node *n = node_running(own->program);
    node_enter(n, "a function");
    serve(n, function, payload, size);
    node_leave(n);
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
    traffic_prepare_libraries();
    traffic_prepare_windows();
    traffic_prepare_tasks();
    for (unsigned i = 0; i < FLOW_FUNCTIONS; i++) {
        (void)snprintf(name, sizeof name, "f%u", i);
        for (unsigned c = 0; c < CONTENTS; c++)
            codes[c][i] = codes_function(name, 100 + 700 * i + c, NULL);
        if (tc_sim_function(name, mains[i], &error) != TC_OK)
            abort();
    }
}

tc_code node_code(unsigned number, unsigned function)
{
    return codes[number % CONTENTS][function];
}
