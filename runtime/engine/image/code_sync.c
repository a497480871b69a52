#include "code_sync.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A processor's caches obey the instructions meant for them. An emulator that translates code
 * (qemu before 8.1) continues with its translation of the old bytes, because it watches only
 * the address that it read them from. It drops the translation when that address is mapped
 * again. A real kernel returns at once from a mapping that changes nothing, but it is a system
 * call for each load. */
static bool remaps;

static void make_coherent(uint8_t *run, size_t bytes)
{
    /* By the addresses that run, as the manual of aarch64 requires. Does nothing on x86_64. */
    __builtin___clear_cache((char *)run, (char *)run + bytes);
}

/* int f(void) { return 1; }, or 2. */
static const uint8_t gives[2][8] = {{TCI_ARCH_RETURNS(1)}, {TCI_ARCH_RETURNS(2)}};

static int run_version(uint8_t *run, uint8_t *write, int version)
{
    memcpy(write, gives[version - 1], sizeof gives[0]);
    make_coherent(run, sizeof gives[0]);
    return ((int (*)(void))(uintptr_t)run)();
}

/* Sets `remaps` if the first function still runs after the second was written over it. Without
 * memory for this test nothing will be loaded either. */
static void find_out(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = memfd_create("tchains-code", MFD_CLOEXEC);
    if (fd < 0)
        return;
    void *run = MAP_FAILED, *write = MAP_FAILED;
    if (ftruncate(fd, (off_t)page) == 0) {
        run = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        write = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (run != MAP_FAILED && write != MAP_FAILED)
        remaps = run_version(run, write, 1) == 1 && run_version(run, write, 2) != 2;
    if (run != MAP_FAILED)
        munmap(run, page);
    if (write != MAP_FAILED)
        munmap(write, page);
    close(fd);
}

void tci_code_sync_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
}

void tci_code_sync(uint8_t *run, size_t bytes)
{
    make_coherent(run, bytes);
    if (__builtin_expect(remaps, 0))
        (void)syscall(SYS_mremap, run, bytes, bytes, 0); /* UCX 1.13 replaces mremap */
}
