#include "../support/test.h"
#include "base/landing.h"
#include "base/twin_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel writes where a store would not fault. */
static bool is_writable(uint8_t *at)
{
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ssize_t n = read(zeros, at, 1);
    assert_true(n == 1 || errno == EFAULT);
    (void)close(zeros);
    return n == 1;
}

TEST(what_is_written_is_seen_and_cannot_be_changed)
{
    static const size_t rooms[] = {1, 64, 4095, 4096, 4097, 1 << 20};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        tci_landing landing;
        assert_true(tci_landing_make(rooms[i], 4096, true, &landing));
        assert_ptr_not_equal(landing.bytes, landing.view);
        assert_in_range(landing.capacity, rooms[i], rooms[i] + 65536);
        assert_int_equal((uintptr_t)landing.view % 4096, 0);
        assert_int_equal(landing.view[rooms[i] - 1], 0);
        memset(landing.bytes, 7, landing.capacity);
        assert_int_equal(landing.view[rooms[i] - 1], 7);
        assert_true(is_writable(landing.bytes + rooms[i] - 1));
        assert_false(is_writable(landing.view + rooms[i] - 1));
        tci_landing_free(&landing);
        assert_null(landing.bytes);
        tci_landing_free(&landing);
    }
}

TEST(without_the_option_there_is_one_mapping)
{
    static const size_t alignments[] = {64, 256, 4096};
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        tci_landing landing;
        assert_true(tci_landing_make(1000, alignments[i], false, &landing));
        assert_ptr_equal(landing.bytes, landing.view);
        assert_int_equal((uintptr_t)landing.view % alignments[i], 0);
        assert_in_range(landing.capacity, 1000, 1000 + alignments[i]);
        assert_true(tci_landing_holds(&landing, (uintptr_t)landing.view));
        assert_false(tci_landing_holds(&landing, (uintptr_t)landing.view - 1));
        assert_false(tci_landing_holds(&landing, (uintptr_t)landing.view + landing.capacity));
        tci_landing_free(&landing);
        assert_false(tci_landing_holds(&landing, 0));
    }
}

TEST(more_than_there_is_changes_nothing)
{
    tci_landing landing = {.capacity = 1};
    assert_false(tci_landing_make((size_t)1 << 62, 4096, true, &landing));
    assert_int_equal(landing.capacity, 1);
}

TEST(shared_memory_of_others_can_be_seen_once_more)
{
    const size_t size = 3 * 4096 + 1;
    skip_if_emulated("mremap with an old size of 0 is not known to it");
    uint8_t *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    uint8_t *view = tci_twin_pages_view(shared, size);
    assert_non_null(view);
    shared[size - 1] = 9;
    assert_int_equal(view[size - 1], 9);
    assert_false(is_writable(view));
    assert_true(is_writable(shared));
    tci_twin_pages_drop_view(view, size);
    assert_null(tci_twin_pages_view(shared + 64, 4096)); /* not where a page begins */
    (void)munmap(shared, size);
}

TEST(private_memory_cannot)
{
    const size_t size = 4096;
    uint8_t *own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(own, MAP_FAILED);
    assert_null(tci_twin_pages_view(own, size));
    (void)munmap(own, size);
}
