/* The client of the pointer chase, whichever way its chases travel. */
#include "dapc.h"

#include "perf_clock.h"

#include <stdlib.h>
#include <string.h>

#define TURNS_PER_LOOK 256u

struct dapc_client {
    dapc_series *series; /* its batch */
    dapc_batch batch;
    uint64_t started;
    uint64_t done;
    bool starting; /* chases are being begun, further up in the stack */
    bool failed;
    unsigned free_count;
    unsigned free_slots[DAPC_INFLIGHT_MAX];
    uint64_t numbers[DAPC_INFLIGHT_MAX]; /* of the chases in the slots, from 0 */
    uint64_t result_capacity;
    uint64_t *results;
};

dapc_client *dapc_client_create(void)
{
    return calloc(1, sizeof(dapc_client));
}

void dapc_client_destroy(dapc_client *client)
{
    if (client != NULL)
        free(client->results);
    free(client);
}

static unsigned first_server(const dapc_client *client, uint64_t number, const dapc_step *step)
{
    const dapc_series *series = client->series;
    return strcmp(series->options->start, "any") == 0
               ? dapc_table_any(series->table, client->batch.first + number)
               : (unsigned)(step->address >> DAPC_PLACE_BITS);
}

/* A chase may end before its start returns, and one that ends admits the next: without a loop,
 * this would go as deep as the batch is long. */
static void start_more(dapc_client *client)
{
    dapc_series *series = client->series;
    if (client->starting)
        return;
    client->starting = true;
    while (client->free_count > 0 && client->started < client->batch.count && !client->failed) {
        unsigned slot = client->free_slots[--client->free_count];
        uint64_t number = client->started++;
        const dapc_step step = {dapc_table_start(series->table, client->batch.first + number),
                                client->batch.depth};
        client->numbers[slot] = number;
        if (!series->mode->start(series, slot, first_server(client, number, &step), &step))
            client->failed = true;
    }
    client->starting = false;
}

void dapc_client_done(dapc_client *client, unsigned slot, uint64_t address)
{
    client->results[client->numbers[slot]] = address;
    client->free_slots[client->free_count++] = slot;
    client->done++;
    start_more(client);
}

void dapc_client_failed(dapc_client *client)
{
    client->failed = true;
}

static bool await_all(dapc_client *client)
{
    dapc_series *series = client->series;
    uint64_t seen = 0, since_ns = perf_now_ns();
    for (uint64_t turns = 1; client->done < client->batch.count; turns++) {
        if (client->failed || !series->mode->turn(series))
            return perf_session_complain(series->session, "%s: a chase failed",
                                         series->mode->name);
        if (turns % TURNS_PER_LOOK != 0)
            continue;
        if (client->done != seen) {
            seen = client->done;
            since_ns = perf_now_ns();
        } else if (perf_now_ns() - since_ns > PERF_SILENCE_NS) {
            return perf_session_complain(series->session, "%s: no chase ended in %d s",
                                         series->mode->name,
                                         (int)(PERF_SILENCE_NS / PERF_NS_PER_S));
        }
    }
    return true;
}

static bool check_results(const dapc_client *client)
{
    dapc_series *series = client->series;
    const dapc_batch *batch = &client->batch;
    for (uint64_t i = 0; i < batch->count; i++) {
        uint64_t start = dapc_table_start(series->table, batch->first + i);
        uint64_t expected = dapc_table_chase(series->table, start, batch->depth);
        if (client->results[i] != expected)
            return perf_session_complain(
                series->session,
                "%s: chase %llu of depth %llu from %llu ended at %llu, not at "
                "%llu",
                series->mode->name, (unsigned long long)(batch->first + i),
                (unsigned long long)batch->depth, (unsigned long long)start,
                (unsigned long long)client->results[i], (unsigned long long)expected);
    }
    return true;
}

static bool make_room(dapc_client *client, uint64_t count)
{
    if (count <= client->result_capacity)
        return true;
    free(client->results);
    client->results = calloc(count, sizeof *client->results);
    client->result_capacity = client->results != NULL ? count : 0;
    return client->results != NULL;
}

bool dapc_client_run(dapc_series *series, const dapc_batch *batch, uint64_t *took_ns_out)
{
    dapc_client *client = series->client;
    if (!make_room(client, batch->count))
        return perf_session_complain(series->session, "out of memory");
    client->series = series;
    client->batch = *batch;
    client->started = client->done = 0;
    client->failed = false;
    client->free_count = batch->inflight;
    for (unsigned i = 0; i < batch->inflight; i++)
        client->free_slots[i] = i;
    uint64_t start_ns = perf_now_ns();
    start_more(client);
    if (!await_all(client))
        return false;
    *took_ns_out = perf_now_ns() - start_ns;
    return check_results(client);
}
