/* The needs of a chase grow with its servers, and a missing resource is named with its
 * limit. */
#include "../../../benchmarks/papers/dapc_need.h"
#include "../../support/test.h"

static const dapc_mode get = {.name = "get"}, image = {.name = "image"},
                       bitcode = {.name = "bitcode"};
static const dapc_plan plans[] = {
    {&get, "adaptive", NULL}, {&image, "adaptive", NULL}, {&bitcode, "adaptive", NULL}};
static const perf_options tcp = {.transport = "tcp"}, shm = {.transport = "shm"};

TEST(grows_with_servers_and_modes)
{
    const dapc_need few = dapc_need_of(plans, 1, &tcp, 4);
    const dapc_need more = dapc_need_of(plans, 1, &tcp, 64);
    const dapc_need all = dapc_need_of(plans, 3, &tcp, 64);
    assert_true(few.descriptors > 4 && few.descriptors < more.descriptors);
    assert_true(more.descriptors < all.descriptors);
    assert_true(few.memory_bytes < more.memory_bytes && more.memory_bytes < all.memory_bytes);
    assert_int_equal(all.segments, 0);
    assert_true(dapc_need_of(plans, 3, &shm, 64).segments > 4096);
}

TEST(counts_programs)
{
    perf_options guest = tcp;
    guest.server_program = "guest";
    assert_true(dapc_need_of(plans, 3, &guest, 8).memory_bytes >
                dapc_need_of(plans, 3, &tcp, 8).memory_bytes);
}

TEST(names_what_is_missing)
{
    const dapc_need need = {
        .descriptors = 1000, .memory_bytes = 4096ull << 20, .segments = 8320};
    static const struct {
        dapc_need limits;
        const char *text;
    } cases[] = {
        {{999, UINT64_MAX, UINT64_MAX},
         "64 servers need up to 1000 descriptors in a process, the limit is 999 (ulimit -Hn)"},
        {{1000, 4095ull << 20, 8320},
         "64 servers need up to 4096 MB of memory, there are 4095"},
        {{1000, 4096ull << 20, 4096},
         "64 servers need up to 8320 segments of shared memory, 4096 are left (kernel.shmmni)"},
    };
    char text[160];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(dapc_need_fits(&need, &cases[i].limits, 64, text, sizeof text));
        assert_string_equal(text, cases[i].text);
    }
    assert_true(dapc_need_fits(&need, &need, 64, text, sizeof text));
}
