#include "dapc_need.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define KB 1024ull
#define MB (1024ull * KB)

/* --- needs ----------------------------------------------------------------------------- */

typedef struct plan_need {
    const char *mode;
    unsigned fds_per_peer;
    uint64_t bytes;
    uint64_t bytes_per_peer;
    unsigned segments;
    unsigned segments_per_peer;
} plan_need;

/* An endpoint of UCX's has a connection for each direction, or two while both sides connect at
 * once; the library's has one of its own besides. Bitcode is compiled in one more process. */
static const plan_need plan_needs[] = {
    {"get", 1, MB, 16 * KB, 3, 0},        {"am", 3, MB, 16 * KB, 2, 0},
    {"am-safe", 3, MB, 16 * KB, 2, 0},    {"bitcode", 5, 18 * MB, 128 * KB, 2, 2},
    {"image", 5, 2 * MB, 128 * KB, 2, 2},
};

#define FDS_OF_A_PROCESS 16u
#define FDS_OF_A_PLAN 16u
#define BYTES_OF_A_PROCESS (2 * MB)
/* An emulator, and no library shared with the others. */
#define BYTES_OF_A_PROGRAM (48 * MB)

static const plan_need *need_of(const char *mode)
{
    const plan_need *row = plan_needs;
    while (strcmp(row->mode, mode) != 0)
        row++;
    return row;
}

dapc_need dapc_need_of(const dapc_plan *plans, unsigned plan_count, const perf_options *options,
                       unsigned servers)
{
    /* A worker inherits the links of those started before. */
    dapc_need need = {.descriptors = FDS_OF_A_PROCESS + servers + 1};
    uint64_t bytes =
        BYTES_OF_A_PROCESS + (options->server_program != NULL ? BYTES_OF_A_PROGRAM : 0);
    for (unsigned i = 0; i < plan_count; i++) {
        const plan_need *row = need_of(plans[i].mode->name);
        need.descriptors += FDS_OF_A_PLAN + (uint64_t)row->fds_per_peer * servers;
        bytes += row->bytes + row->bytes_per_peer * servers;
        if (strcmp(options->transport, "shm") == 0)
            need.segments +=
                (servers + 1) * (row->segments + (uint64_t)row->segments_per_peer * servers);
    }
    need.memory_bytes =
        (servers + 1) * bytes + ((uint64_t)servers << DAPC_PLACE_BITS) * sizeof(uint64_t);
    return need;
}

bool dapc_need_fits(const dapc_need *need, const dapc_need *limits, unsigned servers,
                    char *text, size_t text_size)
{
    if (need->descriptors > limits->descriptors)
        (void)snprintf(text, text_size,
                       "%u servers need up to %llu descriptors in a process, the limit is %llu "
                       "(ulimit -Hn)",
                       servers, (unsigned long long)need->descriptors,
                       (unsigned long long)limits->descriptors);
    else if (need->memory_bytes > limits->memory_bytes)
        (void)snprintf(text, text_size,
                       "%u servers need up to %llu MB of memory, there are %llu", servers,
                       (unsigned long long)(need->memory_bytes / MB),
                       (unsigned long long)(limits->memory_bytes / MB));
    else if (need->segments > limits->segments)
        (void)snprintf(text, text_size,
                       "%u servers need up to %llu segments of shared memory, %llu are left "
                       "(kernel.shmmni)",
                       servers, (unsigned long long)need->segments,
                       (unsigned long long)limits->segments);
    else
        return true;
    return false;
}

/* --- resources ----------------------------------------------------------------------- */

/* Files of the kernel's that are not there limit nothing. */
static uint64_t available_memory(void)
{
    char line[128];
    unsigned long long kb;
    uint64_t bytes = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %llu kB", &kb) == 1)
            bytes = kb * KB;
    }
    if (file != NULL)
        (void)fclose(file);
    return bytes;
}

static uint64_t free_segments(void)
{
    unsigned long long most = 0, used = 0;
    FILE *file = fopen("/proc/sys/kernel/shmmni", "r");
    bool known = file != NULL && fscanf(file, "%llu", &most) == 1;
    if (file != NULL)
        (void)fclose(file);
    file = fopen("/proc/sysvipc/shm", "r");
    for (int c = 0; file != NULL && (c = fgetc(file)) != EOF;)
        used += c == '\n';
    if (file != NULL)
        (void)fclose(file);
    used -= used > 0; /* the head of the table */
    return !known ? UINT64_MAX : most > used ? most - used : 0;
}

static uint64_t allow_descriptors(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return UINT64_MAX;
    if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = {.rlim_cur =
                                          wanted < limit.rlim_max ? wanted : limit.rlim_max,
                                      .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    return limit.rlim_cur;
}

bool dapc_need_ensure(const dapc_plan *plans, unsigned plan_count, const perf_options *options,
                      unsigned servers)
{
    char text[160];
    const dapc_need need = dapc_need_of(plans, plan_count, options, servers);
    const dapc_need limits = {.descriptors = allow_descriptors(need.descriptors),
                              .memory_bytes = available_memory(),
                              .segments = need.segments > 0 ? free_segments() : UINT64_MAX};
    if (dapc_need_fits(&need, &limits, servers, text, sizeof text))
        return true;
    (void)fprintf(stderr, "tc-perf: dapc: %s; fewer --servers or --modes need less\n", text);
    return false;
}
