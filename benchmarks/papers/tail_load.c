#include "tail_load.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
/* More than the caches have for one processor. */
#define HEAP_BYTES (64u << 20)
#define MAPPING_BYTES (4u << 20)
#define WALK_STEPS 20000u
#define STRESSOR "stress-ng"

/* --- processes of this program ----------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Loads and stores that no prefetcher foresees, copies that fill the bandwidth, and mappings
 * that come and go: page faults, and lookups of addresses that processors have to forget. */
static void thrash_memory(void)
{
    uint64_t random = (uint64_t)(unsigned)getpid() * 0x9e3779b97f4a7c15u + 1;
    unsigned char *heap =
        mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (heap == MAP_FAILED)
        _exit(EXIT_FAILURE);
    for (;;) {
        for (unsigned i = 0; i < WALK_STEPS; i++)
            heap[next_random(&random) % HEAP_BYTES]++;
        memcpy(heap, heap + HEAP_BYTES / 2, HEAP_BYTES / 2);
        unsigned char *mapping = mmap(NULL, MAPPING_BYTES, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t at = 0; mapping != MAP_FAILED && at < MAPPING_BYTES; at += PAGE)
            mapping[at] = (unsigned char)at;
        if (mapping != MAP_FAILED)
            (void)munmap(mapping, MAPPING_BYTES);
    }
}

static void burn_processor(void)
{
    volatile uint64_t kept;
    uint64_t value = (uint64_t)getpid() + 1;
    for (;;) {
        for (unsigned i = 0; i < WALK_STEPS; i++)
            value = value * 6364136223846793005ull + 1442695040888963407ull;
        kept = value;
        (void)kept;
    }
}

static void pin_to(int cpu)
{
    cpu_set_t set;
    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static _Noreturn void run_own(const char *name, int cpu)
{
    pin_to(cpu);
    (void)raise(SIGSTOP);
    if (strcmp(name, "vm") == 0)
        thrash_memory();
    burn_processor();
    _exit(EXIT_FAILURE);
}

/* --- stress-ng ---------------------------------------------------------------------------- */

static bool is_installed(void)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t size = strcspn(folders, ":");
        int n = snprintf(path, sizeof path, "%.*s/" STRESSOR, (int)size, folders);
        if (n > 0 && n < (int)sizeof path && access(path, X_OK) == 0)
            return true;
        folders += size + (folders[size] == ':');
    }
    return false;
}

/* As the Two-Chains paper starts it: every stressor of the class vm, once. */
static _Noreturn void run_stressor(const char *name, const int *cpus)
{
    char list[32];
    const char *of_memory[] = {"--class", "vm", "--all", "1"};
    const char *of_processor[] = {"--cpu", "2"};
    const char *args[12] = {STRESSOR};
    const char **what = strcmp(name, "vm") == 0 ? of_memory : of_processor;
    unsigned count = 1;
    for (unsigned i = 0; i < (what == of_memory ? 4u : 2u); i++)
        args[count++] = what[i];
    if (cpus[0] >= 0) {
        (void)snprintf(list, sizeof list, "%d,%d", cpus[0], cpus[1]);
        args[count++] = "--taskset";
        args[count++] = list;
    }
    /* Its output about stressors does not belong to the measurement. */
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
        _exit(EXIT_FAILURE);
    (void)execvp(STRESSOR, (char *const *)(uintptr_t)args);
    _exit(EXIT_FAILURE);
}

/* --- both --------------------------------------------------------------------------------- */

static bool add_process(tail_load *load, const int *cpus)
{
    const pid_t parent = getpid();
    const unsigned number = load->count;
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_FAILURE);
        if (load->is_group) {
            (void)setpgid(0, 0);
            run_stressor(load->name, cpus);
        }
        run_own(load->name, cpus[number]);
    }
    if (pid < 0) {
        (void)fprintf(stderr, "tc-perf: a process for the load: %s\n", strerror(errno));
        return false;
    }
    if (load->is_group)
        (void)setpgid(pid, pid);
    load->pids[load->count++] = pid;
    /* Until it has stopped itself: one that is stopped before it has requested that would not
     * end with its parent. */
    return load->is_group || waitpid(pid, NULL, WUNTRACED) == pid;
}

static bool send_signal(tail_load *load, int which)
{
    for (unsigned i = 0; i < load->count; i++) {
        siginfo_t info = {0};
        const bool ended =
            waitid(P_PID, (id_t)load->pids[i], &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == load->pids[i];
        if (ended || kill(load->is_group ? -load->pids[i] : load->pids[i], which) != 0) {
            (void)fprintf(stderr,
                          "tc-perf: load %s (%s): found that it has ended, expected that it "
                          "runs until the measurement is over\n",
                          load->name, load->by);
            return false;
        }
    }
    return true;
}

bool tail_load_start(tail_load *load, const char *name, const char *stressor, const int *cpus)
{
    const bool wants = strcmp(stressor, "own") != 0 && strcmp(name, "none") != 0;
    *load = (tail_load){.name = name, .by = "none"};
    if (strcmp(name, "none") == 0)
        return true;
    load->is_group = wants && is_installed();
    load->by = load->is_group ? STRESSOR : "own";
    if (strcmp(stressor, STRESSOR) == 0 && !load->is_group) {
        (void)fprintf(stderr,
                      "tc-perf: --stressor " STRESSOR ": found none in PATH; on Debian: "
                      "apt-get install stress-ng\n");
        return false;
    }
    for (unsigned i = 0; i < (load->is_group ? 1u : TAIL_LOAD_PROCESSES); i++) {
        if (!add_process(load, cpus))
            return false;
    }
    /* Its stressors start, and stop then with all others of the group. */
    if (load->is_group)
        (void)usleep(300000);
    return tail_load_set(load, false);
}

bool tail_load_set(tail_load *load, bool runs)
{
    return send_signal(load, runs ? SIGCONT : SIGSTOP);
}

void tail_load_end(tail_load *load)
{
    for (unsigned i = 0; i < load->count; i++) {
        if (load->is_group)
            (void)kill(-load->pids[i], SIGKILL);
        (void)kill(load->pids[i], SIGKILL);
        (void)waitpid(load->pids[i], NULL, 0);
    }
    load->count = 0;
}
