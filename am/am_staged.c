/* A segment's way:
 *
 *   RESERVE -> PUT -> RUN -> RUNNING -> GET -> ended
 *
 * RESERVE asks the target for a part of its memory. PUT moves the input there, by chains of
 * windows, two at a time. RUN asks for the run; from its sending on the segment counts as sent,
 * so the next one, or the next active message, may follow. GET moves the output, and the end
 * gives the part back. A step that finds no credit of the endpoint is tried again when
 * something of this rank ends, and while the program waits.
 *
 * A target without free memory refuses RESERVE (TC_E_AGAIN): the segment is forgotten, and the
 * active message waits in its queue as one without credit does.
 *
 * Never: memory of the program is touched after the end was reported; a part is given back
 * while chains use it. */
#include "am_staged.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>

enum { CHAINS_MAX = 2, CHAIN_BYTES = 256u << 10 };

typedef enum staged_step { RESERVE, PUT, RUN, RUNNING, GET } staged_step;

typedef struct tca_staged {
    struct tca_staged *next; /* of the rank; bound: TCA_MESSAGES_MAX */
    tca_message *message;
    staged_step step;
    bool is_asked;   /* the step's call is under way */
    uint32_t chains; /* under way */
    uint32_t segment;
    uint64_t moved; /* bytes of the step that were given to chains */
    tca_grant_facts facts;
    void *packed_input, *packed_output; /* where the caller's layout has gaps */
    tc_status status;
    char text[TC_AM_TEXT_MAX];
} tca_staged;

static void go_on(tca_staged *s);

static tc_ams *ams_of(const tca_staged *s)
{
    return s->message->window->ams;
}

static void note(tca_staged *s, tc_status status, const char *text)
{
    if (s->status != TC_OK || status == TC_OK)
        return;
    s->status = status;
    tca_text_copy(s->text, text);
}

/* --- the end ------------------------------------------------------------------------------ */

/* A part that this message does not reach comes back by its deadline. */
static void give_back(const tca_staged *s)
{
    const struct {
        tca_header header;
        uint64_t grant;
    } request = {{.version = TCA_HEADER_VERSION,
                  .kind = TCA_RELEASE,
                  .window = s->message->window->number},
                 s->facts.grant};
    tc_ep *ep;
    tc_error err;
    tc_status status = s->facts.grant == 0
                           ? TC_E_NOT_FOUND
                           : tc_group_ep(ams_of(s)->group, s->message->rank, &ep, &err);
    if (status == TC_OK)
        status = tc_send(ep, ams_of(s)->runtime, &request, sizeof request);
    (void)status;
}

static void take_out(tca_staged *s)
{
    tca_staged **at = &ams_of(s)->peers[s->message->rank].staged;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    ams_of(s)->waiting--;
}

static void end(tca_staged *s)
{
    tca_message *m = s->message;
    tc_ams *ams = ams_of(s);
    const uint32_t rank = m->rank;
    const bool has_no_memory = s->step == RESERVE && s->status == TC_E_AGAIN;
    assert(s->chains == 0 && !s->is_asked && m->units > 0);
    give_back(s);
    take_out(s);
    if (s->step < RUNNING) {
        m->is_staging = false;
        m->sent += !has_no_memory; /* it will not be tried again */
    }
    if (s->status == TC_OK) {
        if (s->packed_output != NULL)
            tca_layout_scatter(&m->plan.output, m->plan.params.output, s->segment, 1,
                               s->packed_output);
        m->succeeded++;
        ams->counts.staged++;
    } else if (!has_no_memory) {
        tca_message_fail(m, s->status, s->text);
    }
    free(s->packed_input);
    free(s->packed_output);
    free(s);
    ams->peers[rank].units--;
    if (!has_no_memory) /* it would ask again at once */
        tca_message_pump(ams, rank);
    m->units--;
    tca_message_end_if_over(m);
}

/* --- calls -------------------------------------------------------------------------------- */

static void asked(void *user, const tc_call_outcome *outcome)
{
    tca_staged *s = user;
    const size_t expected = s->step == RESERVE ? sizeof s->facts : 0;
    s->is_asked = false;
    if (outcome->status != TC_OK) {
        note(s, outcome->status, outcome->text);
    } else if (outcome->result_size != expected ||
               (s->step == RESERVE && s->facts.grant == 0)) {
        s->facts.grant = 0;
        note(s, TC_E_CORRUPT, "an answer about attached memory has another size");
    } else {
        s->step = s->step == RESERVE ? PUT : GET;
        s->moved = 0;
    }
    go_on(s);
}

/* TC_E_AGAIN: later. */
static tc_status ask(tca_staged *s, tc_ifunc *fn, const void *payload, size_t size,
                     tc_error *err)
{
    const tc_call_params call = {.result = s->step == RESERVE ? &s->facts : NULL,
                                 .result_capacity = s->step == RESERVE ? sizeof s->facts : 0,
                                 .timeout_ns = s->message->plan.params.timeout_ns,
                                 .done = asked,
                                 .user = s};
    tc_ep *ep;
    TC_TRY(tc_group_ep(ams_of(s)->group, s->message->rank, &ep, err));
    TC_TRY(tc_call_start(ep, fn, payload, size, &call, NULL, err));
    s->is_asked = true;
    return TC_OK;
}

static tc_status ask_for_memory(tca_staged *s, tc_error *err)
{
    const tca_plan *plan = &s->message->plan;
    const tca_header request = {.version = TCA_HEADER_VERSION,
                                .kind = TCA_RESERVE,
                                .window = s->message->window->number,
                                .segments = 1,
                                .input_bytes = (uint32_t)plan->input.bytes,
                                .output_bytes = (uint32_t)plan->output.bytes};
    return ask(s, ams_of(s)->runtime, &request, sizeof request, err);
}

static tc_status ask_to_run(tca_staged *s, tc_error *err)
{
    tca_message *m = s->message;
    tc_ams *ams = ams_of(s);
    const size_t size = tca_plan_write_staged(&m->plan, m->window->number, m->op->word,
                                              s->segment, s->facts.grant, ams->payload);
    TC_TRY(ask(s, m->op->fn != NULL ? m->op->fn : ams->runtime, ams->payload, size, err));
    s->step = RUNNING;
    m->is_staging = false;
    m->sent++;
    ams->counts.units_sent++;
    tca_message_pump(ams, m->rank);
    return TC_OK;
}

/* --- moving bytes ------------------------------------------------------------------------- */

static void chain_ended(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    tca_staged *s = user;
    (void)succeeded;
    assert(s->chains > 0);
    s->chains--;
    note(s, status, text);
    go_on(s);
}

/* The caller's segment, or a copy without gaps. */
static tc_status find_bytes(const tca_layout *layout, const void *memory, uint32_t segment,
                            void **packed, char **bytes_out, tc_error *err)
{
    *bytes_out = (char *)(uintptr_t)memory;
    if (layout->bytes == 0)
        return TC_OK;
    *bytes_out += segment * layout->extent;
    if (tca_layout_is_packed(layout))
        return TC_OK;
    if (*packed == NULL)
        *packed = malloc(layout->bytes);
    *bytes_out = *packed;
    return *packed != NULL ? TC_OK
                           : tci_error_set(err, TC_E_NO_MEMORY, "a segment of %llu bytes",
                                           (unsigned long long)layout->bytes);
}

/* Gives the next bytes to chains. */
static tc_status move(tca_staged *s, tc_gptr there, char *here, uint64_t bytes, tc_error *err)
{
    const tc_window_start_params params = {
        .timeout_ns = s->message->plan.params.timeout_ns, .done = chain_ended, .user = s};
    tc_ep *ep;
    TC_TRY(tc_group_ep(ams_of(s)->group, s->message->rank, &ep, err));
    while (s->moved < bytes && s->chains < CHAINS_MAX) {
        const uint64_t left = bytes - s->moved;
        const uint64_t size = left < CHAIN_BYTES ? left : CHAIN_BYTES;
        const tc_gptr at = tc_gptr_add(there, s->moved);
        const tc_window_step chain = s->step == PUT
                                         ? tc_window_step_put(at, here + s->moved, size)
                                         : tc_window_step_get(at, here + s->moved, size);
        TC_TRY(tc_window_chain_start(ep, &chain, 1, &params, err));
        s->chains++;
        s->moved += size;
    }
    return TC_OK;
}

static tc_status put(tca_staged *s, tc_error *err)
{
    const tca_plan *plan = &s->message->plan;
    char *here;
    const bool is_new = s->packed_input == NULL;
    TC_TRY(
        find_bytes(&plan->input, plan->params.input, s->segment, &s->packed_input, &here, err));
    if (is_new && s->packed_input != NULL)
        tca_layout_gather(&plan->input, plan->params.input, s->segment, 1, s->packed_input);
    TC_TRY(move(s, s->facts.memory, here, plan->input.bytes, err));
    if (s->chains == 0 && s->moved == plan->input.bytes)
        s->step = RUN;
    return TC_OK;
}

static tc_status get(tca_staged *s, tc_error *err)
{
    const tca_plan *plan = &s->message->plan;
    const tc_gptr there = tc_gptr_add(s->facts.memory, tca_stage_bytes(plan->input.bytes));
    char *here;
    TC_TRY(find_bytes(&plan->output, plan->params.output, s->segment, &s->packed_output, &here,
                      err));
    return move(s, there, here, plan->output.bytes, err);
}

/* Does whatever the step needs next. It may have ended afterwards. */
static void go_on(tca_staged *s)
{
    tc_error err;
    tc_status status = TC_OK;
    if (s->is_asked)
        return;
    if (s->status == TC_OK && s->step == RESERVE)
        status = ask_for_memory(s, &err);
    if (s->status == TC_OK && status == TC_OK && s->step == PUT)
        status = put(s, &err);
    if (s->status == TC_OK && status == TC_OK && s->step == RUN)
        status = ask_to_run(s, &err);
    if (s->status == TC_OK && status == TC_OK && s->step == GET)
        status = get(s, &err);
    if (status != TC_OK && status != TC_E_AGAIN)
        note(s, status, err.text);
    const bool is_moved =
        s->step == GET && s->moved == s->message->plan.output.bytes && status == TC_OK;
    if (!s->is_asked && s->chains == 0 && (s->status != TC_OK || is_moved))
        end(s);
}

/* --- for the queue ------------------------------------------------------------------------ */

bool tca_staged_begin(tc_ams *ams, tca_message *m)
{
    tca_peer *peer = &ams->peers[m->rank];
    if (m->is_staging)
        return false;
    tca_staged *s = calloc(1, sizeof *s);
    if (s == NULL) {
        tca_message_fail(m, TC_E_NO_MEMORY, "no memory for a segment");
        m->sent = m->plan.params.segments;
        return false;
    }
    s->message = m;
    s->segment = m->sent;
    s->next = peer->staged;
    peer->staged = s;
    ams->waiting++;
    m->is_staging = true;
    m->units++;
    peer->units++;
    go_on(s);
    return false;
}

void tca_staged_retry(tc_ams *ams, uint32_t rank)
{
    tca_staged *next;
    for (tca_staged *s = ams->peers[rank].staged; s != NULL; s = next) {
        next = s->next;
        if (s->chains == 0)
            go_on(s);
    }
}
