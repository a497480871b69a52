/* Deadlines of children: by the clock, and by processor time where a child has been allowed
 * some. */
#include "engine/child/child_process.h"

#include "base/clock.h"
#include "../support/test.h"

#include <sys/wait.h>

#define SHORT_NS (50 * TCI_NS_PER_MS)

static tci_child start(char *script)
{
    tci_child child;
    assert_ok(tci_child_start((char *[]){"/bin/sh", "-c", script, NULL}, &child, NULL));
    return child;
}

static tc_status hear(const tci_child *child, uint64_t timeout_ns)
{
    char byte;
    return tci_child_receive(child, &byte, 1, tci_deadline_after(timeout_ns));
}

static void end(tci_child *child)
{
    (void)tci_child_end(child);
    tci_child_close(child);
}

TEST(a_deadline_holds_by_the_clock)
{
    tci_child child = start("sleep 100; echo >&3");
    assert_status(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}

/* It waits for a processor, or for any event, and uses no processor time. */
TEST(one_that_was_allowed_processor_time_may_be_late)
{
    tci_child child = start("sleep 0.5; echo >&3");
    tci_child_allow(&child, 10 * TCI_NS_PER_S);
    assert_ok(hear(&child, SHORT_NS));
    end(&child);
}

TEST(processor_time_comes_to_an_end)
{
    tci_child child = start("while :; do :; done");
    tci_child_allow(&child, SHORT_NS);
    assert_status(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}

TEST(one_that_does_nothing_comes_to_its_end)
{
    tci_child child = start("sleep 100; echo >&3");
    tci_child_allow(&child, TCI_NS_PER_MS); /* beside the start of the shell it is used up */
    assert_status(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}
