#include "interference.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 128
#define NS_PER_S 1000000000ull

uint64_t interference_waited_ns(void)
{
    char text[TEXT_BYTES] = "";
    uint64_t waited_ns = 0;
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t got = read(file, text, sizeof text - 1);
    (void)close(file);
    return got > 0 && sscanf(text, "%*u %" SCNu64, &waited_ns) == 1 ? waited_ns : 0;
}

/* The eighth number of a line "cpu0 ...", in ticks. */
static uint64_t stolen_of(const char *line)
{
    uint64_t ticks = 0;
    return sscanf(line, "%*s %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) == 1 ? ticks : 0;
}

uint64_t interference_stolen_ns(const int *cpus)
{
    char line[4 * TEXT_BYTES];
    uint64_t ticks = 0;
    const long per_s = sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL || per_s <= 0)
        return 0;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "cpu", 3) == 0) {
        const bool is_sum = line[3] == ' ';
        const long cpu = is_sum ? -1 : strtol(line + 3, NULL, 10);
        const bool is_any = cpus[0] < 0 || cpus[1] < 0;
        if (is_any ? is_sum : !is_sum && (cpu == cpus[0] || cpu == cpus[1]))
            ticks += stolen_of(line);
    }
    (void)fclose(file);
    return ticks * (NS_PER_S / (uint64_t)per_s);
}

interference_level interference_of(double *shares, unsigned count)
{
    const double share = count > 0 ? perf_stats_median(shares, count) : 0;
    return share > INTERFERENCE_LOST   ? INTERFERENCE_MUCH
           : share > INTERFERENCE_BUSY ? INTERFERENCE_SOME
                                       : INTERFERENCE_NONE;
}

bool interference_spoils(interference_level state, interference_figure figure,
                         perf_spread spread, unsigned rounds)
{
    if (state == INTERFERENCE_NONE)
        return false;
    return state == INTERFERENCE_MUCH || figure != INTERFERENCE_MEDIAN ||
           (rounds >= INTERFERENCE_ROUNDS &&
            spread.three_quarters > INTERFERENCE_SPREAD * spread.quarter);
}
