#include "cycle_count.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define NS_PER_S 1000000000ull

static int open_event(uint64_t what, bool with_kernel, int leader)
{
    struct perf_event_attr about;
    memset(&about, 0, sizeof about);
    about.size = sizeof about;
    about.type = PERF_TYPE_HARDWARE;
    about.config = what;
    about.read_format = PERF_FORMAT_GROUP;
    about.exclude_hv = 1;
    about.exclude_kernel = !with_kernel;
    return (int)syscall(SYS_perf_event_open, &about, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* errno is the first event's, or the second's. */
static bool open_group(cycle_counter *counter, bool with_kernel)
{
    counter->cycles_fd = open_event(PERF_COUNT_HW_CPU_CYCLES, with_kernel, -1);
    if (counter->cycles_fd < 0)
        return false;
    counter->instructions_fd =
        open_event(PERF_COUNT_HW_INSTRUCTIONS, with_kernel, counter->cycles_fd);
    if (counter->instructions_fd >= 0)
        return true;
    int reason = errno;
    (void)close(counter->cycles_fd);
    counter->cycles_fd = -1;
    errno = reason;
    return false;
}

static void say_why(cycle_counter *counter, int reason)
{
    const char *text = strerror(reason);
    if (reason == ENOENT || reason == EOPNOTSUPP || reason == ENODEV || reason == ENOSYS)
        text = "this machine shows programs no counters of its processors";
    else if (reason == EACCES || reason == EPERM)
        text = "the kernel does not allow it: /proc/sys/kernel/perf_event_paranoid";
    (void)snprintf(counter->reason, sizeof counter->reason, "%s", text);
}

void cycle_counter_open(cycle_counter *counter)
{
    *counter = (cycle_counter){.cycles_fd = -1, .instructions_fd = -1};
    if (open_group(counter, true))
        counter->scope = CYCLES_ALL;
    else if (open_group(counter, false))
        counter->scope = CYCLES_USER;
    else
        say_why(counter, errno);
}

void cycle_counter_close(cycle_counter *counter)
{
    if (counter->instructions_fd >= 0)
        (void)close(counter->instructions_fd);
    if (counter->cycles_fd >= 0)
        (void)close(counter->cycles_fd);
}

cycle_sample cycle_counter_read(const cycle_counter *counter)
{
    struct timespec now;
    uint64_t group[3]; /* how many, then their values */
    cycle_sample sample = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    sample.cpu_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    if (counter->cycles_fd >= 0 &&
        read(counter->cycles_fd, group, sizeof group) == (ssize_t)sizeof group) {
        sample.cycles = group[1];
        sample.instructions = group[2];
    }
    return sample;
}

const char *cycle_scope_text(cycle_scope scope)
{
    return scope == CYCLES_ALL ? "user and kernel" : scope == CYCLES_USER ? "user" : "none";
}
