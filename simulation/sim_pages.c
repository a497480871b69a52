/* The pages of rings, which are a node's memory, too: a killed node gives them back. Small ones
 * are allocated with other memory, so that the rings of a large world fill whole pages. Whole
 * pages take no memory until they are written, as in a process. */
#include "sim_memory.h"
#include "sim_world.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64u /* of a ring's data */
#define SMALL_BYTES ((size_t)32 << 10)

void *__wrap_tci_pages_map(size_t bytes);
void __wrap_tci_pages_unmap(void *pages, size_t bytes);
void *__real_tci_pages_map(size_t bytes);
void __real_tci_pages_unmap(void *pages, size_t bytes);

void *__wrap_tci_pages_map(size_t bytes)
{
    if (sim_world_node() == NULL || bytes > SMALL_BYTES)
        return __real_tci_pages_map(bytes);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t alignment = bytes % page == 0 ? page : ALIGNMENT;
    const size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
    void *pages = aligned_alloc(alignment, whole);
    if (pages == NULL)
        return NULL;
    memset(pages, 0, whole);
    if (alignment == page) /* the pages read as zero again */
        (void)madvise(pages, whole, MADV_DONTNEED);
    return pages;
}

void __wrap_tci_pages_unmap(void *pages, size_t bytes)
{
    if (sim_world_node() == NULL || bytes > SMALL_BYTES)
        __real_tci_pages_unmap(pages, bytes);
    else
        free(pages);
}
