/* One unit runs at a time, as an operation runs to its end in the thread of the context. So the
 * arrival, the memory for layouts with gaps and that for small outputs are members of tc_ams.
 *
 * An output of up to 2 KB is written to memory of the runtime and copied by tc_reply, which is
 * faster there; a larger one goes to tc_reply_begin's memory, in the ring where that is mapped.
 * With gaps it is written to memory of the runtime, and packed into either.
 *
 * Never: a function runs before all of the message was checked, or gets memory outside the
 * range; an answer of a function that has failed or thrown. */
#include "am_target.h"

#include "am_ops.h"
#include "am_windows.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

static tc_ams *ams_of(const tc_am_node *node)
{
    return (tc_ams *)((char *)(uintptr_t)node - offsetof(tc_ams, node));
}

/* --- layouts with gaps -------------------------------------------------------------------- */

static tc_status need_block(uint8_t **block, tc_error *err)
{
    if (*block == NULL)
        *block = malloc(TC_AM_UNIT_BYTES_MAX);
    return *block != NULL ? TC_OK
                          : tci_error_set(err, TC_E_NO_MEMORY, "%u bytes for a target's layout",
                                          TC_AM_UNIT_BYTES_MAX);
}

static void spread(const tca_arrival *a, uint8_t *to)
{
    const uint8_t *from = a->input;
    memset(to, 0, a->input_spread);
    for (uint32_t s = 0; s < a->header.segments; s++, to += a->extension.input_extent) {
        for (uint32_t i = 0; i < a->extension.input_blocks; i++) {
            memcpy(to + a->input_blocks[i].offset, from, a->input_blocks[i].bytes);
            from += a->input_blocks[i].bytes;
        }
    }
}

static void pack(const tca_arrival *a, const uint8_t *from, uint8_t *to)
{
    for (uint32_t s = 0; s < a->header.segments; s++, from += a->extension.output_extent) {
        for (uint32_t i = 0; i < a->extension.output_blocks; i++) {
            memcpy(to, from + a->output_blocks[i].offset, a->output_blocks[i].bytes);
            to += a->output_blocks[i].bytes;
        }
    }
}

/* --- a unit ------------------------------------------------------------------------------- */

static tc_status find_window(const tc_ams *ams, const tca_header *header,
                             tc_am_window **window_out, tc_error *err)
{
    *window_out = header->window < TCA_WINDOWS_MAX ? ams->windows[header->window] : NULL;
    return *window_out != NULL
               ? TC_OK
               : tci_error_set(err, TC_E_NOT_FOUND, "no window %u is open at rank %u",
                               header->window, ams->rank);
}

static tc_status find_range(const tc_am_window *window, const tca_header *header,
                            void **memory_out, tc_error *err)
{
    if (!tca_window_has(window->bytes, header->at, header->bytes))
        return tci_error_set(err, TC_E_INVALID,
                             "%llu bytes at %llu, expected inside the window's %llu at rank %u",
                             (unsigned long long)header->bytes, (unsigned long long)header->at,
                             (unsigned long long)window->bytes, window->ams->rank);
    *memory_out = header->bytes > 0 ? (char *)window->memory + header->at : NULL;
    return TC_OK;
}

static bool is_staged(const tca_header *header)
{
    return header->kind == TCA_STAGED || header->kind == TCA_STAGED_EXTENDED;
}

/* Input and output of a segment that lies in attached memory. */
static tc_status find_staged(const tc_am_window *window, const tca_arrival *a,
                             tc_am_unit *unit_out, tc_error *err)
{
    uint8_t *memory;
    if (window->stage == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "no memory was attached at rank %u",
                             window->ams->rank);
    TC_TRY(tca_stage_find(window->stage, tc_self_origin(), a->grant, a->header.input_bytes,
                          a->header.output_bytes, &memory, err));
    unit_out->input = memory;
    unit_out->output = memory + tca_stage_bytes(a->header.input_bytes);
    return TC_OK;
}

/* Memory for the output, which is given back by the runtime's reply or at the message's end. */
static tc_status find_output(tc_ams *ams, void **memory_out, tc_error *err)
{
    const tca_arrival *a = &ams->arrival;
    *memory_out = ams->small_output;
    if (a->extension.output_blocks > 0) {
        TC_TRY(need_block(&ams->spread_output, err));
        *memory_out = ams->spread_output;
        return TC_OK;
    }
    if (a->output_packed <= TCA_SMALL_OUTPUT)
        return TC_OK;
    tc_status status = tc_reply_begin(a->output_packed, memory_out);
    return status == TC_OK ? TC_OK
                           : tci_error_set(err, status, "no memory for an output of %u bytes",
                                           a->output_packed);
}

static tc_status accept_unit(tc_ams *ams, const void *payload, size_t size,
                             tc_am_unit *unit_out, tc_error *err)
{
    tca_arrival *a = &ams->arrival;
    tc_am_window *window;
    if (tc_self_group() != ams->group)
        return tci_error_set(err, TC_E_REFUSED, "an active message from outside the group");
    if (ams->is_running)
        return tci_error_set(err, TC_E_BUSY, "a unit inside another one");
    TC_TRY(tca_header_check(payload, size, a, err));
    if (a->header.kind > TCA_UNIT_EXTENDED && !is_staged(&a->header))
        return tci_error_set(err, TC_E_INVALID, "a request of kind %u, expected a unit",
                             a->header.kind);
    TC_TRY(find_window(ams, &a->header, &window, err));
    TC_TRY(find_range(window, &a->header, &unit_out->persistent, err));
    unit_out->input = a->input_packed > 0 ? a->input : payload;
    unit_out->input_bytes = a->header.input_bytes;
    unit_out->output_bytes = a->header.output_bytes;
    if (a->extension.input_blocks > 0) {
        TC_TRY(need_block(&ams->spread_input, err));
        spread(a, ams->spread_input);
        unit_out->input = ams->spread_input;
        unit_out->input_bytes = a->extension.input_extent;
    }
    if (a->extension.output_blocks > 0)
        unit_out->output_bytes = a->extension.output_extent;
    unit_out->persistent_bytes = a->header.bytes;
    unit_out->segments = a->header.segments;
    unit_out->first = a->header.first;
    unit_out->description_bytes = a->extension.description_bytes;
    unit_out->description = a->extension.description_bytes > 0 ? a->description : NULL;
    unit_out->origin = tc_self_origin();
    unit_out->status = TC_OK;
    unit_out->text[0] = '\0';
    return is_staged(&a->header) ? find_staged(window, a, unit_out, err)
                                 : find_output(ams, &unit_out->output, err);
}

/* Reports a failure: to the caller, or for a counted unit to the origin's next mark. The header
 * may be any bytes. */
static void refuse(tc_ams *ams, const void *payload, size_t size, const tc_error *err)
{
    tca_header header;
    tc_am_window *window;
    tc_error none;
    if (size >= sizeof header && tc_self_group() == ams->group) {
        memcpy(&header, payload, sizeof header);
        if (header.version == TCA_HEADER_VERSION && (header.kind & TCA_COUNTED) != 0 &&
            find_window(ams, &header, &window, &none) == TC_OK) {
            tca_tally_count(&window->tally, ams->ranks, tc_self_origin(), err->status,
                            err->text);
            return;
        }
    }
    tc_self_fail(err->status, err->text);
}

static int begin(const tc_am_node *node, const void *payload, size_t size, tc_am_unit *unit_out)
{
    tc_ams *ams = ams_of(node);
    tc_error err;
    if (accept_unit(ams, payload, size, unit_out, &err) != TC_OK) {
        refuse(ams, payload, size, &err);
        return 0;
    }
    ams->is_running = true;
    ams->counts.units_served++;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    return 1;
}

static tc_status answer(tc_ams *ams, const tc_am_unit *unit)
{
    const tca_arrival *a = &ams->arrival;
    const void *output = unit->output;
    if (a->extension.output_blocks > 0) {
        void *packed = ams->small_output;
        if (a->output_packed > TCA_SMALL_OUTPUT)
            TC_TRY(tc_reply_begin(a->output_packed, &packed));
        pack(a, output, packed);
        output = packed;
    }
    return a->output_packed > TCA_SMALL_OUTPUT ? tc_reply_commit(a->output_packed)
                                               : tc_reply(output, a->output_packed);
}

static void end(const tc_am_node *node, tc_am_unit *unit, int returned)
{
    tc_ams *ams = ams_of(node);
    assert(ams->is_running);
    ams->is_running = false;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    if (ams->arrival.is_counted) {
        tca_tally_count(&ams->windows[ams->arrival.header.window]->tally, ams->ranks,
                        unit->origin, returned ? unit->status : TC_E_THROWN,
                        returned ? unit->text : "an exception ended the operation");
        return;
    }
    if (!returned)
        return;
    if (unit->status != TC_OK) {
        tc_self_fail(unit->status, unit->text);
        return;
    }
    tc_status status = answer(ams, unit);
    if (status != TC_OK)
        tc_self_fail(status, "the output of a unit could not be sent");
}

void tca_target_fill(tc_am_node *node)
{
    node->abi = TC_AM_ABI;
    node->begin = begin;
    node->end = end;
}

/* --- the library's own function ----------------------------------------------------------- */

static tc_status answer_with(const void *facts, size_t size, tc_error *err)
{
    tc_status status = tc_reply(facts, size);
    return status == TC_OK
               ? TC_OK
               : tci_error_set(err, status, "an answer of %zu bytes was not sent", size);
}

static tc_status reserve(const tc_am_window *window, const tca_header *header, tc_error *err)
{
    tca_grant_facts facts;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (window->stage == NULL)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a segment of %u and %u bytes, and no memory is attached",
                             header->input_bytes, header->output_bytes);
    TC_TRY(tca_stage_reserve(
        window->stage, tc_self_origin(), header->input_bytes, header->output_bytes,
        TC_SECONDS((uint64_t)now.tv_sec) + (uint64_t)now.tv_nsec, &facts, err));
    tc_status status = answer_with(&facts, sizeof facts, err);
    if (status != TC_OK)
        tca_stage_release(window->stage, tc_self_origin(), facts.grant);
    return status;
}

static tc_status take_tally(tc_am_window *window, tc_error *err)
{
    struct {
        tca_tally_facts facts;
        char text[TC_AM_TEXT_MAX];
    } answer;
    answer.facts = tca_tally_take(&window->tally, tc_self_origin(), answer.text);
    const tc_status status = tc_reply(&answer, sizeof answer.facts + strlen(answer.text));
    return status == TC_OK || status == TC_E_NOT_FOUND /* no call: it only forgets */
               ? TC_OK
               : tci_error_set(err, status, "the answer to a mark was not sent");
}

/* Requests about a window: all kinds that are no units. */
static tc_status serve_request(tc_ams *ams, const void *payload, size_t size, tc_error *err)
{
    tca_arrival a;
    tc_am_window *window;
    if (tc_self_group() != ams->group)
        return tci_error_set(err, TC_E_REFUSED, "a request from outside the group");
    TC_TRY(tca_header_check(payload, size, &a, err));
    TC_TRY(find_window(ams, &a.header, &window, err));
    if (a.header.kind == TCA_DESCRIBE) {
        const tca_window_facts facts = tca_window_describe(window);
        return answer_with(&facts, sizeof facts, err);
    }
    if (a.header.kind == TCA_RESERVE)
        return reserve(window, &a.header, err);
    if (a.header.kind == TCA_MARK)
        return take_tally(window, err);
    assert(a.header.kind == TCA_RELEASE);
    if (window->stage != NULL)
        tca_stage_release(window->stage, tc_self_origin(), a.grant);
    return TC_OK;
}

static bool is_request(const tca_header *header)
{
    return header->kind == TCA_DESCRIBE || header->kind == TCA_RESERVE ||
           header->kind == TCA_RELEASE || header->kind == TCA_MARK;
}

void tca_target_main(void *payload, size_t size, void *target_args)
{
    size_t node_size = 0;
    const tc_am_node *node = tc_self_data(TC_AM_NODE, &node_size);
    tca_header header;
    tc_am_op *op = NULL;
    tc_error err;
    tc_status status = TC_OK;
    (void)target_args;
    if (node == NULL || size < sizeof header) {
        tc_self_fail(node == NULL ? TC_E_UNSUPPORTED : TC_E_INVALID,
                     node == NULL ? "the rank has no active messages open"
                                  : "an active message shorter than its header");
        return;
    }
    tc_ams *ams = ams_of(node);
    memcpy(&header, payload, sizeof header);
    if (header.version != TCA_HEADER_VERSION)
        status = tci_error_set(&err, TC_E_VERSION, "active messages of version %u, expected %u",
                               header.version, TCA_HEADER_VERSION);
    else if (is_request(&header))
        status = serve_request(ams, payload, size, &err);
    else
        status = tca_ops_find(ams, header.op, &op, &err);
    if (status != TC_OK)
        refuse(ams, payload, size, &err);
    else if (op != NULL)
        tc_am_run_at(node, op->function, payload, size);
}
