/* Breadth-first searches over a graph that is spread over several processes, each checked
 * against a search in one process.
 *
 *   tc-run -n RANKS bfs_run [--scale N] [--edges N] [--seed N] [--roots N]
 *
 * Every rank makes its share of the graph. Rank 0 starts the searches, and checks them. */
#include "bfs.h"
#include "bfs_search.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tc/advanced.h>

#define NS_PER_S 1000000000ull
#define CALL_TIMEOUT_NS (60 * NS_PER_S)
#define RUN_TIMEOUT_NS (600 * NS_PER_S)

typedef struct arguments {
    rmat_params graph;
    uint32_t roots;
} arguments;

static const char usage[] =
    "usage: tc-run -n RANKS bfs_run [options]\n"
    "\n"
    "  -s, --scale N   2 to the power N vertices (default 16, 26 at most)\n"
    "  -e, --edges N   edges for each vertex (default 16)\n"
    "      --seed N    of the graph and the roots (default 1)\n"
    "  -r, --roots N   searches (default 8)\n"
    "  -h, --help      this text\n";

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t parse_number(const char *text, uint64_t min, uint64_t max)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < min ||
        value > max) {
        fprintf(stderr, "bfs: '%s': expected %" PRIu64 " to %" PRIu64 "\n", text, min, max);
        exit(2);
    }
    return value;
}

static void parse(int argc, char **argv, arguments *args)
{
    enum { SEED = 256 };
    static const struct option options[] = {
        {"scale", required_argument, NULL, 's'}, {"edges", required_argument, NULL, 'e'},
        {"seed", required_argument, NULL, SEED}, {"roots", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    *args = (arguments){{.scale = 16, .edges_per_vertex = 16, .seed = 1}, .roots = 8};
    for (int c; (c = getopt_long(argc, argv, "s:e:r:h", options, NULL)) != -1;) {
        if (c == 's')
            args->graph.scale = (unsigned)parse_number(optarg, 1, RMAT_SCALE_MAX);
        else if (c == 'e')
            args->graph.edges_per_vertex = (unsigned)parse_number(optarg, 1, 1024);
        else if (c == SEED)
            args->graph.seed = parse_number(optarg, 0, UINT64_MAX);
        else if (c == 'r')
            args->roots = (uint32_t)parse_number(optarg, 1, 1000);
        else {
            fputs(usage, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
}

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "bfs: %s: %s\n", what, err->text);
    return status == TC_OK;
}

static bool enough_memory(bool enough)
{
    if (!enough)
        fprintf(stderr, "bfs: no memory\n");
    return enough;
}

/* --- a rank's share --- */

static bool share_init(bfs_share *s, const rmat_graph *graph, uint32_t vertices, uint32_t ranks)
{
    uint32_t own = graph->vertices;
    *s = (bfs_share){.vertices = vertices,
                     .own = own,
                     .first = graph->first,
                     .neighbours = graph->neighbours};
    s->distances = calloc(own + 1, sizeof *s->distances);
    s->frontier = calloc(own + 1, sizeof *s->frontier);
    s->found = calloc(own + 1, sizeof *s->found);
    s->told = calloc(vertices / 8 + 1, 1);
    s->peers = calloc(ranks, sizeof *s->peers);
    return enough_memory(s->distances != NULL && s->frontier != NULL && s->found != NULL &&
                         s->told != NULL && s->peers != NULL);
}

static void share_fini(bfs_share *s)
{
    free(s->distances);
    free(s->frontier);
    free(s->found);
    free(s->told);
    free(s->peers);
}

/* --- rank 0 --- */

typedef struct searcher {
    const arguments *args;
    tc_group *group;
    tc_ifunc *bfs;
    uint32_t vertices;
    rmat_graph whole;
    uint32_t *distances, *expected;
} searcher;

/* Like Graph500, only vertices that have neighbours. False: there are none at all. */
static bool choose_root(const searcher *c, uint32_t number, uint32_t *root_out)
{
    uint64_t random = rmat_random(c->args->graph.seed + 1, number);
    for (uint32_t i = 0; i < c->vertices; i++) {
        uint32_t root = (uint32_t)((random + i) % c->vertices);
        if (c->whole.first[root + 1] > c->whole.first[root]) {
            *root_out = root;
            return true;
        }
    }
    fprintf(stderr, "bfs: a graph without edges\n");
    return false;
}

static void show(uint32_t root, const bfs_result *r, uint64_t ns, uint64_t here_ns)
{
    printf("root %-10" PRIu32 " %7" PRIu64 " reached in %2" PRIu32 " steps, %6" PRIu64
           " messages, %8.3f ms, %5.1f M edges/s; one process %8.3f ms; ",
           root, r->reached, r->depth, r->messages, (double)ns / 1e6,
           (double)r->edges * 1e3 / (double)ns, (double)here_ns / 1e6);
}

static bool search_from(const searcher *c, uint32_t number)
{
    bfs_result result;
    uint32_t root;
    if (!choose_root(c, number, &root))
        return false;
    uint64_t started_ns = now_ns();
    if (!bfs_search(c->group, c->bfs, root, CALL_TIMEOUT_NS, &result))
        return false;
    uint64_t ended_ns = now_ns();
    if (!enough_memory(bfs_search_here(&c->whole, root, c->expected)))
        return false;
    uint64_t here_ns = now_ns() - ended_ns;
    if (!bfs_fetch_distances(c->group, c->bfs, c->vertices, CALL_TIMEOUT_NS, c->distances))
        return false;
    bool same = memcmp(c->distances, c->expected, c->vertices * sizeof *c->distances) == 0;
    show(root, &result, ended_ns - started_ns, here_ns);
    puts(same ? "same distances" : "OTHER DISTANCES");
    return same;
}

static bool search_all(searcher *c)
{
    const rmat_params *params = &c->args->graph;
    uint32_t number = 0;
    printf("graph           %" PRIu32 " vertices, %" PRIu64 " edges, at %" PRIu32
           " ranks; %zu bytes of code\n",
           c->vertices, (uint64_t)params->edges_per_vertex << params->scale,
           tc_group_size(c->group), tc_ifunc_code_size(c->bfs));
    while (number < c->args->roots && search_from(c, number))
        number++;
    printf("searches        %" PRIu32 " of %" PRIu32 " right\n", number, c->args->roots);
    return number == c->args->roots;
}

static bool be_first(tc_group *group, const arguments *args)
{
    tc_error err = {TC_OK, ""};
    searcher c = {.args = args, .group = group, .vertices = 1u << args->graph.scale};
    if (!check(tc_ifunc_open(tc_group_context(group), "bfs", &c.bfs, &err), &err, "bfs"))
        return false;
    c.distances = calloc(c.vertices, sizeof *c.distances);
    c.expected = calloc(c.vertices, sizeof *c.expected);
    bool ok = enough_memory(c.distances != NULL && c.expected != NULL) &&
              enough_memory(rmat_graph_create(&args->graph, 0, 1, &c.whole)) &&
              check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "begin") &&
              search_all(&c) &&
              check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "end");
    rmat_graph_destroy(&c.whole);
    free(c.distances);
    free(c.expected);
    tc_ifunc_close(c.bfs);
    return ok;
}

/* --- every rank --- */

/* Waiting at a barrier serves: functions that arrive meanwhile run. */
static bool run(tc_group *group, const arguments *args)
{
    tc_error err = {TC_OK, ""};
    uint32_t rank = tc_group_rank(group), ranks = tc_group_size(group);
    rmat_graph graph = {.vertices = 0};
    bfs_share share = {.own = 0};
    bool ok = enough_memory(rmat_graph_create(&args->graph, rank, ranks, &graph)) &&
              share_init(&share, &graph, 1u << args->graph.scale, ranks) &&
              check(tc_context_publish(tc_group_context(group), BFS_SHARE, &share, sizeof share,
                                       &err),
                    &err, BFS_SHARE);
    if (ok && rank == 0)
        ok = be_first(group, args);
    else if (ok)
        ok = check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "begin") &&
             check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "end");
    /* Nothing may run on it any more. */
    ok = check(tc_context_publish(tc_group_context(group), BFS_SHARE, NULL, 0, &err), &err,
               BFS_SHARE) &&
         ok;
    share_fini(&share);
    rmat_graph_destroy(&graph);
    return ok;
}

int main(int argc, char **argv)
{
    arguments args;
    tc_context *ctx;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    parse(argc, argv, &args);
    if (!check(tc_context_create(NULL, &ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_group_join(ctx, CALL_TIMEOUT_NS, &group, &err), &err, "group") &&
              run(group, &args);
    tc_context_destroy(ctx);
    return ok ? 0 : 1;
}
