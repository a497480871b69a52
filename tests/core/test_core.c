/* Connection ids, and the descriptors that a core watches. */
#include "../support/fake_node.h"
#include "endpoint/ep_life.h"

#include <sys/epoll.h>
#include <unistd.h>

#define CONNECTIONS_MAX 65000u

NODE_TEST(ids_are_given_in_turn_so_that_a_late_message_meets_no_new_owner)
{
    tc_ep *first = fake_node_ep(node), *second = fake_node_ep(node);
    const uint16_t gone = second->connection;
    assert_ptr_equal(tci_core_find(&node->core, first->connection), first);
    assert_ptr_equal(tci_core_find(&node->core, gone), second);
    tci_ep_free(second);
    assert_null(tci_core_find(&node->core, gone));
    tc_ep *third = fake_node_ep(node);
    assert_int_not_equal(third->connection, gone);
    assert_ptr_equal(tci_core_find(&node->core, third->connection), third);
}

NODE_TEST(an_id_that_nobody_was_given_leads_nowhere)
{
    assert_null(tci_core_find(&node->core, 0));
    (void)fake_node_ep(node);
    assert_null(tci_core_find(&node->core, TCI_AM_NO_CONNECTION));
    assert_null(tci_core_find(&node->core, UINT64_MAX));
}

/* Endpoints are not needed for that: any address stands for one. */
static void take_all_ids(fake_node *node, tc_ep *ep)
{
    uint16_t id, expected = 0;
    for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
        assert_ok(tci_core_add_connection(&node->core, ep, &id, NULL));
        assert_int_equal(id, expected++);
    }
}

NODE_TEST(ids_run_out_with_an_error_and_come_again)
{
    tc_error error;
    tc_ep *ep, stands_for_all = {.core = &node->core};
    uint16_t id = 7;
    take_all_ids(node, &stands_for_all);
    assert_status(tci_core_add_connection(&node->core, &stands_for_all, &id, &error),
                  TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "65000"));
    assert_int_equal(id, 7);
    assert_status(tci_ep_create(&node->core, TCI_OWNER_PROGRAM, &ep, &error), TC_E_TOO_LARGE);
    assert_null(node->core.first);
    node->core.by_connection[4711] = NULL;
    assert_ok(tci_core_add_connection(&node->core, &stands_for_all, &id, &error));
    assert_int_equal(id, 4711);
}

NODE_TEST(a_watched_descriptor_says_whose_it_is)
{
    struct epoll_event event;
    tc_error error;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_ok(tci_core_watch(&node->core, fds[0], TCI_WATCH_LISTENER | 5, &error));
    assert_int_equal(epoll_wait(node->core.epoll_fd, &event, 1, 0), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(epoll_wait(node->core.epoll_fd, &event, 1, 0), 1);
    assert_int_equal(event.data.u64, TCI_WATCH_LISTENER | 5);
    close(fds[0]);
    close(fds[1]);
    assert_status(tci_core_watch(&node->core, fds[0], 1, &error), TC_E_IO);
}
