#include "frame_place.h"

#include "perf_process.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define LINE_BYTES 64u

frame_log *frame_log_create(uint64_t capacity)
{
    const size_t array = (size_t)capacity * sizeof(uint64_t);
    unsigned char *bytes = perf_process_share(sizeof(frame_log) + 2 * array);
    if (bytes == NULL)
        return NULL;
    frame_log *log = (frame_log *)(void *)bytes;
    for (int i = 0; i < 2; i++)
        log->spent[i] = (uint64_t *)(void *)(bytes + sizeof *log + (size_t)i * array);
    log->capacity = capacity;
    /* Touched now: a page fault must not be part of a round trip. */
    memset(bytes + sizeof *log, 0xff, 2 * array);
    return log;
}

const char *frame_place_name(frame_placement where)
{
    static const char *const names[FRAME_PLACEMENTS] = {"cache", "own", "memory"};
    return names[where];
}

/* A byte of each line, but no byte outside the range. */
static void read_lines(const void *bytes, size_t size)
{
    const uintptr_t begin = (uintptr_t)bytes;
    for (uintptr_t at = begin; at < begin + size; at = (at | (LINE_BYTES - 1)) + 1)
        (void)*(const volatile char *)at;
}

#if defined(__x86_64__)

/* Processors before Skylake and Zen have only the older one, which waits for each line. */
static bool has_clflushopt(void)
{
    unsigned eax, ebx = 0, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & 1u << 23) != 0;
}

bool frame_place_can_move(void)
{
    return true;
}

static void wait_until_done(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

static void drop_lines(const void *bytes, size_t size)
{
    static int optimised = -1;
    uintptr_t at = (uintptr_t)bytes & ~(uintptr_t)(LINE_BYTES - 1);
    const uintptr_t end = (uintptr_t)bytes + size;
    if (optimised < 0)
        optimised = has_clflushopt();
    for (; at < end; at += LINE_BYTES) {
        volatile char *line = (volatile char *)at;
        if (optimised)
            __asm__ volatile("clflushopt %0" : "+m"(*line));
        else
            __asm__ volatile("clflush %0" : "+m"(*line));
    }
}

#elif defined(__aarch64__)

bool frame_place_can_move(void)
{
    return true;
}

static void wait_until_done(void)
{
    __asm__ volatile("dsb sy" ::: "memory");
}

/* Linux lets programs do it (SCTLR_EL1.UCI). */
static void drop_lines(const void *bytes, size_t size)
{
    uint64_t cache_type;
    __asm__("mrs %0, ctr_el0" : "=r"(cache_type));
    const uintptr_t line_bytes = 4u << (cache_type >> 16 & 15u);
    const uintptr_t end = (uintptr_t)bytes + size;
    for (uintptr_t at = (uintptr_t)bytes & ~(line_bytes - 1); at < end; at += line_bytes)
        __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
}

#else

bool frame_place_can_move(void)
{
    return false;
}

static void wait_until_done(void)
{
}

static void drop_lines(const void *bytes, size_t size)
{
    (void)bytes, (void)size;
}

#endif

void frame_place_move(frame_placement where, const void *bytes, size_t size)
{
    if (where == FRAME_IN_CACHE)
        return;
    if (where == FRAME_IN_OWN)
        read_lines(bytes, size);
    else
        drop_lines(bytes, size);
    wait_until_done();
}

void frame_watch_note(frame_watch *watch, const void *payload)
{
    const unsigned char *at = payload;
    if (watch->newest != NULL && at > watch->newest)
        watch->step = at - watch->newest;
    frame_watch_skip(watch, payload);
}

void frame_watch_skip(frame_watch *watch, const void *payload)
{
    const unsigned char *at = payload;
    if (watch->newest == NULL)
        watch->first = watch->last = at;
    else if (at <= watch->newest)
        watch->has_wrapped = true;
    watch->newest = at;
    if (at < watch->first)
        watch->first = at;
    if (at > watch->last)
        watch->last = at;
    memcpy(&watch->signal, at - FRAME_SIGNAL_BEFORE, sizeof watch->signal);
}

const unsigned char *frame_watch_next(const frame_watch *watch, const unsigned char *payload)
{
    const unsigned char *from = payload != NULL ? payload : watch->newest;
    if (!watch->has_wrapped || watch->step == 0)
        return NULL;
    return from + watch->step <= watch->last ? from + watch->step : watch->first;
}
