#include "steady_link.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "steady_calls.h"

static void tell(tc_steady *steady, tc_steady_event event, const tc_error *why, uint64_t lost)
{
    const tc_steady_news news = {.event = event,
                                 .status = why != NULL ? why->status : TC_OK,
                                 .text = why != NULL ? why->text : "",
                                 .messages_lost = lost,
                                 .attempts = steady->attempts};
    steady->events++;
    if (steady->params.changed == NULL)
        return;
    steady->in_callbacks++;
    steady->params.changed(steady->params.user, steady, &news);
    steady->in_callbacks--;
}

static void plan(tc_steady *steady, uint64_t now_ns)
{
    steady->attempt_ns = tci_deadline_from(now_ns, tcs_pace_next(&steady->pace));
}

static void begin_search(tc_steady *steady, uint64_t now_ns)
{
    steady->attempts = 0;
    steady->give_up_ns = steady->params.give_up_ns == 0
                             ? UINT64_MAX
                             : tci_deadline_from(now_ns, steady->params.give_up_ns);
}

void tcs_link_init(tc_steady *steady)
{
    const uint64_t now_ns = tci_clock_ns();
    begin_search(steady, now_ns);
    steady->attempt_ns = now_ns;
}

void tcs_link_look(tc_steady *steady)
{
    tc_error why = {TC_OK, ""};
    uint64_t lost = 0;
    if (steady->ep == NULL || tc_ep_error(steady->ep, &why) == TC_OK)
        return;
    tc_ep *ep = steady->ep;
    /* The endpoint's end ends its calls, which may wait again. They must not find it. */
    steady->ep = NULL;
    if (tc_ep_finish(ep, 0, &lost, NULL) == TC_E_BUSY) {
        steady->ep = ep;
        return;
    }
    const uint64_t now_ns = tci_clock_ns();
    if (now_ns - steady->connected_ns >= steady->params.backoff_max_ns)
        tcs_pace_reset(&steady->pace);
    begin_search(steady, now_ns);
    plan(steady, now_ns);
    tcs_calls_disconnected(steady);
    steady->info.messages_lost += lost;
    tell(steady, TC_STEADY_LOST, &why, lost);
}

static void give_up(tc_steady *steady, const tc_error *why)
{
    steady->gave_up = true;
    tcs_calls_end_waiting(steady, TC_E_PEER_LOST, why->text);
    tell(steady, TC_STEADY_GAVE_UP, why, 0);
}

/* Further attempts cannot end otherwise. */
static bool is_hopeless(tc_status status)
{
    return status == TC_E_INVALID || status == TC_E_UNSUPPORTED;
}

/* An attempt has its whole time even if a caller or a call that waits has less: with many of
 * those it would never succeed. */
void tcs_link_attempt(tc_steady *steady)
{
    uint64_t now_ns = tci_clock_ns();
    tc_error error = {TC_OK, ""};
    tc_ep *ep;
    if (steady->ep != NULL || steady->gave_up || now_ns < steady->attempt_ns)
        return;
    steady->attempts++;
    steady->info.attempts++;
    const tc_status status = tc_ep_connect(steady->ctx, steady->host_port,
                                           steady->params.attempt_timeout_ns, &ep, &error);
    now_ns = tci_clock_ns();
    if (status == TC_OK) {
        steady->ep = ep;
        steady->connected_ns = now_ns;
        steady->info.connections++;
        tell(steady, TC_STEADY_CONNECTED, NULL, 0);
    } else if (is_hopeless(status) || now_ns >= steady->give_up_ns) {
        give_up(steady, &error);
    } else {
        plan(steady, now_ns);
    }
}
