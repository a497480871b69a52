/* Looks keys up in a hash table and a B+-tree that are spread over the ranks of a group, in
 * each way, one key after the other and the ways in turns, and prints how long each takes.
 *
 *   tc-run -n RANKS index_run [options]    (index_run --help) */
#include "index_measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define TIMEOUT_NS TC_SECONDS(120)

static const char *const names[INDEX_FUNCTIONS] = {"index_where", "table_find", "tree_find",
                                                   "tree_walk"};

static bool open_functions(index_client *c)
{
    for (int i = 0; i < INDEX_FUNCTIONS; i++) {
        if (!index_check(tc_ifunc_open(c->ctx, names[i], &c->functions[i], &c->err), &c->err,
                         names[i]))
            return false;
    }
    return true;
}

static bool has_memory(bool has)
{
    if (!has)
        fprintf(stderr, "index: no memory for so many keys of such values\n");
    return has;
}

/* Settles the number of owners, and the shape. */
static bool join(index_client *c, const index_arguments *args)
{
    if (!index_check(tc_group_join(c->ctx, TIMEOUT_NS, &c->group, &c->err), &c->err, "group"))
        return false;
    const uint32_t ranks = tc_group_size(c->group);
    c->rank = tc_group_rank(c->group);
    c->shape = args->shape;
    c->delay_ns = args->delay_ns;
    (void)prctl(PR_SET_TIMERSLACK, 1000ul); /* delays are exact to 1 us */
    if (ranks <= c->shape.clients) {
        fprintf(stderr,
                "index: %" PRIu32 " ranks, expected more than %" PRIu32
                " clients: the others have the keys\n",
                ranks, c->shape.clients);
        return false;
    }
    c->shape.owners = ranks - c->shape.clients;
    index_shape_init(&c->shape, args->per_bucket);
    return true;
}

/* --- owners ------------------------------------------------------------------------------- */

static bool open_part(index_client *c, index_damage damage, index_rank *own)
{
    uint64_t bytes;
    own->rank = c->rank;
    own->shape = c->shape;
    own->part = index_build(&c->shape, c->rank, damage, &bytes);
    if (!has_memory(own->part != NULL))
        return false;
    /* Clients read, and count versions and their end. */
    const tc_window_params params = {.memory = own->part,
                                     .bytes = bytes,
                                     .rights = TC_WINDOW_READ | TC_WINDOW_ATOMIC,
                                     .group = c->group};
    return index_check(tc_window_open(c->ctx, &params, &own->at, &c->err), &c->err, "window") &&
           index_check(tc_context_publish(c->ctx, INDEX_RANK, own, sizeof *own, &c->err),
                       &c->err, INDEX_RANK);
}

static bool run_owner(index_client *c, const index_arguments *args)
{
    index_rank own = {.part = NULL};
    bool ok = open_part(c, args->damage, &own) && index_meet(c, "begin");
    while (ok && c->delay_ns > 0 && own.part->ended == 0)
        index_step(c);
    uint64_t wrong;
    ok = ok && (c->delay_ns > 0 || index_measure(c, args, &wrong)) && index_meet(c, "end");
    tc_context_destroy(c->ctx); /* closes the window, which is in the part */
    free(own.part);
    return ok;
}

/* --- clients ------------------------------------------------------------------------------ */

static bool learn_windows(index_client *c)
{
    for (uint32_t i = 0; i < c->shape.owners; i++) {
        const uint32_t rank = c->shape.clients + i;
        size_t size = sizeof c->windows[rank];
        if (!index_check(index_call(c, rank, INDEX_WHERE, NULL, 0, &c->windows[rank], &size),
                         &c->err, names[INDEX_WHERE]))
            return false;
    }
    return true;
}

/* Ends the owners' loops, where they have no rounds. */
static bool end_owners(index_client *c)
{
    for (uint32_t i = 0; i < c->shape.owners && c->delay_ns > 0; i++) {
        const uint32_t rank = c->shape.clients + i;
        const tc_window_step step = tc_window_step_fetch_add(
            tc_gptr_add(c->windows[rank], offsetof(index_part, ended)), 1, NULL);
        if (!index_check(index_chain(c, rank, &step, 1), &c->err, "end"))
            return false;
    }
    return true;
}

static bool run_client(index_client *c, const index_arguments *args)
{
    const index_shape *s = &c->shape;
    c->windows = calloc(s->clients + s->owners, sizeof *c->windows);
    c->entry = malloc(s->entry_bytes);
    c->node = malloc(s->leaf_bytes > s->inner_bytes ? s->leaf_bytes : s->inner_bytes);
    c->inner = malloc((s->nodes - s->leaves) * s->inner_bytes + 1);
    c->is_known = calloc(s->nodes - s->leaves + 1, sizeof *c->is_known);
    bool ok = has_memory(c->windows != NULL && c->entry != NULL && c->node != NULL &&
                         c->inner != NULL && c->is_known != NULL) &&
              index_meet(c, "begin") && learn_windows(c);
    uint64_t wrong = 0;
    ok = ok && index_measure(c, args, &wrong) && end_owners(c) && index_meet(c, "end");
    tc_context_destroy(c->ctx);
    free(c->windows);
    free(c->entry);
    free(c->node);
    free(c->inner);
    free(c->is_known);
    return ok && wrong == 0;
}

int main(int argc, char **argv)
{
    static index_client c;
    index_arguments args;
    index_arguments_parse(argc, argv, &args);
    if (!index_check(tc_context_create(NULL, &c.ctx, &c.err), &c.err, "context"))
        return 1;
    if (!join(&c, &args) || !open_functions(&c)) {
        tc_context_destroy(c.ctx);
        return 1;
    }
    return (c.rank < c.shape.clients ? run_client(&c, &args) : run_owner(&c, &args)) ? 0 : 1;
}
