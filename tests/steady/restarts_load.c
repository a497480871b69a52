/* The load of the restarts. */
#include "restarts_load.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/context.h>
#include <tc/ifunc.h>

#define CALLS_MAX 16u       /* under way */
#define MESSAGES_MAX 20000u /* of one connection */
#define BURST 200u
#define NAP_US 200u

static void must(tc_status status, const tc_error *error, const char *what)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "restarts: %s: %s\n", what, error->text);
    exit(2);
}

unsigned restarts_load_random(restarts_load *load, unsigned end)
{
    load->random = load->random * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(load->random >> 33) % end;
}

static void note(void *user, tc_steady *steady, const tc_steady_news *news)
{
    restarts_load *load = user;
    (void)steady;
    load->connected += news->event == TC_STEADY_CONNECTED;
    if (news->event != TC_STEADY_LOST)
        return;
    load->lost++;
    load->messages_lost = news->messages_lost;
}

typedef struct waiting_call {
    restarts_load *load;
    restarts_item *item;
} waiting_call;

static void note_end(void *user, const tc_steady_outcome *outcome)
{
    waiting_call *call = user;
    call->item->has_ended = true;
    call->item->outcome = *outcome;
    call->item->outcome.text = NULL;
    call->load->under_way--;
    free(call);
}

static void start_call(restarts_load *load)
{
    const uint32_t number = load->record.count;
    const bool naps = restarts_load_random(load, 4) == 0;
    const tally_message m = {number, naps ? restarts_load_random(load, NAP_US) : 0};
    restarts_item *item = restarts_record_add(&load->record, (restarts_kind)(number % 2));
    item->in_order = !load->kills && !load->is_vague;
    waiting_call *call = malloc(sizeof *call);
    if (call == NULL)
        exit(2);
    *call = (waiting_call){load, item};
    const tc_steady_call_params params = {.result = &item->result,
                                          .result_capacity = sizeof item->result,
                                          .timeout_ns = RESTARTS_PATIENCE_NS,
                                          .mark = (tc_steady_mark)item->kind,
                                          .done = note_end,
                                          .user = call};
    tc_error error;
    must(tc_steady_call_start(load->steady, load->tally, &m, sizeof m, &params, NULL, &error),
         &error, "call");
    load->under_way++;
}

/* Returns whether a message was sent. */
static bool send_message(restarts_load *load)
{
    const tally_message m = {load->record.count, 0};
    if (tc_steady_send(load->steady, load->tally, &m, sizeof m) != TC_OK)
        return false;
    (void)restarts_record_add(&load->record, RESTARTS_MESSAGE);
    return true;
}

void restarts_load_work(restarts_load *load, restarts_traffic traffic, uint32_t first)
{
    while (traffic == RESTARTS_CALLS && load->under_way < CALLS_MAX)
        start_call(load);
    for (unsigned i = 0; traffic == RESTARTS_MESSAGES && i < BURST &&
                         load->record.count - first < MESSAGES_MAX && send_message(load);
         i++)
        continue;
    (void)tc_steady_wait(load->steady, TC_MILLISECONDS(1));
}

void restarts_load_expect_time(uint64_t deadline_ns, const char *what)
{
    if (tci_deadline_left_ns(deadline_ns) > 0)
        return;
    fprintf(stderr, "restarts: %s: not in time\n", what);
    exit(2);
}

void restarts_load_open(restarts_load *load, const char *address)
{
    const tc_steady_params params = {.backoff_min_ns = TC_MILLISECONDS(2),
                                     .backoff_max_ns = TC_MILLISECONDS(50),
                                     .changed = note,
                                     .user = load};
    tc_error error;
    const char *delivery = getenv("TC_DELIVERY");
    load->is_vague = delivery != NULL && strcmp(delivery, "am") == 0;
    load->random = tci_clock_ns();
    must(tc_context_create(NULL, &load->ctx, &error), &error, "context");
    must(tc_ifunc_open(load->ctx, "restart_tally", &load->tally, &error), &error,
         "restart_tally");
    must(tc_steady_open(load->ctx, address, &params, &load->steady, &error), &error, "steady");
}

void restarts_load_close(restarts_load *load)
{
    if (tc_steady_close(load->steady, NULL) != TC_OK)
        exit(2);
    load->steady = NULL;
}
