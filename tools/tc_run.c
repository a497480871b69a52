/* Starts the processes of a group on this machine, and helps them find each other. */
#include "base/clock.h"
#include "bootstrap/run_protocol.h"
#include "run_job.h"
#include "run_output.h"
#include "run_service.h"
#include "tool_number.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define GRACE_NS (2 * TCI_NS_PER_S) /* between being asked to end and being killed */
#define CAUSE_NS (TCI_NS_PER_S / 2) /* that a cause may come after its consequence */
#define DRAIN_MS 1000
#define EXIT_TIMEOUT 124 /* as timeout(1) */

typedef struct arguments {
    uint32_t count;
    uint64_t timeout_ns; /* 0: none */
    int label;
    int keep_going;
    char **command;
} arguments;

typedef struct run {
    arguments args;
    run_job job;
    run_service *service;
    run_output *output; /* NULL: not labelled */
    int signal_fd;
    int result;    /* what to exit with */
    int by_signal; /* the process with that result was ended so */
    int ending;    /* the processes were told to end */
    /* UINT64_MAX: never */
    uint64_t timeout_at_ns;
    uint64_t cause_until_ns; /* one that a signal ended until then is the cause */
    uint64_t end_at_ns;      /* the others are ended then */
    uint64_t kill_at_ns;
} run;

static const char usage[] =
    "usage: tc-run -n N [options] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Starts PROGRAM N times on this machine. tc_group_join then makes one group of them, with\n"
    "ranks 0 to N - 1.\n"
    "\n"
    "  -n, --processes N   how many, 1 to 1024\n"
    "  -l, --label         print the rank before each line of their output\n"
    "  -k, --keep-going    when a process fails, leave the others; without it they are ended\n"
    "      --timeout S     end them all after S seconds\n"
    "  -h, --help          this text\n"
    "\n"
    "Rank 0 reads tc-run's standard input, unless that is a terminal; the others read "
    "nothing.\n"
    "Each process has TC_RUN_RANK and TC_RUN_SIZE in its environment. SIGINT, SIGTERM and\n"
    "SIGHUP are passed on. Whatever happens to tc-run, they end with it.\n"
    "Exit status: 0 when all processes ended with 0; else that of the first that failed, or "
    "128\n"
    "and the signal that ended it; 124 after --timeout; 126 or 127 when PROGRAM cannot be\n"
    "started; 2 for wrong arguments.\n";

static int parse(int argc, char **argv, arguments *args)
{
    enum { TIMEOUT = 256 };
    static const struct option options[] = {{"processes", required_argument, NULL, 'n'},
                                            {"label", no_argument, NULL, 'l'},
                                            {"keep-going", no_argument, NULL, 'k'},
                                            {"timeout", required_argument, NULL, TIMEOUT},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    uint64_t count = 0, seconds = 0;
    *args = (arguments){.count = 0};
    /* '+': what follows the program's name is the program's. */
    for (int c; (c = getopt_long(argc, argv, "+n:lkh", options, NULL)) != -1;) {
        switch (c) {
        case 'n':
            if (!tool_number("tc-run", "-n", optarg, 1, TCI_RUN_SIZE_MAX, &count))
                return 2;
            break;
        case 'l':
            args->label = 1;
            break;
        case 'k':
            args->keep_going = 1;
            break;
        case TIMEOUT:
            if (!tool_number("tc-run", "--timeout", optarg, 1, 1000000, &seconds))
                return 2;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    args->count = (uint32_t)count;
    if (args->count == 0 || optind == argc) {
        fprintf(stderr, "tc-run: %s\n%s",
                args->count == 0 ? "-n is missing" : "the program is missing", usage);
        return 2;
    }
    args->timeout_ns = seconds * TCI_NS_PER_S;
    args->command = argv + optind;
    return 0;
}

/* --- ending ------------------------------------------------------------------------------- */

/* Asks all that run to end, by that signal; what then still runs is killed later. */
static void end_all(run *r, int number, int result)
{
    if (!r->ending)
        r->result = result;
    else
        number = SIGKILL; /* asked again: no more patience */
    r->ending = 1;
    r->end_at_ns = UINT64_MAX;
    r->kill_at_ns = tci_clock_ns() + GRACE_NS;
    run_job_signal(&r->job, number);
}

/* The first that fails gives the result; but when a signal ends one, another may see the loss
 * and end before it has been taken down altogether. */
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
    if (p->status == 0 || r->ending) /* what ends because it was told to is no news */
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

static void on_time(run *r)
{
    uint64_t now = tci_clock_ns();
    if (now >= r->timeout_at_ns) {
        r->timeout_at_ns = UINT64_MAX;
        fprintf(stderr, "tc-run: %u of %u processes still run after %llu s; ending them\n",
                r->job.running, r->job.size,
                (unsigned long long)(r->args.timeout_ns / TCI_NS_PER_S));
        end_all(r, SIGTERM, EXIT_TIMEOUT);
    }
    if (now >= r->end_at_ns || (r->end_at_ns != UINT64_MAX && r->by_signal))
        end_all(r, SIGTERM, r->result);
    if (r->ending && now >= r->kill_at_ns) {
        r->kill_at_ns = UINT64_MAX;
        run_job_signal(&r->job, SIGKILL);
    }
}

/* --- the loop ----------------------------------------------------------------------------- */

static int start_all(run *r)
{
    for (uint32_t rank = 0; rank < r->args.count; rank++) {
        run_start start = {.argv = r->args.command,
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

/* Milliseconds until something is due, rounded up. */
static int patience(const run *r)
{
    uint64_t due = r->timeout_at_ns;
    uint64_t now = tci_clock_ns();
    if (r->ending && r->kill_at_ns < due)
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

int main(int argc, char **argv)
{
    run r = {.timeout_at_ns = UINT64_MAX, .end_at_ns = UINT64_MAX};
    int wrong = parse(argc, argv, &r.args);
    if (wrong)
        return wrong;
    r.signal_fd = open_signals();
    r.service = run_service_open(r.args.count);
    if (r.args.label)
        r.output = run_output_open(r.args.count);
    if (r.signal_fd < 0 || r.service == NULL || (r.args.label && r.output == NULL) ||
        !run_job_init(&r.job, r.args.count)) {
        fprintf(stderr, "tc-run: cannot start: %s\n", strerror(errno));
        return 1;
    }
    if (r.args.timeout_ns > 0)
        r.timeout_at_ns = tci_deadline_after(r.args.timeout_ns);
    r.result = start_all(&r);
    if (r.result == 0)
        watch_all(&r);
    run_job_fini(&r.job);
    if (r.output != NULL)
        run_output_drain(r.output, DRAIN_MS);
    run_output_close(r.output);
    run_service_close(r.service);
    return r.result;
}
