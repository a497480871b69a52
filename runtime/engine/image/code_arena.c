/* A block is shared memory mapped twice and divided into slots of one geometry; a bit of
 * `taken` stands for each slot. Blocks with free slots come first in the list, so a slot is
 * found at its head. Where it is a memory file, that is sealed once both views exist. A few
 * empty blocks are kept as spares. */
#include "code_arena.h"

#include "base/arch.h"
#include "base/assertion.h"
#include "base/error_text.h"
#include "code_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES 16u                     /* slots in a block of small ones */
#define SPARES 4u                      /* empty blocks of small slots that stay */
#define SMALL_SPAN_BYTES (128u * 1024) /* larger slots have a block each */
/* Code of a block up to this size gets its pages when the block is made: many faults at once
 * cost a fraction of single ones, while a caller waits for the function. */
#define POPULATE_BYTES (64u * 1024)

/* Since Linux 6.3. Without this flag newer kernels complain in their log, or refuse. Pages may
 * still be mapped for execution; only the file cannot be executed. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* The segments of an image in pages. Images with one geometry can use each other's slots. */
typedef struct geometry {
    size_t span; /* bytes from one slot to the next */
    bool has_data;
    uint32_t part_count;
    struct {
        size_t offset;
        size_t bytes;
        tci_image_kind kind;
    } parts[TCI_IMAGE_SEGMENTS_MAX];
} geometry;

struct tci_code_block {
    TAILQ_ENTRY(tci_code_block) link; /* bound: code_memory_max */
    geometry shape;
    uint8_t *run;
    uint8_t *write;
    size_t bytes; /* of each view */
    uint32_t all; /* a bit for each slot */
    uint32_t taken;
    pid_t maker; /* its process; a fork shares these bytes with it */
};

struct tci_code_arena {
    pthread_mutex_t lock;
    TAILQ_HEAD(, tci_code_block) blocks; /* blocks with free slots first */
    tci_code_block *spares[SPARES];      /* the newest first, then NULL */
    size_t page_bytes;
    bool profiled;
};

tc_status tci_code_arena_create(tci_code_arena **arena_out, tc_error *err)
{
    tci_code_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "code memory: out of memory");
    tci_code_sync_init();
    pthread_mutex_init(&arena->lock, NULL);
    TAILQ_INIT(&arena->blocks);
    arena->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    *arena_out = arena;
    return TC_OK;
}

void tci_code_arena_set_profiled(tci_code_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    arena->profiled = true;
    pthread_mutex_unlock(&arena->lock);
}

/* --- blocks -------------------------------------------------------------------------- */

static void free_block(tci_code_block *block)
{
    if (block->run != NULL)
        munmap(block->run, block->bytes);
    if (block->write != NULL)
        munmap(block->write, block->bytes);
    free(block);
}

void tci_code_arena_destroy(tci_code_arena *arena)
{
    if (arena == NULL)
        return;
    for (tci_code_block *block; (block = TAILQ_FIRST(&arena->blocks)) != NULL;) {
        TAILQ_REMOVE(&arena->blocks, block, link);
        free_block(block);
    }
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

/* Maps memory without a file. Profilers attribute code in a file's mapping to that file; for
 * shared memory without a file they look up the map of names. It cannot be sealed. */
static bool map_unnamed(tci_code_block *block)
{
    void *write =
        mmap(NULL, block->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (write == MAP_FAILED)
        return false;
    block->write = write;
    return true;
}

static int open_memory(size_t bytes)
{
    int fd = memfd_create("tchains-code", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("tchains-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
        int reason = errno;
        close(fd);
        errno = reason;
        fd = -1;
    }
    return fd;
}

static int populate(const tci_code_block *block, size_t bytes)
{
    return block->all > 1 && bytes <= POPULATE_BYTES ? MAP_POPULATE : 0;
}

static bool map_at(const tci_code_block *block, size_t offset, size_t bytes,
                   tci_image_kind kind, int fd, int flags)
{
    int access = kind == TCI_IMAGE_CODE ? PROT_READ | PROT_EXEC : PROT_READ;
    TCI_INVARIANT(arena_views, (access & PROT_WRITE) == 0 && block->run != block->write);
    /* Without a file, `run` gets a second view of the memory of `write`. By system call: UCX
     * 1.13 replaces the C library's mremap with its own, which ignores the requested
     * address. */
    if (fd < 0)
        return syscall(SYS_mremap, block->write + offset, 0, bytes,
                       MREMAP_MAYMOVE | MREMAP_FIXED, block->run + offset) >= 0 &&
               mprotect(block->run + offset, bytes, access) == 0;
    return mmap(block->run + offset, bytes, access, MAP_SHARED | MAP_FIXED | flags, fd,
                (off_t)offset) != MAP_FAILED;
}

/* Maps code and constants over the reserved range. Slots that are entirely code take one call
 * for all. */
static bool map_fixed_parts(tci_code_block *block, int fd)
{
    const geometry *g = &block->shape;
    if (g->part_count == 1 && !g->has_data)
        return map_at(block, 0, block->bytes, g->parts[0].kind, fd,
                      populate(block, block->bytes));
    for (size_t start = 0; start < block->bytes; start += g->span) {
        for (uint32_t i = 0; i < g->part_count; i++) {
            size_t bytes = g->parts[i].bytes;
            if (g->parts[i].kind != TCI_IMAGE_DATA &&
                !map_at(block, start + g->parts[i].offset, bytes, g->parts[i].kind, fd,
                        populate(block, bytes * PLACES)))
                return false;
        }
    }
    return true;
}

/* Maps the writable view, then seals the file, so that no other writable view can be made of
 * it, not even by changing the view that runs. (Before Linux 5.1 there is no such seal.) */
static bool map_sealed(tci_code_block *block, int fd)
{
    /* Data segments are holes in this view, and are to stay holes. */
    int flags = block->shape.has_data ? 0 : populate(block, block->bytes);
    void *write = mmap(NULL, block->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
    if (write == MAP_FAILED)
        return false;
    block->write = write;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE) != 0)
        (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    return true;
}

/* Maps both views. fd -1: without a file. */
static bool map_views(tci_code_block *block, int fd)
{
    if (!(fd >= 0 ? map_sealed(block, fd) : map_unnamed(block)))
        return false;
    /* Bytes between the parts are mapped like data, or inaccessible. */
    void *run =
        mmap(NULL, block->bytes, block->shape.has_data ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (run == MAP_FAILED)
        return false;
    block->run = run;
    return map_fixed_parts(block, fd);
}

/* On failure errno has the reason. */
static tci_code_block *make_block(const tci_code_arena *arena, const geometry *shape)
{
    tci_code_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    unsigned places = shape->span <= SMALL_SPAN_BYTES ? PLACES : 1;
    block->shape = *shape;
    block->maker = getpid();
    block->bytes = places * shape->span;
    block->all = (1u << places) - 1;
    int fd = arena->profiled ? -1 : open_memory(block->bytes);
    bool mapped = (fd >= 0 || arena->profiled) && map_views(block, fd);
    int reason = errno;
    if (fd >= 0)
        close(fd); /* the views keep it */
    if (mapped)
        return block;
    free_block(block);
    errno = reason;
    return NULL;
}

/* --- geometry ------------------------------------------------------------------------ */

static size_t whole_pages(const tci_code_arena *arena, size_t bytes)
{
    return (bytes + arena->page_bytes - 1) & ~(arena->page_bytes - 1);
}

static tc_status plan(const tci_code_arena *arena, const tci_image *image, geometry *out,
                      tc_error *err)
{
    memset(out, 0, sizeof *out); /* with its padding: plans are compared as bytes */
    if (image->segment_count > 1 && image->page_bytes < arena->page_bytes)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "the image is for pages of at most %u bytes, pages here have %zu",
                             image->page_bytes, arena->page_bytes);
    out->part_count = image->segment_count;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        out->parts[i].offset = s->offset;
        out->parts[i].bytes = whole_pages(arena, s->memory_bytes);
        out->parts[i].kind = s->kind;
        out->has_data = out->has_data || s->kind == TCI_IMAGE_DATA;
    }
    out->span = whole_pages(arena, image->memory_bytes);
    return TC_OK;
}

/* --- taking and returning ------------------------------------------------------------ */

/* Returns whether the addresses to run and to write are those of the slot, in two views.
 * Unused in a release. */
__attribute__((unused)) static bool is_within_views(const tci_code_place *area)
{
    const tci_code_block *block = area->block;
    const size_t offset = area->index * block->shape.span;
    return area->run != area->write && area->run == block->run + offset &&
           area->write == block->write + offset && offset + block->shape.span <= block->bytes;
}

static tci_code_block *find_block(tci_code_arena *arena, const geometry *shape)
{
    tci_code_block *block;
    TAILQ_FOREACH(block, &arena->blocks, link)
    {
        if (block->taken == block->all)
            break;
        if (memcmp(&block->shape, shape, sizeof *shape) == 0 && block->maker == getpid())
            return block;
    }
    block = make_block(arena, shape);
    if (block != NULL)
        TAILQ_INSERT_HEAD(&arena->blocks, block, link);
    return block;
}

/* Removes a block from the spares: it is no longer empty. */
static void use_spare(tci_code_arena *arena, const tci_code_block *block)
{
    unsigned at = 0, to = 0;
    for (; at < SPARES; at++) {
        if (arena->spares[at] != block)
            arena->spares[to++] = arena->spares[at];
    }
    while (to < SPARES)
        arena->spares[to++] = NULL;
    TCI_INVARIANT(arena_spares, arena->spares[0] == NULL || arena->spares[0]->taken == 0);
}

/* Returns the spare that is one too many, or NULL. */
static tci_code_block *keep_spare(tci_code_arena *arena, tci_code_block *block)
{
    tci_code_block *gone = arena->spares[SPARES - 1];
    TCI_INVARIANT(arena_spares, block->taken == 0 && arena->spares[0] != block);
    memmove(&arena->spares[1], &arena->spares[0],
            sizeof arena->spares - sizeof arena->spares[0]);
    arena->spares[0] = block;
    return gone;
}

static bool take_locked(tci_code_arena *arena, const geometry *shape, tci_code_place *area)
{
    tci_code_block *block = find_block(arena, shape);
    if (block == NULL)
        return false;
    TCI_INVARIANT(arena_order, block->taken != block->all);
    if (block->taken == 0)
        use_spare(arena, block);
    area->block = block;
    area->index = (unsigned)__builtin_ctz(~block->taken);
    TCI_INVARIANT_IS(arena_slot, block->all >> area->index & 1, ==, 1);
    block->taken |= 1u << area->index;
    if (block->taken == block->all) {
        TAILQ_REMOVE(&arena->blocks, block, link);
        TAILQ_INSERT_TAIL(&arena->blocks, block, link);
    }
    return true;
}

tc_status tci_code_arena_take(tci_code_arena *arena, const tci_image *image,
                              tci_code_place *place_out, tc_error *err)
{
    geometry shape;
    tci_code_place area;
    TC_TRY(plan(arena, image, &shape, err));
    pthread_mutex_lock(&arena->lock);
    bool taken = take_locked(arena, &shape, &area);
    int reason = errno;
    pthread_mutex_unlock(&arena->lock);
    if (!taken)
        return tci_error_errno(err, TC_E_NO_MEMORY, reason, "memory for %u bytes of code",
                               image->memory_bytes);
    area.run = area.block->run + area.index * shape.span;
    area.write = area.block->write + area.index * shape.span;
    TCI_INVARIANT(arena_views, is_within_views(&area));
    *place_out = area;
    return TC_OK;
}

void tci_code_arena_prepare(tci_code_arena *arena)
{
    geometry shape;
    const tci_image image = {
        .memory_bytes = 1,
        .segment_count = 1,
        .segments = {{.memory_bytes = 1, .kind = TCI_IMAGE_CODE}},
    };
    if (plan(arena, &image, &shape, NULL) != TC_OK)
        return;
    pthread_mutex_lock(&arena->lock);
    tci_code_block *block = find_block(arena, &shape);
    if (block != NULL && block->taken == 0 && arena->spares[0] == NULL)
        (void)keep_spare(arena, block);
    pthread_mutex_unlock(&arena->lock);
}

void tci_code_arena_written(const tci_code_place *area, const tci_image *image)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        if (s->kind == TCI_IMAGE_CODE)
            tci_code_sync(area->run + s->offset, s->memory_bytes);
    }
}

static void wipe(const tci_code_place *area, const tci_image *image)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        if (s->kind == TCI_IMAGE_DATA)
            memset(area->run + s->offset, 0, s->memory_bytes);
        else
            memset(area->write + s->offset, TCI_ARCH_TRAP_BYTE, s->memory_bytes);
    }
}

/* Returns the block to free now, or NULL. A few empty blocks stay: a program that loads and
 * unloads one function, with the libraries it uses, after the other should not make a block for
 * each. */
static tci_code_block *release_locked(tci_code_arena *arena, const tci_code_place *area)
{
    tci_code_block *block = area->block, *gone = block;
    TCI_INVARIANT_IS(arena_slot, block->taken >> area->index & 1, ==, 1);
    block->taken &= ~(1u << area->index);
    TAILQ_REMOVE(&arena->blocks, block, link);
    TAILQ_INSERT_HEAD(&arena->blocks, block, link);
    TCI_INVARIANT(arena_order, TAILQ_FIRST(&arena->blocks)->taken != block->all);
    if (block->taken != 0)
        return NULL;
    if (block->all != 1 && block->maker == getpid())
        gone = keep_spare(arena, block);
    if (gone != NULL)
        TAILQ_REMOVE(&arena->blocks, gone, link);
    return gone;
}

void tci_code_arena_give_back(tci_code_arena *arena, const tci_code_place *area,
                              const tci_image *image)
{
    /* In a fork these bytes are the parent's as well. A slot with a block to itself is freed
     * with it. */
    TCI_INVARIANT(arena_views, is_within_views(area));
    if (area->block->all != 1 && area->block->maker == getpid())
        wipe(area, image);
    pthread_mutex_lock(&arena->lock);
    tci_code_block *gone = release_locked(arena, area);
    pthread_mutex_unlock(&arena->lock);
    if (gone != NULL)
        free_block(gone);
}

size_t tci_code_arena_bytes(tci_code_arena *arena)
{
    size_t bytes = 0;
    pthread_mutex_lock(&arena->lock);
    const tci_code_block *block;
    TAILQ_FOREACH(block, &arena->blocks, link)
    bytes += block->bytes;
    pthread_mutex_unlock(&arena->lock);
    return bytes;
}
