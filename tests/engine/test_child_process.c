/* Deadlines of children: by the clock, and by processor time where a child has been allowed
 * some. */
#include "engine/child/child_process.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#define SHORT_NS (50 * TCI_NS_PER_MS)

static tci_child start(char *script)
{
    tci_child child;
    assert_int_equal(tci_child_start((char *[]){"/bin/sh", "-c", script, NULL}, &child, NULL),
                     TC_OK);
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

static void a_deadline_holds_by_the_clock(void **state)
{
    (void)state;
    tci_child child = start("sleep 100; echo >&3");
    assert_int_equal(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}

/* It waits for a processor, or for anything else, and uses none. */
static void one_that_was_allowed_processor_time_may_be_late(void **state)
{
    (void)state;
    tci_child child = start("sleep 0.5; echo >&3");
    tci_child_allow(&child, 10 * TCI_NS_PER_S);
    assert_int_equal(hear(&child, SHORT_NS), TC_OK);
    end(&child);
}

static void processor_time_comes_to_an_end(void **state)
{
    (void)state;
    tci_child child = start("while :; do :; done");
    tci_child_allow(&child, SHORT_NS);
    assert_int_equal(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}

static void one_that_does_nothing_comes_to_its_end(void **state)
{
    (void)state;
    tci_child child = start("sleep 100; echo >&3");
    tci_child_allow(&child, TCI_NS_PER_MS); /* beside the start of the shell it is used up */
    assert_int_equal(hear(&child, SHORT_NS), TC_E_TIMEOUT);
    end(&child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deadline_holds_by_the_clock),
        cmocka_unit_test(one_that_was_allowed_processor_time_may_be_late),
        cmocka_unit_test(processor_time_comes_to_an_end),
        cmocka_unit_test(one_that_does_nothing_comes_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
