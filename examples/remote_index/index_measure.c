#include "index_measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMEOUT_NS TC_SECONDS(120)

/* A rank's times and mistakes. */
typedef struct measurement {
    double ns[INDEX_WAYS][INDEX_ROUNDS_MAX]; /* mean time of a lookup, in each round */
    uint64_t wrong[INDEX_WAYS];
    uint64_t asked;
} measurement;

bool index_check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "index: %s: %s\n", what, err->text);
    return status == TC_OK;
}

bool index_meet(index_client *c, const char *where)
{
    return index_check(tc_group_barrier(c->group, TIMEOUT_NS, &c->err), &c->err, where);
}

/* --- lookups ------------------------------------------------------------------------------ */

/* Returns question number i: one in four is no key. The first one is the middle key. */
static uint64_t question(const index_shape *shape, uint64_t i, bool *is_key_out)
{
    const uint64_t random = index_hash(i) >> 20;
    *is_key_out = i % 4 != 3;
    return index_key(i == 0 ? shape->keys / 2 : random % shape->keys) + (*is_key_out ? 0 : 1);
}

static bool is_right(const index_shape *shape, uint64_t key, bool is_key, bool is_found,
                     const uint64_t *value)
{
    if (is_found != is_key)
        return false;
    for (uint64_t i = 0; is_found && i < shape->value_bytes / 8; i++) {
        if (value[i] != index_word(key, i))
            return false;
    }
    return true;
}

static void count_wrong(measurement *m, unsigned way, uint64_t key, bool is_key, bool is_found)
{
    if (m->wrong[way]++ == 0)
        fprintf(stderr, "index: %s: key %" PRIu64 ": found %s, expected %s\n",
                index_ways[way].name, key, is_found ? "a value" : "nothing",
                !is_key    ? "nothing"
                : is_found ? "another value"
                           : "a value");
}

/* Looks `args->lookups` keys up in one way. Sets the mean time. */
static bool look_up(index_client *c, const index_arguments *args, unsigned way, uint64_t first,
                    measurement *m, double *ns_out)
{
    uint64_t value[INDEX_VALUE_MAX / 8], took_ns = 0;
    for (uint64_t i = first; i < first + args->lookups; i++) {
        bool is_key, is_found = false;
        const uint64_t key = question(&c->shape, i, &is_key);
        if (args->change_every > 0 && i % args->change_every == 0 &&
            !index_check(index_change(c), &c->err, "change"))
            return false;
        const uint64_t begun = index_now_ns();
        const tc_status status = index_ways[way].find(c, key, value, &is_found);
        took_ns += index_now_ns() - begun;
        if (!index_check(status, &c->err, index_ways[way].name))
            return false;
        m->asked++;
        if (!is_right(&c->shape, key, is_key, is_found, value))
            count_wrong(m, way, key, is_key, is_found);
    }
    *ns_out = (double)took_ns / (double)args->lookups;
    return true;
}

/* The first round brings the code, and is not counted. */
static bool run_round(index_client *c, const index_arguments *args, uint64_t round,
                      measurement *m)
{
    double ns;
    for (unsigned i = 0; i < INDEX_WAYS; i++) {
        const unsigned way = (unsigned)((i + round) % INDEX_WAYS);
        if (args->delay_ns == 0 && !index_meet(c, "round"))
            return false;
        if (c->rank >= c->shape.clients)
            continue;
        if (!look_up(c, args, way, round * args->lookups, m, &ns))
            return false;
        if (round > 0)
            m->ns[way][round - 1] = ns;
    }
    return true;
}

/* --- the report --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const index_client *c, const index_arguments *args, measurement *m)
{
    const index_shape *s = &c->shape;
    printf("%" PRIu64 " keys at %" PRIu32 " owners, values of %" PRIu32 " bytes, up to %" PRIu64
           " keys for each bucket, %" PRIu32 " levels of %" PRIu32 ", %" PRIu32
           " clients, %" PRIu64 " us for each message\n",
           s->keys, s->owners, s->value_bytes, args->per_bucket, s->levels, s->fanout,
           s->clients, args->delay_ns / 1000);
    for (unsigned way = 0; way < INDEX_WAYS; way++) {
        double *ns = m->ns[way];
        qsort(ns, args->rounds, sizeof *ns, compare);
        printf("%-28s %10.2f us  (%.2f to %.2f)\n", index_ways[way].name,
               ns[args->rounds / 2] / 1e3, ns[args->rounds / 4] / 1e3,
               ns[args->rounds * 3 / 4] / 1e3);
    }
}

bool index_measure(index_client *c, const index_arguments *args, uint64_t *wrong_out)
{
    measurement *m = calloc(1, sizeof *m);
    bool ok = m != NULL;
    *wrong_out = 0;
    if (m == NULL)
        fprintf(stderr, "index: no memory\n");
    for (uint64_t round = 0; round <= args->rounds && ok; round++)
        ok = run_round(c, args, round, m);
    if (ok && c->rank == 0)
        report(c, args, m);
    for (unsigned way = 0; way < INDEX_WAYS && ok; way++)
        *wrong_out += m->wrong[way];
    if (ok && c->rank < c->shape.clients)
        printf("rank %" PRIu32 ": %" PRIu64 " of %" PRIu64 " lookups were wrong\n", c->rank,
               *wrong_out, m->asked);
    free(m);
    return ok;
}
