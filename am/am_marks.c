/* Messages to a rank keep their order, so when the target answers a mark, all units that were
 * sent before have run, or never will. The answer has their number; if it is another than that
 * of those sent, some were refused or lost on the way.
 *
 * One mark is under way for each window and rank. It covers the units and active messages that
 * were `open` when it was sent; later ones wait for the next. The credit comes back with the
 * answer. A mark is asked for when half of the credit is used, and by waits.
 *
 * A mark that was not answered may have left numbers at a target that lives: before the next
 * unit it is sent one that is no call, and forgets them. */
#include "am_marks.h"

#include "am_outcome.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct mark {
    tc_am_window *window;
    uint32_t rank;
    tca_counted covered;
    struct {
        tca_tally_facts facts;
        char text[TC_AM_TEXT_MAX];
    } answer;
} mark;

/* is_lost: the target has not answered. */
static void end_mark(mark *m, bool is_lost, tc_status status, const char *text)
{
    tc_am_window *window = m->window;
    tc_ams *ams = window->ams;
    tca_peer *peer = &ams->peers[m->rank];
    tca_remote *remote = &window->remotes[m->rank];
    const uint32_t rank = m->rank;
    remote->is_unsure |= is_lost;
    const tca_counted covered = m->covered;
    const tc_am_params nobody = {0};
    free(m);
    assert(peer->units >= covered.units && peer->bytes >= covered.bytes);
    peer->units -= covered.units;
    peer->bytes -= covered.bytes;
    remote->is_marking = false;
    tca_message_pump(ams, rank);
    window->under_way -= covered.messages;
    remote->under_way -= covered.messages;
    ams->under_way -= covered.messages;
    const tc_am_outcome outcome = {.status = status, .text = text};
    tca_outcome_report(window, &nobody, NULL, &outcome);
}

static void answered(void *user, const tc_call_outcome *outcome)
{
    mark *m = user;
    const size_t head = sizeof m->answer.facts;
    char text[TC_AM_TEXT_MAX] = "";
    tc_status status = outcome->status;
    if (status != TC_OK) {
        tca_text_copy(text, outcome->text);
    } else if (outcome->result_size < head || m->answer.facts.status > 0) {
        status = TC_E_CORRUPT;
        snprintf(text, sizeof text, "an answer of %zu bytes to a mark, expected %zu and more",
                 outcome->result_size, head);
    } else if (m->answer.facts.status != TC_OK) {
        status = m->answer.facts.status;
        m->answer.text[outcome->result_size - head < sizeof m->answer.text
                           ? outcome->result_size - head
                           : sizeof m->answer.text - 1] = '\0';
        tca_text_copy(text, m->answer.text);
    } else if (m->answer.facts.run != m->covered.units) {
        status = TC_E_REFUSED;
        snprintf(text, sizeof text, "%llu of %u units ran at rank %u: others were refused",
                 (unsigned long long)m->answer.facts.run, m->covered.units, m->rank);
    }
    end_mark(m, outcome->status != TC_OK, status, text);
}

/* Without credit or memory it is tried again later. A failure of the endpoint is that of the
 * units. */
static void ask(tc_am_window *window, uint32_t rank)
{
    tc_ams *ams = window->ams;
    tca_remote *remote = &window->remotes[rank];
    const tca_header request = {
        .version = TCA_HEADER_VERSION, .kind = TCA_MARK, .window = window->number};
    tc_ep *ep;
    tc_error err;
    mark *m = remote->is_marking ? NULL : malloc(sizeof *m);
    if (m == NULL)
        return;
    m->window = window;
    m->rank = rank;
    const tc_call_params call = {.result = &m->answer,
                                 .result_capacity = sizeof m->answer,
                                 .timeout_ns = remote->open.timeout_ns,
                                 .done = answered,
                                 .user = m};
    tc_status status = tc_group_ep(ams->group, rank, &ep, &err);
    if (status == TC_OK)
        status = tc_call_start(ep, ams->runtime, &request, sizeof request, &call, NULL, &err);
    if (status == TC_E_AGAIN || status == TC_E_NO_MEMORY) {
        free(m);
        return;
    }
    m->covered = remote->open;
    remote->open = (tca_counted){0};
    remote->is_marking = true;
    if (status != TC_OK)
        end_mark(m, true, status, err.text);
}

tc_status tca_marks_prepare(const tc_am_window *window, uint32_t rank, tc_ep *ep)
{
    const tca_header forget = {
        .version = TCA_HEADER_VERSION, .kind = TCA_MARK, .window = window->number};
    if (!window->remotes[rank].is_unsure)
        return TC_OK;
    tc_status status = tc_send(ep, window->ams->runtime, &forget, sizeof forget);
    window->remotes[rank].is_unsure = status != TC_OK;
    return status;
}

static tca_remote *open_remote(tc_am_window *window, uint32_t rank)
{
    tca_remote *remote = &window->remotes[rank];
    if (!remote->is_open) {
        remote->is_open = true;
        remote->window = window;
        remote->rank = rank;
        remote->next_open = window->ams->open_remotes;
        window->ams->open_remotes = remote;
    }
    return remote;
}

void tca_marks_add(tc_am_window *window, uint32_t rank, const tca_plan *plan, uint64_t charge)
{
    tca_remote *remote = open_remote(window, rank);
    remote->open.units++;
    remote->open.bytes += charge;
    if (plan->params.timeout_ns > remote->open.timeout_ns)
        remote->open.timeout_ns = plan->params.timeout_ns;
    if (remote->open.bytes >= window->ams->peers[rank].credit_bytes / 2 ||
        remote->open.units >= TCA_UNITS_MAX / 2)
        ask(window, rank);
}

void tca_marks_add_message(tc_am_window *window, uint32_t rank)
{
    open_remote(window, rank)->open.messages++;
}

/* An entry without open units, as a mark took them, leaves the list. Asking may open others,
 * at the front. */
void tca_marks_retry(tc_ams *ams)
{
    tca_remote **at = &ams->open_remotes;
    while (*at != NULL) {
        tca_remote *remote = *at;
        if (remote->open.units + remote->open.messages == 0) {
            *at = remote->next_open;
            remote->is_open = false;
            continue;
        }
        at = &remote->next_open;
        ask(remote->window, remote->rank);
    }
}

void tca_marks_forget(tc_am_window *window)
{
    tca_remote **at = &window->ams->open_remotes;
    while (*at != NULL) {
        tca_remote *remote = *at;
        assert(remote->window != window || remote->open.units + remote->open.messages == 0);
        if (remote->window == window)
            *at = remote->next_open;
        else
            at = &remote->next_open;
    }
}
