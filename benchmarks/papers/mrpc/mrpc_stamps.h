/* The parts of a rank's time, by stamps where one part ends and another begins: in the program
 * and in functions that run in its thread.
 *
 * A rank is in one part at a time. Stamps are off but in runs that are made for them, where
 * they cost two readings of a clock for each stay in another part. */
#ifndef TC_MRPC_STAMPS_H
#define TC_MRPC_STAMPS_H

#include <stdint.h>
#include <time.h>

typedef enum mrpc_part {
    MRPC_CPU,     /* the application's own work, with loads from memory that is mapped */
    MRPC_NET,     /* waits for answers and data of others, and serves them meanwhile */
    MRPC_BARRIER, /* waits for all others */
    MRPC_COPY,    /* gathers, scatters, packs and sends data; functions that run here */
    MRPC_PARTS
} mrpc_part;

typedef enum mrpc_stamps_clock {
    MRPC_STAMPS_OFF,
    MRPC_STAMPS_MONOTONIC, /* ticks are nanoseconds */
    MRPC_STAMPS_COUNTER    /* the processor's */
} mrpc_stamps_clock;

typedef struct mrpc_stamps {
    mrpc_stamps_clock clock;
    mrpc_part part; /* since `last` */
    uint64_t last;
    uint64_t count; /* of stamps */
    uint64_t ticks[MRPC_PARTS];
} mrpc_stamps;

static inline uint64_t mrpc_stamps_now(const mrpc_stamps *stamps)
{
    struct timespec now;
#if defined(__x86_64__)
    if (stamps->clock == MRPC_STAMPS_COUNTER)
        return __builtin_ia32_rdtsc();
#endif
    (void)stamps;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the part that ends, to enter again. */
static inline mrpc_part mrpc_stamps_enter(mrpc_stamps *stamps, mrpc_part part)
{
    const mrpc_part before = stamps->part;
    if (stamps->clock != MRPC_STAMPS_OFF) {
        const uint64_t now = mrpc_stamps_now(stamps);
        stamps->ticks[before] += now - stamps->last;
        stamps->last = now;
        stamps->part = part;
        stamps->count++;
    }
    return before;
}

static inline void mrpc_stamps_begin(mrpc_stamps *stamps, mrpc_stamps_clock clock)
{
    *stamps = (mrpc_stamps){.clock = clock, .part = MRPC_CPU};
    stamps->last = mrpc_stamps_now(stamps);
}

/* Charges the last part, and turns stamps off. */
static inline void mrpc_stamps_end(mrpc_stamps *stamps)
{
    (void)mrpc_stamps_enter(stamps, MRPC_CPU);
    stamps->clock = MRPC_STAMPS_OFF;
}

#endif
