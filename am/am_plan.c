#include "am_plan.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>

/* The target's layout of one direction has the bytes of the origin's.
 *
 *   spread_out  bytes of a segment there, with gaps */
static tc_status check_target(const tc_am_layout *given, const char *name,
                              const tc_am_params *params, const tca_layout *here,
                              bool is_output, tca_layout *layout_out, uint64_t *spread_out,
                              tc_error *err)
{
    *spread_out = here->bytes;
    if (given == NULL)
        return TC_OK;
    TC_TRY(tca_layout_check(given, name, params->segments, is_output, layout_out, err));
    if (layout_out->bytes != here->bytes)
        return tci_error_set(
            err, TC_E_INVALID, "%s: %llu bytes of a segment, expected the origin's %llu", name,
            (unsigned long long)layout_out->bytes, (unsigned long long)here->bytes);
    *spread_out = layout_out->extent;
    return TC_OK;
}

static tc_status make_extension(const tca_layout *input, const tca_layout *output,
                                tca_plan *plan, tc_error *err)
{
    uint8_t bytes[TCA_EXTENSION_BYTES_MAX];
    size_t size = 0;
    const tc_am_params *params = &plan->params;
    if (input == NULL && output == NULL && params->description_bytes == 0)
        return TC_OK;
    if (params->description == NULL && params->description_bytes > 0)
        return tci_error_set(err, TC_E_INVALID, "a description of %zu bytes at NULL",
                             params->description_bytes);
    TC_TRY(tca_extension_make(input, output, params->description, params->description_bytes,
                              bytes, &size, err));
    plan->extension_size = (uint32_t)size;
    plan->is_spread = (input != NULL && !tca_layout_is_packed(input)) ||
                      (output != NULL && !tca_layout_is_packed(output));
    if (size <= TCA_EXTENSION_SMALL) {
        memcpy(plan->extension_small, bytes, size);
        return TC_OK;
    }
    plan->extension_large = malloc(size);
    if (plan->extension_large == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "an active message's layouts of %zu bytes",
                             size);
    memcpy(plan->extension_large, bytes, size);
    return TC_OK;
}

/* Segments of a unit: the program's, or as many as unit_bytes holds. */
static tc_status choose_unit(tca_plan *plan, uint32_t unit_bytes, uint64_t input_spread,
                             uint64_t output_spread, tc_error *err)
{
    const tc_am_params *params = &plan->params;
    const uint64_t input = input_spread > plan->input.bytes ? input_spread : plan->input.bytes;
    const uint64_t output =
        output_spread > plan->output.bytes ? output_spread : plan->output.bytes;
    const uint64_t larger = input > output ? input : output, both = input + output;
    uint64_t unit = params->unit;
    const bool is_spread =
        input_spread > plan->input.bytes || output_spread > plan->output.bytes;
    plan->is_staged = larger > TC_AM_UNIT_BYTES_MAX && unit <= 1 && !is_spread;
    if (!plan->is_staged &&
        (larger > TC_AM_UNIT_BYTES_MAX || (unit > 0 && larger * unit > TC_AM_UNIT_BYTES_MAX)))
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a unit of %llu segments of %llu bytes, expected at most %u bytes",
                             (unsigned long long)(unit > 0 ? unit : 1),
                             (unsigned long long)larger, TC_AM_UNIT_BYTES_MAX);
    if (unit == 0)
        unit = both == 0 ? params->segments : both < unit_bytes ? unit_bytes / both : 1;
    plan->unit = unit < params->segments ? (uint32_t)unit : params->segments;
    assert(plan->unit > 0 && (plan->is_staged || plan->unit * larger <= TC_AM_UNIT_BYTES_MAX));
    return TC_OK;
}

/* Copies the blocks of both layouts, as the caller's go when it returns. */
static tc_status keep_blocks(tca_plan *plan, tc_error *err)
{
    const uint64_t inputs = plan->input.blocks != NULL ? plan->input.count : 0;
    const uint64_t outputs = plan->output.blocks != NULL ? plan->output.count : 0;
    if (inputs + outputs == 0)
        return TC_OK;
    plan->blocks = malloc((inputs + outputs) * sizeof *plan->blocks);
    if (plan->blocks == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "an active message's layouts of %llu blocks",
                             (unsigned long long)(inputs + outputs));
    if (inputs > 0) {
        memcpy(plan->blocks, plan->input.blocks, inputs * sizeof *plan->blocks);
        plan->input.blocks = plan->blocks;
    }
    if (outputs > 0) {
        memcpy(plan->blocks + inputs, plan->output.blocks, outputs * sizeof *plan->blocks);
        plan->output.blocks = plan->blocks + inputs;
    }
    return TC_OK;
}

static tc_status fill(tca_plan *plan, uint32_t unit_bytes, tc_error *err)
{
    const tc_am_params *params = &plan->params;
    tca_layout input, output;
    uint64_t input_spread, output_spread, end;
    if (params->segments == 0)
        return tci_error_set(err, TC_E_INVALID, "an active message without segments");
    if (__builtin_add_overflow(params->at, params->bytes, &end))
        return tci_error_set(err, TC_E_INVALID, "a range of %llu bytes at %llu",
                             (unsigned long long)params->bytes, (unsigned long long)params->at);
    TC_TRY(tca_layout_check(&params->input_layout, "input", params->segments, false,
                            &plan->input, err));
    TC_TRY(tca_layout_check(&params->output_layout, "output", params->segments, true,
                            &plan->output, err));
    if ((params->input == NULL && plan->input.bytes > 0) ||
        (params->output == NULL && plan->output.bytes > 0))
        return tci_error_set(err, TC_E_INVALID, "input or output of an active message at NULL");
    TC_TRY(check_target(params->target_input, "target's input", params, &plan->input, false,
                        &input, &input_spread, err));
    TC_TRY(check_target(params->target_output, "target's output", params, &plan->output, true,
                        &output, &output_spread, err));
    TC_TRY(choose_unit(plan, unit_bytes, input_spread, output_spread, err));
    TC_TRY(make_extension(params->target_input != NULL ? &input : NULL,
                          params->target_output != NULL ? &output : NULL, plan, err));
    return keep_blocks(plan, err);
}

tc_status tca_plan_make(tca_plan *plan, uint32_t unit_bytes, tc_error *err)
{
    plan->extension_size = 0;
    plan->extension_large = NULL;
    plan->blocks = NULL;
    plan->is_spread = false;
    plan->is_staged = false;
    tc_status status = fill(plan, unit_bytes, err);
    if (status != TC_OK)
        tca_plan_release(plan);
    return status;
}

void tca_plan_release(tca_plan *plan)
{
    free(plan->extension_large);
    free(plan->blocks);
    plan->extension_large = NULL;
    plan->blocks = NULL;
}

/* Header and extension. Returns their size. The header is made in place: a copy would wait for
 * the stores that made it, as its loads are wider. */
static size_t write_head(const tca_plan *plan, tca_kind plain, tca_kind extended,
                         uint16_t window, uint32_t op, uint32_t first, uint32_t segments,
                         void *payload_out)
{
    tca_header *header = payload_out;
    *header = (tca_header){
        .version = TCA_HEADER_VERSION,
        .kind = (uint8_t)(plan->extension_size > 0 ? extended : plain),
        .window = window,
        .op = op,
        .at = plan->params.at,
        .bytes = plan->params.bytes,
        .segments = segments,
        .first = first,
        .input_bytes = (uint32_t)plan->input.bytes,
        .output_bytes = (uint32_t)plan->output.bytes,
    };
    if (plan->extension_size > 0)
        memcpy(header + 1,
               plan->extension_large != NULL ? plan->extension_large : plan->extension_small,
               plan->extension_size);
    return sizeof *header + plan->extension_size;
}

void tca_plan_write(const tca_plan *plan, uint16_t window, uint32_t op, uint32_t first,
                    uint32_t segments, void *payload_out)
{
    uint8_t *to = payload_out;
    const size_t head =
        write_head(plan, TCA_UNIT, TCA_UNIT_EXTENDED, window, op, first, segments, to);
    const size_t input = (size_t)(segments * plan->input.bytes);
    if (input == 0)
        return;
    const size_t at = tca_header_input_offset(head, input);
    if (at > head)
        memset(to + head, 0, at - head);
    tca_layout_gather(&plan->input, plan->params.input, first, segments, to + at);
}

size_t tca_plan_write_staged(const tca_plan *plan, uint16_t window, uint32_t op, uint32_t first,
                             uint64_t grant, void *payload_out)
{
    uint8_t *to = payload_out;
    const size_t head =
        write_head(plan, TCA_STAGED, TCA_STAGED_EXTENDED, window, op, first, 1, to);
    const size_t at = tca_header_input_offset(head, sizeof grant);
    memset(to + head, 0, at - head);
    memcpy(to + at, &grant, sizeof grant);
    return at + sizeof grant;
}
