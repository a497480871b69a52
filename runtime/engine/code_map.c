/* Entries lie in chunks that are never freed. Writers hold a lock; readers walk the list of
 * chunks without one. */
#include "code_map.h"

#include "base/logger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_PLACES 64
/* Names of the process at a time; further ones are left out. */
#define CODE_NAMES_MAX (1u << 18)
#define PERF_MAP_BYTES_MAX (16u << 20)
#define NAME_WORDS (TCI_CODE_MAP_NAME / sizeof(uint64_t))
#define ID_WORDS (sizeof(tci_content_id) / sizeof(uint64_t))

/* A writer makes the version odd first and even last; a reader accepts an entry that has the
 * same even version before and after. Each word is stored with release and loaded with acquire,
 * so no word is seen later than the version that follows it, or earlier than the one before. */
typedef struct tci_code_names {
    atomic_uint version;
    _Atomic uintptr_t begin;
    _Atomic uintptr_t end; /* 0: unused */
    _Atomic uint64_t name[NAME_WORDS];
    _Atomic uint64_t id[ID_WORDS];
    /* Of the same function, or of the free list; under the lock; bound: CODE_NAMES_MAX. */
    struct tci_code_names *next;
} named_range;

typedef struct chunk {
    named_range places[CHUNK_PLACES];
    struct chunk *_Atomic next; /* bound: CODE_NAMES_MAX */
} chunk;

static chunk *_Atomic chunks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all writing, and of: */
static named_range *free_places;
static unsigned chunk_count;

/* --- one entry ------------------------------------------------------------------------ */

static void store(_Atomic uint64_t *words, size_t count, const void *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i * sizeof word, sizeof word);
        atomic_store_explicit(&words[i], word, memory_order_release);
    }
}

static void load(const _Atomic uint64_t *words, size_t count, void *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = atomic_load_explicit(&words[i], memory_order_acquire);
        memcpy((char *)bytes + i * sizeof word, &word, sizeof word);
    }
}

static void fill(named_range *p, const tci_content_id *id, const tci_code_symbol *symbol)
{
    char name[TCI_CODE_MAP_NAME] = "";
    unsigned version = atomic_load_explicit(&p->version, memory_order_relaxed);
    strncpy(name, symbol->name, sizeof name - 1);
    atomic_store_explicit(&p->version, version + 1, memory_order_relaxed);
    store(p->name, NAME_WORDS, name);
    store(p->id, ID_WORDS, id->bytes);
    atomic_store_explicit(&p->begin, symbol->address, memory_order_release);
    atomic_store_explicit(&p->end, symbol->address + symbol->size, memory_order_release);
    atomic_store_explicit(&p->version, version + 2, memory_order_release);
}

/* --- the file for perf, under the lock as well --------------------------------------- */

static int perf_fd = -1;
static pid_t perf_owner;
static size_t perf_bytes; /* written so far */

static int create_perf(const char *path)
{
    /* bound: PERF_MAP_BYTES_MAX */
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
}

/* Removes the file of an earlier process of this user with the same process id. Files of other
 * users stay: the folder's sticky bit protects them, too. */
static void remove_old_perf(const char *path)
{
    struct stat found;
    if (lstat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid())
        (void)unlink(path);
}

/* Writes one line; does nothing before tci_code_map_open_perf, or in a fork. */
static void write_perf(const char *name, uintptr_t address, size_t size)
{
    char line[64 + TCI_CODE_MAP_NAME];
    if (perf_fd < 0 || perf_bytes >= PERF_MAP_BYTES_MAX || getpid() != perf_owner)
        return;
    int n = snprintf(line, sizeof line, "%" PRIxPTR " %zx %.*s\n", address, size,
                     TCI_CODE_MAP_NAME - 1, name);
    /* One write, so that a reader never sees half a line. Without disk space no other call
     * would do better. */
    if (write(perf_fd, line, (size_t)n) != n)
        TC_LOG(TC_LOG_DEBUG, "perf map: '%s' could not be written", name);
    perf_bytes += (size_t)n;
    if (perf_bytes >= PERF_MAP_BYTES_MAX)
        TC_LOG(TC_LOG_WARN,
               "perf map: it has %zu bytes, expected %u at most: later code has no "
               "names there",
               perf_bytes, PERF_MAP_BYTES_MAX);
}

static void open_perf_locked(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    perf_fd = create_perf(path);
    if (perf_fd < 0 && errno == EEXIST) {
        remove_old_perf(path);
        perf_fd = create_perf(path);
    }
    if (perf_fd < 0)
        TC_LOG(TC_LOG_WARN, "perf map %s: %s", path, strerror(errno));
    perf_owner = getpid();
}

static void write_place(const named_range *p)
{
    char name[TCI_CODE_MAP_NAME];
    const uintptr_t begin = atomic_load_explicit(&p->begin, memory_order_relaxed);
    const uintptr_t end = atomic_load_explicit(&p->end, memory_order_relaxed);
    if (end == 0)
        return;
    load(p->name, NAME_WORDS, name);
    write_perf(name, begin, end - begin);
}

void tci_code_map_open_perf(void)
{
    pthread_mutex_lock(&lock);
    if (perf_fd < 0) {
        open_perf_locked();
        for (const chunk *c = atomic_load_explicit(&chunks, memory_order_relaxed); c != NULL;
             c = atomic_load_explicit(&c->next, memory_order_relaxed))
            for (size_t i = 0; i < CHUNK_PLACES; i++)
                write_place(&c->places[i]);
    }
    pthread_mutex_unlock(&lock);
}

/* --- adding and removing -------------------------------------------------------------- */

/* Returns an unused entry; NULL without memory for more, or when all are in use. */
static named_range *take_place(void)
{
    if (free_places == NULL) {
        chunk *c = NULL;
        if (chunk_count < CODE_NAMES_MAX / CHUNK_PLACES)
            c = calloc(1, sizeof *c);
        if (c == NULL)
            return NULL;
        for (size_t i = 0; i < CHUNK_PLACES; i++) {
            c->places[i].next = free_places;
            free_places = &c->places[i];
        }
        atomic_store_explicit(&c->next, atomic_load_explicit(&chunks, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(&chunks, c, memory_order_release);
        chunk_count++;
    }
    named_range *p = free_places;
    free_places = p->next;
    return p;
}

tci_code_names *tci_code_map_add(const tci_content_id *id, const tci_code_symbol *symbols,
                                 size_t count)
{
    named_range *names = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        named_range *p = take_place();
        if (p == NULL)
            break;
        p->next = names;
        names = p;
        fill(p, id, &symbols[i]);
        write_perf(symbols[i].name, symbols[i].address, symbols[i].size);
    }
    pthread_mutex_unlock(&lock);
    return names;
}

void tci_code_map_remove(tci_code_names *names)
{
    pthread_mutex_lock(&lock);
    while (names != NULL) {
        named_range *p = names;
        names = p->next;
        atomic_store_explicit(&p->end, 0, memory_order_release);
        p->next = free_places;
        free_places = p;
    }
    pthread_mutex_unlock(&lock);
}

/* --- reading ----------------------------------------------------------------------------- */

static bool read_place(const named_range *p, uintptr_t address, tci_found_code *out)
{
    unsigned version = atomic_load_explicit(&p->version, memory_order_acquire);
    uintptr_t begin = atomic_load_explicit(&p->begin, memory_order_acquire);
    uintptr_t end = atomic_load_explicit(&p->end, memory_order_acquire);
    if (version % 2 != 0 || address < begin || address >= end)
        return false;
    load(p->name, NAME_WORDS, out->name);
    load(p->id, ID_WORDS, out->id.bytes);
    out->offset = address - begin;
    return atomic_load_explicit(&p->version, memory_order_relaxed) == version;
}

bool tci_code_map_find(uintptr_t address, tci_found_code *found_out)
{
    tci_found_code found;
    for (const chunk *c = atomic_load_explicit(&chunks, memory_order_acquire); c != NULL;
         c = atomic_load_explicit(&c->next, memory_order_relaxed))
        for (size_t i = 0; i < CHUNK_PLACES; i++) {
            if (!read_place(&c->places[i], address, &found))
                continue;
            *found_out = found;
            return true;
        }
    return false;
}
