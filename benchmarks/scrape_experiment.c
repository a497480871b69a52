/* The time of a scrape: a tc-node with --http has run functions of many peers, and a scraper
 * reads its whole page, from connect to the last byte. The functions and peers are real: each
 * function has arrived and was called, and each peer is connected and has called. */
#include "ifunc_link.h"
#include "node_files.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS 10000u /* as many as a page has lines for */
#define PEERS 1000u
#define FUNCTIONS_MAX "16384"
#define RING_BYTES "4096" /* of each peer */
#define WARMING 5u
#define SCRAPES_MAX 10000u
#define LOOK_US 1000u
#define END_TIMEOUT_NS (10 * PERF_NS_PER_S)
#define PAGE_FIRST (4u << 20)

typedef struct scrape_node {
    pid_t pid; /* 0: no process */
    unsigned port, http_port;
} scrape_node;

typedef struct scrape_page {
    char *text;
    size_t size, capacity;
} scrape_page;

typedef struct scrape_run {
    node_files files;
    scrape_node node;
    tc_context *context;
    tc_ep *peers[PEERS];
    scrape_page page;
    uint64_t ns[SCRAPES_MAX];
} scrape_run;

static bool complain(const char *what, const char *why)
{
    (void)fprintf(stderr, "tc-perf: %s: %s\n", what, why);
    return false;
}

/* A descriptor or more for each peer, at both sides. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* --- the node ----------------------------------------------------------------------------- */

static _Noreturn void become_node(const scrape_run *run, const char *usage, pid_t parent)
{
    char program[PERF_PATH_MAX + 16], log[PERF_PATH_MAX], port_file[PERF_PATH_MAX];
    (void)setenv("TC_USAGE", usage, 1);
    (void)setenv("TC_FUNCTIONS_MAX", FUNCTIONS_MAX, 1);
    (void)setenv("TC_RING_BYTES", RING_BYTES, 1);
    (void)setenv("TC_CACHE_DIR", "", 1);
    (void)snprintf(program, sizeof program, "%s/tc-node", run->files.programs);
    (void)node_files_path(&run->files, "port", port_file);
    int fd = open(node_files_path(&run->files, "log", log), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(fd, STDOUT_FILENO);
    (void)dup2(fd, STDERR_FILENO);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    char *const argv[] = {"tc-node", "--listen", "127.0.0.1:0", "--port-file",
                          port_file, "--http",   "127.0.0.1:0", NULL};
    if (getppid() == parent)
        (void)execv(program, argv);
    _exit(EXIT_FAILURE);
}

/* Reads the number behind `before` in a file of the run. 0: it is not there yet. */
static unsigned read_number(const scrape_run *run, const char *name, const char *before)
{
    char path[PERF_PATH_MAX], line[512];
    unsigned number = 0;
    FILE *file = fopen(node_files_path(&run->files, name, path), "re");
    while (number == 0 && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *at = strstr(line, before);
        number = at != NULL ? (unsigned)strtoul(at + strlen(before), NULL, 10) : 0;
    }
    if (file != NULL)
        (void)fclose(file);
    return number;
}

static bool start_node(scrape_run *run, const char *usage)
{
    const uint64_t give_up_ns = perf_now_ns() + PERF_SILENCE_NS;
    const pid_t parent = getpid();
    char path[PERF_PATH_MAX];
    run->node = (scrape_node){0};
    (void)unlink(node_files_path(&run->files, "port", path));
    run->node.pid = fork();
    if (run->node.pid == 0)
        become_node(run, usage, parent);
    if (run->node.pid < 0)
        return complain("fork", "failed");
    while (run->node.port == 0 || run->node.http_port == 0) {
        if (perf_now_ns() > give_up_ns)
            return complain("tc-node", "it does not begin to serve");
        (void)usleep(LOOK_US);
        run->node.port = read_number(run, "port", "");
        run->node.http_port = read_number(run, "log", "metrics at http://127.0.0.1:");
    }
    return true;
}

static void end_node(scrape_run *run)
{
    const uint64_t give_up_ns = perf_now_ns() + END_TIMEOUT_NS;
    if (run->node.pid <= 0)
        return;
    (void)kill(run->node.pid, SIGTERM);
    while (waitpid(run->node.pid, NULL, WNOHANG) == 0) {
        if (perf_now_ns() > give_up_ns)
            (void)kill(run->node.pid, SIGKILL);
        (void)usleep(LOOK_US);
    }
    run->node.pid = 0;
}

/* --- its functions and peers -------------------------------------------------------------- */

static bool connect_peers(scrape_run *run)
{
    char address[64];
    tc_error err = {0};
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", run->node.port);
    for (unsigned i = 0; i < PEERS; i++) {
        if (tc_ep_connect(run->context, address, PERF_SILENCE_NS, &run->peers[i], &err) !=
            TC_OK)
            return complain("connect", err.text);
    }
    return true;
}

/* Calls the function of that number at the node. */
static bool call_one(scrape_run *run, tc_ep *peer, unsigned number)
{
    unsigned char payload[8] = {0};
    tc_ifunc *fn;
    tc_error err = {0};
    if (perf_context_open_new(run->context, run->files.archive, run->files.archive_size, number,
                              &fn, &err) != TC_OK)
        return complain("open", err.text);
    tc_status status = tc_send_wait(peer, fn, payload, sizeof payload, PERF_SILENCE_NS, &err);
    if (status == TC_OK)
        status = tc_ep_flush(peer, PERF_SILENCE_NS, &err);
    tc_ifunc_close(fn);
    return status == TC_OK || complain("send", err.text);
}

static bool fill(scrape_run *run)
{
    const perf_setting settings[] = {{"functions_max", FUNCTIONS_MAX},
                                     {"ring_bytes", RING_BYTES},
                                     {"cache_dir", ""},
                                     {"delivery", "direct"}};
    tc_error err = {0};
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &run->context,
                            &err) != TC_OK)
        return complain("context", err.text);
    if (!connect_peers(run))
        return false;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        if (i % 100 == 0)
            perf_report_progress("%u of %u functions", i, FUNCTIONS);
        if (!call_one(run, run->peers[i % PEERS], i))
            return false;
    }
    perf_report_progress(NULL);
    return true;
}

/* --- scrapes ------------------------------------------------------------------------------ */

static bool read_page(scrape_page *page, int fd)
{
    ssize_t got;
    page->size = 0;
    do {
        if (page->capacity - page->size < 2) {
            const size_t capacity = page->capacity == 0 ? PAGE_FIRST : 2 * page->capacity;
            char *text = realloc(page->text, capacity); /* bound: the page's lines */
            if (text == NULL)
                return complain("scrape", "out of memory");
            page->text = text;
            page->capacity = capacity;
        }
        got = recv(fd, page->text + page->size, page->capacity - page->size - 1, 0);
        page->size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    page->text[page->size] = '\0';
    return got == 0 || complain("scrape", "the connection broke");
}

static bool scrape(scrape_run *run, uint64_t *ns_out)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: node\r\n\r\n";
    const struct sockaddr_in there = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)run->node.http_port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 10};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return complain("scrape", "no socket");
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const uint64_t start_ns = perf_now_ns();
    bool ok = (connect(fd, (const struct sockaddr *)&there, sizeof there) == 0 &&
               send(fd, request, sizeof request - 1, MSG_NOSIGNAL) > 0) ||
              complain("scrape", "no connection");
    ok = ok && read_page(&run->page, fd);
    *ns_out = perf_now_ns() - start_ns;
    (void)close(fd);
    return ok;
}

static unsigned count_lines(const char *text, const char *start)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, start)) != NULL; at++)
        count++;
    return count;
}

/* The page has each function and each peer. */
static bool check_page(const scrape_run *run)
{
    const char *text = strstr(run->page.text, "\r\n\r\n");
    if (text == NULL || strncmp(run->page.text, "HTTP/1.1 200", 12) != 0)
        return complain("scrape", "it was not answered by a page");
    const unsigned functions = count_lines(text, "\ntchains_function_calls_total{");
    const unsigned peers = count_lines(text, "\ntchains_peer_calls_total{peer=\"") -
                           count_lines(text, "\ntchains_peer_calls_total{peer=\"other\"");
    if (functions == FUNCTIONS && peers == PEERS)
        return true;
    (void)fprintf(stderr, "tc-perf: a page of %u functions and %u peers, expected %u and %u\n",
                  functions, peers, FUNCTIONS, PEERS);
    return false;
}

static bool measure(scrape_run *run, unsigned scrapes)
{
    uint64_t ns;
    for (unsigned i = 0; i < scrapes + WARMING; i++) {
        (void)tc_progress(run->context);
        if (!scrape(run, &ns) || (i == 0 && !check_page(run)))
            return false;
        if (i >= WARMING)
            run->ns[i - WARMING] = ns;
    }
    return true;
}

static void report(scrape_run *run, const char *usage, unsigned scrapes,
                   const perf_options *options, json_t *document)
{
    const perf_tail tail = perf_stats_tail(run->ns, scrapes);
    const unsigned lines = count_lines(run->page.text, "\n");
    const double low = (double)perf_stats_percentile(run->ns, scrapes, 25);
    const double high = (double)perf_stats_percentile(run->ns, scrapes, 75);
    json_t *row = json_pack(
        "{s:s, s:i, s:i, s:I, s:i, s:[o, o]}", "usage", usage, "functions", (int)FUNCTIONS,
        "peers", (int)PEERS, "page_bytes", (json_int_t)run->page.size, "page_lines", (int)lines,
        "ms_p50_quartiles", perf_report_number(low / 1e6), perf_report_number(high / 1e6));
    perf_report_tail(row, "ms", &tail, 1e-6);
    (void)json_array_append_new(json_object_get(document, "rows"), row);
    if (!perf_report_is_quiet(options))
        (void)printf("%-7s %9u %6u %10zu %8u %8.2f %8.2f\n", usage, FUNCTIONS, PEERS,
                     run->page.size, lines, (double)tail.p50 / 1e6, (double)tail.p99 / 1e6);
}

static bool run_one(scrape_run *run, const char *usage, const perf_options *options,
                    json_t *document)
{
    const unsigned scrapes = options->rounds < SCRAPES_MAX ? options->rounds : SCRAPES_MAX;
    bool ok = start_node(run, usage) && fill(run) && measure(run, scrapes);
    if (ok)
        report(run, usage, scrapes, options, document);
    if (run->context != NULL)
        tc_context_destroy(run->context);
    run->context = NULL;
    end_node(run);
    return ok;
}

static int run_scrape(const perf_options *options)
{
    static scrape_run run;
    json_t *document = perf_report_create(options);
    raise_descriptors();
    if (!perf_report_is_quiet(options))
        (void)printf("%-7s %9s %6s %10s %8s %8s %8s\n", "usage", "functions", "peers", "bytes",
                     "lines", "p50 ms", "p99 ms");
    bool ok = node_files_make(&run.files, options, 0) &&
              run_one(&run, "counts", options, document) &&
              run_one(&run, "times", options, document);
    node_files_remove(&run.files);
    free(run.page.text);
    ok = perf_report_write(options, document) && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment scrape_experiment = {
    .name = "scrape",
    .summary = NULL, /* not in the list of tc-perf --help, which fills a screen */
    .options = "rounds",
    .defaults = {{"rounds", "200"}},
    .run = run_scrape,
};
