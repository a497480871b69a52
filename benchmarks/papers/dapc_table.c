#include "dapc_table.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEED 0x3c6ef372fe94f82bull

/* The finalizer of SplitMix64 over a counter. */
static uint64_t random_of(uint64_t number)
{
    uint64_t x = SEED + (number + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static bool map_entries(dapc_table *table, unsigned servers, int protection)
{
    uint64_t count = (uint64_t)servers << DAPC_PLACE_BITS;
    void *entries = mmap(NULL, count * sizeof(uint64_t), protection, MAP_SHARED, table->fd, 0);
    if (entries == MAP_FAILED)
        return false;
    table->entries = entries;
    table->count = count;
    table->servers = servers;
    return true;
}

/* Sattolo's shuffle: of all permutations only those that are one cycle, each with the same
 * probability, so that no chase gets into a short circle. */
bool dapc_table_make(dapc_table *table, unsigned servers)
{
    uint64_t count = (uint64_t)servers << DAPC_PLACE_BITS;
    *table = (dapc_table){.fd = memfd_create("dapc", MFD_CLOEXEC)};
    if (table->fd < 0)
        return false;
    if (ftruncate(table->fd, (off_t)(count * sizeof(uint64_t))) != 0 ||
        !map_entries(table, servers, PROT_READ | PROT_WRITE)) {
        (void)close(table->fd);
        return false;
    }
    uint64_t *entries = table->entries;
    for (uint64_t i = 0; i < count; i++)
        entries[i] = i;
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t other = random_of(i) % i, entry = entries[i];
        entries[i] = entries[other];
        entries[other] = entry;
    }
    return true;
}

bool dapc_table_map(dapc_table *table, int fd, unsigned servers)
{
    struct stat about;
    uint64_t count = (uint64_t)servers << DAPC_PLACE_BITS;
    *table = (dapc_table){.fd = fd};
    return fstat(fd, &about) == 0 && (uint64_t)about.st_size == count * sizeof(uint64_t) &&
           map_entries(table, servers, PROT_READ);
}

void dapc_table_free(dapc_table *table)
{
    if (table->entries != NULL) {
        (void)munmap(table->entries, table->count * sizeof(uint64_t));
        (void)close(table->fd);
    }
    *table = (dapc_table){.fd = -1};
}

dapc_shard dapc_table_shard(const dapc_table *table, unsigned rank)
{
    return (dapc_shard){.entries = table->entries + ((uint64_t)rank << DAPC_PLACE_BITS),
                        .rank = rank,
                        .place_bits = DAPC_PLACE_BITS};
}

uint64_t dapc_table_start(const dapc_table *table, uint64_t number)
{
    return random_of(~number) % table->count;
}

unsigned dapc_table_any(const dapc_table *table, uint64_t number)
{
    return (unsigned)(random_of(number ^ SEED) % table->servers);
}

uint64_t dapc_table_chase(const dapc_table *table, uint64_t address, uint64_t depth)
{
    while (depth-- > 0)
        address = table->entries[address];
    return address;
}
