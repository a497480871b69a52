/* Brings the service to an empty target, has clients use it, and replaces it meanwhile.
 *
 *     series_run HOST:PORT VERSION1.tcp VERSION2.tcp CLIENTS REQUESTS UPGRADES
 *
 * Exit status 0 only when every request was answered, each as a plain program answers it, and
 * the service has every sample in the end. */
#include "series_client.h"
#include "series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CLIENTS_MAX (SERIES_SENSORS / CLIENT_SENSORS)

typedef struct operator_side {
    tc_context *ctx;
    tc_ep *ep;
    tc_package *versions[2];
    tc_error error;
} operator_side;

static int fail(const char *what, const tc_error *err)
{
    fprintf(stderr, "series_run: %s: %s (%s)\n", what, err->text, tc_status_name(err->status));
    return 1;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The target has no code of any of this. */
static tc_status deploy(operator_side *o, const char *target, char **packages)
{
    tc_status status = tc_context_create(NULL, &o->ctx, &o->error);
    for (int i = 0; i < 2 && status == TC_OK; i++)
        status = tc_package_open(o->ctx, packages[i], NULL, &o->versions[i], &o->error);
    if (status == TC_OK)
        status = tc_ep_connect(o->ctx, target, 0, &o->ep, &o->error);
    return status == TC_OK
               ? tc_package_prepare(o->ep, o->versions[0], TC_SECONDS(60), &o->error)
               : status;
}

static void pause_for(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&pause, NULL);
}

/* One version takes over from the other, again and again. */
static tc_status upgrade(operator_side *o, unsigned upgrades)
{
    for (unsigned i = 1; i <= upgrades; i++) {
        pause_for(5);
        tc_status status =
            tc_package_push(o->ep, o->versions[i % 2], TC_SECONDS(60), &o->error);
        if (status != TC_OK)
            return status;
    }
    return TC_OK;
}

/* The service's data of a sensor, and the expected data. */
static int compare(operator_side *o, const series_client *client, uint32_t sensor)
{
    const series_question question = {sensor};
    series_summary found, expected = {.count = 0};
    size_t size = sizeof found;
    for (size_t i = 0; i < client->plain[sensor].count; i++)
        series_summary_add(&expected, &client->plain[sensor].samples[i]);
    if (series_call_summary(o->versions[0], o->ep, &question, &found, &size, TC_SECONDS(60),
                            &o->error) != TC_OK)
        return fail("summary", &o->error);
    if (size == sizeof found && memcmp(&found, &expected, size) == 0)
        return 0;
    fprintf(stderr, "series_run: sensor %u: %" PRIu64 " samples, expected %" PRIu64 "\n",
            sensor, found.count, expected.count);
    return 1;
}

static int judge(operator_side *o, const series_client *clients, unsigned count, double seconds,
                 unsigned upgrades)
{
    uint64_t answered = 0, samples = 0, changes = 0;
    int result = 0;
    for (unsigned c = 0; c < count; c++) {
        const series_client *client = &clients[c];
        answered += client->answered;
        changes += client->changes;
        if (client->answered != client->requests || client->wrong > 0) {
            fprintf(stderr,
                    "series_run: client %u: %" PRIu64 " of %" PRIu64 " answered, %" PRIu64
                    " wrong: %s\n",
                    c, client->answered, client->requests, client->wrong, client->error.text);
            result = 1;
        }
        for (uint32_t i = 0; i < CLIENT_SENSORS; i++) {
            const uint32_t sensor = c * CLIENT_SENSORS + i;
            samples += client->plain[sensor].count;
            result |= compare(o, client, sensor);
        }
    }
    if (result == 0)
        printf("%" PRIu64
               " requests of %u clients in %.2f s, %u upgrades, of which clients saw "
               "%" PRIu64 ": none lost, none wrong; %" PRIu64 " samples, all there\n",
               answered, count, seconds, upgrades, changes, samples);
    return result;
}

static int run(operator_side *o, series_client *clients, unsigned count, unsigned upgrades)
{
    const double began = seconds_now();
    for (unsigned i = 0; i < count; i++)
        (void)pthread_create(&clients[i].thread, NULL, series_client_run, &clients[i]);
    tc_status status = upgrade(o, upgrades);
    for (unsigned i = 0; i < count; i++)
        (void)pthread_join(clients[i].thread, NULL);
    if (status != TC_OK)
        return fail("upgrade", &o->error);
    return judge(o, clients, count, seconds_now() - began, upgrades);
}

int main(int argc, char **argv)
{
    static series_client clients[CLIENTS_MAX];
    operator_side o = {.ctx = NULL};
    const unsigned count = argc == 7 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    if (count < 1 || count > CLIENTS_MAX) {
        fprintf(stderr,
                "usage: series_run HOST:PORT VERSION1.tcp VERSION2.tcp CLIENTS REQUESTS "
                "UPGRADES\n1 to %u clients\n",
                CLIENTS_MAX);
        return 2;
    }
    for (unsigned i = 0; i < count; i++)
        clients[i] = (series_client){.target = argv[1],
                                     .package = argv[2],
                                     .number = i,
                                     .requests = strtoull(argv[5], NULL, 10)};
    int result = deploy(&o, argv[1], argv + 2) == TC_OK
                     ? run(&o, clients, count, (unsigned)strtoul(argv[6], NULL, 10))
                     : fail("deploy", &o.error);
    for (unsigned i = 0; i < count; i++)
        series_client_free(&clients[i]);
    tc_package_close(o.versions[0]);
    tc_package_close(o.versions[1]);
    tc_context_destroy(o.ctx);
    return result;
}
