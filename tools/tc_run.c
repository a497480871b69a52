/* tc-run: starts the processes of a group on this machine, and helps them find each other. */
#include "base/clock.h"
#include "run_arguments.h"
#include "run_job.h"
#include "run_output.h"
#include "run_service.h"
#include "tool_json.h"
#include "tool_options.h"
#include "tool_status.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define GRACE_NS (2 * TCI_NS_PER_S) /* between the request to end and the kill */
#define CAUSE_NS (TCI_NS_PER_S / 2) /* time by which a cause may come after its consequence */
#define DRAIN_MS 1000
#define SERVED_NS (10 * TCI_NS_PER_S) /* for an orderly end of those that only serve */
#define EXIT_TIMEOUT 124              /* as timeout(1) */

typedef struct run {
    run_arguments args;
    run_job job;
    run_service *service;
    run_output *output; /* NULL: not labelled */
    int signal_fd;
    int result;    /* exit status of tc-run */
    int by_signal; /* the process with that result was ended by a signal */
    int ending;    /* the processes were asked to end */
    int served;    /* those that only serve, and no other runs, were asked to end */
    /* UINT64_MAX: never */
    uint64_t timeout_at_ns;
    uint64_t cause_until_ns; /* a process that a signal ended before this is the cause */
    uint64_t end_at_ns;      /* when the others are ended */
    uint64_t kill_at_ns;
} run;

/* --- ending ------------------------------------------------------------------------------- */

/* Asks all running processes to end, by that signal; those that still run later are killed. */
static void end_all(run *r, int number, int result)
{
    if (!r->ending)
        r->result = result;
    else
        number = SIGKILL; /* the second request ends them at once */
    r->ending = 1;
    r->end_at_ns = UINT64_MAX;
    r->kill_at_ns = tci_clock_ns() + GRACE_NS;
    run_job_signal(&r->job, number);
}

/* The first process that fails gives the result; but when a signal ends one, another may see
 * the loss and end before the first has been taken down altogether. */
static void note_result(run *r, const run_process *p)
{
    const uint64_t now = tci_clock_ns();
    if (r->result == 0)
        r->cause_until_ns = now + CAUSE_NS;
    else if (r->by_signal || !p->by_signal || now >= r->cause_until_ns)
        return;
    r->result = p->status;
    r->by_signal = p->by_signal;
}

static void note_end(run *r, uint32_t rank)
{
    const run_process *p = &r->job.processes[rank];
    run_service_member_ended(r->service, rank, p->how);
    if (p->status == 0 || r->ending) /* ends after the request to end are not reported */
        return;
    int others = r->job.running > 0 && !r->args.keep_going;
    fprintf(stderr, "tc-run: rank %u (process %d) %s%s\n", rank, (int)p->pid, p->how,
            others ? "; ending the others" : "");
    note_result(r, p);
    if (others && r->end_at_ns == UINT64_MAX)
        r->end_at_ns = r->cause_until_ns;
}

static void on_signal(run *r)
{
    struct signalfd_siginfo info;
    uint32_t rank;
    if (read(r->signal_fd, &info, sizeof info) != sizeof info)
        return;
    int number = (int)info.ssi_signo;
    if (number != SIGCHLD)
        end_all(r, number, 128 + number);
    while (run_job_next_end(&r->job, &rank))
        note_end(r, rank);
}

/* Asks the processes that only serve to end in order when no other runs. */
static void end_servers(run *r)
{
    if (r->served || r->ending || r->job.running == 0)
        return;
    for (uint32_t rank = 0; rank < r->job.size; rank++) {
        const run_process *p = &r->job.processes[rank];
        if (p->pid != 0 && !p->ended && !run_service_member_serves(r->service, rank))
            return;
    }
    r->served = 1;
    r->kill_at_ns = tci_clock_ns() + SERVED_NS;
    run_job_signal(&r->job, SIGTERM);
}

static void on_time(run *r)
{
    uint64_t now = tci_clock_ns();
    if (now >= r->timeout_at_ns) {
        r->timeout_at_ns = UINT64_MAX;
        fprintf(stderr, "tc-run: %u of %u processes still run after %llu s; ending them\n",
                r->job.running, r->job.size, (unsigned long long)r->args.timeout_s);
        end_all(r, SIGTERM, EXIT_TIMEOUT);
    }
    if (now >= r->end_at_ns || (r->end_at_ns != UINT64_MAX && r->by_signal))
        end_all(r, SIGTERM, r->result);
    if (now >= r->kill_at_ns) {
        r->kill_at_ns = UINT64_MAX;
        run_job_signal(&r->job, SIGKILL);
    }
}

/* --- the loop ----------------------------------------------------------------------------- */

static int start_all(run *r)
{
    for (uint32_t rank = 0; rank < r->args.size; rank++) {
        const uint32_t program = run_arguments_part_of(&r->args, rank);
        run_start start = {.argv = r->args.parts[program].command,
                           .program = program,
                           .name = r->args.parts[program].name,
                           .socket = run_service_name(r->service),
                           .secret = run_service_secret(r->service),
                           .out_fd = -1,
                           .err_fd = -1};
        if (r->output != NULL && !run_output_add(r->output, rank, &start.out_fd, &start.err_fd))
            return 1;
        int failed = run_job_start(&r->job, rank, &start);
        if (start.out_fd >= 0)
            (void)close(start.out_fd);
        if (start.err_fd >= 0)
            (void)close(start.err_fd);
        if (failed)
            return failed;
    }
    return 0;
}

/* Returns the milliseconds until the next deadline, rounded up; -1: there is none. */
static int patience(const run *r)
{
    uint64_t due = r->timeout_at_ns;
    uint64_t now = tci_clock_ns();
    if (r->kill_at_ns < due)
        due = r->kill_at_ns;
    if (r->end_at_ns < due)
        due = r->end_at_ns;
    if (due == UINT64_MAX)
        return -1;
    uint64_t left_ms = due <= now ? 0 : (due - now) / 1000000 + 1;
    return left_ms > 1000000 ? 1000000 : (int)left_ms;
}

static void watch_all(run *r)
{
    struct pollfd ready[] = {
        {.fd = r->signal_fd, .events = POLLIN},
        {.fd = run_service_fd(r->service), .events = POLLIN},
        {.fd = r->output != NULL ? run_output_fd(r->output) : -1, .events = POLLIN}};
    while (r->job.running > 0) {
        (void)poll(ready, sizeof ready / sizeof ready[0], patience(r));
        if (ready[1].revents != 0)
            run_service_serve(r->service);
        if (r->output != NULL && ready[2].revents != 0)
            run_output_serve(r->output);
        if (ready[0].revents != 0)
            on_signal(r);
        end_servers(r);
        on_time(r);
    }
}

static int open_signals(void)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        (void)sigaddset(&set, numbers[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* --- the summary: --json ------------------------------------------------------------------ */

static void print_process(const run *r, uint32_t rank, FILE *out)
{
    const run_process *p = &r->job.processes[rank];
    const uint32_t part = run_arguments_part_of(&r->args, rank);
    fprintf(out, "%s{\"rank\": %u, \"part\": %u, ", rank > 0 ? ", " : "", rank, part);
    tool_json_member(out, "program", r->args.parts[part].command[0]);
    fputs(", \"pid\": ", out);
    if (p->pid == 0) {
        fputs("null, \"status\": null, \"signal\": null, \"how\": \"was not started\"}", out);
        return;
    }
    fprintf(out, "%d, \"status\": %d, \"signal\": ", (int)p->pid, p->status);
    if (p->by_signal)
        fprintf(out, "%d, ", p->status - 128);
    else
        fputs("null, ", out);
    tool_json_member(out, "how", p->how);
    fputc('}', out);
}

/* Writes one JSON object into a file, or to standard output for "-": how the job ended. Returns
 * 0 after printing the reason on standard error. */
static int write_summary(const run *r)
{
    const char *path = r->args.json;
    int to_stdout = strcmp(path, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(path, "we");
    int failed = out == NULL;
    if (!failed) {
        fputc('{', out);
        tool_json_member(out, "program", r->args.parts[0].command[0]);
        fprintf(out, ", \"status\": %d, \"processes\": [", r->result);
        for (uint32_t rank = 0; rank < r->job.size; rank++)
            print_process(r, rank, out);
        fputs("]}\n", out);
        failed = ferror(out) != 0;
        failed |= (to_stdout ? fflush(out) : fclose(out)) != 0;
    }
    if (failed)
        fprintf(stderr, "tc-run: --json %s: %s\n", path, strerror(errno));
    return !failed;
}

int main(int argc, char **argv)
{
    run r = {.timeout_at_ns = UINT64_MAX, .end_at_ns = UINT64_MAX, .kill_at_ns = UINT64_MAX};
    int wrong = run_arguments_parse(argc, argv, &r.args);
    if (wrong != TOOL_GO_ON)
        return wrong;
    r.signal_fd = open_signals();
    r.service = run_service_open(r.args.size);
    if (r.args.label)
        r.output = run_output_open(r.args.size);
    if (r.signal_fd < 0 || r.service == NULL || (r.args.label && r.output == NULL) ||
        !run_job_init(&r.job, r.args.size)) {
        fprintf(stderr, "tc-run: cannot start: %s\n", strerror(errno));
        return 1;
    }
    if (r.args.timeout_s > 0)
        r.timeout_at_ns = tci_deadline_after(r.args.timeout_s * TCI_NS_PER_S);
    r.result = start_all(&r);
    if (r.result == 0)
        watch_all(&r);
    run_job_end(&r.job);
    if (r.output != NULL)
        run_output_drain(r.output, DRAIN_MS);
    run_output_close(r.output);
    run_service_close(r.service);
    if (r.args.json != NULL && !write_summary(&r) && r.result == 0)
        r.result = TOOL_FAILED;
    run_job_fini(&r.job);
    return r.result;
}
