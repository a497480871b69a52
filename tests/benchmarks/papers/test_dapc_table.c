/* The table of a pointer chase is one cycle, spread evenly, and parts of it are chased as the
 * whole is. */
#include "../../../benchmarks/papers/dapc_table.h"
#include "../../support/test.h"

#include <unistd.h>

#define SERVERS 4u
#define PLACES (1u << DAPC_PLACE_BITS)

static dapc_table table;

static int make_table(void **state)
{
    return dapc_table_make(&table, SERVERS) ? 0 : -1;
}

static int free_table(void **state)
{
    dapc_table_free(&table);
    return 0;
}

TEST(is_one_cycle)
{
    uint64_t address = 0, length = 0;
    do {
        assert_true(address < table.count);
        address = table.entries[address];
        length++;
    } while (address != 0 && length <= table.count);
    assert_int_equal(length, SERVERS * PLACES);
}

/* How many of a server's entries lead to each server: a quarter, give or take seven deviations.
 */
TEST(leads_everywhere_alike)
{
    uint64_t found[SERVERS][SERVERS] = {{0}};
    for (uint64_t i = 0; i < table.count; i++)
        found[i / PLACES][table.entries[i] / PLACES]++;
    for (unsigned from = 0; from < SERVERS; from++) {
        for (unsigned to = 0; to < SERVERS; to++)
            assert_in_range(found[from][to], PLACES / SERVERS - 550, PLACES / SERVERS + 550);
    }
}

TEST(is_the_same_every_time)
{
    dapc_table again;
    assert_true(dapc_table_make(&again, SERVERS));
    assert_memory_equal(again.entries, table.entries, table.count * sizeof *table.entries);
    dapc_table_free(&again);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(dapc_table_start(&table, i) < table.count);
    assert_int_not_equal(dapc_table_start(&table, 0), dapc_table_start(&table, 1));
}

TEST(is_there_for_who_has_its_descriptor)
{
    dapc_table mapped;
    assert_false(dapc_table_map(&mapped, table.fd, SERVERS + 1));
    assert_false(dapc_table_map(&mapped, -1, SERVERS));
    assert_true(dapc_table_map(&mapped, dup(table.fd), SERVERS));
    assert_memory_equal(mapped.entries, table.entries, table.count * sizeof *table.entries);
    dapc_table_free(&mapped);
}

/* Where chases begin that may begin anywhere: at every server, and not at that of the first
 * entry alone. */
TEST(begins_anywhere)
{
    unsigned found[SERVERS] = {0}, owners = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        unsigned server = dapc_table_any(&table, i);
        assert_true(server < SERVERS);
        found[server]++;
        owners += server == dapc_table_start(&table, i) >> DAPC_PLACE_BITS;
    }
    for (unsigned i = 0; i < SERVERS; i++)
        assert_in_range(found[i], 800, 1200);
    assert_in_range(owners, 800, 1200);
}

/* From server to server by parts, as the handlers do. */
static uint64_t chase_by_parts(uint64_t address, uint64_t depth, unsigned *hops)
{
    dapc_step step = {.address = address, .depth = depth};
    while (step.depth > 0) {
        const dapc_shard shard =
            dapc_table_shard(&table, (unsigned)(step.address >> DAPC_PLACE_BITS));
        uint64_t left = step.depth;
        assert_int_equal(dapc_owner(&shard, step.address), shard.rank);
        dapc_walk(&shard, &step);
        assert_true(step.depth < left);
        assert_true(step.depth == 0 || dapc_owner(&shard, step.address) != shard.rank);
        ++*hops;
    }
    return step.address;
}

TEST(parts_are_chased_as_the_whole)
{
    for (uint64_t depth = 0; depth <= 4096; depth = depth == 0 ? 1 : 4 * depth) {
        unsigned hops = 0;
        uint64_t start = dapc_table_start(&table, depth);
        assert_int_equal(chase_by_parts(start, depth, &hops),
                         dapc_table_chase(&table, start, depth));
        assert_true(hops <= depth);
    }
}

/* Another server's entries are not touched. */
TEST(stays_on_its_server)
{
    const dapc_shard shard = dapc_table_shard(&table, 1);
    dapc_step step = {.address = 2 * (uint64_t)PLACES, .depth = 5};
    dapc_walk(&shard, &step);
    assert_int_equal(step.depth, 5);
    step = (dapc_step){.address = UINT64_MAX, .depth = 5};
    dapc_walk(&shard, &step);
    assert_int_equal(step.depth, 5);
}

int main(void)
{
    return test_run(make_table, free_table);
}
