/* Looks keys up in a hash table and a B+-tree that are spread over the ranks of a group, in
 * each way, one key after the other and the ways in turns, and prints how long each takes.
 *
 *   tc-run -n RANKS index_run [KEYS [LOOKUPS]]    (10,000 keys, 2,000 lookups in each way) */
#include "index_build.h"
#include "index_find.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_NS TC_SECONDS(120)
#define ROUNDS 10u

static const char *const names[INDEX_FUNCTIONS] = {"index_where", "table_find", "tree_find",
                                                   "tree_walk"};

static const struct {
    const char *name;
    index_way find;
} ways[] = {
    {"table, gets", table_by_gets},
    {"table, an indirect get", table_by_indirect_get},
    {"table, a function there", table_by_function},
    {"tree, gets", tree_by_gets},
    {"tree, a chain to the leaf", tree_by_chain},
    {"tree, a function that travels", tree_by_travelling},
    {"tree, a function that waits", tree_by_waiting},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "index: %s: %s\n", what, err->text);
    return status == TC_OK;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Every third number is a key; the others are asked for, too. */
static uint64_t asked(uint64_t i, uint64_t keys)
{
    return (i * 0x9e3779b97f4a7c15u >> 20) % (3 * keys);
}

static uint64_t expected(uint64_t key)
{
    return key % 3 == 1 ? index_value_of(key) : 0;
}

/* Adds to *wrong_out how many values were not the expected ones. */
static bool look_up(index_client *c, unsigned way, uint64_t keys, uint64_t first,
                    uint64_t count, uint64_t *wrong_out)
{
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t key = asked(i, keys);
        uint64_t value;
        if (!check(ways[way].find(c, key, &value), &c->err, ways[way].name))
            return false;
        *wrong_out += value != expected(key);
    }
    return true;
}

static bool measure(index_client *c, uint64_t keys, uint64_t lookups)
{
    const uint64_t round = lookups / ROUNDS + 1;
    uint64_t took_ns[WAYS] = {0}, wrong = 0;
    for (uint64_t k = 0; k <= ROUNDS; k++) {
        for (unsigned way = 0; way < WAYS; way++) {
            const uint64_t begun = now_ns();
            if (!look_up(c, way, keys, k * round, round, &wrong))
                return false;
            if (k > 0) /* the first round brings the code */
                took_ns[way] += now_ns() - begun;
        }
    }
    for (unsigned way = 0; way < WAYS; way++)
        printf("%-30s %8.0f ns\n", ways[way].name,
               (double)took_ns[way] / (double)(ROUNDS * round));
    printf("%" PRIu64 " of %" PRIu64 " lookups were wrong\n", wrong,
           (ROUNDS + 1) * round * WAYS);
    return wrong == 0;
}

/* --- every rank --------------------------------------------------------------------------- */

static bool open_functions(index_client *c)
{
    for (int i = 0; i < INDEX_FUNCTIONS; i++) {
        if (!check(tc_ifunc_open(c->ctx, names[i], &c->functions[i], &c->err), &c->err,
                   names[i]))
            return false;
    }
    return true;
}

static bool open_part(index_client *c, uint64_t keys)
{
    index_rank *own = &c->own;
    own->rank = tc_group_rank(c->group);
    own->ranks = tc_group_size(c->group);
    own->part = calloc(1, sizeof *own->part);
    c->windows = calloc(own->ranks, sizeof *c->windows);
    c->inner = calloc(INDEX_NODES_MAX, sizeof *c->inner);
    c->is_known = calloc(INDEX_NODES_MAX, sizeof *c->is_known);
    if (own->part == NULL || c->windows == NULL || c->inner == NULL || c->is_known == NULL ||
        !index_build(own->part, keys, own->rank, own->ranks)) {
        fprintf(stderr, "index: %" PRIu64 " keys, expected 1 to %u and memory for them\n", keys,
                INDEX_KEYS_MAX);
        return false;
    }
    const tc_window_params params = {.memory = own->part,
                                     .bytes = sizeof *own->part,
                                     .rights = TC_WINDOW_READ,
                                     .group = c->group};
    return check(tc_window_open(c->ctx, &params, &own->at, &c->err), &c->err, "window") &&
           check(tc_context_publish(c->ctx, INDEX_RANK, own, sizeof *own, &c->err), &c->err,
                 INDEX_RANK);
}

static bool learn_windows(index_client *c)
{
    for (uint32_t rank = 0; rank < c->own.ranks; rank++) {
        size_t size = sizeof c->windows[rank];
        tc_ep *ep;
        if (!check(tc_group_ep(c->group, rank, &ep, &c->err), &c->err, "rank") ||
            !check(tc_call(ep, c->functions[INDEX_WHERE], NULL, 0, &c->windows[rank], &size,
                           TIMEOUT_NS, &c->err),
                   &c->err, names[INDEX_WHERE]))
            return false;
    }
    return true;
}

/* Waiting at a barrier serves: functions that arrive meanwhile run. */
static bool meet(index_client *c, const char *where)
{
    return check(tc_group_barrier(c->group, TIMEOUT_NS, &c->err), &c->err, where);
}

int main(int argc, char **argv)
{
    static index_client c;
    const uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    const uint64_t lookups = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000;
    if (argc > 3) {
        fprintf(stderr, "usage: tc-run -n RANKS index_run [KEYS [LOOKUPS]]\n");
        return 2;
    }
    if (!check(tc_context_create(NULL, &c.ctx, &c.err), &c.err, "context"))
        return 1;
    bool ok = check(tc_group_join(c.ctx, TIMEOUT_NS, &c.group, &c.err), &c.err, "group") &&
              open_functions(&c) && open_part(&c, keys) && meet(&c, "begin") &&
              (c.own.rank > 0 || (learn_windows(&c) && measure(&c, keys, lookups))) &&
              meet(&c, "end");
    tc_context_destroy(c.ctx);
    free(c.own.part);
    free(c.windows);
    free(c.inner);
    free(c.is_known);
    return ok ? 0 : 1;
}
