/* The cost for a processor of running code that was just written, stage by stage: writing it,
 * invalidating the instruction cache (nothing where that is coherent), the first call and a
 * later one. The memory is as the library's: one mapping is written, another one runs. */
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_BYTES_MAX (64u << 10)
#define FUNCTION_BYTES 8u
#define SAMPLES 1001u

enum { WRITE, SYNC, FIRST_CALL, LATER_CALL, STAGES };

static const char *const stage_names[STAGES] = {"write", "icache", "first call", "later call"};

typedef struct code_memory {
    uint8_t *run;
    uint8_t *write;
    uint8_t code[CODE_BYTES_MAX]; /* the bytes written; behind the function anything */
    uint64_t wrong;               /* calls that returned an earlier function's result */
} code_memory;

/* int f(void) { return value; } */
static void encode(uint8_t code[FUNCTION_BYTES], unsigned value)
{
#if defined(__x86_64__)
    const uint8_t bytes[FUNCTION_BYTES] = {0xb8, (uint8_t)value, (uint8_t)(value >> 8), 0, 0,
                                           0xc3};
#else
    const uint32_t words[2] = {0x52800000u | (value & 0xffffu) << 5, 0xd65f03c0u};
    uint8_t bytes[FUNCTION_BYTES];
    memcpy(bytes, words, sizeof bytes);
#endif
    memcpy(code, bytes, sizeof bytes);
}

static bool map(code_memory *memory)
{
    int fd = memfd_create("tc-perf-code", MFD_CLOEXEC);
    void *run = MAP_FAILED, *write = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, CODE_BYTES_MAX) == 0) {
        run = mmap(NULL, CODE_BYTES_MAX, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        write = mmap(NULL, CODE_BYTES_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    bool ok = run != MAP_FAILED && write != MAP_FAILED;
    if (!ok)
        (void)fprintf(stderr, "tc-perf: icache: memory that is written and run: %s\n",
                      strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    memory->run = run;
    memory->write = write;
    return ok;
}

static void unmap(code_memory *memory)
{
    if (memory->run != MAP_FAILED)
        (void)munmap(memory->run, CODE_BYTES_MAX);
    if (memory->write != MAP_FAILED)
        (void)munmap(memory->write, CODE_BYTES_MAX);
}

/* Another function each time, so that a call of the old bytes is noticed. */
static void take_sample(code_memory *memory, size_t code_bytes, unsigned number,
                        double ns[STAGES])
{
    int (*const function)(void) = (int (*)(void))(uintptr_t)memory->run;
    uint64_t stamps[STAGES + 1];
    unsigned value = number & 0x7fffu;
    encode(memory->code, value);
    stamps[0] = perf_ticks();
    memcpy(memory->write, memory->code, code_bytes);
    stamps[1] = perf_ticks();
    __builtin___clear_cache((char *)memory->run, (char *)memory->run + code_bytes);
    stamps[2] = perf_ticks();
    int first = function();
    stamps[3] = perf_ticks();
    int later = function();
    stamps[4] = perf_ticks();
    memory->wrong += first != (int)value || later != (int)value;
    for (int i = 0; i < STAGES; i++)
        ns[i] = (double)(stamps[i + 1] - stamps[i]) * perf_clock_ns_per_tick();
}

static void measure(code_memory *memory, size_t code_bytes, const perf_options *options,
                    json_t *rows)
{
    static double samples[STAGES][SAMPLES];
    double ns[STAGES];
    for (unsigned i = 0; i < SAMPLES; i++) {
        take_sample(memory, code_bytes, i, ns);
        for (int stage = 0; stage < STAGES; stage++)
            samples[stage][i] = ns[stage];
    }
    for (int stage = 0; stage < STAGES; stage++) {
        perf_spread spread = perf_stats_spread(samples[stage], SAMPLES);
        json_t *row = json_pack("{s:I, s:s}", "code_bytes", (json_int_t)code_bytes, "stage",
                                stage_names[stage]);
        perf_report_spread(row, "ns", spread, 1);
        (void)json_array_append_new(rows, row);
        if (!perf_report_is_quiet(options))
            (void)printf("%10zu  %-10s %12.1f\n", code_bytes, stage_names[stage],
                         spread.median);
    }
}

static int run_icache(const perf_options *options)
{
    code_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL || !map(memory)) {
        free(memory);
        return EXIT_FAILURE;
    }
    json_t *report = perf_report_create(options);
    if (!perf_report_is_quiet(options))
        (void)printf("%10s  %-10s %12s\n", "code bytes", "stage", "ns");
    for (size_t code_bytes = 64; code_bytes <= CODE_BYTES_MAX; code_bytes *= 4)
        measure(memory, code_bytes, options, json_object_get(report, "rows"));
    bool ok = memory->wrong == 0;
    if (!ok)
        (void)fprintf(stderr, "tc-perf: icache: %llu calls ran what was there before\n",
                      (unsigned long long)memory->wrong);
    if (!perf_report_is_quiet(options))
        (void)printf("\nmedians of %u; a stamp of the clock is in each\n", SAMPLES);
    unmap(memory);
    free(memory);
    return perf_report_write(options, report) && ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment icache_experiment = {
    .name = "icache",
    .summary = NULL, /* in the manual alone: help has 24 lines */
    .options = "",
    .run = run_icache,
};
