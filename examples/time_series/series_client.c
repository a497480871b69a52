#include "series_client.h"

#include "outliers.h"
#include "series.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define UNDER_WAY_MAX 32u
#define BATCH 4u
#define ABOVE 900

extern const tc_embedded outliers_tca;

typedef enum request_kind { RECORD, SUMMARY, OUTLIERS } request_kind;

/* A call that is under way, with its expected answer. Functions run in the order in which one
 * client has sent them, so that is known when it is sent. */
typedef struct request {
    struct session *session;
    request_kind kind;
    bool under_way;
    union {
        series_receipt receipt;
        series_summary summary;
        outliers_answer outliers;
    } answer, expected;
} request;

typedef struct session {
    series_client *client;
    tc_context *ctx;
    tc_ep *ep;
    tc_package *package;
    tc_ifunc *outliers;
    uint64_t random;
    request requests[UNDER_WAY_MAX];
} session;

static uint32_t next_random(session *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33);
}

/* --- answers ------------------------------------------------------------------------------ */

static size_t answer_size(request_kind kind)
{
    return kind == RECORD    ? sizeof(series_receipt)
           : kind == SUMMARY ? sizeof(series_summary)
                             : sizeof(outliers_answer);
}

static void note_version(series_client *client, uint32_t version)
{
    client->changes += client->version != 0 && client->version != version;
    client->version = version;
}

static void on_answer(void *user, const tc_call_outcome *outcome)
{
    request *r = user;
    series_client *client = r->session->client;
    const size_t size = answer_size(r->kind);
    r->under_way = false;
    client->answered++;
    if (outcome->status == TC_OK && r->kind == RECORD) {
        note_version(client, r->answer.receipt.version);
        r->expected.receipt.version = client->version;
    }
    if (outcome->status == TC_OK && outcome->result_size == size &&
        memcmp(&r->answer, &r->expected, size) == 0)
        return;
    if (client->wrong++ == 0) {
        client->error.status = outcome->status;
        (void)snprintf(client->error.text, sizeof client->error.text, "request of kind %d: %s",
                       (int)r->kind,
                       outcome->status != TC_OK ? outcome->text
                                                : "not the plain program's answer");
    }
}

/* --- requests ----------------------------------------------------------------------------- */

static request *free_request(session *s)
{
    for (size_t i = 0; i < UNDER_WAY_MAX; i++) {
        if (!s->requests[i].under_way)
            return &s->requests[i];
    }
    return NULL;
}

static tc_status start(session *s, request *r, tc_ifunc *fn, const void *args, size_t size)
{
    const tc_call_params params = {.result = &r->answer,
                                   .result_capacity = sizeof r->answer,
                                   .timeout_ns = TC_SECONDS(60),
                                   .done = on_answer,
                                   .user = r};
    tc_status status;
    r->under_way = true;
    while ((status = tc_call_start(s->ep, fn, args, size, &params, NULL, &s->client->error)) ==
           TC_E_AGAIN) {
        if (tc_wait(s->ctx, TC_SECONDS(60)) != TC_OK)
            break;
    }
    r->under_way = status == TC_OK;
    return status;
}

static tc_status start_record(session *s, request *r)
{
    series_sample samples[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        samples[i] = (series_sample){.sensor = s->client->number * CLIENT_SENSORS +
                                               next_random(s) % CLIENT_SENSORS,
                                     .time = next_random(s),
                                     .value = (int64_t)(next_random(s) % 2000) - 1000};
        if (series_array_append(&s->client->plain[samples[i].sensor], &samples[i]) != 0)
            return TC_E_NO_MEMORY;
    }
    r->expected.receipt = (series_receipt){.recorded = BATCH};
    return start(s, r, tc_package_ifunc(s->package, series_id_record), samples, sizeof samples);
}

static tc_status start_summary(session *s, request *r, uint32_t sensor)
{
    const series_question question = {sensor};
    const series_array *plain = &s->client->plain[sensor];
    r->expected.summary = (series_summary){.count = 0};
    for (size_t i = 0; i < plain->count; i++)
        series_summary_add(&r->expected.summary, &plain->samples[i]);
    return start(s, r, tc_package_ifunc(s->package, series_id_summary), &question,
                 sizeof question);
}

static tc_status start_outliers(session *s, request *r, uint32_t sensor)
{
    const outliers_question question = {.sensor = sensor, .above = ABOVE};
    const series_array *plain = &s->client->plain[sensor];
    memset(&r->expected, 0, sizeof r->expected);
    for (size_t i = 0; i < plain->count; i++)
        (void)outliers_look(ABOVE, &r->expected.outliers, &plain->samples[i]);
    return start(s, r, s->outliers, &question, sizeof question);
}

/* One request in 16 asks; the others record. */
static tc_status start_request(session *s, request *r, uint64_t n)
{
    const uint32_t sensor =
        s->client->number * CLIENT_SENSORS + next_random(s) % CLIENT_SENSORS;
    memset(&r->answer, 0, sizeof r->answer);
    r->session = s;
    r->kind = n % 32 == 15 ? SUMMARY : n % 32 == 31 ? OUTLIERS : RECORD;
    return r->kind == RECORD    ? start_record(s, r)
           : r->kind == SUMMARY ? start_summary(s, r, sensor)
                                : start_outliers(s, r, sensor);
}

static tc_status make_requests(session *s)
{
    for (uint64_t n = 0; n < s->client->requests; n++) {
        request *r;
        while ((r = free_request(s)) == NULL) {
            tc_status status = tc_wait(s->ctx, TC_SECONDS(60));
            if (status != TC_OK)
                return status;
        }
        tc_status status = start_request(s, r, n);
        if (status != TC_OK)
            return status;
    }
    return tc_calls_wait(s->ctx, TC_SECONDS(60));
}

/* --- the thread --------------------------------------------------------------------------- */

/* It pushes nothing: the service is there, in whichever version. */
static tc_status open_session(session *s, tc_error *err)
{
    tc_status status = tc_context_create(NULL, &s->ctx, err);
    if (status == TC_OK)
        status = tc_ep_connect(s->ctx, s->client->target, 0, &s->ep, err);
    if (status == TC_OK)
        status = series_package_open(s->ctx, s->client->package, &s->package, err);
    if (status == TC_OK)
        status = tc_ifunc_open_embedded(s->ctx, &outliers_tca, &s->outliers, err);
    return status;
}

void *series_client_run(void *argument)
{
    series_client *client = argument;
    session *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->client = client;
    s->random = client->number + 1;
    tc_error err = {TC_OK, ""};
    tc_status status = open_session(s, &err);
    if (status == TC_OK)
        status = make_requests(s);
    if (status != TC_OK && client->error.status == TC_OK)
        client->error = err.status != TC_OK ? err : (tc_error){.status = status};
    tc_package_close(s->package);
    tc_context_destroy(s->ctx);
    free(s);
    return NULL;
}

void series_client_free(series_client *client)
{
    series_arrays_free(client->plain);
}
