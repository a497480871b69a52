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

static tc_status find_range(const tc_ams *ams, const tca_header *header, void **memory_out,
                            tc_error *err)
{
    const tc_am_window *window =
        header->window < TCA_WINDOWS_MAX ? ams->windows[header->window] : NULL;
    if (window == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "no window %u is open at rank %u",
                             header->window, ams->rank);
    if (!tca_window_has(window->bytes, header->at, header->bytes))
        return tci_error_set(err, TC_E_INVALID,
                             "%llu bytes at %llu, expected inside the window's %llu at rank %u",
                             (unsigned long long)header->bytes, (unsigned long long)header->at,
                             (unsigned long long)window->bytes, ams->rank);
    *memory_out = header->bytes > 0 ? (char *)window->memory + header->at : NULL;
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
    if (tc_self_group() != ams->group)
        return tci_error_set(err, TC_E_REFUSED, "an active message from outside the group");
    if (ams->is_running)
        return tci_error_set(err, TC_E_BUSY, "a unit inside another one");
    TC_TRY(tca_header_check(payload, size, a, err));
    if (a->header.kind == TCA_DESCRIBE)
        return tci_error_set(err, TC_E_INVALID, "a question about a window, expected a unit");
    TC_TRY(find_range(ams, &a->header, &unit_out->persistent, err));
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
    return find_output(ams, &unit_out->output, err);
}

static int begin(const tc_am_node *node, const void *payload, size_t size, tc_am_unit *unit_out)
{
    tc_ams *ams = ams_of(node);
    tc_error err;
    if (accept_unit(ams, payload, size, unit_out, &err) != TC_OK) {
        tc_self_fail(err.status, err.text);
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

static tc_status describe(tc_ams *ams, const tca_header *header, tc_error *err)
{
    const tc_am_window *window =
        header->window < TCA_WINDOWS_MAX ? ams->windows[header->window] : NULL;
    if (tc_self_group() != ams->group)
        return tci_error_set(err, TC_E_REFUSED, "a question from outside the group");
    if (window == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "no window %u is open at rank %u",
                             header->window, ams->rank);
    const tca_window_facts facts = tca_window_describe(window);
    tc_status status = tc_reply(&facts, sizeof facts);
    return status == TC_OK ? TC_OK
                           : tci_error_set(err, status, "the facts of a window were not sent");
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
    const bool is_question =
        header.version == TCA_HEADER_VERSION && header.kind == TCA_DESCRIBE;
    if (is_question)
        status = describe(ams, &header, &err);
    else if (header.version == TCA_HEADER_VERSION)
        status = tca_ops_find(ams, header.op, &op, &err);
    else
        status = tci_error_set(&err, TC_E_VERSION, "active messages of version %u, expected %u",
                               header.version, TCA_HEADER_VERSION);
    if (status != TC_OK)
        tc_self_fail(status, err.text);
    else if (!is_question)
        tc_am_run(op->function, payload, size);
}
