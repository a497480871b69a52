/* Shared memory by number: segments that a peer may attach, and invented numbers. */
#include "../support/test.h"
#include "delivery/segment.h"

#include <sys/shm.h>

#define BYTES 10000u /* no multiple of any page */

TEST(what_one_writes_the_other_reads)
{
    tci_segment own, peers;
    tc_error error = {0};
    assert_ok(tci_segment_create(BYTES, &own, &error));
    assert_ok(tci_segment_attach(own.id, BYTES, &peers, &error));
    assert_ptr_not_equal(own.base, peers.base);
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(peers.base[i], 0);
    memset(peers.base, 'x', BYTES);
    assert_int_equal(own.base[BYTES - 1], 'x');
    tci_segment_detach(&own);
    memset(peers.base, 'y', BYTES); /* goes nowhere, and does no harm */
    tci_segment_detach(&peers);
    assert_null(peers.base);
    tci_segment_detach(&peers);
}

TEST(one_that_is_gone_is_no_more)
{
    tci_segment own, peers;
    tc_error error = {0};
    assert_ok(tci_segment_create(BYTES, &own, &error));
    uint32_t id = own.id;
    tci_segment_detach(&own);
    assert_status(tci_segment_attach(id, BYTES, &peers, &error), TC_E_NOT_FOUND);
    assert_true(strlen(error.text) > 0);
    struct shmid_ds about;
    assert_int_equal(shmctl((int)id, IPC_STAT, &about), -1);
}

TEST(a_smaller_one_is_refused)
{
    tci_segment own, peers;
    struct shmid_ds about;
    tc_error error = {0};
    assert_ok(tci_segment_create(BYTES, &own, &error));
    assert_status(tci_segment_attach(own.id, BYTES + 1, &peers, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "smaller than 10001 bytes"));
    assert_int_equal(shmctl((int)own.id, IPC_STAT, &about), 0);
    assert_int_equal(about.shm_nattch, 1); /* the refused look has let go */
    tci_segment_detach(&own);
}

TEST(numbers_of_nothing_are_refused)
{
    static const uint32_t ids[] = {TCI_SEGMENT_NONE, 1u << 31, INT32_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        tci_segment peers;
        tc_error error = {0};
        assert_status(tci_segment_attach(ids[i], 1, &peers, &error), TC_E_NOT_FOUND);
    }
}

TEST(more_than_the_system_has_is_refused)
{
    tci_segment own = {0};
    tc_error error = {0};
    assert_status(tci_segment_create(SIZE_MAX / 2, &own, &error), TC_E_NO_MEMORY);
    assert_true(strlen(error.text) > 0);
    assert_null(own.base);
}
