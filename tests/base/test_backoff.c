/* How often a loop that waits looks, and for how long it sleeps in between. */
#include "../support/test.h"
#include "base/backoff.h"
#include "base/clock.h"

#define MANY 100u /* turns after which it sleeps */

TEST(at_first_it_only_looks)
{
    tci_backoff backoff = {0};
    tci_backoff_pause(&backoff, UINT64_MAX);
    assert_int_equal(backoff.nap_ns, 0);
}

TEST(then_it_sleeps_longer_and_longer_up_to_a_bound)
{
    tci_backoff backoff = {0};
    uint64_t before_ns = 0;
    unsigned grown = 0;
    for (unsigned i = 0; i < MANY; i++) {
        tci_backoff_pause(&backoff, UINT64_MAX);
        assert_true(backoff.nap_ns >= before_ns);
        grown += backoff.nap_ns > before_ns;
        before_ns = backoff.nap_ns;
    }
    assert_in_range(grown, 2, 10);
    assert_in_range(before_ns, 100000, 10000000);
}

TEST(it_never_sleeps_beyond_its_deadline)
{
    tci_backoff backoff = {0};
    for (unsigned i = 0; i < MANY; i++)
        tci_backoff_pause(&backoff, UINT64_MAX);
    backoff.nap_ns = TCI_NS_PER_S / 2;
    uint64_t begin_ns = tci_clock_ns();
    tci_backoff_pause(&backoff, begin_ns);
    tci_backoff_pause(&backoff, begin_ns + TCI_NS_PER_MS);
    assert_in_range(tci_clock_ns() - begin_ns, 0, TCI_NS_PER_S / 2);
}
