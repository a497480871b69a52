/* Windows that are open to a group. */
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/endpoint.h>
#include <tc/window.h>

TEAM_TEST(a_window_for_a_group_is_for_its_members)
{
    static uint64_t memory[8] = {42};
    char host_port[32];
    tc_error error = {0};
    uint64_t got = 0;
    tc_gptr at;
    tc_ep *ep;
    const tc_window_params params = {.memory = memory,
                                     .bytes = sizeof memory,
                                     .rights = TC_WINDOW_READ | TC_WINDOW_ATOMIC,
                                     .group = t->groups[1]};
    team_pause(t);
    must(tc_window_open(t->contexts[1], &params, &at, &error), &error, "window");
    team_resume(t);
    assert_int_equal(at.rank, 1);
    must(tc_window_fetch_add(team_ep(t, at.rank), at, 1, &got, TEAM_TIMEOUT_NS, &error), &error,
         "fetch and add");
    assert_true(got == 42);
    tc_context *stranger = test_context(NULL);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u",
                   tc_listener_port(t->listeners[1]));
    must(tc_ep_connect(stranger, host_port, TEAM_TIMEOUT_NS, &ep, &error), &error, "connect");
    assert_status(tc_window_get(ep, at, &got, 8, TEAM_TIMEOUT_NS, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "is not open to this peer"));
    tc_context_destroy(stranger);
}
