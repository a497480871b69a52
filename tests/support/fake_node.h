/* Two cores with an endpoint between them, in one thread and without UCX, for tests of the
 * layers between deliveries and contexts. Their messages travel when the test lets them.
 */
#ifndef TC_TEST_FAKE_NODE_H
#define TC_TEST_FAKE_NODE_H

#include "core/ep.h"
#include "core/module.h"
#include "fake_carrier.h"
#include "fake_engine.h"
#include "modules/calls/calling.h"
#include "test.h"
#include "transfer/send_queue.h"

/* Calls of tci_ep_events, and the arguments of the last one. */
typedef struct fake_events {
    unsigned opened, ended, freed, retried, unsent;
    tc_ep *ep;
    tc_error error;
    tc_status unsent_status;
    const tci_ep_events *then; /* the layers that are notified too; NULL members are allowed */
} fake_events;

typedef struct fake_node {
    tci_core core; /* first: an endpoint's core leads here */
    tci_calling calling;
    uint8_t address[TCI_HELLO_MESSAGE_MAX];
    fake_events seen;
    bool code_is_wanted; /* the registry's settings for every function */
    unsigned evicted, changed;
    const tci_module *module; /* attached by the test; NULL: none */
} fake_node;

/* Of the rings of further nodes. */
extern uint64_t fake_ring_bytes;

fake_node *fake_node_create(void);
/* With all endpoints and groups. */
void fake_node_destroy(fake_node *node);

/* Defines a test of a node, which is destroyed behind it. */
#define NODE_TEST(name) TEST_BY(fake_node_run, name, fake_node *node)
static inline void fake_node_run(void (*test)(fake_node *node))
{
    fake_node *node = fake_node_create();
    test(node);
    fake_node_destroy(node);
}

/* Attaches a module that the node's options use; it goes with the node, or before another. */
static inline void fake_node_attach(fake_node *node, const tci_module *module)
{
    tc_error error = {0};
    if (node->module != NULL)
        node->module->detach(&node->core);
    node->module = module;
    if (module->attach(&node->core, &error) != TC_OK)
        fail_msg("%s", error.text);
}

/* A new endpoint with a link; its hellos go by message, and no message was sent yet. */
tc_ep *fake_node_ep(fake_node *node);

/* A function that is callable at once where it comes to; it calls main. */
tc_ifunc *fake_node_function(fake_node *node, const char *name,
                             void (*main)(void *payload, size_t size, void *target_args));

/* Works like tc_progress except for descriptors and clocks: runs rings, queues, credit. */
unsigned fake_node_turn(fake_node *node);

/* --- pairs ------------------------------------------------------------------------------- */

typedef struct fake_pair {
    fake_node *near, *far;
    tc_ep *ep;   /* near's: tests send by it */
    tc_ep *peer; /* far's: its other end */
} fake_pair;

/* Both sides send by this delivery (FAKE_MAPPED, ...), and are open. */
void fake_pair_open(fake_pair *pair, uint64_t delivery);
/* The same for endpoints that are made, but not open; options may have been changed. */
void fake_pair_make(fake_pair *pair, uint64_t delivery);
void fake_pair_connect(fake_pair *pair);
void fake_pair_close(fake_pair *pair);
/* Another sender to the same target: pair->far is that of `first`, which is closed after it. */
void fake_pair_add(fake_pair *pair, const fake_pair *first);
void fake_pair_remove(fake_pair *pair);

/* The layers above endpoints, as a context wires them. */
extern const tci_ep_events fake_layers;

/* Both nodes are members of a group of `size`, near rank 0 and far rank 1, with those layers;
 * no process is at the addresses of the others. */
void fake_pair_join(fake_pair *pair, uint64_t delivery, uint32_t size);
#define FAKE_GROUP 42u
/* The group of a node; rank 1 is far's. */
tc_group *fake_group_create(fake_node *node, uint32_t rank, uint32_t size,
                            const fake_node *first, const fake_node *second);

/* Messages of both links arrive, until nothing is left. */
void fake_pair_carry(fake_pair *pair);
/* Messages of one link arrive at the other's endpoint. */
void fake_carry(tc_ep *from, tc_ep *to);
/* Turns and messages of both, until nothing happens any more. */
void fake_pair_settle(fake_pair *pair);

/* Fills the part that data frames may use of the ring that ep sends to, with calls of a
 * function that the peer knows. Returns how many. */
unsigned fake_fill_ring(tc_ep *ep, tc_ifunc *fn);

/* --- a peer that sends any bytes --- ----------------------------------------------------- */

/* Puts a frame of `size` bytes of payload behind the others in the ring of ep's peer. */
void fake_frame(tc_ep *ep, uint8_t kind, uint8_t flags, uint16_t slot, const void *payload,
                size_t size);
/* The next frame in ep's own ring: false when there is no frame. The payload stays until credit
 * for it is returned. */
bool fake_read(tc_ep *ep, tci_frame *frame_out, const uint8_t **payload_out);

/* Fails the test unless ep has failed like that, with a text that holds this. */
void fake_expect_failed(const tc_ep *ep, tc_status status, const char *text);

#endif
