#include "base/shared_mappings.h"

#include "../support/test.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES_BYTES 16384u

static uint8_t *map(int kind)
{
    uint8_t *at = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

/* Maps and asks; the mapping is gone afterwards. */
static bool added(int kind, uint64_t from, size_t bytes)
{
    tci_shared_mappings before;
    assert_true(tci_shared_mappings_list(&before));
    uint8_t *at = map(kind);
    bool is = tci_shared_mappings_added(&before, (uintptr_t)at + from, bytes);
    assert_int_equal(munmap(at, PAGES_BYTES), 0);
    tci_shared_mappings_free(&before);
    return is;
}

TEST(all_bytes_lie_in_what_was_added)
{
    assert_true(added(MAP_SHARED, 0, PAGES_BYTES));
    assert_true(added(MAP_SHARED, 64, PAGES_BYTES - 64));
    assert_true(added(MAP_SHARED, PAGES_BYTES - 1, 1));
    assert_false(added(MAP_SHARED, 0, PAGES_BYTES + 1));
    assert_false(added(MAP_SHARED, 64, PAGES_BYTES));
    assert_false(added(MAP_SHARED, PAGES_BYTES, 1));
    assert_false(added(MAP_SHARED, UINT64_MAX, 1));
    assert_false(added(MAP_SHARED, 64, SIZE_MAX)); /* the sum is too large */
}

TEST(private_memory_does_not_count)
{
    uint64_t word = 0;
    tci_shared_mappings none = {0};
    assert_false(added(MAP_PRIVATE, 0, 1));
    assert_false(tci_shared_mappings_added(&none, (uintptr_t)&word, sizeof word));
    assert_false(tci_shared_mappings_added(&none, (uintptr_t)state, sizeof word));
    assert_false(tci_shared_mappings_added(&none, 0, sizeof word));
}

TEST(what_cannot_be_written_does_not_count)
{
    tci_shared_mappings none = {0};
    uint8_t *at = map(MAP_SHARED);
    assert_true(tci_shared_mappings_added(&none, (uintptr_t)at, 1));
    assert_int_equal(mprotect(at, PAGES_BYTES, PROT_READ), 0);
    assert_false(tci_shared_mappings_added(&none, (uintptr_t)at, 1));
    assert_int_equal(munmap(at, PAGES_BYTES), 0);
}

TEST(what_was_there_before_was_not_added)
{
    tci_shared_mappings before;
    uint8_t *at = map(MAP_SHARED);
    assert_true(tci_shared_mappings_list(&before));
    assert_false(tci_shared_mappings_added(&before, (uintptr_t)at, PAGES_BYTES));
    assert_ptr_equal(mmap(at, PAGES_BYTES, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                     at);
    assert_true(tci_shared_mappings_added(&before, (uintptr_t)at, PAGES_BYTES));
    tci_shared_mappings_free(&before);
    assert_int_equal(munmap(at, PAGES_BYTES), 0);
}

TEST(a_mapping_begins_where_it_begins)
{
    tci_shared_mappings list;
    uint8_t *at = map(MAP_SHARED);
    assert_true(tci_shared_mappings_list(&list));
    assert_true(tci_shared_mappings_begin(&list, (uintptr_t)at, PAGES_BYTES));
    assert_false(tci_shared_mappings_begin(&list, (uintptr_t)at, PAGES_BYTES + 1));
    assert_false(tci_shared_mappings_begin(&list, (uintptr_t)at + 64, 64));
    assert_false(tci_shared_mappings_begin(&list, (uintptr_t)&list, 1));
    tci_shared_mappings_free(&list);
    assert_int_equal(munmap(at, PAGES_BYTES), 0);
}

TEST(peeking_reads_what_can_be_read)
{
    FILE *file = tmpfile();
    uint8_t byte = 0;
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), PAGES_BYTES / 2), 0);
    uint8_t *at = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    at[1] = 7;
    assert_true(tci_shared_mappings_peek((uintptr_t)at + 1, &byte, 1));
    assert_int_equal(byte, 7);
    /* behind the end of the file */
    assert_false(tci_shared_mappings_peek((uintptr_t)at + PAGES_BYTES - 1, &byte, 1));
    assert_false(tci_shared_mappings_peek(0, &byte, 1));
    assert_false(tci_shared_mappings_peek(UINT64_MAX, &byte, 1));
    assert_int_equal(munmap(at, PAGES_BYTES), 0);
    (void)fclose(file);
}
