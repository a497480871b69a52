/* Cached messages of a function that calls a library which travelled, beside the same function
 * with that library from the host. */
#include "ifunc_link.h"
#include "library_perf.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_process.h"
#include "perf_session.h"
#include "perf_stats.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOST_LIBRARY "libcatalogue.so"

enum { ACTION_RUN = 1 };

extern const unsigned char library_host_begin[], library_host_end[];

/* The host's library is part of the program. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl library_host_begin, library_host_end\n"
        "library_host_begin:\n"
        ".incbin \"" HOST_LIBRARY_FILE "\"\n"
        "library_host_end:\n"
        ".previous\n");

typedef struct library_messages {
    library_run *run;
    perf_session *session;
    ifunc_link link;
    tc_library *library;
    tc_ifunc *functions[CALLS_WAYS];
    uint64_t *ticks;
} library_messages;

static bool open_link(library_messages *calls)
{
    const char *delivery = calls->run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .cache_dir = "",
                                      .path = calls->run->options->ifunc_path,
                                      .name = "tsi",
                                      .target_args = &calls->run->board->counter};
    return ifunc_link_open(&calls->link, calls->session, &config);
}

/* --- the target ---------------------------------------------------------------------- */

/* Functions name it by its soname, as they do any library of a host. */
static bool load_host_library(perf_session *session)
{
    char path[64];
    const size_t size = (size_t)(library_host_end - library_host_begin);
    int fd = memfd_create(HOST_LIBRARY, MFD_CLOEXEC);
    if (fd < 0 || write(fd, library_host_begin, size) != (ssize_t)size)
        return perf_session_complain(session, HOST_LIBRARY ": %s", strerror(errno));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    (void)close(fd);
    return handle != NULL || perf_session_complain(session, HOST_LIBRARY ": %s", dlerror());
}

static bool target_step(void *experiment, const perf_command *command)
{
    library_messages *calls = experiment;
    if (command->action != ACTION_RUN || !load_host_library(calls->session) ||
        !open_link(calls))
        return false;
    bool ok = ifunc_link_serve(&calls->link);
    ifunc_link_close(&calls->link);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- the source ---------------------------------------------------------------------- */

static bool send_one(library_messages *calls, perf_poll *poll, tc_ifunc *fn)
{
    tc_status status;
    while ((status = tc_send(calls->link.peer, fn, NULL, 0)) == TC_E_AGAIN) {
        if (tc_progress(calls->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&calls->link);
    }
    return status == TC_OK || ifunc_link_send_failed(&calls->link, status);
}

static bool await_counter(library_messages *calls, perf_poll *poll, uint64_t wanted)
{
    const _Atomic uint64_t *counter = &calls->run->board->counter;
    while (atomic_load_explicit(counter, memory_order_acquire) < wanted) {
        if (tc_progress(calls->link.context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(&calls->link);
    }
    perf_poll_hit(poll);
    return true;
}

/* From just before each send until the library has counted it. */
static bool measure_latency(library_messages *calls, tc_ifunc *fn, uint64_t count)
{
    perf_poll poll = {.session = calls->session};
    uint64_t counted = atomic_load(&calls->run->board->counter);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t start = perf_ticks();
        if (!send_one(calls, &poll, fn) || !await_counter(calls, &poll, ++counted))
            return false;
        calls->ticks[i] = perf_ticks() - start;
    }
    return true;
}

static bool measure_rate(library_messages *calls, tc_ifunc *fn, uint64_t count,
                         double *rate_out)
{
    perf_poll poll = {.session = calls->session};
    const uint64_t wanted = atomic_load(&calls->run->board->counter) + count;
    const uint64_t start_ns = perf_now_ns();
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(calls, &poll, fn))
            return false;
    }
    if (!await_counter(calls, &poll, wanted))
        return false;
    *rate_out = (double)count * 1e9 / (double)(perf_now_ns() - start_ns);
    return true;
}

static bool measure(library_messages *calls, unsigned way, library_call_sample *sample)
{
    const perf_options *options = calls->run->options;
    const uint64_t count = options->iterations;
    const double ns_per_tick = perf_clock_ns_per_tick();
    tc_ifunc *fn = calls->functions[way];
    double rate;
    if (!measure_rate(calls, fn, options->warmup, &rate) ||
        !measure_latency(calls, fn, count) || !measure_rate(calls, fn, count, &rate))
        return false;
    const perf_tail tail = perf_stats_tail(calls->ticks, count);
    *sample = (library_call_sample){.p50_ns = (double)tail.p50 * ns_per_tick,
                                    .p99_ns = (double)tail.p99 * ns_per_tick,
                                    .p999_ns = (double)tail.p999 * ns_per_tick,
                                    .max_ns = (double)tail.max * ns_per_tick,
                                    .rate_per_s = rate};
    return true;
}

static bool open_all(library_messages *calls)
{
    static const char *const deps[CALLS_WAYS] = {"tc:catalogue", HOST_LIBRARY};
    static unsigned char archive[LIBRARY_ARCHIVE_MAX];
    const char *folders = calls->run->options->ifunc_path;
    tc_context *context = calls->link.context;
    tc_error err = {0};
    size_t size = perf_context_read_archive(folders, "catalogue", archive, sizeof archive);
    if (library_open_new(context, archive, size, 0, &calls->library, &err) != TC_OK)
        return perf_context_complain(calls->session, "catalogue", &err);
    if (tc_library_push(calls->link.peer, calls->library, PERF_SILENCE_NS, &err) != TC_OK)
        return perf_context_complain(calls->session, "push", &err);
    size = perf_context_read_archive(folders, "count_one", archive, sizeof archive);
    for (unsigned way = 0; way < CALLS_WAYS; way++) {
        if (library_open_user(context, archive, size, deps[way], 0, &calls->functions[way],
                              &err) != TC_OK)
            return perf_context_complain(calls->session, "count_one", &err);
    }
    return true;
}

/* The first one changes from round to round. */
static bool measure_rounds(library_messages *calls)
{
    for (unsigned round = 0; round < calls->run->options->rounds; round++) {
        for (unsigned turn = 0; turn < CALLS_WAYS; turn++) {
            const unsigned way = (round + turn) % CALLS_WAYS;
            if (!measure(calls, way, &calls->run->board->calls[way][round]))
                return false;
        }
    }
    return true;
}

static bool run_source(library_messages *calls)
{
    if (!perf_session_command(calls->session, ACTION_RUN, 0, 0) || !open_link(calls))
        return false;
    calls->ticks = malloc(calls->run->options->iterations * sizeof *calls->ticks);
    if (calls->ticks == NULL)
        return perf_session_complain(calls->session, "out of memory");
    bool ok = open_all(calls) && measure_rounds(calls);
    for (unsigned way = 0; way < CALLS_WAYS; way++) {
        if (calls->functions[way] != NULL)
            tc_ifunc_close(calls->functions[way]);
    }
    tc_library_close(calls->library);
    free(calls->ticks);
    if (!ok)
        return false;
    perf_session_set_ended(calls->session);
    ifunc_link_close(&calls->link);
    return perf_session_reply(calls->session);
}

static bool run_pair(void *user)
{
    library_messages *calls = user;
    perf_session session;
    calls->session = &session;
    bool ok = perf_session_start(&session, calls->run->options->cpus, serve, calls) &&
              run_source(calls);
    return perf_session_end(&session) && ok;
}

bool library_messages_run(library_run *run)
{
    library_messages calls = {.run = run};
    atomic_store(&run->board->counter, 0);
    return perf_process_run(run_pair, &calls);
}
