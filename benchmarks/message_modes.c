/* The modes of tsi, ssum and iput, and those of other systems, which a build may lack. */
#include "message_modes.h"

#include "language_series.h"
#include "peer_modes.h"
#include "perf_experiment.h"

#include <stdio.h>
#include <string.h>

static const perf_mode *const modes[] = {
    &perf_mode_bare,    &perf_mode_am,       &perf_mode_put,    &perf_mode_noexec,
    &perf_mode_cached,  &perf_mode_uncached, &perf_mode_image,  &perf_mode_bitcode,
    &perf_mode_inject,  &perf_mode_local,    &perf_mode_compat, &perf_mode_aligned,
    &perf_mode_readonly};

#define MODE_COUNT (sizeof modes / sizeof modes[0])
#define PEERS_MAX 4u

/* The function that runs there only counts. */
static bool is_of_tsi(const perf_mode *mode)
{
    return mode != &perf_mode_put && (!mode->has_deliveries || mode->function != NULL);
}

/* Complains of a mode that this build lacks. */
static bool add_peer(series_run *run, const peer_mode *peer, const language_choice *languages)
{
    if (peer->mode != NULL)
        return language_series_add(run, peer->mode, languages);
    (void)fprintf(stderr, "tc-perf: --modes %s: not in this build: %s\n", peer->name,
                  peer->missing);
    return false;
}

static bool add_chosen(series_run *run, const bool *chosen)
{
    const perf_options *options = &run->options;
    language_choice languages;
    if (!language_choose(options, options->experiment->name, &languages))
        return false;
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (chosen[i] && !language_series_add(run, modes[i], &languages))
            return false;
    }
    for (size_t i = 0; i < message_peer_count; i++) {
        if (chosen[MODE_COUNT + i] && !add_peer(run, &message_peers[i], &languages))
            return false;
    }
    return true;
}

/* The position of a mode of that name among those of the table and, behind them, other
 * systems'; the number of both: no such mode. */
static size_t find_mode(const char *name, size_t size)
{
    const size_t count = MODE_COUNT + message_peer_count;
    size_t at = 0;
    for (; at < count; at++) {
        const char *known =
            at < MODE_COUNT ? modes[at]->name : message_peers[at - MODE_COUNT].name;
        if (strlen(known) == size && memcmp(known, name, size) == 0)
            break;
    }
    return at;
}

/* In the order of the table above, whatever the order of the list; a name given twice counts
 * once. */
bool message_modes_choose(series_run *run)
{
    bool chosen[MODE_COUNT + PEERS_MAX] = {false};
    const char *at = run->options.modes;
    for (;;) {
        const size_t size = strcspn(at, ","), which = find_mode(at, size);
        if (which == MODE_COUNT + message_peer_count) {
            (void)fprintf(stderr,
                          "tc-perf: no mode is called '%.*s': expected bare, am, put, noexec, "
                          "cached, uncached, image, bitcode, inject, local, compat, aligned, "
                          "readonly, mpi, mpi-tcp, mpich or mpich-tcp\n",
                          (int)size, at);
            return false;
        }
        if (strcmp(run->options.experiment->name, "tsi") != 0 &&
            (which >= MODE_COUNT || is_of_tsi(modes[which]))) {
            (void)fprintf(stderr,
                          "tc-perf: mode '%.*s' is of tsi alone: expected put, noexec, cached, "
                          "uncached, image, bitcode, inject or local\n",
                          (int)size, at);
            return false;
        }
        chosen[which] = true;
        at += size;
        if (*at++ == '\0')
            break;
    }
    return add_chosen(run, chosen);
}
