/* Programs in the manner of the original's API, each of several processes: rings of slots, ping
 * pong, a message that travels on, first messages of several senders. UCX_TLS and
 * TEST_OWN_MEMORY decide whether messages travel by stores or by puts; the programs do not
 * know. */
#include "../support/test.h"
#include "compat_node.h"

#include "ifuncs/chaser.h"
#include "ifuncs/gather.h"

#define SLOT_BYTES 16384u
#define CREDIT 0u /* offset of a number in every process's memory, before the slots */
#define SLOTS 4096u

static uint64_t message_count(void)
{
    const char *text = getenv("TEST_MESSAGES");
    return text != NULL ? strtoull(text, NULL, 10) : 3000;
}

static ucp_ifunc_msg_t gather_message(ucp_ifunc_h ifunc, uint64_t sender, uint64_t number)
{
    const gather_args args = {sender, number, number % 97 == 0 ? 1100 : number % 13};
    return compat_message(ifunc, &args, sizeof args);
}

/* --- a ring ---------------------------------------------------------------------------- */

#define RING_SLOTS 8u

/* Fills the ring as fast as slots become free; the target reports the number that it has
 * run. */
static void ring_source(int fd, void *user)
{
    compat_node node;
    const uint64_t count = message_count();
    (void)user;
    compat_node_open(&node, SLOTS);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 1);
    compat_link *link = compat_node_link(&node, fd);
    for (uint64_t i = 0; i < count; i++) {
        if (i >= RING_SLOTS)
            compat_node_await_number(&node, CREDIT, i - RING_SLOTS + 1);
        ucp_ifunc_msg_t msg = gather_message(ifunc, 0, i + 1);
        REQUIRE(msg.frame_size <= SLOT_BYTES);
        compat_node_send(&node, link, &msg, SLOTS + i % RING_SLOTS * SLOT_BYTES);
        REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    }
    compat_node_await_number(&node, CREDIT, count);
    REQUIRE(ucp_deregister_ifunc(node.context, ifunc) == UCS_OK);
    compat_node_close(&node);
}

TEST(ring_of_slots)
{
    compat_node node;
    gather_state gathered = {0};
    compat_child child = compat_fork(ring_source, NULL);
    compat_node_open(&node, SLOTS + RING_SLOTS * SLOT_BYTES);
    compat_link *link = compat_node_link(&node, child.fd);
    for (uint64_t i = 0; i < message_count(); i++) {
        compat_node_run(&node, SLOTS + i % RING_SLOTS * SLOT_BYTES, SLOT_BYTES, &gathered);
        compat_node_put_number(&node, link, CREDIT, &gathered.run);
    }
    compat_node_close(&node);
    assert_true(compat_wait(&child));
    assert_int_equal(gathered.run, message_count());
    assert_int_equal(gathered.torn, 0);
    assert_int_equal(gathered.out_of_order, 0);
}

/* --- ping-pong ------------------------------------------------------------------------- */

/* Each side has one slot, and its message at the peer reports that the slot here is free. */
static void play(compat_node *node, compat_link *link, bool begins, gather_state *gathered)
{
    ucp_ifunc_h ifunc = compat_node_register(node, "gather", 1);
    for (uint64_t i = 0; i < message_count(); i++) {
        ucp_ifunc_msg_t msg = gather_message(ifunc, begins, i + 1);
        if (begins)
            compat_node_send(node, link, &msg, SLOTS);
        compat_node_run(node, SLOTS, SLOT_BYTES, gathered);
        if (!begins)
            compat_node_send(node, link, &msg, SLOTS);
        REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    }
}

static void pong(int fd, void *user)
{
    compat_node node;
    gather_state gathered = {0};
    (void)user;
    compat_node_open(&node, SLOTS + SLOT_BYTES);
    play(&node, compat_node_link(&node, fd), false, &gathered);
    REQUIRE(gathered.run == message_count() && gathered.torn + gathered.out_of_order == 0);
    compat_node_close(&node);
}

TEST(ping_pong)
{
    compat_node node;
    gather_state gathered = {0};
    compat_child child = compat_fork(pong, NULL);
    compat_node_open(&node, SLOTS + SLOT_BYTES);
    play(&node, compat_node_link(&node, child.fd), true, &gathered);
    compat_node_close(&node);
    assert_true(compat_wait(&child));
    assert_int_equal(gathered.run, message_count());
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
}

/* --- a message that travels on ---------------------------------------------------------- */

/* Two processes with one slot each: the message comes back to a slot of a process that may
 * still be inside the function that sent it away. */
static void be_visited(compat_node *node, compat_link *link, chaser_place *place)
{
    place->self = compat_node_register(node, "chaser", 1);
    place->next = link->ep;
    place->next_rkey = link->rkey;
    place->next_slot = link->remote + SLOTS;
}

static void run_until_done(compat_node *node, chaser_place *place)
{
    while (!place->done)
        compat_node_run(node, SLOTS, SLOT_BYTES, place);
    REQUIRE(place->failed == 0);
}

static void far_place(int fd, void *user)
{
    compat_node node;
    chaser_place place = {.weight = 1000};
    (void)user;
    compat_node_open(&node, SLOTS + SLOT_BYTES);
    be_visited(&node, compat_node_link(&node, fd), &place);
    run_until_done(&node, &place);
    REQUIRE(place.visits == message_count());
    compat_node_close(&node);
}

TEST(message_travels_on)
{
    compat_node node;
    chaser_place place = {.weight = 1};
    const uint64_t count = message_count();
    const chaser_args args = {.hops = 2 * count - 1};
    compat_child child = compat_fork(far_place, NULL);
    compat_node_open(&node, SLOTS + SLOT_BYTES);
    compat_link *link = compat_node_link(&node, child.fd);
    be_visited(&node, link, &place);
    ucp_ifunc_msg_t msg = compat_message(place.self, &args, sizeof args);
    compat_node_send(&node, link, &msg, SLOTS);
    run_until_done(&node, &place);
    REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    compat_node_close(&node);
    assert_true(compat_wait(&child));
    assert_int_equal(place.visits, count);
    assert_int_equal(place.sum, count * 1001);
}

/* --- first messages of several senders ---------------------------------------------------- */

#define SENDERS 3u
#define ROUNDS 40u

static void one_sender(int fd, void *user)
{
    compat_node node;
    const uint64_t sender = (uint64_t)(uintptr_t)user;
    compat_node_open(&node, SLOTS);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 1);
    compat_link *link = compat_node_link(&node, fd);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        ucp_ifunc_msg_t msg = gather_message(ifunc, sender, i);
        compat_node_await_number(&node, CREDIT, i);
        compat_node_send(&node, link, &msg, SLOTS + sender * SLOT_BYTES);
        REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    }
    compat_node_close(&node);
}

/* All write their first message before any of them is run, and each one after that too. */
TEST(several_senders)
{
    compat_node node;
    compat_child children[SENDERS];
    compat_link *links[SENDERS];
    gather_state gathered = {0};
    for (uintptr_t i = 0; i < SENDERS; i++)
        children[i] = compat_fork(one_sender, (void *)i);
    compat_node_open(&node, SLOTS + SENDERS * SLOT_BYTES);
    for (unsigned i = 0; i < SENDERS; i++)
        links[i] = compat_node_link(&node, children[i].fd);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < SENDERS; i++)
            compat_node_put_number(&node, links[i], CREDIT, &round);
        for (unsigned i = 0; i < SENDERS; i++)
            compat_node_run(&node, SLOTS + i * SLOT_BYTES, SLOT_BYTES, &gathered);
    }
    compat_node_close(&node);
    for (unsigned i = 0; i < SENDERS; i++)
        assert_true(compat_wait(&children[i]));
    assert_int_equal(gathered.run, SENDERS * ROUNDS);
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
}
