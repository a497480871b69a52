/* Water, an application of the paper on MRPC: the motion of molecules, each of which attracts
 * or repels all others within half the box.
 *
 *   tc-run -n RANKS water_run [options]
 *
 * A rank has some of the molecules, and the pairs of each of them with the next half of all. A
 * pair with a molecule of another rank needs the position of that, and changes the force on it.
 * The rank sums up such forces for all of its pairs, and adds them there once in a step:
 *
 *   atomic    reads the position for each pair, and adds to one molecule at a time
 *   prefetch  fetches all positions of each other rank at once, and adds likewise
 *   bundle    fetches likewise, and moves the sums on all molecules of each other rank at once
 *
 * Forces are in fixed point, so their order does not matter: positions and energies have the
 * bits of a serial run. */
#include "mrpc_exchange.h"
#include "mrpc_run.h"
#include "water_rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOLECULES_MAX 4096u
#define VERSION_NAMES                                                                          \
    "window-atomic,view-atomic,function-atomic,window-prefetch,view-prefetch,"                 \
    "function-prefetch,window-bundle,view-bundle,function-bundle"

typedef struct water_options {
    mrpc_options common;
    uint64_t molecules;
} water_options;

static const tool_option rows[] = {
    {.name = "molecules",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of all ranks (512)",
     .offset = offsetof(water_options, molecules),
     .min = 2,
     .max = MOLECULES_MAX},
    MRPC_RUN_STEPS(water_options, "of each run (2)"),
    MRPC_RUN_OPTIONS(water_options, VERSION_NAMES),
};

static const tool_command command = {
    .name = "water_run",
    .usage = "[options], started by tc-run -n RANKS",
    .about = "Measures Water of the paper on MRPC: molecules of other ranks by one-sided\n"
             "operations (window, view) and by functions.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

/* --- a rank ------------------------------------------------------------------------------ */

static void arrange(mrpc_rank *base)
{
    water_rank *r = (water_rank *)base;
    r->share.positions = mrpc_rank_own(base);
    r->share.forces = (water_forces *)(void *)(r->share.positions + r->widest);
    r->parts = r->share.forces + r->widest;
    r->share.own = water_rank_first(r, base->rank + 1) - r->first;
}

static bool fill(water_rank *r)
{
    const uint32_t count = r->model.molecules;
    int64_t *energies = malloc(count * sizeof *energies);
    r->motions = malloc(r->widest * sizeof *r->motions);
    r->all = malloc(count * sizeof *r->all);
    r->sums = malloc(count * sizeof *r->sums);
    r->expected = malloc(count * sizeof *r->expected);
    const bool ok = energies != NULL && r->motions != NULL && r->all != NULL &&
                    r->sums != NULL && r->expected != NULL &&
                    water_model_run_serial(&r->model, r->steps, r->expected, energies);
    for (uint32_t i = r->first; ok && i < water_rank_first(r, r->base.rank + 1); i++)
        r->expected_energy += energies[i];
    free(energies);
    return ok;
}

static bool create(void *state, const void *options)
{
    water_rank *r = state;
    const water_options *o = options;
    const uint32_t ranks = r->base.ranks, count = (uint32_t)o->molecules;
    if (count < ranks)
        return mrpc_rank_fail("%u molecules, expected one for each of %u ranks", count, ranks);
    r->model = water_model_of(count, o->common.seed);
    r->steps = o->common.steps;
    r->first = water_rank_first(r, r->base.rank);
    r->widest = (count + ranks - 1) / ranks;
    const uint64_t bytes =
        r->widest * (sizeof(water_positions) + (ranks + 1) * sizeof(water_forces));
    return mrpc_rank_has_memory(fill(r)) &&
           mrpc_rank_open_function(&r->base, "water_read", &r->read) &&
           mrpc_rank_open_function(&r->base, "water_add", &r->add) &&
           mrpc_rank_open(&r->base, bytes, &r->share.base, arrange);
}

static void destroy(void *state)
{
    water_rank *r = state;
    mrpc_rank_destroy(&r->base);
    tc_ifunc_close(r->read);
    tc_ifunc_close(r->add);
    free(r->motions);
    free(r->all);
    free(r->sums);
    free(r->expected);
}

/* No result survives a position that was not fetched. */
static void reset(void *state)
{
    water_rank *r = state;
    for (uint32_t i = 0; i < r->share.own; i++)
        water_model_initial(&r->model, r->first + i, &r->motions[i]);
    for (uint32_t i = 0; i < r->model.molecules * WATER_NUMBERS; i++)
        r->all[i / WATER_NUMBERS].at[i % WATER_NUMBERS] = (double)NAN;
    r->energy = 0;
}

static bool is_right(const void *state)
{
    const water_rank *r = state;
    for (uint32_t i = 0; i < r->share.own; i++) {
        if (memcmp(r->motions[i].of[0], r->expected[r->first + i].at,
                   sizeof(water_positions)) != 0)
            return false;
    }
    return r->energy == r->expected_energy;
}

/* --- a step ------------------------------------------------------------------------------ */

static bool predict(water_rank *r)
{
    r->base.exchange++;
    memset(r->share.forces, 0, r->share.own * sizeof *r->share.forces);
    memset(r->sums, 0, r->model.molecules * sizeof *r->sums);
    for (uint32_t i = 0; i < r->share.own; i++)
        water_model_predict(&r->motions[i], &r->share.positions[i]);
    memcpy(r->all + r->first, r->share.positions, r->share.own * sizeof *r->all);
    return mrpc_rank_barrier(&r->base);
}

static bool fetch_all(water_rank *r, const water_way *way)
{
    bool ok = true;
    for (uint32_t i = 1; ok && i < r->base.ranks; i++) {
        const uint32_t peer = (r->base.rank + i) % r->base.ranks;
        const uint32_t first = water_rank_first(r, peer);
        ok = way->read(r, peer, 0, water_rank_first(r, peer + 1) - first, r->all + first);
    }
    return ok;
}

/* Reads the position of a molecule of another rank again for each pair, if `way` is given. */
static bool sum_pairs(water_rank *r, uint32_t i, const water_way *way)
{
    const uint32_t partners = water_model_partners(&r->model, i);
    for (uint32_t k = 0; k < partners; k++) {
        const uint32_t j = water_model_partner(&r->model, i, k);
        if (way != NULL && (j < r->first || j >= r->first + r->share.own)) {
            const uint32_t peer = water_rank_owner(r, j);
            if (!way->read(r, peer, j - water_rank_first(r, peer), 1, &r->all[j]))
                return false;
        }
        r->energy +=
            water_model_between(&r->model, &r->all[i], &r->all[j], &r->sums[i], &r->sums[j]);
    }
    return true;
}

static bool sum_forces(water_rank *r, const water_way *way)
{
    bool ok = true;
    r->energy = 0;
    for (uint32_t i = r->first; ok && i < r->first + r->share.own; i++) {
        r->energy += water_model_inside(&r->all[i], &r->sums[i]);
        ok = sum_pairs(r, i, way);
    }
    return ok;
}

static bool is_zero(const water_forces *forces)
{
    int64_t bits = 0;
    for (uint32_t k = 0; k < WATER_NUMBERS; k++)
        bits |= forces->on[k];
    return bits == 0;
}

static bool add_each(water_rank *r, const water_way *way)
{
    for (uint32_t n = 1; n < r->base.ranks; n++) {
        const uint32_t peer = (r->base.rank + n) % r->base.ranks;
        const uint32_t first = water_rank_first(r, peer), end = water_rank_first(r, peer + 1);
        for (uint32_t j = first; j < end; j++) {
            if (!is_zero(&r->sums[j]) && !way->add(r, peer, j - first, &r->sums[j]))
                return false;
        }
    }
    return way->end_add(r);
}

static bool add_at_once(water_rank *r, const water_way *way)
{
    for (uint32_t n = 1; n < r->base.ranks; n++) {
        const uint32_t peer = (r->base.rank + n) % r->base.ranks;
        const uint32_t first = water_rank_first(r, peer);
        if (!way->add_all(r, peer, r->sums + first, water_rank_first(r, peer + 1) - first))
            return false;
    }
    return way->end_add_all(r);
}

/* Others add to own molecules by instructions at the same time, so own sums come last. */
static void correct(water_rank *r)
{
    for (uint32_t i = 0; i < r->share.own; i++) {
        for (uint32_t k = 0; k < WATER_NUMBERS; k++)
            r->share.forces[i].on[k] += r->sums[r->first + i].on[k];
        water_model_correct(&r->motions[i], &r->share.forces[i]);
    }
}

/* --- versions ---------------------------------------------------------------------------- */

#define ASKED 1.3

static const mrpc_version versions[] = {
    {"window-atomic", MRPC_WINDOW, "atomic", "function-atomic", ASKED},
    {"view-atomic", MRPC_VIEW, "atomic", "function-atomic", ASKED},
    {"function-atomic", MRPC_FUNCTION, "atomic", NULL, 0},
    {"window-prefetch", MRPC_WINDOW, "prefetch", "function-prefetch", ASKED},
    {"view-prefetch", MRPC_VIEW, "prefetch", "function-prefetch", ASKED},
    {"function-prefetch", MRPC_FUNCTION, "prefetch", NULL, 0},
    {"window-bundle", MRPC_WINDOW, "bundle", "function-bundle", ASKED},
    {"view-bundle", MRPC_VIEW, "bundle", "function-bundle", ASKED},
    {"function-bundle", MRPC_FUNCTION, "bundle", NULL, 0},
};

static bool run(void *state, unsigned version)
{
    static const water_way *const ways[] = {[MRPC_WINDOW] = &water_rank_window,
                                            [MRPC_VIEW] = &water_rank_view,
                                            [MRPC_FUNCTION] = &water_rank_function};
    water_rank *r = state;
    const water_way *way = ways[versions[version].way];
    const bool is_atomic = strcmp(versions[version].method, "atomic") == 0;
    const bool is_bundle = strcmp(versions[version].method, "bundle") == 0;
    for (uint64_t step = 0; step < r->steps; step++) {
        if (!predict(r) || (!is_atomic && !fetch_all(r, way)) ||
            !sum_forces(r, is_atomic ? way : NULL) ||
            !(is_bundle ? add_at_once(r, way) : add_each(r, way)))
            return false;
        correct(r);
    }
    return true;
}

static double units(const void *state)
{
    const water_rank *r = state;
    return 1e6 * (double)r->steps;
}

static void describe(const void *state, json_t *json)
{
    const water_rank *r = state;
    if (json == NULL)
        printf("water: %u molecules at %u ranks, %.3f kJ/mol of rank 0's in the last step\n",
               r->model.molecules, r->base.ranks, (double)r->expected_energy / WATER_FIXED);
    else
        (void)json_object_set_new(json, "molecules", json_integer(r->model.molecules));
}

static const mrpc_app app = {
    .name = "water",
    .unit = "ms_per_step",
    .state_bytes = sizeof(water_rank),
    .versions = versions,
    .version_count = sizeof versions / sizeof versions[0],
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .run = run,
    .is_right = is_right,
    .units = units,
    .describe = describe,
};

int main(int argc, char **argv)
{
    water_options options = {.common = {.steps = 2,
                                        .rounds = 10,
                                        .stamped = 3,
                                        .seed = 1,
                                        .versions = VERSION_NAMES},
                             .molecules = 512};
    return mrpc_run_main(&app, &command, &options, &options.common, argc, argv);
}
