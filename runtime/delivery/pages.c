#include "pages.h"

#include <sys/mman.h>

void *tci_pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

void tci_pages_unmap(void *pages, size_t bytes)
{
    if (pages != NULL)
        (void)munmap(pages, bytes);
}
