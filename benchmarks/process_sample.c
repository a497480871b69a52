#include "process_sample.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 512

static FILE *open_file(pid_t pid, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

static bool read_rss(pid_t pid, uint64_t *bytes_out)
{
    uint64_t pages = 0;
    FILE *file = open_file(pid, "statm");
    if (file == NULL)
        return false;
    bool ok = fscanf(file, "%*u %" SCNu64, &pages) == 1;
    (void)fclose(file);
    *bytes_out = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return ok;
}

static bool count_descriptors(pid_t pid, uint64_t *count_out)
{
    char path[64];
    uint64_t count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    *count_out = count - (pid == getpid()); /* the one that reads */
    return true;
}

/* A System V segment, and a file of shared memory even if its name is gone. */
static bool is_shared_segment(const char *line)
{
    return strstr(line, "/SYSV") != NULL || strstr(line, "/dev/shm/") != NULL;
}

static bool count_mappings(pid_t pid, uint64_t *count_out)
{
    char line[LINE_BYTES];
    FILE *file = open_file(pid, "maps");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL)
        *count_out += is_shared_segment(line);
    (void)fclose(file);
    return true;
}

/* The fifth column of the table is the maker of a segment. Those that it also maps count twice,
 * which does no harm: only growth is checked. */
static void count_made(pid_t pid, uint64_t *count_out)
{
    char line[LINE_BYTES];
    int maker;
    FILE *file = fopen("/proc/sysvipc/shm", "re");
    if (file == NULL)
        return; /* a kernel without System V */
    while (fgets(line, sizeof line, file) != NULL)
        *count_out += sscanf(line, "%*s %*s %*s %*s %d", &maker) == 1 && maker == (int)pid;
    (void)fclose(file);
}

bool process_sample_take(pid_t pid, process_sample *sample_out)
{
    process_sample sample = {0};
    if (!read_rss(pid, &sample.rss_bytes) || !count_descriptors(pid, &sample.descriptors) ||
        !count_mappings(pid, &sample.segments))
        return false;
    count_made(pid, &sample.segments);
    *sample_out = sample;
    return true;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void process_sample_raise(process_sample *most, const process_sample *sample)
{
    most->rss_bytes = larger(most->rss_bytes, sample->rss_bytes);
    most->descriptors = larger(most->descriptors, sample->descriptors);
    most->segments = larger(most->segments, sample->segments);
}
