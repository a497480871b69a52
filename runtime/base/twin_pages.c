#include "twin_pages.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) & ~(page - 1);
}

static uint8_t *map(int fd, size_t size, int protection)
{
    void *pages = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

static void map_both(int fd, tci_twin_pages *pages)
{
    if (ftruncate(fd, (off_t)pages->size) != 0)
        return;
    pages->bytes = map(fd, pages->size, PROT_READ | PROT_WRITE);
    pages->view = map(fd, pages->size, PROT_READ);
}

bool tci_twin_pages_map(size_t size, tci_twin_pages *pages_out)
{
    tci_twin_pages pages = {.size = whole_pages(size)};
    int fd = memfd_create("tchains-payload", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    map_both(fd, &pages);
    (void)close(fd);
    if (pages.bytes == NULL || pages.view == NULL) {
        tci_twin_pages_unmap(&pages);
        return false;
    }
    *pages_out = pages;
    return true;
}

void tci_twin_pages_unmap(tci_twin_pages *pages)
{
    if (pages->bytes != NULL)
        (void)munmap(pages->bytes, pages->size);
    tci_twin_pages_drop_view(pages->view, pages->size);
    *pages = (tci_twin_pages){0};
}

/* An old size of 0 makes mremap(2) map the pages of a shared mapping again. */
uint8_t *tci_twin_pages_view(void *bytes, size_t size)
{
    const size_t whole = whole_pages(size);
    void *view = mremap(bytes, 0, whole, MREMAP_MAYMOVE);
    if (view == MAP_FAILED)
        return NULL;
    if (mprotect(view, whole, PROT_READ) == 0)
        return view;
    (void)munmap(view, whole);
    return NULL;
}

void tci_twin_pages_drop_view(uint8_t *view, size_t size)
{
    if (view != NULL)
        (void)munmap(view, whole_pages(size));
}
