/* An active message of several units is a record in the queue of its rank until all units were
 * sent, and until the last has ended. The queue is in the order of starting. tca_pump goes
 * through it: it sends units of the first one while there is credit, then those of later ones
 * that may overtake all before them. It is called when one is started and when a unit ends.
 *
 * Credit. Units under way to a rank have credit_bytes of input and output together, or there is
 * one alone. So the answers that a target has queued for this rank are never more than that.
 *
 *   waits  -> under way -> ended        all units sent, then the last one has ended
 *   waits  -> failed    -> ended        a unit failed: the rest is dropped, and those under way
 *                                       are waited for
 *
 * Never: a unit is sent twice; a unit is sent ahead of one that its window keeps in order; a
 * record is used after its end was reported. */
#include "am_units.h"

#include "am_marks.h"
#include "am_message.h"
#include "am_outcome.h"
#include "am_queue.h"
#include "am_staged.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the end ------------------------------------------------------------------------------ */

void tca_message_fail(tca_message *m, tc_status status, const char *text)
{
    if (m->status == TC_OK) {
        m->status = status;
        tca_outcome_text(m->op, m->rank, status, text, m->text);
    }
}

/* No more units are sent: all were, or one has failed. */
static bool is_sent(const tca_message *m)
{
    const bool goes_on = (m->window->unordered & TC_AM_UNORDERED_SEGMENTS) != 0;
    return m->sent == m->plan.params.segments || (m->status != TC_OK && !goes_on);
}

static void free_message(tc_ams *ams, tca_message *m)
{
    tca_plan_release(&m->plan);
    m->next = ams->free_messages;
    ams->free_messages = m;
}

/* Ends a message that waits for nothing any more; it is not in the queue. */
void tca_message_end_if_over(tca_message *m)
{
    tc_ams *ams = m->window->ams;
    if (m->units > 0 || m->is_queued || !is_sent(m))
        return;
    const tc_am_outcome outcome = {
        .status = m->status, .segments = m->succeeded, .text = m->text};
    if (m->has_ended != NULL)
        *m->has_ended = true;
    if (m->is_counted && m->status == TC_OK) {
        m->op->under_way--;
        tca_marks_add_message(m->window, m->rank);
        free_message(ams, m);
        return;
    }
    tca_units_leave(m->window, m->rank, m->op, 0);
    tca_outcome_report(m->window, &m->plan.params, m->request, &outcome);
    free_message(ams, m);
}

/* --- units -------------------------------------------------------------------------------- */

static tca_unit *new_unit(tc_ams *ams)
{
    tca_unit *unit = ams->free_units;
    if (unit == NULL)
        return malloc(sizeof *unit);
    ams->free_units = unit->next;
    return unit;
}

static void drop_unit(tc_ams *ams, tca_unit *unit)
{
    free(unit->packed);
    unit->next = ams->free_units;
    ams->free_units = unit;
}

static void unit_ended(void *user, const tc_call_outcome *outcome)
{
    tca_unit *unit = user;
    tca_message *m = unit->message;
    tc_ams *ams = m->window->ams;
    const uint32_t rank = m->rank;
    tca_peer *peer = &ams->peers[rank];
    const uint64_t expected = unit->segments * m->plan.output.bytes;
    char text[TC_AM_TEXT_MAX];
    assert(peer->units > 0 && peer->bytes >= unit->charge && m->units > 0);
    peer->units--;
    peer->bytes -= unit->charge;
    if (outcome->status != TC_OK) {
        tca_message_fail(m, outcome->status, outcome->text);
    } else if (outcome->result_size != expected) {
        snprintf(text, sizeof text, "an output of %zu bytes, expected %llu",
                 outcome->result_size, (unsigned long long)expected);
        tca_message_fail(m, TC_E_CORRUPT, text);
    } else {
        if (unit->packed != NULL)
            tca_layout_scatter(&m->plan.output, m->plan.params.output, unit->first,
                               unit->segments, unit->packed);
        m->succeeded += unit->segments;
    }
    drop_unit(ams, unit);
    /* Later units leave before the program's callback runs. The message counts this unit until
     * then, so it has not ended. */
    tca_message_pump(ams, rank);
    m->units--;
    tca_message_end_if_over(m);
}

/* Where the answer goes: into the caller's output, or beside it. */
static tc_status find_result(const tca_message *m, tca_unit *unit, tc_call_params *call)
{
    const tca_layout *output = &m->plan.output;
    call->result_capacity = (size_t)(unit->segments * output->bytes);
    if (output->bytes == 0)
        return TC_OK;
    if (tca_layout_is_packed(output)) {
        call->result = (char *)m->plan.params.output + unit->first * output->bytes;
        return TC_OK;
    }
    unit->packed = malloc(call->result_capacity);
    call->result = unit->packed;
    return unit->packed != NULL ? TC_OK : TC_E_NO_MEMORY;
}

static tc_status send_unit(tc_ams *ams, tca_message *m, tca_unit *unit, tc_error *err)
{
    const tca_plan *plan = &m->plan;
    tc_call_params call = {
        .timeout_ns = plan->params.timeout_ns, .done = unit_ended, .user = unit};
    tc_ep *ep;
    if (find_result(m, unit, &call) != TC_OK)
        return tci_error_set(err, TC_E_NO_MEMORY, "an output of %zu bytes",
                             call.result_capacity);
    TC_TRY(tc_group_ep(ams->group, m->rank, &ep, err));
    tca_plan_write(plan, m->window->number, m->op->word, unit->first, unit->segments,
                   ams->payload);
    return tc_call_start(ep, m->op->fn != NULL ? m->op->fn : ams->runtime, ams->payload,
                         tca_plan_payload_size(plan, unit->segments), &call, NULL, err);
}

/* Segments of the next unit. */
static uint32_t next_segments(const tca_message *m)
{
    const uint32_t left = m->plan.params.segments - m->sent;
    return left < m->plan.unit ? left : m->plan.unit;
}

static bool has_credit(const tc_ams *ams, const tca_message *m)
{
    if (m->plan.is_staged) /* its memory is at the target */
        return !m->is_staging;
    return tca_units_are_free(ams, m->rank, tca_plan_charge(&m->plan, next_segments(m)));
}

/* Sends no more of it. */
static void stop(tca_message *m, tc_status status, const char *text)
{
    tca_message_fail(m, status, text);
    m->sent = m->plan.params.segments;
}

/* A unit that is not answered. */
static tc_status send_counted(tc_am_window *window, uint32_t rank, const tc_am_op *op,
                              const tca_plan *plan, uint32_t first, uint32_t segments,
                              tc_error *err)
{
    tc_ams *ams = window->ams;
    tc_ep *ep;
    TC_TRY(tc_group_ep(ams->group, rank, &ep, err));
    tca_plan_write(plan, window->number, op->word, first, segments, ams->payload);
    ((tca_header *)(void *)ams->payload)->kind |= TCA_COUNTED;
    tc_status status = tca_marks_prepare(window, rank, ep);
    if (status == TC_OK)
        status = tc_send(ep, op->fn != NULL ? op->fn : ams->runtime, ams->payload,
                         tca_plan_payload_size(plan, segments));
    if (status != TC_OK && status != TC_E_AGAIN && tc_send_error(ams->context, err) != status)
        return tci_error_set(err, status, "a unit could not be sent");
    return status;
}

/* Counts a unit that was sent. */
static void count_sent(tc_ams *ams, tca_message *m, uint32_t segments, uint64_t charge)
{
    tca_peer *peer = &ams->peers[m->rank];
    m->sent += segments;
    peer->units++;
    peer->bytes += charge;
    ams->counts.units_sent++;
    if (m->is_counted)
        tca_marks_add(m->window, m->rank, &m->plan, charge);
    else
        m->units++;
}

/* Sends the next unit. False: there is no credit now. */
static bool send_next(tc_ams *ams, tca_message *m)
{
    const uint32_t segments = next_segments(m);
    const uint64_t charge = tca_plan_charge(&m->plan, segments);
    tc_error err;
    if (m->plan.is_staged)
        return tca_staged_begin(ams, m);
    if (!tca_units_are_free(ams, m->rank, charge))
        return false;
    if (m->is_counted) {
        const tc_status status =
            send_counted(m->window, m->rank, m->op, &m->plan, m->sent, segments, &err);
        if (status == TC_OK)
            count_sent(ams, m, segments, charge);
        else if (status != TC_E_AGAIN)
            stop(m, status, err.text);
        return status != TC_E_AGAIN;
    }
    tca_unit *unit = new_unit(ams);
    if (unit == NULL) {
        stop(m, TC_E_NO_MEMORY, "no memory for a unit");
        return true;
    }
    *unit = (tca_unit){.message = m, .segments = segments, .first = m->sent, .charge = charge};
    const tc_status status = send_unit(ams, m, unit, &err);
    if (status != TC_OK) {
        drop_unit(ams, unit);
        if (status == TC_E_AGAIN)
            return false;
        stop(m, status, err.text);
        return true;
    }
    count_sent(ams, m, segments, charge);
    return true;
}

/* --- the queue of a rank ------------------------------------------------------------------ */

/* Sends units of one that is in the queue. Returns whether it has left that. */
static bool send_all(tc_ams *ams, tca_peer *peer, tca_message *m)
{
    while (!is_sent(m) && send_next(ams, m))
        continue;
    if (!is_sent(m))
        return false;
    tca_queue_take_out(peer, m);
    return true;
}

/* A callback of the program may start another one, which then only joins the queue. */
void tca_message_pump(tc_ams *ams, uint32_t rank)
{
    tca_peer *peer = &ams->peers[rank];
    bool has_sent = true;
    if (peer->is_pumped)
        return;
    peer->is_pumped = true;
    while (has_sent) {
        uint32_t looked = 0;
        has_sent = false;
        for (tca_message *m = peer->first; m != NULL && looked < TCA_LOOK_AHEAD_MAX;
             m = m->next, looked++) {
            /* The check of credit is the cheaper one. */
            if ((is_sent(m) || has_credit(ams, m)) && tca_queue_may_go(peer, m) &&
                send_all(ams, peer, m)) {
                tca_message_end_if_over(m);
                has_sent = true;
                break;
            }
        }
    }
    peer->is_pumped = false;
}

/* True: a message that has joined the queue cannot be sent before a unit ends, as all before it
 * have been tried, and its window keeps it behind the first. */
static bool waits_for_others(const tca_peer *peer, const tca_message *m)
{
    return peer->units > 0 && peer->first != m && peer->first->window == m->window &&
           m->window->unordered == 0;
}

static tc_status new_message(tc_ams *ams, tca_message **message_out, tc_error *err)
{
    tca_message *m = ams->free_messages;
    if (ams->under_way >= TCA_MESSAGES_MAX)
        return tci_error_set(err, TC_E_AGAIN, "%u active messages are under way",
                             TCA_MESSAGES_MAX);
    if (m != NULL)
        ams->free_messages = m->next;
    else
        m = malloc(sizeof *m);
    if (m == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "an active message of %zu bytes", sizeof *m);
    *message_out = m;
    return TC_OK;
}

static void drop_message(tc_ams *ams, tca_message *m)
{
    tca_units_leave(m->window, m->rank, m->op, 0);
    m->next = ams->free_messages;
    ams->free_messages = m;
}

tc_status tca_units_start(tc_am_window *window, uint32_t rank, tc_am_op *op,
                          const tca_plan *plan, tc_am_request *request, tc_error *err)
{
    tc_ams *ams = window->ams;
    tca_peer *peer = &ams->peers[rank];
    bool has_ended = false;
    tca_message *m;
    TC_TRY(new_message(ams, &m, err));
    m->next = NULL;
    m->window = window;
    m->op = op;
    m->request = request;
    tca_plan_move(&m->plan, plan);
    m->rank = rank;
    m->sent = m->succeeded = m->units = m->overtaken = 0;
    m->is_queued = true;
    m->is_staging = false;
    m->is_counted = tca_marks_suit(plan, request);
    m->has_ended = &has_ended;
    m->status = TC_OK;
    m->text[0] = '\0';
    tca_units_enter(window, rank, op, 0);
    tca_queue_join(peer, m);
    if (!waits_for_others(peer, m))
        tca_message_pump(ams, rank);
    if (has_ended)
        return TC_OK;
    m->has_ended = NULL;
    if (m->is_queued && m->sent == 0 && peer->units == 0 && !peer->is_pumped) {
        tca_queue_take_out(peer, m);
        drop_message(ams, m);
        return tci_error_set(err, TC_E_AGAIN, "no credit at rank %u", rank);
    }
    if (m->is_queued)
        ams->counts.waited++;
    return TC_OK;
}

bool tca_units_send_counted(tc_am_window *window, uint32_t rank, const tc_am_op *op,
                            const tca_plan *plan)
{
    tc_ams *ams = window->ams;
    tca_peer *peer = &ams->peers[rank];
    const uint32_t segments = plan->params.segments;
    const uint64_t charge = tca_plan_charge(plan, segments);
    tc_error err;
    if (plan->unit != segments || peer->first != NULL ||
        !tca_units_are_free(ams, rank, charge) || ams->under_way >= TCA_MESSAGES_MAX ||
        send_counted(window, rank, op, plan, 0, segments, &err) != TC_OK)
        return false;
    peer->units++;
    peer->bytes += charge;
    window->under_way++;
    window->remotes[rank].under_way++;
    ams->under_way++;
    ams->counts.units_sent++;
    tca_marks_add_message(window, rank);
    tca_marks_add(window, rank, plan, charge);
    return true;
}

/* --- for others --------------------------------------------------------------------------- */

bool tca_units_are_free(const tc_ams *ams, uint32_t rank, uint64_t charge)
{
    const tca_peer *peer = &ams->peers[rank];
    return peer->units == 0 ||
           (peer->units < TCA_UNITS_MAX && peer->bytes + charge <= peer->credit_bytes);
}

void tca_units_enter(tc_am_window *window, uint32_t rank, tc_am_op *op, uint64_t charge)
{
    tc_ams *ams = window->ams;
    window->under_way++;
    window->remotes[rank].under_way++;
    op->under_way++;
    ams->under_way++;
    if (charge == 0)
        return;
    ams->peers[rank].units++;
    ams->peers[rank].bytes += charge;
}

void tca_units_leave(tc_am_window *window, uint32_t rank, tc_am_op *op, uint64_t charge)
{
    tc_ams *ams = window->ams;
    assert(window->under_way > 0 && window->remotes[rank].under_way > 0 && op->under_way > 0);
    window->under_way--;
    window->remotes[rank].under_way--;
    op->under_way--;
    ams->under_way--;
    if (charge == 0)
        return;
    ams->peers[rank].units--;
    ams->peers[rank].bytes -= charge;
    tca_message_pump(ams, rank);
}

void tca_units_retry(tc_ams *ams)
{
    tca_marks_retry(ams);
    for (uint32_t rank = 0; ams->waiting > 0 && rank < ams->ranks; rank++) {
        if (ams->peers[rank].staged != NULL)
            tca_staged_retry(ams, rank);
        if (ams->peers[rank].first != NULL)
            tca_message_pump(ams, rank);
    }
}

void tca_units_free(tc_ams *ams)
{
    assert(ams->under_way == 0);
    while (ams->free_messages != NULL) {
        tca_message *m = ams->free_messages;
        ams->free_messages = m->next;
        free(m);
    }
    while (ams->free_units != NULL) {
        tca_unit *unit = ams->free_units;
        ams->free_units = unit->next;
        free(unit);
    }
}
